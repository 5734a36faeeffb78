"""The twin of the devices' vault."""

from dataclasses import replace
from decimal import Decimal
from hashlib import sha256

from control.errors import AzureError
from control.memory.failures import Failures
from control.ports import Scope, Token


class MemoryTokens:
    """`ports.Tokens` on a dictionary; `reads` counts the lists that were read."""

    def __init__(self) -> None:
        self.reads = 0
        self._secrets: dict[str, tuple[str, Token]] = {}
        self._failures = Failures()

    def add(
        self,
        device: str,
        value: str,
        scope: Scope,
        *,
        machine: str | None = None,
        max_hours: Decimal | None = None,
    ) -> None:
        """Add or replace a token."""
        token = Token(
            device=device,
            digest=sha256(value.encode()).digest(),
            scope=scope,
            machine=machine,
            max_hours=max_hours,
        )
        self._secrets[device] = value, token

    def disable(self, device: str) -> None:
        """Disable a token: its value is sealed, and so is its digest."""
        value, token = self._secrets[device]
        self._secrets[device] = value, replace(token, enabled=False, digest=b"")

    def remove(self, device: str) -> None:
        """Delete a token."""
        del self._secrets[device]

    def fail(self, error: AzureError, times: int | None = 1) -> None:
        """Let the next reads raise; `times` None until `recover`."""
        self._failures.plan("read", error, times)

    def recover(self) -> None:
        """Take every planned failure back."""
        self._failures.clear()

    def read(self) -> tuple[Token, ...]:
        """Return every token."""
        self.reads += 1
        self._failures.meet("read")
        return tuple(token for _, token in self._secrets.values())

    def value(self, device: str) -> str | None:
        """Return one token itself, None when missing or disabled."""
        self._failures.meet("read")
        value, token = self._secrets.get(device, (None, None))
        return value if token and token.enabled else None
