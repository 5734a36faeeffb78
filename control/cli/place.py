"""Which machine and which weights a command is about: the operator's environment."""

import re
from dataclasses import dataclass

from control.payload.given import Given
from control.payload.site import ARM

# What says which name of the environment is what.
WHERE = "docs/deploy.md"
SITE = (re.compile(r"[A-Za-z0-9-]{2,60}"), "a function app's name")
_GROUP = re.compile(r"[\w().-]{1,90}", re.ASCII)
_MACHINE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_ACCOUNT = re.compile(
    r"/subscriptions/[0-9A-Fa-f-]{36}/resourceGroups/[\w().-]{1,90}"
    r"/providers/Microsoft\.Storage/storageAccounts/[a-z0-9]{3,24}",
    re.ASCII | re.IGNORECASE,
)
_ACCOUNT_WORDS = (
    "a storage account's resource id, /subscriptions/.../resourceGroups/.../providers/"
    "Microsoft.Storage/storageAccounts/NAME with nothing behind it"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A machine, and the ARM that knows it."""

    subscription: str
    group: str
    machine: str
    endpoint: str

    @classmethod
    def take(cls, given: Given) -> "Place":
        """Take what names the machine; whether all was there `given` knows."""
        return cls(
            subscription=given.guid("AZURE_SUBSCRIPTION_ID"),
            group=given.matching(
                "VM_RESOURCE_GROUP", _GROUP, "a resource group's name"
            ),
            machine=machine_name(given),
            endpoint=given.address("ARM_ENDPOINT", ARM),
        )


def machine_name(given: Given) -> str:
    """Take the machine's name alone: its pointer is called so."""
    return given.matching("VM_NAME", _MACHINE, "a machine's name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weights' container as a scope of rights, and the machine's identity."""

    subscription: str
    scope: str
    principal: str
    endpoint: str

    @classmethod
    def take(cls, given: Given) -> "Weights":
        """Take what names both."""
        account = given.matching("WEIGHTS_ACCOUNT_ID", _ACCOUNT, _ACCOUNT_WORDS)
        url = given.container("WEIGHTS_URL")
        given.agree("WEIGHTS_ACCOUNT_ID", account.rpartition("/")[2], url)
        container = f"/blobServices/default/containers/{url.rpartition('/')[2]}"
        return cls(
            subscription=account.split("/")[2] if account.count("/") > 1 else "",
            scope=account + container,
            principal=given.guid("MACHINE_PRINCIPAL_ID").lower(),
            endpoint=given.address("ARM_ENDPOINT", ARM),
        )
