"""What the operator's environment says, taken name by name; all that is wrong at once.

The values become lines of files that are read without any quoting, and parts of
addresses: whatever is not plain is refused before it gets there.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from control.errors import CommandError

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~/-]*)?")
# Azurite has the account's name before the container's.
_CONTAINER = re.compile(
    r"https://[A-Za-z0-9.:\[\]-]+(?:/devstoreaccount1)?/[a-z0-9](?:-?[a-z0-9]){2,62}"
)
_BLOB_HOST = re.compile(r"https://([^./]+)\.blob\.")
_GUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,6})?")


class Given:
    """An environment that is asked for what is needed, and then once whether it was."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._lacking: list[str] = []
        self._wrong: list[str] = []

    def address(self, name: str, usual: str | None = None) -> str:
        """Take an https address (http on this very machine), without a slash behind.

        One that carries a query could carry a signature: no file may hold that.
        """
        text = self._text(name, usual)
        if text is not None and not _is_address(text):
            self._wrong.append(f"{name} is no plain https address, without a ?query")
        return (text or "").rstrip("/")

    def container(self, name: str) -> str:
        """Take a Blob container's https address: account and container, no more.

        A token is never sent without TLS, and custom data keeps what it says for ever.
        """
        text = self._text(name, None)
        address = (text or "").rstrip("/")
        if text is not None and not _CONTAINER.fullmatch(address):
            example = "https://ACCOUNT.blob.core.windows.net/CONTAINER"
            self._wrong.append(f"{name} is not like {example}, without a ?query")
        return address

    def agree(self, name: str, account: str, url: str) -> None:
        """Refuse an account's id beside a container of another account."""
        host = _BLOB_HOST.match(url)
        if account and host and host[1].lower() != account.lower():
            self._wrong.append(f"{name} is of {account}, and the URL of {host[1]}")

    def guid(self, name: str) -> str:
        """Take the id of a subscription or an identity."""
        return self.matching(name, _GUID, "an id like 00000000-0000-0000-...")

    def matching(self, name: str, form: re.Pattern[str], words: str) -> str:
        """Take what has a form; the words say which."""
        text = self._text(name, None)
        if text is not None and not form.fullmatch(text):
            self._wrong.append(f"{name} is not {words}")
        return text or ""

    def number(self, name: str, usual: str, *, whole: bool) -> str:
        """Take a number above 0, as it is written."""
        text = self._text(name, usual) or usual
        if not _is_number(text, whole=whole):
            kind = "whole number" if whole else "number"
            self._wrong.append(f"{name} is no {kind} above 0")
        return text

    def check(self, where: str = "vm_payload/README.md") -> None:
        """Raise one error that names everything that was lacking or wrong.

        Args:
            where: the file that says what each is.
        """
        names = ", ".join(dict.fromkeys(self._lacking))
        lacking = [f"the environment lacks {names}"] if names else []
        faults = [*lacking, *dict.fromkeys(self._wrong)]
        if faults:
            raise CommandError(f"{'; '.join(faults)}; {where} says what each is.")

    def _text(self, name: str, usual: str | None) -> str | None:
        text = self._environ.get(name, "")
        if text.strip():
            return text
        if usual is None:
            self._lacking.append(name)
        return usual


def _is_address(text: str) -> bool:
    if not _ADDRESS.fullmatch(text):
        return False
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or host in _LOOPBACK)


def _is_number(text: str, *, whole: bool) -> bool:
    if not _NUMBER.fullmatch(text) or (whole and "." in text):
        return False
    try:
        return Decimal(text) > 0
    except InvalidOperation:
        return False
