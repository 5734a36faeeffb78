"""What `vm create` is about, gathered of the environment, the templates and Azure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from control.cli.access import Access
from control.cli.arm import resources
from control.cli.making import Making, used_disk
from control.cli.own import own_switch
from control.cli.payload import custom_data, payloads
from control.cli.place import SITE, WHERE, Place
from control.cli.remote import Remote
from control.cli.secrets import vaults_of
from control.cli.site import site_at
from control.clock import SystemClock
from control.deployment.creation import LIMIT
from control.deployment.gates import Disk, Readiness, closed
from control.deployment.keyring import keyring
from control.deployment.template import Template, compiled
from control.errors import CommandError
from control.payload.given import Given
from control.rules.money import in_period

if TYPE_CHECKING:
    from control.settings import Settings
    from control.switch import Switch

_KEY = re.compile(r"ssh-(?:ed25519|rsa) [A-Za-z0-9+/=]{40,}(?: [^\n]*)?\s*")
_CAPITAL = re.compile("([A-Z])")
_DISK = re.compile(
    r"/subscriptions/[0-9A-Fa-f-]{36}/resourceGroups/[\w().-]{1,90}/providers/"
    r"Microsoft\.Compute/disks/[\w.-]{1,80}",
    re.ASCII | re.IGNORECASE,
)
_WORDS = {
    "authorizationfailed": "Your login needs the role Owner, or Contributor and User "
    "Access Administrator.",
    "scopelocked": "A lock on the group forbids it: `az lock list`.",
}
# Besides the limit, what Azure takes to deallocate.
AT_MOST = LIMIT + timedelta(minutes=10)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One machine to be made, or to be mended where it is there."""

    given: Mapping[str, str]
    place: Place
    settings: "Settings"
    switch: "Switch"
    making: Making
    machine: Mapping[str, Any]
    disk: Disk | None

    @property
    def cost(self) -> Decimal:
        """What it may cost until it is off again."""
        price = self.settings.policies()[self.place.machine].price_per_hour
        return price * Decimal(AT_MOST / timedelta(hours=1))

    def to_mend(self) -> Making:
        """Return what makes anew what ends the machine, and leaves itself alone."""
        template = self.making.template.changed(mendMachine=self.machine["name"])
        return replace(self.making, template=template)

    def to_create(self) -> Making:
        """Return what makes the machine: of an image, or of its disk of before."""
        changed: dict[str, Any] = {"createMachine": self.machine["name"]}
        if self.disk is None:
            changed["customData"] = custom_data(self.given)
        else:
            # The machine that had it says what it was; another type is refused.
            kept = {**self.machine, "securityType": self.disk.security_type}
            machines = self.making.template.value("machines")
            changed["machines"] = [
                kept if each["name"] == kept["name"] else each for each in machines
            ]
        template = self.making.template.changed(**changed)
        return replace(self.making, template=template)

    def closed_gates(self) -> list[str]:
        """Return what must be done first, a sentence each."""
        from control.azure.stock import stock  # noqa: PLC0415 - slow: the SDKs

        location = self.making.template.value("machineLocation")
        size = self.machine["size"]
        image = None if self.disk else self.machine["image"]
        found = stock(
            self.making.resources, self.place.subscription, location, size, image
        )
        return closed(found, size, location, self.disk, self._readiness())

    def _readiness(self) -> Readiness:
        view = self.switch.status(self.place.machine)
        if view.lease is None:
            raise CommandError("the ledger can't be read, so nothing would be billed.")
        name, vaults = vaults_of(self.given)
        held = {each: vault.enabled() for each, vault in vaults.items()}
        return Readiness(
            ticks=self.making.remote.ticks(),
            in_period=self._in_period(),
            clocks_apart=self._clocks_apart(),
            locked=view.lease.locked,
            lease=view.lease.state,
            remaining=view.spend.remaining if view.spend else None,
            cost=self.cost,
            currency=self.settings.currency,
            missing=[
                each.name
                for each in keyring(name)
                if not all(held[one.vault].get(one.name.lower()) for one in each.places)
            ],
            has_payload=self._has_payload(name),
        )

    def _in_period(self) -> bool:
        budget, now = self.settings.budget, SystemClock().now()
        return in_period(budget, now) and in_period(budget, now + AT_MOST)

    def _clocks_apart(self) -> float:
        said = self.making.remote.status(self.making.token(), self.place.machine)
        theirs = datetime.fromisoformat(said["now"])
        return abs((theirs - SystemClock().now()).total_seconds())

    def _has_payload(self, name: str) -> bool:
        given = Given(self.given)
        url = given.container("PAYLOAD_URL")
        given.check(WHERE)
        return payloads(url).pointer(name) is not None


def planned(environ: Mapping[str, str], access: Access, remote: Remote) -> Plan:
    """Gather it; nothing is changed.

    Raises:
        CommandError: something is missing or wrong, and what.
    """
    given = Given(environ)
    place, name = Place.take(given), given.matching("SWITCH_NAME", *SITE)
    principal = given.guid("MACHINE_PRINCIPAL_ID")
    disk = ""
    if environ.get("OS_DISK_ID", "").strip():
        disk = given.matching("OS_DISK_ID", _DISK, "a disk's id")
    else:
        given.matching("SSH_PUBLIC_KEY", _KEY, "the public half of an SSH key")
    given.check(WHERE)
    arm = resources(place.endpoint, _WORDS)
    site = site_at(arm, place, name)
    plain = {"createMachine": "", "mendMachine": "", "osDiskId": disk}
    began = SystemClock().now()
    template = replace(compiled(environ).changed(**plain), run=f"-{began:%y%m%d%H%M%S}")
    machine = _named(template, place)
    said = site.settings()
    settings, switch = own_switch(said)
    _ensure_same(template, said, switch.machines)
    making = Making(
        resources=arm,
        site=site,
        remote=remote,
        token=access.operators_token,
        place=place,
        template=template,
        principal=principal,
        began=began,
    )
    return Plan(
        given=environ,
        place=place,
        settings=settings,
        switch=switch,
        making=making,
        machine=machine,
        disk=used_disk(arm, disk) if disk else None,
    )


def _named(template: Template, place: Place) -> Mapping[str, Any]:
    """Return the machine of the templates that VM_NAME names."""
    where = template.value("machineLocation")
    names = {f"{each['name']}-{where}": each for each in template.value("machines")}
    if place.machine not in names:
        raise CommandError(
            f"VM_NAME is {place.machine}, and the deployment's are {', '.join(names)}: "
            "MACHINE_NAME, MACHINE_LOCATION and the outputs must be of one deployment."
        )
    found: Mapping[str, Any] = names[place.machine]
    return found


def _ensure_same(
    template: Template, said: Mapping[str, str], machines: Sequence[str]
) -> None:
    """Refuse an environment that would change the app by the way.

    The deployment writes all of the app's settings: a second machine that is left out
    here would be forgotten, and a limit that is not given here would be the usual one.
    """
    where = template.value("machineLocation")
    named = {f"{each['name']}-{where}" for each in template.value("machines")}
    policy: Mapping[str, str] = template.value("policy")
    meant = {_CAPITAL.sub(r"_\1", name).upper(): policy[name] for name in policy}
    meant["AUTO_SHUTDOWN_AT"] = template.value("shutdownAt")
    others = sorted(n for n in meant if said.get(n, meant[n]) != meant[n])
    if named != set(machines):
        others.insert(0, f"the machines ({', '.join(machines)} there)")
    if others:
        raise CommandError(
            f"this environment would change the app: {', '.join(others)}. Deploy that "
            "first, without the machine, or take the deployment's environment."
        )
