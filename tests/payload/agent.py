"""The agent as the units run it: a process of its own, on folders of its own."""

import grp
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.board import Board
from agent.files import read_json
from agent.site import Site

# What a metadata service does in the first minute of a boot; all of it passes.
LATE = (
    *("imds_missing", "imds_updating", "imds_throttled"),
    *("imds_error", "imds_unreachable"),
)
AGENT = Path(__file__).parents[2] / "vm_payload/rootfs/opt/kimi"


@dataclass
class Payload:
    """One machine's folders and environment; `run` is a boot's tmpfs."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = (sys.executable,)

    def __post_init__(self) -> None:
        for name in ("run", "lib", "data"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            self.environ[f"KIMI_{name.upper()}"] = str(self.folder / name)
        for name in ("state", "secrets"):
            (self.folder / "run" / name).mkdir(exist_ok=True)
        self.environ["KIMI_AGENT"] = grp.getgrgid(os.getgid()).gr_name
        self.environ.setdefault("PATH", os.environ["PATH"])

    @property
    def site(self) -> Site:
        return Site(self.environ)

    @property
    def board(self) -> Board:
        return self.site.board

    @property
    def phase(self) -> Mapping[str, Any]:
        return self.board.get("phase")

    def lib(self, name: str) -> dict[str, Any]:
        """Return what is kept on the OS disk."""
        return read_json(self.folder / "lib" / name)

    def start(self, verb: str, **environ: str) -> "subprocess.Popen[str]":
        """Begin a verb."""
        return subprocess.Popen(
            [*self.command, "-m", "agent", verb],
            env={**self.environ, "PYTHONPATH": str(AGENT), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def do(self, verb: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        """Run a verb to its end."""
        with self.start(verb, **environ) as process:
            try:
                out, err = process.communicate(timeout=60)
            except BaseException:
                process.kill()
                raise
        return subprocess.CompletedProcess(verb, process.returncode, out, err)
