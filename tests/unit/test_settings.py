"""Settings: every bad or missing one is named at once, and no value is repeated."""

import ast
import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from control.errors import SettingsError
from control.settings import Settings

GIVEN = {
    "AZURE_SUBSCRIPTION_ID": "00000000-0000-0000-0000-000000000001",
    "AZURE_CLIENT_ID": "11111111-1111-1111-1111-111111111111",
    "VM_NAME": "vm-kimi-01",
    "VM_RESOURCE_GROUP": "rg-kimi",
    "CONTROL_PLANE_NAME": "switch",
    "KEY_VAULT_URL": "https://kv.vault.azure.net/",
    "LEDGER_TABLE_ENDPOINT": "https://ledger.table.core.windows.net",
    "PRICE_PER_HOUR": "84.80",
    "BUDGET_LIMIT": "4500",
    "BUDGET_FROM": "2026-11-01",
    "BUDGET_TO": "2027-02-01",
    "STANDING_COST_PER_MONTH": "33.76",
}
CONNECTION = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=SECRETX"
TWO = [
    {"name": "vm-1", "resource_group": "rg-1", "price_per_hour": "10.5"},
    {"name": "vm-2", "resource_group": "rg-2", "auto_shutdown_at": "03:30"},
]


def with_machines(value: object) -> dict[str, str]:
    single = {"VM_NAME", "VM_RESOURCE_GROUP"}
    rest = {name: text for name, text in GIVEN.items() if name not in single}
    return rest | {"MACHINES": json.dumps(value)}


def problems(environ: dict[str, str]) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        Settings.load(environ)
    return caught.value.problems


def test_the_defaults_are_those_of_the_design() -> None:
    """What nobody sets is as DESIGN.md says, and Decimal where it is money or hours."""
    loaded = Settings.load(GIVEN)
    assert loaded.default_hours == Decimal(2)
    assert loaded.max_runtime_hours == Decimal(4)
    assert loaded.max_starts_per_hour == 6
    assert loaded.expected_ready_minutes == 30
    assert loaded.ready_deadline_minutes == 75
    assert loaded.idle_minutes == 20
    assert loaded.capacity_retry_minutes == 30
    assert loaded.arm_endpoint == "https://management.azure.com"
    assert loaded.ledger_table == "ledger"
    assert loaded.vm_region == "eastus2"
    assert isinstance(loaded.price_per_hour, Decimal)
    assert isinstance(loaded.default_hours, Decimal)
    assert loaded.budget_from == date(2026, 11, 1)
    assert loaded.key_vault_url == "https://kv.vault.azure.net"


def test_nothing_at_all_names_everything_that_is_required() -> None:
    """An empty environment lists each required setting in one error."""
    named = {problem.partition(" ")[0] for problem in problems({})}
    assert named == GIVEN.keys()


def test_an_empty_value_is_an_unset_one() -> None:
    """Azure keeps emptied settings as empty strings."""
    said = problems(GIVEN | {"PRICE_PER_HOUR": " "})
    assert said[0].startswith("PRICE_PER_HOUR is missing")
    assert Settings.load(GIVEN | {"CHAT_URL": "", "MACHINES": ""}).chat_url is None


BAD = {
    "AZURE_SUBSCRIPTION_ID": ["a b", "x" * 65],
    "VM_NAME": ["a b", "a/b", "-", "é", "x" * 65, "a#b"],
    "VM_RESOURCE_GROUP": ["a/b"],
    "CONTROL_PLANE_NAME": ["a b"],
    "KEY_VAULT_URL": ["http://kv.vault.azure.net", "kv", "https://", "https://a:b@c"],
    "ARM_ENDPOINT": ["http://127.0.0.1:1234", "ftp://x"],
    "RETAIL_PRICES_ENDPOINT": ["http://prices.azure.com"],
    "LEDGER_TABLE_ENDPOINT": ["http://a.table.core.windows.net"],
    "LEDGER_TABLE": ["1ledger", "le", "led-ger", "x" * 64],
    "PRICE_PER_HOUR": ["0", "-1", "NaN", "Infinity", "84,80", "eighty"],
    "CURRENCY": ["usd", "DOLLAR", "$"],
    "BUDGET_LIMIT": ["0", "sNaN"],
    "BUDGET_FROM": ["2026-11-02", "2026-11", "November", "2026-13-01"],
    "BUDGET_TO": ["2027-02-28", "2026-11-01", "2026-10-01"],
    "STANDING_COST_PER_MONTH": ["-0.01"],
    "DEFAULT_HOURS": ["0", "two", "1e9"],
    "MAX_RUNTIME_HOURS": ["-4"],
    "MAX_STARTS_PER_HOUR": ["0", "1.5", "1e9"],
    "IDLE_MINUTES": ["0", "20.5"],
    "AUTO_SHUTDOWN_AT": ["25:00", "12", "noon", "12:00+01:00"],
    "TIME_ZONE": ["Mars/Olympus", "../etc/passwd", "CEST"],
    "CHAT_URL": ["http://chat.example.com", "chat"],
    "PUBLIC_URL": ["http://example.com"],
    "NOTIFY_EVENTS": ["alarm,parties", "all,alarm"],
    "QUIET_HOURS": ["22:00", "22-07", "22:00-25:00"],
    "NOTIFY_SECRET": ["notify/url"],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, all_ in BAD.items() for value in all_]
)
def test_a_bad_setting_is_named_and_nothing_else(name: str, value: str) -> None:
    """Each bad value makes one sentence that begins with the setting's name."""
    said = problems(GIVEN | {name: value})
    assert [problem.partition(" ")[0] for problem in said] == [name]


def test_all_bad_settings_are_named_at_once_without_their_values() -> None:
    """Values may be secrets: neither the error nor its context repeats them."""
    bad = {name: "SECRETX §" for name in BAD if name != "VM_NAME"}
    with pytest.raises(SettingsError) as caught:
        Settings.load(GIVEN | bad | {"LEDGER_CONNECTION_STRING": "SECRETX"})
    named = {problem.partition(" ")[0] for problem in caught.value.problems}
    assert bad.keys() <= named
    assert "LEDGER_CONNECTION_STRING" in named
    assert "SECRETX" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


TOGETHER: dict[str, tuple[dict[str, str], str]] = {
    "no ledger": ({"LEDGER_TABLE_ENDPOINT": ""}, "LEDGER_TABLE_ENDPOINT"),
    "two ledgers": ({"LEDGER_CONNECTION_STRING": CONNECTION}, "LEDGER_TABLE_ENDPOINT"),
    "no group": ({"VM_RESOURCE_GROUP": ""}, "VM_RESOURCE_GROUP"),
    "two ways": ({"MACHINES": json.dumps(TWO)}, "MACHINES"),
    "no time": ({"BUDGET_FROM": "2027-02-01"}, "BUDGET_TO"),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_settings_that_do_not_go_together_are_named(case: str) -> None:
    """A pair that excludes each other, or one of two that must be there."""
    changed, name = TOGETHER[case]
    (said,) = problems(GIVEN | changed)
    assert said.startswith(f"{name} ")


def test_what_does_not_go_together_is_named_beside_what_is_bad_alone() -> None:
    """One run of the deployment tells all of it."""
    said = problems(GIVEN | {"PRICE_PER_HOUR": "x", "BUDGET_TO": "2026-10-01"})
    named = {problem.partition(" ")[0] for problem in said}
    assert named == {"PRICE_PER_HOUR", "BUDGET_TO"}


@pytest.mark.parametrize(
    "machines",
    [
        [],
        "vm-1",
        [{"name": "vm-1"}],
        [{"name": "vm 1", "resource_group": "rg"}],
        [{"name": "-", "resource_group": "rg"}],
        [{"name": "vm-1", "resource_group": "rg", "price": "1"}],
        [{"name": "vm-1", "resource_group": "rg", "price_per_hour": "0"}],
        [{"name": "vm-1", "resource_group": "rg", "chat_url": "http://x.example"}],
        [{"name": name, "resource_group": "rg"} for name in ("vm-1", "VM-1")],
    ],
)
def test_bad_machines_are_named(machines: object) -> None:
    """A list that no table key or no person could use."""
    assert problems(with_machines(machines))[0].startswith("MACHINES ")
    assert problems(with_machines([]) | {"MACHINES": "[{"})[0].startswith("MACHINES ")


def test_each_machine_has_its_own_price_shutdown_and_link() -> None:
    """What a machine leaves out comes from the single settings."""
    environ = with_machines(TWO) | {
        "AUTO_SHUTDOWN_AT": "12:00Z",
        "CHAT_URL": "https://chat.example.com",
    }
    first, second = Settings.load(environ).fleet
    assert (first.price_per_hour, first.auto_shutdown_at) == (
        Decimal("10.5"),
        time(12, 0),
    )
    assert (second.price_per_hour, second.auto_shutdown_at) == (
        Decimal("84.80"),
        time(3, 30),
    )
    assert first.chat_url == second.chat_url == "https://chat.example.com"


def test_policies_say_what_decides_about_each_machine() -> None:
    """Spans are exact, the budget is from month to month in UTC, others are named."""
    environ = with_machines(TWO) | {"DEFAULT_HOURS": "1.5", "IDLE_MINUTES": "7"}
    policies = Settings.load(environ).policies()
    assert tuple(policies) == ("vm-1", "vm-2")
    one = policies["vm-1"]
    assert one.machine == "vm-1"
    assert one.other_machines == ("vm-2",)
    assert one.default_asked == timedelta(minutes=90)
    assert one.max_runtime == timedelta(hours=4)
    assert one.idle == timedelta(minutes=7)
    assert one.price_per_hour == Decimal("10.5")
    assert one.budget.limit == Decimal(4500)
    assert one.budget.start == datetime(2026, 11, 1, tzinfo=UTC)
    assert one.budget.end == datetime(2027, 2, 1, tzinfo=UTC)
    assert one.budget.standing_per_month == Decimal("33.76")


def test_the_connection_string_shows_itself_nowhere() -> None:
    """A secret is in no representation of the settings."""
    environ = GIVEN | {
        "LEDGER_TABLE_ENDPOINT": "",
        "LEDGER_CONNECTION_STRING": CONNECTION,
    }
    loaded = Settings.load(environ)
    assert loaded.ledger_connection_string is not None
    assert loaded.ledger_connection_string.get_secret_value() == CONNECTION
    assert "SECRETX" not in f"{loaded!r} {loaded} {loaded.model_dump()}"


@pytest.mark.parametrize(
    "connection",
    [
        "nonsense",
        CONNECTION.replace("https", "http"),
        f"{CONNECTION};TableEndpoint=http://127.0.0.1:10002/a",
    ],
)
def test_a_connection_over_plain_http_is_refused(connection: str) -> None:
    """The ledger's key never goes over a wire in clear."""
    environ = GIVEN | {
        "LEDGER_TABLE_ENDPOINT": "",
        "LEDGER_CONNECTION_STRING": connection,
    }
    assert problems(environ)[0].startswith("LEDGER_CONNECTION_STRING ")


def test_a_link_may_be_plain_on_this_very_machine_alone() -> None:
    """The demo's own address is on loopback."""
    loaded = Settings.load(GIVEN | {"PUBLIC_URL": "http://127.0.0.1:7071/"})
    assert loaded.public_url == "http://127.0.0.1:7071"


def test_no_module_reads_the_environment_but_the_edges() -> None:
    """`os.environ` stands in function_app.py and the command line alone."""
    root = Path(__file__).parents[2]
    readers = {
        str(path.relative_to(root))
        for path in [root / "function_app.py", *root.glob("control/**/*.py")]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    }
    assert readers == {"function_app.py", "control/cli/console.py"}
