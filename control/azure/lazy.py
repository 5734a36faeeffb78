"""Values that are made when they are first needed: the SDKs are slow to import."""

import threading
from collections.abc import Callable


class Lazy[T]:
    """Makes its value once, whatever the number of threads that ask."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: tuple[T] | None = None
        self._lock = threading.Lock()

    def __call__(self) -> T:
        """Return the value, made by the first call."""
        with self._lock:
            if self._made is None:
                self._made = (self._make(),)
            return self._made[0]
