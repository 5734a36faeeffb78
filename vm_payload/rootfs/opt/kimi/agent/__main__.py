"""`python3 -m agent VERB`: 0 done; 1 not done, with one sentence; 2 a wrong call."""

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from agent import disk, failed, heartbeat, keep, secrets, seed, trouble, weights
from agent.errors import AgentError
from agent.site import Site

VERBS: Mapping[str, Callable[[Site], str]] = {
    "disk": disk.run,
    "failed": failed.run,
    "heartbeat": heartbeat.run,
    "lease": keep.run,
    "secrets": secrets.run,
    "seed": seed.run,
    "weights": weights.run,
}


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one verb, and say what came of it."""
    if len(arguments) != 1 or arguments[0] not in VERBS:
        sys.stderr.write(f"usage: python3 -m agent {'|'.join(VERBS)}\n")
        return 2
    (verb,) = arguments
    site = Site(environ)
    try:
        done = VERBS[verb](site)
    except AgentError as error:
        return _not_done(site, verb, str(error))
    except Exception as error:  # noqa: BLE001 - the unit's reason must be told
        traceback.print_exc()
        return _not_done(site, verb, f"a fault of the agent: {type(error).__name__}.")
    with suppress(OSError):
        trouble.forget(site.board, verb)
    sys.stdout.write(f"{verb}: {done}\n")
    return 0


def _not_done(site: Site, verb: str, said: str) -> int:
    with suppress(OSError):
        trouble.tell(site.board, verb, said)
    sys.stderr.write(f"{verb}: {said}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
