"""What the deployment and the pins say, and where things are kept on this machine.

The units read /etc/kimi-pins.env and /etc/kimi-site.env into the environment, which is
read once, here. A verb asks for what it needs, so that one missing line stops one verb:
the lease keeper works with none of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.board import Board
from agent.errors import AgentError
from agent.imds import Imds

_IMDS = "http://169.254.169.254"
_ARM = "https://management.azure.com"
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:-]+")


@dataclass(frozen=True)
class Limits:
    """Minutes and hours as they were rendered; an answer can only lower the cap."""

    idle_minutes: float = 20.0
    ready_deadline_minutes: float = 75.0
    max_runtime_hours: float = 4.0


@dataclass(frozen=True)
class Site:
    """The environment of a verb."""

    environ: Mapping[str, str] = field(repr=False)

    def __getitem__(self, name: str) -> str:
        """Return what must be there.

        Raises:
            AgentError: it is not.
        """
        value = self.environ.get(name, "").strip()
        if not value:
            raise AgentError(f"{name} is missing in /etc/kimi-site.env or -pins.env.")
        return value

    def get(self, name: str, usual: str) -> str:
        """Return what may be left out."""
        return self.environ.get(name) or usual

    def count(self, name: str) -> int:
        """Return a number that must be there.

        Raises:
            AgentError: it is not, or is none.
        """
        value = self[name]
        if not value.isdigit():
            raise AgentError(f"{name} is “{value}” instead of a number.")
        return int(value)

    @property
    def imds(self) -> Imds:
        """The metadata service, for the identity that must be named."""
        return replace(self.bare_imds, identity=self["AZURE_CLIENT_ID"])

    @property
    def bare_imds(self) -> Imds:
        """The same for what must work without any setting: leaving, and reporting."""
        endpoint = self.get("IMDS_ENDPOINT", _IMDS)
        return Imds(endpoint=endpoint, identity=self.get("AZURE_CLIENT_ID", ""))

    @property
    def arm(self) -> str:
        """Azure's own address; one that is none must not keep it from leaving."""
        given = self.get("ARM_ENDPOINT", _ARM).rstrip("/")
        return given if _ADDRESS.fullmatch(given) else _ARM

    @property
    def limits(self) -> Limits:
        """The rendered limits; one that can't be read is the usual one."""
        usual = Limits()
        return Limits(
            idle_minutes=self._number("IDLE_MINUTES", usual.idle_minutes),
            ready_deadline_minutes=self._number(
                "READY_DEADLINE_MINUTES", usual.ready_deadline_minutes
            ),
            max_runtime_hours=self._number(
                "MAX_RUNTIME_HOURS", usual.max_runtime_hours
            ),
        )

    @property
    def board(self) -> Board:
        """What the verbs tell each other."""
        return Board(self.run / "state")

    @property
    def agent(self) -> str:
        """The user, and the group, of the verbs that are not root."""
        return self.get("KIMI_AGENT", "kimi")

    @property
    def run(self) -> Path:
        """What lives until power off (tmpfs)."""
        return Path(self.get("KIMI_RUN", "/run/kimi"))

    @property
    def lib(self) -> Path:
        """What outlives a reboot and a deallocation (the OS disk)."""
        return Path(self.get("KIMI_LIB", "/var/lib/kimi"))

    @property
    def data(self) -> Path:
        """The local NVMe disks, blank after a deallocation."""
        return Path(self.get("KIMI_DATA", "/mnt/kimi"))

    def _number(self, name: str, usual: float) -> float:
        try:
            number = float(self.environ.get(name, ""))
        except ValueError:
            return usual
        return number if 0 < number < float("inf") else usual
