"""What the operator's commands say where Azure itself said nothing.

A refusal has Azure's own words; silence has none, so the service and the setting that
leads to it are named. What only the commands need is not installed with the app.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from control.errors import AzureError, Evidence, Failed, Unavailable


@contextmanager
def silence_named(service: str, setting: str) -> Iterator[None]:
    """Say which service was silent, and which setting to look at."""
    try:
        yield
    except Unavailable as lost:
        said = lost.evidence
        if said.status is not None or said.code is not None:
            raise
        why = f"{service} does not answer: look at {setting} and the network."
        message = f"{why} {said.message}".rstrip()
        raise Unavailable(Evidence(message=message)) from None


@contextmanager
def explained(words: Mapping[str, str]) -> Iterator[None]:
    """Say behind Azure's own words what a person can do about such a code."""
    try:
        yield
    except AzureError as refusal:
        said = refusal.evidence
        more = words.get((said.code or "").lower())
        if more is None:
            raise
        message = f"{said.message} {more}".strip()
        raise type(refusal)(replace(said, message=message)) from None


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Say which package is missing, and how it comes."""
    try:
        yield
    except ImportError:
        raise Failed(
            Evidence(message=f"{package} is missing: `pip install '.[cli]'` brings it.")
        ) from None
