"""What a terminal shows of half blocks and colours, as a picture for a reader."""

import re
import subprocess
from pathlib import Path

from control.cli.icons import png

type Colour = tuple[int, int, int]

DARK = ((229, 229, 229), (12, 12, 12))
LIGHT = ((36, 36, 36), (250, 250, 250))
_PIECE = re.compile(r"\x1b\[([\d;]*)m|([^\x1b])")
_SCALE = 6


def rows(text: str, palette: tuple[Colour, Colour]) -> list[list[Colour]]:
    """Draw lines of blocks: each character is two pixels, one above the other."""
    lines = text.splitlines()
    width = max(len(_PIECE.sub(lambda piece: piece[2] or "", line)) for line in lines)
    drawn: list[list[Colour]] = []
    for line in lines:
        upper, lower = _line(line, palette)
        rest = [palette[1]] * (width - len(upper))
        drawn += [upper + rest, lower + rest]
    return drawn


def _line(
    line: str, palette: tuple[Colour, Colour]
) -> tuple[list[Colour], list[Colour]]:
    ink, ground = palette
    upper: list[Colour] = []
    lower: list[Colour] = []
    for codes, character in _PIECE.findall(line):
        if not character:
            ink, ground = _colours(codes, palette)
            continue
        upper.append(ink if character in "▀█" else ground)
        lower.append(ink if character in "▄█" else ground)
    return upper, lower


def _colours(codes: str, palette: tuple[Colour, Colour]) -> tuple[Colour, Colour]:
    """Read `38;5;n` and `48;5;n`; anything else is the terminal's own."""
    ink, ground = palette
    if found := re.search(r"38;5;(\d+)", codes):
        ink = _indexed(int(found[1]))
    if found := re.search(r"48;5;(\d+)", codes):
        ground = _indexed(int(found[1]))
    return ink, ground


def _indexed(number: int) -> Colour:
    """A colour of xterm's cube of 6 x 6 x 6."""
    steps = (0, 95, 135, 175, 215, 255)
    at = number - 16
    return steps[at // 36], steps[at // 6 % 6], steps[at % 6]


def save(path: Path, drawn: list[list[Colour]], margin: Colour) -> None:
    """Write a picture of it with some of the terminal around."""
    side = [margin] * 4
    wide = [margin] * (len(drawn[0]) + 8)
    framed = [wide] * 4 + [side + row + side for row in drawn] + [wide] * 4
    lines = []
    for row in framed:
        line = b"\0" + b"".join(bytes(pixel) * _SCALE for pixel in row)
        lines += [line] * _SCALE
    width, height = len(framed[0]) * _SCALE, len(framed) * _SCALE
    path.write_bytes(png(width, height, b"".join(lines)))


def read(path: Path) -> str:
    """Return what a reader finds in a picture."""
    told = subprocess.run(
        ["zbarimg", "--quiet", "--raw", str(path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return told.stdout.strip()
