"""The commands about the machine's payload: render, build, diff, update.

The archive is named by its content and the machine's pointer names the archive; the
machine takes what its pointer names at every start, and when it is told to.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from control.cli.console import DryRun, environment, not_done, note, told
from control.cli.machine import state, take_payload
from control.cli.paths import write
from control.cli.place import Place, machine_name
from control.payload.bundle import HOME, ROOTFS, Bundle, Difference, bundle, compare
from control.payload.given import Given
from control.payload.site import bootstrap, site
from control.payload.units import BOOTSTRAP, LASTING

if TYPE_CHECKING:
    from control.azure.blobs import PayloadContainer

_TEMPLATE = HOME / "cloud-init.yaml"
_USUAL = "kimi-k2.5"

app = typer.Typer(help="The payload of the GPU VM.", no_args_is_help=True)

Named = Annotated[
    str,
    typer.Option("--profile", metavar="NAME", help="A file of vm_payload/profiles/."),
]


@app.command()
def render(
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it there instead.")
    ] = None,
) -> None:
    """Print the custom data that a new machine starts from; it can never change."""
    with told():
        text = custom_data(environment())
        if output is None:
            typer.echo(text, nl=False)
        else:
            write(output, text.encode())
            typer.echo(f"Written: {output}, {len(text.encode()):,} bytes.")


@app.command()
def build(
    output: Annotated[Path, typer.Option(metavar="FILE", help="Where it is written.")],
    profile: Named = _USUAL,
) -> None:
    """Write the payload's archive, and say its SHA-256, its size and its files.

    The same checkout, profile and environment make the same bytes on any machine.
    """
    with told():
        given = Given(environment())
        said = site(given)
        given.check()
        made = bundle(profile, said)
        write(output, made.archive)
        typer.echo(f"sha256 {made.sha256}")
        typer.echo(f"{len(made.archive):,} bytes, {made.files} files.")


@app.command()
def diff(profile: Named = _USUAL) -> None:
    """Show what `update` would change on the machine, and which units that touches."""
    with told():
        given = Given(environment())
        said, name = site(given), machine_name(given)
        url = given.container("PAYLOAD_URL")
        given.check()
        made = bundle(profile, said)
        before = _there(payloads(url), name)
        for line in _told(compare(before, made), first=before is None):
            typer.echo(line)


@app.command()
def update(
    profile: Named = _USUAL,
    *,
    dry_run: DryRun = False,
) -> None:
    """Upload the payload, let the machine's pointer name it, tell a running machine.

    It never starts a machine, and restarts no unit but the one that takes the payload:
    a running model is not cut.
    """
    with told():
        given = Given(environment())
        said, place = site(given), Place.take(given)
        url = given.container("PAYLOAD_URL")
        given.check()
        made = bundle(profile, said)
        container = payloads(url)
        before = _there(container, place.machine)
        seen = state(place)
        difference = compare(before, made)
        for line in _told(difference, first=before is None):
            typer.echo(line)
        if dry_run:
            typer.echo(_would(made, place, running=seen.running))
            return
        _publish(container, place, made)
        if not seen.running:
            typer.echo(f"{seen}: it takes this payload at its next start.")
            return
        note(f"{place.machine} is told to take it; that takes a minute or so ...")
        _taken(take_payload(place), made, place)
        if before is not None:
            _by_hand(difference)


def custom_data(environ: Mapping[str, str]) -> str:
    """Return the custom data of a new machine of this environment."""
    from control.payload import custom_data  # noqa: PLC0415 - for few commands alone

    given = Given(environ)
    said = bootstrap(given)
    given.check()
    return custom_data.render(_TEMPLATE.read_text("utf-8"), ROOTFS, said)


def payloads(url: str) -> "PayloadContainer":
    """Return the payloads' container as this person enters it."""
    from control.azure.blobs import PayloadContainer  # noqa: PLC0415 - slow: the SDKs
    from control.azure.credential import persons_login  # noqa: PLC0415 - the same

    return PayloadContainer(credential=persons_login(), url=url)


def _there(container: "PayloadContainer", name: str) -> bytes | None:
    """Return the archive that the machine's pointer names; None without a pointer."""
    sha256 = container.pointer(name)
    if sha256 is None:
        return None
    found = container.archive(sha256)
    if found is None:
        note(f"The pointer names {sha256}, which is not there: as good as none.")
    return found


def _told(found: Difference, *, first: bool) -> Iterator[str]:
    changes = found.changes
    if first:
        count = len(changes.added)
        yield f"The machine has no payload yet: {count} files would be new."
        return
    if not changes.paths:
        yield "Nothing would change: the machine's pointer names this very payload."
        return
    for word in ("added", "changed", "removed"):
        for path in getattr(changes, word):
            yield f"{word:8} /{path}"
    touched = ", ".join(found.units)
    yield f"Units touched: {touched}." if touched else "No unit is touched."
    if found.revision:
        yield (
            "Another revision of the model: put it into Blob first, as vm_payload/"
            "README.md says; else every start brings it from the hub, for hours."
        )


def _would(made: Bundle, place: Place, *, running: bool) -> str:
    last = f", and run {BOOTSTRAP} there" if running else ""
    return (
        f"Nothing was done. It would upload {made.sha256} ({len(made.archive):,} "
        f"bytes), let machines/{place.machine}.json name it{last}."
    )


def _publish(container: "PayloadContainer", place: Place, made: Bundle) -> None:
    """Write the archive, then the pointer: never the other way round."""
    written = container.put(made.sha256, made.archive)
    container.point(place.machine, made.sha256)
    word = "Uploaded" if written else "Uploaded before"
    typer.echo(f"{word}: archives/{made.sha256}.tar.gz.")
    typer.echo(f"machines/{place.machine}.json names it now.")


def _taken(printed: str, made: Bundle, place: Place) -> None:
    """Show what the machine said, and believe it only where it names this payload."""
    typer.echo(printed)
    if f"payload {made.sha256[:12]} is " not in printed:
        raise not_done(
            f"{place.machine} did not say that it took payload {made.sha256[:12]}; "
            "read what it said above. The pointer names it: the next start tries again."
        )


def _by_hand(found: Difference) -> None:
    """Name what a restart makes new at once; all else is new with the next start."""
    lasting = [unit for unit in found.units if unit in LASTING]
    if lasting:
        typer.echo(
            "What runs is as it was until the next start; these may be restarted at "
            f"any time: systemctl restart {' '.join(lasting)}"
        )
    elif found.units:
        typer.echo("What runs is as it was until the next start.")
