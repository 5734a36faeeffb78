"""Pages, missing tables and large transactions (C08 to C10), over HTTP on Azurite."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from control import keys
from control.azure.table import AzureTable
from control.codec import Codec
from control.devices import Devices
from control.ledger import Ledger
from control.model import Session
from control.ports import Write, WriteKind
from control.records import Total
from control.words import PriceSource, StopReason
from local.azure import Kind
from local.tables import TableProxy, calls, everything
from tests.scenario.world import MACHINE, World

OLDEST = datetime(2026, 11, 2, tzinfo=UTC)


def _seed(world: World, count: int) -> Decimal:
    """Write closed sessions, ten minutes apart, and their totals; return the sum."""
    sessions, totals = Codec(Session), Codec(Total)
    cost, writes = Decimal(0), list[Write]()
    for number in range(count):
        at = OLDEST + number * timedelta(minutes=10)
        own = Decimal(number % 100) / 100
        cost += own
        made = Session(
            id=keys.new_session_id(at),
            machine=MACHINE,
            started_by="ipad" if number == 0 else "iphone",
            requested_at=at,
            price_per_hour=Decimal("84.80"),
            price_source=PriceSource.CONFIGURED,
            currency="USD",
            billing_since=at,
            ended_at=at + timedelta(minutes=5),
            stop_reason=StopReason.BUDGET if number == 0 else StopReason.USER,
            billed_seconds=300,
            cost=own,
            provisional=False,
        )
        row = sessions.encode(made)
        writes.append(
            Write(kind=WriteKind.INSERT, key=keys.session(made.id), values=row)
        )
    total = Total(month="2026-11", cost=cost, sessions=count, currency="USD")
    key = keys.total("2026-11")
    writes.append(Write(kind=WriteKind.INSERT, key=key, values=totals.encode(total)))
    for start in range(0, len(writes), 100):
        world.table.commit(MACHINE, writes[start : start + 100])
    return cost


def test_c08_empty_and_short_pages_hide_no_session_and_no_cost(
    world: World, proxy: TableProxy
) -> None:
    """3,000 rows in pages of 500 with empty ones between: all found, sums equal."""
    cost = _seed(world, 3000)
    proxy.faults.arm("empty_page", times=None, rows=500)
    oldest = world.operator.get("/sessions?device=ipad").json()["sessions"]
    assert [line["stop_reason"] for line in oldest] == ["budget"]
    world.phone.post("/start")
    status = world.phone.status()
    assert status["session"] is not None
    assert world.sessions()[0]["id"] == status["session"]["id"]
    own = Decimal(status["budget"]["spent"]) - Decimal(status["session"]["cost"])
    assert own >= cost
    assert own - cost < Decimal("49.66")
    name = world.environ["LEDGER_TABLE"]
    ledger = Ledger(AzureTable.by_connection_string(proxy.connection_string, name=name))
    found = [made for _, made in ledger.sessions(MACHINE) if made]
    assert len({made.id for made in found}) == len(found) == 3001
    assert sum(made.cost for made in found if made.cost is not None) == cost
    assert proxy.faults.met["empty_page"] > 24


def _delete_table(world: World) -> None:
    world.table._client().delete_table()


def test_c09_the_table_is_deleted_during_a_session(world: World) -> None:
    """Tick, status and stop go on; nothing starts until the ledger is made anew."""
    world.ready(minutes=60)
    _delete_table(world)
    world.tick()
    status = world.phone.status()
    assert status["billing"]
    assert status["problem"] == "ledger-unverified"
    assert status["budget"] is status["offer"] is None
    assert status["session"]["started_by"] == "outside"
    assert world.phone.post("/extend", {"minutes": 5}).status_code == 503
    _delete_table(world)
    assert world.phone.post("/stop").status_code == 202
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=5)
    starts = world.sent(Kind.VM_START)
    for _ in range(2):
        refused = world.phone.post("/start")
        assert refused.status_code == 503
        assert refused.json()["type"] == "/problems/ledger-unverified"
        _delete_table(world)
    assert world.sent(Kind.VM_START) == starts
    Ledger(world.table).initialise(Decimal(50), world.now)
    assert world.phone.post("/start").status_code == 202


@pytest.mark.parametrize("fault", ["table_being_deleted", "table_not_found"])
def test_c09_a_table_that_is_being_deleted_for_forty_seconds(
    world: World, proxy: TableProxy, fault: str
) -> None:
    """Nothing is believed meanwhile; a stop deallocates, and it is made anew."""
    world.ready(minutes=60)
    _delete_table(world)
    proxy.faults.arm(fault, on=everything(), times=None)
    for _ in range(2):
        world.tick()
        status = world.phone.status()
        assert status["problem"] == "ledger-unverified"
        assert status["session"] is None
        assert world.phone.post("/start").status_code == 503
        world.clock.advance(timedelta(seconds=20))
        world.azure.settle()
    assert world.phone.post("/stop").status_code == 202
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    proxy.faults.clear()
    world.phone.post("/stop")
    world.until("off", most=6)
    assert world.sent(Kind.VM_START) == 1
    assert world.phone.post("/start").status_code == 503
    Ledger(world.table).initialise(Decimal(50), world.now)
    assert world.phone.post("/start").status_code == 202


def test_c10_a_transaction_is_of_one_partition_and_of_few_keys(
    world: World, proxy: TableProxy
) -> None:
    """An evening over the end of a month: every key once, far from a hundred."""
    world.clock.set(datetime(2026, 11, 30, 23, 30, tzinfo=UTC))
    world.ready(minutes=90)
    world.phone.post("/extend", {"minutes": 5})
    world.hop(40)
    world.operator.post("/lock")
    world.until("off", most=6)
    world.accounted()
    made = world.operator.post("/devices/iphone/code").json()["code"]
    assert world.stranger.post("/pair", {"code": made}).status_code == 200
    batched = [call for call in proxy.seen if call.kind is calls.Kind.BATCH]
    assert len(batched) > 6
    for call in batched:
        parts = re.findall(r"PartitionKey(?:='|\": ?\")([^'\"]+)", _text(call))
        written = re.findall(r"(?m)^(?:POST|PUT|PATCH|DELETE) ", _text(call))
        assert len(set(parts)) == 1
        assert len(call.keys) == len(written) <= 20
    months = [key for call in batched for key in call.keys if key.startswith("total:")]
    assert months == ["total:2026-11", "total:2026-12"]


def _text(call: calls.Call) -> str:
    return call.request.body.decode()


def test_c10_more_old_codes_than_a_transaction_holds_are_dropped(world: World) -> None:
    """120 codes of yesterday's yesterday go with one tick, the young one stays."""
    devices = Devices(world.table)
    old = world.now - timedelta(days=1, seconds=1)
    for number in range(120):
        devices.put_code(f"{number:064x}", "iphone", old)
    devices.put_code("f" * 64, "iphone", world.now)
    world.tick()
    left = [row.key for row in world.table.scan("-", "code:", "code;")]
    assert left == [f"code:{'f' * 64}"]
