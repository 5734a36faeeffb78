"""Every error that crosses a module edge of the control plane.

ControlError
 +- SettingsError            missing or bad settings, all of them at once
 +- CommandError             a command could not be done; the sentence says why
 +- LedgerError
 |   +- LedgerUnavailable    no answer, or one that proves nothing (a write may be in)
 |   |   +- TableMissing     the table is not there
 |   +- LedgerConflict       somebody else wrote first: read again and decide again
 |   +- LedgerUnreadable     a lease or total row that cannot be understood
 +- AzureError               ARM, Key Vault, budgets or prices refused or failed
     +- Retryable            trying again may help
     |   +- Conflict  Throttled  Preempted  Unavailable
     +- Final                trying again as we are cannot help
         +- Capacity  Quota  Permission  SkuRefused  Disabled  ScopeLocked
         +- NotFound  Failed

Capacity is final for the call that met it; the decision table asks again by its own
clock. `AzureError.fault` is what the table reckons with.
"""

from dataclasses import dataclass
from typing import ClassVar

from control.said.book import counted
from control.words import Fault


class ControlError(Exception):
    """The base: never raised itself."""


class SettingsError(ControlError):
    """Names every missing or bad setting at once, a line each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        count = counted(len(problems), "setting")
        lines = (f"{count} missing or wrong:", *problems)
        super().__init__("\n- ".join(lines))
        self.problems = problems


class CommandError(ControlError):
    """A command of the operator's could not be done."""


class LedgerError(ControlError):
    """The ledger could not be used."""


class LedgerUnavailable(LedgerError):
    """No answer, or one that proves nothing; a write may have been made."""


class TableMissing(LedgerUnavailable):
    """The ledger's table does not exist (yet)."""


class LedgerConflict(LedgerError):
    """The row changed, or was made, since it was read; nothing was written."""


class LedgerUnreadable(LedgerError):
    """A row whose loss would loosen a limit cannot be understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What Azure answered: kept for the journal, never shown whole to a phone."""

    status: int | None = None
    code: str | None = None
    message: str = ""
    retry_after: float | None = None


class AzureError(ControlError):
    """Azure refused or failed a call; `evidence` has its own words."""

    fault: ClassVar[Fault] = Fault.OTHER

    def __init__(self, evidence: Evidence) -> None:
        said = evidence.code or (f"HTTP {evidence.status}" if evidence.status else "")
        super().__init__(f"{self.fault}: {said or 'no answer'} {evidence.message}")
        self.evidence = evidence


class Retryable(AzureError):
    """Trying again may help."""


class Conflict(Retryable):
    """Another operation is under way on the machine."""

    fault = Fault.CONFLICT


class Throttled(Retryable):
    """Azure asks to wait; `evidence.retry_after` says how many seconds."""

    fault = Fault.THROTTLED


class Preempted(Retryable):
    """A newer operation took our operation's place."""

    fault = Fault.PREEMPTED


class Unavailable(Retryable):
    """No answer, or an answer that proves nothing."""

    fault = Fault.UNAVAILABLE


class Final(AzureError):
    """Trying again as we are cannot help."""


class Capacity(Final):
    """Azure has no such machine free."""

    fault = Fault.CAPACITY


class Quota(Final):
    """The subscription may not have so many cores."""

    fault = Fault.QUOTA


class Permission(Final):
    """The identity may not do this."""

    fault = Fault.PERMISSION


class SkuRefused(Final):
    """The size is not offered to this subscription here."""

    fault = Fault.SKU


class Disabled(Final):
    """The subscription is disabled and read-only."""

    fault = Fault.DISABLED


class ScopeLocked(Final):
    """A lock on the resource forbids the call."""

    fault = Fault.SCOPE_LOCK


class NotFound(Final):
    """404 `ResourceNotFound`: the thing is not there."""

    fault = Fault.NOT_FOUND


class Failed(Final):
    """Anything else that Azure says failed."""


BY_FAULT: dict[Fault, type[AzureError]] = {
    kind.fault: kind
    for kind in (
        Conflict,
        Throttled,
        Preempted,
        Unavailable,
        Capacity,
        Quota,
        Permission,
        SkuRefused,
        Disabled,
        ScopeLocked,
        NotFound,
        Failed,
    )
}
