"""The secrets of one vault: versions, tags, soft delete; no HTTP."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a secret."""

    value: str
    created: datetime
    updated: datetime
    enabled: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)
    content_type: str | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)


class InTheBinError(Exception):
    """The name belongs to a deleted secret that can be recovered."""


class SecretStore:
    """Secrets by name (Key Vault ignores their case), newest version last."""

    def __init__(self) -> None:
        self._live: dict[str, list[Version]] = {}
        self._bin: dict[str, tuple[datetime, list[Version]]] = {}
        self._spelling: dict[str, str] = {}

    def put(self, name: str, version: Version) -> Version:
        """Add a version; a deleted name stays taken until recovered or purged."""
        key = name.lower()
        if key in self._bin:
            raise InTheBinError(name)
        self._spelling.setdefault(key, name)
        self._live.setdefault(key, []).append(version)
        return version

    def versions(self, name: str) -> list[Version]:
        return list(self._live.get(name.lower(), []))

    def find(self, name: str, identity: str = "") -> Version | None:
        """The version meant; without one the newest."""
        found = [v for v in self.versions(name) if identity in ("", v.id)]
        return found[-1] if found else None

    def replace(self, name: str, version: Version) -> Version:
        """Put a changed version in its place."""
        key = name.lower()
        self._live[key] = [
            version if each.id == version.id else each for each in self._live[key]
        ]
        return version

    def enable(self, name: str, now: datetime, *, enabled: bool) -> None:
        """Enable or disable the newest version."""
        newest = self.find(name)
        if newest is None:
            raise KeyError(name)
        self.replace(name, replace(newest, enabled=enabled, updated=now))

    def newest(self) -> list[tuple[str, Version]]:
        """Every secret's newest version, by name."""
        return [
            (self._spelling[key], versions[-1])
            for key, versions in sorted(self._live.items())
        ]

    def delete(self, name: str, now: datetime) -> Version | None:
        """Throw a secret into the bin."""
        key = name.lower()
        if key not in self._live:
            return None
        versions = self._live.pop(key)
        self._bin[key] = (now, versions)
        return versions[-1]

    def deleted(self, name: str) -> tuple[datetime, Version] | None:
        found = self._bin.get(name.lower())
        return (found[0], found[1][-1]) if found else None

    def deleted_names(self) -> list[str]:
        return [self._spelling[key] for key in sorted(self._bin)]

    def recover(self, name: str) -> Version | None:
        key = name.lower()
        if key not in self._bin:
            return None
        self._live[key] = self._bin.pop(key)[1]
        return self._live[key][-1]

    def purge(self, name: str) -> bool:
        return self._bin.pop(name.lower(), None) is not None
