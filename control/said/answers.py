"""What is said of what was asked for; the first words carry the outcome."""

from datetime import UTC, datetime

from control.said.book import Book, Sentence

_WAIT = "Wait, and look at the status; press stop if you change your mind."
_AGAIN = "Press stop again in a minute."
_PORTAL = "Stop it in the Azure portal."


class Answer(Book):
    """What came of a request."""

    NO_ANSWER_YET = Sentence(
        words="Asked, but Azure has not answered yet. The switch goes on asking.",
        when="A start that Azure has not taken yet: busy, throttled or silent.",
        do=_WAIT,
    )
    NONE_FREE = Sentence(
        words="Asked, but Azure has no such machine free. Asking goes on until "
        "{until}; nothing is billed.",
        when="A start that Azure has no capacity for.",
        do="Wait, or press stop, or start another machine.",
    )
    STARTING = Sentence(
        words="Starting. It runs until {until}{why} and costs at most {cost}.{more}",
        when="A start that opened a session.",
        do=_WAIT,
    )
    ON_ITS_WAY = Sentence(
        words="Starting. It is on its way.",
        when="The same, when the end is not known yet.",
        do="Look at the status.",
    )
    TAKEN_OVER = Sentence(
        words="On already, and yours now. It runs until {until}{why} and costs at most "
        "{cost}.{more}",
        when="A start that found the machine on without a session.",
        do="Look at the status.",
    )
    ALREADY = Sentence(
        words="Already asked for. {status}",
        when="A start while a session is open; nothing was changed.",
        do="As for the status.",
    )
    ALREADY_OFF = Sentence(
        words="Already off. No machine time is billed.",
        when="A stop of a machine that is off.",
        do="Nothing.",
    )
    OFF_UNRECORDED = Sentence(
        words="Off now, but the record of costs, the ledger, cannot be read: a start "
        "that was asked for may still come. Press stop again in a minute to be sure.",
        when="A stop of a machine that is off while the ledger does not answer.",
        do=_AGAIN,
    )
    NOT_STOPPED = Sentence(
        words="Not stopped: Azure did not take it. Press stop again in a minute, or "
        "stop it in the Azure portal.",
        when="A stop while neither the ledger nor Azure answers.",
        do="Press stop again until it is off, or use the Azure portal.",
    )
    STOPPING_BLIND = Sentence(
        words="Stopping by Azure alone: the record of costs, the ledger, cannot be "
        "read. Press stop again in a minute to be sure.",
        when="A stop while the ledger does not answer; nobody repeats it.",
        do=_AGAIN,
    )
    STOPPING_UNANSWERED = Sentence(
        words="Stopping, but Azure has not answered yet. The switch tells it again "
        "every minute.",
        when="A stop that Azure has not taken yet.",
        do="Look at the status in a minute.",
    )
    STOP_PERMISSION = Sentence(
        words="Not stopped yet: Azure does not let the switch do it, and it may still "
        "bill. Stop it in the Azure portal now. The switch tries again every minute.",
        when="A stop that Azure refuses: the switch's identity lacks a role.",
        do=f"{_PORTAL} Then give the switch's identity its role again.",
    )
    STOP_NOT_FOUND = Sentence(
        words="Not stopped yet: Azure does not find the machine. Look for it in the "
        "Azure portal now. The switch tries again every minute.",
        when="A stop of a machine that Azure does not know.",
        do="Look for it in the Azure portal: it was deleted, moved or renamed.",
    )
    STOP_SCOPE_LOCK = Sentence(
        words="Not stopped yet: a lock in Azure forbids it, and it may still bill. "
        "Remove the lock, or stop it in the Azure portal now. The switch tries again "
        "every minute.",
        when="A stop that Azure refuses: a lock stands on the machine or above it.",
        do="Remove the lock in the Azure portal; the switch goes on trying.",
    )
    STOP_DISABLED = Sentence(
        words="Not stopped yet: the Azure subscription is disabled, and Azure takes no "
        "orders. Look at it in the Azure portal. The switch tries again every minute.",
        when="A stop while the subscription is disabled or read-only.",
        do="The owner looks at the subscription in the Azure portal.",
    )
    STOPPING_TOLD = Sentence(
        words="Stopping. Azure was told at {at}. It is billed until it is off.",
        when="A stop; a second one within 20 seconds shows the same time.",
        do="Look at the status in a minute.",
    )
    EXTENDED = Sentence(
        words="Extended until {until}.{more}",
        when="An extend, or the same one once more within 15 seconds.",
        do="Nothing.",
    )
    EXTENDED_SO = Sentence(
        words="Extended.",
        when="The same, when the end is not known any more.",
        do="Look at the status.",
    )
    LOCKED = Sentence(
        words="Locked. Nobody can start it.{more}",
        when="The lock is set.",
        do="Unlock it when it may be used again.",
    )
    UNLOCKED = Sentence(
        words="Unlocked. It can be started again.",
        when="The lock is lifted.",
        do="Start it when you need it.",
    )
    SESSIONS = Sentence(
        words="{count}, {cost}.{more}",
        when="A list of sessions.",
        do="Nothing.",
    )
    SESSION = Sentence(
        words="{ended} It cost {cost} and was started by {by}.",
        when="A session that has ended.",
        do="Nothing.",
    )
    SESSION_OPEN = Sentence(
        words="Open. It has cost {cost} so far and was started by {by}.",
        when="A session that has not ended.",
        do="Press stop when you are done.",
    )
    DEVICES = Sentence(
        words="{count}: {names}.",
        when="The list of devices.",
        do="Nothing.",
        example={"count": "2 devices", "names": "iphone, laptop"},
    )
    NO_DEVICES = Sentence(
        words="No devices. The vault holds no token yet.",
        when="The same, without any.",
        do="The operator makes a token.",
    )
    CODE = Sentence(
        words="Code for {device}: {code}. It works once, for 10 minutes.",
        when="A pairing code was made.",
        do="Type or scan it on the device.",
        example={"device": "iphone", "code": "7Q3XK2M9PA"},
    )
    HEALTHY = Sentence(
        words="Healthy. The timer ran {ago} ago.",
        when="`/healthz` while the timer runs.",
        do="Nothing.",
        example={"ago": "42 seconds"},
    )
    BEAT = Sentence(
        words="Taken. Armed until {until}.",
        when="A heartbeat of the machine.",
        do="Nothing.",
        example={"until": datetime(2026, 11, 30, 12, 0, tzinfo=UTC)},
    )
    BEAT_UNARMED = Sentence(
        words="Taken. There is no session to end.",
        when="The same, without a session.",
        do="Nothing.",
    )


class Added(Book):
    """What is added to an answer."""

    AT_SET_PRICE = Sentence(
        words=" at the price in the settings",
        when="Behind the cost, where Azure's own price is not known.",
        do="Nothing; the operator looks at `PRICE_PER_HOUR`.",
    )
    MAX_RUNTIME = Sentence(
        words=" (the longest that is allowed)",
        when="More was asked than `MAX_RUNTIME_HOURS`.",
        do="Start anew afterwards.",
    )
    DEVICE = Sentence(
        words=" (the longest for this device)",
        when="More was asked than the device's `max_hours`.",
        do="Ask the operator for more hours for the device.",
    )
    BUDGET = Sentence(
        words=" (then the budget is spent)",
        when="What is left of the budget ends it.",
        do="The owner raises the budget.",
    )
    BUDGET_PERIOD = Sentence(
        words=" (then the budget's period ends)",
        when="`BUDGET_TO` ends it.",
        do="The owner sets a new period.",
    )
    FURTHEST = Sentence(
        words=" It can run until {at} at most.",
        when="Behind an extend.",
        do="Nothing.",
        example={"at": "14:12"},
    )
    ENDING = Sentence(
        words=" It is being switched off.",
        when="Behind a lock, while the machine is on.",
        do="Look at the status in a minute.",
    )
    MORE = Sentence(
        words=" There are more.",
        when="Behind a list that is longer.",
        do="Ask for the next ones with the cursor.",
    )
    DONE_FOR = Sentence(
        words=" It was done for {done}.",
        when="Behind a failure for one machine, where another one was reached.",
        do="Press it again at once.",
        example={"done": "vm-kimi-01"},
    )
    UNKNOWN = Sentence(
        words="an unknown amount",
        when="In the place of a cost that is not known.",
        do="Look again later.",
    )
