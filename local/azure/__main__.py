"""The local Azure as its own process.

`python -m local.azure --clock FILE --folder DIR` writes its URLs to `azure.json` in the
folder and runs until it is told to end.
"""

import argparse
import json
import signal
import threading
from pathlib import Path

from local.azure.loopback import LocalAzure, Ports
from local.azure.spec import Spec
from local.certificate import Certificate, make
from local.clock import SharedClock


def main() -> None:
    asked = _arguments()
    clock = SharedClock(asked.clock)
    certificate = _certificate(asked.folder)
    machines = [Spec(name=name) for name in asked.machine]
    ports = Ports(
        arm=asked.port,
        vault=_after(asked.port, 1),
        machine_vault=_after(asked.port, 2),
        identity=_after(asked.port, 3),
        sink=_after(asked.port, 4),
    )
    with LocalAzure(
        clock, certificate, machines=machines, ports=ports, pace=True
    ) as azure:
        _tell(azure, asked.folder / "azure.json")
        _wait_for_the_end()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="local.azure", description=__doc__)
    parser.add_argument("--clock", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--machine", action="append", default=[])
    parser.add_argument("--port", type=int, default=0, help="the first of five ports")
    asked = parser.parse_args()
    asked.machine = asked.machine or [Spec().name]
    return asked


def _after(port: int, count: int) -> int:
    return port + count if port else 0


def _certificate(folder: Path) -> Certificate:
    """Use the folder's certificate where the demo made one already."""
    there = Certificate(
        authority=folder / "authority.pem",
        certificate=folder / "certificate.pem",
        key=folder / "key.pem",
    )
    return there if there.key.exists() else make(folder)


def _tell(azure: LocalAzure, path: Path) -> None:
    """Write the file whole, so that who waits for it never reads half of it."""
    told = {
        "environment": azure.environment(),
        "admin_url": f"{azure.arm_url}/_local",
        "machine_vault_url": azure.machine_vault.url,
        "sink_url": azure.sink_url,
        "client_ids": {
            n: azure.identity.client_id(n) for n in ("app", "vm", "operator")
        },
        "machines": [vm.name for vm in azure.vms],
    }
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(told, indent=1))
    draft.chmod(0o600)
    draft.replace(path)


def _wait_for_the_end() -> None:
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()


if __name__ == "__main__":
    main()
