"""What a book is: sentences with named parts, said in the reader's own form."""

from datetime import UTC, datetime

from control.said.book import Book, Sentence, counted, lowered, plain

AT = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)


class Sample(Book):
    UNTIL = Sentence(
        words="Until {at}, by {by}.", when="Always.", do="Nothing.", slug="sample"
    )


def test_a_sentence_is_said_with_its_parts() -> None:
    """An instant is a time of day in UTC: the core knows no zone."""
    assert Sample.UNTIL.say(at=AT, by="iphone") == "Until 14:05 UTC, by iphone."
    assert Sample.UNTIL.sentence.slug == "sample"


def test_its_parts_can_be_told_in_another_form() -> None:
    """The page says an instant in the zone of the settings."""
    told = Sample.UNTIL.of(at=AT, by="{by}")
    assert told.text(lambda value: "15:05" if value == AT else value) == (
        "Until 15:05, by {by}."
    )
    assert told == Sample.UNTIL.of(at=AT, by="{by}")


def test_what_is_no_instant_stays_as_it_is() -> None:
    """Numbers and names."""
    assert plain(3) == 3


def test_things_are_counted_and_words_lowered() -> None:
    """One minute, five minutes."""
    assert [counted(n, "minute") for n in (1, 5)] == ["1 minute", "5 minutes"]
    assert (lowered("The GPUs"), lowered("")) == ("the GPUs", "")
