"""What the ledger knows of devices: hashes of tokens and of pairing codes."""

from dataclasses import replace
from decimal import Decimal
from hashlib import sha256

from control import keys
from control.devices import Devices
from control.memory import MemoryTable
from control.ports import Scope, Token
from tests.unit.builders import HOUR, NOW, SECOND

DIGEST = sha256(b"secret-token").digest()
TOKEN = Token(
    device="iphone", digest=DIGEST, scope=Scope.PHONE, max_hours=Decimal("1.5")
)


def test_an_accepted_token_is_known_by_its_hash() -> None:
    """With everything that decides what it may do."""
    devices = Devices(MemoryTable())
    assert devices.admitted(DIGEST) is None
    devices.admit(TOKEN, NOW)
    known = devices.admitted(DIGEST)
    assert known is not None
    assert (known.device, known.scope, known.max_hours) == (
        "iphone",
        Scope.PHONE,
        Decimal("1.5"),
    )
    assert known.checked_at == NOW
    assert devices.admitted(sha256(b"other").digest()) is None


def test_a_device_has_one_row() -> None:
    """Its newest token replaces the one before."""
    devices = Devices(MemoryTable())
    devices.admit(TOKEN, NOW)
    newer = sha256(b"newer").digest()
    devices.admit(replace(TOKEN, digest=newer), NOW + HOUR)
    assert [row.digest for row in devices.all()] == [newer]


def test_an_unreadable_row_admits_nobody() -> None:
    """The others are read all the same."""
    table = MemoryTable()
    devices = Devices(table)
    devices.admit(TOKEN, NOW)
    table.put(keys.DEPLOYMENT, f"{keys.TOKENS}bad", {"device": "bad"})
    row = table.get(keys.DEPLOYMENT, f"{keys.TOKENS}iphone")
    assert row is not None
    table.put(keys.DEPLOYMENT, f"{keys.TOKENS}odd", {**row.values, "digest": "zz"})
    assert [known.device for known in devices.all()] == ["iphone"]


def test_a_code_is_spent_once() -> None:
    """Of two at once one wins."""
    devices = Devices(MemoryTable())
    devices.put_code("abc", "iphone", NOW + HOUR)
    code = devices.code("abc")
    assert code is not None
    assert (code.device, code.expires_at) == ("iphone", NOW + HOUR)
    assert devices.spend_code(code)
    assert not devices.spend_code(code)
    assert devices.code("abc") is None


def test_old_codes_are_dropped_a_day_after_their_end() -> None:
    """Not before, and nothing else with them."""
    table = MemoryTable()
    devices = Devices(table)
    devices.put_code("old", "iphone", NOW - 24 * HOUR - SECOND)
    devices.put_code("young", "iphone", NOW - 24 * HOUR)
    table.put(keys.DEPLOYMENT, f"{keys.CODES}bad", {"device": "iphone"})
    table.put(keys.DEPLOYMENT, f"{keys.CODES}a", {"expires_at": NOW - 48 * HOUR})
    devices.drop_old_codes(NOW)
    assert table.get(keys.DEPLOYMENT, f"{keys.CODES}a") is None
    assert devices.code("old") is None
    assert devices.code("young") is not None
