"""The machine's vault, filled as a deployment fills it."""

from local.azure import LocalAzure

KEY = "0123456789abcdef" * 4
TOKEN = "a-token-of-32-characters-or-more-1"
NAMES = {"token-vm": TOKEN, "vllm-api-key": KEY, "owui-secret-key": KEY[::-1]}


def fill(azure: LocalAzure) -> None:
    """Put all that the machine reads."""
    for name, value in NAMES.items():
        azure.put_secret(azure.machine_vault, name, value)
