"""`python3 -m agent VERB`: 0 done; 1 not done, with one sentence; 2 a wrong call."""

import sys
from collections.abc import Callable, Mapping, Sequence

from agent import disk
from agent.errors import AgentError

VERBS: Mapping[str, Callable[[], str]] = {"disk": disk.run}


def main(arguments: Sequence[str]) -> int:
    """Run one verb, and say what came of it."""
    if len(arguments) != 1 or arguments[0] not in VERBS:
        sys.stderr.write(f"usage: python3 -m agent {'|'.join(VERBS)}\n")
        return 2
    (verb,) = arguments
    try:
        done = VERBS[verb]()
    except AgentError as error:
        sys.stderr.write(f"{verb}: {error}\n")
        return 1
    sys.stdout.write(f"{verb}: {done}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
