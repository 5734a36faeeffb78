"""The mutants that no test can kill are explained where people read."""

from pathlib import Path

from tests import survivors

DESIGN = Path(__file__).parents[2] / "DESIGN.md"


def test_every_survivor_stands_in_the_design() -> None:
    """With where it is and why nobody can notice it."""
    assert survivors.table() in DESIGN.read_text(encoding="utf-8")


def test_only_the_very_change_is_explained() -> None:
    """Another one of the same function is not."""
    name = "rules.money.x_next_month__mutmut_5"
    assert survivors.explained(name, "+    timedelta(days=33)")
    assert not survivors.explained(name, "+    timedelta(days=31)")
    assert not survivors.explained("rules.money.x_months__mutmut_5", "days=33")
