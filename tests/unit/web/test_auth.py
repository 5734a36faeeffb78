"""Tokens: the vault decides, its last yes outlives it for a stop, and no longer."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from threading import Thread
from typing import Any

import pytest

from control.errors import Evidence, Unavailable
from control.ports import Scope, Token
from tests.unit.web.support import MACHINE, NOW, OPERATOR, PHONE, VM, Site, slug

GONE = Unavailable(Evidence(message="no answer"))
BEAT = {"machine": VM, "boot_id": "boot-1", "phase": "ready"}
type Step = Callable[[Site], object]


def vault_goes(site: Site) -> None:
    site.tokens.fail(GONE, times=None)
    site.clock.advance(timedelta(minutes=1))


def test_an_enabled_token_is_let_in_with_its_own_limits(site: Site) -> None:
    """The device and its max_hours come from the vault."""
    assert site.call("extend", body={"minutes": 5}).status == 200
    assert site.switch.asked == [("extend", VM, Decimal(5), "iphone", Decimal(3))]


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Basic x", PHONE, "Bearer a b"]
)
def test_no_usable_token_is_told_in_words(site: Site, header: str | None) -> None:
    """An app whose token field was left empty sends `Bearer ` alone."""
    more: dict[str, Any] = {} if header is None else {"authorization": header}
    answer = site.call("stop", token=None, **more)
    assert slug(answer) == "token-unknown"
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert site.switch.asked == []


def test_a_request_without_a_token_reads_no_vault_and_no_ledger(site: Site) -> None:
    """Scanners cost nothing."""
    site.table.unreachable = True
    assert slug(site.call("stop", token=None)) == "token-unknown"
    assert site.tokens.reads == 0


def test_the_vault_is_read_once_a_minute_whatever_the_traffic(site: Site) -> None:
    """Known and unknown tokens, in threads: one read, and one a minute later."""
    threads = [
        Thread(target=site.get, args=("status",), kwargs={"token": token})
        for token in (PHONE, OPERATOR, "guess", "another") * 5
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert site.tokens.reads == 1
    site.clock.advance(timedelta(seconds=59))
    site.get("status", token="guess")
    assert site.tokens.reads == 1
    site.clock.advance(timedelta(seconds=1))
    site.get("status", token="guess")
    assert site.tokens.reads == 2


def test_a_failed_read_is_not_repeated_within_the_minute(site: Site) -> None:
    """A hanging vault would cost every caller its timeout."""
    site.tokens.fail(GONE, times=None)
    for _ in range(5):
        assert slug(site.call("start")) == "vault-unavailable"
    assert site.tokens.reads == 1
    site.tokens.recover()
    assert slug(site.call("start")) == "vault-unavailable"
    site.clock.advance(timedelta(minutes=1))
    assert site.call("start").status == 200


@pytest.mark.parametrize(
    ("name", "method", "token", "status"),
    [
        ("status", "GET", PHONE, 200),
        ("sessions", "GET", PHONE, 200),
        ("session", "GET", PHONE, 403),
        ("devices", "GET", PHONE, 403),
        ("device_code", "POST", PHONE, 403),
        ("lock", "POST", PHONE, 403),
        ("unlock", "POST", PHONE, 403),
        ("heartbeat", "POST", PHONE, 403),
        ("start", "POST", OPERATOR, 200),
        ("lock", "POST", OPERATOR, 200),
        ("devices", "GET", OPERATOR, 200),
        ("heartbeat", "POST", MACHINE, 200),
        ("start", "POST", MACHINE, 403),
        ("stop", "POST", MACHINE, 403),
        ("status", "GET", MACHINE, 403),
        ("sessions", "GET", MACHINE, 403),
    ],
)
def test_a_scope_allows_what_the_contract_says(
    site: Site, name: str, method: str, token: str, status: int
) -> None:
    """A phone's, an operator's and a machine's token."""
    body = BEAT if name == "heartbeat" else None
    answer = site.call(name, method, token=token, body=body)
    assert answer.status == status
    if status == 403:
        assert slug(answer) == "not-allowed"
        assert site.switch.asked == []


def test_a_machines_token_speaks_for_that_machine_alone() -> None:
    """Another machine's heartbeat is refused, an unknown one's too."""
    site = Site(VM, "vm-2")
    other = site.call("heartbeat", token=MACHINE, body=BEAT | {"machine": "vm-2"})
    assert slug(other) == "not-allowed"
    strange = site.call("heartbeat", token=OPERATOR, body=BEAT | {"machine": "vm-3"})
    assert slug(strange) == "unknown-machine"
    assert site.switch.asked == []


def test_a_disabled_token_is_revoked_within_a_minute(site: Site) -> None:
    """It was known once, so the answer says revoked and names the device."""
    assert site.get("status").status == 200
    site.tokens.disable("iphone")
    site.clock.advance(timedelta(minutes=1))
    answer = site.get("status")
    assert slug(answer) == "token-revoked"
    assert b"iphone" in answer.body
    assert slug(site.call("stop")) == "token-revoked"


def test_a_token_that_was_never_accepted_is_unknown_when_disabled(site: Site) -> None:
    """Nothing is said of devices to who never had a token."""
    site.tokens.disable("iphone")
    assert slug(site.get("status")) == "token-unknown"


def test_a_reachable_vault_that_says_no_wins_over_every_row(site: Site) -> None:
    """Also from a cold process, moments after the token was last used."""
    assert site.call("stop").status == 200
    site.tokens.remove("iphone")
    site.app = site.cold()
    assert slug(site.call("stop")) == "token-revoked"


@pytest.mark.parametrize(
    ("step", "status"),
    [
        (lambda site: site.call("stop"), 200),
        (lambda site: site.call("deallocate"), 200),
        (lambda site: site.get("status"), 200),
        (lambda site: site.call("start"), 503),
        (lambda site: site.call("extend", body={"minutes": 5}), 503),
        (lambda site: site.get("sessions"), 503),
        (lambda site: site.call("lock", token=OPERATOR), 503),
        (lambda site: site.call("heartbeat", token=MACHINE, body=BEAT), 200),
        (lambda site: site.call("stop", token="guess"), 503),
        (lambda site: site.call("stop", token=MACHINE), 403),
    ],
)
@pytest.mark.parametrize("cold", [False, True])
def test_without_the_vault_a_known_device_may_stop_and_look(
    site: Site, step: Step, status: int, *, cold: bool
) -> None:
    """Also in a process that has never reached the vault; 503 is never a 401."""
    for token in (PHONE, OPERATOR):
        assert site.get("status", token=token).status == 200
    assert site.call("heartbeat", token=MACHINE, body=BEAT).status == 200
    site.app = site.cold() if cold else site.app
    vault_goes(site)
    answer = step(site)
    assert getattr(answer, "status", None) == status


def test_the_503_says_when_the_vault_is_asked_again(site: Site) -> None:
    """Retry-After ends with the minute."""
    site.tokens.fail(GONE, times=None)
    site.call("start")
    site.clock.advance(timedelta(seconds=20))
    answer = site.call("start")
    assert 40 <= int(answer.headers["Retry-After"]) <= 42


@pytest.mark.parametrize(
    ("name", "token", "lasts"),
    [
        ("stop", PHONE, timedelta(days=7)),
        ("heartbeat", MACHINE, timedelta(hours=24)),
    ],
)
def test_the_vaults_last_yes_is_good_for_a_while(
    site: Site, name: str, token: str, lasts: timedelta
) -> None:
    """7 days for a stop, 24 hours for heartbeats, from the last check on."""
    body = BEAT if name == "heartbeat" else None
    assert site.call(name, token=token, body=body).status == 200
    site.tokens.fail(GONE, times=None)
    site.clock.advance(lasts)
    assert site.call(name, token=token, body=body).status == 200
    site.clock.advance(timedelta(seconds=1))
    assert slug(site.call(name, token=token, body=body)) == "vault-unavailable"


def test_without_vault_and_ledger_nobody_is_known(site: Site) -> None:
    """503 it is: who calls cannot be told, and 401 would say that it could."""
    assert site.call("stop").status == 200
    vault_goes(site)
    site.table.unreachable = True
    assert slug(site.call("stop")) == "vault-unavailable"


def test_a_failing_ledger_keeps_nobody_out(site: Site) -> None:
    """The row of an accepted token can wait."""
    site.table.unreachable = True
    assert site.call("stop").status == 200
    assert slug(site.call("stop", token="guess")) == "token-unknown"


def test_the_row_keeps_what_was_accepted_and_never_the_token(site: Site) -> None:
    """SHA-256, scope, machine, max_hours and the check's time."""
    site.get("status")
    (row,) = site.devices.all()
    assert row.digest == sha256(PHONE.encode()).digest()
    assert (row.device, row.scope, row.max_hours) == ("iphone", Scope.PHONE, Decimal(3))
    assert row.checked_at == NOW
    kept = site.table.get("-", "token:iphone")
    assert kept is not None
    assert PHONE not in repr(kept)


def etag(site: Site) -> str:
    row = site.table.get("-", "token:iphone")
    assert row is not None
    return row.etag


def test_the_row_is_written_at_most_hourly(site: Site) -> None:
    """A page that asks every 3 s is no write every 3 s, in no process."""
    site.get("status")
    first = etag(site)
    for _ in range(59):
        site.clock.advance(timedelta(minutes=1))
        site.get("status")
    site.app = site.cold()
    site.get("status")
    assert etag(site) == first
    site.clock.advance(timedelta(minutes=1))
    site.get("status")
    assert etag(site) != first


def test_a_changed_token_is_written_at_once(site: Site) -> None:
    """The row must not admit by an old scope or an old value."""
    site.get("status")
    site.tokens.add("iphone", PHONE, Scope.OPERATOR)
    site.clock.advance(timedelta(minutes=1))
    site.get("status")
    (row,) = site.devices.all()
    assert (row.scope, row.max_hours) == (Scope.OPERATOR, None)


def fresh_row(site: Site, value: str) -> None:
    """Another process has just paired a device that our list does not have."""
    token = Token(
        device="watch", digest=sha256(value.encode()).digest(), scope=Scope.PHONE
    )
    site.devices.admit(token, site.clock.now())


def test_a_device_paired_moments_ago_need_not_wait_for_the_list(site: Site) -> None:
    """Its row is younger than our list: it is let in, start included."""
    site.get("status")
    site.clock.advance(timedelta(seconds=10))
    fresh_row(site, "watch-secret")
    assert site.call("start", token="watch-secret").status == 200
    assert site.tokens.reads == 1


def test_once_the_list_is_read_again_it_decides(site: Site) -> None:
    """The vault does not have it: the row does not help, however young."""
    site.get("status")
    site.clock.advance(timedelta(seconds=30))
    fresh_row(site, "watch-secret")
    site.clock.advance(timedelta(seconds=30))
    assert slug(site.call("start", token="watch-secret")) == "token-revoked"
