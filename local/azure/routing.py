"""What a request asks for: the kinds of call, a call, and a route to its handler."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from local.azure.wire import Reply, Request


class Kind(StrEnum):
    """Every call the local Azure knows; faults and counts name them so."""

    VM_GET = "vm.get"
    VM_VIEW = "vm.view"
    VM_START = "vm.start"
    VM_DEALLOCATE = "vm.deallocate"
    VM_POWER_OFF = "vm.power_off"
    VM_RUN_COMMAND = "vm.run_command"
    POLL = "operation.poll"
    BUDGET = "budget.get"
    DEPLOYMENT_READ = "deployment.read"
    DEPLOYMENT_WRITE = "deployment.write"
    DISK_READ = "disk.read"
    DISK_DELETE = "disk.delete"
    GROUP = "group"
    SITE = "site"
    STOCK = "stock.get"
    VM_DELETE = "vm.delete"
    NETWORK_READ = "network.read"
    NETWORK_WRITE = "network.write"
    SUBSCRIPTION = "subscription.get"
    ROLE_READ = "role.read"
    ROLE_WRITE = "role.write"
    TOKEN = "identity.token"  # noqa: S105 - a kind of call, no secret
    IMDS_TOKEN = "imds.token"  # noqa: S105 - a kind of call, no secret
    IMDS_INSTANCE = "imds.instance"
    PRICES = "prices.list"
    SECRET_LIST = "secret.list"  # noqa: S105 - a kind of call, no secret
    SECRET_GET = "secret.get"  # noqa: S105 - a kind of call, no secret
    SECRET_WRITE = "secret.write"  # noqa: S105 - a kind of call, no secret
    NOTICE = "notice.post"
    ADMIN = "admin"


VM_READS = frozenset({Kind.VM_GET, Kind.VM_VIEW})
VM_WRITES = frozenset({Kind.VM_START, Kind.VM_DEALLOCATE, Kind.VM_POWER_OFF})
VAULT = frozenset({Kind.SECRET_LIST, Kind.SECRET_GET, Kind.SECRET_WRITE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request whose route is known: who asks what of whom, and when."""

    request: Request
    kind: Kind
    service: str
    caller: str
    at: datetime
    parts: Mapping[str, str]

    @property
    def target(self) -> str:
        """The machine (or the vault) that is meant; empty where there is none."""
        return self.parts.get("vm", self.service)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A method and a path pattern; its named groups become the call's parts."""

    kind: Kind
    method: str
    pattern: re.Pattern[str]
    answer: Callable[[Call], Reply]


def route(kind: Kind, method: str, path: str, answer: Callable[[Call], Reply]) -> Route:
    """`/a/{b}/c` matches any one segment as `b`; Azure's paths ignore case."""
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)
    return Route(
        kind=kind,
        method=method,
        pattern=re.compile(pattern + "/?", re.IGNORECASE),
        answer=answer,
    )


def anywhere(
    kind: Kind, method: str, pattern: str, answer: Callable[[Call], Reply]
) -> Route:
    """A route by a regular expression: a scope has any number of segments."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return Route(kind=kind, method=method, pattern=compiled, answer=answer)
