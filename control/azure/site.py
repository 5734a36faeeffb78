"""The function app as ARM knows it: its settings, its identity, its functions."""

from collections.abc import Mapping
from typing import Any

from control.azure.faults import unanswered
from control.azure.resources import Resources
from control.errors import CommandError

_VERSION = "2024-04-01"
_MOST_PAGES = 10


class Site:
    """One app, as the person at the command line reads it."""

    def __init__(
        self, resources: Resources, subscription: str, group: str, name: str
    ) -> None:
        self._resources = resources
        self.endpoint = resources.endpoint
        self._path = (
            f"/subscriptions/{subscription}/resourceGroups/{group}/providers/"
            f"Microsoft.Web/sites/{name}"
        )

    def settings(self) -> Mapping[str, str]:
        """Return the app's settings, by which it decides."""
        path = f"{self._path}/config/appsettings/list"
        return dict(self._resources.post(path, _VERSION).get("properties") or {})

    def principal(self) -> str:
        """Return the object id of its one user-assigned identity."""
        try:
            (one,) = self._read()["identity"]["userAssignedIdentities"].values()
            return str(one["principalId"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise unanswered("ARM names no identity of the app.") from None

    def publishing_host(self) -> str:
        """Return the host that takes packages."""
        names = (self._read().get("properties") or {}).get("hostNameSslStates") or ()
        for each in names:
            if each.get("hostType") == "Repository":
                return str(each["name"])
        raise unanswered("ARM names no host that takes the app's packages.")

    def functions(self) -> set[str]:
        """Return the names of the functions that Azure found in its package."""
        listed = self._resources.pages(f"{self._path}/functions", _VERSION, _MOST_PAGES)
        return {str(each["name"]).rpartition("/")[2] for each in listed}

    def _read(self) -> Mapping[str, Any]:
        found = self._resources.read(self._path, _VERSION)
        if found is None:
            raise CommandError(f"there is no app {self._path}: deploy first.")
        return found
