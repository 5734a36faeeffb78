"""Hugging Face: the files of a model at one pinned revision.

The hub answers with a redirect to its storage, whose signed URL lasts about an hour.
https://huggingface.co/docs/hub/api
"""

import json
import threading
from typing import Any
from urllib.parse import quote, urljoin

from agent.command import Deadline
from agent.errors import AgentError, Passing
from agent.patience import patiently
from agent.ranges import MissingError, Place
from agent.web import Reply, Request, ask

ENDPOINT = "https://huggingface.co"
_ONE = 30.0
_PATIENCE = 120.0
_REDIRECTS = {301, 302, 303, 307, 308}
_OK = 200


class Hub:
    """One model at one revision; no token is needed or sent."""

    name = "Hugging Face"

    def __init__(self, repo: str, revision: str, endpoint: str = ENDPOINT) -> None:
        self._made_of = (repo, revision, endpoint)
        self._files = f"{endpoint}/{repo}/resolve/{revision}/"
        self._tree = f"{endpoint}/api/models/{repo}/tree/{revision}?recursive=1"
        self._places: dict[str, Place] = {}
        self._guard = threading.Lock()

    def __reduce__(self) -> tuple[object, ...]:
        """Go to another process without what was resolved."""
        return Hub, self._made_of

    def tree(self) -> list[dict[str, Any]]:
        """Return what the hub says of every file.

        Raises:
            AgentError: it can't be had, or read.
        """
        reply = _asked("GET", self._tree)
        try:
            read = json.loads(reply.body)
        except ValueError:
            read = None
        if reply.status != _OK or not isinstance(read, list):
            raise AgentError(f"{self.name} gives no list of files ({reply.status}).")
        return read

    def place(self, path: str, *, fresh: bool = False) -> Place:
        """Return where a file's bytes are now."""
        with self._guard:
            if fresh or path not in self._places:
                self._places[path] = self._resolved(path)
            return self._places[path]

    def _resolved(self, path: str) -> Place:
        url = self._files + quote(path)
        reply = _asked("HEAD", url)
        if reply.status == _OK:
            return Place(url, {})
        if reply.status in _REDIRECTS and "location" in reply.headers:
            return Place(urljoin(url, reply.headers["location"]), {})
        raise MissingError(f"{self.name} does not give {path} ({reply.status}).")


def _asked(method: str, url: str) -> Reply:
    def attempt() -> Reply:
        reply = ask(Request(method=method, url=url), _ONE)
        if reply.passing:
            raise Passing(f"{Hub.name} is busy ({reply.status}).", reply.after)
        return reply

    return patiently(attempt, Deadline(_PATIENCE))
