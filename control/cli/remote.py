"""The switch as the operator's commands call it, over HTTPS."""

from collections.abc import Callable
from datetime import datetime
from http import HTTPMethod
from typing import TYPE_CHECKING, Any

from control.errors import CommandError
from control.ports import Clock

if TYPE_CHECKING:
    import httpx

_SECONDS = 20.0
_AWAKE_WITHIN = 180.0
_A_PAGE, _MOST_PAGES = 100, 1000
_WAITS = (1.0, 2.0, 4.0, 8.0)


class Remote:
    """One address and, but for `wait_until_awake`, an operator's token."""

    def __init__(
        self,
        client: "httpx.Client",
        url: str,
        clock: Clock,
        note: Callable[[str], None],
    ) -> None:
        self._client = client
        self._note = note
        self._url = url
        self._clock = clock

    def wait_until_awake(self) -> None:
        """Wait until the switch itself answers: Azure's pages are not it."""
        self._wait_for(
            self._is_awake,
            meanwhile=f"Waiting for {self._url} to answer, up to 3 minutes ...",
            otherwise="does not answer as the switch does; is it deployed there?",
        )

    def ticks(self) -> bool:
        """Return whether the switch's timer was heard of lately."""
        document = _document(self._send(HTTPMethod.GET, "/healthz"))
        return document is not None and document.get("ok") is True

    def wait_until_ticking(self) -> None:
        """Wait for the timer: without it nothing enforces by itself."""
        self._wait_for(
            self.ticks,
            meanwhile="Waiting for the timer's first tick, up to 3 minutes ...",
            otherwise="has heard of no tick for 3 minutes: the timer does not run. "
            "Look at the app's log.",
        )

    def _wait_for(
        self, holds: Callable[[], bool], *, meanwhile: str, otherwise: str
    ) -> None:
        waited, tries = 0.0, 0
        while not holds():
            if waited >= _AWAKE_WITHIN:
                raise CommandError(f"{self._url}/healthz {otherwise}")
            if not tries:
                self._note(meanwhile)
            pause = _WAITS[min(tries, len(_WAITS) - 1)]
            self._clock.wait(pause)
            waited, tries = waited + pause, tries + 1

    def status(self, token: str, machine: str | None = None) -> dict[str, Any]:
        """Return the status document of a machine, or of the first one."""
        query = f"?machine={machine}" if machine else ""
        return self._asked(HTTPMethod.GET, f"/status{query}", token)

    def sessions(self, token: str, machine: str) -> list[dict[str, Any]]:
        """Return every session of a machine, newest first."""
        found, cursor = list[dict[str, Any]](), ""
        for _ in range(_MOST_PAGES):
            path = f"/sessions?machine={machine}&limit={_A_PAGE}{cursor}"
            page = self._asked(HTTPMethod.GET, path, token)
            found += page["sessions"]
            if page["next_cursor"] is None:
                return found
            cursor = f"&cursor={page['next_cursor']}"
        raise CommandError(f"{machine} has more sessions than can be read.")

    def power(self, token: str, machine: str) -> tuple[str, datetime | None]:
        """Return a machine's power state as the app reads it, and when it did."""
        power = self.status(token, machine).get("power") or {}
        read = power.get("read_at")
        return str(power.get("state")), datetime.fromisoformat(read) if read else None

    def code(self, token: str, device: str) -> str:
        """Return a new pairing code for a device."""
        path = f"/devices/{device}/code"
        return str(self._asked(HTTPMethod.POST, path, token)["code"])

    def devices(self, token: str) -> list[dict[str, Any]]:
        """Return the devices that the switch knows."""
        found: list[dict[str, Any]] = self._asked(HTTPMethod.GET, "/devices", token)[
            "devices"
        ]
        return found

    def _is_awake(self) -> bool:
        """Both its yes (200) and its no (503) are its own."""
        document = _document(self._send(HTTPMethod.GET, "/healthz"))
        return document is not None and "ok" in document

    def _asked(self, method: HTTPMethod, path: str, token: str) -> dict[str, Any]:
        answer = self._send(method, path, token)
        document = _document(answer)
        if answer is None or document is None:
            raise CommandError(f"{self._url} does not answer as the switch does.")
        if answer.is_error:
            raise CommandError(str(document.get("detail")))
        return document

    def _send(
        self, method: HTTPMethod, path: str, token: str | None = None
    ) -> "httpx.Response | None":
        import httpx  # noqa: PLC0415 - slow: for these commands alone

        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            return self._client.request(
                method,
                f"{self._url}{path}",
                headers=headers,
                json={} if method is HTTPMethod.POST else None,
                timeout=_SECONDS,
                follow_redirects=False,
            )
        except httpx.HTTPError:
            return None


def _document(answer: "httpx.Response | None") -> dict[str, Any] | None:
    """Return the switch's JSON; anything else is noise."""
    kind = answer.headers.get("content-type", "") if answer is not None else ""
    if answer is None or not kind.startswith(
        ("application/json", "application/problem+json")
    ):
        return None
    try:
        found = answer.json()
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
