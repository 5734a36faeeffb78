"""Route templates: what matches, with which parameters, and which of several wins."""

import pytest

from local.functions.routes import Route, RouteError, find, route

ANY: tuple[str, ...] = ()


def _winner(
    templates: list[str], path: str, method: str = "GET"
) -> tuple[str, dict[str, str]] | None:
    routes: list[Route] = [route(each, each, ANY) for each in templates]
    found = find(routes, method, path)
    return (found[0].function, found[1]) if found else None


@pytest.mark.parametrize(
    ("template", "path", "params"),
    [
        ("status", "/status", {}),
        ("status", "/Status", {}),
        ("status", "/status/", {}),
        ("sessions/{id}", "/sessions/01JD", {"id": "01JD"}),
        ("devices/{name}/code", "/devices/my phone/code", {"name": "my phone"}),
        ("{file}.{kind}", "/app.css", {"file": "app", "kind": "css"}),
        ("{*path}", "/a/b/c", {"path": "a/b/c"}),
        ("{*path}", "/", {}),
        ("files/{*path}", "/files", {}),
        ("page/{number:int}", "/page/12", {"number": "12"}),
        ("{ignored:maxlength(0)?}", "/", {}),
        ("optional/{id?}", "/optional", {}),
        ("optional/{id?}", "/optional/7", {"id": "7"}),
        ("n/{x:length(2,3)}", "/n/abc", {"x": "abc"}),
    ],
)
def test_a_template_matches_with_its_parameters(
    template: str, path: str, params: dict[str, str]
) -> None:
    """A path that fits a template gives the parameters that Azure would give."""
    assert _winner([template], path) == (template, params)


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("status", "/"),
        ("status", "/statuses"),
        ("status", "/status/more"),
        ("status", "//status"),
        ("sessions/{id}", "/sessions"),
        ("sessions/{id}", "/sessions/a/b"),
        ("page/{number:int}", "/page/twelve"),
        ("{ignored:maxlength(0)?}", "/x"),
        ("n/{x:length(2,3)}", "/n/abcd"),
        ("n/{x:alpha}", "/n/a1"),
        ("n/{x:guid}", "/n/a1"),
        ("n/{x:bool}", "/n/yes"),
        ("n/{x:minlength(2)}", "/n/a"),
    ],
)
def test_another_path_does_not_match(template: str, path: str) -> None:
    """A path that does not fit finds no function."""
    assert _winner([template], path) is None


def test_a_literal_wins_over_a_parameter_and_that_over_a_catch_all() -> None:
    """Precedence goes by segment, whatever the order of registration."""
    templates = ["{*rest}", "{a}/{b}", "a/{b}", "{a}/{b:int}", "a/b"]
    order = ["a/b", "a/{b}", "{a}/{b:int}", "{a}/{b}", "{*rest}"]
    for dropped in range(len(order)):
        left = [each for each in templates if each in order[dropped:]]
        expected = order[dropped]
        path = "/a/b" if expected != "{a}/{b:int}" else "/a/1"
        found = _winner(left, path)
        assert found
        assert found[0] == expected


def test_a_method_that_a_route_does_not_take_falls_to_the_next() -> None:
    """HEAD on a route for GET is no match; a route without methods takes all."""
    only = route("only", "x", ["get"])
    rest = route("rest", "{*path}", ANY)
    assert find([only], "HEAD", "/x") is None
    found = find([only, rest], "HEAD", "/x")
    assert found
    assert found[0].function == "rest"


def test_a_route_prefix_stands_before_every_template() -> None:
    """host.json's routePrefix is part of the path."""
    prefixed = route("f", "/status", ANY, "api")
    assert find([prefixed], "GET", "/api/status")
    assert find([prefixed], "GET", "/status") is None


@pytest.mark.parametrize("template", ["{a:range(1,2)}", "{a=1}", "{a", "x}"])
def test_a_template_that_is_not_understood_is_refused(template: str) -> None:
    """A route that this host would get wrong stops it at the start."""
    with pytest.raises(RouteError):
        route("f", template, ANY)
