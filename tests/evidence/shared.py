"""The evidence beside the repository: read there, never copied."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2].parent / "shared" / "azure"

type Interaction = dict[str, Any]
type Response = dict[str, Any]


def evidence(pattern: str) -> Any:
    """One evidence file by its name's beginning; skips where it is missing."""
    found = sorted(SHARED.glob(pattern))
    if not found:
        pytest.skip(f"the evidence ../shared/azure/{pattern} is missing")
    return json.loads(found[0].read_text())


def numbers() -> list[str]:
    """The numbers of the recorded files that are there; none without evidence."""
    return sorted(path.name[:2] for path in SHARED.glob("recorded/*.json"))


def interactions(number: str) -> list[Interaction]:
    """All that one recording holds, in its order."""
    held: list[Interaction] = evidence(f"recorded/{number}_*.json")["interactions"]
    return held


def recorded(number: str, chosen: int = 0) -> Response:
    """The response of one recorded interaction."""
    response: Response = interactions(number)[chosen]["response"]
    return response


def first(number: str, wanted: Callable[[Interaction], bool]) -> int:
    """The place of the first recorded interaction of a kind."""
    return next(at for at, each in enumerate(interactions(number)) if wanted(each))


def posts(verb: str) -> Callable[[Interaction], bool]:
    """Whether an interaction asks for this action."""
    return lambda each: f"/{verb}?" in each["request"]["url"]


def example(version: str, name: str, status: str = "200") -> Response:
    """One answer of an official example; its body and headers may be missing."""
    path = f"spec/{version}/{name}.json"
    answer: Response = evidence(path)["responses"][status]
    return answer
