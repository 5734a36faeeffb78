"""The ledger's sessions: the list, as JSON or CSV, and one with its journal."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from http import HTTPStatus

from control.model import ensure_utc
from control.said.book import Told
from control.said.problems import Detail
from control.said.wrong import Wrong
from control.views import SessionFilter
from control.web import csv, documents, sentences
from control.web.call import Call
from control.web.http import Kind, Response, text_response, wanted
from control.web.problems import Refused, refuse
from control.words import StopReason

MOST = 200
PHONE_MOST = 20
# What keys of sessions are made of: nothing else reaches a filter of the table.
_CURSOR = re.compile(r"session:[0-9A-Z:]{1,192}")


def listed(call: Call) -> Response:
    """`GET /sessions`: newest first."""
    machine, query, kind = call.machine, call.request.query, wanted(call.request)
    if not call.by.operates:
        _for_phone(query, kind)
    page = call.tools.switch.sessions(machine, _filter(query))
    currency = call.tools.place.policies[machine].currency
    if kind is Kind.CSV:
        text = csv.table(page.sessions)
        return text_response(HTTPStatus.OK, text, kind=Kind.CSV)
    document = documents.sessions(page, currency)
    return call.answer(HTTPStatus.OK, document, sentences.sessions(page, currency))


def one(call: Call) -> Response:
    """`GET /sessions/{id}`: one session and its journal."""
    found = call.tools.switch.session(call.machine, call.request.params.get("id", ""))
    if found is None:
        raise refuse(Detail.NO_SUCH_SESSION.of(machine=call.machine))
    session, journal = found
    lines = [
        {
            "at": documents.instant(line.at),
            "event": line.event,
            "text": line.text,
            "by": line.by,
        }
        for line in journal
    ]
    document = {"session": documents.session(session), "journal": lines}
    return call.answer(HTTPStatus.OK, document, sentences.session(session))


def _for_phone(query: Mapping[str, str], kind: Kind) -> None:
    many = _limit(query) > PHONE_MOST
    if many or "cursor" in query or kind is Kind.CSV:
        raise refuse(Detail.PHONES_SESSIONS.of(most=PHONE_MOST))


def _filter(query: Mapping[str, str]) -> SessionFilter:
    reason = query.get("reason")
    if reason is not None and reason not in set(StopReason):
        raise _bad("reason", Wrong.NO_REASON.of(known=", ".join(StopReason)))
    cursor = query.get("cursor")
    if cursor is not None and not _is_cursor(cursor):
        raise _bad("cursor", Wrong.NO_CURSOR.of())
    return SessionFilter(
        start=_instant(query, "from"),
        end=_instant(query, "to"),
        device=query.get("device"),
        reason=reason,
        limit=_limit(query),
        cursor=cursor,
    )


def _is_cursor(text: str) -> bool:
    return _CURSOR.fullmatch(text) is not None


def _limit(query: Mapping[str, str]) -> int:
    text = query.get("limit", str(PHONE_MOST))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST:
        raise _bad("limit", Wrong.NO_LIMIT.of(most=MOST))
    return int(text)


def _instant(query: Mapping[str, str], name: str) -> datetime | None:
    """Read a day (its 00:00 UTC) or an instant with its zone."""
    text = query.get(name)
    if text is None:
        return None
    try:
        if len(text) == len("2026-11-30"):
            return datetime.combine(date.fromisoformat(text), time(), UTC)
        return ensure_utc(datetime.fromisoformat(text))
    except ValueError:
        raise _bad(name, Wrong.NO_INSTANT.of()) from None


def _bad(field: str, why: Told) -> Refused:
    return refuse(Detail.BAD_QUERY.of(field=field, why=why), field=field)
