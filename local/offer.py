"""How a fault stands in a catalogue, of Azure or of Table Storage."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer[F]:
    """A fault on offer: what the service does then, and how it is made."""

    does: str
    make: Callable[..., F]

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """What shapes the fault, with the usual values."""
        return inspect.signature(self.make).parameters

    @property
    def usual(self) -> Mapping[str, Any]:
        """The usual values by name."""
        return {name: each.default for name, each in self.parameters.items()}
