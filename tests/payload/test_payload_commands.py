"""`payload render|build|diff|update`, as an operator types them, on real blobs."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from control.payload import archive
from control.payload.bundle import ROOTFS
from local.azure import Kind, LocalAzure
from local.clock import SharedClock
from tests.payload.login import Operator
from tests.payload.weights import Blobs

SITE = {
    "MACHINE_CLIENT_ID": "0d6f1c1e-6a51-4f2b-8a0e-3c8a8f0e7b11",
    "MACHINE_KEY_VAULT_URL": "https://kv-kimi-vm.vault.azure.net",
    "WEIGHTS_URL": "https://stkimiweights.blob.core.windows.net/models",
    "PUBLIC_URL": "https://kimi.azurewebsites.net",
}


@pytest.fixture
def operator(azure: LocalAzure, blobs: Blobs, tmp_path: Path) -> Operator:
    """Somebody who is logged in, with a deployment in the environment."""
    return Operator.of(azure, tmp_path / "login", PAYLOAD_URL=blobs.url, **SITE)


def run(azure: LocalAzure, clock: SharedClock) -> None:
    """Let the machine run, and end a run-command at once."""
    machine = azure.vm.machine
    machine.timings = replace(machine.timings, run_command=timedelta(0))
    azure.vm.start_outside()
    clock.advance(timedelta(minutes=2))


def blob(blobs: Blobs, path: str) -> bytes | None:
    reply = blobs.client.get(f"{blobs.url}/{path}")
    return reply.content if reply.is_success else None


def names(blobs: Blobs) -> dict[str, str]:
    body = blob(blobs, "machines/vm-kimi-01.json")
    read: dict[str, str] = json.loads(body or b"{}")
    return read


def test_render_prints_custom_data_without_a_version(
    operator: Operator, tmp_path: Path
) -> None:
    """To the terminal or to a file; no address of the deployment but the payload's."""
    done = operator.run("payload", "render")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("#cloud-config\n")
    assert SITE["MACHINE_CLIENT_ID"] in done.output
    assert SITE["PUBLIC_URL"] not in done.output
    place = tmp_path / "custom-data"
    assert "bytes" in operator.run("payload", "render", "--output", str(place)).output
    assert place.read_text() == done.output


def test_build_writes_what_update_would_upload(
    operator: Operator, tmp_path: Path
) -> None:
    """With its name, size and count; twice the same."""
    place = tmp_path / "payload.tar.gz"
    first = operator.run("payload", "build", "--output", str(place))
    made = place.read_bytes()
    assert f"sha256 {archive.sha256(made)}" in first.output
    assert operator.run("payload", "build", "--output", str(place)).output == (
        first.output
    )
    contents = archive.contents(made)
    assert (
        b"PUBLIC_URL=https://kimi.azurewebsites.net\n" in contents["etc/kimi-site.env"]
    )
    assert b"MODEL_SHARDS=64\n" in contents["etc/kimi-pins.env"]
    assert (
        contents["opt/kimi/agent/lease.py"]
        == (ROOTFS / "opt/kimi/agent/lease.py").read_bytes()
    )


def test_all_that_is_missing_is_named_at_once(operator: Operator) -> None:
    """Nothing is asked of Azure before."""
    missing = dict.fromkeys(("WEIGHTS_URL", "PAYLOAD_URL", "VM_NAME"))
    done = operator.run("payload", "update", **missing)
    assert done.exit_code == 1
    assert "lacks WEIGHTS_URL, VM_NAME, PAYLOAD_URL" in done.output


def test_a_machine_that_is_off_takes_it_at_its_next_start(
    operator: Operator, azure: LocalAzure, blobs: Blobs
) -> None:
    """Archive first, pointer last; the machine is not started for it."""
    done = operator.run("payload", "update")
    assert done.exit_code == 0, done.output
    assert "no payload yet" in done.output
    assert "it takes this payload at its next start" in done.output
    sha256 = names(blobs)["sha256"]
    body = blob(blobs, f"archives/{sha256}.tar.gz")
    assert body is not None
    assert archive.sha256(body) == sha256
    assert azure.log.of(Kind.VM_START, Kind.VM_RUN_COMMAND) == []
    again = operator.run("payload", "diff")
    assert "Nothing would change" in again.output


def test_diff_tells_files_and_units(operator: Operator, blobs: Blobs) -> None:
    """Of the machine's own payload, and changes nothing."""
    operator.run("payload", "update")
    before = names(blobs)
    done = operator.run("payload", "diff", IDLE_MINUTES="15")
    assert "changed  /etc/kimi-site.env" in done.output
    assert "Units touched: kimi-" in done.output
    assert names(blobs) == before


def test_an_archive_that_was_broken_is_told(operator: Operator, blobs: Blobs) -> None:
    """In one sentence, whoever asks."""
    operator.run("payload", "update")
    place = f"archives/{names(blobs)['sha256']}.tar.gz"
    blobs.client.put(
        f"{blobs.url}/{place}", content=b"x", headers={"x-ms-blob-type": "BlockBlob"}
    ).raise_for_status()
    done = operator.run("payload", "diff")
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1


def test_a_dry_run_changes_nothing(
    operator: Operator, azure: LocalAzure, blobs: Blobs
) -> None:
    """It says what it would do, and how much."""
    done = operator.run("payload", "update", "--dry-run")
    assert "Nothing was done. It would upload" in done.output
    assert names(blobs) == {}
    assert azure.log.of(Kind.VM_RUN_COMMAND) == []


def test_a_running_machine_is_told_and_believed_by_its_words(
    operator: Operator, azure: LocalAzure, clock: SharedClock, blobs: Blobs
) -> None:
    """One line by run-command; the rest is for a person to restart."""
    run(azure, clock)

    def says(_: tuple[str, ...]) -> tuple[str, str]:
        return f"payload {names(blobs)['sha256'][:12]} is unpacked: 9 new.", ""

    azure.vm.machine.console.prints = says
    done = operator.run("payload", "update")
    assert done.exit_code == 0, done.output
    assert "is unpacked: 9 new." in done.output
    (script,) = azure.vm.machine.console.ran
    assert script[0] == "systemctl restart kimi-bootstrap.service"
    assert "systemctl" not in done.output
    again = operator.run("payload", "update", IDLE_MINUTES="15")
    lasting = "kimi-heartbeat.service kimi-lease.service kimi-watch.service"
    assert f"systemctl restart {lasting}\n" in again.output


def test_a_machine_that_does_not_say_so_has_not_taken_it(
    operator: Operator, azure: LocalAzure, clock: SharedClock
) -> None:
    """Its words are shown, and the command ends with 1."""
    run(azure, clock)
    azure.vm.machine.console.prints = lambda _: ("", "refuses with 403")
    done = operator.run("payload", "update")
    assert done.exit_code == 1
    assert "refuses with 403" in done.output
    assert "did not say that it took payload" in done.output


def test_without_a_login_it_says_what_to_do(operator: Operator) -> None:
    """One sentence, no traceback."""
    operator.log_out()
    done = operator.run("payload", "diff")
    assert done.exit_code == 1
    assert "az login" in done.output


def test_a_container_that_is_not_there_is_named(operator: Operator) -> None:
    """By the setting to look at."""
    gone = operator.environ["PAYLOAD_URL"] + "x"
    done = operator.run("payload", "update", PAYLOAD_URL=gone)
    assert done.exit_code == 1
    assert "PAYLOAD_URL" in done.output
