"""Every setting's name, meaning, form, default and example: declared here alone.

docs/settings.md and local.settings.sample.json are made from these declarations.
"""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    StringConstraints,
)

from control.settings_forms import (
    Connection,
    Cost,
    Count,
    Endpoint,
    Events,
    Hours,
    Link,
    Month,
    Price,
    SpanOfDay,
    TimeOfDay,
    Zone,
)

REQUIRED: Any = ...

type Name = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
]
type Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]
type Group = Annotated[str, StringConstraints(pattern=r"^[\w().-]{1,90}$")]
type TableName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9]{2,62}$")
]
type Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]


def _different(
    machines: tuple["MachineSetting", ...],
) -> tuple["MachineSetting", ...]:
    names = {machine.name.lower() for machine in machines}
    if not machines or len(names) < len(machines):
        raise ValueError("none, or two of one name")
    return machines


class MachineSetting(BaseModel):
    """One machine of MACHINES; what it leaves out comes from the single settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: Name
    resource_group: Group
    price_per_hour: Price | None = None
    auto_shutdown_at: TimeOfDay | None = None
    chat_url: Link | None = None


type Fleet = Annotated[Json[tuple[MachineSetting, ...]], AfterValidator(_different)]


def setting(
    about: str, form: str, example: str, *, default: Any = REQUIRED, unit: str = ""
) -> Any:
    """Declare a setting; a default is written as it would be set."""
    return Field(
        default,
        description=about,
        examples=[example],
        validate_default=default is not None,
        json_schema_extra={"form": form, "unit": unit},
    )


class Declared(BaseModel):
    """The settings as they are given; a secret one shows itself nowhere."""

    model_config = ConfigDict(
        frozen=True, hide_input_in_errors=True, alias_generator=str.upper
    )

    azure_subscription_id: Word = setting(
        "The Azure subscription that the machines are in.",
        "a subscription's id",
        "00000000-0000-0000-0000-000000000000",
    )
    azure_client_id: Word = setting(
        "The client id of the app's user-assigned identity. It is passed to the "
        "credential explicitly, which does not look for it here by itself.",
        "an identity's client id",
        "11111111-1111-1111-1111-111111111111",
    )
    vm_name: Name | None = setting(
        "The one machine's name. Give this and VM_RESOURCE_GROUP, or MACHINES.",
        "a machine's name of letters, digits, '-', '_' and '.'",
        "vm-kimi-01",
        default=None,
    )
    vm_resource_group: Group | None = setting(
        "The resource group of the machine in VM_NAME.",
        "a resource group's name",
        "rg-kimi",
        default=None,
    )
    machines: Fleet | None = setting(
        "Several machines, each independent but for the budget: a JSON list of "
        "objects with name and resource_group, and price_per_hour, auto_shutdown_at "
        "and chat_url where they differ from the settings of those names.",
        "a JSON list of machines with different names",
        '[{"name": "vm-kimi-01", "resource_group": "rg-kimi"}]',
        default=None,
    )
    vm_region: Word = setting(
        "The region of the machines: the retail price is asked for this one.",
        "a region's short name",
        "eastus2",
        default="eastus2",
    )
    control_plane_name: Name = setting(
        "This deployment's name. A machine whose tag `controlled-by` says another "
        "one is left alone.",
        "a name of letters, digits, '-', '_' and '.'",
        "kimi-switch",
    )
    arm_endpoint: Endpoint = setting(
        "Azure Resource Manager; sovereign clouds have another.",
        "an https address",
        "https://management.azure.com",
        default="https://management.azure.com",
    )
    key_vault_url: Endpoint = setting(
        "The Key Vault with the devices' tokens.",
        "an https address",
        "https://kv-kimi.vault.azure.net",
    )
    ledger_table_endpoint: Endpoint | None = setting(
        "The Table endpoint of the ledger's storage account, reached by the app's "
        "identity; not the account in AzureWebJobsStorage. Give this or "
        "LEDGER_CONNECTION_STRING.",
        "an https address",
        "https://stkimiledger.table.core.windows.net",
        default=None,
    )
    ledger_connection_string: Connection | None = setting(
        "The same account by its key, for local work: a secret.",
        "a storage account's connection string over https",
        "DefaultEndpointsProtocol=https;AccountName=...;AccountKey=...",
        default=None,
    )
    ledger_table: TableName = setting(
        "The ledger's table.",
        "a table name of 3 to 63 letters and digits that begins with a letter",
        "ledger",
        default="ledger",
    )
    price_per_hour: Price = setting(
        "What an hour of a machine costs when the retail price is unknown, older "
        "than 48 hours or more than three times away from this.",
        "an amount above 0",
        "84.80",
        unit="CURRENCY per hour",
    )
    currency: Currency = setting(
        "The currency of every amount; a quote or report in another is not used.",
        "three capital letters",
        "USD",
        default="USD",
    )
    retail_prices_endpoint: Endpoint = setting(
        "The Retail Prices API.",
        "an https address",
        "https://prices.azure.com/api/retail/prices",
        default="https://prices.azure.com/api/retail/prices",
    )
    budget_limit: Price = setting(
        "What the deployment may spend in the budget's period, over all machines, "
        "standing cost included.",
        "an amount above 0",
        "4500.00",
        unit="CURRENCY",
    )
    budget_from: Month = setting(
        "The first day of the budget's period, 00:00 UTC.",
        "the first day of a month, as yyyy-mm-dd",
        "2026-11-01",
    )
    budget_to: Month = setting(
        "The day on which the period is over, 00:00 UTC; later than BUDGET_FROM.",
        "the first day of a month, as yyyy-mm-dd",
        "2027-02-01",
    )
    budget_name: Name | None = setting(
        "The subscription's budget in Azure whose late figure is compared with our "
        "own; without it Azure's figure is unknown.",
        "a budget's name",
        "kimi",
        default=None,
    )
    standing_cost_per_month: Cost = setting(
        "What Azure bills while the machines are deallocated: disks, addresses, Blob.",
        "an amount, 0 or more",
        "33.76",
        unit="CURRENCY per month",
    )
    default_hours: Hours = setting(
        "How long a start lasts that does not say how long.",
        "a number above 0",
        "2",
        default="2",
        unit="hours",
    )
    max_runtime_hours: Hours = setting(
        "The longest time a session may run, extends included.",
        "a number above 0",
        "4",
        default="4",
        unit="hours",
    )
    max_starts_per_hour: Count = setting(
        "How many sessions may be opened on one machine within 60 minutes.",
        "a whole number above 0",
        "6",
        default="6",
    )
    expected_ready_minutes: Count = setting(
        "How long a cold start usually takes; a start that the budget cannot pay for "
        "this long and 15 minutes more is refused.",
        "a whole number above 0",
        "30",
        default="30",
        unit="minutes",
    )
    ready_deadline_minutes: Count = setting(
        "After so long without the model answering the machine is taken away.",
        "a whole number above 0",
        "75",
        default="75",
        unit="minutes",
    )
    idle_minutes: Count = setting(
        "After so long without a request the VM ends itself; the control plane does "
        "it 10 minutes later.",
        "a whole number above 0",
        "20",
        default="20",
        unit="minutes",
    )
    capacity_retry_minutes: Count = setting(
        "How long Azure is asked again when it has no such machine free.",
        "a whole number above 0",
        "30",
        default="30",
        unit="minutes",
    )
    auto_shutdown_at: TimeOfDay | None = setting(
        "When Azure's own daily auto-shutdown is set to happen, in UTC: it is shown, "
        "and a lease that crosses it says so.",
        "a time of day, as hh:mm",
        "12:00",
        default=None,
        unit="UTC",
    )
    time_zone: Zone = setting(
        "The zone in which people read times and say `until`.",
        "an IANA time zone",
        "Europe/Paris",
        default="UTC",
    )
    chat_url: Link | None = setting(
        "Where the model is used: a link on the phone page.",
        "an https address",
        "https://chat.example.com",
        default=None,
    )
    public_url: Link | None = setting(
        "This app's own address, for links in notices.",
        "an https address (http on this very machine)",
        "https://func-kimi.azurewebsites.net",
        default=None,
    )
    notify_secret: Word = setting(
        "The vault's secret that holds the Apprise URL notices go to.",
        "a secret's name",
        "notify-url",
        default="notify-url",
    )
    notify_events: Events = setting(
        "Which events are told. Checked now; every event is told in this version.",
        "`all`, or some of adopted, alarm, ended, unknown, warning between commas",
        "alarm,unknown,warning",
        default="all",
    )
    quiet_hours: SpanOfDay | None = setting(
        "When only alarms are told, in TIME_ZONE. Checked now; not kept in this "
        "version.",
        "two times of day, as hh:mm-hh:mm",
        "22:00-07:00",
        default=None,
    )
