"""The catalogue as a whole: nothing in it is untested, misnamed or undocumented."""

from pathlib import Path

import pytest

from local import docs
from local.azure import LocalAzure
from local.azure.faults.catalogue import GROUPS, OFFERS
from tests.local import (
    test_faults_arm,
    test_faults_busy,
    test_faults_machines,
    test_faults_money,
    test_faults_operations,
    test_faults_services,
    test_faults_throttled,
    test_faults_urls,
    test_faults_views,
)
from tests.local.faults_support import TESTED

SEEN_IN = (
    test_faults_arm,
    test_faults_busy,
    test_faults_machines,
    test_faults_money,
    test_faults_operations,
    test_faults_services,
    test_faults_throttled,
    test_faults_urls,
    test_faults_views,
)


def test_every_fault_is_seen_by_a_test() -> None:
    """A new fault fails here until a test looks at what it does over HTTP."""
    assert sorted(set(OFFERS) - TESTED) == []
    assert sorted(TESTED - set(OFFERS)) == []
    assert all(module.__doc__ for module in SEEN_IN)


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_says_what_each_fault_does(group: str) -> None:
    """Sentences of its own: no two faults of a group claim the same."""
    said = [offer.does for offer in GROUPS[group].values()]
    assert len(set(said)) == len(said)
    assert all(text.endswith(".") and "|" not in text for text in said)


def test_the_list_in_the_docs_is_the_codes() -> None:
    """`python -m local.docs` was run after the last change."""
    written = Path(docs.__file__).parents[1] / "docs" / "faults.md"
    assert written.read_text(encoding="utf-8") == docs.faults()


def test_a_misspelt_fault_is_told(azure: LocalAzure) -> None:
    """An unknown name lists the known ones, and nothing is armed."""
    with pytest.raises(KeyError, match="allocation_failed"):
        azure.faults.arm("alocation_failed")
    assert azure.faults.armed == []
    assert azure.faults.names == sorted(OFFERS)
