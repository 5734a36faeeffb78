"""What the owner is told without asking: one notice each, by its event."""

from collections.abc import Mapping
from types import MappingProxyType

from control.said.book import Book, Sentence
from control.said.ends import Ended
from control.said.reasons import Reason

_STOP_THERE = "Stop the machine in the Azure portal."

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "ended": "session ended",
        "adopted": "found on",
        "warning": "ends soon",
        "alarm": "may still bill",
        "unknown": "Azure is silent",
    }
)


class Notice(Book):
    """A notice; `slug` is its event, which has a title."""

    ENDED = Sentence(
        slug="ended",
        words="{reason} It cost {cost} {currency}.",
        when="A session has ended and is in the ledger.",
        do="Nothing; start again if you need it.",
        example={
            "reason": Ended.IDLE.say(),
            "cost": "42.40",
            "currency": "USD",
        },
    )
    ADOPTED = Sentence(
        slug="adopted",
        words="{reason}",
        when="A machine was on without a session of this switch.",
        do="Press stop if nobody needs it.",
        example={
            "reason": Reason.FOUND_ON.say(power="running", by=Reason.OUTSIDE.say())
        },
    )
    ENDS_SOON = Sentence(
        slug="warning",
        words="The session ends in {left}. Extend it if you need longer.",
        when="15 and 5 minutes before the end, once each.",
        do="Extend, or finish your work.",
        example={"left": "15 minutes"},
    )
    STILL_ON = Sentence(
        slug="alarm",
        words="{machine} was told to stop {ago} ago, and Azure says that it is "
        "{power}. It may still bill. If this goes on, stop it in the Azure "
        "portal.",
        when="3 minutes after a stop, then each minute until it is off.",
        do=_STOP_THERE,
        example={"machine": "vm-kimi-01", "ago": "4 minutes", "power": "running"},
    )
    STILL_UNKNOWN = Sentence(
        slug="alarm",
        words="{machine} was told to stop {ago} ago, and Azure does not say whether it "
        "is off. It may still bill. If this goes on, stop it in the Azure "
        "portal.",
        when="The same, while Azure does not answer.",
        do=_STOP_THERE,
        example={"machine": "vm-kimi-01", "ago": "4 minutes"},
    )
    PERMISSION = Sentence(
        slug="alarm",
        words="{machine} cannot be switched off: Azure does not let the switch do it. "
        "It may still bill. Stop it in the Azure portal now.",
        when="Azure refuses a stop: the switch's identity lacks a role.",
        do=f"{_STOP_THERE} Then give the switch's identity its role again.",
        example={"machine": "vm-kimi-01"},
    )
    NOT_FOUND = Sentence(
        slug="alarm",
        words="{machine} cannot be switched off: Azure does not find it. It may still "
        "bill. Look for it in the Azure portal now.",
        when="Azure refuses a stop: it does not know the machine.",
        do="Look for it in the Azure portal: it was deleted, moved or renamed.",
        example={"machine": "vm-kimi-01"},
    )
    SCOPE_LOCK = Sentence(
        slug="alarm",
        words="{machine} cannot be switched off: a lock in Azure forbids it. It may "
        "still bill. Remove the lock, or stop it in the Azure portal now.",
        when="Azure refuses a stop: a lock stands on the machine or above it.",
        do="Remove the lock in the Azure portal; the switch goes on trying.",
        example={"machine": "vm-kimi-01"},
    )
    REFUSED = Sentence(
        slug="alarm",
        words="{machine} cannot be switched off: Azure refuses it. It may still bill. "
        "Stop it in the Azure portal now.",
        when="Azure refuses a stop for another reason that waiting does not mend.",
        do=_STOP_THERE,
        example={"machine": "vm-kimi-01"},
    )
    SILENT = Sentence(
        slug="unknown",
        words="Azure has not said for 10 minutes whether {machine} is on. Look at it "
        "in the Azure portal.",
        when="Azure has not answered for 10 minutes; once.",
        do="Look at the machine in the Azure portal.",
        example={"machine": "vm-kimi-01"},
    )
