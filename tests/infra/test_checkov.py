"""The check of `make checkov` fails where it must: it would be worth nothing else."""

import tomllib
from typing import Any

from tests.infra.checkov import _FINDINGS, LEAST, faults


def said(seen: int = LEAST, errors: int = 0, *found: str) -> dict[str, Any]:
    checks = [{"check_id": e, "check_name": "x", "resource": "y"} for e in found]
    summary = {"parsing_errors": errors, "resource_count": seen}
    return {"summary": summary, "results": {"failed_checks": checks}}


def test_too_little_seen_is_a_fault() -> None:
    """Given what it can't read, it ends well."""
    assert faults("off", said(), []) == []
    assert "not all was read" in faults("off", said(LEAST - 1), [])[0]
    assert "not all was read" in faults("off", said(LEAST, 1), [])[0]


def test_a_finding_needs_a_reason() -> None:
    """By its id."""
    found = said(LEAST, 0, "CKV_AZURE_1", "CKV_AZURE_2")
    assert [each[:17] for each in faults("on", found, ["CKV_AZURE_1"])] == [
        "on: CKV_AZURE_2 x"
    ]


def test_every_reason_is_a_sentence() -> None:
    """What is accepted is accepted for a cause."""
    accepted = tomllib.loads(_FINDINGS.read_text())["accepted"]
    for name, why in accepted.items():
        assert name.startswith("CKV_")
        assert why.endswith(".")
        assert len(why) > 10
