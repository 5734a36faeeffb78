"""What a sentence is: its words, when it is said and what to do then.

Sentences of one kind stand in one `Book`, so that they can be counted and listed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """Words with named parts; `example` has a value for each part.

    `slug` is the problem that the sentence is a detail of, or a notice's event.
    """

    words: str
    when: str
    do: str
    slug: str = ""
    example: Mapping[str, object] = field(default_factory=dict)


class Book(Enum):
    """Sentences of one kind, each by its name."""

    @property
    def sentence(self) -> Sentence:
        """The words, and what belongs to them."""
        made = self.value
        assert isinstance(made, Sentence)
        return made

    def of(self, **values: object) -> "Told":
        """Return the sentence with its parts."""
        return Told(said=self, values=values)

    def say(self, **values: object) -> str:
        """Return the sentence as it is read, times of day in UTC."""
        return str(self.of(**values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A sentence of a book with the values of its parts."""

    said: Book
    values: Mapping[str, object]

    def text(self, form: Callable[[object], object]) -> str:
        """Return the words, each value in the form that the reader wants."""
        values = {name: form(value) for name, value in self.values.items()}
        return self.said.sentence.words.format(**values)

    def __str__(self) -> str:
        return self.text(plain)


def plain(value: object) -> object:
    """Say an instant as a time of day in UTC: the core knows no zone."""
    return f"{value:%H:%M} UTC" if isinstance(value, datetime) else value


def counted(count: int, word: str) -> str:
    """Say a number of things: 1 minute, 5 minutes."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def lowered(said: str) -> str:
    """Begin with a small letter, for the middle of a sentence."""
    return f"{said[:1].lower()}{said[1:]}"
