"""A model profile: the model and the images, each pinned by its content.

It becomes /etc/kimi-pins.env, which the machine's units read; nothing there is quoted,
so no value may hold anything but plain signs.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from control.errors import CommandError

PLACE = "etc/kimi-pins.env"
_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}")
_FORMS = {
    "served_alias": "a name of letters, digits, '.', '_' and '-'",
    "repo": "a repository like owner/name",
    "revision": "a commit's 40 hexadecimal digits",
    "at": "a day like 2026-10-20, without quotes",
    "shards": "a whole number above 0",
    "code_files": "a whole number, 0 or more",
    "license_file": "a file's name",
    "name": "an image's name without its tag",
    "digest": "sha256: and 64 hexadecimal digits",
    "tag": "an image's tag",
}
_TABLE = "a table; each image's has a name in small letters"

type Word = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")
]
type Slashed = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)+$")
]
type Revision = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
type Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
type Role = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,30}$")]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Model(_Table):
    """The checkpoint: so many shards and files of code at one commit."""

    repo: Slashed
    revision: Revision
    at: date
    shards: Annotated[int, Field(gt=0)]
    code_files: Annotated[int, Field(ge=0)]
    license_file: Word


class Image(_Table):
    """A container image by its digest; the tag is for people."""

    name: Slashed
    digest: Digest
    tag: Word
    at: date


class Profile(_Table):
    """One model, the name it is served by, and the images that serve it."""

    served_alias: Word
    model: Model
    images: Mapping[Role, Image]


def find(folder: Path, name: str) -> Path:
    """Return the file of a profile by its name; its lack is told with those there."""
    path = folder / f"{name}.toml"
    if not _FILE_NAME.fullmatch(name) or not path.is_file():
        there = ", ".join(sorted(each.stem for each in folder.glob("*.toml")))
        raise CommandError(f"there is no profile {name}; there is {there or 'none'}.")
    return path


def read(path: Path) -> Profile:
    """Read a profile whole, or name everything that is wrong with it at once."""
    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as why:
        raise CommandError(f"the profile {path.name} can't be read: {why}.") from None
    try:
        return Profile.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        faults = "; ".join(dict.fromkeys(map(_fault, found)))
        raise CommandError(f"the profile {path.name} is wrong: {faults}.") from None


def pins(profile: Profile) -> str:
    """Render /etc/kimi-pins.env: a NAME=value a line."""
    return "".join(f"{name}={value}\n" for name, value in _pins(profile))


def _pins(profile: Profile) -> Iterator[tuple[str, object]]:
    model = profile.model
    yield "SERVED_ALIAS", profile.served_alias
    yield "MODEL_REPO", model.repo
    yield "MODEL_REV", model.revision
    yield "MODEL_REV_AT", model.at
    yield "MODEL_SHARDS", model.shards
    yield "MODEL_CODE_FILES", model.code_files
    yield "MODEL_LICENSE_FILE", model.license_file
    for role, image in sorted(profile.images.items()):
        yield f"{role.upper()}_IMAGE", f"{image.name}@{image.digest}"
        yield f"{role.upper()}_IMAGE_TAG", image.tag
        yield f"{role.upper()}_IMAGE_AT", image.at


def _fault(error: ErrorDetails) -> str:
    keys: list[Any] = [each for each in error["loc"] if each != "[key]"]
    key = ".".join(map(str, keys))
    match error["type"]:
        case "missing":
            return f"{key} is missing"
        case "extra_forbidden":
            return f"{key} is unknown"
        case _:
            return f"{key} is not {_FORMS.get(str(keys[-1]), _TABLE)}"
