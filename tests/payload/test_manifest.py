"""What a manifest must have, and what none may have."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from agent.errors import AgentError
from agent.manifest import File, from_hub, parse
from hypothesis import given
from hypothesis import strategies as st

from tests.payload.weights import MODEL

SHAPE = MODEL.shape
TEXT = MODEL.manifest.text()

type Change = Callable[[list[dict[str, Any]]], object]


def changed(change: Change) -> bytes:
    content = json.loads(TEXT)
    change(content["files"])
    return json.dumps(content).encode()


def named(path: str) -> Change:
    return lambda files: files.append({**files[0], "path": path})


def first(**said: Any) -> Change:
    return lambda files: files[0].update(said)


FAULTS: dict[str, tuple[Change, str]] = {
    "a shard less": (lambda files: files.pop(15), "63 of 64 shards"),
    "a shard twice": (lambda files: files.append(files[20]), "65 of 64 shards"),
    "a tenth .py": (named("evil.py"), "10 .py files instead of exactly 9"),
    "no licence": (lambda files: files.pop(0), "LICENSE is missing"),
    "a file twice": (lambda files: files.append(files[0]), "twice"),
    "a file above": (named("../etc/passwd"), "is called “../etc/passwd”"),
    "an absolute file": (named("/etc/passwd"), "is called"),
    "a doubled slash": (named("a//b"), "is called"),
    "our marker": (named(".kimi-complete.json"), "is called"),
    "half a file": (named("model.bin.part"), "is called"),
    "a negative size": (first(size=-1), "cut or empty"),
    "a size in words": (first(size="many"), "cut or empty"),
    "a truth for a size": (first(size=True), "cut or empty"),
    "a cut digest": (first(digest="ab12"), "cut or empty"),
    "a digest in words": (first(digest="z" * 64), "cut or empty"),
    "no path": (first(path=None), "cut or empty"),
    "an empty shard": (lambda files: files[20].update(size=0), "is empty"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_manifest_is_refused(fault: str) -> None:
    """With the fault named."""
    change, words = FAULTS[fault]
    with pytest.raises(AgentError, match=words):
        parse(changed(change), SHAPE)


def test_another_revision_is_refused() -> None:
    """The pins say which one is meant."""
    with pytest.raises(AgentError, match="it is of the revision 4d01"):
        parse(TEXT, replace(SHAPE, revision="0" * 40))


def test_another_licence_is_missed() -> None:
    """The pins say what its file is called."""
    with pytest.raises(AgentError, match=r"LICENSE\.md is missing"):
        parse(TEXT, replace(SHAPE, license_file="LICENSE.md"))


@given(st.integers(0, len(TEXT) - 3))
def test_a_cut_manifest_is_never_whole(length: int) -> None:
    """Wherever it was cut; its last line without its end is as good."""
    with pytest.raises(AgentError, match="cut or empty"):
        parse(TEXT[:length], SHAPE)


def test_what_is_stored_is_read_again() -> None:
    """The same files, the same text, the same digest."""
    read = parse(TEXT, SHAPE)
    assert read == MODEL.manifest
    assert (read.text(), read.digest) == (TEXT, MODEL.manifest.digest)


def test_digests_are_those_of_the_hub() -> None:
    """A SHA-256 for large files, git's object id for small ones."""
    for file in MODEL.manifest.files:
        digest = file.hasher()
        digest.update(MODEL.files[file.path])
        assert digest.hexdigest() == file.digest
        assert len(file.digest) == (64 if file.is_shard else 40)


def test_an_empty_files_git_id_is_gits_own() -> None:
    """As `git hash-object` says of /dev/null."""
    empty = File("empty", 0, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
    assert empty.hasher().hexdigest() == empty.digest


# A digest that is none: it would have been a name for any bytes.
ODD = [*MODEL.tree[:-1], MODEL.tree[-1] | {"oid": "0" * 39}]


@pytest.mark.parametrize(
    "tree", [[], [{}], [{"type": "file"}], ["x"], MODEL.tree[:40], ODD]
)
def test_a_strange_list_of_the_hub_is_refused(tree: Any) -> None:
    """Cut, empty or something else."""
    with pytest.raises(AgentError):
        from_hub(tree, SHAPE)
