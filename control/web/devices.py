"""Devices and pairing: the list, a code for one, and a token in exchange for it."""

import secrets
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from control.devices import Admitted, Code
from control.errors import AzureError, LedgerError
from control.ports import Token
from control.said.answers import Answer
from control.said.book import counted
from control.said.problems import Detail
from control.web.bodies import PairBody, read
from control.web.call import Call
from control.web.documents import instant, maybe, number
from control.web.http import Response
from control.web.problems import Problem, Refused, refuse
from control.web.roster import Listed

CODE_LIVES = timedelta(minutes=10)
CODE_LENGTH = 10
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def listed(call: Call) -> Response:
    """`GET /devices`: who may call; never a token."""
    tokens = _reached(call.tools.roster.listed()).tokens or ()
    seen = {row.device: row.checked_at for row in _rows(call)}
    devices = [
        {
            "name": token.device,
            "scope": token.scope,
            "machine": token.machine,
            "max_hours": number(token.max_hours) if token.max_hours else None,
            "enabled": token.enabled,
            "last_used_at": maybe(seen.get(token.device)),
        }
        for token in sorted(tokens, key=lambda token: token.device)
    ]
    names = ", ".join(str(device["name"]) for device in devices)
    said = Answer.NO_DEVICES.say()
    if devices:
        said = Answer.DEVICES.say(count=counted(len(devices), "device"), names=names)
    return call.answer(HTTPStatus.OK, {"devices": devices}, said)


def code(call: Call) -> Response:
    """`POST /devices/{name}/code`: a code for an existing, enabled token."""
    tools, name = call.tools, call.request.params.get("name", "")
    if _value(call, name) is None:
        raise refuse(Detail.NO_SUCH_DEVICE.of())
    made = "".join(secrets.choice(_ALPHABET) for _ in range(CODE_LENGTH))
    expires_at = call.now + CODE_LIVES
    tools.devices.put_code(_hash(made), name, expires_at)
    document = {"code": made, "expires_at": instant(expires_at)}
    said = Answer.CODE.say(device=name, code=made)
    return call.answer(HTTPStatus.CREATED, document, said)


def pair(call: Call) -> Response:
    """`POST /pair`: a code for a token; of two at once one wins."""
    tools = call.tools
    row = _valid(call, read(PairBody, call.request).code)
    value = _value(call, row.device)
    token = _token(call, row.device)
    if value is None or token is None:
        raise _spent()
    if not tools.devices.spend_code(row):
        raise _spent()
    digest = sha256(value.encode()).digest()
    admitted = Token(
        device=token.device,
        digest=digest,
        scope=token.scope,
        machine=token.machine,
        max_hours=token.max_hours,
    )
    tools.devices.admit(admitted, call.now)
    document = {
        "token": value,
        "device": token.device,
        "scope": token.scope,
        "machine": token.machine,
    }
    answer = call.answer(HTTPStatus.OK, document, value)
    # As text it is pasted into a header, and a line's end must not go along.
    return replace(answer, body=answer.body.rstrip(b"\n"))


def _valid(call: Call, typed: str) -> Code:
    """Return the row of a code that still counts: one point read."""
    text = typed.upper().translate(_MISREAD)
    row = call.tools.devices.code(_hash(text))
    if row is None or row.expires_at <= call.now:
        raise _spent()
    return row


def _value(call: Call, name: str) -> str | None:
    try:
        return call.tools.tokens.value(name)
    except AzureError as error:
        raise _vault() from error


def _token(call: Call, name: str) -> Token | None:
    """Return what the vault says of a device; one that is new asks the vault again."""
    roster = call.tools.roster
    return roster.listed().device(name) or _reached(roster.read_again()).device(name)


def _reached(listed: Listed) -> Listed:
    if not listed.reached:
        raise _vault()
    return listed


def _rows(call: Call) -> tuple[Admitted, ...]:
    try:
        return call.tools.devices.all()
    except LedgerError:
        return ()


def _hash(code: str) -> str:
    return sha256(code.encode()).hexdigest()


def _spent() -> Refused:
    return refuse(Detail.SPENT_CODE.of())


def _vault() -> Refused:
    return Refused(Problem(told=Detail.VAULT_KEEPS_CODE.of(), retry_after=60))
