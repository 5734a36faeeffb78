"""`/openapi.json`: the contract, made from the table of routes."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import TypeAdapter

from control.said.problems import PROBLEMS
from control.version import VERSION
from control.web.http import Kind, Media
from control.web.problems import MEDIA_TYPE
from control.web.route import Route

_REF = "#/components/schemas/{model}"
_GUARDED = ("not-allowed", "token-revoked", "token-unknown", "vault-unavailable")
_ALWAYS = ("internal", "method-not-allowed", "misconfigured")
_WITH_BODY = ("length-required", "too-large")
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "examples": ["/problems/locked"]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}


def contract(routes: Iterable[Route]) -> dict[str, Any]:
    """Return the whole document, OpenAPI 3.1."""
    schemas: dict[str, Any] = {"Problem": _PROBLEM}
    paths: dict[str, Any] = {}
    for route in routes:
        made = _operation(route, schemas)
        paths.setdefault(route.path, {})[route.method.lower()] = made
    return {
        "openapi": "3.1.0",
        "info": {"title": "The switch", "version": VERSION},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.about,
        "parameters": _parameters(route),
        "responses": _responses(route, schemas),
        "security": [{"token": []}] if route.scope else [],
    }
    if route.scope:
        made["description"] = f"Takes a token of scope {route.scope} or operator."
    if route.body is not None:
        schema = _schema(route.body, schemas)
        made["requestBody"] = {"content": {Kind.JSON: {"schema": schema}}}
    return made


def _parameters(route: Route) -> list[dict[str, Any]]:
    inside = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    where = [(name, "path") for name in inside]
    where += [(name, "query") for name in route.query]
    return [
        {
            "name": name,
            "in": place,
            "required": place == "path",
            "schema": {"type": "string"},
        }
        for name, place in where
    ]


def _responses(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        str(status): {
            "description": "Done.",
            "content": _content(shape, schemas),
        }
        for status, shape in route.answers
    }
    for status, slugs in _problems(route).items():
        made.setdefault(
            status,
            {
                "description": ", ".join(slugs),
                "content": {
                    MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}
                },
            },
        )
    return made


def _problems(route: Route) -> Mapping[str, list[str]]:
    slugs = {*route.slugs, *_ALWAYS}
    slugs |= set(_GUARDED) if route.scope else set()
    slugs |= set(_WITH_BODY) if route.method == "POST" else set()
    slugs |= {"unknown-machine"} if "machine" in route.query else set()
    found: dict[str, list[str]] = {}
    for slug in sorted(slugs):
        found.setdefault(str(PROBLEMS[slug][0]), []).append(slug)
    return found


def _content(shape: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    if isinstance(shape, Media):
        return {shape.value: {"schema": {"type": "string"}}}
    text = {Kind.TEXT.value: {"schema": {"type": "string"}}}
    return {Kind.JSON.value: {"schema": _schema(shape, schemas)}} | text


def _schema(shape: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return a schema; those that it refers to go among the components."""
    made = TypeAdapter[Any](shape).json_schema(ref_template=_REF, mode="validation")
    schemas.update(made.pop("$defs", {}))
    title = made.get("title")
    if title is None or made.get("type") != "object":
        return made
    schemas[title] = made
    return {"$ref": _REF.format(model=title)}
