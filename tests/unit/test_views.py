"""What the switch answers: plain values with what is unknown left out."""

from control.views import Answer, SessionFilter, View
from tests.unit.builders import NOW, POLICY


def test_a_bare_view_claims_nothing() -> None:
    """No lease is not a free machine: it is a ledger that cannot be read."""
    view = View(now=NOW, policy=POLICY)
    assert (view.lease, view.seen, view.spend, view.offer) == (None,) * 4
    assert view.problems == ()
    answer = Answer(view=view)
    assert (answer.refusal, answer.opened, answer.unsent) == (None, False, None)


def test_a_list_has_twenty_sessions_unless_asked_otherwise() -> None:
    """What a phone may see."""
    assert SessionFilter().limit == 20
