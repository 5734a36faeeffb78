"""A request as docs/phone.md has it, and how it is read from there."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

DOCS = Path(__file__).parents[2] / "docs"
PHONE = (DOCS / "phone.md").read_text()
ADDRESS = "https://your-app.azurewebsites.net"
TOKEN = "<token>"
_CODE = re.compile(r"`([^`]*)`")
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back."""

    status: int
    kind: str
    text: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One request, word for word."""

    name: str
    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: str | None

    @property
    def path(self) -> str:
        """What stands behind the address."""
        return urlsplit(self.url).path

    def send(self) -> Answer:
        """Send it once, following nothing; `Bearer ` with nothing behind it too."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            connection.request(self.method, self.path, self.body, self.headers)
            got = connection.getresponse()
            kind = got.headers.get_content_type()
            return Answer(status=got.status, kind=kind, text=got.read().decode())
        finally:
            connection.close()


def section(title: str) -> str:
    """Return what stands below a heading of docs/phone.md."""
    _, found, rest = PHONE.partition(f"\n## {title}\n")
    assert found, title
    return rest.partition("\n## ")[0]


def shell(title: str) -> str:
    """Return the shell lines of a section, one below the other."""
    return "".join(_BLOCK.findall(section(title)))


def table(title: str, first: str) -> list[list[str]]:
    """Return the rows of the table whose first column is called so."""
    lines = section(title).splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {first} "))
    rows = iter(lines[start + 2 :])
    return [_cells(row) for row in _while_table(rows)]


def shortcut(row: list[str], url: str, token: str, code: str) -> Recipe:
    """Return what a Shortcut of these fields sends.

    A body of the type JSON is sent as an object, also without a field.
    """
    name, address, method, headers, fields = row
    pairs = (pair.split(": ", 1) for pair in headers.split("; "))
    sent = {_bare(key): _bare(value).replace(TOKEN, token) for key, value in pairs}
    body = json.dumps(_fields(fields, code)) if method == "POST" else None
    if body is not None:
        sent["Content-Type"] = "application/json"
    sent["User-Agent"] = "BackgroundShortcutRunner/1 CFNetwork/1 Darwin/1"
    return Recipe(
        name=name,
        method=method,
        url=_bare(address).replace(ADDRESS, url),
        headers=sent,
        body=body,
    )


def _fields(text: str, code: str) -> dict[str, object]:
    if text == "no field":
        return {}
    key, _, value = text.partition(": ")
    kind, said = value.split(", ")
    if said == "Provided Input":
        return {_bare(key): code}
    return {_bare(key): int(_bare(said)) if kind == "Number" else _bare(said)}


def _bare(text: str) -> str:
    """Return what stands between backquotes."""
    found = _CODE.fullmatch(text.strip())
    assert found, text
    return found[1]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _while_table(rows: Iterator[str]) -> Iterator[str]:
    for row in rows:
        if not row.startswith("|"):
            return
        yield row
