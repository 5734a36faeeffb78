"""ARM without an SDK: to look at the wire itself."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from local.azure import LocalAzure


@contextmanager
def wire(azure: LocalAzure, caller: str, version: str) -> Iterator[httpx.Client]:
    """Ask as somebody with a good token, in one version of the API."""
    token = azure.identity.issue(caller, "https://management.azure.com").text
    context = ssl.create_default_context(cafile=azure.certificate.authority)
    with httpx.Client(
        base_url=azure.arm_url,
        verify=context,
        trust_env=False,
        params={"api-version": version},
        headers={"Authorization": f"Bearer {token}"},
    ) as client:
        yield client
