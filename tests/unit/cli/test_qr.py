"""P11: the code in a terminal reads on dark and light ones, and fits 80 x 24."""

import shutil
from pathlib import Path

import pytest

from control.cli import qr
from tests.unit.cli.terminal import DARK, LIGHT, Colour, read, rows, save

ADDRESS = "https://func-kimi-a1b2c3d4e5f6.eastus2-01.azurewebsites.net/#7Q3XK2M9PA"
LONGER = ADDRESS.replace("func-kimi", "func-kimi-switch-of-the-household")
needs_zbar = pytest.mark.skipif(
    shutil.which("zbarimg") is None, reason="the system package zbar-tools is missing"
)


@needs_zbar
@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("address", [ADDRESS, LONGER], ids=["usual", "longer"])
def test_p11_a_reader_finds_the_address(
    tmp_path: Path, palette: tuple[Colour, Colour], address: str
) -> None:
    """P11: with its own colours and its quiet zone, whatever is around it."""
    picture = tmp_path / "code.png"
    save(picture, rows("\n".join(qr.picture(address)), palette), palette[1])
    assert read(picture) == address


@needs_zbar
def test_p11_the_check_can_fail(tmp_path: Path) -> None:
    """Without its colours the same picture is lost on a dark terminal."""
    plain = [line.replace("\x1b[38;5;16;48;5;231m", "") for line in qr.picture(ADDRESS)]
    picture = tmp_path / "code.png"
    drawn = rows("\n".join(plain), DARK)
    save(picture, [row[2:-2] for row in drawn[2:-2]], DARK[1])
    assert read(picture) != ADDRESS


def test_p11_it_fits_80_columns_and_24_rows() -> None:
    """A usual address with two lines below and a prompt; a longer one by itself."""
    assert len(qr.picture(ADDRESS)) + 3 <= 24
    assert len(qr.picture(LONGER)) <= 24
    assert qr.columns(LONGER) <= 80
    assert {len(line) for line in qr.picture(ADDRESS)} == {
        qr.columns(ADDRESS) + len("\x1b[38;5;16;48;5;231m\x1b[0m")
    }
