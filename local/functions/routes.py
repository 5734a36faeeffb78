"""Route templates as the Functions host reads them, and which of several wins.

Literals match whatever their case; a trailing slash is ignored; the precedence is
ASP.NET's: literal, constrained parameter, parameter, catch-all, segment by segment.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import UUID

_PART = re.compile(r"\{(?P<name>\*{0,2}\w+)(?P<rules>(?::[^{}?]+)?)(?P<optional>\??)\}")
_RULE = re.compile(r":(?P<name>\w+)(?:\((?P<arguments>[^)]*)\))?")

type _Check = Callable[[str], bool]


class RouteError(ValueError):
    """A route template that this host does not understand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One function's template, the methods it takes (none: all) and its rank."""

    template: str
    methods: frozenset[str]
    function: str
    rank: tuple[int, ...]
    pattern: re.Pattern[str]
    checks: tuple[tuple[str, _Check], ...]

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """Return the route's parameters, or nothing where it does not apply."""
        found = self.pattern.fullmatch(path)
        if not found or (self.methods and method not in self.methods):
            return None
        values = {name: text for name, text in found.groupdict().items() if text}
        for name, check in self.checks:
            if name in values and not check(values[name]):
                return None
        return values


def route(
    function: str, template: str, methods: Iterable[str], prefix: str = ""
) -> Route:
    """Compile a template below host.json's route prefix."""
    whole = "/".join(part for part in (prefix.strip("/"), template.strip("/")) if part)
    segments = whole.split("/") if whole else []
    checks: list[tuple[str, _Check]] = []
    return Route(
        template=whole,
        methods=frozenset(method.upper() for method in methods),
        function=function,
        rank=tuple(map(_rank, segments)),
        pattern=_pattern(segments, checks),
        checks=tuple(checks),
    )


def find(
    routes: Iterable[Route], method: str, path: str
) -> tuple[Route, dict[str, str]] | None:
    """Return the first route by precedence that takes this method and path."""
    bare = path.removeprefix("/").removesuffix("/")
    for one in sorted(routes, key=lambda each: each.rank):
        if (values := one.match(method, bare)) is not None:
            return one, values
    return None


def _rank(segment: str) -> int:
    whole = _PART.fullmatch(segment)
    if whole is None:
        return 2 if "{" in segment else 1
    bare = 5 if whole["name"].startswith("*") else 3
    return bare - 1 if whole["rules"] else bare


def _pattern(segments: list[str], checks: list[tuple[str, _Check]]) -> re.Pattern[str]:
    pattern = ""
    for index, segment in enumerate(segments):
        slash = "/" if index else ""
        whole = _PART.fullmatch(segment)
        if whole and whole["name"].startswith("*"):
            name = whole["name"].lstrip("*")
            pattern += f"(?:{slash}(?P<{name}>.*))?"
            checks += _checks(name, whole["rules"])
        elif whole and whole["optional"]:
            pattern += f"(?:{slash}{_segment(segment, checks)})?"
        else:
            pattern += slash + _segment(segment, checks)
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def _segment(segment: str, checks: list[tuple[str, _Check]]) -> str:
    pattern, end = "", 0
    for part in _PART.finditer(segment):
        pattern += _literal(segment[end : part.start()])
        pattern += f"(?P<{part['name']}>[^/]+)"
        checks += _checks(part["name"], part["rules"])
        end = part.end()
    return pattern + _literal(segment[end:])


def _literal(text: str) -> str:
    if "{" in text or "}" in text:
        raise RouteError(f"this host can't read the route part {text!r}")
    return re.escape(text)


def _checks(name: str, rules: str) -> list[tuple[str, _Check]]:
    return [
        (name, _check(rule["name"], rule["arguments"]))
        for rule in _RULE.finditer(rules)
    ]


def _check(rule: str, arguments: str | None) -> _Check:
    if rule in _PLAIN and arguments is None:
        return _PLAIN[rule]
    numbers = [int(one) for one in (arguments or "").split(",") if one.strip()]
    match rule, numbers:
        case "minlength", [least]:
            return lambda text: len(text) >= least
        case "maxlength", [most]:
            return lambda text: len(text) <= most
        case "length", [least, most]:
            return lambda text: least <= len(text) <= most
        case "length", [exact]:
            return lambda text: len(text) == exact
    raise RouteError(f"this host does not know the route constraint {rule!r}")


def _is_guid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


_PLAIN: dict[str, _Check] = {
    "alpha": lambda text: re.fullmatch("[A-Za-z]*", text) is not None,
    "bool": lambda text: text.lower() in {"true", "false"},
    "guid": _is_guid,
    "int": lambda text: re.fullmatch("[+-]?[0-9]+", text) is not None,
}
