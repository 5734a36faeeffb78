"""A whole machine under a real systemd: from blank disks to verified weights.

The custom data, the archive and the units are the real ones, and so are cloud-init,
systemd and its sandboxes. There is neither NVMe nor md in a container: programs of the
machine's own stand in, and what is mounted at /mnt/kimi is memory.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from control.payload import custom_data
from control.payload.bundle import HOME, ROOTFS, bundle
from local.azure import Kind, LocalAzure
from local.certificate import Certificate
from tests.payload import keys
from tests.payload.container import Container, missing
from tests.payload.hub import FakeHub
from tests.payload.machine import TOOL, disk, system
from tests.payload.plane import Plane
from tests.payload.relay import relaying
from tests.payload.store import Store
from tests.payload.weights import MODEL, Blobs
from tests.soon import soon

STANDS_IN = ("lsblk", "wipefs", "mdadm", "mkfs.xfs", "udevadm", "mount")
LASTS = ("kimi-heartbeat.service", "kimi-lease.service")
BOOT_DEADLINE = 75 * 60
_SECRETS = ("/run/kimi/secrets/token-vm", "/run/kimi/secrets/vllm.env")
_TIMES = ("ExecMainStartTimestampMonotonic", "ExecMainExitTimestampMonotonic")
# The watch with two seconds instead of ten minutes; the empty line takes back its own.
_HASTY_WATCH = (
    "\nExecStart=/usr/bin/python3 -I -c 'import sys;"
    'sys.path.insert(0, "/usr/local/lib/kimi"); import bootstrap;'
    "bootstrap.watch(bootstrap.Limits(left=2, every=0.2))'"
)
ONCE = ("bootstrap", "disk", "seed", "weights")


# A whole boot beside whatever else the machine does; each wait has its own limit.
pytestmark = pytest.mark.timeout(400)


@dataclass
class Vm:
    """A machine that was just made, and all that it can reach."""

    container: Container
    azure: LocalAzure
    blobs: Blobs
    store: Store
    plane: Plane
    site: dict[str, str]

    def publish(self, **said: str) -> str:
        """Put a payload there for it."""
        return self.store.publish(bundle("kimi-k2.5", self.site | said).archive)

    def boots(self, disks: int = 8, uptime: float = 0) -> None:
        """Start it with so many blank disks, so many seconds after its boot."""
        blank = (disk(f"nvme{number}n1") for number in range(1, disks + 1))
        state = {"disks": [system(), *blank], "fails": []}
        self.container.write("srv/state.json", json.dumps(state))
        self.azure.vm.come_on()
        self.container.boot(uptime)

    def limits(self, unit: str, **said: str) -> None:
        """Give a unit other limits, so that a test need not wait as long."""
        lines = "".join(f"{name}={value}\n" for name, value in said.items())
        place = f"etc/systemd/system/{unit}.d/short.conf"
        self.container.write(place, f"[Service]\n{lines}")

    def settles(self, unit: str, *states: str) -> None:
        """Wait until a unit is in one of these states; else show the whole journal."""
        try:
            soon(lambda: self.container.show(unit, "ActiveState") in states, 120)
        except AssertionError:
            said = self.container.do("journalctl", "--boot", "--no-pager").stdout
            pytest.fail(f"{unit} is not {' or '.join(states)}:\n{said}")

    @property
    def phases(self) -> list[str]:
        """What it told, one after the other."""
        told = [each.json()["phase"] for each in self.plane.heard]
        return [one for at, one in enumerate(told) if told[at - 1 : at] != [one]]


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    if why := missing():
        pytest.skip(why)
    made = Container(tmp_path / "vm")
    try:
        made.make()
        yield made
    finally:
        made.remove()


@pytest.fixture
def vm(
    container: Container,
    azure: LocalAzure,
    blobs: Blobs,
    store: Store,
    hub: FakeHub,
    plane: Plane,
) -> Vm:
    keys.fill(azure)
    authority = azure.certificate.authority.read_text()
    trusted = "etc/ssl/certs/ca-certificates.crt"
    container.write(trusted, container.read(trusted) + authority)
    _stand_in(container)
    found = {
        "AZURE_CLIENT_ID": azure.identity.client_id("vm"),
        "ARM_ENDPOINT": azure.arm_url,
        "IMDS_ENDPOINT": azure.vm.imds_url,
    }
    template = (HOME / "cloud-init.yaml").read_text()
    said = found | {"PAYLOAD_URL": store.url}
    container.seed(custom_data.render(template, ROOTFS, said), "one")
    site = found | {
        "KEY_VAULT_URL": azure.machine_vault.url,
        "WEIGHTS_URL": blobs.url,
        "PUBLIC_URL": plane.url,
        "HUB_ENDPOINT": hub.url,
    }
    return Vm(container, azure, blobs, store, plane, site)


def _stand_in(container: Container) -> None:
    """Give the unit of the disks, and no other, programs that know such disks."""
    container.write("srv/programs.py", TOOL.read_text())
    for name in STANDS_IN:
        program = f'/usr/bin/python3 /srv/programs.py /srv {name} "$@"'
        if name == "mount":
            program += " && exec /usr/bin/mount -t tmpfs kimi /mnt/kimi"
        container.write(f"srv/programs/{name}", f"#!/bin/sh\n{program}\n", 0o755)
    container.write(
        "etc/systemd/system/kimi-disk.service.d/programs.conf",
        "[Service]\nEnvironment=PATH=/srv/programs:/usr/sbin:/usr/bin\n",
    )


def test_a_new_machine_brings_itself_up_and_so_does_its_disk_alone(vm: Vm) -> None:
    """Then, on blank disks, with a new instance id and no custom data (F03)."""
    sha256 = vm.publish()
    vm.blobs.fill()
    vm.boots()
    vm.settles("kimi-weights.service", "active")
    _is_up(vm, f"payload {sha256[:12]} is unpacked")
    assert vm.container.show("apt-daily.timer", "UnitFileState") == "masked"
    assert "status: done" in vm.container.do("cloud-init", "status", "--wait").stdout
    vm.container.off()
    vm.container.seed("", "two")
    vm.boots()
    vm.settles("kimi-weights.service", "active")
    _is_up(vm, f"payload {sha256[:12]} is here already")
    begun = [_since(vm, f"kimi-{unit}.service") for unit in ("lease", "weights")]
    assert begun == sorted(begun), "the lease keeper waits for nobody"


def _is_up(vm: Vm, payload: str) -> None:
    """Every unit did what it is for, in its sandbox, as its user, for all to see."""
    assert payload in vm.container.journal("kimi-bootstrap.service")
    for unit in ONCE:
        assert vm.container.show(f"kimi-{unit}.service", "Result") == "success", unit
        assert vm.container.show(f"kimi-{unit}.service", "NRestarts") == "0", unit
    for unit in LASTS:
        vm.settles(unit, "active")
    assert "made an array of 8 disks" in vm.container.journal("kimi-disk.service")
    assert "77 of 77 files" in vm.container.journal("kimi-weights.service")
    folder = f"/mnt/kimi/models/{MODEL.folder}"
    whole = vm.container.do("stat", "--format=%U", f"{folder}/.kimi-complete.json")
    assert whole.stdout == "kimi\n", "mounted for all, written by the agent's user"
    secrets = vm.container.do("stat", "--format=%n %U %a", *_SECRETS).stdout.split("\n")
    assert secrets[:2] == [f"{_SECRETS[0]} root 640", f"{_SECRETS[1]} root 600"]
    assert vm.container.do("systemctl", "--failed", "--plain", "--quiet").stdout == ""


def _since(vm: Vm, unit: str) -> int:
    return int(vm.container.show(unit, "ExecMainStartTimestampMonotonic"))


@pytest.mark.parametrize("masked", ["nothing", "kimi-lease.service"])
def test_a_machine_that_can_not_come_up_is_told_of_and_given_back(
    vm: Vm, masked: str
) -> None:
    """Three tries at the disks, then `broken`; past the boot deadline it is gone."""
    for unit in ("disk", "seed", "weights"):
        vm.limits(f"kimi-{unit}.service", RestartSec="100ms")
    vm.container.mask(masked)
    vm.publish()
    vm.boots(disks=0, uptime=BOOT_DEADLINE - 45)
    vm.settles("kimi-disk.service", "failed")
    assert vm.container.journal("kimi-disk.service").count("Starting ") == 3
    assert vm.azure.log.of(Kind.VM_DEALLOCATE) == []
    soon(lambda: vm.azure.log.of(Kind.VM_DEALLOCATE), 120)
    told = vm.container.do("cat", "/run/kimi/state/given-up-kimi-disk.json").stdout
    assert "no local NVMe disk was found" in told
    assert vm.azure.log.of(Kind.VM_POWER_OFF) == []


def test_what_moves_is_given_time_and_what_hangs_is_ended(
    vm: Vm, certificate: Certificate
) -> None:
    """Bytes buy a oneshot more than TimeoutStartSec=, whatever it began with."""
    vm.blobs.fill()
    with relaying(vm.store.url.rpartition("/")[0], certificate) as relay:
        relay.pause = 0.2
        container = vm.blobs.url.rpartition("/")[2]
        vm.publish(WEIGHTS_URL=f"{relay.url}/{container}")
        vm.limits("kimi-weights.service", TimeoutStartSec="4s", Restart="no")
        vm.boots()
        vm.settles("kimi-weights.service", "active", "failed")
        assert vm.container.show("kimi-weights.service", "Result") == "success"
        took = [vm.container.show("kimi-weights.service", name) for name in _TIMES]
        assert int(took[1]) - int(took[0]) > 4_000_000
        relay.pause = 20
        vm.container.do("rm", "-r", f"/mnt/kimi/models/{MODEL.folder}")
        vm.container.do("systemctl", "restart", "--no-block", "kimi-weights.service")
        vm.settles("kimi-weights.service", "failed")
    assert vm.container.show("kimi-weights.service", "Result") == "timeout"
    soon(lambda: "broken" in vm.phases, 60)


def test_what_never_ends_is_begun_anew(vm: Vm) -> None:
    """Killed, or alive and silent: the lease keeper and the heartbeat come back."""
    vm.publish()
    for unit in LASTS:
        vm.limits(unit, WatchdogSec="3s", RestartSec="100ms")
    vm.boots()
    for unit in LASTS:
        vm.settles(unit, "active")
        for signal in ("KILL", "STOP"):
            before = _main(vm, unit)
            vm.container.do("kill", f"-{signal}", before)
            soon(lambda: _main(vm, unit) not in {before, "0"}, 20, f"{unit} {signal}")  # noqa: B023
            vm.settles(unit, "active")


def test_a_machine_whose_lease_nobody_keeps_is_given_back(vm: Vm) -> None:
    """Whatever the payload is worth: that unit came with the custom data."""
    vm.publish()
    vm.boots(uptime=3_600)
    vm.settles("kimi-lease.service", "active")
    vm.settles("kimi-watch.service", "active")
    assert vm.container.show("kimi-watch.service", "NRestarts") == "0"
    vm.limits("kimi-watch.service", ExecStart=_HASTY_WATCH)
    vm.container.do("systemctl", "daemon-reload")
    vm.container.do("systemctl", "restart", "kimi-watch.service")
    since = time.monotonic()
    soon(lambda: time.monotonic() - since > 5)
    assert vm.azure.log.of(Kind.VM_DEALLOCATE) == []
    vm.container.do("systemctl", "stop", "kimi-lease.service")
    soon(lambda: vm.azure.log.of(Kind.VM_DEALLOCATE))
    assert "nobody keeps the lease" in vm.container.journal("kimi-watch.service")


def _main(vm: Vm, unit: str) -> str:
    return vm.container.show(unit, "MainPID")


def test_an_update_of_a_running_machine_cuts_nothing(vm: Vm) -> None:
    """As run-command does it: the units that run go on with what they began."""
    vm.blobs.fill()
    vm.publish()
    vm.boots()
    vm.settles("kimi-weights.service", "active")
    before = [_since(vm, f"kimi-{unit}.service") for unit in ("lease", "weights")]
    sha256 = vm.publish(IDLE_MINUTES="15")
    done = vm.container.do("systemctl", "restart", "kimi-bootstrap.service")
    assert done.returncode == 0
    said = vm.container.journal("kimi-bootstrap.service")
    assert f"payload {sha256[:12]} is unpacked: 0 new, 1 changed, 0 removed" in said
    assert "IDLE_MINUTES=15" in vm.container.read("etc/kimi-site.env")
    after = [_since(vm, f"kimi-{unit}.service") for unit in ("lease", "weights")]
    assert after == before


def test_a_token_that_is_refused_makes_it_read_its_vault(vm: Vm) -> None:
    """The path unit sees it; long before the timer's five minutes."""
    vm.plane.status = 401
    vm.publish()
    vm.boots()
    soon(lambda: _reads(vm) > 1, 60, "it read its vault once")
    assert vm.container.show("kimi-secrets.path", "ActiveState") == "active"


def _reads(vm: Vm) -> int:
    return vm.container.journal("kimi-secrets.service").count("secrets: ")
