"""The pages and what belongs to them: one version of all, read once and kept.

`control/web/page/` holds them as they are served, but for marks: `{{version}}`,
`{{paths}}` (what the worker keeps) and `{{NAME}}`, a sentence of the `Page` book.
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
from control.said.refusals import Rule
from control.web.http import Media
from control.web.icons import ICONS

FOLDER = Path(__file__).parent / "page"
WORKER = "/sw.js"
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
    ".webmanifest": Media.MANIFEST,
}
_BOOKS: tuple[type[Book], ...] = (Page, Headline, Ended, Rule)
_MARK = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What a path answers."""

    kind: Media
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """The files by their paths; none of them needs a ledger, a vault or a token."""

    version: str
    files: Mapping[str, File]


def load(folder: Path = FOLDER) -> Shell:
    """Read a folder; its version is a hash of all that is in it."""
    texts = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    texts["words.js"] = _words()
    whole = json.dumps(texts, sort_keys=True)
    version = sha256(whole.encode()).hexdigest()[:12]
    places = {name: _PLACES.get(name, f"/shell/{version}/{name}") for name in texts}
    icons = {f"/icons/{name}" for name in ICONS}
    kept = sorted({*places.values(), *icons} - {WORKER})
    marks = {"version": version, "paths": json.dumps(kept)}
    files = {place: _file(name, texts[name], marks) for name, place in places.items()}
    return Shell(version=version, files=files)


def _file(name: str, text: str, marks: Mapping[str, str]) -> File:
    filled = _MARK.sub(lambda mark: _said(mark[1], marks), text)
    return File(kind=_KINDS[Path(name).suffix], body=filled.encode())


def _said(name: str, marks: Mapping[str, str]) -> str:
    return marks[name] if name in marks else escape(Page[name].say())


def _words() -> str:
    """Return the sentences as a module, by the names of their books."""
    books = {
        book.__name__: {member.name: member.sentence.words for member in book}
        for book in _BOOKS
    }
    return f"export const words = {json.dumps(books, ensure_ascii=False)};\n"
