"""The verbs `heartbeat`, `lease` and `failed` as processes, in the whole system."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from agent import boot, trouble
from agent.control import Control
from agent.errors import AgentError
from agent.keeper import Answer

from local.azure import Kind, LocalAzure
from local.azure.server import Listener
from local.azure.wire import json_reply
from local.stack import Stack
from tests.payload.agent import Payload
from tests.payload.keys import TOKEN, fill
from tests.payload.older import OLDER, older
from tests.payload.plane import ANSWER, Plane
from tests.soon import soon


@pytest.fixture
def machine(payload: Payload, plane: Plane) -> Payload:
    """A machine that has its token, and knows the way."""
    payload.environ["PUBLIC_URL"] = plane.url
    (payload.folder / "run/secrets/token-vm").write_text(f"{TOKEN}\n")
    return payload


@contextmanager
def running(payload: Payload, verb: str, **environ: str) -> Iterator[list[str]]:
    """Run a verb that never ends; its lines are there afterwards."""
    lines: list[str] = []
    with payload.start(verb, **environ) as process:
        try:
            yield lines
            assert process.poll() is None, process.communicate()[1]
        finally:
            process.terminate()
            out, err = process.communicate(timeout=10)
            lines += out.splitlines()
            assert "Traceback" not in err


def test_a_report_says_how_it_is(machine: Payload, plane: Plane) -> None:
    """Its name is Azure's, its clock the boot's, what nobody knows is null."""
    machine.board.phase("weights", "12 of 64 shards", 0.19)
    Control(machine.site).report(5)
    (request,) = plane.heard
    said = request.json()
    assert request.path == "/vm/heartbeat"
    assert request.bearer == TOKEN
    assert said["machine"] == "vm-kimi-01"
    assert said["boot_id"] == boot.identity()
    assert abs(said["uptime_s"] - boot.uptime()) < 5
    assert (said["phase"], said["progress"]) == ("weights", 0.19)
    assert said["requests_running"] is None
    assert said["ending"] is None
    assert said["release_failed"] is False


def test_old_gauges_are_not_known(machine: Payload, plane: Plane) -> None:
    """What was read more than 90 s ago is no news of now."""
    gauges = {"requests_running": 0, "idle_seconds": 100}
    for age in (0.0, 100.0):
        machine.board.put("gauges", {"at": boot.uptime() - age, **gauges})
        Control(machine.site).report(5)
    assert [each.json()["idle_seconds"] for each in plane.heard] == [100, None]


def test_the_answer_is_kept_with_its_instant(machine: Payload) -> None:
    """It is turned into time left on the boot's clock."""
    control = Control(machine.site)
    assert control.answer() is None
    control.report(5)
    heard = control.answer()
    assert heard is not None
    answer, at = heard
    assert isinstance(answer, Answer)
    assert answer.expires_at == answer.now + 7200
    assert abs(boot.uptime() - at) < 5


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_what_is_not_200_changes_nothing(
    machine: Payload, plane: Plane, status: int
) -> None:
    """A 401 asks for the vault to be read again; nothing else does."""
    control = Control(machine.site)
    control.report(5)
    before = machine.board.get("answer")
    plane.status = status
    with pytest.raises(AgentError, match=str(status)):
        control.report(5)
    assert machine.board.get("answer") == before
    assert bool(machine.board.get("secrets-wanted")) is (status == 401)


def test_without_a_token_the_vault_is_wanted(machine: Payload, plane: Plane) -> None:
    """And nothing is sent."""
    (machine.folder / "run/secrets/token-vm").unlink()
    with pytest.raises(AgentError, match="token for the control plane"):
        Control(machine.site).report(5)
    assert machine.board.get("secrets-wanted")
    assert plane.heard == []


def test_a_silent_control_plane_is_left_in_time(machine: Payload) -> None:
    """A connection that is taken and never answered, byte by byte or not at all."""
    done = threading.Event()
    listener = Listener(lambda _: (done.wait(10), json_reply(200, {}))[1], None)
    machine.environ["PUBLIC_URL"] = listener.url
    begun = time.monotonic()
    try:
        with pytest.raises(AgentError, match="can't be reached"):
            Control(machine.site).report(0.5)
        assert time.monotonic() - begun < 5
    finally:
        done.set()
        listener.close()


def test_heartbeats_go_on_and_say_once_what_is_wrong(
    machine: Payload, plane: Plane
) -> None:
    """The journal is no place for a line each 30 seconds."""
    with running(machine, "heartbeat") as lines:
        soon(lambda: plane.heard)
        soon(lambda: machine.board.get("answer"))
    assert lines == ["heartbeat: the control plane has answered."]


def test_the_lease_deallocates_its_own_machine(
    machine: Payload, plane: Plane, azure: LocalAzure
) -> None:
    """Past its cap, with its own identity, by Azure's own id of it."""
    azure.vm.start_outside()
    plane.status = 503
    with running(machine, "lease", MAX_RUNTIME_HOURS="0.0001") as lines:
        soon(lambda: azure.log.of(Kind.VM_DEALLOCATE))
        sent_at = machine.board.get("lease")["at"]
        soon(lambda: machine.board.get("lease")["at"] != sent_at)  # a step later
    (call,) = azure.log.of(Kind.VM_DEALLOCATE)
    assert call.caller == "vm"
    assert machine.board.get("lease")["ending"] in {"lease", "never_ready"}
    assert any("asked Azure to take this machine away" in each for each in lines)
    assert azure.log.of(Kind.VM_POWER_OFF) == []


@pytest.mark.parametrize("version", OLDER)
def test_older_pythons_run_it_too(
    machine: Payload, plane: Plane, azure: LocalAzure, version: str
) -> None:
    """It reports, it hears, and it ends its lease."""
    azure.vm.start_outside()
    machine.command = (older(version),)
    with running(machine, "lease", MAX_RUNTIME_HOURS="0.0001"):
        soon(lambda: azure.log.of(Kind.VM_DEALLOCATE))
    assert plane.heard
    assert machine.board.get("answer")


def test_a_refused_deallocation_is_said(machine: Payload, azure: LocalAzure) -> None:
    """By Azure's code; it is on the board for the heartbeat."""
    azure.faults.arm("permission", times=None)
    with running(machine, "lease", MAX_RUNTIME_HOURS="0.0001") as lines:
        soon(lambda: machine.board.get("lease").get("release_failed"))
    assert any("AuthorizationFailed (403)" in each for each in lines)


def test_the_cap_is_kept_on_the_os_disk(machine: Payload) -> None:
    """As soon as a session is known."""
    body = ANSWER | {"session_id": "01S"}
    machine.board.put("answer", {"heard_at": boot.uptime(), "body": body})
    with running(machine, "lease", MAX_RUNTIME_HOURS="999999"):
        soon(lambda: machine.lib("caps.json"))
    assert set(machine.lib("caps.json")) == {"01S"}


def test_a_full_disk_takes_no_lease_away(machine: Payload) -> None:
    """The cap is not kept over a reboot then, which it says; the process stays."""
    (machine.folder / "lib/caps.json").mkdir()
    body = ANSWER | {"session_id": "01S"}
    machine.board.put("answer", {"heard_at": boot.uptime(), "body": body})
    with running(machine, "lease", MAX_RUNTIME_HOURS="999999") as said:
        soon(lambda: machine.board.get("lease"))
        first = machine.board.get("lease")["at"]
        soon(lambda: machine.board.get("lease")["at"] > first)  # a step later
    assert any("the cap is not kept over a reboot" in line for line in said)


@pytest.mark.parametrize(
    "lost",
    [
        {"AZURE_CLIENT_ID": ""},
        {"PUBLIC_URL": "https://[bad"},
        {"KEY_VAULT_URL": "", "WEIGHTS_URL": "", "MODEL_REV": ""},
    ],
)
def test_without_its_settings_the_machine_still_goes(
    machine: Payload, azure: LocalAzure, lost: dict[str, str | None]
) -> None:
    """The only identity is taken; an address that is none is Azure's own."""
    azure.vm.start_outside()
    given = {name: value for name, value in lost.items() if value is not None}
    with running(machine, "lease", MAX_RUNTIME_HOURS="0.0001", **given):
        soon(lambda: azure.log.of(Kind.VM_DEALLOCATE))


def test_what_can_not_be_sent_is_not_quoted(machine: Payload) -> None:
    """A token with a line break would stand in the journal."""
    token = machine.folder / "run/secrets/token-vm"
    token.write_bytes(b"SECRET-A\nSECRET-B\xff")
    with pytest.raises(AgentError) as told:
        Control(machine.site).report(5)
    assert "SECRET" not in str(told.value)


def test_a_failed_unit_is_reported_broken(machine: Payload) -> None:
    """With the sentence of its verb; within the deadline nothing is released."""
    machine.do("secrets", KEY_VAULT_URL="")
    machine.board.put("lease", {"boot_deadline": boot.uptime() + 3600})
    done = machine.do("failed", KIMI_UNIT="kimi-secrets.service")
    assert done.returncode == 0
    told = trouble.phase(machine.board)
    assert told["phase"] == "broken"
    assert told["detail"].startswith("KEY_VAULT_URL is missing")
    assert machine.board.get("release") == {}


def test_a_unit_that_said_nothing_is_named(machine: Payload) -> None:
    """Systemd ended it: there is no sentence."""
    machine.board.put("lease", {"boot_deadline": None})
    machine.do("failed", KIMI_UNIT="kimi-weights.service")
    told = trouble.phase(machine.board)["detail"]
    assert told.startswith("kimi-weights.service was ended")


def test_a_later_phase_hides_no_trouble_and_success_ends_it(
    machine: Payload, azure: LocalAzure, plane: Plane
) -> None:
    """What gave up first is told, until its own verb has succeeded."""
    machine.board.put("lease", {"boot_deadline": None})
    for unit in ("kimi-secrets.service", "kimi-weights.service"):
        machine.do("failed", KIMI_UNIT=unit)
    machine.board.phase("loading", "shard 3 of 64", 0.1)
    Control(machine.site).report(5)
    fill(azure)
    assert machine.do("secrets").returncode == 0
    Control(machine.site).report(5)
    trouble.forget(machine.board, "weights")
    Control(machine.site).report(5)
    told = [(each.json()["phase"], each.json()["detail"]) for each in plane.heard]
    assert told == [
        ("broken", "kimi-secrets.service was ended, and has said nothing."),
        ("broken", "kimi-weights.service was ended, and has said nothing."),
        ("loading", "shard 3 of 64"),
    ]


def test_a_served_model_is_not_called_broken(machine: Payload) -> None:
    """A vault that sleeps while the model answers is told, and nothing more."""
    machine.board.phase("ready")
    machine.do("failed", KIMI_UNIT="kimi-secrets.service", READY_DEADLINE_MINUTES="1")
    told = trouble.phase(machine.board)
    assert told["phase"] == "ready"
    assert "kimi-secrets.service" in told["detail"]
    assert machine.board.get("release") == {}


def test_past_the_boot_deadline_a_failed_unit_releases(
    machine: Payload, azure: LocalAzure
) -> None:
    """By itself, where the lease keeper has not been at work lately."""
    azure.vm.start_outside()
    with running(
        machine, "failed", KIMI_UNIT="kimi-disk.service", READY_DEADLINE_MINUTES="0.001"
    ):
        soon(lambda: azure.log.of(Kind.VM_DEALLOCATE))
    assert machine.board.get("release") == {"ending": "never_ready"}


def test_the_lease_keeper_is_left_to_it(machine: Payload, azure: LocalAzure) -> None:
    """Where it is at work, the ending is put on the board for it."""
    late = {"at": boot.uptime(), "boot_deadline": 1.0, "was_ready": True}
    machine.board.put("lease", late)
    with running(machine, "failed", KIMI_UNIT="kimi-disk.service"):
        soon(lambda: machine.board.get("release"))
    assert machine.board.get("release") == {"ending": "broken"}
    assert azure.log.of(Kind.VM_DEALLOCATE) == []


def test_nothing_here_powers_off() -> None:
    """A machine that powers itself off is billed as before."""
    rootfs = Path(boot.__file__).parents[3]
    for place in rootfs.rglob("*"):
        if place.suffix in {".py", ".service", ".timer", ".path", ".target"}:
            words = place.read_text().lower()
            for word in ("poweroff", "power-off", "shutdown -", "halt ", "init 0"):
                assert word not in words, place


def test_the_real_control_plane_takes_its_reports(
    payload: Payload, stack: Stack
) -> None:
    """Through the functions, with the machine's own token."""
    (payload.folder / "run/secrets/token-vm").write_text(stack.tokens.vm)
    payload.environ["PUBLIC_URL"] = stack.url
    payload.board.phase("weights", "12 of 64 shards", 0.19)
    control = Control(payload.site)
    control.report(15)
    heard = control.answer()
    assert heard is not None
    assert heard[0].limits == payload.site.limits
