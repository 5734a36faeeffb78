"""The means of wire faults: refuse, lose an answer, be slow, say something else."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from local.azure.faults.kinds import Answer, Fault, Make, WireFault
from local.azure.routing import Call, Kind
from local.azure.wire import HANG_UP, Reply

type Kinds = frozenset[Kind]


def refuse(kinds: Kinds, refusal: Callable[[Call], Reply]) -> Fault:
    """Answer with a refusal; the call is not taken."""
    return WireFault(kinds=kinds, act=lambda call, _: refusal(call))


def always(kinds: Kinds, refusal: Callable[[], Reply]) -> Make:
    """Offer a refusal that is the same whatever was asked."""
    return lambda: refuse(kinds, lambda _: refusal())


def told(kinds: Kinds, refusal: Callable[[Call], Reply]) -> Make:
    """Offer a refusal that names what was asked."""
    return lambda: refuse(kinds, refusal)


def chosen[T](table: Mapping[str, T], name: str) -> T:
    """Pick by name; a name that is not there is told with those that are."""
    if name not in table:
        raise ValueError(f"no {name!r}: {', '.join(table)}")
    return table[name]


def hang_up() -> Reply:
    return HANG_UP


def lost(kinds: Kinds) -> Fault:
    """Azure takes the call and the connection closes before the answer."""
    return taken(kinds, lambda _: hang_up())


def taken(kinds: Kinds, instead: Callable[[Call], Reply]) -> Fault:
    """Azure takes the call and then answers something else."""

    def act(call: Call, answer: Answer) -> Reply:
        answer()
        return instead(call)

    return WireFault(kinds=kinds, act=act)


def slow(kinds: Kinds, seconds: float) -> Fault:
    """Azure takes the call and lets the caller wait for real seconds."""

    def act(_: Call, answer: Answer) -> Reply:
        reply = answer()
        threading.Event().wait(seconds)
        return reply

    return WireFault(kinds=kinds, act=act)


def altered(kinds: Kinds, change: Callable[[dict[str, Any]], None]) -> Fault:
    """Let a good answer say something else; what it tells of is as it was."""

    def act(_: Call, answer: Answer) -> Reply:
        reply = answer()
        if reply.status != HTTPStatus.OK:
            return reply
        body = reply.json()
        change(body)
        return replace(reply, body=json.dumps(body).encode())

    return WireFault(kinds=kinds, act=act)
