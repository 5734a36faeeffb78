"""The Functions host as a process of its own, for tests and the demo."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import httpx

from local.functions.host import MASTER_KEY

_ROOT = Path(__file__).parents[2]
_READY = re.compile(r"^Functions ready at (\S+)$", re.MULTILINE)
_INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")


class FunctionsError(RuntimeError):
    """The host did not start, or a run that was asked for failed."""


class FunctionsProcess:
    """A host that is ready inside its `with` block and gone after it."""

    def __init__(
        self,
        *,
        app: Path,
        environ: Mapping[str, str],
        folder: Path,
        clock: Path | None = None,
        timers: bool = False,
        port: int = 0,
    ) -> None:
        self.url = ""
        self.log = folder / f"functions-{time.monotonic_ns()}.log"
        self._environ = {
            name: os.environ[name] for name in _INHERITED if name in os.environ
        } | {"PYTHONUNBUFFERED": "1", **environ}
        self._app = app
        self._options = [
            *("--lifeline", "--port", str(port)),
            *(["--clock", str(clock)] if clock else []),
            *([] if timers else ["--no-timers"]),
        ]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "local.functions"),
                    *("--app", str(self._app), *self._options),
                ],
                cwd=_ROOT,
                env=self._environ,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self.url = self._ready(self._process, seconds=60)
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def tick(self, name: str = "tick", seconds: float = 90) -> None:
        """Run a timer's function by hand and wait for its end."""
        answer = httpx.post(
            f"{self.url}/admin/functions/{name}",
            params={"wait": "true"},
            headers={"x-functions-key": MASTER_KEY},
            json={"input": ""},
            timeout=seconds,
            trust_env=False,
        )
        if answer.status_code != httpx.codes.OK:
            raise FunctionsError(f"{name} answered {answer.status_code}: {answer.text}")

    def stop(self) -> None:
        """End it as Azure does, and make sure that it is gone."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()
        self._close(process)

    def setting(self, name: str) -> str:
        """Return a setting as the app has it, empty where it is not given."""
        return self._environ.get(name, "")

    def deploy(self, app: Path, **environ: str) -> None:
        """Put another app, or other settings, in the place of what runs."""
        self.stop()
        self._app = app
        self._environ |= environ
        self.__enter__()

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(5)
            self._close(self._process)

    def _close(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        process.stdin.close()

    def _ready(self, process: subprocess.Popen[bytes], seconds: float) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            said = self.log.read_text(errors="replace")
            if found := _READY.search(said):
                return found[1]
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise FunctionsError(f"the functions ended at once:\n{said[-4000:]}")
        raise FunctionsError(f"the functions are not ready:\n{said[-4000:]}")
