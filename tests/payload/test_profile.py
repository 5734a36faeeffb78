"""A model profile, and the lines that it becomes."""

from pathlib import Path

import pytest

from control.errors import CommandError
from control.payload.bundle import PROFILES
from control.payload.profile import find, pins, read

USUAL = PROFILES / "kimi-k2.5.toml"


def changed(folder: Path, old: str, new: str) -> Path:
    text = USUAL.read_text()
    assert old in text
    path = folder / "changed.toml"
    path.write_text(text.replace(old, new))
    return path


def test_every_profile_pins_by_content_with_a_date() -> None:
    """A revision of 40 digits, a digest of 64, and the day of each."""
    for path in PROFILES.glob("*.toml"):
        lines = dict(line.split("=", 1) for line in pins(read(path)).splitlines())
        assert len(lines["MODEL_REV"]) == 40
        assert "@sha256:" in lines["VLLM_IMAGE"]
        for name in lines:
            if name.endswith(("_REV", "_IMAGE")):
                assert len(lines[f"{name}_AT"]) == len("2026-10-20")


def test_the_usual_profile_says_what_the_agent_needs() -> None:
    """By the names that it reads."""
    lines = pins(read(USUAL)).splitlines()
    assert lines[:6] == [
        "SERVED_ALIAS=kimi-work",
        "MODEL_REPO=moonshotai/Kimi-K2.5",
        "MODEL_REV=4d01dfe0332d63057c186e0b262165819efb6611",
        "MODEL_REV_AT=2026-10-20",
        "MODEL_SHARDS=64",
        "MODEL_CODE_FILES=9",
    ]


FAULTS = {
    "a branch for a revision": ('revision = "4d01', 'revision = "main', "40 hex"),
    "a short digest": ("sha256:a4a4", "sha256:a4", "sha256: and 64"),
    "a date in words": ("at = 2026-10-20", 'at = "today"', "a day like"),
    "no shards": ("shards = 64", "shards = 0", "a whole number above 0"),
    "an unknown name": ("shards = 64", "shards = 64\nshard = 1", "shard is unknown"),
    "a missing name": ("code_files = 9\n", "", "code_files is missing"),
    "a space": ('"kimi-work"', '"kimi work"', "served_alias is not"),
    "a second line": ('"kimi-work"', '"kimi\\nX=1"', "served_alias is not"),
    "no TOML": ("[model]", "[model", "can't be read"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_profile_is_refused(tmp_path: Path, fault: str) -> None:
    """With the fault named in words."""
    old, new, words = FAULTS[fault]
    with pytest.raises(CommandError, match=words):
        read(changed(tmp_path, old, new))


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    """Nobody mends one to meet the next."""
    path = changed(tmp_path, "shards = 64", "shards = 0")
    path.write_text(path.read_text().replace('"kimi-work"', '""'))
    with pytest.raises(CommandError, match=r"served_alias is not .*shards is not"):
        read(path)


@pytest.mark.parametrize("name", ["kimi-k3", "../kimi-k2.5", "", "Kimi"])
def test_a_profile_that_is_not_there_is_told_with_those_that_are(name: str) -> None:
    """And a name never leads out of the folder."""
    with pytest.raises(CommandError, match=r"there is no profile .*kimi-k2\.5"):
        find(PROFILES, name)
