"""The verb `secrets`: from the machine's Key Vault to tmpfs, at boot and on rotation.

A file is whole, valid and owned before it has its name; what was there stays until
then. No value is in an argument, in a log, or on a disk.
"""

import grp
import re
from contextlib import suppress
from dataclasses import dataclass

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
    """Read every secret; one that fails does not keep the others back."""
    vault = Vault(site["KEY_VAULT_URL"], site.imds)
    vault.open()
    faults, new = [], []
    for secret in SECRETS:
        try:
            if _keep(secret, vault.secret(secret.name), site):
                new.append(secret.name)
        except AgentError as error:
            faults.append(str(error))
    if faults:
        raise AgentError(" ".join(faults))
    return f"{', '.join(new)} came new." if new else "all are as they were."


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
    place = site.run / "secrets" / secret.file
    with suppress(OSError):
        if place.read_bytes() == content:
            return False
    write(place, content, _owner(site.agent if secret.shared else None))
    return True


def _owner(group: str | None) -> Owner:
    """Let root write, and one group read."""
    if group is None:
        return Owner(mode=0o600)
    try:
        return Owner(mode=0o640, gid=grp.getgrnam(group).gr_gid)
    except KeyError:
        raise AgentError(f"this machine has no group “{group}”.") from None
