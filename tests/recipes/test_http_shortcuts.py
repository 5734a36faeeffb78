"""The importable file keeps the app's rules and ours; every broken one is seen."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from tests.recipes.http_shortcuts import read
from tests.recipes.recipe import DOCS

TEXT = (DOCS / "http-shortcuts.json").read_text()
STOP, STATUS, START, EXTEND, PAIR = 0, 1, 2, 4, 5
ADDRESS, TOKEN, CODE = 0, 1, 2

type Change = Callable[[Any], object]


def test_the_file_keeps_every_rule() -> None:
    """It is read whole, and holds one button for each thing that a phone does."""
    file = read(json.loads(TEXT))
    paths = [each.path for each in file.shortcuts]
    assert paths == ["/stop", "/status", "/start", "/start", "/extend", "/pair"]


def button(at: int, key: str, value: Any) -> Change:
    return lambda file: file["categories"][0]["shortcuts"][at].update({key: value})


def handled(at: int, key: str, value: Any) -> Change:
    return lambda file: file["categories"][0]["shortcuts"][at][
        "responseHandling"
    ].update({key: value})


def header(at: int, key: str, value: Any) -> Change:
    return lambda file: file["categories"][0]["shortcuts"][at]["headers"][0].update(
        {key: value}
    )


def page(key: str, value: Any) -> Change:
    return lambda file: file["categories"][0].update({key: value})


def given(at: int, key: str, value: Any) -> Change:
    return lambda file: file["variables"][at].update({key: value})


def without(at: int, key: str) -> Change:
    return lambda file: file["categories"][0]["shortcuts"][at].pop(key)


def root(key: str, value: Any) -> Change:
    return lambda file: file.update({key: value})


SECRET = "c2VjcmV0LXRva2VuLW9mLWEtcGhvbmUtMTIzNDU2Nzg"
OTHER_ID = "{{5f0d1b46-7c1a-4f1e-9a57-0d3f6f2b1cff}}"
BROKEN: dict[str, Change] = {
    "an app older than 3.15 reads it": root("version", 77),
    "newer than the app": root("compatibilityVersion", 92),
    "a version as text": root("version", "78"),
    "no version": lambda file: file.pop("version"),
    "no categories": lambda file: file.pop("categories"),
    "an empty list of categories": root("categories", []),
    "a field of the root that nobody knows": root("exported", "by hand"),
    "a category's id of zero": page("id", "0"),
    "a category without a name": page("name", ""),
    "a category's long name": page("name", "x" * 51),
    "an unknown layout": page("layoutType", "grid"),
    "a button's id that is no UUID": button(STOP, "id", "stop"),
    "a UUID of another version": button(
        STOP, "id", "5f0d1b46-7c1a-1f1e-9a57-0d3f6f2b1c10"
    ),
    "two buttons of one id": button(STOP, "id", "5f0d1b46-7c1a-4f1e-9a57-0d3f6f2b1c11"),
    "a button without a name": button(STOP, "name", ""),
    "a long description": button(STOP, "description", "x" * 201),
    "a button that runs a script": button(STOP, "executionType", "scripting"),
    "a method that the app does not know": button(STOP, "method", "STOP"),
    "a start by GET": button(START, "method", "GET"),
    "a status with a body": button(STATUS, "bodyContent", "{}"),
    "a stop without a body": without(STOP, "bodyContent"),
    "a body of a form": button(START, "requestBodyType", "form_data"),
    "a body without its type": without(START, "contentType"),
    "a timeout too short": button(STOP, "timeout", 100),
    "a timeout too long": button(STOP, "timeout", 86_400_001),
    "a header's id": header(STOP, "id", "1"),
    "a header without a name": header(STOP, "key", ""),
    "JSON instead of a sentence": header(STOP, "value", "application/json"),
    "an unknown authentication": button(STOP, "authentication", "token"),
    "a stop without a token": without(STOP, "authToken"),
    "a token where none is sent": button(STOP, "authentication", "none"),
    "a token filled in": button(STOP, "authToken", SECRET),
    "a token behind its placeholder": lambda file: button(
        STOP, "authToken", file["categories"][0]["shortcuts"][0]["authToken"] + SECRET
    )(file),
    "a token in the variable": given(TOKEN, "value", SECRET),
    "a token that is exported": given(TOKEN, "flags", 0),
    "a code left in the variable": given(CODE, "value", "7Q3XK2M9PA"),
    "a code that breaks the JSON": given(CODE, "jsonEncode", value=False),
    "a code that is kept": given(CODE, "type", "constant"),
    "an answer with the token in the history": button(
        PAIR, "excludeFromHistory", value=False
    ),
    "a start without a question": without(START, "confirmation"),
    "an extend without a question": without(EXTEND, "confirmation"),
    "a question that the app does not know": button(START, "confirmation", "yes"),
    "a start as a tile": button(START, "quickSettingsTileShortcut", value=True),
    "a start again from its answer": handled(START, "actions", ["rerun"]),
    "redirects followed": button(START, "followRedirects", value=True),
    "redirects left to the app": without(STOP, "followRedirects"),
    "cookies taken": button(STOP, "acceptCookies", value=True),
    "a start when the network returns": button(
        START, "retryPolicy", "wait_for_internet"
    ),
    "an answer as a toast": handled(STOP, "uiType", "toast"),
    "an answer not shown": handled(STOP, "successOutput", "none"),
    "a failure without our sentence": handled(STOP, "failureOutput", "simple"),
    "an unknown action": handled(STOP, "actions", ["delete"]),
    "a message of the file's own": handled(STOP, "successOutput", "message"),
    "no handling": without(STOP, "responseHandling"),
    "another address": button(STOP, "url", "https://example.com/stop"),
    "an address without a variable": button(STOP, "url", f"{OTHER_ID}/stop"),
    "an address by http": given(ADDRESS, "value", "http://your-app.azurewebsites.net"),
    "an address with a path": given(
        ADDRESS, "value", "https://your-app.azurewebsites.net/"
    ),
    "a variable's bad key": given(TOKEN, "key", "to-ken"),
    "a variable's other key": given(TOKEN, "key", "bearer"),
    "a variable's unknown type": given(TOKEN, "type", "secret"),
    "two variables of one id": given(
        TOKEN, "id", "5f0d1b46-7c1a-4f1e-9a57-0d3f6f2b1c31"
    ),
    "a typing error in a field": button(STOP, "quickSettingTileShortcut", value=True),
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_broken_rule_is_seen(name: str) -> None:
    """The check can fail: each of these files would harm somebody."""
    file = copy.deepcopy(json.loads(TEXT))
    BROKEN[name](file)
    with pytest.raises(ValidationError):
        read(file)
