"""How the owner is told, through Apprise: one URL, which is itself a secret.

Apprise is imported when a notice is sent, and neither it nor the client under it
may log: the URL stands in their lines.
"""

import logging
from collections.abc import Callable

from control.azure.faults import translated
from control.errors import AzureError, Evidence, Failed, Unavailable

_SECONDS = 10
_SILENT = logging.CRITICAL + 1


class AppriseNotices:
    """`ports.Notices`; `secret` returns the URL at each sending."""

    def __init__(self, secret: Callable[[], str | None]) -> None:
        self._secret = secret

    def send(self, title: str, text: str) -> None:
        """Send one notice within 10 seconds."""
        url = self._secret()
        if not url:
            raise Failed(Evidence(message="There is no secret with a notice URL."))
        if failure := _send(url, title, text):
            raise failure


def _send(url: str, title: str, text: str) -> AzureError | None:
    with translated():
        import apprise  # noqa: PLC0415 - slow, and needed for a notice alone

    _silence()
    sender = apprise.Apprise()
    if not sender.add(url):
        return Failed(Evidence(message="The secret is no usable notice URL."))
    if sender.notify(body=text, title=title, timeout=_SECONDS):
        return None
    return Unavailable(Evidence(message="The notice was not taken."))


def _silence() -> None:
    """Keep the URL out of the logs: Apprise's lines, and the path in urllib3's."""
    logging.getLogger("apprise").setLevel(_SILENT)
    logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)
