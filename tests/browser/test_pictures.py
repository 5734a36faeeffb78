"""`make screenshots` makes the pictures that README.md shows, and no other."""

import re
import struct
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.pictures import BEFORE, DURING, FOLDER, take
from tests.evening import Evening

README = FOLDER.parents[1] / "README.md"
FILES = {picture.file for picture in (*BEFORE, *DURING)}


def test_the_pictures_of_an_evening(
    evening: Evening, browser: Browser, tmp_path: Path
) -> None:
    """Each is a whole picture of the size that the committed one has."""
    made = take(evening, browser, tmp_path)
    assert {path.name for path in made} == FILES
    for path in made:
        assert _size(path) == _size(FOLDER / path.name)


def test_the_readme_shows_them_all() -> None:
    """None is missing, and none is left over."""
    shown = set(re.findall(r"docs/pictures/([\w-]+\.png)", README.read_text()))
    assert shown == FILES
    assert {path.name for path in FOLDER.iterdir()} == FILES


def _size(path: Path) -> tuple[int, int]:
    """Return width and height: bytes 16 to 23 of a PNG (its IHDR chunk)."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n")
    return struct.unpack(">II", head[16:24])
