"""The journal's lines: inserts alone, in order, each with its session."""

from control.decision import Entry
from control.journal import entry_writes
from control.ports import WriteKind
from tests.unit.builders import NEW_ID, NOW, SESSION_ID


def test_every_line_is_an_insert_of_its_own() -> None:
    """Nothing that was written can be written over."""
    lines = [Entry(event="a", text="A", by="timer"), Entry(event="b", text="B")]
    made = entry_writes(SESSION_ID, lines, NOW)
    assert [write.kind for write in made] == [WriteKind.INSERT] * 2
    assert made[1].key < made[0].key
    assert made[0].values == {"at": NOW, "event": "a", "text": "A", "by": "timer"}


def test_a_line_may_belong_to_another_session() -> None:
    """Or to none."""
    line = Entry(event="a", text="A", session_id=NEW_ID)
    (write,) = entry_writes(SESSION_ID, [line], NOW)
    assert NEW_ID in write.key
    (write,) = entry_writes(None, [Entry(event="a", text="A")], NOW)
    assert write.key.startswith("journal:-:")


def test_the_same_line_twice_is_two_lines() -> None:
    """Two processes may write in one microsecond."""
    line = Entry(event="a", text="A")
    keys = {entry_writes(None, [line], NOW)[0].key for _ in range(9)}
    assert len(keys) == 9
