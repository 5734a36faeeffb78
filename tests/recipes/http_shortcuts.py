"""The rules of a file that the HTTP Shortcuts app imports, and ours on top of them.

The app has no schema: its rules are those that its importer checks (its models'
`validate`), as of data version 78, which its 3.15 and all later ones read.
"""

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from tests.recipes.recipe import Recipe

NOT_EXPORTED = 8
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")

type Uuid = Annotated[str, StringConstraints(pattern=f"^{_UUID}$")]
type Id = Annotated[str, StringConstraints(pattern=f"^(?:{_UUID}|[1-9][0-9]*)$")]
type Name = Annotated[str, StringConstraints(min_length=1, max_length=50)]


def _milliseconds(value: int) -> int:
    if value != 0 and not 250 <= value <= 86_400_000:
        raise ValueError("a timeout is 0, or 250 ms to a day")
    return value


class _Part(BaseModel):
    """A part without fields that the app does not know: it would drop them silently."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Header(_Part):
    """One header of a request."""

    id: Uuid
    key: Annotated[str, Field(min_length=1)]
    value: str


class ResponseHandling(_Part):
    """How the app shows an answer: a toast is too short, `simple` hides our words."""

    ui_type: Literal["dialog", "window"] = Field(alias="uiType")
    success: Literal["response", "message"] = Field(alias="successOutput")
    message: str | None = Field(None, alias="successMessage", min_length=1)
    failure: Literal["detailed"] = Field(alias="failureOutput")
    actions: list[Literal["rerun", "share", "copy", "save"]]

    @model_validator(mode="after")
    def _has_its_message(self) -> Self:
        if (self.success == "message") != (self.message is not None):
            raise ValueError("a message is given where it is shown")
        return self


class Shortcut(_Part):
    """One button: a request, and how its answer is shown."""

    id: Id
    name: Name
    description: Annotated[str, Field(max_length=200)]
    execution: Literal["app"] = Field(alias="executionType")
    method: Literal["GET", "POST"]
    url: str
    timeout: Annotated[int, AfterValidator(_milliseconds)]
    headers: list[Header]
    authentication: Literal["none", "bearer"]
    auth_token: str | None = Field(None, alias="authToken")
    body_type: Literal["custom_text"] | None = Field(None, alias="requestBodyType")
    content_type: Literal["application/json"] | None = Field(None, alias="contentType")
    body: str | None = Field(None, alias="bodyContent")
    on_success: str | None = Field(None, alias="codeOnSuccess")
    confirmation: Literal["simple", "biometric"] | None = None
    launcher: bool = Field(default=False, alias="launcherShortcut")
    tile: bool = Field(default=False, alias="quickSettingsTileShortcut")
    unrecorded: bool = Field(default=False, alias="excludeFromHistory")
    redirects: Literal[False] = Field(alias="followRedirects")
    cookies: Literal[False] = Field(alias="acceptCookies")
    # `wait_for_internet` would send a start hours later.
    retry: Literal["none"] = Field(alias="retryPolicy")
    handling: ResponseHandling = Field(alias="responseHandling")

    @property
    def path(self) -> str:
        """What stands behind the switch's address."""
        return self.url.rpartition("}}")[2]

    @model_validator(mode="after")
    def _is_safe(self) -> Self:
        spends = self.path in {"/start", "/extend"}
        if spends and (self.confirmation is None or self.tile):
            raise ValueError("what spends asks first, and is no tile")
        if spends and "rerun" in self.handling.actions:
            raise ValueError("what spends is not sent again by a tap on its answer")
        if (self.authentication == "bearer") != (self.auth_token is not None):
            raise ValueError("a token is named where it is sent, and only there")
        if self.on_success is not None and not self.unrecorded:
            raise ValueError("an answer with a token is not kept")
        given = {each is not None for each in (self.body_type, self.content_type)}
        given.add(self.body is not None)
        if given != {self.method == "POST"}:
            raise ValueError("a POST has a body and its type; a GET has none")
        if not any(h.key == "Accept" and h.value == "text/plain" for h in self.headers):
            raise ValueError("the answer is asked for as text")
        return self

    def texts(self) -> Iterator[str]:
        """Yield all that can hold placeholders."""
        values = (header.value for header in self.headers)
        yield from (self.url, self.auth_token or "", self.body or "", *values)


class Category(_Part):
    """A page of buttons."""

    id: Id
    name: Name
    layout: Literal["linear_list", "dense_grid", "medium_grid", "wide_grid"] = Field(
        alias="layoutType"
    )
    shortcuts: Annotated[list[Shortcut], Field(min_length=1)]


class Variable(_Part):
    """A value that the person gives once, or each time."""

    id: Id
    key: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]{1,30}$")]
    type: Literal["constant", "text"]
    value: str
    title: str = ""
    json_encode: bool = Field(default=False, alias="jsonEncode")
    flags: Literal[0, 8] = 0


class File(_Part):
    """The whole file, and what its parts say of each other."""

    version: Literal[78]
    compatible: Literal[78] = Field(alias="compatibilityVersion")
    categories: Annotated[list[Category], Field(min_length=1)]
    variables: list[Variable]

    @property
    def shortcuts(self) -> list[Shortcut]:
        """The buttons of all pages."""
        return [each for page in self.categories for each in page.shortcuts]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        kinds = (
            [each.id for each in self.categories],
            [each.id for each in self.shortcuts],
            [each.id for each in self.variables],
            [each.key for each in self.variables],
            [header.id for each in self.shortcuts for header in each.headers],
        )
        if any(len(ids) != len(set(ids)) for ids in kinds):
            raise ValueError("an id stands twice")
        return self

    @model_validator(mode="after")
    def _placeholders_are_known(self) -> Self:
        known = {each.id for each in self.variables}
        texts = (text for each in self.shortcuts for text in each.texts())
        if any(set(_PLACEHOLDER.findall(text)) - known for text in texts):
            raise ValueError("a placeholder names no variable")
        return self

    @model_validator(mode="after")
    def _no_secret_is_in_it(self) -> Self:
        by_key = {each.key: each for each in self.variables}
        token, code = by_key.get("token"), by_key.get("code")
        address = by_key.get("switch_url")
        if token is None or code is None or address is None:
            raise ValueError("switch_url, token and code are filled in by the person")
        if any(each.value or each.flags != NOT_EXPORTED for each in (token, code)):
            raise ValueError("token and code are empty, and never exported")
        if not code.json_encode or code.type != "text":
            raise ValueError("the code is asked for each time, and fits into JSON")
        if not re.fullmatch(r"https://[a-z.-]+", address.value):
            raise ValueError("the address is https, and nothing follows its host")
        for each in self.shortcuts:
            if each.auth_token not in (None, f"{{{{{token.id}}}}}"):
                raise ValueError("a token is a placeholder alone")
            if each.url != f"{{{{{address.id}}}}}{each.path}":
                raise ValueError("an address is the switch's, and a path")
        return self

    def recipe(self, shortcut: Shortcut, values: dict[str, str]) -> Recipe:
        """Return the request that the app sends, with these values by their keys."""
        by_id = {each.id: (each, values[each.key]) for each in self.variables}

        def filled(text: str) -> str:
            return _PLACEHOLDER.sub(lambda found: _value(*by_id[found[1]]), text)

        headers = {each.key: filled(each.value) for each in shortcut.headers}
        if shortcut.auth_token is not None:
            headers["Authorization"] = f"Bearer {filled(shortcut.auth_token)}"
        if shortcut.content_type is not None:
            headers["Content-Type"] = shortcut.content_type
        return Recipe(
            name=shortcut.name,
            method=shortcut.method,
            url=filled(shortcut.url),
            headers=headers,
            body=filled(shortcut.body) if shortcut.body is not None else None,
        )


def _value(variable: Variable, value: str) -> str:
    return json.dumps(value)[1:-1] if variable.json_encode else value


def read(document: Any) -> File:
    """Read an importable file; raise ValidationError where a rule is broken."""
    return File.model_validate(document)
