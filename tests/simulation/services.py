"""Whatever else the app calls, from the twins: the vault, prices, budget and notices.

None of them waits: the vault is read under a lock of the app, and the others come
after enforcement. Their spells are the twins' own lasting failures.
"""

from dataclasses import dataclass, field
from decimal import Decimal

from control.memory import MemoryNotices, MemoryPrices, MemoryReports, MemoryTokens
from control.ports import Scope

PHONE, TABLET, OPERATOR = "phone", "tablet", "operator"
_SCOPES = {PHONE: Scope.PHONE, TABLET: Scope.PHONE, OPERATOR: Scope.OPERATOR}


@dataclass(frozen=True)
class Services:
    """The twins, and the tokens of everybody who calls."""

    prices: MemoryPrices
    reports: MemoryReports = field(default_factory=MemoryReports)
    notices: MemoryNotices = field(default_factory=MemoryNotices)
    tokens: MemoryTokens = field(default_factory=MemoryTokens)

    def admit(self, machines: tuple[str, ...]) -> None:
        """Give a token to everybody; the tablet may have three hours at most."""
        for device, scope in _SCOPES.items():
            most = Decimal(3) if device == TABLET else None
            self.tokens.add(device, device, scope, max_hours=most)
        for name in machines:
            self.tokens.add(name, name, Scope.VM, machine=name)
