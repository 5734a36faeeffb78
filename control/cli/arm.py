"""ARM as a command enters it: any resource by its path, with the person's own login."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from control.clock import SystemClock

if TYPE_CHECKING:
    from control.azure.resources import Resources


def resources(endpoint: str, words: Mapping[str, str]) -> "Resources":
    """Return the way to ARM; `words` say what a person can do about its codes."""
    from control.azure.credential import persons_login  # noqa: PLC0415 - slow: the SDKs
    from control.azure.resources import Resources  # noqa: PLC0415 - the same

    return Resources(
        credential=persons_login(), endpoint=endpoint, clock=SystemClock(), words=words
    )
