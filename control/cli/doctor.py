"""The command that looks over a whole deployment; it changes nothing."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

from control.cli.access import Access, reached
from control.cli.admin import Window
from control.cli.arm import resources
from control.cli.console import environment, not_done, told
from control.cli.making import deallocators, machine
from control.cli.place import WHERE, Place, Weights
from control.cli.preflight import prefix_of
from control.cli.remote import Remote
from control.cli.secrets import looked_through
from control.cli.site import site_of, wanted
from control.deployment import ssh_window
from control.deployment.keyring import State
from control.deployment.preflight import BUDGETS, budget_name
from control.errors import ControlError
from control.payload.given import Given
from control.roles import BLOB_DATA_CONTRIBUTOR

if TYPE_CHECKING:
    from control.azure.resources import Resources
    from control.azure.site import Site

_RULES, _METRICS, _SCHEDULES = "2023-12-01", "2018-03-01", "2018-09-15"
_BUDGETS = "2023-05-01"
_MOST_PAGES = 10
ALARMS = 5


@dataclass(frozen=True, kw_only=True)
class Patient:
    """What is looked over."""

    access: Access
    remote: Remote
    arm: "Resources"
    place: Place
    site: "Site"
    principal: str

    @cached_property
    def has_machine(self) -> bool:
        """Whether the machine was made yet."""
        return machine(self.arm, self.place) is not None

    @property
    def group(self) -> str:
        return (
            f"/subscriptions/{self.place.subscription}/resourceGroups/"
            f"{self.place.group}"
        )


type Look = Callable[[Patient], Iterator[str]]


def doctor() -> None:
    """Look over all that would end a machine, and all that would tell of one."""
    with told(), reached(environment()) as (access, remote):
        given = Given(environment())
        place = Place.take(given)
        principal = given.guid("MACHINE_PRINCIPAL_ID")
        given.check(WHERE)
        patient = Patient(
            access=access,
            remote=remote,
            arm=resources(place.endpoint, {}),
            place=place,
            site=site_of(),
            principal=principal,
        )
        looks = (_said(words, look, patient) for words, look in LOOKS.items())
        ill = [fault for faults in looks for fault in faults]
    if ill:
        raise not_done("\n- ".join(["this is wrong:", *ill]))


def _said(words: str, look: Look, patient: Patient) -> list[str]:
    """Say what was looked at, and how it is; what can't be looked at is wrong."""
    try:
        faults = list(look(patient))
    except ControlError as why:
        faults = [f"{words} can't be looked at: {why}"]
    typer.echo(f"{'wrong' if faults else 'good '}  {words}")
    return faults


def _timer(patient: Patient) -> Iterator[str]:
    if not patient.remote.ticks():
        yield "the timer has not ticked for three minutes: only calls enforce now."


def _functions(patient: Patient) -> Iterator[str]:
    missing = sorted(wanted() - patient.site.functions())
    if missing:
        yield f"the app is without {', '.join(missing)}: publish it again."


def _machines(patient: Patient) -> Iterator[str]:
    token = patient.access.operators_token()
    for name in patient.remote.status(token)["fleet"]:
        said = patient.remote.status(token, name)
        if said["state"] in {"unmanaged", "stopped_but_billing"}:
            yield f"{name} is {said['state']}: it bills. {said['summary']}"


def _secrets(_: Patient) -> Iterator[str]:
    for name, state in looked_through(environment()):
        if state is not State.THERE:
            yield f"the secret {name} {state.value}: `python -m control secrets init`."


def _window(_: Patient) -> Iterator[str]:
    rule = Window.given().rule()
    if not ssh_window.is_shut(rule):
        who = rule.get("sourceAddressPrefix")
        yield f"SSH is open for {who}: `python -m control admin close`."


def _rights(patient: Patient) -> Iterator[str]:
    if not patient.has_machine:
        return
    ours = patient.site, patient.place, patient.principal
    for words in deallocators(patient.arm, *ours):
        yield f"there lacks {words}: `python -m control vm create` makes it anew."


def _alarms(patient: Patient) -> Iterator[str]:
    at = f"{patient.group}/providers/Microsoft.Insights"
    rules = [
        *patient.arm.pages(f"{at}/scheduledQueryRules", _RULES, _MOST_PAGES),
        *patient.arm.pages(f"{at}/metricAlerts", _METRICS, _MOST_PAGES),
    ]
    if len(rules) < ALARMS:
        yield f"there are {len(rules)} of {ALARMS} alarms: deploy again."
    for each in rules:
        if not (each.get("properties") or {}).get("enabled"):
            yield f"the alarm {each.get('name')} is switched off."


def _shutdown(patient: Patient) -> Iterator[str]:
    if not patient.has_machine:
        return
    name = f"shutdown-computevm-{patient.place.machine}"
    path = f"{patient.group}/providers/Microsoft.DevTestLab/schedules/{name}"
    found = patient.arm.read(path, _SCHEDULES)
    said: Any = (found or {}).get("properties") or {}
    wanted_at = _shutdown_at(patient.site.settings(), patient.place.machine)
    at = (said.get("dailyRecurrence") or {}).get("time")
    if said.get("status") != "Enabled" or at != f"{wanted_at:%H%M}":
        yield (
            f"Azure's own shutdown of {patient.place.machine} is not on at "
            f"{wanted_at:%H:%M} UTC: `python -m control vm create` makes it anew."
        )


def _shutdown_at(settings: Any, machine: str) -> time:
    """Return when the app believes that Azure shuts the machine down."""
    named = json.loads(settings.get("MACHINES") or "[]")
    own = [e.get("auto_shutdown_at") for e in named if e.get("name") == machine]
    return time.fromisoformat(next(filter(None, own), settings["AUTO_SHUTDOWN_AT"]))


def _budgets(patient: Patient) -> Iterator[str]:
    if environment().get("NO_BUDGETS_BECAUSE"):
        return
    at = f"/subscriptions/{patient.place.subscription}/providers/Microsoft.Consumption"
    for word, grain in BUDGETS.items():
        name = budget_name(prefix_of(environment()), word)
        found = patient.arm.read(f"{at}/budgets/{name}", _BUDGETS)
        if found is None:
            yield f"there is no budget {name}: deploy again."
        elif (found.get("properties") or {}).get("timeGrain") != grain:
            yield f"the budget {name} is not {grain.lower()}: delete it, deploy again."


def _weights(_: Patient) -> Iterator[str]:
    given = Given(environment())
    weights = Weights.take(given)
    given.check()
    from control.azure.assignments import Assignments  # noqa: PLC0415 - slow: the SDKs
    from control.azure.credential import persons_login  # noqa: PLC0415 - the same

    assignments = Assignments(
        credential=persons_login(),
        endpoint=weights.endpoint,
        subscription=weights.subscription,
    )
    if assignments.found(weights.scope, weights.principal, BLOB_DATA_CONTRIBUTOR):
        yield "the machine may write the weights: `python -m control weights seal`."


LOOKS: dict[str, Look] = {
    "the timer": _timer,
    "the functions": _functions,
    "the machines": _machines,
    "the secrets of both vaults": _secrets,
    "the SSH window": _window,
    "who may deallocate": _rights,
    "the alarms": _alarms,
    "Azure's own shutdown": _shutdown,
    "Azure's budgets": _budgets,
    "the weights' seal": _weights,
}
