"""The commands about the weights' container: who may write there.

The machine reads it always and writes it only for their first download: `open`
gives its identity the right, `seal` takes it away and looks whether it is gone.
"""

from typing import TYPE_CHECKING

import typer

from control.cli.console import DryRun, environment, not_done, told
from control.cli.place import Weights
from control.clock import SystemClock
from control.payload.given import Given
from control.roles import BLOB_DATA_CONTRIBUTOR, assignment_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from control.azure.assignments import Assignment, Assignments

_ROLE = "Storage Blob Data Contributor"
_PAUSES = (1.0, 2.0, 3.0)

app = typer.Typer(help="The weights' container.", no_args_is_help=True)


@app.command("open")
def open_(*, dry_run: DryRun = False) -> None:
    """Let the machine write the weights' container, for their first download."""
    with told():
        weights = _weights()
        name = assignment_name(weights.scope, weights.principal, BLOB_DATA_CONTRIBUTOR)
        if dry_run:
            typer.echo(
                f"Nothing was done. It would give {weights.principal} the role {_ROLE} "
                f"at {weights.scope}, as assignment {name}."
            )
            return
        made = _assignments(weights).give(
            weights.scope, weights.principal, BLOB_DATA_CONTRIBUTOR
        )
    typer.echo(
        f"Open: the machine's identity {weights.principal} has the role {_ROLE} at "
        f"{weights.scope}{'' if made else ', as it had before'}."
    )
    typer.echo(
        "It takes Azure up to 10 minutes until it works. Then start a session with "
        "the purpose setup; when it says so, run `python -m control weights seal`: "
        "what may write may also delete."
    )


@app.command()
def seal(*, dry_run: DryRun = False) -> None:
    """Take that right away again, and look whether it is gone."""
    with told():
        weights = _weights()
        assignments = _assignments(weights)
        here, above = _split(weights, _found(assignments, weights))
        if dry_run:
            if here or not above:
                typer.echo(_would(here))
        else:
            for each in here:
                assignments.take(each)
            here, above = _split(weights, _gone(assignments, weights))
    if here and not dry_run:
        raise not_done(
            f"ARM took it and still lists {_names(here)}: run `seal` again in a minute."
        )
    if above:
        scopes = ", ".join(sorted({each.scope for each in above}))
        raise not_done(
            f"the machine still has {_ROLE} from higher up, at {scopes}; take it away "
            "there: this command touches the container's own assignments alone."
        )
    if not dry_run:
        _sealed(weights)


def _sealed(weights: Weights) -> None:
    typer.echo(
        f"Sealed: ARM lists no {_ROLE} of {weights.principal} at {weights.scope} or "
        "above it."
    )
    typer.echo(
        "It takes Azure up to 10 minutes until writes are refused; reading is another "
        "role, and stays."
    )


def _would(here: "Sequence[Assignment]") -> str:
    if not here:
        return f"Nothing was done. There is no {_ROLE} to take away: it is sealed."
    return f"Nothing was done. It would take away {_names(here)}."


def _names(found: "Sequence[Assignment]") -> str:
    return ", ".join(f"assignment {each.name} at {each.scope}" for each in found)


def _weights() -> Weights:
    given = Given(environment())
    weights = Weights.take(given)
    given.check()
    return weights


def _assignments(weights: Weights) -> "Assignments":
    from control.azure.assignments import Assignments  # noqa: PLC0415 - slow: the SDKs
    from control.azure.credential import persons_login  # noqa: PLC0415 - the same

    return Assignments(
        credential=persons_login(),
        endpoint=weights.endpoint,
        subscription=weights.subscription,
    )


def _found(assignments: "Assignments", weights: Weights) -> "Sequence[Assignment]":
    return assignments.found(weights.scope, weights.principal, BLOB_DATA_CONTRIBUTOR)


def _gone(assignments: "Assignments", weights: Weights) -> "Sequence[Assignment]":
    """Read back until none is left at the container: ARM's lists may be seconds old."""
    clock, found = SystemClock(), _found(assignments, weights)
    for pause in _PAUSES:
        if not _split(weights, found)[0]:
            break
        clock.wait(pause)
        found = _found(assignments, weights)
    return found


def _split(
    weights: Weights, found: "Sequence[Assignment]"
) -> "tuple[list[Assignment], list[Assignment]]":
    """Tell those at the container itself from those that come from above it."""
    here = [each for each in found if each.scope.lower() == weights.scope.lower()]
    return here, [each for each in found if each not in here]
