"""A proxy before Azurite: Table Storage as it fails, by name."""

from local.tables.calls import Call, batches, creates, everything, reads, writes
from local.tables.proxy import Faults, TableProxy

__all__ = [
    "Call",
    "Faults",
    "TableProxy",
    "batches",
    "creates",
    "everything",
    "reads",
    "writes",
]
