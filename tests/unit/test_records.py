"""The ledger's plain records, empty as they begin."""

from decimal import Decimal

from control.records import Pass, Quoted, Reported, Total
from tests.unit.builders import NOW


def test_records_begin_with_nothing_known() -> None:
    """Nothing known is not zero: a quote and a report are none."""
    assert Total(month="2026-11").cost == Decimal(0)
    assert (Reported().highest, Reported().newest, Reported().asked_at) == (
        (),
        None,
        None,
    )
    assert (Quoted().newest, Quoted().asked_at) == (None, None)
    assert Pass(at=NOW).failed == ()
