"""`weights open` and `weights seal`, as an operator types them, against ARM itself."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from control.azure.sentences import explained
from control.errors import Evidence, Failed
from control.roles import BLOB_DATA_CONTRIBUTOR, assignment_name, definition_id
from local.azure import Kind, LocalAzure
from local.azure.log import Seen
from local.azure.role_assignments import RoleAssignment, RoleAssignments
from tests.payload.login import Operator

GROUP = "/subscriptions/5c9d2b1e-3f47-4a86-b0d1-9e2f6a7c8d90/resourceGroups/rg-kimi"
ACCOUNT = f"{GROUP}/providers/Microsoft.Storage/storageAccounts/stkimiweights"
SCOPE = f"{ACCOUNT}/blobServices/default/containers/models"
URL = "https://stkimiweights.blob.core.windows.net/models"
PRINCIPAL = "0d6f1c1e-6a51-4f2b-8a0e-3c8a8f0e7b11"
# What Bicep's own `guid(SCOPE, PRINCIPAL, role)` says.
NAME = "6f9b0481-e9d7-5cc9-80b8-15e23b94674a"
READER = "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1"
OTHER_NAME = "11111111-2222-3333-4444-555555555555"


def assignment(
    name: str = OTHER_NAME,
    scope: str = SCOPE,
    role: str = BLOB_DATA_CONTRIBUTOR,
    principal: str = PRINCIPAL,
) -> RoleAssignment:
    return RoleAssignment(
        name=name,
        scope=scope,
        principal=principal,
        role=definition_id(GROUP.split("/")[2], role),
        principal_type="ServicePrincipal",
        at=datetime(2026, 11, 1, tzinfo=UTC),
    )


@pytest.fixture
def operator(azure: LocalAzure, tmp_path: Path) -> Operator:
    return Operator.of(
        azure,
        tmp_path / "login",
        WEIGHTS_ACCOUNT_ID=ACCOUNT,
        WEIGHTS_URL=URL,
        MACHINE_PRINCIPAL_ID=PRINCIPAL,
    )


def roles(azure: LocalAzure) -> list[Seen]:
    return azure.log.of(Kind.ROLE_READ, Kind.ROLE_WRITE)


def test_open_lets_the_machine_write_and_says_when(
    azure: LocalAzure, operator: Operator
) -> None:
    """One assignment, of the container alone, under the name of its triple."""
    done = operator.run("weights", "open")
    assert done.exit_code == 0, done.output
    (made,) = azure.role_assignments.all
    assert (made.name, made.scope, made.principal) == (NAME, SCOPE, PRINCIPAL)
    assert made.role.endswith(f"/roleDefinitions/{BLOB_DATA_CONTRIBUTOR}")
    assert made.principal_type == "ServicePrincipal"
    assert f"Open: the machine's identity {PRINCIPAL} has the role" in done.stdout
    assert "up to 10 minutes until it works" in done.stdout


def test_the_name_is_bicep_s_own(azure: LocalAzure, operator: Operator) -> None:
    """A template that gives the same right makes the same assignment, in any case."""
    assert assignment_name(SCOPE, PRINCIPAL, BLOB_DATA_CONTRIBUTOR) == NAME
    operator.run("weights", "open", MACHINE_PRINCIPAL_ID=PRINCIPAL.upper())
    assert [each.name for each in azure.role_assignments.all] == [NAME]


@pytest.mark.parametrize("name", [NAME, OTHER_NAME])
def test_open_again_is_content(
    azure: LocalAzure, operator: Operator, name: str
) -> None:
    """Also where somebody gave the right by hand, under another name."""
    azure.role_assignments.add(assignment(name))
    done = operator.run("weights", "open")
    assert done.exit_code == 0, done.output
    assert "as it had before" in done.stdout
    assert [each.name for each in azure.role_assignments.all] == [name]


def test_seal_takes_it_away_and_looks(azure: LocalAzure, operator: Operator) -> None:
    """Every assignment of that right at the container, and no other right."""
    stranger = "99999999-6a51-4f2b-8a0e-3c8a8f0e7b11"
    kept = [
        assignment("22222222-2222-3333-4444-555555555555", role=READER),
        assignment("33333333-2222-3333-4444-555555555555", principal=stranger),
        assignment("44444444-2222-3333-4444-555555555555", f"{ACCOUNT}2"),
    ]
    for each in (*kept, assignment(scope=SCOPE.upper().replace("/SUB", "/sub"))):
        azure.role_assignments.add(each)
    done = operator.run("weights", "seal")
    assert done.exit_code == 0, done.output
    assert azure.role_assignments.all == kept
    assert f"Sealed: ARM lists no Storage Blob Data Contributor of {PRINCIPAL}" in (
        done.stdout
    )
    assert "reading is another role, and stays" in done.stdout
    calls = [(seen.method, seen.status) for seen in roles(azure)]
    assert calls == [("GET", 200), ("DELETE", 200), ("GET", 200)]


def test_open_and_seal_leave_nothing(azure: LocalAzure, operator: Operator) -> None:
    """And sealing what is sealed is content."""
    for verb in ("open", "seal", "seal"):
        assert operator.run("weights", verb).exit_code == 0
    assert azure.role_assignments.all == []


@pytest.mark.parametrize("above", [ACCOUNT, GROUP, "/".join(GROUP.split("/")[:3])])
def test_a_right_from_higher_up_is_no_seal(
    azure: LocalAzure, operator: Operator, above: str
) -> None:
    """It is told, and left: the command touches the container alone."""
    azure.role_assignments.add(assignment(scope=above))
    done = operator.run("weights", "seal")
    assert done.exit_code == 1
    assert "the machine still has Storage Blob Data Contributor from" in done.stderr
    assert f"higher up, at {above}; take it away there" in done.stderr
    assert "Sealed" not in done.stdout
    assert len(azure.role_assignments.all) == 1


class Late(RoleAssignments):
    """ARM whose lists are as old as so many reads."""

    def __init__(self, reads: int) -> None:
        super().__init__()
        self.reads = reads

    def listed(self) -> list[RoleAssignment]:
        self.reads -= 1
        return [assignment()] if self.reads >= 0 else super().listed()


@pytest.mark.parametrize(("reads", "code"), [(2, 0), (99, 1)])
def test_a_list_that_is_old_is_read_again(
    azure: LocalAzure, operator: Operator, reads: int, code: int
) -> None:
    """Seconds long; what is listed then is not called sealed."""
    azure.role_assignments.listed = Late(reads).listed  # type: ignore[method-assign]
    done = operator.run("weights", "seal")
    assert done.exit_code == code
    assert ("Sealed" in done.stdout) is (code == 0)
    assert ("run `seal` again in a minute" in done.stderr) is (code == 1)


def test_a_dry_run_changes_nothing(azure: LocalAzure, operator: Operator) -> None:
    """It says what it would do, by name."""
    opened = operator.run("weights", "open", "--dry-run")
    assert opened.exit_code == 0
    assert opened.stdout.startswith("Nothing was done. It would give")
    assert NAME in opened.stdout
    sealed = operator.run("weights", "seal", "--dry-run")
    assert "There is no Storage Blob Data Contributor to take away" in sealed.stdout
    azure.role_assignments.add(assignment())
    sealed = operator.run("weights", "seal", "--dry-run")
    assert f"It would take away assignment {OTHER_NAME} at {SCOPE}" in sealed.stdout
    assert azure.log.of(Kind.ROLE_WRITE) == []


@pytest.mark.parametrize("verb", ["open", "seal"])
def test_who_may_not_is_told_in_azures_words(
    azure: LocalAzure, tmp_path: Path, verb: str
) -> None:
    """A login without the right to give rights: no traceback, and 1."""
    given = {"WEIGHTS_ACCOUNT_ID": ACCOUNT, "MACHINE_PRINCIPAL_ID": PRINCIPAL}
    given["WEIGHTS_URL"] = URL
    stranger = Operator.of(azure, tmp_path / "stranger", caller="app", **given)
    done = stranger.run("weights", verb)
    assert done.exit_code == 1
    assert "does not have authorization to perform action" in done.stderr
    assert "needs the role Owner, User Access Administrator" in done.stderr
    assert "Traceback" not in done.output


def test_without_a_login_the_sentence_says_what_to_do(operator: Operator) -> None:
    """The person's own login, and no other."""
    operator.log_out()
    done = operator.run("weights", "open")
    assert done.exit_code == 1
    assert done.stderr == "Not done: there is no Azure login here: run `az login`.\n"


def test_an_arm_that_is_not_there_is_told(operator: Operator) -> None:
    """Nobody listens at that port: the setting is named."""
    done = operator.run("weights", "seal", ARM_ENDPOINT="https://127.0.0.1:9")
    assert done.exit_code == 1
    assert done.stderr.startswith(
        "Not done: Azure Resource Manager does not answer: look at ARM_ENDPOINT"
    )


@pytest.mark.parametrize("verb", ["open", "seal"])
def test_all_that_is_missing_or_wrong_is_named_at_once(
    azure: LocalAzure, operator: Operator, verb: str
) -> None:
    """Before anything is asked."""
    done = operator.run(
        "weights", verb, WEIGHTS_ACCOUNT_ID=None, ARM_ENDPOINT="http://x"
    )
    assert done.exit_code == 1
    assert done.stderr == (
        "Not done: the environment lacks WEIGHTS_ACCOUNT_ID; ARM_ENDPOINT is no plain "
        "https address, without a ?query; vm_payload/README.md says what each is.\n"
    )
    done = operator.run(
        "weights", verb, WEIGHTS_ACCOUNT_ID=SCOPE, MACHINE_PRINCIPAL_ID="vm"
    )
    assert (
        "WEIGHTS_ACCOUNT_ID is not a storage account's resource id, /sub" in done.stderr
    )
    assert "MACHINE_PRINCIPAL_ID is not an id like" in done.stderr
    assert roles(azure) == []


@pytest.mark.parametrize("verb", ["open", "seal"])
def test_the_container_that_the_machine_reads_is_meant(
    operator: Operator, verb: str
) -> None:
    """The URL names it, whatever it is called; another account's is refused."""
    other = URL.replace("models", "weights")
    done = operator.run("weights", verb, WEIGHTS_URL=other)
    assert f"at {ACCOUNT}/blobServices/default/containers/weights" in done.stdout
    other = URL.replace("stkimiweights", "stother")
    done = operator.run("weights", verb, WEIGHTS_URL=other)
    assert done.exit_code == 1
    assert "WEIGHTS_ACCOUNT_ID is of stkimiweights, and the URL of stother" in (
        done.stderr
    )


def test_a_refusal_that_a_person_can_mend_is_explained() -> None:
    """Behind Azure's own words, and as the same kind of error; others stay."""
    words = {"principalnotfound": "Give the object id."}
    said = Evidence(status=400, code="PrincipalNotFound", message="Does not exist.")
    with pytest.raises(Failed) as told, explained(words):
        raise Failed(said)
    assert told.value.evidence.message == "Does not exist. Give the object id."
    with pytest.raises(Failed) as told, explained({}):
        raise Failed(said)
    assert told.value.evidence == said
