"""What Azure may answer to an operation while the opposite one is under way.

Nobody has recorded it; each of these is documented or was recorded of its neighbours.
"""

from enum import StrEnum


class Busy(StrEnum):
    """The answers, by what becomes of the later and of the earlier operation."""

    NOT_ALLOWED = "not_allowed"
    OTHER_OPERATION = "other_operation"
    MARKED = "marked"
    CONFLICT = "conflict"
    PREEMPTS = "preempts"
    IS_PREEMPTED = "is_preempted"
    WAITS = "waits"
