"""What the phone page says of its own: headlines, labels, and the words around them.

The page gets these as `words.js`; sentences of the switch come with its answers.
"""

from control.said.book import Book, Sentence
from control.said.refusals import Rule

_LOOK = "Nothing; it shows what the switch says."
_WITHOUT = "Use the Azure app, or wait."


class Headline(Book):
    """The large word of the page: by `state`, and while loading by `phase`."""

    OFF = Sentence(words="Off", when="Off: no machine time is billed.", do=_LOOK)
    WAITING_FOR_CAPACITY = Sentence(
        words="Looking for capacity", when="Azure has no machine free.", do="Wait."
    )
    STARTING = Sentence(
        words="Booting", when="Until the machine reports.", do="Wait, or press stop."
    )
    DISK = Sentence(words="Preparing disks", when="Phase `disk`.", do="Wait.")
    WEIGHTS = Sentence(words="Weights", when="Phase `weights`.", do="Wait.")
    SEEDING = Sentence(words="First download", when="Phase `seeding`.", do="Wait.")
    GPU = Sentence(words="Checking GPUs", when="Phase `gpu`.", do="Wait.")
    LOADING = Sentence(words="Loading", when="Phase `loading`.", do="Wait.")
    EDGE = Sentence(words="Nearly there", when="Phase `edge`.", do="Wait.")
    READY = Sentence(words="Ready", when="The model answers.", do="Use it.")
    BROKEN = Sentence(
        words="Broken", when="The machine says so.", do="Press stop; tell the operator."
    )
    STALE = Sentence(
        words="Silent",
        when="No report for 3 minutes.",
        do="Press stop if nobody needs it.",
    )
    DRAINING = Sentence(words="Ending", when="Phase `draining`.", do="Wait.")
    STOPPING = Sentence(words="Stopping", when="Until Azure says off.", do="Wait.")
    STOPPED_BUT_BILLING = Sentence(
        words="Off but still billed",
        when="Shut down from inside: in red.",
        do="Press stop, and look again in a minute.",
    )
    UNMANAGED = Sentence(
        words="On without a session",
        when="On, and no session of this switch.",
        do="Press stop if nobody needs it.",
    )
    UNKNOWN = Sentence(
        words="Unknown",
        when="Azure does not say how it is.",
        do="Press stop to be sure.",
    )


class Page(Book):
    """Everything else that the two pages say."""

    TITLE = Sentence(words="The switch", when="The page at /.", do="Nothing.")
    LEDGER_TITLE = Sentence(
        words="The ledger", when="The page at /ledger.", do="Nothing."
    )
    LEDGER = Sentence(
        words="This page is not made yet. Send GET /sessions with an operator's token.",
        when="The page at /ledger.",
        do="Use the address.",
    )
    CONTRACT = Sentence(words="The contract", when="A link at /ledger.", do="Read it.")
    BACK = Sentence(words="Back to the switch", when="A link at /ledger.", do="Tap it.")
    NO_SCRIPT = Sentence(
        words="This page needs JavaScript. Without it: use the Azure app to stop the "
        "machine.",
        when="The browser runs no scripts.",
        do="Allow scripts for this page.",
    )

    # How it is.
    LOOKING = Sentence(words="Looking", when="Before the first answer.", do="Wait.")
    PERCENT = Sentence(
        words="{step} {percent} %",
        when="A step that says how far it is.",
        do="Wait.",
        example={"step": Headline.WEIGHTS.say(), "percent": 62},
    )
    LAST_KNOWN = Sentence(
        words="Last known, {age} ago: {state}",
        when="In the place of the headline while no fresh answer is there.",
        do="Wait for the answer; stop works all the same.",
        example={"age": "10 minutes", "state": "off"},
    )
    AS_OF = Sentence(
        words="As of {at}, {age} ago. It may be different now.",
        when="Below it, while no fresh answer is there.",
        do="Wait for the answer; stop works all the same.",
        example={"at": "10:05", "age": "10 minutes"},
    )
    NO_NETWORK = Sentence(
        words="No connection. Trying again by itself.",
        when="The switch cannot be reached at all.",
        do="Look at the phone's network; without one use the Azure app elsewhere.",
    )
    WAKING = Sentence(
        words="Waking up. This can take half a minute.",
        when="Something answers that is not the switch: a cold start or deployment.",
        do="Wait; it asks again by itself.",
    )
    WITHOUT_US = Sentence(
        words="To stop it without this page: Azure app or portal, {machine}, Stop. "
        "Wait for “Stopped (deallocated)”: “Stopped” alone is still billed.",
        when="After a minute without an answer of the switch.",
        do="As it says.",
        example={"machine": "vm-kimi-01"},
    )
    THE_MACHINE = Sentence(
        words="the machine",
        when="In the place of its name, while that is not known.",
        do="Nothing.",
    )
    LEFT = Sentence(words="Left", when="Below the time left.", do="Nothing.")
    NOTHING = Sentence(
        words="Nothing yet", when="In the place of a cost.", do="Nothing."
    )

    # Money.
    SO_FAR = Sentence(words="So far", when="Beside the cost.", do="Nothing.")
    LAST_COST = Sentence(
        words="Last session", when="Beside the cost of the last one.", do="Nothing."
    )
    RATE = Sentence(words="A minute", when="Beside the price.", do="Nothing.")
    BUDGET = Sentence(words="Budget left", when="Beside what is left.", do="Nothing.")
    BUDGET_IS = Sentence(
        words="{money} or {hours} hours",
        when="What is left of the budget.",
        do="Nothing.",
        example={"money": "3197.39 USD", "hours": "37.7"},
    )
    NOT_KNOWN = Sentence(
        words="Not known", when="In the place of any figure.", do="Look again later."
    )
    CHECKED = Sentence(
        words="Limits last checked {age} ago",
        when="When the timer last looked at time and budget.",
        do="Nothing.",
        example={"age": "12 seconds"},
    )
    UNCHECKED = Sentence(
        words="Limits not checked for {age}. Stop it yourself when you are done",
        when="The same in red, after 3 minutes.",
        do="Press stop when you are done; tell the operator.",
        example={"age": "5 minutes"},
    )
    NEVER_CHECKED = Sentence(
        words="Nobody knows when the limits were last checked. Stop it yourself",
        when="The same, when the timer's last run is not known.",
        do="Press stop when you are done; tell the operator.",
    )

    # Buttons.
    START = Sentence(words="Start…", when="The large button while off.", do="Tap it.")
    STOP = Sentence(
        words="Stop", when="The large button otherwise; always there.", do="Tap it."
    )
    EXTEND = Sentence(
        words="+{minutes} min",
        when="While it is on.",
        do="Tap it to go on for longer.",
        example={"minutes": 30},
    )
    EXTEND_COSTS = Sentence(
        words="Costs {cost}, at most until {until}",
        when="Below that button: what it costs and how far it may go.",
        do="Nothing.",
        example={"cost": "42.40 USD", "until": "14:12"},
    )
    EXTEND_NO_MORE = Sentence(
        words="It can't go on any longer than {until}",
        when="The furthest end is reached.",
        do="Start anew afterwards.",
        example={"until": "14:12"},
    )
    CHAT = Sentence(words="Open the chat", when="A link when ready.", do="Tap it.")
    MINUTES_LEFT = Sentence(
        words="In {minutes} minutes it ends.",
        when="Spoken at 15, 5 and 1 minutes before the end.",
        do="Extend, or let it end.",
        example={"minutes": 5},
    )
    SENDING = Sentence(
        words="Sending …", when="A button was pressed.", do="Wait for the answer."
    )
    STOP_AGAIN = Sentence(
        words="Stop is not sent yet: no answer. Trying again by itself.",
        when="A stop that no switch has answered.",
        do="Keep the page open, or stop it in the Azure app.",
    )
    STOP_GIVEN_UP = Sentence(
        words="Stop was not confirmed. Press it again, or stop it in the Azure app.",
        when="The same after two minutes.",
        do="Press stop again, or use the Azure app.",
    )
    NOT_CONFIRMED = Sentence(
        words="Not confirmed: no answer came. Look at what is shown before you press "
        "again.",
        when="A start or an extend that no switch has answered.",
        do="Look at the page: it shows whether it was done.",
    )

    # The question before a start.
    ASK = Sentence(
        words="Start {machine}?",
        when="Before a start.",
        do="Choose, or cancel.",
        example={"machine": "vm-kimi-01"},
    )
    HOW_LONG = Sentence(words="How long", when="In that question.", do="Choose.")
    HOURS = Sentence(
        words="{hours} h", when="A choice.", do="Choose.", example={"hours": "2"}
    )
    AT_MOST = Sentence(
        words="It costs at most {cost}.",
        when="In that question.",
        do="Nothing.",
        example={"cost": "169.60 USD"},
    )
    ENDS_AS_CHOSEN = Sentence(
        words="It ends by itself at {until}, the time you choose here.",
        when="In that question: what limits it.",
        do="Nothing.",
        example={"until": "12:00"},
    )
    ENDS_AT_A_LIMIT = Sentence(
        words="It ends by itself at {until}: {why}.",
        when="The same for the longest choice.",
        do="Nothing.",
        example={"until": "14:00", "why": Rule.MAX_RUNTIME.say()},
    )
    AT_SET_PRICE = Sentence(
        words="Azure's own price is not known; this is by the price in the settings.",
        when="In that question, without a price of Azure.",
        do="Nothing.",
    )
    NOT_FRESH = Sentence(
        words="Wait: this is not up to date.",
        when="In that question, while no fresh answer is there.",
        do="Wait, or cancel.",
    )
    CANCEL = Sentence(words="Cancel", when="In that question, first.", do="Tap it.")
    GO = Sentence(
        words="Start for {hours} h",
        when="In that question.",
        do="Tap it.",
        example={"hours": "2"},
    )

    # Sessions.
    SESSIONS = Sentence(words="Last sessions", when="A heading.", do="Nothing.")
    NO_SESSIONS = Sentence(words="No session yet", when="Below it.", do="Nothing.")
    SESSIONS_UNKNOWN = Sentence(
        words="They cannot be read now", when="Below it.", do="Look again later."
    )
    RUNNING_NOW = Sentence(
        words="Still open.", when="A session without its end.", do="Nothing."
    )

    MACHINE = Sentence(
        words="Machine", when="Where there are several.", do="Choose one."
    )
