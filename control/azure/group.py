"""One resource group: what is in it, and its end."""

from collections.abc import Iterator

from control.azure.faults import unanswered
from control.azure.resources import Resources
from control.deployment.region import Thing

_VERSION = "2021-04-01"
_MOST_PAGES = 40
# A resource is deleted by the version of its own kind.
_VERSIONS = {
    "microsoft.compute/virtualmachines": "2024-11-01",
    "microsoft.compute/disks": "2024-03-02",
    "microsoft.devtestlab/schedules": "2018-09-15",
    "microsoft.managedidentity/userassignedidentities": "2024-11-30",
    "microsoft.storage/storageaccounts": "2024-01-01",
}
_NETWORK = "2024-05-01"


class Group:
    """A group of one subscription, as the person at the command line."""

    def __init__(self, resources: Resources, subscription: str, name: str) -> None:
        self._resources = resources
        self.path = f"/subscriptions/{subscription}/resourceGroups/{name}"

    def exists(self) -> bool:
        """Return whether Azure knows it."""
        return self._resources.read(self.path, _VERSION) is not None

    def things(self) -> Iterator[Thing]:
        """Yield what is in it."""
        path = f"{self.path}/resources"
        try:
            for each in self._resources.pages(path, _VERSION, _MOST_PAGES):
                yield Thing(
                    id=each["id"],
                    kind=each["type"],
                    name=each["name"],
                    region=each.get("location") or "",
                )
        except (KeyError, TypeError):
            raise unanswered("ARM's list of the group can't be read.") from None

    def delete(self, thing: Thing) -> None:
        """Delete one thing, and wait until it is gone."""
        version = _VERSIONS.get(thing.kind.lower(), _NETWORK)
        self._resources.delete(thing.id, version)

    def delete_all(self) -> None:
        """Let Azure delete the group, and do not wait: it takes many minutes."""
        self._resources.forget(self.path, _VERSION)
