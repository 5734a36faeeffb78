"""What a subscription must be like before a deployment."""

from datetime import date

import pytest

from control.deployment.preflight import PROVIDERS, Deleted, Meant, Seen, faults

TODAY = date(2026, 12, 3)
NOW, BEFORE = date(2026, 12, 1), date(2026, 11, 1)
READY = dict.fromkeys(PROVIDERS, "Registered")
BOTH = ("kimi-credit", "kimi-monthly")


def said(meant: date | None = NOW, prefix: str = "kimi", **seen: object) -> list[str]:
    usual: dict[str, object] = {"providers": READY, "deleted": (), "budget_starts": {}}
    about = Seen(**{**usual, **seen})  # type: ignore[arg-type]
    return faults(about, Meant(prefix=prefix, budgets_from=meant), TODAY)


def test_a_subscription_that_is_ready() -> None:
    """Nothing is said; the case of a state does not count."""
    assert said() == []
    assert said(providers=dict.fromkeys(PROVIDERS, "registered")) == []


def test_a_credit_that_is_over() -> None:
    """Azure deletes its budget then, and takes no new one."""
    meant = Meant(prefix="kimi", budgets_from=None, expires=TODAY)
    seen = Seen(providers=READY, deleted=(), budget_starts={})
    (fault,) = faults(seen, meant, TODAY)
    assert "expired on 2026-12-03" in fault
    assert faults(seen, meant, date(2026, 12, 2)) == []


def test_providers_are_named_with_their_commands() -> None:
    """All of them in one sentence."""
    lacking = {"Microsoft.Web": "NotRegistered", "Microsoft.App": "Registering"}
    (fault,) = said(providers=READY | lacking)
    assert fault.startswith("2 resource providers are not registered: az provider")
    assert "--namespace Microsoft.App; az provider register" in fault


@pytest.mark.parametrize(
    ("name", "prefix", "found"),
    [
        ("kva-kimi7a2b", "kimi", True),
        ("kvm-kimi7a2b", "kimi", True),
        ("kva-amd7a2b", "kimi", False),
        ("kv-another", "kimi", False),
    ],
)
def test_a_deleted_vault_is_a_persons_choice(
    name: str, prefix: str, *, found: bool
) -> None:
    """Only one that would stand in the way; both ways are told."""
    vault = Deleted(name=name, region="eastus2", purged_at="2026-12-08T00:00:00Z")
    told = said(prefix=prefix, deleted=(vault,))
    assert bool(told) is found
    if found:
        assert f"az keyvault purge --name {name} --location eastus2`" in told[0]
        assert f"az keyvault recover --name {name}`" in told[0]
        assert "its old tokens are enabled again" in told[0]


@pytest.mark.parametrize(
    ("starts", "meant", "words"),
    [
        ({}, NOW, []),
        ({}, date(2027, 1, 1), []),
        ({}, BEFORE, ["can't begin before this month: export BUDGETS_FROM=2026-12-01"]),
        (dict.fromkeys(BOTH, BEFORE), BEFORE, []),
        (dict.fromkeys(BOTH, BEFORE), NOW, ["export BUDGETS_FROM=2026-11-01"] * 2),
        ({BOTH[0]: BEFORE}, BEFORE, []),
        ({BOTH[0]: BEFORE, BOTH[1]: NOW}, NOW, ["BUDGETS_FROM=2026-11-01", "delete"]),
        (dict.fromkeys(BOTH, BEFORE), None, []),
    ],
)
def test_the_day_that_can_not_be_changed(
    starts: dict[str, date], meant: date | None, words: list[str]
) -> None:
    """One that is there is read and kept; a new one begins this month or later."""
    told = said(meant, budget_starts=starts)
    assert len(told) == len(words)
    for sentence, word in zip(told, words, strict=True):
        assert word in sentence
