"""The pages, the files that belong to them, and the icons: they hold no token."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from control.said.problems import Detail
from control.web.call import Call
from control.web.http import Response, file_response
from control.web.problems import refuse
from control.web.shell import AGAIN, ICONS, WORKER, Shell, load

POLICY: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            "connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            "trusted-types shell; require-trusted-types-for 'script'"
        ),
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }
)
_ASK_AGAIN = "no-cache"
_FOR_EVER = "public, max-age=31536000, immutable"
_A_DAY = "public, max-age=86400"


def phone(call: Call) -> Response:
    """`GET /`: the phone page."""
    del call
    return _file("/", _ASK_AGAIN)


def ledger(call: Call) -> Response:
    """`GET /ledger`: the operator's page."""
    del call
    return _file("/ledger", _ASK_AGAIN)


def worker(call: Call) -> Response:
    """`GET /sw.js`: the service worker, at this address for ever."""
    del call
    return _file(WORKER, _ASK_AGAIN)


def manifest(call: Call) -> Response:
    """`GET /manifest.webmanifest`: what makes it an app."""
    del call
    return _file("/manifest.webmanifest", _ASK_AGAIN)


def part(call: Call) -> Response:
    """`GET /shell/{version}/{file}`: a script or the style, of this version alone.

    But for the one that loads a page anew whose version is not there any more.
    """
    given = call.request.params
    version, file = given.get("version"), given.get("file")
    if file == AGAIN:
        version = _shell().version
    return _file(f"/shell/{version}/{file}", _FOR_EVER)


def icon(call: Call) -> Response:
    """`GET /icons/{file}`: an icon of the app."""
    return _file(f"{ICONS}{call.request.params.get('file')}", _A_DAY)


def _file(path: str, keep: str) -> Response:
    found = _shell().files.get(path)
    if found is None:
        raise refuse(Detail.NOT_FOUND.of())
    return file_response(found.body, found.kind, {**POLICY, "Cache-Control": keep})


@cache
def _shell() -> Shell:
    """Read the files at the first request for one."""
    return load()
