"""What run-command does in a guest: one script at a time, and what it prints."""

from collections.abc import Callable, Sequence
from typing import Any

type Script = tuple[str, ...]
type Printed = tuple[str, str]


def _silent(_: Script) -> Printed:
    return "", ""


class Console:
    """The scripts that ran, oldest first; `prints` gives a script's two streams."""

    def __init__(self) -> None:
        self.ran: list[Script] = []
        self.prints: Callable[[Script], Printed] = _silent
        self.busy = False

    def begin(self, script: Sequence[str]) -> None:
        self.ran.append(tuple(script))
        self.busy = True

    def end(self) -> dict[str, Any]:
        """The output as Azure's agent reports it: both streams in one message."""
        self.busy = False
        stdout, stderr = self.prints(self.ran[-1])
        status = {
            "code": "ProvisioningState/succeeded",
            "level": "Info",
            "displayStatus": "Provisioning succeeded",
            "message": f"Enable succeeded: \n[stdout]\n{stdout}\n[stderr]\n{stderr}",
        }
        return {"value": [status]}
