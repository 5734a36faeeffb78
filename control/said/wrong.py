"""What is wrong with a field of a body or an address: it stands behind its name."""

from control.said.book import Book, Sentence

_SHORTCUT = "Correct the field in the Shortcut or app and send it again."


class Wrong(Book):
    """What is wrong with a field; it stands behind the field's name."""

    NOT_JSON = Sentence(
        words="is not JSON; send an object, such as {{}}",
        when="The body cannot be read.",
        do=_SHORTCUT,
    )
    NOT_OBJECT = Sentence(
        words="is not a JSON object; send one, such as {{}}",
        when="The body is a list or a bare value.",
        do=_SHORTCUT,
    )
    MISSING = Sentence(
        words="is missing; send it",
        when="A field that has to be there.",
        do="Send the field.",
    )
    UNKNOWN = Sentence(
        words="is not known here; leave it out or correct its name",
        when="A field that the route does not have.",
        do="Correct its name.",
    )
    NO_TEXT = Sentence(
        words="has to be text; put it in quotes",
        when="A note or code that is a number or a list.",
        do=_SHORTCUT,
    )
    TOO_LONG = Sentence(
        words="is longer than {most} characters; shorten it",
        when="A note or code that is too long.",
        do="Shorten it.",
        example={"most": 2000},
    )
    NOT_ONE_OF = Sentence(
        words="has to be {known}; or leave it out",
        when="A word that the field does not have.",
        do="Take one of those that are named.",
        example={"known": "'work' or 'setup'"},
    )
    UNUSABLE = Sentence(
        words="cannot be used: {why}",
        when="Another wrong value in a machine's heartbeat.",
        do="The operator looks at what runs on the machine.",
        example={"why": "input should be a valid string"},
    )
    NO_NUMBER = Sentence(
        words="is no number above 0; send digits, such as 2 or 1.5",
        when="No number, or one that is not above 0.",
        do=_SHORTCUT,
    )
    NO_NUMBER_BUT = Sentence(
        words='is "{got}", which is no number above 0; send digits, such as 2 or 1.5',
        when="The same, for a short text that can be shown.",
        do=_SHORTCUT,
        example={"got": "two"},
    )
    NO_TIME = Sentence(
        words="is no time of day; send one such as 18:00",
        when="No hours and minutes with a colon.",
        do=_SHORTCUT,
    )
    NO_TIME_BUT = Sentence(
        words='is "{got}", which is no time of day; send one such as 18:00',
        when="The same, for a short text that can be shown.",
        do=_SHORTCUT,
        example={"got": "six"},
    )
    TOO_MUCH = Sentence(
        words="is above the {most} {unit} that may be asked for; send less",
        when="More than `MAX_RUNTIME_HOURS`.",
        do="Ask for less.",
        example={"most": 4, "unit": "hours"},
    )
    BESIDE = Sentence(
        words="cannot be given beside {other}; leave one of them out",
        when="Two of hours, minutes and until.",
        do="Leave one out.",
        example={"other": "hours"},
    )
    NO_REASON = Sentence(
        words="is none of {known}",
        when="A stop reason that does not exist.",
        do="Take one of those that are named.",
        example={"known": "user, asked, max_runtime"},
    )
    NO_CURSOR = Sentence(
        words="is not one that a list has returned",
        when="A made-up cursor.",
        do="Take `next_cursor` of the list before.",
    )
    NO_LIMIT = Sentence(
        words="is not a whole number from 1 to {most}",
        when="A limit out of bounds.",
        do="Correct the number.",
        example={"most": 200},
    )
    NO_INSTANT = Sentence(
        words="is not a day such as 2026-11-30, nor an instant with a zone",
        when="`from` or `to` that is no time.",
        do="Correct the day.",
    )
