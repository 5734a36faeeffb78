"""What a subscription says before a deployment: providers, deleted vaults, budgets."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from control.azure.faults import unanswered
from control.azure.resources import Resources
from control.deployment.preflight import PROVIDERS, Deleted, Seen

_PROVIDERS, _VAULTS, _BUDGETS = "2021-04-01", "2023-07-01", "2023-05-01"
_FEATURES = "2021-07-01"
_MOST_PAGES = 20


class Subscription:
    """One subscription, read only."""

    def __init__(self, resources: Resources, subscription: str) -> None:
        self._resources = resources
        self._at = f"/subscriptions/{subscription}/providers"

    def seen(self, budgets: tuple[str, ...]) -> Seen:
        """Read all of it; the named budgets may be missing."""
        states = {name: self._state(name) for name in PROVIDERS}
        starts = {name: self._start(name) for name in budgets}
        return Seen(
            providers=states,
            deleted=tuple(self.deleted()),
            budget_starts={name: day for name, day in starts.items() if day},
            standard_security=self._has_feature("UseStandardSecurityType"),
        )

    def _state(self, provider: str) -> str:
        found = self._resources.read(f"{self._at}/{provider}", _PROVIDERS)
        return str((found or {}).get("registrationState", ""))

    def _has_feature(self, name: str) -> bool:
        path = f"{self._at}/Microsoft.Features/providers/Microsoft.Compute/features"
        found = self._resources.read(f"{path}/{name}", _FEATURES) or {}
        return (found.get("properties") or {}).get("state") == "Registered"

    def _start(self, budget: str) -> date | None:
        path = f"{self._at}/Microsoft.Consumption/budgets/{budget}"
        found = self._resources.read(path, _BUDGETS)
        if found is None:
            return None
        try:
            said = found["properties"]["timePeriod"]["startDate"]
            return date.fromisoformat(said[: len("2026-11-01")])
        except (KeyError, TypeError, ValueError):
            raise unanswered(f"ARM does not say when {budget} begins.") from None

    def deleted(self) -> Iterator[Deleted]:
        """Yield the vaults that are deleted, and still have their names."""
        path = f"{self._at}/Microsoft.KeyVault/deletedVaults"
        for each in self._resources.pages(path, _VAULTS, _MOST_PAGES):
            yield _vault(each)


def _vault(said: Any) -> Deleted:
    try:
        about = said["properties"]
        return Deleted(
            name=said["name"],
            region=about["location"],
            purged_at=about["scheduledPurgeDate"],
        )
    except (KeyError, TypeError):
        raise unanswered("ARM's list of deleted vaults can't be read.") from None
