"""The commands about a person's way into the machine: admin open and close.

`open` stays until the window is closed again, whatever ends it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from control.cli.arm import resources
from control.cli.console import DryRun, environment, told
from control.cli.signals import noted
from control.clock import SystemClock
from control.deployment import ssh_window
from control.errors import CommandError, ControlError
from control.payload.given import Given
from control.payload.site import ARM

if TYPE_CHECKING:
    from control.azure.resources import Resources

_RULE = re.compile(
    r"/subscriptions/[0-9A-Fa-f-]{36}/resourceGroups/[\w().-]{1,90}/providers/"
    rf"Microsoft\.Network/networkSecurityGroups/[\w.-]{{1,80}}/securityRules/"
    rf"{ssh_window.NAME}",
    re.ASCII | re.IGNORECASE,
)
_WORDS = {
    "authorizationfailed": "Your login needs the role Network Contributor there.",
}
_LOOKS_EACH = 0.5

app = typer.Typer(help="A person's way into the machine.", no_args_is_help=True)


@app.command("open")
def open_(
    source: Annotated[
        str, typer.Option("--from", metavar="ADDRESS", help="The one to let in.")
    ],
    minutes: Annotated[
        float, typer.Option(min=0.01, max=120.0, help="For how long.")
    ] = 30.0,
    *,
    dry_run: DryRun = False,
) -> None:
    """Let one address in by SSH, stay for so long, and close it again."""
    clock = SystemClock()
    with told():
        address = ssh_window.address(source)
        window = Window.given()
        rule = window.rule()
        until = clock.now() + timedelta(minutes=minutes)
        if dry_run:
            typer.echo(
                f"Nothing was done. It would let {address} in until {until:%H:%M} UTC."
            )
            return
        with noted() as signals, window.closed_afterwards(rule):
            window.put(ssh_window.opened(rule, address, until))
            typer.echo(
                f"Open for {address} until {until:%H:%M} UTC. Stay: Ctrl-C closes it."
            )
            while not signals and clock.now() < until:
                clock.wait(min(_LOOKS_EACH, (until - clock.now()).total_seconds()))


@app.command()
def close(*, dry_run: DryRun = False) -> None:
    """Close it, whoever has opened it."""
    with told():
        window = Window.given()
        rule = window.rule()
        if ssh_window.is_shut(rule):
            typer.echo("It is closed.")
            return
        if dry_run:
            who = rule.get("sourceAddressPrefix")
            typer.echo(f"Nothing was done. It would close what is open for {who}.")
            return
        window.put(ssh_window.shut(rule))
    typer.echo("Closed.")


class Window:
    """The rule, where the environment says that it is."""

    def __init__(self, resources: "Resources", path: str) -> None:
        self._resources = resources
        self._path = path

    @classmethod
    def given(cls) -> "Window":
        """Read the environment."""
        given = Given(environment())
        path = given.matching(
            "SSH_RULE_ID", _RULE, f"the id of the rule {ssh_window.NAME}"
        )
        endpoint = given.address("ARM_ENDPOINT", ARM)
        given.check("README.md")
        return cls(resources(endpoint, _WORDS), path)

    def rule(self) -> ssh_window.Properties:
        """Return what the rule says now."""
        found = self._resources.read(self._path, ssh_window.VERSION)
        properties: Any = (found or {}).get("properties")
        if not isinstance(properties, dict):
            raise CommandError(f"there is no rule {self._path}: deploy first.")
        return properties

    def put(self, properties: ssh_window.Properties) -> None:
        """Change it, and wait until the change is at work."""
        body = {"properties": properties}
        self._resources.write(self._path, ssh_window.VERSION, body)

    @contextmanager
    def closed_afterwards(self, rule: ssh_window.Properties) -> Iterator[None]:
        """Close it whatever happens; where that fails, say how it is done by hand."""
        try:
            yield
        finally:
            self._close(ssh_window.shut(rule))

    def _close(self, shut: ssh_window.Properties) -> None:
        try:
            self.put(shut)
        except ControlError as error:
            by_hand = f"az network nsg rule update --ids {self._path} --access Deny"
            raise CommandError(
                f"SSH IS STILL OPEN: {error} Close it: `python -m control admin "
                f"close`, or `{by_hand}`."
            ) from None
        typer.echo("Closed.")
