"""What one deployment says to its machine: two files below /etc that units read.

Addresses, an identity's id and limits; never a secret: the machine reads those itself,
from its own vault.
"""

from collections.abc import Mapping

from control.payload.given import Given

PLACE = "etc/kimi-site.env"
ARM = "https://management.azure.com"


def site(given: Given) -> Mapping[str, str]:
    """Return what the units are told; the limits' defaults are those of the switch."""
    return {
        "AZURE_CLIENT_ID": given.guid("MACHINE_CLIENT_ID"),
        "KEY_VAULT_URL": given.address("MACHINE_KEY_VAULT_URL"),
        "WEIGHTS_URL": given.container("WEIGHTS_URL"),
        "PUBLIC_URL": given.address("PUBLIC_URL"),
        "ARM_ENDPOINT": given.address("ARM_ENDPOINT", ARM),
        "IDLE_MINUTES": given.number("IDLE_MINUTES", "20", whole=True),
        "READY_DEADLINE_MINUTES": given.number(
            "READY_DEADLINE_MINUTES", "75", whole=True
        ),
        "MAX_RUNTIME_HOURS": given.number("MAX_RUNTIME_HOURS", "4", whole=False),
    }


def bootstrap(given: Given) -> Mapping[str, str]:
    """Return what the custom data tells: where the payload is, and who may read it."""
    return {
        "PAYLOAD_URL": given.container("PAYLOAD_URL"),
        "AZURE_CLIENT_ID": given.guid("MACHINE_CLIENT_ID"),
        "ARM_ENDPOINT": given.address("ARM_ENDPOINT", ARM),
    }


def rendered(values: Mapping[str, str]) -> str:
    """Render values as systemd's EnvironmentFile reads them: a NAME=value a line."""
    return "".join(f"{name}={value}\n" for name, value in values.items())
