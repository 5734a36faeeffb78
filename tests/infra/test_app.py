"""The switch on Flex: what the platform refuses, and the settings of one place."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from control.settings import Settings
from tests.infra.reading import one, words
from tests.infra.sets import GOLDEN, SETS, Snapshots

ROOT = Path(__file__).parents[2]
SITE = "Microsoft.Web/sites"
# What the host itself reads; all else is a setting of ours.
PLATFORM = {
    "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
    "APPLICATIONINSIGHTS_CONNECTION_STRING",
    "AzureWebJobsStorage__blobServiceUri",
    "AzureWebJobsStorage__clientId",
    "AzureWebJobsStorage__credential",
}
LOCAL = {"AzureWebJobsStorage", "FUNCTIONS_WORKER_RUNTIME"}
REFUSED = {
    *("FUNCTIONS_WORKER_RUNTIME", "FUNCTIONS_WORKER_RUNTIME_VERSION"),
    *("FUNCTIONS_EXTENSION_VERSION", "WEBSITE_CONTENTSHARE"),
    *("WEBSITE_CONTENTAZUREFILECONNECTIONSTRING", "WEBSITE_RUN_FROM_PACKAGE"),
    *("WEBSITE_MAX_DYNAMIC_APPLICATION_SCALE_OUT", "WEBSITE_TIME_ZONE", "TZ"),
    *("ftpsState", "linuxFxVersion", "use32BitWorkerProcess"),
    *("netFrameworkVersion", "functionsRuntimeScaleMonitoringEnabled"),
    "functionAppScaleLimit",
}
# What only Azure knows, as it would be.
KNOWN = {
    "resourceManager": "https://management.azure.com/",
    "clientId": "11111111-1111-1111-1111-111111111111",
    "vaultUri": "https://kva-kimi.vault.azure.net/",
    "primaryEndpoints.table": "https://stkimil.table.core.windows.net/",
}


def site(snapshots: Snapshots, name: str = "off") -> dict[str, Any]:
    found: dict[str, Any] = one(snapshots[name], SITE)["properties"]
    return found


def settings(snapshots: Snapshots, name: str = "off") -> dict[str, str]:
    found: dict[str, str] = one(snapshots[name], f"{SITE}/config")["properties"]
    return found


def test_g08_it_has_nothing_that_flex_refuses(snapshots: Snapshots) -> None:
    """G08: neither in the site's configuration nor among its settings."""
    said = one(snapshots["off"], SITE)
    found = {*words(said), *settings(snapshots)}
    assert not {each.lower() for each in found} & {each.lower() for each in REFUSED}
    assert "siteConfig" not in said["properties"]


def test_it_runs_what_the_tests_ran(snapshots: Snapshots) -> None:
    """On Linux, in a size that is offered everywhere, with no instance always there."""
    made = snapshots["off"]
    plan = one(made, "Microsoft.Web/serverfarms")
    assert plan["sku"] == {"name": "FC1", "tier": "FlexConsumption"}
    assert plan["properties"] == {"reserved": True}
    said = site(snapshots)["functionAppConfig"]
    assert said["runtime"] == {"name": "python", "version": "3.13"}
    assert said["scaleAndConcurrency"] == {
        "instanceMemoryMB": 2048,
        "maximumInstanceCount": 40,
        "alwaysReady": [],
    }


def test_g11_a_size_that_is_refused_can_not_be_asked_for(snapshots: Snapshots) -> None:
    """G11: 512 MB is not among them."""
    with pytest.raises(AssertionError, match="512"):
        snapshots.of("small", {"SWITCH_MEMORY": "512"})
    said = site(snapshots, "always ready")["functionAppConfig"]["scaleAndConcurrency"]
    assert said["instanceMemoryMB"] == 4096
    assert said["alwaysReady"] == [{"name": "http", "instanceCount": 1}]


def test_it_is_guarded_by_identity_alone(snapshots: Snapshots) -> None:
    """One identity for all of it; HTTPS; nobody publishes by a password."""
    made = snapshots["off"]
    said = one(made, SITE)
    (identity,) = said["identity"]["userAssignedIdentities"]
    assert identity.endswith("/id-kimi-switch")
    assert said["properties"]["httpsOnly"] is True
    assert said["properties"]["keyVaultReferenceIdentity"] == identity
    storage = said["properties"]["functionAppConfig"]["deployment"]["storage"]
    assert storage["authentication"] == {
        "type": "UserAssignedIdentity",
        "userAssignedIdentityResourceId": identity,
    }
    kind = f"{SITE}/basicPublishingCredentialsPolicies"
    ways = [each for each in made["predictedResources"] if each["type"] == kind]
    assert [each["name"].rpartition("/")[2] for each in ways] == ["scm", "ftp"]
    assert [each["properties"] for each in ways] == [{"allow": False}] * 2


def test_the_settings_are_the_declared_ones(snapshots: Snapshots) -> None:
    """By name: those of control/settings.py, and of the sample for local work."""
    sample = json.loads((ROOT / "local.settings.sample.json").read_text())["Values"]
    ours = set(settings(snapshots)) - PLATFORM
    assert ours == set(sample) - LOCAL
    assert set(settings(snapshots)) - ours == PLATFORM


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_switch_takes_its_settings(snapshots: Snapshots, name: str) -> None:
    """Every value is one that it reads; what only Azure knows is put in."""
    said = {key: _known(value) for key, value in settings(snapshots, name).items()}
    read = Settings.load(said)
    assert all(each.name.startswith("vm-") for each in read.fleet)
    assert len(read.fleet) == (2 if name == "second" else 1)


def _known(value: str) -> str:
    if not value.startswith("[") or value.startswith("[{"):
        return value
    found = [text for end, text in KNOWN.items() if end in value]
    return found[0] if found else "unknown"


@pytest.mark.parametrize("name", sorted(SETS))
def test_no_setting_is_a_key(snapshots: Snapshots, name: str) -> None:
    """Whoever may read the app's settings learns no secret by it."""
    for key, value in settings(snapshots, name).items():
        assert not re.search(r"AccountKey|SharedAccess|\bsig=", value), key
        assert "listKeys" not in value
        assert re.fullmatch(r"[A-Za-z0-9_]+", key)
