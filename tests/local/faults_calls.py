"""One call to each service of the local Azure, as the app would make it."""

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx

from local.azure import Budget, LocalAzure
from tests.local.faults_support import ask

_QUERY = {"api-version": "2019-08-01", "resource": "https://management.azure.com"}
H200 = (
    "armSkuName eq 'Standard_ND96isr_H200_v5' and armRegionName eq 'eastus2' "
    "and priceType eq 'Consumption'"
)


class Services:
    """One call to each service, as the app would make it."""

    def __init__(self, azure: LocalAzure, arm: httpx.Client, web: httpx.Client) -> None:
        self._azure, self._arm, self.web = azure, arm, web
        azure.add_secret("token-phone", "s3cret")
        azure.budgets.put(budget("12.5"))
        vault = azure.identity.issue("app", "https://vault.azure.net").text
        self._headers = {"Authorization": f"Bearer {vault}"}

    def ask(self, service: str) -> httpx.Response | None:
        calls: Mapping[str, Callable[[], httpx.Response]] = {
            "vault": lambda: self.secret(""),
            "secret": lambda: self.secret("/token-phone"),
            "identity": self.token,
            "imds": self.machines_token,
            "budget": self.budget,
            "prices": self.prices,
            "sink": lambda: self.web.post(f"{self._azure.sink_url}/x", json={"a": 1}),
        }
        return ask(calls[service])

    def secret(self, path: str) -> httpx.Response:
        url = f"{self._azure.vault.url}/secrets{path}"
        return self.web.get(url, headers=self._headers)

    def token(self) -> httpx.Response:
        headers = {"X-IDENTITY-HEADER": self._azure.identity_secret}
        query = {**_QUERY, "client_id": self._azure.client_id}
        return self.web.get(self._azure.identity_url, params=query, headers=headers)

    def machines_token(self) -> httpx.Response:
        query = {
            "api-version": "2018-02-01",
            "resource": "https://vault.azure.net",
            "client_id": self._azure.identity.client_id("vm"),
        }
        url = f"{self._azure.vm.imds_url}/metadata/identity/oauth2/token"
        return self.web.get(url, params=query, headers={"Metadata": "true"})

    def budget(self) -> httpx.Response:
        scope = f"/subscriptions/{self._azure.subscription_id}/providers"
        return self._arm.get(f"{scope}/Microsoft.Consumption/budgets/monthly")

    def prices(self) -> httpx.Response:
        return self.web.get(self._azure.prices_url, params={"$filter": H200})

    def spend(self) -> Any:
        return self.budget().json()["properties"]["currentSpend"]


def budget(spent: str) -> Budget:
    return Budget(
        name="monthly",
        amount=Decimal(5000),
        start=datetime(2026, 11, 1, tzinfo=UTC),
        end=datetime(2027, 2, 1, tzinfo=UTC),
        spent=Decimal(spent),
    )


@contextmanager
def calling(azure: LocalAzure, arm: httpx.Client) -> Iterator[Services]:
    """Let a client trust the local Azure for as long as a test takes."""
    context = ssl.create_default_context(cafile=azure.certificate.authority)
    with httpx.Client(verify=context, trust_env=False) as web:
        yield Services(azure, arm, web)
