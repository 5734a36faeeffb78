"""The lines of a session's journal, which an operator reads; times are UTC."""

from control.said.book import Book, Sentence
from control.said.ends import Ended

_READ = "Nothing; it is kept for the operator."


class Line(Book):
    """A line of the journal."""

    OPENED = Sentence(
        words="Asked by {by}; until {at} ({limit}).",
        when="A start was granted.",
        do=_READ,
        example={"by": "iphone", "at": "12:00 UTC", "limit": "asked"},
    )
    STOP = Sentence(
        words="Stop asked by {by}.",
        when="A person pressed stop.",
        do=_READ,
        example={"by": "iphone"},
    )
    EXTENDED = Sentence(
        words="Extended by {minutes} minutes by {by}.",
        when="An extend was granted.",
        do=_READ,
        example={"minutes": "30", "by": "iphone"},
    )
    LOCKED = Sentence(
        words="Locked by {by}.",
        when="The lock was set.",
        do=_READ,
        example={"by": "laptop"},
    )
    UNLOCKED = Sentence(
        words="Unlocked by {by}.",
        when="The lock was lifted.",
        do=_READ,
        example={"by": "laptop"},
    )
    START = Sentence(
        words="Start sent, attempt {attempts}.",
        when="Azure is asked to start.",
        do=_READ,
        example={"attempts": 1},
    )
    DEALLOCATE = Sentence(
        words="Deallocate sent, attempt {attempts}.",
        when="Azure is told to switch it off.",
        do=_READ,
        example={"attempts": 1},
    )
    DEALLOCATE_FORCED = Sentence(
        words="Deallocate sent, attempt {attempts}, forced.",
        when="The same, 10 minutes after the stop.",
        do=_READ,
        example={"attempts": 12},
    )
    TAKEN = Sentence(
        words="Azure took the start.", when="Azure accepted a start.", do=_READ
    )
    DEALLOCATE_FAILED = Sentence(
        words="Deallocate failed: {why}",
        when="Azure refused to switch it off; its own words follow.",
        do="Look at the notice that came with it.",
        example={"why": "permission: AuthorizationFailed"},
    )
    START_SUCCEEDED = Sentence(
        words="Azure says that the start succeeded.",
        when="A start has ended.",
        do=_READ,
    )
    START_FAILED = Sentence(
        words="Azure says that the start failed: {code}.",
        when="A start has ended; Azure's code follows.",
        do=_READ,
        example={"code": "AllocationFailed"},
    )
    BILLING = Sentence(
        words="Billing since {at}, at {price} an hour.",
        when="The machine was first read on.",
        do=_READ,
        example={"at": "10:03:20 UTC", "price": "84.80"},
    )
    PHASE = Sentence(
        words="The VM says: {phase}. {detail}",
        when="The boot has come further.",
        do=_READ,
        example={"phase": "weights", "detail": "12 of 64 files"},
    )
    SHORTENED = Sentence(
        words="The budget ends the session earlier, at {at}.",
        when="Less is left of the budget than was thought.",
        do=_READ,
        example={"at": "11:40 UTC"},
    )
    RELEASED = Sentence(
        words="{why}: {reason}",
        when="The session begins to end, or has ended.",
        do=_READ,
        example={"why": "idle", "reason": Ended.IDLE.say()},
    )
