"""How fast weights come to a disk: ours, azcopy's way, and the copy that is the limit.

`python -m bench.restore` at the root makes a gigabyte of shards in memory, serves them
on loopback, and lets each client bring them once per round, in turns. Times differ from
machine to machine and from hour to hour; the ratios to the plain copy do not so much.
Ours hashes every byte; azcopy compares none: these blobs carry no checksum.
"""

import contextlib
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import local
from local.node import AZCOPY

SHARDS, SIZE, ROUNDS = 16, 64 * 2**20, 3
_MEMORY = Path("/dev/shm")  # noqa: S108 - for bytes that no disk is to slow down
_ROOT = Path(local.__file__).parents[1]
_AGENT = _ROOT / "vm_payload/rootfs/opt/kimi"
_OURS = """
import sys
from functools import partial
from pathlib import Path
from agent.crew import each
from agent.manifest import File
from agent.ranges import Place
from agent.restore import _bring

class Plain:
    name = "the server"
    def __init__(self, url): self.url = url
    def place(self, path, *, fresh): return Place(f"{self.url}/{path}", {})

if __name__ == "__main__":
    url, folder, *listed = sys.argv[1:]
    files = [File(*(n, int(s), d)) for n, s, d in (x.split(":") for x in listed)]
    said = each(partial(_bring, Plain(url), Path(folder)), files, lambda _: None)
    sys.exit(str(said) if said else 0)
"""


@dataclass(frozen=True)
class Taken:
    """One way's best round: seconds by the clock, and seconds of the processor."""

    wall: float
    cpu: float


def measured(work: Callable[[Path], None], beside: Path) -> Taken:
    """Let one way bring all files into an empty folder."""
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    work(beside)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    brought = sum(path.stat().st_size for path in beside.rglob("shard-*"))
    if brought != SHARDS * SIZE:
        raise SystemExit(f"only {brought} bytes came")
    return Taken(wall, cpu)


def shards(folder: Path) -> list[str]:
    """Make the shards; return name, size and digest of each."""
    made = []
    for number in range(SHARDS):
        body = hashlib.sha256(str(number).encode()).digest() * (SIZE // 32)
        name = f"shard-{number:02}"
        (folder / name).write_bytes(body)
        made.append(f"{name}:{SIZE}:{hashlib.sha256(body).hexdigest()}")
    return made


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder in a process of its own, whose work is not counted."""
    command = [sys.executable, "-m", "bench.blobs", str(folder)]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().decode().strip()
        finally:
            server.terminate()


def ways(
    folder: Path, url: str, listed: list[str]
) -> dict[str, Callable[[Path], None]]:
    """Return what is compared, the limit first."""
    program = folder.parent / "ours.py"
    program.write_text(_OURS)
    azcopy = AZCOPY.install() / "dist/bin/azcopy_linux_amd64"
    azcopy.chmod(0o755)

    def copy(beside: Path) -> None:
        _run(["cp", *map(str, sorted(folder.iterdir())), str(beside)])

    def ours(beside: Path) -> None:
        _run([sys.executable, str(program), url, str(beside), *listed])

    def theirs(beside: Path) -> None:
        source, notes = f"{url}?sig=none", folder.parent / "notes"
        command = [str(azcopy), "copy", source, str(beside), "--recursive"]
        more = ["--from-to=BlobLocal", "--skip-version-check", "--check-md5=NoCheck"]
        environ = {
            "AZCOPY_LOG_LOCATION": str(notes),
            "AZCOPY_JOB_PLAN_LOCATION": str(notes),
            "HOME": str(notes),
        }
        _run([*command, *more], **environ)

    return {"cp": copy, "ours": ours, "azcopy": theirs}


def _run(command: list[str], **environ: str) -> None:
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(_AGENT), **environ},
    )


def main() -> None:
    """Measure and print."""
    memory = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as place:
        folder = Path(place) / "shards"
        folder.mkdir()
        listed = shards(folder)
        with serving(folder) as url:
            compared = ways(folder, url, listed)
            best = {name: Taken(float("inf"), 0.0) for name in compared}
            for name, way in [*compared.items()] * ROUNDS:
                taken = measured(way, Path(place) / "to")
                best[name] = min(best[name], taken, key=lambda each: each.wall)
    report(best)


def report(best: dict[str, Taken]) -> None:
    """Print the best round of each, and the ratio to the copy."""
    gigabytes = SHARDS * SIZE / 1e9
    print(f"{'':8}{'MB/s':>8}{'of cp':>8}{'CPU s/GB':>10}")
    for name, taken in best.items():
        speed, ratio = gigabytes * 1000 / taken.wall, best["cp"].wall / taken.wall
        print(f"{name:8}{speed:8.0f}{ratio:8.0%}{taken.cpu / gigabytes:10.2f}")


if __name__ == "__main__":
    main()
