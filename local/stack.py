"""The whole system on loopback: Azurite, the local Azure, the ledger, the functions.

The demo runs it, and so can a test; all of it is gone at the end of the block.
"""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from local import ports
from local.azure import Budget, LocalAzure, Spec
from local.azurite import Azurite
from local.certificate import make
from local.clock import SharedClock
from local.functions.process import FunctionsProcess
from local.tables import TableProxy
from local.wanted import Wanted

ROOT = Path(__file__).parents[1]

_INIT_SECONDS = 60
_LIMIT = "4500"
_USUAL = Spec()


class StackError(RuntimeError):
    """A part of the system did not come up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """One token of each scope."""

    phone: str
    operator: str
    vm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A running system and the handles on its parts."""

    url: str
    tokens: Tokens
    clock: SharedClock
    azure: LocalAzure
    azurite: Azurite
    functions: FunctionsProcess


@contextmanager
def running(
    folder: Path,
    *,
    port: int = 0,
    speed: float = 1.0,
    faults: Sequence[Wanted] = (),
    machine: Spec = _USUAL,
) -> Iterator[Stack]:
    """Start everything on a clock of this speed; `port` is the functions'.

    Azure has the faults from the beginning, before the functions first ask it.
    """
    port = port or ports.free()
    ports.refuse_taken(port)
    url = f"http://{ports.ADDRESS}:{port}"
    file = folder / "clock.json"
    clock = SharedClock.create(file, speed=speed)
    certificate = make(folder)
    with (
        Azurite(certificate, folder=folder) as azurite,
        TableProxy(azurite.endpoint, certificate) as ledger,
        LocalAzure(clock, certificate, machines=(machine,), pace=True) as azure,
    ):
        tokens = _secrets(azure)
        environ = _settings(azure, ledger, url, clock.now())
        azure.sites.settings = environ
        _init_ledger(environ)
        for fault in faults:
            fault.arm(azure.faults, ledger.faults)
        with FunctionsProcess(
            app=ROOT, environ=environ, folder=folder, clock=file, timers=True, port=port
        ) as functions:
            azure.vm.connect(url, tokens.vm)
            yield Stack(
                url=url,
                tokens=tokens,
                clock=clock,
                azure=azure,
                azurite=azurite,
                functions=functions,
            )


def _secrets(azure: LocalAzure) -> Tokens:
    phone, operator, vm = (secrets.token_urlsafe(32) for _ in range(3))
    azure.add_secret("token-phone", phone, tags={"scope": "phone"})
    azure.add_secret("token-operator", operator, tags={"scope": "operator"})
    name = f"token-{azure.vm.name}"
    azure.add_secret(name, vm, tags={"scope": "vm", "machine": azure.vm.name})
    azure.put_secret(azure.machine_vault, name, vm)
    sink = azure.sink_url.replace("http://", "json://")
    azure.add_secret("notify-url", sink)
    return Tokens(phone=phone, operator=operator, vm=vm)


def _settings(
    azure: LocalAzure, ledger: TableProxy, url: str, now: datetime
) -> dict[str, str]:
    begin = datetime(now.year, now.month, 1, tzinfo=UTC)
    year, month = divmod(begin.month + 2, 12)
    end = begin.replace(year=begin.year + year, month=month + 1)
    azure.budgets.put(
        Budget(name="monthly", amount=Decimal(_LIMIT), start=begin, end=end)
    )
    return {
        **azure.environment(),
        "CONTROL_PLANE_NAME": "demo",
        "PUBLIC_URL": url,
        "LEDGER_CONNECTION_STRING": ledger.connection_string,
        "NOTIFY_SECRET": "notify-url",
        "PRICE_PER_HOUR": "84.80",
        "CURRENCY": "USD",
        "BUDGET_LIMIT": _LIMIT,
        "BUDGET_FROM": f"{begin:%Y-%m-%d}",
        "BUDGET_TO": f"{end:%Y-%m-%d}",
        "BUDGET_NAME": "monthly",
        "STANDING_COST_PER_MONTH": "60",
        "TIME_ZONE": "UTC",
    }


def _init_ledger(environ: dict[str, str]) -> None:
    """Write the ledger's first row with the operator's own command."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "control", "ledger", "init"],
        cwd=ROOT,
        env=kept | environ,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=_INIT_SECONDS,
    )
    if done.returncode != 0:
        raise StackError(f"`control ledger init` failed:\n{done.stdout}{done.stderr}")
