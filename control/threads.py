"""Work side by side in threads: one's slowness never keeps another waiting."""

import threading
import time
from collections.abc import Callable, Sequence


class Threads:
    """`ports.Runner` on daemon threads; real time, for a host waits in it."""

    def run(self, jobs: Sequence[Callable[[], None]], seconds: float) -> None:
        """Run all at once, and wait for them for so long at most."""
        threads = [threading.Thread(target=job, daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(end - time.monotonic(), 0))
