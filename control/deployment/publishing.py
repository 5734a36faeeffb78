"""Brings the app's package up, and looks whether its functions came with it.

Right after a deployment the app may not write its own storage yet: Azure says 403 for
some minutes, in words of its own, and these alone are waited out.
"""

from collections.abc import Callable, Collection
from datetime import timedelta
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol

from control.errors import CommandError
from control.ports import Clock

SPREAD = timedelta(minutes=10)
PAUSE, _LOOK = 30.0, 5.0
_AT_WORK, _FOUND = timedelta(minutes=10), timedelta(minutes=3)
_NOT_YET = ("inaccessiblestorage", "blobuploadfailed")


class State(StrEnum):
    """How a package goes."""

    GOES_ON = "goes on"
    DONE = "is done"
    FAILED = "failed"
    FORGOTTEN = "is forgotten"


class Refused(Exception):
    """The endpoint did not take the package."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text

    @property
    def not_yet(self) -> bool:
        """Whether the roles have not spread yet."""
        said = self.text.lower()
        return self.status == HTTPStatus.FORBIDDEN and any(
            each in said for each in _NOT_YET
        )


class Endpoint(Protocol):
    """The publishing endpoint of one app."""

    def put(self, package: bytes) -> str:
        """Send a package; return its id. Raises `Refused`."""

    def state(self, identity: str) -> State:
        """Return how it goes."""


def publish(
    endpoint: Endpoint, package: bytes, clock: Clock, say: Callable[[str], None]
) -> None:
    """Send the package, and wait until it is at work.

    Raises:
        CommandError: it was refused, or is not at work in ten minutes.
    """
    identity = _sent(endpoint, package, clock, say)
    end, progress = clock.now() + _AT_WORK, False
    while clock.now() < end:
        match endpoint.state(identity):
            case State.DONE:
                return
            case State.FORGOTTEN if progress:
                return
            case State.FAILED:
                raise CommandError(
                    "Azure took the package, and could not bring it to work: look at "
                    "the app's deployments in the portal."
                )
            case State.GOES_ON:
                progress = True
        clock.wait(_LOOK)
    raise CommandError("the package is not at work after ten minutes.")


def _sent(
    endpoint: Endpoint, package: bytes, clock: Clock, say: Callable[[str], None]
) -> str:
    end = clock.now() + SPREAD
    while True:
        try:
            return endpoint.put(package)
        except Refused as refusal:
            if not refusal.not_yet:
                raise CommandError(
                    f"the app's endpoint said {refusal.status}: {refusal.text}"
                ) from None
            if clock.now() >= end:
                raise CommandError(
                    "the app may not write its packages after ten minutes: it needs "
                    "Storage Blob Data Owner on its storage account. See whether the "
                    "deployment gave it; then run this again."
                ) from None
        say("The app's role over its storage is not at work yet; in half a minute ...")
        clock.wait(PAUSE)


def ensure_found(
    functions: Callable[[], Collection[str]], wanted: Collection[str], clock: Clock
) -> None:
    """Look until Azure lists every function; an import that fails brings none.

    Raises:
        CommandError: some are missing after three minutes, and which.
    """
    end = clock.now() + _FOUND
    while missing := sorted(set(wanted) - set(functions())):
        if clock.now() >= end:
            raise CommandError(
                f"the app is up without {', '.join(missing)}: its log in the portal "
                "has the import that failed."
            )
        clock.wait(_LOOK)
