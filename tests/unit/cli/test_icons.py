"""The icons are real PNG pictures, opaque, with the sign in their middle."""

import struct
import zlib
from pathlib import Path

import pytest

from control.cli.icons import ICONS, PLACED, Icon, drawn, stale, write


def pixels(picture: bytes) -> tuple[int, int, list[bytes]]:
    """Return width, height and rows of RGB: a small reader for our own writer."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, colour = struct.unpack(">IIBB", picture[16:26])
    assert (depth, colour) == (8, 2)
    length = struct.unpack(">I", picture[33:37])[0]
    assert picture[37:41] == b"IDAT"
    raw = zlib.decompress(picture[41 : 41 + length])
    line = 1 + 3 * width
    return width, height, [raw[at + 1 : at + line] for at in range(0, len(raw), line)]


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_has_its_size_and_its_sign(name: str) -> None:
    """Dark at the rim, white where the bar stands, the same left and right."""
    icon = ICONS[name]
    width, height, rows = pixels(drawn(icon))
    assert (width, height, len(rows)) == (icon.size, icon.size, icon.size)
    middle = 3 * (width // 2)
    assert rows[0] == bytes((16, 20, 24)) * width
    upper = rows[height // 2 - int(icon.size * icon.scale * 0.3)]
    assert upper[middle : middle + 3] == b"\xff\xff\xff"
    for row in rows:
        cells = [row[at : at + 3] for at in range(0, len(row), 3)]
        assert cells == cells[::-1]


def test_a_mask_cuts_nothing_off() -> None:
    """All of the sign lies within the middle 80 percent."""
    width, _, rows = pixels(drawn(ICONS["maskable-512.png"]))
    rim = width // 10
    outside = [*rows[:rim], *rows[-rim:]]
    assert {bytes(row) for row in outside} == {bytes((16, 20, 24)) * width}


def test_icons_are_small() -> None:
    """Each some kilobytes at most."""
    assert max(len(drawn(icon)) for icon in ICONS.values()) < 10_000
    assert len(drawn(Icon(size=16, scale=0.6))) < 1_000


def test_a_changed_icon_is_stale_until_it_is_drawn_anew(tmp_path: Path) -> None:
    """Missing, another picture, or no picture at all; not other compression alone."""
    folder = tmp_path / PLACED
    folder.mkdir(parents=True)
    assert len(stale(tmp_path)) == len(ICONS)
    write(tmp_path)
    assert stale(tmp_path) == ()
    first, second, *_ = ICONS
    (folder / first).write_bytes((folder / second).read_bytes())
    (folder / second).write_text("no picture")
    assert stale(tmp_path) == (f"{PLACED}/{first}", f"{PLACED}/{second}")
