"""The twin of the way the owner is told."""

from control.errors import AzureError
from control.memory.failures import Failures


class MemoryNotices:
    """`ports.Notices`: what was sent stays in `sent`."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self._failures = Failures()

    def fail(self, error: AzureError, times: int | None = 1) -> None:
        """Let the next notices fail."""
        self._failures.plan("send", error, times)

    def recover(self) -> None:
        """Take every planned failure back."""
        self._failures.clear()

    def send(self, title: str, text: str) -> None:
        """Keep the notice."""
        self._failures.meet("send")
        self.sent.append((title, text))
