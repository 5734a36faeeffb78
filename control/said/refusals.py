"""Why the switch does not do what a person asks: details of problems, by slug."""

from datetime import UTC, datetime

from control.said.book import Book, Sentence, lowered
from control.said.ends import Cause

_AT = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
_LOOK = "Look at the status, then try again."


class Rule(Book):
    """Which limit an extend would pass; the names are those of `Limit`."""

    ASKED = Sentence(
        words="that is what was asked for", when="The asked time.", do="Ask for less."
    )
    MAX_RUNTIME = Sentence(
        words="that is the longest time a session may run",
        when="`MAX_RUNTIME_HOURS`, or what the machine itself allows.",
        do="Start anew afterwards.",
    )
    DEVICE = Sentence(
        words="that is the longest time this device may ask for",
        when="The device's `max_hours`.",
        do="Extend with another device.",
    )
    BUDGET = Sentence(
        words="then the budget is spent",
        when="What is left of the budget.",
        do="The owner raises the budget.",
    )
    BUDGET_PERIOD = Sentence(
        words="then the budget's period is over",
        when="`BUDGET_TO`.",
        do="The owner sets a new period.",
    )


class Refused(Book):
    """A start or an extend that is not granted."""

    STOPPING = Sentence(
        slug="stopping",
        words="Not started: the machine is being switched off. Try again in a minute.",
        when="A start while the machine is being switched off.",
        do="Wait until the status says that it is off, then start.",
    )
    LOCKED = Sentence(
        slug="locked",
        words="Not started: an operator locked this machine and has to unlock it.",
        when="A start while the lock is set.",
        do="Ask the operator.",
    )
    OTHER_SWITCH = Sentence(
        slug="other-controller",
        words="Not started: another switch ({tag}) controls this machine. Start it "
        "there.",
        when="The machine's tag `controlled-by` names another control plane.",
        do="Start it there, or let the operator change the tag.",
        example={"tag": "switch-two"},
    )
    GONE = Sentence(
        slug="no-machine",
        words="Not started: Azure does not know this machine any more. The operator "
        "has to look for it in the Azure portal.",
        when="Azure has not found the machine for three minutes.",
        do="The operator looks for it: it was deleted, moved or renamed.",
    )
    UNKNOWN = Sentence(
        slug="azure-unavailable",
        words="Not started: Azure does not say how the machine is. Try again soon.",
        when="A start while Azure does not answer.",
        do="Try again in a minute.",
    )
    FAILED = Sentence(
        slug="start-failed",
        words="Not started: {reason}",
        when="Azure refused the start, and waiting would not mend it.",
        do="What the owner can do stands in the sentence.",
        example={"reason": lowered(Cause.QUOTA.say())},
    )
    OUTSIDE_PERIOD = Sentence(
        slug="budget-period-over",
        words="Not started: the budget runs from {start} to {end}, and today lies "
        "outside.",
        when="Today is not in [`BUDGET_FROM`, `BUDGET_TO`).",
        do="The owner sets a new period.",
        example={"start": "1 November 2026", "end": "1 February 2027"},
    )
    PERIOD_TOO_SHORT = Sentence(
        slug="budget-period-over",
        words="Not started: the budget's period ends too soon for a start.",
        when="Less than `EXPECTED_READY_MINUTES` and 15 minutes are left of it.",
        do="Start when the new period has begun, or the owner sets another.",
    )
    SPENT_UNKNOWN = Sentence(
        slug="ledger-unverified",
        words="Not started: the record of costs, the ledger, cannot say what has been "
        "spent. Try again in a minute. Stop still works.",
        when="A start while the ledger cannot be read, or was never set up.",
        do="Try again; if it stays so, the operator runs `python -m control ledger "
        "init`.",
    )
    TOO_LITTLE_LEFT = Sentence(
        slug="budget-exhausted",
        words="Not started: {left} {currency} are left of the budget, too little for a "
        "start. The owner has to raise it.",
        when="The budget does not pay for `EXPECTED_READY_MINUTES` and 15 minutes.",
        do="The owner raises the budget.",
        example={"left": "63.46", "currency": "USD"},
    )
    TOO_LITTLE_BY_BOTH = Sentence(
        slug="budget-exhausted",
        words="Not started: {left} {currency} are left of the budget, too little for a "
        "start. The switch reckons {spent} spent, and Azure reports {reported}; the "
        "higher counts. The owner has to raise it.",
        when="The same, where Azure has told its own figure.",
        do="The owner raises the budget.",
        example={
            "left": "12.00",
            "currency": "USD",
            "spent": "4488.00",
            "reported": "4350.10",
        },
    )
    TOO_MANY_STARTS = Sentence(
        slug="too-many-starts",
        words="Not started: {count} in the last hour, and {most} are allowed. Try "
        "again later.",
        when="`MAX_STARTS_PER_HOUR` sessions were started within 60 minutes.",
        do="Wait; each start costs at least five minutes.",
        example={"count": "6 starts", "most": 6},
    )
    NOT_RUNNING = Sentence(
        slug="not-running",
        words="Not extended: the machine is not running. Start it instead.",
        when="An extend without a session, or while it is being switched off.",
        do="Start it.",
    )
    NOT_EXTENDED_UNKNOWN = Sentence(
        slug="ledger-unverified",
        words="Not extended: the record of costs, the ledger, cannot say what has been "
        "spent. Try again in a minute.",
        when="An extend while the ledger cannot be read.",
        do=_LOOK,
    )
    BEYOND = Sentence(
        slug="beyond-limit",
        words="Not extended: it may run until {at} at most; {rule}.",
        when="An extend past the furthest deadline.",
        do="Ask for fewer minutes.",
        example={"at": _AT, "rule": Rule.MAX_RUNTIME.say()},
    )
    NOT_CONFIRMED = Sentence(
        slug="ledger-unverified",
        words="Not confirmed: the record of costs, the ledger, does not answer. Look "
        "at the status before you press again; stop still works.",
        when="A start, extend or lock lost the ledger on its way; it may have been "
        "done.",
        do=_LOOK,
    )
