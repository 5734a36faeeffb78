"""The command that looks at a subscription before a deployment; it changes nothing."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

import typer

from control.cli.console import environment, not_done, told
from control.clock import SystemClock
from control.errors import CommandError
from control.payload.given import Given
from control.payload.site import ARM
from control.preflight import PROVIDERS, Meant, faults

if TYPE_CHECKING:
    from control.azure.subscription import Subscription

_WORDS = {
    "authorizationfailed": "Your login needs the role Reader there.",
    "400": "An offer without budgets is deployed with NO_BUDGETS_BECAUSE='...'.",
}


def preflight() -> None:
    """Look for what would stop a deployment half-way, and say what to do first."""
    with told():
        environ = environment()
        meant = _meant(environ)
        subscription = _subscription(environ)
        names = (f"{meant.prefix}-credit", f"{meant.prefix}-monthly")
        seen = subscription.seen(names if meant.budgets_from else ())
    found = faults(seen, meant, SystemClock().now().date())
    if found:
        raise not_done("\n- ".join(["before a deployment:", *found]))
    typer.echo(
        f"{len(PROVIDERS)} providers are registered, no deleted vault has a name that "
        "is needed, and the budgets begin when they may."
    )


def _meant(environ: Mapping[str, str]) -> Meant:
    prefix = environ.get("SWITCH_PREFIX") or "kimi"
    if environ.get("NO_BUDGETS_BECAUSE"):
        return Meant(prefix=prefix, budgets_from=None)
    said = environ.get("BUDGETS_FROM") or environ.get("BUDGET_FROM") or ""
    try:
        return Meant(prefix=prefix, budgets_from=date.fromisoformat(said))
    except ValueError:
        raise CommandError(
            "the environment lacks BUDGETS_FROM (or BUDGET_FROM), a day like "
            "2026-12-01; or NO_BUDGETS_BECAUSE, where the offer has none."
        ) from None


def _subscription(environ: Mapping[str, str]) -> "Subscription":
    given = Given(environ)
    identity = given.guid("AZURE_SUBSCRIPTION_ID")
    endpoint = given.address("ARM_ENDPOINT", ARM)
    given.check("README.md")
    from control.azure.credential import persons_login  # noqa: PLC0415 - slow: the SDKs
    from control.azure.resources import Resources  # noqa: PLC0415 - the same
    from control.azure.subscription import Subscription  # noqa: PLC0415 - the same

    resources = Resources(
        credential=persons_login(),
        endpoint=endpoint,
        clock=SystemClock(),
        words=_WORDS,
    )
    return Subscription(resources, identity)
