"""Deployments that people make: what stands in their environment, by a name."""

import fcntl
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.infra.compiler import Document, predicted

SUBSCRIPTION = "11111111-1111-1111-1111-111111111111"
TENANT = "22222222-2222-2222-2222-222222222222"
PERSON = "33333333-3333-3333-3333-333333333333"
OPERATOR = "44444444-4444-4444-4444-444444444444"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBnobodysKeyAtAllForTests0000000000 a"
MADE = {
    "CREATE_MACHINE": "vm-kimi-01",
    "SSH_PUBLIC_KEY": KEY,
    "CUSTOM_DATA": "#cloud-config\n",
}
DISK = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-kimi/providers/"
    "Microsoft.Compute/disks/vm-kimi-01-eastus2_OsDisk_1"
)

BASE = {
    "ALARM_EMAILS": "owner@example.com",
    "BUDGET_FROM": "2026-11-01",
    "BUDGET_TO": "2027-02-01",
    "CREDIT_EXPIRES": "2027-02-01",
}
# Kept whole in golden/: what each of them would make.
GOLDEN: Mapping[str, Mapping[str, str]] = {
    "off": {"AZURE_PRINCIPAL_ID": PERSON},
    "on": {**MADE, "EDGE": "A", "OPERATOR_ID": OPERATOR, "OPERATOR_TYPE": "Group"},
    "disk": {**MADE, "CUSTOM_DATA": "", "SSH_PUBLIC_KEY": "", "OS_DISK_ID": DISK},
    "mi300x": {
        **MADE,
        "CREATE_MACHINE": "vm-amd",
        "SWITCH_PREFIX": "amd",
        "MACHINE_NAME": "vm-amd",
        "MACHINE_LOCATION": "swedencentral",
        "MACHINE_SIZE": "Standard_ND96isr_MI300X_v5",
        "MACHINE_IMAGE_SKU": "2404-rocm",
        "MACHINE_IMAGE_VERSION": "24.04.2026092500",
        "MACHINE_SECURITY_TYPE": "TrustedLaunch",
        "PRICE_PER_HOUR": "48.00",
        "MAX_RUNTIME_HOURS": "6.5",
    },
    "second": {**MADE, "SECOND_MACHINE_NAME": "vm-kimi-02"},
}
MORE: Mapping[str, Mapping[str, str]] = {
    "mended": {"MEND_MACHINE": "vm-kimi-01"},
    "moved": {**MADE, "MACHINE_LOCATION": "westus3"},
    "no budgets": {"NO_BUDGETS_BECAUSE": "the offer has none"},
    "a group deploys": {
        "AZURE_PRINCIPAL_ID": PERSON,
        "AZURE_PRINCIPAL_TYPE": "Group",
    },
    "a pipeline deploys": {
        "AZURE_PRINCIPAL_ID": PERSON,
        "AZURE_PRINCIPAL_TYPE": "ServicePrincipal",
    },
    "always ready": {"SWITCH_ALWAYS_READY": "1", "SWITCH_MEMORY": "4096"},
    "edge C": {"EDGE": "C"},
}
ELSEWHERE = "another subscription"
_ELSEWHERE = "55555555-5555-5555-5555-555555555555"
SETS = {**GOLDEN, **MORE, ELSEWHERE: {}}


@dataclass(frozen=True)
class Snapshots:
    """What each set would make; evaluated once, whoever asks first."""

    folder: Path

    def __getitem__(self, name: str) -> Document:
        return self.of(name, SETS[name])

    def of(self, name: str, said: Mapping[str, str]) -> Document:
        """Evaluate a set under a name of its own."""
        place = self.folder / name.replace(" ", "-")
        place.mkdir(parents=True, exist_ok=True)
        kept = place / "kept.json"
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                where = _ELSEWHERE if name == ELSEWHERE else SUBSCRIPTION
                made = predicted(place / "infra", {**BASE, **said}, where, TENANT)
                kept.write_text(json.dumps(made))
        read: Document = json.loads(kept.read_text())
        return read
