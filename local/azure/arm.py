"""Azure Resource Manager: the machines, their operations, and who may ask."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from local.azure import refusals
from local.azure.busy import Busy
from local.azure.faults.armed import Faults
from local.azure.limits import DELETE, POLL, READ, UPDATE, Bucket, Limits
from local.azure.machine import Machine
from local.azure.operations import Operation, Operations
from local.azure.plan import Plan, Power, Verb
from local.azure.routing import Call, Kind, Route, route
from local.azure.throttles import throttled_by_compute
from local.azure.tokens import Issuer
from local.azure.views import instance_view, resource
from local.azure.wire import Reply, error_reply, json_reply

AUDIENCE = "https://management.azure.com"
_VM = (
    "/subscriptions/{subscription}/resourceGroups/{group}"
    "/providers/Microsoft.Compute/virtualMachines/{vm}"
)
_OPERATION = (
    "/subscriptions/{subscription}/providers/Microsoft.Compute"
    "/locations/{location}/operations/{operation}"
)
_PARTITION = "54253b73-cb53-496f-ab42-5e5ee19426f8"
_WAIT = "10"
_FIRST_POLL = {Verb.START: "9", Verb.DEALLOCATE: "36"}
_BUCKETS = {
    Verb.START: UPDATE,
    Verb.DEALLOCATE: DELETE,
    Verb.POWER_OFF: UPDATE,
    Verb.RUN_COMMAND: UPDATE,
}
_PACED = frozenset({Verb.START, Verb.DEALLOCATE})
_SHELL = "RunShellScript"
_OPPOSITE = {
    Verb.START: Power.DEALLOCATING,
    Verb.DEALLOCATE: Power.STARTING,
}
_REACHING = {Verb.START: "deallocated", Verb.DEALLOCATE: "running"}
_REFUSED_WHILE_BUSY: Mapping[Busy, Callable[[Call, Verb], Reply]] = {
    Busy.NOT_ALLOWED: lambda call, verb: refusals.power_is_changing(
        call, _REACHING[verb], verb
    ),
    Busy.OTHER_OPERATION: lambda call, _: refusals.another_operation(call),
    Busy.MARKED: lambda call, _: refusals.marked_deallocated(call),
    Busy.CONFLICT: lambda _call, _verb: refusals.conflict(),
}
_WRITES = 1200
_READS = 12000

type Answer = Callable[[Call], Reply]
type MachineAnswer = Callable[[Call, Machine], Reply]


class Arm:
    """One subscription; `while_busy` picks what an opposite operation gets."""

    def __init__(
        self,
        subscription: str,
        machines: Mapping[str, Machine],
        issuer: Issuer,
        faults: Faults,
    ) -> None:
        self.operations = Operations()
        self.operation_offset = timedelta(0)
        self.operation_version = "2025-04-01"
        self.while_busy = {
            Verb.START: Busy.NOT_ALLOWED,
            Verb.DEALLOCATE: Busy.PREEMPTS,
        }
        self.read_only = False
        self.limits = Limits()
        self._subscription = subscription
        self._machines = machines
        self._issuer = issuer
        self._faults = faults
        self._writes = 0
        self._reads = 0

    @property
    def routes(self) -> list[Route]:
        """The machine's routes, guarded."""
        return [
            route(Kind.VM_GET, "GET", _VM, self._machine("read", self._get)),
            route(
                Kind.VM_VIEW,
                "GET",
                f"{_VM}/instanceView",
                self._machine("instanceView/read", self._view),
            ),
            self._action(Kind.VM_START, Verb.START),
            self._action(Kind.VM_DEALLOCATE, Verb.DEALLOCATE),
            self._action(Kind.VM_POWER_OFF, Verb.POWER_OFF),
            route(
                Kind.VM_RUN_COMMAND,
                "POST",
                f"{_VM}/{Verb.RUN_COMMAND}",
                self._machine("runCommand/action", self._run),
            ),
            route(Kind.POLL, "GET", _OPERATION, self.guarded(self._poll)),
        ]

    def guard(self, unguarded: Route) -> Route:
        """The same route behind the same check."""
        return replace(unguarded, answer=self.guarded(unguarded.answer))

    def guarded(self, answer: Answer) -> Answer:
        """Answer only a known, living token for ARM and this subscription."""

        def check(call: Call) -> Reply:
            return self._refusal(call) or answer(call)

        return check

    def _refusal(self, call: Call) -> Reply | None:
        if call.request.bearer is None:
            return refusals.no_token()
        token = self._issuer.find(call.request.bearer)
        if token is None:
            return refusals.unknown_token()
        if token.expired:
            return refusals.expired_token(token)
        if not token.is_for(AUDIENCE):
            return refusals.wrong_audience(token, AUDIENCE)
        if call.parts["subscription"].lower() != self._subscription.lower():
            return refusals.no_such_subscription(call)
        if not call.request.query.get("api-version"):
            return error_reply(
                400,
                "MissingApiVersionParameter",
                "The api-version query parameter (?api-version=) is required for all "
                "requests.",
            )
        return None

    def _machine(self, action: str, answer: MachineAnswer) -> Answer:
        def check(call: Call) -> Reply:
            group = call.parts["group"].lower()
            named = self._machines.get(call.parts["vm"].lower())
            groups = {m.spec.resource_group.lower() for m in self._machines.values()}
            if group not in groups:
                full = f"Microsoft.Compute/virtualMachines/{action}"
                return refusals.not_authorized(call, full)
            if (
                named is None
                or not named.exists
                or named.spec.resource_group.lower() != group
            ):
                return refusals.no_such_machine(call)
            return answer(call, named)

        return self.guarded(check)

    def _action(self, kind: Kind, verb: Verb) -> Route:
        def begin(call: Call, machine: Machine) -> Reply:
            return self._begin(call, machine, verb)

        answer = self._machine(f"{verb}/action", begin)
        return route(kind, "POST", f"{_VM}/{verb}", answer)

    def _get(self, call: Call, machine: Machine) -> Reply:
        if refusal := self._must_wait(READ, call, machine.spec.name):
            return refusal
        expanded = call.request.query.get("$expand", "").lower() == "instanceview"
        body = resource(machine, self._subscription, expanded=expanded)
        return json_reply(200, body, self._used(READ, call))

    def _view(self, call: Call, machine: Machine) -> Reply:
        if refusal := self._must_wait(READ, call, machine.spec.name):
            return refusal
        return json_reply(200, instance_view(machine), self._used(READ, call))

    def _begin(self, call: Call, machine: Machine, verb: Verb) -> Reply:
        if self.read_only:
            return refusals.disabled_subscription(call)
        if refusal := self._must_wait(_BUCKETS[verb], call, machine.spec.name):
            return refusal
        busy = self._busy(machine, verb)
        if busy is not None and busy in _REFUSED_WHILE_BUSY:
            return _REFUSED_WHILE_BUSY[busy](call, verb)
        operation = Operation(
            verb=verb,
            machine=machine.spec.name,
            started=machine.settled_at,
            caller=call.caller,
        )
        self.operations.add(operation)
        self._take_on(machine, operation, busy)
        return self._accepted(call, machine, operation)

    def _run(self, call: Call, machine: Machine) -> Reply:
        """Take a script on: as root in the guest, so for the operator alone."""
        if call.caller != refusals.OPERATOR:
            action = "Microsoft.Compute/virtualMachines/runCommand/action"
            return refusals.not_authorized(call, action)
        asked = call.request.json()
        if asked.get("commandId") != _SHELL:
            return refusals.no_such_command(asked.get("commandId"))
        if machine.power is not Power.RUNNING:
            return refusals.not_running()
        if machine.console.busy:
            return refusals.command_in_progress()
        operation = Operation(
            verb=Verb.RUN_COMMAND,
            machine=machine.spec.name,
            started=machine.settled_at,
            caller=call.caller,
        )
        self.operations.add(operation)
        machine.run(operation, asked.get("script", []))
        return self._accepted(call, machine, operation)

    def _take_on(
        self, machine: Machine, operation: Operation, busy: Busy | None
    ) -> None:
        verb = operation.verb

        def course() -> Plan:
            usual = machine.usual(verb)
            return self._faults.change(usual, machine.spec.name, operation.caller)

        if busy is Busy.IS_PREEMPTED:
            machine.preempt_later(operation)
        elif busy is Busy.WAITS or machine.awaits is verb:
            machine.queue(operation, course)
        elif machine.joinable(verb):
            machine.preempt_queue(operation.started)
            machine.join(operation)
        else:
            machine.preempt_queue(operation.started)
            machine.begin(course(), operation)

    def _busy(self, machine: Machine, verb: Verb) -> Busy | None:
        """Pick the answer where the opposite is under way or waits for its turn."""
        waiting = machine.awaits
        opposite = machine.power is _OPPOSITE.get(verb)
        if waiting is not None:
            opposite = waiting is not verb
        return self.while_busy.get(verb) if opposite else None

    def _accepted(self, call: Call, machine: Machine, operation: Operation) -> Reply:
        url = (
            f"{call.request.base}/subscriptions/{self._subscription}/providers"
            f"/Microsoft.Compute/locations/{machine.spec.location}/operations"
            f"/{operation.id}?p={_PARTITION}"
        )
        self._writes += 1
        headers = {
            "Location": f"{url}&monitor=true&api-version={self.operation_version}",
            "Azure-AsyncOperation": f"{url}&api-version={self.operation_version}",
            "Azure-AsyncNotification": "Enabled",
            "x-ms-ratelimit-remaining-subscription-writes": str(_WRITES - self._writes),
            "x-ms-request-id": operation.id,
            **self.limits.use(_BUCKETS[operation.verb], call.at),
        }
        if operation.verb in _PACED:
            headers["Retry-After"] = _WAIT
        return Reply(status=202, headers=headers)

    def _poll(self, call: Call) -> Reply:
        operation = self.operations.find(call.parts["operation"])
        headers = self._used(POLL, call)
        if operation is None:
            return error_reply(404, "NotFound", "The entity was not found.", headers)
        if refusal := self._must_wait(POLL, call, operation.machine):
            return refusal
        if call.request.query.get("monitor") == "true":
            return _monitor(operation, call, headers)
        operation.polls += 1
        if operation.ended is None and operation.polls == 1:
            headers |= {"Retry-After": _FIRST_POLL.get(operation.verb, _WAIT)}
        return json_reply(200, operation.body(self.operation_offset), headers)

    def _must_wait(self, bucket: Bucket, call: Call, machine: str) -> Reply | None:
        wait = self.limits.wait(bucket, machine, call.at)
        if wait is None:
            return None
        return throttled_by_compute(wait, bucket.name)

    def _used(self, bucket: Bucket, call: Call) -> dict[str, str]:
        self._reads += 1
        return {
            "x-ms-request-id": str(uuid.uuid4()),
            "x-ms-ratelimit-remaining-subscription-reads": str(_READS - self._reads),
            **self.limits.use(bucket, call.at),
        }


def _monitor(operation: Operation, call: Call, headers: dict[str, str]) -> Reply:
    if operation.ended is None:
        again = {"Location": call.request.base + call.request.path, **headers}
        return Reply(status=202, headers=again)
    if operation.failure is not None:
        failure = operation.failure
        return error_reply(409, failure.code, failure.message, headers)
    if operation.output is not None:
        return json_reply(200, operation.output, headers)
    return Reply(status=200, headers=headers)
