"""The problems of the HTTP contract, and the details that the routes give them."""

from collections.abc import Mapping
from types import MappingProxyType

from control.said.book import Book, Sentence
from control.said.wrong import Wrong

# 408 is not among them: phone clients repeat a POST on it.
PROBLEMS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "azure-unavailable": (503, "Azure does not answer"),
        "bad-body": (422, "Something in the request cannot be used"),
        "bad-query": (422, "Something in the address cannot be used"),
        "beyond-limit": (422, "It may not run that long"),
        "budget-exhausted": (402, "Too little is left of the budget"),
        "budget-period-over": (402, "The budget does not cover today"),
        "code-spent": (410, "The code no longer works"),
        "internal": (500, "The switch has a fault"),
        "ledger-unverified": (503, "The record of costs cannot be read"),
        "length-required": (411, "The request came without its length"),
        "locked": (423, "An operator locked it"),
        "method-not-allowed": (405, "Called in the wrong way"),
        "misconfigured": (500, "The switch is not set up"),
        "no-machine": (503, "Azure does not know the machine"),
        "not-allowed": (403, "Not allowed with this token"),
        "not-found": (404, "There is nothing at this address"),
        "not-running": (409, "The machine is not running"),
        "other-controller": (409, "Another switch controls the machine"),
        "start-failed": (503, "Azure did not start it"),
        "stopping": (409, "It is being switched off"),
        "timer-stale": (503, "The timer has stopped"),
        "token-revoked": (401, "The token was revoked"),
        "token-unknown": (401, "The token is not known"),
        "too-large": (413, "The request is too large"),
        "too-many-starts": (429, "Too many starts in an hour"),
        "unknown-device": (404, "There is no such device"),
        "unknown-machine": (404, "There is no such machine"),
        "unknown-session": (404, "There is no such session"),
        "vault-unavailable": (503, "The tokens cannot be checked"),
    }
)
_AGAIN = "Try again in a minute."


class Detail(Book):
    """Why a request was not done, by the slug of its problem."""

    INTERNAL = Sentence(
        slug="internal",
        words="Failed: the switch has a fault; it is in its log. Look at the status "
        "before you try again.",
        when="Something that nobody expected.",
        do="Look at the status; if it stays so, the operator reads the log.",
    )
    FAILED_FOR_SOME = Sentence(
        slug="internal",
        words="Failed for {failed}; try again at once.{done}",
        when="One of several machines could not be reached.",
        do="Press it again at once.",
        example={"failed": "vm-kimi-02", "done": " It was done for vm-kimi-01."},
    )
    LEDGER = Sentence(
        slug="ledger-unverified",
        words="Not done: the record of costs, the ledger, cannot be read or written. "
        "Try again in a minute. Stop still works.",
        when="The ledger's storage does not answer.",
        do="Try again; if it stays so, the operator looks at the storage account.",
    )
    AZURE = Sentence(
        slug="azure-unavailable",
        words="Not done: Azure does not answer. Try again in a minute.",
        when="A call to Azure failed.",
        do=_AGAIN,
    )
    NOT_SET_UP = Sentence(
        slug="misconfigured",
        words="Not done: the switch is not set up: {count} missing or wrong, {first} "
        "first. The operator finds all of them in its log.",
        when="Settings are missing or wrong. `settings` in the JSON names them all.",
        do="The operator mends them by docs/settings.md.",
        example={"count": "3 settings", "first": "BUDGET_LIMIT"},
    )
    BAD_BODY = Sentence(
        slug="bad-body",
        words="Not done: {field} {why}.",
        when="A field of the body is missing, unknown or wrong; `field` names it.",
        do="Correct the field in the Shortcut or app and send it again.",
        example={
            "field": "hours",
            "why": Wrong.NO_NUMBER_BUT.say(got="two"),
        },
    )
    BAD_QUERY = Sentence(
        slug="bad-query",
        words="Not done: {field} {why}.",
        when="A part of the address is wrong; `field` names it.",
        do="Correct the address and send it again.",
        example={"field": "limit", "why": Wrong.NO_LIMIT.say(most=200)},
    )
    NOT_FOUND = Sentence(
        slug="not-found",
        words="Not found: there is no such address here. The page is at /, and the "
        "list of addresses at /openapi.json.",
        when="No route has this address.",
        do="Correct the address in the Shortcut or app.",
    )
    WRONG_METHOD = Sentence(
        slug="method-not-allowed",
        words="Not done: {path} is called with {method} alone. Set the method to "
        "{method}.",
        when="For example GET /start: links and previews must never start anything.",
        do="Set the method in the Shortcut or app.",
        example={"path": "/start", "method": "POST"},
    )
    NO_LENGTH = Sentence(
        slug="length-required",
        words="Not done: the request came without its length. Send a fixed body, such "
        "as {{}}.",
        when="A body came in chunks, without Content-Length.",
        do="Send a fixed body from the Shortcut or app.",
    )
    TOO_LARGE = Sentence(
        slug="too-large",
        words="Not done: the request is larger than 16 kilobytes. Send less.",
        when="A body over 16 KB.",
        do="Shorten the note.",
    )
    NO_TOKEN = Sentence(
        slug="token-unknown",
        words="Not done: no token came along. Fill in the token of this device in the "
        "Shortcut or app, or pair it.",
        when="No `Authorization: Bearer ...` header, or an empty one.",
        do="Fill in the token, or pair the device.",
    )
    UNKNOWN_TOKEN = Sentence(
        slug="token-unknown",
        words="Not done: this token is not known. Pair this device again.",
        when="The vault has no such token, and never had.",
        do="Ask the operator for a pairing code.",
    )
    REVOKED = Sentence(
        slug="token-revoked",
        words="Not done: the token of {device} was revoked. Ask the operator for a new "
        "one.",
        when="The token was valid once, and the vault says no.",
        do="Ask the operator.",
        example={"device": "iphone"},
    )
    VAULT = Sentence(
        slug="vault-unavailable",
        words="Not done: the vault with the tokens does not answer. Try again in a "
        "minute; a known device can still stop.",
        when="Key Vault does not answer, and it is no stop, status or heartbeat of a "
        "device that was let in before.",
        do=_AGAIN,
    )
    VAULT_KEEPS_CODE = Sentence(
        slug="vault-unavailable",
        words="Not done: the vault with the tokens does not answer. Try again in a "
        "minute; a pairing code stays good for its 10 minutes.",
        when="Key Vault does not answer while a device is paired or listed.",
        do=_AGAIN,
    )
    MACHINES_TOKEN = Sentence(
        slug="not-allowed",
        words="Not allowed: this is a machine's token, and it sends heartbeats and "
        "nothing else.",
        when="A machine's token on a person's route.",
        do="Use a person's token.",
    )
    NEEDS_OPERATOR = Sentence(
        slug="not-allowed",
        words="Not allowed: only an operator may do this, and this is a phone's token.",
        when="A phone on an operator's route.",
        do="Ask the operator.",
    )
    NEEDS_MACHINE = Sentence(
        slug="not-allowed",
        words="Not allowed: only the machine itself may say this.",
        when="A phone on the machine's route.",
        do="Nothing; this route is the machine's.",
    )
    OTHER_MACHINES_TOKEN = Sentence(
        slug="not-allowed",
        words="Not allowed: this is another machine's token.",
        when="A machine speaks for another one.",
        do="The operator gives the machine its own token.",
    )
    SET_UP = Sentence(
        slug="not-allowed",
        words="Not started: only an operator may set up a machine. Leave out purpose.",
        when='A phone sent `"purpose": "setup"`.',
        do="Leave it out.",
    )
    PHONES_SESSIONS = Sentence(
        slug="not-allowed",
        words="Not allowed: a phone sees the last {most} sessions as JSON; more takes "
        "an operator's token.",
        when="A phone asked for more sessions, a cursor or CSV.",
        do="Ask for fewer, or use an operator's token.",
        example={"most": 20},
    )
    NO_SUCH_MACHINE = Sentence(
        slug="unknown-machine",
        words="Not done: there is no such machine; the known ones are {known}.",
        when="`?machine=` names one that the settings do not.",
        do="Correct the name.",
        example={"known": "vm-kimi-01, vm-kimi-02"},
    )
    NO_SUCH_SESSION = Sentence(
        slug="unknown-session",
        words="Not found: {machine} has no such session.",
        when="`/sessions/{id}` with an id that this machine has not.",
        do="Take the id from the list of sessions.",
        example={"machine": "vm-kimi-01"},
    )
    NO_SUCH_DEVICE = Sentence(
        slug="unknown-device",
        words="Not done: there is no such device, or its token is disabled.",
        when="A pairing code was asked for such a device.",
        do="The operator makes it with `python -m control pair <device>`.",
    )
    SPENT_CODE = Sentence(
        slug="code-spent",
        words="Not paired: this code is unknown, used or too old. The operator makes a "
        "new one with `python -m control code <device>`.",
        when="A code works once and for 10 minutes.",
        do="Ask the operator for a new code.",
    )
    TIMER_STALE = Sentence(
        slug="timer-stale",
        words="Not healthy: the timer's last run was {ago} ago. Press stop when you "
        "are done, and tell the operator.",
        when="`/healthz` while no run of the timer is younger than 3 minutes.",
        do="The operator restarts the Functions app. An open page enforces too.",
        example={"ago": "5 minutes"},
    )
    TIMER_UNKNOWN = Sentence(
        slug="timer-stale",
        words="Not healthy: nobody knows when the timer last ran. Tell the operator.",
        when="`/healthz` before the first run, or without a ledger.",
        do="Wait a minute; then the operator looks at the Functions app.",
    )
