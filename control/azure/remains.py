"""What a deployment has outside its group: roles, budgets, and deleted vaults."""

from collections.abc import Iterator

from control.azure.faults import unanswered
from control.azure.resources import Resources
from control.azure.subscription import Subscription
from control.deployment.preflight import BUDGETS, Deleted, budget_name, vault_names
from control.roles import OWN_ROLES, own_role

_ROLES, _BUDGETS, _VAULTS = "2022-04-01", "2023-05-01", "2023-07-01"
_MOST_PAGES = 40


class Remains:
    """Those of one deployment, by its group and its prefix."""

    def __init__(
        self, resources: Resources, subscription: str, group: str, prefix: str
    ) -> None:
        self._resources = resources
        self._at = f"/subscriptions/{subscription}"
        self._subscription = Subscription(resources, subscription)
        self._prefix = prefix
        group_id = f"{self._at}/resourceGroups/{group}"
        self._roles = {own_role(group_id, name) for name in OWN_ROLES}

    def assignments(self) -> list[str]:
        """Return the ids of what was given of our roles, wherever."""
        path = f"{self._at}/providers/Microsoft.Authorization/roleAssignments"
        return list(self._ours(path))

    def _ours(self, path: str) -> Iterator[str]:
        try:
            for each in self._resources.pages(path, _ROLES, _MOST_PAGES):
                role = each["properties"]["roleDefinitionId"].rpartition("/")[2]
                if role.lower() in self._roles:
                    yield each["id"]
        except (KeyError, TypeError):
            raise unanswered("ARM's role assignments can't be read.") from None

    def definitions(self) -> list[str]:
        """Return the ids of our roles that are there."""
        at = f"{self._at}/providers/Microsoft.Authorization/roleDefinitions"
        paths = (f"{at}/{role}" for role in sorted(self._roles))
        return [path for path in paths if self._resources.read(path, _ROLES)]

    def budgets(self) -> list[str]:
        """Return the ids of our budgets that are there."""
        at = f"{self._at}/providers/Microsoft.Consumption/budgets"
        paths = (f"{at}/{budget_name(self._prefix, word)}" for word in BUDGETS)
        return [path for path in paths if self._resources.read(path, _BUDGETS)]

    def vaults(self) -> list[Deleted]:
        """Return our vaults that are deleted, and still have their names."""
        ours = vault_names(self._prefix)
        return [e for e in self._subscription.deleted() if ours.fullmatch(e.name)]

    def take_role(self, path: str) -> None:
        """Delete an assignment or a definition."""
        self._resources.delete(path, _ROLES)

    def take_budget(self, path: str) -> None:
        """Delete a budget."""
        self._resources.delete(path, _BUDGETS)

    def purge(self, vault: Deleted) -> None:
        """Let Azure forget a deleted vault, with all that it held."""
        path = (
            f"{self._at}/providers/Microsoft.KeyVault/locations/{vault.region}"
            f"/deletedVaults/{vault.name}/purge"
        )
        self._resources.post(path, _VAULTS)
