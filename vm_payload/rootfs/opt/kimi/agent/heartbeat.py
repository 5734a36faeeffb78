"""The verb `heartbeat`: a report every 30 seconds, for ever.

It looks after the lease keeper too, and takes its place while that is dead.
"""

import sys
import threading
from typing import NoReturn

from agent import notify
from agent.control import Control
from agent.errors import AgentError
from agent.site import Site
from agent.standin import StandIn

EVERY = 30.0
_SECONDS = 15.0


def run(site: Site) -> NoReturn:
    """Report for ever; what goes wrong is said once for each kind of it."""
    control, lease = Control(site), StandIn(site)
    notify.ready("reports to the control plane")
    said = ""
    while True:
        now = beat(control)
        if now != said:
            sys.stdout.write(f"heartbeat: {now}\n")
            sys.stdout.flush()
        said = now
        lease.step()
        notify.alive()
        threading.Event().wait(EVERY)


def beat(control: Control) -> str:
    """Report once, and say how it went."""
    try:
        control.report(_SECONDS)
    except (AgentError, OSError) as error:
        return str(error)
    return "the control plane has answered."
