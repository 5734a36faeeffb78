"""Somebody who has deployed: a switch that runs, and everything in the environment."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx

from control.deployment.keyring import Vault, keyring
from local.azure import LocalAzure, Timings
from local.stack import Stack
from tests.payload.login import Operator

MACHINE = "vm-kimi-01-eastus2"
# What a deployment and the app must say alike.
SAME = (
    *("BUDGET_FROM", "BUDGET_LIMIT", "BUDGET_TO", "CURRENCY", "PRICE_PER_HOUR"),
    *("STANDING_COST_PER_MONTH", "TIME_ZONE"),
)
FAST = timedelta(seconds=2)
TIMINGS = Timings(
    start=FAST, blank=timedelta(milliseconds=200), deallocate=FAST, nothing=FAST
)


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Somebody with everything in the environment, and a switch that runs."""

    stack: Stack
    operator: Operator

    @property
    def azure(self) -> LocalAzure:
        return self.stack.azure

    def run(self, *arguments: str, **more: str | None) -> Any:
        return self.operator.run(*arguments, **more)

    def sent(self) -> list[Any]:
        return list(self.azure.deployments.kept.values())

    def session(self) -> dict[str, Any]:
        """Return the newest line of the ledger, as the switch tells it."""
        answer = httpx.get(
            f"{self.stack.url}/sessions",
            headers={"Authorization": f"Bearer {self.stack.tokens.operator}"},
            timeout=30,
        )
        found: dict[str, Any] = answer.json()["sessions"][0]
        return found


def fill(made: Stack) -> None:
    """Write what `secrets init` would; the stack has its operator's token."""
    azure = made.azure
    vaults = {Vault.APP: azure.vault, Vault.MACHINE: azure.machine_vault}
    for secret in keyring(MACHINE):
        value = made.tokens.vm if secret.name == "token-vm" else "a value"
        for place in secret.places:
            if place.name != "token-operator":
                tags = dict(place.tags)
                azure.put_secret(vaults[place.vault], place.name, value, tags=tags)
