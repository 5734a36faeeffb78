"""The machine as the payload's commands need it: does it run, and a word to it.

It is never started here: that is the switch's alone.
"""

from dataclasses import dataclass

from control.cli.place import Place
from control.clock import SystemClock
from control.payload.units import BOOTSTRAP
from control.words import Power

_LINES = (f"systemctl restart {BOOTSTRAP}", f"systemctl --no-pager status {BOOTSTRAP}")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What ARM says of a machine."""

    machine: str
    power: Power
    known: bool

    @property
    def running(self) -> bool:
        return self.known and self.power is Power.RUNNING

    def __str__(self) -> str:
        if not self.known:
            return f"ARM knows no machine {self.machine} yet"
        return f"{self.machine} does not run (it is {self.power})"


def state(place: Place) -> State:
    """Read a machine's power; one that is not there yet is no error."""
    from control.azure.credential import persons_login  # noqa: PLC0415 - slow: the SDKs
    from control.azure.machines import AzureMachines  # noqa: PLC0415 - the same
    from control.azure.sentences import silence_named  # noqa: PLC0415 - the same

    machines = AzureMachines(
        credential=persons_login(),
        endpoint=place.endpoint,
        subscription=place.subscription,
        resource_groups={place.machine: place.group},
        clock=SystemClock(),
    )
    with silence_named("Azure Resource Manager", "ARM_ENDPOINT"):
        read = machines.read(place.machine)
    return State(machine=place.machine, power=read.power, known=not read.not_found)


def take_payload(place: Place) -> str:
    """Let a running machine take what its pointer names; return what it printed."""
    from control.azure.credential import persons_login  # noqa: PLC0415 - slow: the SDKs
    from control.azure.run_command import RunCommand  # noqa: PLC0415 - the same

    commands = RunCommand(
        credential=persons_login(),
        endpoint=place.endpoint,
        subscription=place.subscription,
        clock=SystemClock(),
    )
    output = commands.run(place.group, place.machine, _LINES)
    return "\n".join(text for text in (output.stdout, output.stderr) if text)
