"""Every piece of evidence is held to the local Azure, or is named with its reason."""

from pathlib import Path

import pytest

from tests.evidence.shared import SHARED, numbers

# The local Azure has no such service, and nothing of ours calls one; our adapters
# meet these answers all the same.
NOT_SERVED = {
    "07": "usages",
    "22": "the activity log",
    "23": "the activity log",
    "36": "quotas",
    "38": "the resource graph",
    "40": "cost queries",
    "45": "the list of sizes",
    "51": "the list of sizes",
}
NOT_USED = {
    "VirtualMachine_Reapply": "nothing of ours reapplies",
    "Usage_List_MaximumSet_Gen": "nothing of ours lists usages",
    "Usage_List_MinimumSet_Gen": "the same",
    "BudgetsList": "one budget is read by its name",
    "CreateOrUpdateBudget": "nothing of ours makes one",
    "DeleteBudget": "nor deletes one",
    "CreditSummaryByBillingProfile": "credits are not read",
    "LotsListByBillingAccount": "the same",
    "LotsListByBillingProfile": "the same",
    "BalancesByBillingAccount": "the same",
}
_COMPARISONS = (
    "accepted",
    "budgets",
    "examples",
    "polls",
    "refusals",
    "vault_answers",
    "views",
)


def used() -> str:
    """The source of the comparisons, where each names its evidence."""
    here = Path(__file__)
    modules = (here.with_name(f"test_{name}.py") for name in _COMPARISONS)
    return "\n".join(module.read_text() for module in modules)


def test_every_recording_is_compared_or_not_served() -> None:
    """A new one fails here until somebody decides."""
    if not numbers():
        pytest.skip("the evidence ../shared/azure/recorded is missing")
    text = used()
    compared = {number for number in numbers() if f'"{number}"' in text}
    assert compared | set(NOT_SERVED) == set(numbers())
    assert compared & set(NOT_SERVED) == set()


def test_every_official_example_is_used_or_not_ours() -> None:
    """Of Compute's machines and of budgets."""
    files = [*SHARED.glob("spec/compute-202[45]*/*.json")]
    files += SHARED.glob("spec/consumption-*/*.json")
    if not files:
        pytest.skip("the evidence ../shared/azure/spec is missing")
    text, names = used(), {file.stem for file in files}
    found = {name for name in names if f'"{name}"' in text}
    slices = {name for name in names if name.startswith("_swagger_slice")}
    assert found | slices | set(NOT_USED) == names
    assert found & set(NOT_USED) == set()
