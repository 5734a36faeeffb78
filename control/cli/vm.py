"""The commands about the machine itself: vm create, and vm check.

Making a machine starts it: 1.41 USD a minute. `create` stays until Azure says that it
is deallocated; `check` is for after every other deployment.
"""

from datetime import timedelta
from typing import Annotated

import typer

from control.cli.access import reached
from control.cli.console import DryRun, environment, not_done, note, told
from control.cli.own import own_switch
from control.cli.plan import AT_MOST, Plan, planned
from control.cli.signals import noted
from control.cli.site import site_of
from control.clock import SystemClock
from control.decision import Ask
from control.deployment.creation import LIMIT, Creation, Person
from control.deployment.mending import ensure_off, mend
from control.words import Purpose

_BY = "vm-create"
# A deployment of everything takes as long.
_LATELY = timedelta(minutes=15)

app = typer.Typer(help="The machine itself.", no_args_is_help=True)


@app.command()
def create(
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask; it bills at once.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Make the machine, see that the switch can end it, and end it: it bills meanwhile.

    Where the machine is there already, what ends it is made anew, and it is left alone.
    """
    with told(), reached(environment()) as (access, remote):
        plan = planned(environment(), access, remote)
        if plan.making.exists():
            _mend(plan, dry_run=dry_run)
            return
        if found := plan.closed_gates():
            raise not_done("\n- ".join(["before a machine is made:", *found]))
        if dry_run:
            typer.echo(f"Nothing was done. {_would(plan)}")
            return
        if not yes:
            typer.confirm(f"{_would(plan)} Do it?", abort=True)
        _create(plan)
    typer.echo(
        f"{plan.place.machine} is made and deallocated. Start it with the phone; the "
        "first download: docs/deploy.md."
    )


@app.command()
def check() -> None:
    """Read every machine's power, after a deployment; end what nobody asked for."""
    with told():
        clock = SystemClock()
        _, switch = own_switch(site_of().settings())
        person = Person(say=typer.echo, ended=lambda: False)
        for machine in switch.machines:
            ensure_off(switch, machine, clock.now() - _LATELY, clock, person)


def _would(plan: Plan) -> str:
    source = f"its disk {plan.disk.name}" if plan.disk else "a new image"
    minutes = AT_MOST // timedelta(minutes=1)
    return (
        f"It would make {plan.place.machine} ({plan.machine['size']}) of {source}, see "
        f"that it can be ended, and deallocate it: at most {minutes} minutes, "
        f"{plan.cost:.2f} {plan.settings.currency}. An open SSH window is closed."
    )


def _create(plan: Plan) -> None:
    with noted() as signals:
        Creation(
            switch=plan.switch,
            world=plan.to_create(),
            machine=plan.place.machine,
            ask=Ask(device=_BY, asked=LIMIT, purpose=Purpose.SETUP),
            clock=SystemClock(),
            person=Person(say=note, ended=lambda: bool(signals)),
        ).run()


def _mend(plan: Plan, *, dry_run: bool) -> None:
    """Make anew what ends a machine that is there."""
    machine = plan.place.machine
    if dry_run:
        typer.echo(
            f"Nothing was done. {machine} is there: its roles, its shutdown and its "
            "metrics would be made anew, and nothing is started."
        )
        return
    clock = SystemClock()
    began = clock.now()
    with noted() as signals:
        person = Person(say=note, ended=lambda: bool(signals))
        try:
            mend(plan.to_mend(), person, clock)
        finally:
            ensure_off(plan.switch, machine, began, clock, person)
    typer.echo(f"{machine} was there, and is left alone; what ends it is made anew.")
