"""Key Vault's data plane for secrets, with the challenge that comes before all else."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from local.azure.routing import Call, Kind, Route, route
from local.azure.secret_store import InTheBinError, SecretStore, Version
from local.azure.tokens import TENANT, Issuer
from local.azure.wire import Reply, error_reply, json_reply

RESOURCE = "https://vault.azure.net"
_KEPT = timedelta(days=90)
_PAGE = 25
_VERSION_HEADER = {"x-ms-keyvault-service-version": "1.9.3000.1"}

type Answer = Callable[[Call], Reply]


class Vault:
    """One vault; `readers` may read, `writers` may do everything."""

    def __init__(
        self,
        name: str,
        issuer: Issuer,
        readers: frozenset[str],
        writers: frozenset[str],
    ) -> None:
        self.name = name
        self.store = SecretStore()
        self.url = ""
        self._issuer = issuer
        self._readers = readers | writers
        self._writers = writers

    @property
    def routes(self) -> list[Route]:
        """All routes of the secrets client."""
        one = "/secrets/{secret}"
        gone = "/deletedsecrets/{secret}"
        return [
            self._read(Kind.SECRET_LIST, "/secrets", self._list),
            self._read(Kind.SECRET_LIST, f"{one}/versions", self._versions),
            self._read(Kind.SECRET_GET, one, self._get),
            self._read(Kind.SECRET_GET, f"{one}/{{version}}", self._get),
            self._write("PUT", one, self._put),
            self._write("PATCH", f"{one}/{{version}}", self._patch),
            self._write("PATCH", one, self._patch),
            self._write("DELETE", one, self._delete),
            self._read(Kind.SECRET_LIST, "/deletedsecrets", self._list_deleted),
            self._read(Kind.SECRET_GET, gone, self._get_deleted),
            self._write("POST", f"{gone}/recover", self._recover),
            self._write("DELETE", gone, self._purge),
        ]

    def add(
        self,
        name: str,
        value: str,
        now: datetime,
        *,
        tags: Mapping[str, str] | None = None,
        enabled: bool = True,
    ) -> None:
        """Set a secret without the wire."""
        version = Version(
            value=value, created=now, updated=now, enabled=enabled, tags=tags or {}
        )
        self.store.put(name, version)

    def _read(self, kind: Kind, path: str, answer: Answer) -> Route:
        return route(kind, "GET", path, self._guarded(answer, self._readers))

    def _write(self, method: str, path: str, answer: Answer) -> Route:
        guarded = self._guarded(answer, self._writers)
        return route(Kind.SECRET_WRITE, method, path, guarded)

    def _guarded(self, answer: Answer, allowed: frozenset[str]) -> Answer:
        def check(call: Call) -> Reply:
            token = self._issuer.find(call.request.bearer)
            if token is None or token.expired or not token.is_for(RESOURCE):
                return challenge(missing=call.request.bearer is None)
            if token.caller not in allowed:
                return _forbidden(call)
            return answer(call).with_headers(_VERSION_HEADER)

        return check

    def _list(self, call: Call) -> Reply:
        items = [self._item(name, version) for name, version in self.store.newest()]
        return self._page(call, items)

    def _versions(self, call: Call) -> Reply:
        name = call.parts["secret"]
        items = [
            self._item(name, version, identity=version.id)
            for version in self.store.versions(name)
        ]
        return self._page(call, items)

    def _page(self, call: Call, items: list[dict[str, Any]]) -> Reply:
        query = call.request.query
        size = min(int(query.get("maxresults", _PAGE)), _PAGE)
        start = int(query.get("$skiptoken", "0"))
        following = start + size
        link = None
        if following < len(items):
            rest = {**query, "$skiptoken": str(following)}
            link = f"{self.url}{call.request.path}?{urlencode(rest)}"
        page = {"value": items[start:following], "nextLink": link}
        return json_reply(200, page)

    def _get(self, call: Call) -> Reply:
        name = call.parts["secret"]
        version = self.store.find(name, call.parts.get("version", ""))
        if version is None:
            return not_found(name)
        if not version.enabled:
            return _disabled()
        return json_reply(200, self._bundle(name, version))

    def _put(self, call: Call) -> Reply:
        name, body = call.parts["secret"], call.request.json()
        version = Version(
            value=body["value"],
            created=call.at,
            updated=call.at,
            enabled=body.get("attributes", {}).get("enabled", True),
            tags=body.get("tags") or {},
            content_type=body.get("contentType"),
        )
        try:
            self.store.put(name, version)
        except InTheBinError:
            return _in_the_bin(name)
        return json_reply(200, self._bundle(name, version))

    def _patch(self, call: Call) -> Reply:
        name, body = call.parts["secret"], call.request.json()
        version = self.store.find(name, call.parts.get("version", ""))
        if version is None:
            return not_found(name)
        enabled = (body.get("attributes") or {}).get("enabled")
        tags = body.get("tags")
        changed = replace(
            version,
            updated=call.at,
            enabled=version.enabled if enabled is None else enabled,
            tags=version.tags if tags is None else tags,
            content_type=body.get("contentType", version.content_type),
        )
        self.store.replace(name, changed)
        bundle = self._bundle(name, changed)
        del bundle["value"]
        return json_reply(200, bundle)

    def _delete(self, call: Call) -> Reply:
        name = call.parts["secret"]
        version = self.store.delete(name, call.at)
        if version is None:
            return not_found(name)
        return json_reply(200, self._deleted(name, version, call.at))

    def _list_deleted(self, call: Call) -> Reply:
        found = [
            (name, self.store.deleted(name)) for name in self.store.deleted_names()
        ]
        items = [
            self._deleted(name, entry[1], entry[0])
            for name, entry in found
            if entry is not None
        ]
        return self._page(call, items)

    def _get_deleted(self, call: Call) -> Reply:
        name = call.parts["secret"]
        entry = self.store.deleted(name)
        if entry is None:
            return not_found(name)
        return json_reply(200, self._deleted(name, entry[1], entry[0]))

    def _recover(self, call: Call) -> Reply:
        name = call.parts["secret"]
        version = self.store.recover(name)
        if version is None:
            return not_found(name)
        return json_reply(200, self._item(name, version, identity=version.id))

    def _purge(self, call: Call) -> Reply:
        if not self.store.purge(call.parts["secret"]):
            return not_found(call.parts["secret"])
        return Reply(status=204)

    def _item(
        self, name: str, version: Version, identity: str | None = None
    ) -> dict[str, Any]:
        path = f"{self.url}/secrets/{name}"
        item: dict[str, Any] = {
            "id": f"{path}/{identity}" if identity else path,
            "attributes": {
                "enabled": version.enabled,
                "created": int(version.created.timestamp()),
                "updated": int(version.updated.timestamp()),
                "recoveryLevel": "CustomizedRecoverable+Purgeable",
                "recoverableDays": _KEPT.days,
            },
            "tags": dict(version.tags),
        }
        if version.content_type:
            item["contentType"] = version.content_type
        return item

    def _bundle(self, name: str, version: Version) -> dict[str, Any]:
        item = self._item(name, version, identity=version.id)
        return {"value": version.value, **item}

    def _deleted(self, name: str, version: Version, at: datetime) -> dict[str, Any]:
        return {
            "recoveryId": f"{self.url}/deletedsecrets/{name}",
            "deletedDate": int(at.timestamp()),
            "scheduledPurgeDate": int((at + _KEPT).timestamp()),
            **self._item(name, version, identity=version.id),
        }


def challenge(*, missing: bool) -> Reply:
    """Answer 401 and say where to get a token, as every first call is answered."""
    authority = f"https://login.microsoftonline.com/{TENANT}"
    text = "Request is missing a Bearer or PoP token." if missing else "Invalid token."
    challenge = f'Bearer authorization="{authority}", resource="{RESOURCE}"'
    headers = {"WWW-Authenticate": challenge, **_VERSION_HEADER}
    code = "AKV10000" if missing else "AKV10032"
    return error_reply(401, "Unauthorized", f"{code}: {text}", headers)


def _inner(status: int, code: str, message: str, inner: str) -> Reply:
    error = {"code": code, "message": message, "innererror": {"code": inner}}
    return json_reply(status, {"error": error}, _VERSION_HEADER)


def _forbidden(call: Call) -> Reply:
    text = (
        "Caller is not authorized to perform action on resource.\r\nCaller: "
        f"appid={call.caller}\r\nVault: {call.service}"
    )
    return _inner(403, "Forbidden", text, "ForbiddenByRbac")


def _disabled() -> Reply:
    text = "Operation get is not allowed on a disabled secret."
    return _inner(403, "Forbidden", text, "SecretDisabled")


def _in_the_bin(name: str) -> Reply:
    text = (
        f"Secret {name} is currently in a deleted but recoverable state, and its name "
        "cannot be reused; in this state, the secret can only be recovered or purged."
    )
    return _inner(409, "Conflict", text, "ObjectIsDeletedButRecoverable")


def not_found(name: str) -> Reply:
    """Answer 404 as for a secret that is missing or in the bin."""
    text = (
        f"A secret with (name/id) {name} was not found in this key vault. If you "
        "recently deleted this secret you may be able to recover it using the correct "
        "recovery command."
    )
    return error_reply(404, "SecretNotFound", text)
