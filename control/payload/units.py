"""Which units a change of the payload touches: those that would run something new.

A unit is touched by its own file, by a drop-in of its own, by any file or folder that
its text names, and, where it runs the agent, by any of the agent's modules.
"""

import re
from collections.abc import Iterable, Mapping

BOOTSTRAP = "kimi-bootstrap.service"
# They hold nothing that a restart would cut: not the model, and no download.
LASTING = ("kimi-heartbeat.service", "kimi-lease.service", "kimi-watch.service")
_UNITS = re.compile(
    r"etc/systemd/system/([\w@.-]+\.(?:service|target|timer|socket|path|mount))"
)
_DROP_INS = re.compile(r"etc/systemd/system/([\w@.-]+)\.d/[^/]+\.conf")
_RUNS_THE_AGENT = re.compile(r"^Exec\w*=.*\s-m\s+agent(?:\s|$)", re.MULTILINE)
_AGENT = "opt/kimi/agent/"
_VALUES = re.compile(r"^Environment=.*", re.MULTILINE)
# A place as a unit's text names it; of one part alone, such as /etc, it says nothing.
_PLACES = re.compile(r"(?<![\w./])/([\w.@+-]+(?:/[\w.@+-]+)+)")


def texts(contents: Mapping[str, bytes]) -> Mapping[str, str]:
    """Return each unit's text, its drop-ins' behind it, out of an archive's files."""
    units = {found[1] for path in contents if (found := _UNITS.fullmatch(path))}
    text = dict.fromkeys(units, "")
    for path, body in sorted(contents.items()):
        if owner := _owner(path):
            for name in _named(owner, units):
                text[name] = text.get(name, "") + body.decode("utf-8", "replace") + "\n"
    return text


def touched(units: Mapping[str, str], paths: Iterable[str]) -> tuple[str, ...]:
    """Return the units that these changed paths touch, by name."""
    changed = tuple(paths)
    own = {
        name
        for path in changed
        if (owner := _owner(path))
        for name in _named(owner, units)
    }
    more = {name for name, text in units.items() if _uses(text, changed)}
    return tuple(sorted(own | more))


def _named(owner: str, units: Iterable[str]) -> set[str]:
    """Return the units of a name; one like `kimi-.service` means all that begin so."""
    stem, _, kind = owner.rpartition(".")
    if not stem.endswith("-"):
        return {owner}
    return {each for each in units if each.startswith(stem) and each.endswith(kind)}


def _owner(path: str) -> str | None:
    found = _UNITS.fullmatch(path) or _DROP_INS.fullmatch(path)
    return found[1] if found else None


def _uses(text: str, changed: Iterable[str]) -> bool:
    places = {each.rstrip("/") for each in _PLACES.findall(_VALUES.sub("", text))}
    agent = _RUNS_THE_AGENT.search(text) is not None
    return any(
        (agent and path.startswith(_AGENT)) or _is_in(path, places) for path in changed
    )


def _is_in(path: str, places: set[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)
