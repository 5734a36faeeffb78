"""The loopback back door for another process: state, faults, requests, behaviour.

It moves nothing that a test could not move through `Estate`.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.azure.budgets import Budget
from local.azure.phases import Phase
from local.azure.routing import Call, Kind, Route, route
from local.azure.vm import Vm
from local.azure.wire import Reply, error_reply, json_reply

if TYPE_CHECKING:
    from local.azure.estate import Estate

_SECONDS = frozenset({"gives_up_after", "drains_for", "beat_every"})


class Admin:
    """The routes under `/_local/`, all JSON."""

    def __init__(self, azure: "Estate") -> None:
        self._azure = azure

    @property
    def routes(self) -> list[Route]:
        """State and requests to read; faults, machines, vault, budget to change."""
        plain: list[tuple[str, str, Callable[[Call], Any]]] = [
            ("GET", "state", self._state),
            ("GET", "requests", self._requests),
            ("GET", "notices", self._notices),
            ("GET", "faults", self._faults),
            ("POST", "faults", self._arm),
            ("DELETE", "faults", self._clear),
            ("POST", "machines/{vm}/guest", self._guest),
            ("POST", "machines/{vm}/do/{deed}", self._do),
            ("PUT", "vaults/{vault}/secrets/{secret}", self._secret),
            ("PUT", "budget", self._budget),
            ("POST", "settle", self._settle),
        ]
        return [
            route(Kind.ADMIN, method, f"/_local/{path}", _checked(answer))
            for method, path, answer in plain
        ]

    def _state(self, _: Call) -> Any:
        azure = self._azure
        return {
            "now": azure.now(),
            "machines": [_machine(vm) for vm in azure.vms],
            "unknown_routes": azure.unknown_routes,
            "operations": [asdict(each) for each in azure.arm.operations.all],
        }

    def _requests(self, call: Call) -> Any:
        since = int(call.request.query.get("since", "0"))
        return [asdict(each) for each in self._azure.log.seen[since:]]

    def _notices(self, _: Call) -> Any:
        return [asdict(each) for each in self._azure.sink.notices]

    def _faults(self, _: Call) -> Any:
        faults = self._azure.faults
        armed = [
            {"name": each.name, "left": each.left, "target": each.target}
            for each in faults.armed
        ]
        return {"known": faults.names, "armed": armed}

    def _arm(self, call: Call) -> Any:
        body = call.request.json()
        kinds = body.pop("kinds", None)
        body["kinds"] = frozenset(map(Kind, kinds)) if kinds else None
        self._azure.faults.arm(body.pop("name"), **body)
        return self._faults(call)

    def _clear(self, call: Call) -> Any:
        query = call.request.query
        self._azure.faults.clear(query.get("name"), query.get("target"))
        return self._faults(call)

    def _guest(self, call: Call) -> Any:
        """Connect it, change its habits, set its gauges: whatever is named."""
        vm, body = self._azure.machine(call.parts["vm"]), call.request.json()
        if "base" in body:
            authority = body.pop("authority", None)
            path = Path(authority) if authority else None
            vm.connect(body.pop("base"), body.pop("token"), path)
        if "gauges" in body:
            vm.use(**body.pop("gauges"))
        if "takes" in body:
            takes = {Phase(k): timedelta(seconds=v) for k, v in body["takes"].items()}
            body["takes"] = {**vm.guest.habits.takes, **takes}
        if "rendered" in body:
            body["rendered"] = replace(vm.guest.habits.rendered, **body["rendered"])
        if body:
            vm.behave(**{name: _habit(name, value) for name, value in body.items()})
        return _machine(vm)

    def _do(self, call: Call) -> Any:
        vm = self._azure.machine(call.parts["vm"])
        deeds: dict[str, Callable[[], object]] = {
            "start_outside": vm.start_outside,
            "deallocate_outside": vm.deallocate_outside,
            "power_off_outside": vm.power_off_outside,
            "evict": vm.evict,
            "move_host": vm.move_host,
            "shut_down_inside": vm.shut_down_inside,
            "reboot": vm.reboot,
            "remove": vm.remove,
            "restore": vm.restore,
            "come_on": vm.come_on,
            "rest": vm.rest,
            "forget_activity": vm.forget_activity,
            "beat": vm.beat,
        }
        deeds[call.parts["deed"]]()
        return _machine(vm)

    def _secret(self, call: Call) -> Any:
        azure, body = self._azure, call.request.json()
        vaults = {each.name: each for each in (azure.vault, azure.machine_vault)}
        azure.put_secret(
            vaults[call.parts["vault"]],
            call.parts["secret"],
            body["value"],
            tags=body.get("tags"),
            enabled=body.get("enabled", True),
        )
        return {}

    def _budget(self, call: Call) -> Any:
        body = call.request.json()
        for name in ("amount", "spent"):
            if body.get(name) is not None:
                body[name] = Decimal(str(body[name]))
        for name in ("start", "end"):
            body[name] = datetime.fromisoformat(body[name])
        self._azure.budgets.put(Budget(**body))
        return {}

    def _settle(self, call: Call) -> Any:
        self._azure.settle()
        return self._state(call)


def _machine(vm: Vm) -> dict[str, Any]:
    return {
        "name": vm.name,
        "power": vm.power,
        "phase": vm.phase,
        "exists": vm.machine.exists,
        "provisioning": asdict(vm.machine.provisioning),
        "billed_seconds": vm.billed_seconds(),
        "billed": [asdict(each) for each in vm.machine.meter.stretches],
        "beats": len(vm.beats),
        "last_beat": asdict(vm.beats[-1]) if vm.beats else None,
    }


def _habit(name: str, value: Any) -> Any:
    if name == "fixed" and value is not None:
        return Phase(value)
    if name in _SECONDS and value is not None:
        return timedelta(seconds=value)
    return value


def _checked(answer: Callable[[Call], Any]) -> Callable[[Call], Reply]:
    def reply(call: Call) -> Reply:
        try:
            return json_reply(200, _plain(answer(call)))
        except (KeyError, ValueError, TypeError, StopIteration) as error:
            return error_reply(400, "BadLocalRequest", f"{error!r}")

    return reply


def _plain(value: Any) -> Any:
    """JSON's own types; instants as text."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value
