"""Makes the whole control plane of settings and a clock.

Imported by the first call alone: the SDKs are slow, and an import that fails must not
take the triggers with it.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from control.assembly import Ports, assemble
from control.azure.budgets import AzureReports
from control.azure.credential import managed_identity
from control.azure.machines import AzureMachines
from control.azure.table import AzureTable
from control.azure.vault import VaultTokens
from control.devices import Devices
from control.notices import AppriseNotices
from control.ports import Clock, Notices, Table
from control.prices import RetailPrices
from control.settings import Settings
from control.switch import Switch
from control.web.app import App
from control.web.site import Place

SIZE = "Standard_ND96isr_H200_v5"
_CLIENTS = ("azure", "httpcore", "httpx", "msal", "urllib3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What the triggers call."""

    switch: Switch
    app: App


def build(environ: Mapping[str, str], clock: Clock) -> Control:
    """Return the control plane for these settings; nothing is called yet."""
    settings = Settings.load(environ)
    _quieten_clients()
    identity = managed_identity(settings.azure_client_id)
    vault = VaultTokens(credential=identity, url=settings.key_vault_url)
    table = ledger_table(settings, identity)
    notices = AppriseNotices(partial(vault.secret, settings.notify_secret))
    switch = switch_of(settings, identity, clock, table, notices)
    place = Place(
        policies=settings.policies(),
        zone=settings.time_zone,
        chat={one.name: one.chat_url for one in settings.fleet},
    )
    app = App(
        switch=switch, devices=Devices(table), tokens=vault, clock=clock, place=place
    )
    return Control(switch=switch, app=app)


def switch_of(
    settings: Settings, identity: Any, clock: Clock, table: Table, notices: Notices
) -> Switch:
    """Return the switch as this identity works it: the app's, or a person's."""
    ports = Ports(
        clock=clock,
        table=table,
        machines=AzureMachines(
            credential=identity,
            endpoint=settings.arm_endpoint,
            subscription=settings.azure_subscription_id,
            resource_groups={one.name: one.resource_group for one in settings.fleet},
            clock=clock,
        ),
        prices=RetailPrices(
            endpoint=settings.retail_prices_endpoint,
            sku=SIZE,
            region=settings.vm_region,
            currency=settings.currency,
        ),
        notices=notices,
        reports=_reports(settings, identity),
    )
    return assemble(settings.policies(), ports)


def ledger_table(settings: Settings, identity: Any = None) -> Table:
    """Return the ledger's table; the command uses it as well."""
    name, secret = settings.ledger_table, settings.ledger_connection_string
    if secret is not None:
        return AzureTable.by_connection_string(secret.get_secret_value(), name=name)
    assert settings.ledger_table_endpoint is not None
    return AzureTable.by_identity(
        endpoint=settings.ledger_table_endpoint,
        name=name,
        credential=identity or managed_identity(settings.azure_client_id),
    )


def _reports(settings: Settings, identity: Any) -> AzureReports | None:
    if settings.budget_name is None:
        return None
    return AzureReports(
        credential=identity,
        endpoint=settings.arm_endpoint,
        scope=f"/subscriptions/{settings.azure_subscription_id}",
        budget=settings.budget_name,
        currency=settings.currency,
    )


def _quieten_clients() -> None:
    """The clients' own lines hold addresses and headers."""
    for name in _CLIENTS:
        logging.getLogger(name).setLevel(logging.WARNING)
