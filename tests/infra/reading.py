"""To read what the compiler made: resources by their types, wherever they stand."""

from collections.abc import Iterator
from typing import Any

from tests.infra.compiler import Document

type Resource = dict[str, Any]
DEPLOYMENT = "Microsoft.Resources/deployments"


def resources(template: Document) -> Iterator[tuple[Document, Resource]]:
    """Yield each resource of a template and of those in it, with its template."""
    held = template["resources"]
    for each in held if isinstance(held, list) else held.values():
        if each["type"] == DEPLOYMENT:
            yield from resources(each["properties"]["template"])
        elif not each.get("existing"):
            yield template, each


def of(snapshot: Document, kind: str) -> list[Resource]:
    """Return the resources of a type, in the deployment's order."""
    return [each for each in snapshot["predictedResources"] if each["type"] == kind]


def one(snapshot: Document, kind: str) -> Resource:
    """Return the only resource of a type."""
    (found,) = of(snapshot, kind)
    return found


def named(snapshot: Document, kind: str, beginning: str) -> Resource:
    """Return the only resource of a type whose name begins so."""
    (found,) = [e for e in of(snapshot, kind) if e["name"].startswith(beginning)]
    return found


def words(value: object) -> Iterator[str]:
    """Yield every key and text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from words(each)
    elif isinstance(value, list):
        for each in value:
            yield from words(each)
