"""The documents made from the settings: complete, current, and usable as they stand."""

import json
import re
from pathlib import Path

import pytest

from control import settings_docs
from control.settings import Settings

ROOT = Path(__file__).parents[2]
DESIGN = ROOT.parent / "shared" / "design.md"
NAMES = {name.upper() for name in Settings.model_fields}


def test_the_documents_in_the_repository_are_current() -> None:
    """Whoever changes a setting makes its documents again."""
    assert settings_docs.stale(ROOT) == ()


def test_a_stale_or_missing_document_is_named(tmp_path: Path) -> None:
    """What is not as it would be made now is found, and writing mends it."""
    assert set(settings_docs.stale(tmp_path)) == set(settings_docs.PLACES)
    settings_docs.write(tmp_path)
    assert settings_docs.stale(tmp_path) == ()
    (tmp_path / "docs/settings.md").write_text("old")
    assert settings_docs.stale(tmp_path) == ("docs/settings.md",)


def test_every_setting_is_in_both_documents() -> None:
    """A row and an entry each, with what it means."""
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| (.+?) \|", settings_docs.markdown(), re.MULTILINE
    )
    assert {name for name, _ in rows} == NAMES
    sample = json.loads(settings_docs.sample())
    assert sample["Values"].keys() >= NAMES
    assert sample["Explained"] == dict(rows)


def test_the_sample_is_valid_as_it_stands() -> None:
    """Whoever copies it has settings that the app takes."""
    values = json.loads(settings_docs.sample())["Values"]
    assert Settings.load(values).policies().keys() == {"vm-kimi-01"}


def test_the_sample_holds_no_secret() -> None:
    """The one secret setting is left empty in it."""
    assert "AccountKey" not in json.dumps(json.loads(settings_docs.sample())["Values"])


def test_every_setting_of_the_design_is_there() -> None:
    """The design names them; the region of the price is ours beside."""
    if not DESIGN.exists():
        pytest.skip("no ../shared/design.md beside the checkout")
    section = DESIGN.read_text().split("## Settings")[1].split("\n## ")[0]
    words = set(re.findall(r"`([A-Z][A-Z_]+)`", section))
    theirs = {word for word in words if word != "AzureWebJobsStorage"}
    assert theirs | {"VM_REGION"} == NAMES
