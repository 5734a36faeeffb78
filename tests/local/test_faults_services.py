"""The other services under their faults: vault, identity, budget, prices, notices."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure
from local.azure.faults.budgets import WORDINGS
from tests.local.faults_calls import Services, calling
from tests.local.faults_support import each, said, sees

_CONSUMPTION = "x-ms-ratelimit-microsoft.consumption-retry-after"
_ENTITY = "x-ms-ratelimit-microsoft.costmanagement-entity-retry-after"


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a service answers under a fault; status 0 is a closed connection."""

    name: str
    status: int
    words: str = ""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def service(self) -> str:
        return self.name.partition("_")[0]


def unsupported(wording: str, status: int, words: str) -> Row:
    return Row(
        name="budget_unsupported",
        status=status,
        words=words,
        parameters={"wording": wording},
    )


def ends(service: str, error: str) -> list[Row]:
    return [
        Row(name=f"{service}_unreachable", status=0),
        Row(name=f"{service}_error", status=500, words=error),
    ]


SERVICES = [
    *ends("vault", "InternalServerError An internal error occurred."),
    *ends("identity", "An unexpected error occurred while fetching the token."),
    *ends("imds", '"error": "internal error"'),
    Row(name="imds_missing", status=404, words='"error": "not found"'),
    Row(name="imds_updating", status=410, words="IMDS is being updated."),
    Row(name="imds_throttled", status=429, words="Rate limit is exceeded."),
    Row(
        name="imds_throttled",
        status=429,
        headers={"retry-after": "5"},
        parameters={"retry_after": 5},
    ),
    Row(name="imds_no_identity", status=400, words="Identity not found"),
    *ends("budget", "InternalServerError An internal error occurred."),
    *ends("prices", "InternalServerError An internal error occurred."),
    *ends("sink", "InternalServerError An internal error occurred."),
    Row(
        name="vault_challenged",
        status=401,
        words="AKV10032",
        headers={
            "www-authenticate": 'Bearer authorization="https://login.microsoftonline'
            '.com/7a3c1f0e-5d2b-4c6a-9e8f-112233445566", '
            'resource="https://vault.azure.net"'
        },
    ),
    Row(
        name="vault_forbidden",
        status=403,
        words='"innererror": {"code": "ForbiddenByFirewall"}',
    ),
    Row(
        name="vault_throttled",
        status=429,
        words="Throttled Request was not processed because too many requests",
        headers={"retry-after": "10"},
    ),
    Row(
        name="vault_throttled",
        status=429,
        headers={"retry-after": None},
        parameters={"retry_after": None},
    ),
    Row(
        name="secret_deleted",
        status=404,
        words="SecretNotFound A secret with (name/id) token-phone was not found",
    ),
    Row(
        name="identity_throttled",
        status=429,
        words='"Message": "Too many requests."',
        headers={"retry-after": "5"},
    ),
    Row(
        name="identity_throttled",
        status=429,
        headers={"retry-after": None},
        parameters={"retry_after": None},
    ),
    Row(name="identity_updating", status=410, words="is being updated. Retry in 70 s."),
    Row(
        name="budget_throttled",
        status=429,
        words="429 Too many requests. Please retry.",
        headers={
            _ENTITY: "30",
            "retry-after": None,
            "x-ms-ratelimit-remaining-microsoft.costmanagement-entity-requests": (
                "DefaultQuota:0"
            ),
        },
    ),
    Row(
        name="budget_throttled",
        status=429,
        headers={_CONSUMPTION: "5", _ENTITY: None},
        parameters={"by": "consumption", "retry_after": 5},
    ),
    unsupported("sponsored", 400, "400 Cost Management supports only Enterprise"),
    unsupported("older", 400, "is not associated with a valid offer type"),
    unsupported("type", 400, "SubscriptionTypeNotSupported "),
    unsupported("account", 400, "AccountCostDisabled "),
    unsupported("indirect", 403, "IndirectCostDisabled "),
    unsupported("disallowed", 400, "DisallowedOperation "),
    Row(name="budget_forbidden", status=403, words="RBACAccessDenied "),
    Row(
        name="budget_forbidden",
        status=403,
        words="BillingAccessDenied ",
        parameters={"code": "BillingAccessDenied"},
    ),
    Row(name="budget_missing", status=404, words="404 Budget not found."),
    Row(name="budget_failed_dependency", status=424, words="FailedDependency "),
    Row(
        name="budget_html",
        status=200,
        words="<h1>Our services aren't available right now</h1>",
        headers={"content-type": "text/html"},
    ),
    Row(
        name="prices_throttled",
        status=429,
        words="429 Too many requests. Please retry.",
        headers={
            "x-ms-ratelimit-retailprices-retry-after": "60",
            "x-ms-ratelimit-remaining-retailprices-requests": "0",
            "retry-after": None,
        },
    ),
]


@pytest.fixture
def services(azure: LocalAzure, arm: httpx.Client) -> Iterator[Services]:
    with calling(azure, arm) as made:
        yield made


def check(row: Row, answer: httpx.Response | None) -> None:
    if answer is None:
        assert row.status == 0
        return
    assert answer.status_code == row.status
    assert row.words in said(answer)
    for name, value in row.headers.items():
        assert answer.headers.get(name) == value


def well(answer: httpx.Response | None) -> bool:
    return answer is not None and answer.is_success and "<h1>" not in answer.text


@each(SERVICES)
def test_a_service_answers_as_its_fault_says(
    azure: LocalAzure, services: Services, row: Row
) -> None:
    """Until it is cleared, or for as many calls as were armed; the others are well."""
    azure.faults.arm(row.name, times=None, **row.parameters)
    for service in ("vault", "secret", "identity", "budget", "prices", "sink"):
        answer = services.ask(service)
        if service == row.service or (service, row.service) == ("secret", "vault"):
            check(row, answer)
        else:
            assert well(answer), service
    azure.faults.clear()
    assert well(services.ask(row.service))
    azure.faults.arm(row.name, times=2, **row.parameters)
    for _ in range(2):
        check(row, services.ask(row.service))
    assert azure.faults.armed == []
    assert well(services.ask(row.service))


def test_every_wording_of_an_unsupported_offer_is_seen() -> None:
    """The table above has each."""
    seen = [
        row.parameters["wording"] for row in SERVICES if "wording" in row.parameters
    ]
    assert seen == list(WORDINGS)


@sees("vault_slow", "identity_slow", "imds_slow")
@pytest.mark.parametrize("service", ["vault", "identity", "imds"])
def test_a_slow_service_takes_real_seconds(
    azure: LocalAzure, services: Services, service: str
) -> None:
    """The answer is good when it comes; the next one is quick."""
    azure.faults.arm(f"{service}_slow", seconds=0.2)
    slow, quick = services.ask(service), services.ask(service)
    assert well(slow)
    assert well(quick)
    assert slow is not None
    assert slow.elapsed >= timedelta(seconds=0.2)
    assert azure.faults.armed == []


@sees("identity_stale")
def test_a_token_that_has_expired_is_given_out(
    azure: LocalAzure, services: Services, arm: httpx.Client, vm_path: str
) -> None:
    """The identity says when it expired, and ARM refuses it; the next one is good."""
    azure.faults.arm("identity_stale")
    given = services.token().json()
    azure.faults.clear()
    good = services.token().json()
    assert int(given["expires_on"]) < int(given["not_before"]) + 300
    found = [
        arm.get(vm_path, headers={"Authorization": f"Bearer {each['access_token']}"})
        for each in (given, good)
    ]
    assert [each.status_code for each in found] == [401, 200]
    assert "ExpiredAuthenticationToken" in said(found[0])
