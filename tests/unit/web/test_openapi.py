"""The contract is made from the routes, whole, and its references lead somewhere."""

import re
import tomllib
from pathlib import Path
from typing import Any

from control.said.problems import PROBLEMS
from control.version import VERSION
from control.web.routes import CONTRACT
from tests.unit.web.support import Site, document

ROOT = Path(__file__).parents[3]


def contract(site: Site) -> dict[str, Any]:
    answer = site.get("openapi", token=None)
    assert answer.status == 200
    return document(answer)


def test_every_route_is_in_it(site: Site) -> None:
    """One operation each, with its token or without."""
    made = contract(site)
    operations = {
        (method.upper(), path): operation
        for path, item in made["paths"].items()
        for method, operation in item.items()
    }
    assert operations.keys() == {(route.method, route.path) for route in CONTRACT}
    for route in CONTRACT:
        operation = operations[route.method, route.path]
        assert operation["operationId"] == route.name
        assert bool(operation["security"]) == (route.scope is not None)
        named = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
        assert named == set(re.findall(r"{(\w+)}", route.path))
    assert made["info"]["version"] == VERSION


def test_every_reference_leads_to_a_schema(site: Site) -> None:
    """Nothing dangles."""
    made = contract(site)
    wanted = set(re.findall(r"#/components/schemas/(\w+)", str(made)))
    assert wanted
    assert wanted == wanted & made["components"]["schemas"].keys()
    assert {"StatusShape", "SessionShape", "StartBody", "Problem"} <= wanted


def test_every_problem_of_a_route_stands_under_its_status(site: Site) -> None:
    """A client can see which slugs may come."""
    start = contract(site)["paths"]["/start"]["post"]["responses"]
    told = {
        slug for answer in start.values() for slug in answer["description"].split(", ")
    }
    promised = {
        name for route in CONTRACT if route.path == "/start" for name in route.slugs
    }
    assert promised <= told
    assert "vault-unavailable" in start["503"]["description"]
    assert {int(status) for status in start} <= {200, 202} | {
        status for status, _ in PROBLEMS.values()
    }


def test_the_version_is_that_of_the_package() -> None:
    """One number, told in two places."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION
