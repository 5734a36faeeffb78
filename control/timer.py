"""One pass of the timer: every machine's run, then what is not urgent.

Machines run side by side: one machine's failure or slowness never stops the
run of another.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from control.backstop import Backstop
from control.decision import Policy
from control.devices import Devices
from control.errors import AzureError, ControlError, LedgerError
from control.ledger import Ledger
from control.patience import IN_A_TICK, patience
from control.ports import Clock, Prices, Reports, Runner
from control.reconcile import Reconciler
from control.records import Pass, Quoted
from control.spend import merged, why_unreported
from control.words import RunKind, Unreported

QUOTE_EVERY = timedelta(days=1)
ASKED_EVERY = timedelta(hours=1)
_LOG = logging.getLogger(__name__)


class Timer:
    """Enforces first; asks for prices and Azure's budget figure afterwards."""

    def __init__(
        self,
        policies: Mapping[str, Policy],
        reconciler: Reconciler,
        backstop: Backstop,
        clock: Clock,
        runner: Runner,
    ) -> None:
        self._policies = policies
        self._reconciler = reconciler
        self._backstop = backstop
        self._clock = clock
        self._runner = runner

    def enforce(self) -> Pass:
        """Run every machine once, at most 40 s each, in parallel."""
        at = self._clock.now()
        done: dict[str, bool] = {}
        jobs = [partial(self._run, policy, done) for policy in self._policies.values()]
        self._runner.run(jobs, IN_A_TICK)
        failed = tuple(name for name in self._policies if not done.get(name))
        return Pass(at=at, failed=failed)

    def _run(self, policy: Policy, done: dict[str, bool]) -> None:
        machine = policy.machine
        try:
            with patience(IN_A_TICK):
                self._reconciler.run(policy, RunKind.TICK)
            done[machine] = True
        except LedgerError as error:
            _LOG.error("%s: the ledger fails: %s", machine, error)
            self._backstop.enforce(policy)
        except Exception:  # noqa: BLE001  one machine never stops another
            _LOG.exception("%s: the run failed", machine)
            self._backstop.enforce(policy)


class Housekeeping:
    """What the timer does after enforcement; each part may fail alone."""

    def __init__(
        self,
        ledger: Ledger,
        devices: Devices,
        prices: Prices,
        reports: Reports | None,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._devices = devices
        self._prices = prices
        self._reports = reports
        self._clock = clock

    def keep(self, made: Pass) -> None:
        """Write the pass, then refresh what is old."""
        for part in (
            lambda: self._ledger.put_tick(made),
            self._report,
            self._quote,
        ):
            _attempt(part)

    def _quote(self) -> None:
        """Ask daily, and after a failure hourly; when asked is written first.

        Old pairing codes go on the same occasion.
        """
        now, kept = self._clock.now(), self._ledger.quoted()
        young = kept.newest is not None and now - kept.newest.at < QUOTE_EVERY
        if young or _recently(kept.asked_at, now):
            return
        self._ledger.put_quoted(replace(kept, asked_at=now))
        _attempt(self._codes)
        quote = self._prices.quote(now)
        if quote is not None:
            self._ledger.put_quoted(Quoted(newest=quote, asked_at=now))

    def _report(self) -> None:
        if self._reports is None:
            return
        now, kept = self._clock.now(), self._ledger.reported()
        if _recently(kept.asked_at, now):
            return
        self._ledger.put_reported(merged(kept, None, now))
        try:
            report = self._reports.read(now)
        except AzureError as error:
            self._ledger.put_reported(merged(kept, None, now, why_unreported(error)))
            raise
        self._ledger.put_reported(merged(kept, report, now, Unreported.NO_FIGURE))

    def _codes(self) -> None:
        self._devices.drop_old_codes(self._clock.now())


def _recently(asked_at: datetime | None, now: datetime) -> bool:
    return asked_at is not None and now - asked_at < ASKED_EVERY


def _attempt(part: Callable[[], None]) -> None:
    try:
        part()
    except (AzureError, ControlError) as error:
        _LOG.warning("After enforcement: %s", error)
    except Exception:  # noqa: BLE001  one part never stops another
        _LOG.exception("After enforcement: a part failed")
