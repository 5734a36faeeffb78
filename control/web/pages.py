"""The two pages, as plain placeholders; they hold no token and run no script."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

from control.said.answers import Page
from control.web.call import Call
from control.web.http import Response, text_response

POLICY: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            "connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            "trusted-types shell; require-trusted-types-for 'script'"
        ),
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-cache",
    }
)
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{text}</p>
<p><a href="/openapi.json">{contract}</a></p>
</main>
</body>
</html>"""


def phone(call: Call) -> Response:
    """`GET /`: the phone page."""
    del call
    return _page(Page.PHONE_TITLE, Page.PHONE)


def ledger(call: Call) -> Response:
    """`GET /ledger`: the operator's page."""
    del call
    return _page(Page.LEDGER_TITLE, Page.LEDGER)


def _page(title: Page, text: Page) -> Response:
    page = _PAGE.format(
        title=title.say(), text=text.say(), contract=Page.CONTRACT.say()
    )
    return text_response(HTTPStatus.OK, page, POLICY, kind="text/html")
