"""A boot's phases: how far it is after so much time."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from agent.progress import told

_SHARDS = 64
_BYTES = 595 * 10**9


class Phase(StrEnum):
    """What the guest says it does, in the order of a boot, then the other two."""

    DISK = "disk"
    WEIGHTS = "weights"
    SEEDING = "seeding"
    GPU = "gpu"
    LOADING = "loading"
    EDGE = "edge"
    READY = "ready"
    BROKEN = "broken"
    DRAINING = "draining"


USUAL = {
    Phase.DISK: timedelta(seconds=60),
    Phase.WEIGHTS: timedelta(seconds=900),
    Phase.SEEDING: timedelta(0),
    Phase.GPU: timedelta(seconds=60),
    Phase.LOADING: timedelta(seconds=420),
    Phase.EDGE: timedelta(seconds=60),
}
_MEASURED = frozenset({Phase.WEIGHTS, Phase.SEEDING, Phase.LOADING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One phase and how much of it is done."""

    phase: Phase
    progress: float | None = None
    detail: str | None = None


def stage(elapsed: timedelta, takes: dict[Phase, timedelta]) -> Stage:
    """Where a boot is; a phase that takes no time is skipped."""
    for phase, length in takes.items():
        if elapsed < length:
            return _within(phase, elapsed / length)
        elapsed -= length
    return Stage(phase=Phase.READY, progress=1.0)


def until(phase: Phase, takes: dict[Phase, timedelta]) -> timedelta:
    """How long a boot takes until this phase begins."""
    total = timedelta(0)
    for each, length in takes.items():
        if each is phase:
            break
        total += length
    return total


def _within(phase: Phase, part: float) -> Stage:
    if phase not in _MEASURED:
        return Stage(phase=phase)
    progress = round(part, 3)
    if phase is Phase.LOADING:
        detail = f"{progress:.0%} of the model on 8 GPUs"
    else:
        shards = f"{int(part * _SHARDS)} of {_SHARDS} shards"
        detail = told(shards, int(part * _BYTES), _BYTES)
    return Stage(phase=phase, progress=progress, detail=detail)
