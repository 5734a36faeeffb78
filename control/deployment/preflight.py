"""What must be right in a subscription before a deployment: pure.

Azure would say so itself, after half of a deployment was made; some of it can never be
changed afterwards.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

# What the templates use, and what the machine's size counts against.
PROVIDERS = (
    *("Microsoft.App", "Microsoft.AlertsManagement", "Microsoft.Compute"),
    *("Microsoft.Consumption", "Microsoft.CostManagement", "Microsoft.DevTestLab"),
    *("Microsoft.Insights", "Microsoft.KeyVault", "Microsoft.ManagedIdentity"),
    *("Microsoft.Network", "Microsoft.OperationalInsights", "Microsoft.Storage"),
    "Microsoft.Web",
)
_REGISTERED = "registered"
_MACHINE = re.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}[A-Za-z0-9]")
_TIME = re.compile("([01][0-9]|2[0-3]):[0-5][0-9]")
_SECURITY = (
    "Should Azure refuse the machine's security type: `az feature register --name "
    "UseStandardSecurityType --namespace Microsoft.Compute`, or "
    "MACHINE_SECURITY_TYPE=TrustedLaunch."
)
VAULTS = ("kva-", "kvm-")
# The two budgets by what their names end with, and what each counts.
BUDGETS = {"credit": "Annually", "monthly": "Monthly"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """A vault that was deleted and still has its name."""

    name: str
    region: str
    purged_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the subscription says: `budget_starts` by a budget's name."""

    providers: Mapping[str, str]
    deleted: Sequence[Deleted]
    budget_starts: Mapping[str, date]
    standard_security: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What the environment says; `budgets_from` is None where there are no budgets."""

    prefix: str
    budgets_from: date | None
    expires: date | None = None
    machines: Sequence[str] = ()
    shutdown_at: str = "12:00"
    makes: str = ""


def vault_names(prefix: str) -> re.Pattern[str]:
    """Return what the names of a deployment's vaults are like, and no other's."""
    return re.compile(f"({'|'.join(VAULTS)}){prefix}[a-z0-9]{{13}}")


def budget_name(prefix: str, word: str) -> str:
    """Return the name of one of the two budgets."""
    return f"{prefix}-{word}"


def hints(seen: Seen) -> list[str]:
    """Say what may be needed, and nobody knows for sure: sources differ."""
    return [] if seen.standard_security else [_SECURITY]


def faults(seen: Seen, meant: Meant, today: date) -> list[str]:
    """Say what must be done first; a sentence each, with the command."""
    return [
        *_unregistered(seen.providers),
        *_deleted(seen.deleted, meant.prefix),
        *_budgets(seen.budget_starts, meant.budgets_from, today),
        *_expired(meant.expires, today),
        *_malformed(meant),
    ]


def _malformed(meant: Meant) -> Iterable[str]:
    """Say what Azure refuses after half of a deployment, or understands otherwise."""
    for name in meant.machines:
        if not _MACHINE.fullmatch(name):
            yield (
                f"{name} is no machine's name: at most 64 letters, digits and dashes, "
                "the region's with them."
            )
    if meant.makes:
        yield (
            "CREATE_MACHINE is set: such a deployment makes a machine that bills, and "
            "nobody watches. `python -m control vm create` alone makes one: unset it."
        )
    if not _TIME.fullmatch(meant.shutdown_at):
        yield f"AUTO_SHUTDOWN_AT is {meant.shutdown_at}, not a time like 12:00, UTC."


def _expired(expires: date | None, today: date) -> Iterable[str]:
    if expires is not None and expires <= today:
        yield f"the credit expired on {expires}: Azure takes no budget that is over."


def _unregistered(states: Mapping[str, str]) -> Iterable[str]:
    lacking = [
        name for name in PROVIDERS if states.get(name, "").lower() != _REGISTERED
    ]
    if lacking:
        commands = "; ".join(
            f"az provider register --namespace {each}" for each in lacking
        )
        yield f"{len(lacking)} resource providers are not registered: {commands}."


def _deleted(vaults: Sequence[Deleted], prefix: str) -> Iterable[str]:
    """Ask a person: what comes back brings its old tokens with it, enabled."""
    for each in vaults:
        if any(each.name.startswith(f"{kind}{prefix}") for kind in VAULTS):
            name = each.name
            yield (
                f"the deleted vault {name} still has its name, until {each.purged_at}: "
                f"`az keyvault purge --name {name} --location {each.region}`; or `az "
                f"keyvault recover --name {name}`, then `python -m control devices` "
                "and `revoke`, for its old tokens are enabled again."
            )


def _budgets(
    starts: Mapping[str, date], meant: date | None, today: date
) -> Iterable[str]:
    """Compare the one day that can never be changed."""
    if meant is None:
        return
    for name, start in starts.items():
        if start != meant:
            yield (
                f"the budget {name} is there, from {start}, which can't be changed: "
                f"export BUDGETS_FROM={start}."
            )
    first = today.replace(day=1)
    if not starts and meant < first:
        yield (
            f"a new budget can't begin before this month: export BUDGETS_FROM={first}."
        )
    if len(set(starts.values())) > 1:
        yield (
            "the two budgets begin on different days: delete one of them (`az "
            "consumption budget delete`)."
        )
