"""A time of another age: refused at the door, and survived if it is in already."""

from datetime import timedelta

import pytest

from control import keys
from local.azure import Kind
from tests.scenario.world import MACHINE, SHORT, VM, Person, World

ZERO = "0001-01-01T00:00:00Z"


@pytest.mark.parametrize("field", ["armed_until", "cap_at"])
@pytest.mark.parametrize(
    "at", [ZERO, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]
)
def test_a_heartbeat_with_a_zero_time_is_refused(
    world: World, field: str, at: str
) -> None:
    """422 that names the field; nothing of it is kept."""
    vm = Person(base=world.base, token=VM, client=world.client)
    body = {"machine": MACHINE, "boot_id": "b", "phase": "ready", field: at}
    answer = vm.post("/vm/heartbeat", body)
    assert answer.status_code == 422
    assert field in answer.json()["detail"]
    assert world.table.get(MACHINE, keys.HEARTBEAT) is None


def test_a_row_with_a_zero_time_is_skipped_and_the_lease_still_ends(
    world: World,
) -> None:
    """The heartbeat's row cannot be read: status, deadline and the next beat work."""
    world.azure.vm.behave(takes=SHORT)
    world.phone.post("/start", {"minutes": 60})
    world.until("ready")
    world.azure.vm.use(requests_running=1)
    entity = {
        "PartitionKey": MACHINE,
        "RowKey": keys.HEARTBEAT,
        "cap_at": ZERO,
        "cap_at@odata.type": "Edm.DateTime",
    }
    world.table._client().upsert_entity(entity)
    assert world.phone.status()["problem"] != "ledger-unverified"
    world.azure.vm.behave(ends_itself=False, beats=False)
    world.clock.advance(timedelta(minutes=60))
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "asked"


def test_odd_input_is_never_our_fault(world: World) -> None:
    """A key that is no text, and instants beyond the calendar: 422, no 500."""
    sent = {"Authorization": f"Bearer {world.operator.token}"}
    for path in ("/start", "/extend", "/pair"):
        answer = world.client.post(
            world.base + path, content=b'{"\\ud800":1}', headers=sent
        )
        assert answer.status_code == 422
    for query in ("to=9999-12-31T23:59:59-14:00", "from=0001-01-01T00:00:00%2B14:00"):
        assert world.operator.get(f"/sessions?{query}").status_code == 422
