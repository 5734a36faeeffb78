"""Why a session ended, why a start failed, and how far a boot had come, in words.

The names are those of `StopReason`, `Fault` and `Phase`.
"""

from control.said.book import Book, Sentence

_START_AGAIN = "Start again if you need it."
_TIME_UP = "Start again, or extend in time next time."
_PORTAL = "Look at the machine in the Azure portal before you start again."


class Ended(Book):
    """Why a session ended: `stop_reason` in words."""

    USER = Sentence(
        words="Stopped by {by}.",
        when="A person pressed stop.",
        do=_START_AGAIN,
        example={"by": "iphone"},
    )
    ASKED = Sentence(
        words="Its time was up.",
        when="The hours, minutes or `until` that were asked for ran out.",
        do=_TIME_UP,
    )
    MAX_RUNTIME = Sentence(
        words="It ran as long as a session may.",
        when="`MAX_RUNTIME_HOURS` were over.",
        do=_START_AGAIN,
    )
    DEVICE = Sentence(
        words="It ran as long as its device may ask for.",
        when="The device's `max_hours` were over.",
        do="Ask the operator for more hours for the device.",
    )
    BUDGET = Sentence(
        words="The budget is spent.",
        when="Nothing was left of `BUDGET_LIMIT`.",
        do="The owner has to raise the budget; until then nothing starts.",
    )
    BUDGET_PERIOD = Sentence(
        words="The budget's period is over.",
        when="`BUDGET_TO` was reached.",
        do="The owner has to set a new period; until then nothing starts.",
    )
    IDLE = Sentence(
        words="Nobody was using it.",
        when="No request came for `IDLE_MINUTES` (the switch adds 10 minutes).",
        do=_START_AGAIN,
    )
    NEVER_READY = Sentence(
        words="The model was not ready in time.",
        when="It did not answer within `READY_DEADLINE_MINUTES` of the start.",
        do="Start once more; if it happens again, the operator looks at the machine.",
    )
    NOT_RESPONDING = Sentence(
        words="The model stopped answering.",
        when="It had been ready, and then was not for `READY_DEADLINE_MINUTES`.",
        do="Start once more; if it happens again, the operator looks at the machine.",
    )
    BROKEN = Sentence(
        words="The machine said that it was broken.",
        when="It said so for 10 minutes, or could not switch itself off.",
        do="The operator looks at the machine before the next start.",
    )
    GUEST_SHUTDOWN = Sentence(
        words="It was shut down from inside, which does not end the bill.",
        when="Somebody shut the system down on the machine itself.",
        do="Nothing; the switch switched it off for good. Next time press stop.",
    )
    OUTSIDE = Sentence(
        words="It was switched off, but not by this switch.",
        when="It went off in Azure without a word of ours.",
        do="Ask who else may use the Azure portal.",
    )
    LATE_START = Sentence(
        words="It came on long after its start was given up.",
        when="Azure carried out a start that had been given up.",
        do="Nothing; start again if you need it.",
    )
    LOCKED = Sentence(
        words="An operator locked it.",
        when="An operator set the lock.",
        do="Ask the operator to unlock it.",
    )
    NO_CAPACITY = Sentence(
        words="Azure had no such machine free.",
        when="Azure was asked for `CAPACITY_RETRY_MINUTES` and had none.",
        do="Try again later, or start another machine.",
    )
    START_FAILED = Sentence(
        words="Azure did not start it.",
        when="Azure refused the start, or it failed.",
        do="The answer to the start, the notice and the ledger name the cause.",
    )


class Cause(Book):
    """Why a start failed, and what the owner can do."""

    CAPACITY = Sentence(
        words="Azure has no such machine free at the moment.",
        when="Azure has no capacity in this region or zone.",
        do="Try again later, or start another machine.",
    )
    QUOTA = Sentence(
        words="The subscription's quota does not allow this machine. The owner can ask "
        "Azure for more in the portal, under Quotas.",
        when="The subscription may not have so many cores.",
        do="The owner asks Azure for more quota.",
    )
    PERMISSION = Sentence(
        words="Azure does not let the switch start this machine. The owner has to give "
        "it the right.",
        when="The switch's identity lacks a role, or a policy forbids it.",
        do="The owner gives the switch's identity its role again.",
    )
    SKU = Sentence(
        words="Azure does not offer this machine size to the subscription here. The "
        "owner can ask Azure for it.",
        when="The size is not offered to the subscription in this region.",
        do="The owner asks Azure for the size, or takes another region.",
    )
    DISABLED = Sentence(
        words="The Azure subscription is disabled. The owner has to renew it or pay "
        "for it.",
        when="Azure has set the subscription to read-only.",
        do="The owner renews the subscription.",
    )
    SCOPE_LOCK = Sentence(
        words="A lock in Azure forbids starting this machine. The owner has to remove "
        "the lock.",
        when="A lock stands on the machine, its group or the subscription.",
        do="The owner removes the lock.",
    )
    CONFLICT = Sentence(
        words="Azure is still busy with something else on this machine.",
        when="Another operation is under way.",
        do="Try again in some minutes.",
    )
    THROTTLED = Sentence(
        words="Azure asked the switch to wait.",
        when="Too many calls were made to Azure.",
        do="Try again in some minutes.",
    )
    PREEMPTED = Sentence(
        words="Something newer in Azure took the place of the start.",
        when="Another operation ended ours.",
        do="Start again.",
    )
    NOT_FOUND = Sentence(
        words="Azure does not find this machine.",
        when="The machine was deleted or moved.",
        do=_PORTAL,
    )
    UNAVAILABLE = Sentence(
        words="Azure did not answer.",
        when="Azure gave no answer, or one that proves nothing.",
        do="Try again in some minutes.",
    )
    OTHER = Sentence(
        words="Azure could not start the machine.",
        when="Azure named another cause; the journal has its code.",
        do=_PORTAL,
    )


class Stage(Book):
    """How far the boot has come; the percentage stands behind it where it is known."""

    DISK = Sentence(
        words="Preparing the disks", when="The first minutes of a boot.", do="Wait."
    )
    WEIGHTS = Sentence(
        words="Copying the model's weights", when="The longest part.", do="Wait."
    )
    SEEDING = Sentence(
        words="Downloading the model for the first time",
        when="Once, at the first set-up.",
        do="Wait; it can take hours.",
    )
    GPU = Sentence(
        words="Checking the GPUs", when="Before the model loads.", do="Wait."
    )
    LOADING = Sentence(
        words="Loading the model into the GPUs", when="Some minutes.", do="Wait."
    )
    EDGE = Sentence(
        words="Opening the connection", when="The last step.", do="Wait a moment."
    )
    READY = Sentence(words="Answering", when="The model answers.", do="Use it.")
    BROKEN = Sentence(
        words="Not working",
        when="The machine says that it is broken.",
        do="The operator looks at the machine.",
    )
    DRAINING = Sentence(
        words="Ending", when="The last requests are answered.", do="Nothing."
    )
