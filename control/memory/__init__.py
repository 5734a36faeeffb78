"""Twins of every port, in memory: what the contract suite holds the adapters to.

They keep the ports' promises and do nothing of their own: no machine comes on because
it was started, no time passes unless it is told to.
"""

from control.memory.clock import MemoryClock
from control.memory.machines import Call, MemoryMachines
from control.memory.money import MemoryPrices, MemoryReports
from control.memory.notices import MemoryNotices
from control.memory.registrar import MemoryRegistrar
from control.memory.table import MemoryTable
from control.memory.tokens import MemoryTokens

__all__ = [
    "Call",
    "MemoryClock",
    "MemoryMachines",
    "MemoryNotices",
    "MemoryPrices",
    "MemoryRegistrar",
    "MemoryReports",
    "MemoryTable",
    "MemoryTokens",
]
