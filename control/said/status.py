"""What a status says: one line for a machine, the first word carries it."""

from collections.abc import Mapping
from types import MappingProxyType

from control.said.book import Book, Sentence
from control.said.ends import Ended

_WAIT = "Wait, or press stop."


class Status(Book):
    """The line of a state."""

    STOPPED_BUT_BILLING = Sentence(
        words="Shut down but still billed. It is being switched off for good.",
        when="The machine was shut down from inside, which does not end the bill.",
        do="Look again in a minute; next time press stop.",
    )
    STOPPING = Sentence(
        words="Stopping. It is billed until Azure says that it is off.",
        when="From a stop, or the end of the time, until Azure says that it is off.",
        do="Look again in a minute.",
    )
    WAITING = Sentence(
        words="Waiting for a free machine in Azure. Nothing is billed, and asking goes "
        "on until {until}.",
        when="Azure has no such machine free and is asked again.",
        do="Wait, or press stop, or start another machine.",
    )
    READY = Sentence(
        words="On. {left} left, {cost} so far.",
        when="The model answers.",
        do="Use it. Extend, or press stop when you are done.",
    )
    LOADING = Sentence(
        words="Loading. {stage}. {left} left, {cost} so far.",
        when="The machine is on and says how far its boot has come.",
        do=_WAIT,
    )
    BROKEN = Sentence(
        words="Broken. The machine says that the model does not work. {left} left, "
        "{cost} so far.",
        when="The machine says so; after 10 minutes it is switched off, but for a "
        "set-up session.",
        do="Press stop, and tell the operator.",
    )
    SILENT = Sentence(
        words="Silent. The machine has not reported for more than 3 minutes. {left} "
        "left, {cost} so far.",
        when="It is on and had reported before.",
        do="Look again in a minute; press stop if you do not need it.",
    )
    STARTING = Sentence(
        words="Starting, asked at {asked}. It takes longer than usual. {left} left, "
        "{cost} so far.",
        when="No word from the machine yet, and `EXPECTED_READY_MINUTES` are over.",
        do="Wait; it is given up after `READY_DEADLINE_MINUTES`. Or press stop.",
    )
    STARTING_UNSENT = Sentence(
        words="Starting, asked at {asked}. Azure has not taken it yet; the switch goes "
        "on asking.",
        when="Azure has not taken a start yet.",
        do=_WAIT,
    )
    STARTING_USUALLY = Sentence(
        words="Starting, asked at {asked}. Usually ready at {usually}.",
        when="Azure was asked to start it.",
        do=_WAIT,
    )
    FOUND = Sentence(
        words="On, but the model has not reported yet. {left} left, {cost} so far.",
        when="It was found on without a session, and has one now.",
        do="Wait, or press stop if nobody needs it.",
    )
    FOREIGN = Sentence(
        words="On, but another switch ({tag}) controls it. This one only looks.",
        when="The machine's tag `controlled-by` names another control plane.",
        do="Use that one. Stop works here too.",
    )
    UNRECORDED = Sentence(
        words="On and billed. The record of costs, the ledger, cannot be read. Stop "
        "still works.",
        when="The ledger does not answer.",
        do="Press stop if you do not need it; else look again in a minute.",
    )
    UNMANAGED = Sentence(
        words="On and billed, without a session. The switch takes it over within a "
        "minute.",
        when="Somebody switched it on outside.",
        do="Look again in a minute.",
    )
    UNKNOWN = Sentence(
        words="Unknown. Azure does not say how it is; look again in a minute.",
        when="Azure does not answer.",
        do="Look again in a minute. Stop works all the same.",
    )
    LOCKED = Sentence(
        words="Off and locked. An operator has to unlock it first.",
        when="The lock is set.",
        do="Ask the operator.",
    )
    OFF_UNVERIFIED = Sentence(
        words="Off. The record of costs, the ledger, cannot be read: nothing starts.",
        when="The ledger does not answer, or was never set up.",
        do="Look again in a minute; if it stays so, the operator looks at the ledger.",
    )
    OFF_REFUSED = Sentence(
        words="Off. A start would be refused: {why}.",
        when="Off, and a start would get the problem whose title is named.",
        do="As for that problem.",
    )
    OFF = Sentence(
        words="Off. A start now lasts {lasts} and costs at most {cost}.",
        when="Off, no machine time is billed.",
        do="Start when you need it.",
    )


class Aside(Book):
    """What is added to a line."""

    SINCE = Sentence(
        words="Off since {at}. {ended}",
        when="In the place of `Off.`, for 12 hours after a session: why it ended.",
        do="As for that end.",
        example={"at": "10:40", "ended": Ended.IDLE.say()},
    )
    RESTARTING = Sentence(
        words=" The machine is restarting.",
        when="The model was ready before, and its boot has begun anew.",
        do="Wait; session, cost and end stay as they are.",
    )
    NO_ANSWER = Sentence(
        words=" Azure does not answer at the moment.",
        when="The last reading of Azure failed.",
        do="Look again in a minute.",
    )
    OPERATION_FAILED = Sentence(
        words=" Azure says that its last work on the machine failed.",
        when="Azure shows a failed operation while the machine is on.",
        do="Wait; if the model does not come, press stop and start again.",
    )
    PERCENT = Sentence(
        words=", {percent} percent",
        when="Behind the step of a boot that says how far it is.",
        do="Wait.",
        example={"percent": 62},
    )
    UNDER_A_MINUTE = Sentence(
        words="less than a minute",
        when="In the place of a span that is shorter.",
        do="Hurry: extend now, or it ends.",
    )
    ON_DAY = Sentence(
        words="{at} on {day}",
        when="A time of day that is not today's.",
        do="Nothing.",
        example={"at": "02:00", "day": "Tuesday"},
    )
    CROSSING = Sentence(
        words=" Azure itself switches it off at {at}.",
        when="Azure's daily auto-shutdown comes before the end.",
        do="Be done by then, or start again.",
        example={"at": "13:00"},
    )


# By the word that stands as `problem` in the JSON of a status.
TROUBLES: Mapping[str, Book] = MappingProxyType(
    {
        "azure-unavailable": Aside.NO_ANSWER,
        "broken": Status.BROKEN,
        "ledger-unverified": Status.UNRECORDED,
        "provisioning-failed": Aside.OPERATION_FAILED,
        "restarting": Aside.RESTARTING,
        "stale": Status.SILENT,
    }
)
