"""A recorded answer on the wire, and our adapters that meet it there."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from control.azure.budgets import AzureReports
from control.azure.machines import AzureMachines
from control.azure.vault import VaultTokens
from control.memory import MemoryClock
from control.prices import RetailPrices
from tests.evidence.shared import Response
from tests.unit.azure.stub import Credential, Stub

AT = datetime(2018, 12, 3, 23, 33, 26, tzinfo=UTC)
MACHINE, GROUP, SUBSCRIPTION = "vm-state-mod", "rg-1", "sub-1"
_URLS = {"location", "azure-asyncoperation"}
_CHALLENGE = {
    "WWW-Authenticate": 'Bearer authorization="https://login.example/t", '
    'resource="https://vault.azure.net"'
}
_OF_THE_SENDER = {"content-length", "transfer-encoding"}


class Replay:
    """Answers with recordings, each in its turn; URLs lead back to it."""

    def __init__(self, stub: Stub) -> None:
        self.stub = stub

    @cached_property
    def machines(self) -> AzureMachines:
        return AzureMachines(
            credential=Credential(),
            endpoint=self.stub.url,
            subscription=SUBSCRIPTION,
            resource_groups={MACHINE: GROUP},
            clock=MemoryClock(AT),
        )

    @cached_property
    def budgets(self) -> AzureReports:
        return AzureReports(
            credential=Credential(),
            endpoint=self.stub.url,
            scope=f"/subscriptions/{SUBSCRIPTION}",
            budget="kimi",
            currency="USD",
        )

    def prices(self, size: str, region: str) -> RetailPrices:
        return RetailPrices(
            endpoint=self.stub.url, sku=size, region=region, currency="USD"
        )

    def challenged(self) -> VaultTokens:
        """A vault's client that has no token yet."""
        return VaultTokens(credential=Credential(), url=self.stub.url)

    def tell(self, response: Response, *, challenged: bool = False) -> None:
        """Answer next with this: status, headers and body."""
        if challenged:
            self.stub.tell(401, b"", _CHALLENGE)
        body = response["body"]
        self.stub.tell(
            response["status"],
            b"" if body == "" else body,
            self._headers(response["headers"]),
        )

    def here(self, url: str) -> str:
        """The same URL on this host; not all recorders kept theirs."""
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        return self.stub.url + parts.path + query

    def _headers(self, theirs: Mapping[str, Any]) -> dict[str, str]:
        """One line for each value: names differ by case where there are several."""
        ours: dict[str, str] = {}
        for name, value in theirs.items():
            if name in _OF_THE_SENDER:
                continue
            lines = value if isinstance(value, list) else [value]
            for written, line in zip((name.title(), name.upper()), lines, strict=False):
                ours[written] = self.here(line) if name in _URLS else line
        return ours
