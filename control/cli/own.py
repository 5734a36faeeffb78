"""The switch as a person works it: the app's own settings, and the person's login.

It decides and writes as the app does, beside it: every exclusion is the ledger's.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from control.cli.console import note
from control.clock import SystemClock
from control.errors import CommandError, SettingsError

if TYPE_CHECKING:
    from control.settings import Settings
    from control.switch import Switch


class Terminal:
    """`ports.Notices`: whoever sits there is told."""

    def send(self, title: str, text: str) -> None:
        """Say it."""
        note(f"{title}: {text}")


def own_switch(said: Mapping[str, str]) -> "tuple[Settings, Switch]":
    """Return the settings of what the app says, and the switch that they make.

    Raises:
        CommandError: the app's settings are not all there.
    """
    from control.azure.credential import persons_login  # noqa: PLC0415 - slow: the SDKs
    from control.composition import ledger_table, switch_of  # noqa: PLC0415 - the same
    from control.settings import Settings  # noqa: PLC0415 - the same

    try:
        settings = Settings.load(said)
    except SettingsError as error:
        raise CommandError(f"the app's settings are wrong: {error}") from None
    login, clock = persons_login(), SystemClock()
    table = ledger_table(settings, login)
    return settings, switch_of(settings, login, clock, table, Terminal())
