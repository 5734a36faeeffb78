"""The verb `secrets`: from the machine's Key Vault to tmpfs, at boot and on rotation.

A file is whole, valid and owned before it has its name; what was there stays until
then. No value is in an argument, in a log, or on a disk.
"""

import grp
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent.control import TOKEN
from agent.errors import AgentError
from agent.files import Owner, write
from agent.site import Site
from agent.vault import Vault

_HEX = re.compile(r"[0-9a-f]{64}")
_TOKEN = re.compile(r"[\x21-\x7e]{32,256}")


@dataclass(frozen=True)
class Secret:
    """One secret: its name in the vault, its file, its form, and who reads it.

    `line` puts the value into a line of an environment file; `shared` lets the verbs
    read it that are not root; one that is not `needed` may be missing in the vault.
    """

    name: str
    file: str
    form: re.Pattern[str]
    line: str = "{}"
    shared: bool = False
    needed: bool = True


SECRETS = (
    Secret("token-vm", TOKEN, _TOKEN, shared=True),
    Secret("vllm-api-key", "vllm.env", _HEX, line="VLLM_API_KEY={}"),
    Secret("gateway-api-key", "gateway-api-key", _HEX, needed=False),
    Secret(
        "owui-secret-key",
        "owui.env",
        _HEX,
        line="WEBUI_SECRET_KEY={}",
        needed=False,
    ),
)


def run(site: Site) -> str:
    """Keep every secret that is read; one that fails does not hold the others back.

    A vault that says nothing is no trouble while what is needed is here from before:
    the timer reads it again in minutes. Nor is one that is not needed, and wrong.

    Raises:
        AgentError: of what is needed, one can't be right or was never read.
    """
    values, unread = _values(Vault(site["KEY_VAULT_URL"], site.imds))
    wrong: list[str] = []
    odd: list[str] = []
    new: list[str] = []
    for secret, value in values.items():
        try:
            if _keep(secret, value, site):
                new.append(secret.name)
        except AgentError as error:
            (wrong if secret.needed else odd).append(str(error))
    if wrong or (unread and not _are_here(site)):
        raise AgentError(" ".join([*wrong, *unread, *odd]))
    if unread or odd:
        return f"those from before stay: {' '.join([*unread, *odd])}"
    return f"{', '.join(new)} came new." if new else "all are as they were."


def _values(vault: Vault) -> tuple[dict[Secret, str | None], list[str]]:
    """Return what the vault holds of each, and why it does not say the others."""
    values: dict[Secret, str | None] = {}
    unread = []
    try:
        vault.open()
    except AgentError as error:
        return {}, [str(error)]
    for secret in SECRETS:
        try:
            values[secret] = vault.secret(secret.name)
        except AgentError as error:
            unread.append(str(error))
    return values, unread


def _are_here(site: Site) -> bool:
    return all(_place(each, site).exists() for each in SECRETS if each.needed)


def _keep(secret: Secret, value: str | None, site: Site) -> bool:
    """Write a value where it is a new one, and say whether it was."""
    if value is None:
        if secret.needed:
            raise AgentError(f"the vault has no {secret.name}.")
        return False
    if not secret.form.fullmatch(value):
        raise AgentError(
            f"{secret.name} in the vault is not what it must be "
            f"({'64 hex digits' if secret.form is _HEX else 'one printable word'})."
        )
    content = f"{secret.line.format(value)}\n".encode()
    place = _place(secret, site)
    with suppress(OSError):
        if place.read_bytes() == content:
            return False
    write(place, content, _owner(site.agent if secret.shared else None))
    return True


def _place(secret: Secret, site: Site) -> Path:
    return site.run / "secrets" / secret.file


def _owner(group: str | None) -> Owner:
    """Let root write, and one group read."""
    if group is None:
        return Owner(mode=0o600)
    try:
        return Owner(mode=0o640, gid=grp.getgrnam(group).gr_gid)
    except KeyError:
        raise AgentError(f"this machine has no group “{group}”.") from None
