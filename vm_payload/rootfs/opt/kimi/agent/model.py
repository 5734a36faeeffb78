"""The pinned model: its manifest, and the places where its files are."""

from dataclasses import dataclass
from pathlib import Path

from agent import manifest
from agent.blob import Container
from agent.command import Deadline
from agent.errors import AgentError, Passing
from agent.files import write
from agent.hub import ENDPOINT, Hub
from agent.manifest import Manifest, Shape
from agent.patience import patiently
from agent.ranges import MissingError
from agent.site import Site

_DISKS_WITHIN = 120.0


@dataclass(frozen=True)
class Model:
    """One revision: its folder on the local disks, its blobs, its page on the hub."""

    shape: Shape
    folder: Path
    blobs: Container
    hub: Hub
    kept: Path

    @classmethod
    def of(cls, site: Site) -> "Model":
        """Read the pins.

        Raises:
            AgentError: one is missing or no number.
        """
        repo, revision = site["MODEL_REPO"], site["MODEL_REV"]
        place = f"{repo.rpartition('/')[2]}/{revision}"
        shape = Shape(
            revision=revision,
            shards=site.count("MODEL_SHARDS"),
            code_files=site.count("MODEL_CODE_FILES"),
            license_file=site["MODEL_LICENSE_FILE"],
        )
        return cls(
            shape=shape,
            folder=site.data / "models" / place,
            blobs=Container(site["WEIGHTS_URL"], place, site.imds),
            hub=Hub(repo, revision, site.get("HUB_ENDPOINT", ENDPOINT)),
            kept=site.lib / f"manifest-{revision}.json",
        )

    def wait_for_disks(self) -> None:
        """Wait for what `disk` makes; nothing can be written there before.

        Raises:
            AgentError: it is not there in time.
        """
        models = self.folder.parents[1]

        def attempt() -> None:
            if not models.is_dir():
                raise Passing(f"the local disks are not mounted: {models} is missing.")

        patiently(attempt, Deadline(_DISKS_WITHIN))

    def is_in_blob(self) -> bool:
        """Whether Blob says that all of it is there: a whole manifest, which came last.

        Raises:
            AgentError: Blob can't be read.
        """
        try:
            text = self.blobs.get(manifest.NAME)
        except MissingError:
            return False
        try:
            manifest.parse(text, self.shape)
        except AgentError:
            return False
        return True

    def manifest(self) -> Manifest:
        """Return the manifest: Blob's, else the one kept here, else the hub's list.

        Raises:
            AgentError: the one in Blob is not whole, or none can be had.
        """
        try:
            text = self.blobs.get(manifest.NAME)
        except AgentError:
            return self._kept() or self.hubs()
        return manifest.parse(text, self.shape)

    def hubs(self) -> Manifest:
        """Return what the hub lists at this revision."""
        return manifest.from_hub(self.hub.tree(), self.shape)

    def keep(self, whole: Manifest) -> None:
        """Keep a manifest by which the weights were found whole, on the OS disk."""
        write(self.kept, whole.text())

    def _kept(self) -> Manifest | None:
        try:
            return manifest.parse(self.kept.read_bytes(), self.shape)
        except (OSError, AgentError):
            return None
