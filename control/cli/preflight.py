"""The command that looks at a subscription before a deployment; it changes nothing."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

import typer

from control.cli.arm import resources
from control.cli.console import environment, not_done, note, told
from control.clock import SystemClock
from control.deployment.preflight import (
    BUDGETS,
    PROVIDERS,
    Meant,
    budget_name,
    faults,
    hints,
)
from control.errors import CommandError
from control.payload.given import Given
from control.payload.site import ARM

if TYPE_CHECKING:
    from control.azure.subscription import Subscription

_PREFIX = re.compile("[a-z][a-z0-9]{1,6}")
_WORDS = {
    "authorizationfailed": "Your login needs the role Reader there.",
    "400": "An offer without budgets, or a subscription that is younger than two days, "
    "is deployed with NO_BUDGETS_BECAUSE='...'.",
}


def preflight() -> None:
    """Look for what would stop a deployment half-way, and say what to do first."""
    with told():
        environ = environment()
        meant = _meant(environ)
        subscription = _subscription(environ)
        names = tuple(budget_name(meant.prefix, word) for word in BUDGETS)
        seen = subscription.seen(names if meant.budgets_from else ())
    found = faults(seen, meant, SystemClock().now().date())
    if found:
        raise not_done("\n- ".join(["before a deployment:", *found]))
    for hint in hints(seen):
        note(hint)
    typer.echo(
        f"{len(PROVIDERS)} providers are registered, no deleted vault has a name that "
        "is needed, and the budgets begin when they may."
    )


def prefix_of(environ: Mapping[str, str]) -> str:
    """Return what all names of the deployment begin with."""
    prefix = environ.get("SWITCH_PREFIX") or "kimi"
    if not _PREFIX.fullmatch(prefix):
        raise CommandError(
            "SWITCH_PREFIX is not two to seven small letters and digits, with a letter "
            "in front: storage accounts take no others."
        )
    return prefix


def _meant(environ: Mapping[str, str]) -> Meant:
    """Return what is meant, with the defaults of infra/main.bicepparam."""
    start, expires = _period(environ)
    return Meant(
        prefix=prefix_of(environ),
        budgets_from=start,
        expires=expires,
        machines=tuple(_machines(environ)),
        makes=environ.get("CREATE_MACHINE") or "",
        shutdown_at=environ.get("AUTO_SHUTDOWN_AT") or "12:00",
    )


def _period(environ: Mapping[str, str]) -> tuple[date | None, date | None]:
    """Return the budgets' first day and the credit's last; none without budgets."""
    if environ.get("NO_BUDGETS_BECAUSE"):
        return None, None
    said = environ.get("BUDGETS_FROM") or environ.get("BUDGET_FROM") or ""
    try:
        start = date.fromisoformat(said)
        return start, date.fromisoformat(environ.get("CREDIT_EXPIRES") or "")
    except ValueError:
        raise CommandError(
            "the environment lacks BUDGETS_FROM (or BUDGET_FROM) or CREDIT_EXPIRES, "
            "days like 2026-12-01; or NO_BUDGETS_BECAUSE, where the offer has none."
        ) from None


def _machines(environ: Mapping[str, str]) -> Iterator[str]:
    where = environ.get("MACHINE_LOCATION") or "eastus2"
    yield f"{environ.get('MACHINE_NAME') or 'vm-kimi-01'}-{where}"
    if second := environ.get("SECOND_MACHINE_NAME"):
        yield f"{second}-{where}"


def _subscription(environ: Mapping[str, str]) -> "Subscription":
    given = Given(environ)
    identity = given.guid("AZURE_SUBSCRIPTION_ID")
    endpoint = given.address("ARM_ENDPOINT", ARM)
    given.check("README.md")
    from control.azure.subscription import (  # noqa: PLC0415 - slow: the SDKs
        Subscription,
    )

    return Subscription(resources(endpoint, _WORDS), identity)
