"""The icons of the installed page, drawn as PNG: a power sign, by no other tool.

They stand beside the page, made before a deployment. PNG is W3C's Portable Network
Graphics: a header, and deflated rows of pixels with a filter byte before each.
"""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from types import MappingProxyType

PLACED = "control/web/page"
_GROUND = (16, 20, 24)
_SIGN = (255, 255, 255)
_GAP = 0.16
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Icon:
    """A square icon; `scale` is the sign's part of it: a mask cuts off the rim."""

    size: int
    scale: float


ICONS: Mapping[str, Icon] = MappingProxyType(
    {
        "icon-180.png": Icon(size=180, scale=0.62),
        "icon-192.png": Icon(size=192, scale=0.62),
        "icon-512.png": Icon(size=512, scale=0.62),
        "maskable-512.png": Icon(size=512, scale=0.5),
    }
)


def write(root: Path) -> None:
    """Draw them beside the page."""
    for name, icon in ICONS.items():
        (root / PLACED / name).write_bytes(drawn(icon))


def stale(root: Path) -> tuple[str, ...]:
    """Name what `write` would change: other pixels, however they were deflated."""
    return tuple(
        f"{PLACED}/{name}"
        for name, icon in ICONS.items()
        if _rows(root / PLACED / name) != _pixels(icon)
    )


def drawn(icon: Icon) -> bytes:
    """Return the icon as an opaque PNG."""
    return png(icon.size, icon.size, _pixels(icon))


def _pixels(icon: Icon) -> bytes:
    return b"".join(b"\0" + _row(icon, y) for y in range(icon.size))


def _rows(path: Path) -> bytes | None:
    """Return the rows of a PNG that `png` made, None where it is none."""
    picture = path.read_bytes() if path.is_file() else b""
    if not picture.startswith(_SIGNATURE):
        return None
    length = struct.unpack(">I", picture[33:37])[0]
    return zlib.decompress(picture[41 : 41 + length])


def png(width: int, height: int, rows: bytes) -> bytes:
    """Return a PNG of 8-bit RGB rows, each behind its filter byte (0: none)."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    return _SIGNATURE + b"".join(_chunk(kind, body) for kind, body in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)


def _row(icon: Icon, y: int) -> bytes:
    """Draw a row's left half and mirror it: the sign is symmetrical."""
    half = [_pixel(icon, x, y) for x in range((icon.size + 1) // 2)]
    mirrored = half[::-1] if icon.size % 2 == 0 else half[-2::-1]
    return b"".join(half + mirrored)


def _pixel(icon: Icon, x: int, y: int) -> bytes:
    reach = icon.size * icon.scale / 2
    across = (x + 0.5 - icon.size / 2) / reach
    up = (icon.size / 2 - y - 0.5) / reach
    covered = min(max(_depth(across, up) * reach + 0.5, 0.0), 1.0)
    mixed = zip(_GROUND, _SIGN, strict=True)
    return bytes(round(low + (high - low) * covered) for low, high in mixed)


def _depth(across: float, up: float) -> float:
    """Return how deep a point lies in the sign, negative outside; its reach is 1."""
    thick = _GAP / 2
    bar = thick - (hypot(across, max(up - 0.92, 0.1 - up, 0.0)))
    ring = thick - abs(hypot(across, up) - 0.84)
    open_above = abs(across) - (0.34 if up > 0 else 0.0)
    return max(bar, min(ring, open_above) if up > 0 else ring)
