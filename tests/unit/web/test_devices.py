"""Devices and pairing: a code works once, for ten minutes, and survives the vault."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest

from control.errors import Evidence, Unavailable
from control.ports import Scope
from tests.unit.web.support import OPERATOR, PHONE, VM, Site, document, slug

GONE = Unavailable(Evidence(message="no answer"))


def ask(site: Site, name: str = "iphone") -> str:
    answer = site.call("device_code", token=OPERATOR, params={"name": name})
    assert answer.status == 201
    return str(document(answer)["code"])


def test_devices_are_listed_without_their_tokens(site: Site) -> None:
    """Name, scope, limits, and when each was last checked."""
    site.get("status")
    site.tokens.disable("vm-vm-1")
    answer = site.get("devices", token=OPERATOR)
    listed = {device["name"]: device for device in document(answer)["devices"]}
    assert list(listed) == ["iphone", "laptop", "vm-vm-1"]
    assert listed["iphone"] == {
        "name": "iphone",
        "scope": "phone",
        "machine": None,
        "max_hours": "3",
        "enabled": True,
        "last_used_at": "2026-11-30T10:00:00Z",
    }
    assert listed["vm-vm-1"]["machine"] == VM
    site.clock.advance(timedelta(minutes=1))
    again = document(site.get("devices", token=OPERATOR))["devices"]
    assert [device["enabled"] for device in again] == [True, True, False]


def test_without_the_ledger_devices_are_listed_all_the_same(site: Site) -> None:
    """Only their last use is unknown."""
    site.table.unreachable = True
    devices = document(site.get("devices", token=OPERATOR))["devices"]
    assert {device["last_used_at"] for device in devices} == {None}


def test_a_code_is_ten_characters_that_nobody_misreads(site: Site) -> None:
    """Crockford base32, ten minutes; the row holds neither code nor token."""
    answer = site.call("device_code", token=OPERATOR, params={"name": "iphone"})
    made = document(answer)
    assert len(made["code"]) == 10
    assert set(made["code"]) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    assert made["expires_at"] == "2026-11-30T10:10:00Z"
    rows = repr(list(site.table.scan("-", " ", "~")))
    assert made["code"] not in rows
    assert PHONE not in rows
    assert ask(site) != made["code"]


@pytest.mark.parametrize("name", ["nobody", "iphone", ""])
def test_only_an_enabled_token_gets_a_code(site: Site, name: str) -> None:
    """A missing and a disabled one are alike."""
    site.tokens.disable("iphone")
    answer = site.call("device_code", token=OPERATOR, params={"name": name})
    assert slug(answer) == "unknown-device"


def test_a_code_becomes_the_token_once(site: Site) -> None:
    """The second try, and every other code, is spent."""
    code = ask(site)
    answer = site.call("pair", token=None, body={"code": code})
    assert document(answer) == {
        "token": PHONE,
        "device": "iphone",
        "scope": "phone",
        "machine": None,
    }
    for used in (code, "0000000000", "", "é" * 10):
        spent = site.call("pair", token=None, body={"code": used})
        assert slug(spent) == "code-spent"
        assert "python -m control code <device>" in document(spent)["detail"]


def test_a_code_may_be_typed_as_it_was_read(site: Site) -> None:
    """Lower case, spaces, hyphens, and O, I, L for 0, 1, 1."""
    typed = ask(site).lower().replace("0", "o").replace("1", "l")
    answer = site.call("pair", token=None, body={"code": f" {typed[:5]}-{typed[5:]} "})
    assert answer.status == 200


def test_a_code_is_good_for_ten_minutes(site: Site) -> None:
    """Not a moment longer."""
    first, second = ask(site), ask(site)
    site.clock.advance(timedelta(minutes=9, seconds=59))
    assert site.call("pair", token=None, body={"code": first}).status == 200
    site.clock.advance(timedelta(seconds=1))
    assert slug(site.call("pair", token=None, body={"code": second})) == "code-spent"


def test_wrong_codes_never_reach_the_vault(site: Site) -> None:
    """One point read of the ledger each."""
    for number in range(20):
        site.call("pair", token=None, body={"code": f"{number:010d}"})
    assert site.tokens.reads == 0


def test_of_two_at_once_one_wins(site: Site) -> None:
    """The row is deleted under its ETag before anybody is answered."""
    code = ask(site)
    with ThreadPoolExecutor(8) as pool:
        tries = [
            pool.submit(site.call, "pair", token=None, body={"code": code})
            for _ in range(8)
        ]
    statuses = sorted(one.result().status for one in tries)
    assert statuses == [200] + [410] * 7


def test_a_vault_failure_keeps_the_code(site: Site) -> None:
    """503, and the same code works when the vault is back."""
    code = ask(site)
    site.tokens.fail(GONE, times=None)
    answer = site.call("pair", token=None, body={"code": code})
    assert slug(answer) == "vault-unavailable"
    assert int(answer.headers["Retry-After"]) > 0
    site.tokens.recover()
    assert site.call("pair", token=None, body={"code": code}).status == 200


def test_a_ledger_failure_is_no_token(site: Site) -> None:
    """Without the ledger nothing is exchanged."""
    code = ask(site)
    site.table.unreachable = True
    answer = site.call("pair", token=None, body={"code": code})
    assert slug(answer) == "ledger-unverified"
    assert PHONE not in answer.body.decode()


def test_a_token_that_was_disabled_meanwhile_is_not_given(site: Site) -> None:
    """The one secret is read when the code is redeemed."""
    code = ask(site)
    site.tokens.disable("iphone")
    assert slug(site.call("pair", token=None, body={"code": code})) == "code-spent"


def test_a_token_that_was_made_moments_ago_can_be_paired_and_used(site: Site) -> None:
    """The minute's rule holds neither the pairing nor the first start up."""
    site.get("status", token=OPERATOR)
    site.tokens.add("watch", "watch-secret", Scope.PHONE, max_hours=Decimal(1))
    code = ask(site, "watch")
    other = site.cold()
    site.app, first = other, site.app
    site.get("status", token=OPERATOR)
    site.clock.advance(timedelta(seconds=5))
    site.app = first
    paired = site.call("pair", token=None, body={"code": code})
    assert document(paired)["token"] == "watch-secret"
    for app in (first, other):
        site.app = app
        assert site.call("start", token="watch-secret").status == 200
    rows = {row.device: row for row in site.devices.all()}
    assert rows["watch"].max_hours == Decimal(1)


def test_a_machines_token_can_be_paired_too(site: Site) -> None:
    """Its machine is told with it."""
    answer = site.call("pair", token=None, body={"code": ask(site, "vm-vm-1")})
    assert (document(answer)["scope"], document(answer)["machine"]) == ("vm", VM)
