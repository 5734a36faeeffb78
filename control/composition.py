"""The composition root: settings and a clock become the whole control plane.

Built lazily, once, by the first call; the SDKs under `control.azure` are imported here
and not before.
"""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from control.assembly import Ports, assemble
from control.devices import Devices
from control.errors import SettingsError
from control.ports import Clock, Table
from control.records import Pass
from control.settings import Settings
from control.switch import Switch
from control.web.app import App
from control.web.http import Request, Response
from control.web.problems import INTERNAL, Problem
from control.web.site import Place

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

SIZE = "Standard_ND96isr_H200_v5"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What the triggers call."""

    switch: Switch
    app: App


class Root:
    """Builds the control plane at the first call, once, whatever the threads."""

    def __init__(self, environ: Mapping[str, str], clock: Clock) -> None:
        self._environ = environ
        self._clock = clock
        self._built: Control | None = None
        self._lock = threading.Lock()

    def control(self) -> Control:
        """Return it; raises `SettingsError`, each time until they are mended."""
        with self._lock:
            if self._built is None:
                self._built = build(self._environ, self._clock)
            return self._built

    def answer(self, name: str, request: Request) -> Response:
        """Answer a request to the route of this name; never raises."""
        try:
            app = self.control().app
        except SettingsError as error:
            _LOG.error("%s", error)
            return _misconfigured(error).response(request)
        except Exception as error:  # noqa: BLE001 - the caller gets our 500
            _LOG.error("The app cannot be built: %s", type(error).__name__)
            return INTERNAL.response(request)
        return app.answer(name, request)

    def tick(self) -> Pass:
        """Run the timer's pass; without usable settings it logs them and raises."""
        try:
            control = self.control()
        except SettingsError as error:
            _LOG.error("%s", error)
            raise
        return control.switch.tick()


def _misconfigured(error: SettingsError) -> Problem:
    """Name the settings, and no more: anybody may see this."""
    names = sorted({problem.partition(" ")[0] for problem in error.problems})
    return Problem(
        slug="misconfigured",
        detail=f"Not done: these settings are missing or bad: {', '.join(names)}. "
        "docs/settings.md says what each has to be.",
        fields={"settings": names},
    )


def build(environ: Mapping[str, str], clock: Clock) -> Control:
    """Return the control plane for these settings; nothing is called yet."""
    settings = Settings.load(environ)
    policies = settings.policies()
    from control.azure.credential import (  # noqa: PLC0415 - slow, not for the index
        managed_identity,
    )
    from control.azure.vault import VaultTokens  # noqa: PLC0415 - the same

    quiet_clients()
    credential = managed_identity(settings.azure_client_id)
    vault = VaultTokens(credential=credential, url=settings.key_vault_url)
    table = ledger_table(settings, credential)
    switch = assemble(policies, _ports(settings, credential, vault.secret, table, clock))
