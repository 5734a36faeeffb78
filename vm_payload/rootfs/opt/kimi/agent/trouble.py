"""The units that have given up, each until its own verb succeeds after all.

They stand beside the phase: what a later unit says of itself hides no earlier trouble.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from agent import boot
from agent.board import PHASE, Board

_SAID, _GIVEN_UP = "failure", "given-up"


def tell(board: Board, verb: str, said: str) -> None:
    """Leave the sentence with which a verb ended, for when its unit gives up."""
    board.put(f"{_SAID}-kimi-{verb}", {"said": said})


def give_up(board: Board, unit: str) -> str:
    """Note that a unit has given up, and return why: what its verb has left."""
    name = unit.partition(".")[0]
    said = board.get(f"{_SAID}-{name}").get("said")
    told = str(said) if said else f"{unit} was ended, and has said nothing."
    with suppress(OSError):  # a full board must not keep it from the release
        board.put(f"{_GIVEN_UP}-{name}", {"at": boot.uptime(), "said": told})
    return told


def forget(board: Board, verb: str) -> None:
    """Take back what was said of a verb: it has succeeded."""
    for subject in (_SAID, _GIVEN_UP):
        board.remove(f"{subject}-kimi-{verb}")


def phase(board: Board) -> Mapping[str, Any]:
    """Return the phase to report: `broken` by what gave up first, unless it serves.

    While the model answers, the sentence alone is told.
    """
    now, told = board.get(PHASE), board.all(f"{_GIVEN_UP}-")
    if not told:
        return now
    said = min(told, key=_at).get("said")
    if now.get("phase") == "ready":
        return {**now, "detail": said}
    return {"phase": "broken", "detail": said, "progress": None}


def _at(told: Mapping[str, Any]) -> float:
    at = told.get("at")
    return at if isinstance(at, float) else 0.0
