"""A hub that answers as Hugging Face does: a list, and redirects to where bytes are."""

import json
import re
from types import TracebackType
from typing import Self

from local.azure.server import Listener
from local.azure.wire import Reply, Request
from tests.payload.weights import Model

_RANGE = re.compile(r"bytes=(\d+)-(\d+)")


class FakeHub:
    """One model; `broken` and `asked` are for the test to set and to read."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.broken: dict[str, bytes] = {}
        self.status = 0
        self.asked: list[str] = []
        self.ranges: list[tuple[str, int]] = []
        self._listener = Listener(self._answer, None)
        self.url = self._listener.url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        __: BaseException | None,
        ___: TracebackType | None,
    ) -> None:
        self._listener.close()

    def _answer(self, request: Request) -> Reply:
        self.asked.append(f"{request.method} {request.path}")
        if self.status:
            return Reply(status=self.status)
        base = f"/{self.model.repo}/resolve/{self.model.revision}/"
        if request.path == f"/api/models/{self.model.repo}/tree/{self.model.revision}":
            return Reply(status=200, body=json.dumps(self.model.tree).encode())
        if request.path.startswith(base):
            place = "/storage/" + request.path.removeprefix(base)
            return Reply(status=302, headers={"Location": f"{place}?signature=x"})
        return self._bytes(request)

    def _bytes(self, request: Request) -> Reply:
        name = request.path.removeprefix("/storage/")
        body = self.broken.get(name, self.model.files.get(name))
        asked = _RANGE.fullmatch(request.headers.get("range", ""))
        if body is None or not asked or request.query.get("signature") != "x":
            return Reply(status=404)
        first, last = int(asked[1]), min(int(asked[2]), len(body) - 1)
        self.ranges.append((name, first))
        told = {"Content-Range": f"bytes {first}-{last}/{len(body)}"}
        return Reply(status=206, headers=told, body=body[first : last + 1])
