"""A QR code in a terminal: half blocks in explicit black on white.

Colours are said by SGR codes, so that it reads on a dark and on a light terminal alike
(ISO/IEC 18004 asks for dark on light; not every reader takes the inverse). Level L and
two quiet modules keep an address of the switch within 80 columns and 24 rows.
"""

from collections.abc import Sequence

import segno

_QUIET = 2
# By whether the upper and the lower half are dark; the foreground is black.
_BLOCKS = {
    (False, False): " ",
    (True, False): "▀",
    (False, True): "▄",
    (True, True): "█",
}
_BLACK_ON_WHITE = "\x1b[38;5;16;48;5;231m"
_PLAIN = "\x1b[0m"


def picture(text: str) -> tuple[str, ...]:
    """Return the lines of a text's QR code."""
    matrix = _made(text).matrix_iter(border=_QUIET)
    rows = [[bool(cell) for cell in row] for row in matrix]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return tuple(_line(upper, lower) for upper, lower in pairs)


def columns(text: str) -> int:
    """Return how wide a text's picture is."""
    width, _ = _made(text).symbol_size(border=_QUIET)
    return int(width)


def _made(text: str) -> segno.QRCode:
    return segno.make_qr(text, error="l", boost_error=False)


def _line(upper: Sequence[bool], lower: Sequence[bool]) -> str:
    blocks = "".join(_BLOCKS[pair] for pair in zip(upper, lower, strict=True))
    return f"{_BLACK_ON_WHITE}{blocks}{_PLAIN}"
