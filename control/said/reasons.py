"""Why the loop decided something: for notices, refused starts, the journal, the log."""

from control.said.book import Book, Sentence, lowered
from control.said.ends import Cause, Ended, Stage

_NOTHING = "Nothing."
_PORTAL = "Look for the machine in the Azure portal."


class Reason(Book):
    """The reason of a decision, where it is no reason for an end or a failed start."""

    GONE = Sentence(
        words="Azure does not know this machine any more.",
        when="Azure has not found it for three minutes: deleted, moved or renamed.",
        do=_PORTAL,
    )
    SWITCHED_ITSELF_OFF = Sentence(
        words="The machine switched itself off. {why}",
        when="The machine ended itself, as it should, and said why.",
        do="Start again if you need it.",
        example={"why": Ended.IDLE.say()},
    )
    NOT_IN_TIME = Sentence(
        words="Azure did not start the machine within {span}.{cause}",
        when="Azure was asked for `CAPACITY_RETRY_MINUTES` and never took the start.",
        do="Start again later.",
        example={"span": "30 minutes", "cause": f" {Cause.THROTTLED.say()}"},
    )
    START = Sentence(
        words="Azure is asked to start the machine.",
        when="A start is sent.",
        do=_NOTHING,
    )
    START_AGAIN = Sentence(
        words="Azure is asked again for a free machine.",
        when="A start is sent again after Azure had none free.",
        do=_NOTHING,
    )
    START_BY_TIMER = Sentence(
        words="The timer asks Azure for the machine.",
        when="A call that may not start leaves it to the timer.",
        do=_NOTHING,
    )
    NONE_FREE_YET = Sentence(
        words="Azure has no such machine free; asking again soon.",
        when="Between two attempts.",
        do=_NOTHING,
    )
    NO_CAPACITY = Sentence(
        words="Azure has no such machine free at the moment.{hint}",
        when="Azure was asked for `CAPACITY_RETRY_MINUTES` and had none.",
        do="Try again later, or start another machine.",
        example={"hint": " Other machines here: vm-kimi-02."},
    )
    OTHER_MACHINES = Sentence(
        words=" Other machines here: {others}.",
        when="Added where the settings name more machines.",
        do="Start one of them.",
        example={"others": "vm-kimi-02"},
    )
    START_FAILED = Sentence(
        words="Azure says that the start failed, so it is told to switch it off.",
        when="Such machines have come on later all the same.",
        do="Start again; if it fails again, look at the machine in the Azure portal.",
    )
    STOPPED_ANSWERING = Sentence(
        words="The model has stopped answering.",
        when="It had been ready, and then was not for `READY_DEADLINE_MINUTES`.",
        do="Start once more; if it happens again, the operator looks at the machine.",
    )
    NEVER_READY = Sentence(
        words="The model did not answer in time.{stage}",
        when="It was not ready within `READY_DEADLINE_MINUTES` of the start.",
        do="Start once more; if it happens again, the operator looks at the machine.",
        example={"stage": " It got as far as: copying the model's weights."},
    )
    GOT_AS_FAR_AS = Sentence(
        words=" It got as far as: {stage}.",
        when="Added where the machine had said how far it was.",
        do=_NOTHING,
        example={"stage": lowered(Stage.WEIGHTS.say())},
    )
    GUEST_SHUTDOWN = Sentence(
        words="The machine was shut down from inside and is still billed, so it is "
        "switched off.",
        when="Somebody shut the system down on the machine itself.",
        do="Nothing. Next time press stop.",
    )
    BROKEN = Sentence(
        words="The model has been broken for 10 minutes. {detail}",
        when="The machine says so; what follows are its own words.",
        do="The operator looks at the machine before the next start.",
        example={"detail": "The model ended with code 1."},
    )
    COULD_NOT_END = Sentence(
        words="The machine could not switch itself off, so the switch does it.",
        when="Azure refused the machine's own request.",
        do="The operator looks at the machine's rights.",
    )
    ANSWERS = Sentence(words="The model answers.", when="It is ready.", do="Use it.")
    WAITING = Sentence(
        words="Waiting: the machine is {power}.",
        when="Nothing is due.",
        do=_NOTHING,
        example={"power": "starting"},
    )
    JUST_CALLED = Sentence(
        words="Azure was called moments ago; the next run looks.",
        when="A reading from before the call decides nothing.",
        do=_NOTHING,
    )
    UNDER_WAY = Sentence(
        words="Off, but a start of ours is still under way.",
        when="A stop came while Azure was still starting it.",
        do=_NOTHING,
    )
    GOING_OFF = Sentence(
        words="Azure is switching the machine off.",
        when="For up to 10 minutes.",
        do=_NOTHING,
    )
    TOLD_TO_STOP = Sentence(
        words="The machine is told to switch off.",
        when="Each minute until Azure says that it is off.",
        do=_NOTHING,
    )
    UNRECORDED = Sentence(
        words="It was found on while being stopped, so it is adopted to be counted.",
        when="A stop came first, and the machine is billed without a session.",
        do=_NOTHING,
    )
    OTHER_SWITCH = Sentence(
        words="Another switch ({tag}) controls this machine.",
        when="The machine's tag `controlled-by` names another one.",
        do="Use that one, or change the tag.",
        example={"tag": "switch-two"},
    )
    AT_REST = Sentence(
        words="No session; the machine is {power}.",
        when="Nothing is to be done.",
        do=_NOTHING,
        example={"power": "deallocated"},
    )
    CAME_LATE = Sentence(
        words="A start that was given up has come late; the machine was adopted and is "
        "switched off.",
        when="Azure carried a start out up to 2 hours late.",
        do="Nothing; start again if you need it.",
    )
    BACK = Sentence(
        words="The machine is back. It was being switched off when it went, so it is "
        "adopted and switched off.",
        when="Azure did not know it for a while.",
        do=_NOTHING,
    )
    FOUND_SHUT_DOWN = Sentence(
        words="The machine was found shut down from inside and still billed; it was "
        "adopted and is switched off.",
        when="It was started and shut down outside this switch.",
        do="Nothing. Next time press stop.",
    )
    FOUND_ON = Sentence(
        words="The machine was found on ({power}), so it was adopted for {by}. The "
        "usual limits hold.",
        when="Somebody switched it on in Azure itself, or the ledger had lost it.",
        do="Press stop if nobody needs it.",
        example={"power": "running", "by": "somebody outside"},
    )
    OUTSIDE = Sentence(
        words="somebody outside",
        when="Named where no device of ours asked.",
        do=_NOTHING,
    )
    BLIND = Sentence(
        words="The ledger cannot be read.",
        when="The switch goes by what Azure says alone.",
        do="Stop still works.",
    )
    BLIND_STOP = Sentence(
        words="Azure was told to stop it; press stop again if it stays on.",
        when="A stop while the ledger cannot be read.",
        do="Press stop again in a minute.",
    )
