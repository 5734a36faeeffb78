"""Puts a switch together from its ports: the same for the app and for the tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from control.act import Actor
from control.backstop import Backstop
from control.decision import Policy
from control.devices import Devices
from control.ledger import Ledger
from control.observe import Observer
from control.ports import Clock, Machines, Notices, Prices, Reports, Runner, Table
from control.reconcile import Reconciler
from control.spend import Spending
from control.switch import Parts, Switch
from control.threads import Threads
from control.timer import Housekeeping, Timer


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything outside that a switch needs; no budget name, no `reports`."""

    clock: Clock
    table: Table
    machines: Machines
    prices: Prices
    notices: Notices
    reports: Reports | None = None
    runner: Runner = field(default_factory=Threads)


def assemble(policies: Mapping[str, Policy], ports: Ports) -> Switch:
    """Return the switch for these machines; nothing is called yet."""
    ledger, clock = Ledger(ports.table), ports.clock
    spending = Spending(ledger, policies)
    observer = Observer(ledger, ports.machines, spending, clock)
    actor = Actor(ledger, ports.machines, ports.notices, clock)
    reconciler = Reconciler(ledger, observer, actor, clock)
    backstop = Backstop(actor, ports.machines, clock)
    return Switch(
        Parts(
            policies=policies,
            ledger=ledger,
            reconciler=reconciler,
            backstop=backstop,
            timer=Timer(policies, reconciler, backstop, clock, ports.runner),
            housekeeping=Housekeeping(
                ledger, Devices(ports.table), ports.prices, ports.reports, clock
            ),
            clock=clock,
        )
    )
