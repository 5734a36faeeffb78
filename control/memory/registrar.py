"""The twin of the vault's writing side."""

from control.memory.tokens import MemoryTokens
from control.ports import Token


class MemoryRegistrar:
    """`ports.Registrar` on the twin of the vault."""

    def __init__(self, tokens: MemoryTokens) -> None:
        self._tokens = tokens

    def find(self, device: str) -> Token | None:
        """Return what the vault has of a device."""
        found = (each for each in self._tokens.read() if each.device == device)
        return next(found, None)

    def value(self, device: str) -> str | None:
        """Return a token itself."""
        return self._tokens.value(device)

    def make(self, token: Token, value: str) -> None:
        """Give a device this value."""
        self._tokens.add(token.device, value, token.scope, max_hours=token.max_hours)

    def disable(self, device: str) -> bool:
        """Disable a device's token."""
        if self.find(device) is None:
            return False
        self._tokens.disable(device)
        return True
