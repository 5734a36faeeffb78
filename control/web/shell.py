"""The pages and what belongs to them: one version of all, read once and kept.

`control/web/page/` holds them as they are served, but for marks: `{{version}}`,
`{{paths}}` (what the worker keeps) and `{{NAME}}`, a sentence of the page's two books.
Scripts and style have the version in their path, so that no two versions mix.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path

from control.said.book import Book
from control.said.ends import Ended
from control.said.page import Headline, Page
from control.said.pairing import Pairing
from control.said.refusals import Rule
from control.web.http import Media

FOLDER = Path(__file__).parent / "page"
WORKER = "/sw.js"
ICONS = "/icons/"
AGAIN = "again.js"
_PLACES = {
    "index.html": "/",
    "ledger.html": "/ledger",
    "manifest.webmanifest": "/manifest.webmanifest",
    "sw.js": WORKER,
}
_KINDS = {
    ".css": Media.STYLE,
    ".html": Media.HTML,
    ".js": Media.SCRIPT,
    ".png": Media.PNG,
    ".webmanifest": Media.MANIFEST,
}
_BOOKS: tuple[type[Book], ...] = (Page, Pairing, Headline, Ended, Rule)
# No name stands in both.
_MARKED: Mapping[str, Book] = {**Page.__members__, **Pairing.__members__}
_MARK = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What a path answers."""

    kind: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """The files by their paths; none of them needs a ledger, a vault or a token."""

    version: str
    files: Mapping[str, File]


def load(folder: Path = FOLDER) -> Shell:
    """Read a folder; its version is a hash of all that is in it."""
    bodies = {path.name: path.read_bytes() for path in folder.iterdir()}
    bodies["words.js"] = _words().encode()
    version = _version(bodies)
    places = {name: _place(name, version) for name in bodies}
    kept = sorted({*places.values()} - {WORKER})
    marks = {"version": version, "paths": json.dumps(kept)}
    files = {place: _file(name, bodies[name], marks) for name, place in places.items()}
    return Shell(version=version, files=files)


def _version(bodies: Mapping[str, bytes]) -> str:
    whole = sha256()
    for name in sorted(bodies):
        whole.update(f"{name} {len(bodies[name])}\n".encode() + bodies[name])
    return whole.hexdigest()[:12]


def _place(name: str, version: str) -> str:
    if name.endswith(".png"):
        return f"{ICONS}{name}"
    return _PLACES.get(name, f"/shell/{version}/{name}")


def _file(name: str, body: bytes, marks: Mapping[str, str]) -> File:
    kind = _KINDS[Path(name).suffix]
    if kind is Media.PNG:
        return File(kind=kind, body=body)
    filled = _MARK.sub(lambda mark: _said(mark[1], marks), body.decode())
    return File(kind=f"{kind}; charset=utf-8", body=filled.encode())


def _said(name: str, marks: Mapping[str, str]) -> str:
    return marks[name] if name in marks else escape(_MARKED[name].say())


def _words() -> str:
    """Return the sentences as a module, by the names of their books."""
    books = {
        book.__name__: {member.name: member.sentence.words for member in book}
        for book in _BOOKS
    }
    return f"export const words = {json.dumps(books, ensure_ascii=False)};\n"
