"""This machine deallocates itself, with its own identity and a fresh token each time.

Deallocate alone ends the meter: a machine that powers itself off is billed as before.
https://learn.microsoft.com/rest/api/compute/virtual-machines/deallocate
"""

from dataclasses import replace

from agent.errors import AgentError
from agent.site import Site
from agent.web import Request, ask, bearer

RESOURCE = "https://management.azure.com"
_VERSION = "2024-07-01"
_TAKEN = {200, 202}
_IMDS_SECONDS = 12.0
_ARM_SECONDS = 20.0
# Who it is, a token, and the call; each of the first two may be asked once more.
LONGEST = 2 * (_IMDS_SECONDS + 10.0) + _ARM_SECONDS


def deallocate(site: Site) -> None:
    """Ask Azure once to take this machine away.

    Raises:
        AgentError: it was not taken, and why.
    """
    imds = replace(site.bare_imds, patience=_IMDS_SECONDS)
    path = f"{imds.instance().id}/deallocate?api-version={_VERSION}"
    headers = bearer(imds.token(RESOURCE))
    asked = Request(method="POST", url=site.arm + path, headers=headers, body=b"")
    reply = ask(asked, _ARM_SECONDS)
    if reply.status not in _TAKEN:
        error = reply.json().get("error")
        code = error.get("code") if isinstance(error, dict) else None
        raise AgentError(
            f"Azure did not take the deallocation: {code or reply.status} "
            f"({reply.status})."
        )
