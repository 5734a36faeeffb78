"""The placeholder pages: no token, no script, the strictest policy."""

import pytest

from tests.unit.web.support import Site


@pytest.mark.parametrize("name", ["phone_page", "ledger_page"])
def test_a_page_needs_nobody_and_runs_nothing(site: Site, name: str) -> None:
    """Neither ledger nor vault nor switch: it is a shell."""
    site.table.unreachable = True
    answer = site.get(name, token=None)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert site.tokens.reads == 0
    assert site.switch.asked == []


@pytest.mark.parametrize("name", ["phone_page", "ledger_page"])
def test_a_page_keeps_to_its_own_policy(site: Site, name: str) -> None:
    """Nothing inline, nothing from elsewhere, no frame, trusted types."""
    answer = site.get(name, token=None)
    policy = answer.headers["Content-Security-Policy"]
    for part in (
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "manifest-src 'self'",
    ):
        assert part in policy
    assert "unsafe" not in policy
    page = answer.body.decode()
    assert not any(word in page for word in ("<script", "<style", "style=", "http:"))
    assert '<html lang="en">' in page
    assert "<title>" in page
