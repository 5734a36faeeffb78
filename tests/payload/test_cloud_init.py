"""The custom data, as cloud-init, a person in the portal and apt see it."""

import base64
import gzip
import shutil
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from control.errors import CommandError
from control.payload.custom_data import ENVIRONMENT, LARGEST, render

FOLDER = Path(__file__).parents[2] / "vm_payload"
ROOTFS = FOLDER / "rootfs"
TEMPLATE = (FOLDER / "cloud-init.yaml").read_text()
SITE: Mapping[str, str] = {
    "PAYLOAD_URL": "https://stkimi.blob.core.windows.net/payload",
    "AZURE_CLIENT_ID": "0c0ffee0-1111-2222-3333-444455556666",
    "ARM_ENDPOINT": "https://management.azure.com",
}
needs_cloud_init = pytest.mark.skipif(
    shutil.which("cloud-init") is None,
    reason="the system package cloud-init is missing",
)
needs_apt = pytest.mark.skipif(
    shutil.which("apt-get") is None, reason="there is no apt here"
)


def rendered(rootfs: Path = ROOTFS) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(render(TEMPLATE, rootfs, SITE))
    return read


def written(rootfs: Path = ROOTFS) -> dict[str, dict[str, str]]:
    return {each["path"]: each for each in rendered(rootfs)["write_files"]}


@needs_cloud_init
def test_the_real_cloud_init_takes_it(tmp_path: Path) -> None:
    """Its own schema, offline; nothing of it is run."""
    place = tmp_path / "custom-data"
    place.write_text(render(TEMPLATE, ROOTFS, SITE))
    done = subprocess.run(
        ["cloud-init", "schema", "--config-file", str(place)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_file_is_that_of_its_place() -> None:
    """Decoded as cloud-init decodes it; readable by all, writable by root."""
    files = written()
    told = files.pop(ENVIRONMENT)
    assert told["content"].splitlines() == [
        f"{name}={SITE[name]}" for name in sorted(SITE)
    ]
    assert len(files) == 6
    for path, each in files.items():
        assert each["encoding"] == "gz+b64"
        assert each["permissions"] == "0644"
        body = gzip.decompress(base64.b64decode(each["content"]))
        assert body == (ROOTFS / path.lstrip("/")).read_bytes()


def test_f03_nothing_needed_lives_in_it_alone() -> None:
    """F03: made again from its disk, a machine has no custom data.

    Files, users and what is enabled are on the disk; only units run at each boot.
    """
    assert set(rendered()) == {
        "package_update",
        "package_upgrade",
        "package_reboot_if_required",
        "write_files",
        "users",
        "runcmd",
    }
    kept = yaml.safe_load((ROOTFS / "etc/cloud/cloud.cfg.d/99-kimi.cfg").read_text())
    assert kept == {"ssh_deletekeys": False}


def test_f06_nothing_upgrades_by_itself() -> None:
    """F06: no upgrade at the first boot, and apt's timers are masked first."""
    said = rendered()
    assert not said["package_update"]
    assert not said["package_upgrade"]
    mask, *_, last = said["runcmd"]
    assert mask[:3] == ["systemctl", "mask", "--now"]
    assert {"apt-daily.timer", "apt-daily-upgrade.timer"} < set(mask)
    assert last[-2:] == ["kimi-bootstrap.service", "kimi-watch.service"]


def test_no_shell_and_no_version_is_in_it() -> None:
    """Commands are words for one program; what changes is the payload's."""
    programs = {words[0] for words in rendered()["runcmd"]}
    assert programs == {"systemctl"}
    assert "sha256" not in TEMPLATE
    user = rendered()["users"][1]
    assert (user["name"], user["shell"]) == ("kimi", "/usr/sbin/nologin")
    assert user["system"]
    assert user["lock_passwd"]
    assert user["no_create_home"]


def test_it_is_small_and_always_the_same() -> None:
    """Azure takes 65,535 bytes; the same files give the same bytes."""
    text = render(TEMPLATE, ROOTFS, SITE)
    assert text == render(TEMPLATE, ROOTFS, dict(sorted(SITE.items())))
    assert text.startswith("#cloud-config\n")
    assert len(text.encode()) < LARGEST / 2


def test_the_payload_is_not_in_it(tmp_path: Path) -> None:
    """Any other file may change: the custom data stays, as it must."""
    named = {path.lstrip("/") for path in written()}
    for path in ROOTFS.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            name = str(path.relative_to(ROOTFS))
            body = path.read_bytes() if name in named else b"another\n"
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(body)
    assert render(TEMPLATE, tmp_path, SITE) == render(TEMPLATE, ROOTFS, SITE)
    unit = tmp_path / "etc/systemd/system/kimi-bootstrap.service"
    unit.write_text("[Unit]\n")
    assert render(TEMPLATE, tmp_path, SITE) != render(TEMPLATE, ROOTFS, SITE)


FILE = "write_files:\n- path: /etc/apt/preferences.d/kimi\n  permissions: '0644'\n"
WRONG: dict[str, tuple[str, str]] = {
    "an unknown key": (f"{FILE}package: [a]\n", "may not hold package"),
    "another": (f"{FILE}run_cmd:\n- [a]\n", "may not hold run_cmd"),
    "what others use": (f"{FILE}bootcmd:\n- [a]\n", "may not hold bootcmd"),
    "a number for a mode": (FILE.replace("'", ""), "permissions must be quoted"),
    "a command as a map": (f"{FILE}runcmd:\n- echo a: b\n", "is no list of words"),
    "a command for a shell": (f"{FILE}runcmd:\n- echo a\n", "is no list of words"),
    "a number in a command": (f"{FILE}runcmd:\n- [a, 1]\n", "is no list of words"),
    "one command": (f"{FILE}runcmd: a\n", "must be a list"),
    "a tab": (f"{FILE}runcmd:\n\t- [a]\n", "is no YAML"),
    "no file": ("runcmd: []\n", "has no write_files"),
    "a list": ("- a\n", "must be keys and values"),
    "content": (f"{FILE}  content: a\n", "content is not for the template"),
    "a relative path": (FILE.replace(" /etc", " etc"), "needs an absolute path"),
    "a missing file": (FILE.replace("kimi", "other"), "is not in rootfs"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_template_is_named(what: str) -> None:
    """What cloud-init passes over, or reads as something else, is an error here."""
    body, words = WRONG[what]
    with pytest.raises(CommandError, match=words):
        render(f"#cloud-config\n{body}", ROOTFS, SITE)


def test_the_first_line_is_needed() -> None:
    """Without it cloud-init takes the text for a script, or for nothing."""
    with pytest.raises(CommandError, match="first line"):
        render(FILE, ROOTFS, SITE)


@pytest.mark.parametrize(
    "change",
    [
        {"PAYLOAD_URL": ""},
        {"AZURE_CLIENT_ID": "two words"},
        {"PAYLOAD_URL": "https://st.blob.core.windows.net/p?sig=abc"},
        {"ARM_ENDPOINT": "https://a\nX=1"},
        {"API_KEY": "abc"},
    ],
)
def test_a_missing_or_secret_value_is_refused(change: dict[str, str]) -> None:
    """Whoever may read the machine reads it; a query could be a signature."""
    with pytest.raises(CommandError, match=next(iter(change))):
        render(TEMPLATE, ROOTFS, {**SITE, **change})


def test_too_much_is_refused(tmp_path: Path) -> None:
    """Azure's own error would say less."""
    place = tmp_path / "etc/apt/preferences.d/kimi"
    place.parent.mkdir(parents=True)
    place.write_bytes(Random(1).randbytes(90_000))
    with pytest.raises(CommandError, match="takes 65,535 bytes"):
        render(f"#cloud-config\n{FILE}", tmp_path, SITE)


HELD = [
    "nvidia-driver-570-server",
    "nvidia-fabricmanager-570",
    "nvidia-container-toolkit",
    "libnvidia-compute-570-server",
    "libnvidia-container1",
    "cuda-drivers",
    "cuda-drivers-fabricmanager-570",
    "linux-azure",
    "linux-image-azure",
    "linux-image-6.8.0-1015-azure",
    "linux-headers-azure",
    "linux-modules-extra-azure",
]
ORDINARY = ["openssl", "curl", "linux-libc-dev"]
NEW_KERNEL = "linux-image-6.8.0-1020-azure"


class Apt:
    """The real apt in a root of its own, with a repository that is a folder."""

    def __init__(self, root: Path) -> None:
        self.preferences = root / "etc/apt/preferences.d"
        repository = root / "repository"
        for made in (
            self.preferences,
            repository,
            root / "var/lib/dpkg",
            root / "var/lib/apt/lists/partial",
            root / "var/cache/apt/archives/partial",
        ):
            made.mkdir(parents=True)
        names = [*HELD, *ORDINARY]
        installed = [package(name, 1, installed=True) for name in names]
        (root / "var/lib/dpkg/status").write_text("\n".join(installed))
        offered = [package(name, 2) for name in names]
        offered.append(package(NEW_KERNEL, 2))
        (repository / "Packages").write_text("\n".join(offered))
        (root / "etc/apt/sources.list").write_text(
            f"deb [trusted=yes] file:{repository} ./\n"
        )
        self.config = root / "apt.conf"
        self.config.write_text(
            f'Dir "{root}";\n'
            f'Dir::State::status "{root}/var/lib/dpkg/status";\n'
            'APT::Architecture "amd64";\nAPT::Architectures "amd64";\n'
            'APT::Sandbox::User "";\nAcquire::Languages "none";\n'
            'Debug::NoLocking "true";\n'
        )
        self.call("update")

    def call(self, *arguments: str) -> str:
        done = subprocess.run(
            ["apt-get", *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": "/usr/bin:/bin", "APT_CONFIG": str(self.config)},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def upgraded(self, *options: str) -> set[str]:
        """Return what a whole upgrade would install; nothing is ever removed."""
        said = self.call(*options, "-s", "dist-upgrade").splitlines()
        assert not [line for line in said if line.startswith(("Remv", "Purg"))]
        return {line.split()[1] for line in said if line.startswith("Inst")}


def package(name: str, version: int, *, installed: bool = False) -> str:
    """Write a package as a repository, or as dpkg, has it."""
    depends = {"linux-azure": f"Depends: {NEW_KERNEL}\n"} if version == 2 else {}
    state = "Status: install ok installed\n" if installed else ""
    return (
        f"Package: {name}\n{state}Version: {version}\nArchitecture: amd64\n"
        f"Maintainer: nobody\nDescription: {name}\n{depends.get(name, '')}"
        + (
            ""
            if installed
            else f"Filename: ./{name}.deb\nSize: 1\nSHA256: {'0' * 64}\n"
        )
    )


@pytest.fixture
def apt(tmp_path: Path) -> Apt:
    """Every package has a newer one, and a newer kernel is there."""
    return Apt(tmp_path)


@needs_apt
def test_f06_driver_and_kernel_are_never_upgraded(apt: Apt) -> None:
    """F06: by apt's own count, with the very file that the machine has."""
    shutil.copy(ROOTFS / "etc/apt/preferences.d/kimi", apt.preferences)
    assert apt.upgraded() == set(ORDINARY)


@needs_apt
def test_f06_without_the_file_they_would_be(apt: Apt) -> None:
    """F06: this is what the file keeps away."""
    assert apt.upgraded() == {*HELD, *ORDINARY, NEW_KERNEL}


@needs_apt
def test_f06_a_person_can_upgrade_them_on_purpose(apt: Apt) -> None:
    """F06: by the command that the file itself names."""
    ours = ROOTFS / "etc/apt/preferences.d/kimi"
    shutil.copy(ours, apt.preferences)
    option = "Dir::Etc::PreferencesParts=/var/empty"
    assert f"apt-get -o {option} dist-upgrade" in ours.read_text()
    assert apt.upgraded("-o", option) == {*HELD, *ORDINARY, NEW_KERNEL}


def test_what_it_places_is_for_root_to_run_by_name() -> None:
    """The unit calls Python itself, so no file needs to be executable."""
    mode = (ROOTFS / "usr/local/lib/kimi/bootstrap.py").stat().st_mode
    assert not mode & stat.S_IXUSR
