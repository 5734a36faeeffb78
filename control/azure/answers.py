"""What an answer of Azure says: its codes, its message and how long to wait.

Every body shape that has been seen is read here, with no SDK and no judgement:
`faults` decides what a code means.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

_DEPTH = 8
_LONGEST_MESSAGE = 500
_LONGEST_WAIT = 86_400.0
_SECRET = re.compile(r"(Bearer\s+|\bsig=|\beyJ)[\w.~+/%=-]+", re.IGNORECASE)
_SECONDS = re.compile(r"\b(?:after|in)\s+'?(\d+(?:\.\d+)?)'?\s*seconds?", re.IGNORECASE)
_NESTED = ("error", "odata.error", "innererror", "innerError", "details", "message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The words of a refusal; `inner` has the codes inside it, outermost first.

    `texts` are the messages of the codes inside, for where the text decides.
    """

    code: str | None = None
    message: str = ""
    inner: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """All that is said, in one text."""
        return " ".join((self.message, *self.texts))


def said(body: object) -> Said:
    """Read a refusal from a body: decoded JSON, its text, or anything else."""
    whole = _decoded(body)
    if not isinstance(whole, dict):
        return Said()
    wrapped = whole.get("error") or whole.get("odata.error") or whole
    if isinstance(wrapped, str):
        wrapped = {"code": wrapped, "message": whole.get("error_description")}
    if not isinstance(wrapped, dict):
        return Said()
    code = _code(wrapped)
    nodes = tuple(_nodes(wrapped, _DEPTH))
    inner = tuple(found for node in nodes for found in _codes(node) if found != code)
    texts = tuple(text for node in nodes[1:] if (text := _message(node)))
    return Said(code=code, message=_message(wrapped), inner=inner, texts=texts)


def harmless(text: str) -> str:
    """Cut a text of Azure's to size, without anything that looks like a secret."""
    return _SECRET.sub(r"\1***", " ".join(text.split()))[:_LONGEST_MESSAGE]


def retry_after(headers: Mapping[str, str], message: str = "") -> float | None:
    """Return the longest wait in seconds that the answer asks for; never negative."""
    named = {name.lower(): value for name, value in headers.items()}
    waits = [_wait(name, value, named.get("date")) for name, value in named.items()]
    waits += [float(found) for found in _SECONDS.findall(message)]
    asked = [min(max(wait, 0.0), _LONGEST_WAIT) for wait in waits if wait is not None]
    return max(asked, default=None)


def _wait(name: str, value: str, date: str | None) -> float | None:
    if name.endswith("retry-after-ms"):
        milliseconds = _number(value)
        return None if milliseconds is None else milliseconds / 1000
    if not name.endswith("retry-after"):
        return None
    seconds = [_number(part) for part in value.split(",")]
    if None not in seconds:
        return max(second for second in seconds if second is not None)
    return _until(value, date)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _until(value: str, date: str | None) -> float | None:
    """Seconds to an HTTP date by the server's own clock: ours may differ."""
    try:
        wait = parsedate_to_datetime(value) - parsedate_to_datetime(date or "")
    except (ValueError, TypeError):
        return None
    return wait.total_seconds()


def _decoded(body: object) -> Any:
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except ValueError:
        return None


def _code(node: Mapping[str, Any]) -> str | None:
    code = node.get("code")
    return str(code) if isinstance(code, str | int) and code != "" else None


def _message(node: Mapping[str, Any]) -> str:
    message = node.get("message")
    if isinstance(message, dict):
        message = message.get("value")
    return harmless(message) if isinstance(message, str) else ""


def _codes(node: Mapping[str, Any]) -> Iterator[str]:
    found = (_code(node), node.get("internalErrorCode"))
    yield from (code for code in found if isinstance(code, str))


def _nodes(node: object, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield every part of an answer, also of JSON that a message carries as text."""
    if depth == 0:
        return
    if isinstance(node, str) and node.lstrip().startswith("{"):
        yield from _nodes(_decoded(node), depth - 1)
    elif isinstance(node, list):
        for item in node:
            yield from _nodes(item, depth - 1)
    elif isinstance(node, dict):
        yield node
        for name in _NESTED:
            yield from _nodes(node.get(name), depth - 1)
