"""One small thread for each VM, so that a guest lives without being asked."""

import threading

from local.azure.vm import Vm

_LOOK_EVERY = 0.1


class Pacer:
    """Looks ten times a real second whether the virtual clock made anything due."""

    def __init__(self, vms: list[Vm]) -> None:
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._live, args=(vm,), name=f"guest {vm.name}")
            for vm in vms
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop and wait for what is under way."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _live(self, vm: Vm) -> None:
        while not self._stop.wait(_LOOK_EVERY):
            vm.settle()
