"""The twins of Azure's budget and of its price list."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from control.errors import AzureError
from control.memory.failures import Failures
from control.model import Quote, Report


class MemoryReports:
    """`ports.Reports`: the figure that was set."""

    def __init__(self, report: Report | None = None) -> None:
        self.report = report
        self._failures = Failures()

    def fail(self, error: AzureError, times: int | None = 1) -> None:
        """Let the next reads raise."""
        self._failures.plan("read", error, times)

    def recover(self) -> None:
        """Take every planned failure back."""
        self._failures.clear()

    def read(self, now: datetime) -> Report | None:
        """Return the figure as of `now`, within its window alone."""
        self._failures.meet("read")
        if self.report is None or not self.report.start <= now < self.report.end:
            return None
        return replace(self.report, at=now)


class MemoryPrices:
    """`ports.Prices`: the price that was set, and its currency."""

    def __init__(self, price: Decimal | None = None, currency: str = "USD") -> None:
        self.price = price
        self.currency = currency
        self._failures = Failures()

    def fail(self, error: AzureError, times: int | None = 1) -> None:
        """Let the next quotes raise."""
        self._failures.plan("quote", error, times)

    def recover(self) -> None:
        """Take every planned failure back."""
        self._failures.clear()

    def quote(self, now: datetime) -> Quote | None:
        """Return the price, learnt `now`."""
        self._failures.meet("quote")
        if self.price is None:
            return None
        return Quote(price_per_hour=self.price, currency=self.currency, at=now)
