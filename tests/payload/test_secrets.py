"""The verb `secrets`: from the vault to tmpfs, valid and owned, or not at all."""

import stat
from pathlib import Path

import pytest
from agent import __main__ as program

from local.azure import LocalAzure
from tests.payload.agent import LATE, Payload
from tests.payload.keys import KEY, NAMES, TOKEN, fill
from tests.payload.older import OLDER, older


@pytest.fixture
def machine(payload: Payload, azure: LocalAzure) -> Payload:
    """A machine with its vault filled, but for a secret that may be missing."""
    fill(azure)
    return payload


def files(payload: Payload) -> dict[str, str]:
    found = sorted((payload.folder / "run/secrets").iterdir())
    return {path.name: path.read_text() for path in found}


def mode(payload: Payload, name: str) -> int:
    return stat.S_IMODE((payload.folder / "run/secrets" / name).stat().st_mode)


WHOLE = {
    "owui.env": f"WEBUI_SECRET_KEY={KEY[::-1]}\n",
    "token-vm": f"{TOKEN}\n",
    "vllm.env": f"VLLM_API_KEY={KEY}\n",
}


def test_secrets_come_with_owner_and_mode(machine: Payload) -> None:
    """Only the token is for the agent's group; no value is ever said."""
    done = machine.do("secrets")
    assert (done.returncode, done.stderr) == (0, "")
    assert "token-vm, vllm-api-key, owui-secret-key came new" in done.stdout
    assert files(machine) == WHOLE
    assert mode(machine, "vllm.env") == 0o600
    assert mode(machine, "token-vm") == 0o640
    assert not any(value in done.stdout for value in NAMES.values())


def test_a_rotated_secret_comes_without_a_reboot(
    machine: Payload, azure: LocalAzure
) -> None:
    """It is named; what is as it was is not touched."""
    machine.do("secrets")
    place = machine.folder / "run/secrets/token-vm"
    before = place.stat().st_ino
    azure.put_secret(azure.machine_vault, "vllm-api-key", "f" * 64)
    assert machine.do("secrets").stdout == "secrets: vllm-api-key came new.\n"
    assert files(machine)["vllm.env"] == f"VLLM_API_KEY={'f' * 64}\n"
    assert place.stat().st_ino == before
    assert "all are as they were" in machine.do("secrets").stdout


@pytest.mark.parametrize(
    "value", ["", "null", "0" * 63, "0" * 65, "G" * 64, f"{KEY}\nX=1", f" {KEY}"]
)
def test_what_is_no_key_is_refused(
    machine: Payload, azure: LocalAzure, value: str
) -> None:
    """The seed wrote VLLM_API_KEY=null, which vLLM takes; an empty one opens it."""
    azure.put_secret(azure.machine_vault, "vllm-api-key", value)
    done = machine.do("secrets")
    assert done.returncode == 1
    assert "vllm-api-key" in done.stderr
    assert value not in done.stderr or not value
    assert "vllm.env" not in files(machine)
    assert "token-vm" in files(machine), "one that fails keeps no other back"


def test_what_is_not_needed_and_wrong_is_only_told(
    machine: Payload, azure: LocalAzure
) -> None:
    """The model comes up without it; what was valid stays."""
    azure.put_secret(azure.machine_vault, "owui-secret-key", "null")
    done = machine.do("secrets")
    assert done.returncode == 0
    assert "owui-secret-key in the vault is not what it must be" in done.stdout
    assert set(files(machine)) == {"token-vm", "vllm.env"}


def test_a_bad_new_one_leaves_the_old(machine: Payload, azure: LocalAzure) -> None:
    """What was valid stays until something valid comes."""
    machine.do("secrets")
    azure.put_secret(azure.machine_vault, "vllm-api-key", "null")
    assert machine.do("secrets").returncode == 1
    assert files(machine) == WHOLE


def test_a_vault_that_sleeps_later_is_no_trouble(
    machine: Payload, azure: LocalAzure
) -> None:
    """What is needed is here: nothing is broken, and it says why nothing is new."""
    machine.do("secrets")
    azure.put_secret(azure.machine_vault, "vllm-api-key", "f" * 64)
    azure.machine_vault.store.enable("vllm-api-key", azure.now(), enabled=False)
    done = machine.do("secrets")
    assert done.returncode == 0
    assert "those from before stay: the vault does not give vllm-api-key" in done.stdout
    assert files(machine) == WHOLE
    (machine.folder / "run/secrets/vllm.env").unlink()
    assert machine.do("secrets").returncode == 1


def test_what_must_be_there_is_named(payload: Payload, azure: LocalAzure) -> None:
    """All that is missing, at once."""
    azure.put_secret(azure.machine_vault, "owui-secret-key", KEY)
    done = payload.do("secrets")
    assert done.returncode == 1
    assert "the vault has no token-vm. the vault has no vllm-api-key." in done.stderr
    assert list(files(payload)) == ["owui.env"]


@pytest.mark.parametrize("fault", LATE)
def test_the_metadata_service_may_come_late(
    machine: Payload, azure: LocalAzure, fault: str
) -> None:
    """404, 410, 429, 5xx and silence pass."""
    azure.faults.arm(fault, times=2)
    done = machine.do("secrets")
    assert (done.returncode, done.stderr) == (0, "")
    assert files(machine) == WHOLE


def test_a_missing_identity_is_named_at_once(
    machine: Payload, azure: LocalAzure
) -> None:
    """400 does not pass: a person must assign it."""
    azure.faults.arm("imds_no_identity")
    done = machine.do("secrets")
    assert done.returncode == 1
    assert "Identity not found; is the identity" in done.stderr
    assert files(machine) == {}


def test_its_own_identity_is_asked_for(machine: Payload, azure: LocalAzure) -> None:
    """Another one's client id is refused by name."""
    machine.environ["AZURE_CLIENT_ID"] = azure.client_id
    assert "Identity not found" in machine.do("secrets").stderr


def test_the_vault_may_be_busy(machine: Payload, azure: LocalAzure) -> None:
    """For a while."""
    azure.faults.arm("vault_error", times=2)
    assert machine.do("secrets").returncode == 0


def test_a_vault_that_says_no_is_told_by_its_code(
    machine: Payload, azure: LocalAzure
) -> None:
    """Its message holds ids that are nobody's business."""
    azure.machine_vault.store.enable("vllm-api-key", azure.now(), enabled=False)
    done = machine.do("secrets")
    assert "the vault does not give vllm-api-key (403, Forbidden, " in done.stderr
    assert "SecretDisabled" in done.stderr


@pytest.mark.parametrize("name", ["AZURE_CLIENT_ID", "KEY_VAULT_URL"])
def test_a_missing_setting_is_named(machine: Payload, name: str) -> None:
    """By the file it belongs in."""
    done = machine.do("secrets", **{name: ""})
    assert (done.returncode, f"{name} is missing" in done.stderr) == (1, True)


def test_a_torn_write_never_has_the_name(machine: Payload) -> None:
    """What cannot be written leaves what was there, and nothing beside it."""
    machine.do("secrets")
    (machine.folder / "run/secrets/vllm.env").write_text("VLLM_API_KEY=old\n")
    machine.command = ("prlimit", "--fsize=10", *machine.command)
    done = machine.do("secrets")
    assert done.returncode == 1
    assert "File too large" not in done.stdout
    assert files(machine) == WHOLE | {"vllm.env": "VLLM_API_KEY=old\n"}


@pytest.mark.parametrize("version", OLDER)
def test_older_pythons_run_it_too(machine: Payload, version: str) -> None:
    """With the same modes."""
    machine.command = (older(version),)
    assert machine.do("secrets").stderr == ""
    assert files(machine) == WHOLE


def test_a_wrong_call_names_the_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    """As a person would meet it."""
    assert program.main(["restart"], {}) == 2
    assert "disk|failed|heartbeat|lease|secrets|seed|weights" in capsys.readouterr().err


def test_no_verb_is_told_a_secret() -> None:
    """Arguments can be read by everybody on a machine."""
    for place in Path(program.__file__).parent.glob("*.py"):
        assert "argv[2" not in place.read_text()
