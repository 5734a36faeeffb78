"""What a machine is when the local Azure begins, and how long Azure takes with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long Azure takes; `blank` is the start's first part without a power state."""

    start: timedelta = 40 * _SECOND
    blank: timedelta = 5 * _SECOND
    deallocate: timedelta = 45 * _SECOND
    power_off: timedelta = 8 * _SECOND
    run_command: timedelta = 30 * _SECOND
    nothing: timedelta = 2 * _SECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What a machine is when the local Azure begins."""

    name: str = "vm-kimi-01"
    resource_group: str = "rg-kimi"
    location: str = "eastus2"
    size: str = "Standard_ND96isr_H200_v5"
    tags: Mapping[str, str] = field(default_factory=dict)
    timings: Timings = field(default_factory=Timings)
