"""The one list of system packages: what is missing is named."""

from pathlib import Path

from local.packages import LIST, missing


def test_a_package_without_its_command_is_missing(tmp_path: Path) -> None:
    """Comments and blank lines are no packages; the command decides."""
    there = tmp_path / "there"
    there.touch(mode=0o755)
    listed = "# a comment\n\nfound there\nlost not-there # why\n"
    assert missing(listed, str(tmp_path)) == ["lost"]


def test_the_list_names_each_command(tmp_path: Path) -> None:
    """With an empty path every package of the real list is missing, so none is void."""
    names = missing(LIST.read_text(), str(tmp_path))
    assert len(names) == len(set(names)) >= 1
