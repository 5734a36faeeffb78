"""Both sides of each contract: the twin, and the adapter with the local Azure behind.

A world brings about what a test names, by the means of its own side; the ports alone
are looked at.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Protocol

from control.azure.budgets import AzureReports
from control.azure.credential import managed_identity
from control.azure.registrar import VaultRegistrar
from control.azure.vault import VaultTokens
from control.errors import (
    Evidence,
    Throttled,
    Unavailable,
)
from control.memory import (
    MemoryNotices,
    MemoryPrices,
    MemoryRegistrar,
    MemoryReports,
    MemoryTokens,
)
from control.model import Report
from control.notices import AppriseNotices
from control.ports import (
    Notices,
    Prices,
    Registrar,
    Reports,
    Scope,
    Tokens,
)
from control.prices import RetailPrices
from local.azure import Budget, LocalAzure, Price
from local.clock import SharedClock

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
VM = "vm-kimi-01"
_NOVEMBER = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
_SKU = "Standard_ND96isr_H200_v5"


class ReportsWorld(Protocol):
    """A budget for November with a figure."""

    @property
    def reports(self) -> Reports: ...

    def spend(self, amount: Decimal | None) -> None: ...
    def fail(self) -> None: ...


class MemoryReportsWorld:
    """The twin is told."""

    def __init__(self) -> None:
        self.reports = MemoryReports()

    def spend(self, amount: Decimal | None) -> None:
        start, end = _NOVEMBER
        if amount is None:
            self.reports.report = None
            return
        self.reports.report = Report(
            amount=amount, currency="USD", start=start, end=end, at=NOW
        )

    def fail(self) -> None:
        self.reports.fail(Throttled(Evidence(status=429)))


class AzureReportsWorld:
    """The local Azure has evaluated its budget."""

    def __init__(self, azure: LocalAzure) -> None:
        self._azure = azure
        self.reports = AzureReports(
            credential=managed_identity(azure.client_id),
            endpoint=azure.arm_url,
            scope=f"/subscriptions/{azure.subscription_id}",
            budget="monthly",
            currency="USD",
        )
        self.spend(None)

    def spend(self, amount: Decimal | None) -> None:
        self._azure.budgets.put(
            Budget(
                name="monthly",
                amount=Decimal(5000),
                start=datetime(2026, 9, 1, tzinfo=UTC),
                end=datetime(2027, 9, 1, tzinfo=UTC),
                spent=amount,
            )
        )

    def fail(self) -> None:
        self._azure.faults.arm("budget_throttled")


class PricesWorld(Protocol):
    """A price list for one size in one region."""

    @property
    def prices(self) -> Prices: ...

    def list(self, price: Decimal | None) -> None: ...
    def fail(self) -> None: ...


class MemoryPricesWorld:
    """The twin is told."""

    def __init__(self) -> None:
        self.prices = MemoryPrices()

    def list(self, price: Decimal | None) -> None:
        self.prices.price = price

    def fail(self) -> None:
        self.prices.fail(Throttled(Evidence(status=429)))


class AzurePricesWorld:
    """The local Azure lists the price among its look-alikes."""

    def __init__(self, azure: LocalAzure) -> None:
        self._azure = azure
        self.prices = RetailPrices(
            endpoint=azure.prices_url, sku=_SKU, region="eastus2", currency="USD"
        )

    def list(self, price: Decimal | None) -> None:
        rows = [
            Price(price=1.0, suffix=" Spot"),
            Price(price=2.0, suffix=" Low Priority"),
            Price(price=407_526.0, kind="Reservation", term="1 Year"),
            Price(price=3.0, kind="DevTestConsumption"),
            Price(price=4.0, product="Virtual Machines NDsrH200v5 Series Windows"),
        ]
        if price is not None:
            rows.insert(2, Price(price=float(price)))
        self._azure.prices.replace(rows)
        self._azure.prices.page_size = 2

    def fail(self) -> None:
        self._azure.faults.arm("prices_throttled")


class TokensWorld(Protocol):
    """A vault of devices' tokens."""

    @property
    def tokens(self) -> Tokens: ...
    @property
    def registrar(self) -> Registrar: ...

    def add(
        self,
        device: str,
        value: str,
        scope: Scope,
        machine: str | None = None,
        max_hours: Decimal | None = None,
    ) -> None: ...
    def disable(self, device: str) -> None: ...
    def remove(self, device: str) -> None: ...
    def fail(self) -> None: ...


class MemoryTokensWorld:
    """The twin is told."""

    def __init__(self) -> None:
        self.tokens = MemoryTokens()
        self.registrar = MemoryRegistrar(self.tokens)

    def add(
        self,
        device: str,
        value: str,
        scope: Scope,
        machine: str | None = None,
        max_hours: Decimal | None = None,
    ) -> None:
        self.tokens.add(device, value, scope, machine=machine, max_hours=max_hours)

    def disable(self, device: str) -> None:
        self.tokens.disable(device)

    def remove(self, device: str) -> None:
        self.tokens.remove(device)

    def fail(self) -> None:
        self.tokens.fail(Unavailable(Evidence(status=503)))


class AzureTokensWorld:
    """The local Azure's vault holds them, a second after one another."""

    def __init__(self, azure: LocalAzure, clock: SharedClock) -> None:
        self._azure = azure
        self._clock = clock
        self.tokens = VaultTokens(
            credential=managed_identity(azure.client_id), url=azure.vault.url
        )
        operator = managed_identity(azure.identity.client_id("operator"))
        self.registrar = VaultRegistrar(credential=operator, url=azure.vault.url)

    def add(
        self,
        device: str,
        value: str,
        scope: Scope,
        machine: str | None = None,
        max_hours: Decimal | None = None,
    ) -> None:
        self._clock.advance(timedelta(seconds=1))
        tags = {"scope": scope.value}
        tags |= {"machine": machine} if machine else {}
        tags |= {"max_hours": str(max_hours)} if max_hours else {}
        self._azure.add_secret(f"token-{device}", value, tags=tags)

    def disable(self, device: str) -> None:
        self._clock.advance(timedelta(seconds=1))
        self._azure.enable_secret(f"token-{device}", enabled=False)

    def remove(self, device: str) -> None:
        self._azure.remove_secret(f"token-{device}")

    def fail(self) -> None:
        self._azure.faults.arm("vault_unreachable", times=1)


class NoticesWorld(Protocol):
    """A place where notices arrive."""

    @property
    def notices(self) -> Notices: ...

    def arrived(self) -> list[str]: ...
    def fail(self) -> None: ...


class MemoryNoticesWorld:
    """The twin keeps them."""

    def __init__(self) -> None:
        self.notices = MemoryNotices()

    def arrived(self) -> list[str]:
        return [f"{title} {text}" for title, text in self.notices.sent]

    def fail(self) -> None:
        self.notices.fail(Unavailable(Evidence()))


class AzureNoticesWorld:
    """The local Azure's sink takes them."""

    def __init__(self, azure: LocalAzure) -> None:
        self._azure = azure
        url = azure.sink_url.replace("http://", "json://")
        self.notices = AppriseNotices(lambda: url)

    def arrived(self) -> list[str]:
        return [notice.body for notice in self._azure.sink.notices]

    def fail(self) -> None:
        self._azure.faults.arm("sink_error")
