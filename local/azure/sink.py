"""A place for notices: it takes any POST and keeps what came."""

import threading
from dataclasses import dataclass
from datetime import datetime

from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, json_reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One notice as it arrived."""

    at: datetime
    path: str
    content_type: str
    body: str


class Sink:
    """The notices in order of arrival."""

    def __init__(self) -> None:
        self._guard = threading.Condition()
        self._notices: list[Notice] = []

    @property
    def routes(self) -> list[Route]:
        return [route(Kind.NOTICE, "POST", "/.*", self._take)]

    @property
    def notices(self) -> list[Notice]:
        with self._guard:
            return list(self._notices)

    def wait_for(self, count: int, seconds: float = 5.0) -> list[Notice]:
        """The notices once there are so many, or after so many real seconds."""
        with self._guard:
            self._guard.wait_for(lambda: len(self._notices) >= count, seconds)
            return list(self._notices)

    def clear(self) -> None:
        with self._guard:
            self._notices.clear()

    def _take(self, call: Call) -> Reply:
        request = call.request
        notice = Notice(
            at=call.at,
            path=request.path,
            content_type=request.headers.get("content-type", ""),
            body=request.body.decode(),
        )
        with self._guard:
            self._notices.append(notice)
            self._guard.notify_all()
        return json_reply(200, {"ok": True})
