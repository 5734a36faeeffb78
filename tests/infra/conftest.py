"""What the templates make, compiled once for all; and somebody who deployed it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from control.cli import cleanup
from control.deployment import creation, mending, off, publishing
from local.azure import Spec
from local.azurite import Azurite, Service
from local.stack import Stack, running
from tests.infra.compiler import Document, built, compiler
from tests.infra.owner import MACHINE, SAME, TIMINGS, Owner, fill
from tests.infra.sets import BASE, KEY, Snapshots
from tests.payload.login import Operator
from tests.payload.store import Store, container


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Snapshots:
    """Shared by the workers: an evaluation takes seconds."""
    return Snapshots(tmp_path_factory.getbasetemp().parent / "infra")


@pytest.fixture(scope="session")
def template() -> Document:
    """The compiled `main.bicep`."""
    return built()


@pytest.fixture(scope="session")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A whole system whose machine has the name that the templates give it."""
    spec = Spec(name=MACHINE, timings=TIMINGS)
    with running(tmp_path_factory.mktemp("switch"), machine=spec) as made:
        fill(made)
        made.functions.tick()
        yield made


@pytest.fixture(scope="session")
def store(switch: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The container of payloads, with one for the machine."""
    folder = tmp_path_factory.mktemp("payloads")
    certificate = switch.azure.certificate
    with (
        Azurite(certificate, folder=folder, service=Service.BLOB) as storage,
        container(storage, switch.azure, "payload") as (url, client),
    ):
        store = Store(url, client)
        store.publish(b"a payload", MACHINE)
        yield store


@pytest.fixture
def owner(
    switch: Stack, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Owner]:
    """Before the machine is made; looks are a second apart."""
    for module in (creation, mending, off, publishing, cleanup):
        monkeypatch.setattr(module, "PAUSE", 1)
    monkeypatch.setattr(creation, "_COMES_LATE", timedelta(seconds=2))
    azure = switch.azure
    azure.faults.clear()
    azure.vm.remove()
    azure.vm.machine.deleted = None
    azure.deployments.kept.clear()
    azure.groups.exists = True
    azure.deployments.put_starts = azure.deployments.keeps_card = False
    same = {name: azure.sites.settings[name] for name in SAME}
    more = {
        **BASE,
        **same,
        "BICEP": compiler(),
        "SWITCH_NAME": "func-kimi",
        "PUBLIC_URL": switch.url,
        "MACHINE_KEY_VAULT_URL": azure.machine_vault.url,
        "MACHINE_CLIENT_ID": azure.identity.client_id("vm"),
        "MACHINE_PRINCIPAL_ID": azure.identity.principal_id("vm"),
        "PAYLOAD_URL": store.url,
        "SSH_PUBLIC_KEY": KEY,
        "VM_NAME": MACHINE,
    }
    yield Owner(stack=switch, operator=Operator.of(azure, tmp_path / "login", **more))
    assert azure.unknown_routes == []
