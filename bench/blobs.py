"""A server of blobs that costs next to nothing: ranges of files, by sendfile.

`python -m bench.blobs FOLDER` prints its address. It knows what azcopy asks of a
container, and no more.
"""

import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

_RANGE = re.compile(r"bytes=(\d+)-(\d+)")
_BLOB = (
    "<Blob><Name>{name}</Name><Properties><Content-Length>{size}</Content-Length>"
    "<Last-Modified>Mon, 01 Jan 2024 00:00:00 GMT</Last-Modified><Etag>0x1</Etag>"
    "<BlobType>BlockBlob</BlobType></Properties></Blob>"
)


class Handler(BaseHTTPRequestHandler):
    """One account, which azcopy takes the first segment for, with one container."""

    protocol_version = "HTTP/1.1"
    folder = Path()

    def do_HEAD(self) -> None:
        self._file(send=False)

    def do_GET(self) -> None:
        if "list" in parse_qs(urlsplit(self.path).query).get("comp", ()):
            self._list()
        else:
            self._file(send=True)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _list(self) -> None:
        prefix = parse_qs(urlsplit(self.path).query).get("prefix", [""])[0]
        blobs = "".join(
            _BLOB.format(name=path.name, size=path.stat().st_size)
            for path in sorted(self.folder.iterdir())
            if path.name.startswith(prefix)
        )
        body = (
            '<?xml version="1.0" encoding="utf-8"?><EnumerationResults '
            f'ServiceEndpoint="http://x/" ContainerName="models"><Blobs>{blobs}</Blobs>'
            "<NextMarker/></EnumerationResults>"
        ).encode()
        self._head(200, len(body), {"Content-Type": "application/xml"})
        self.wfile.write(body)

    def _file(self, *, send: bool) -> None:
        name = unquote(urlsplit(self.path).path).rpartition("/")[2]
        path = self.folder / name
        if not name or not path.is_file():
            self._head(404, 0, {"x-ms-error-code": "BlobNotFound"})
            return
        size = path.stat().st_size
        asked = _RANGE.fullmatch(
            self.headers.get("x-ms-range") or self.headers.get("Range") or ""
        )
        first, last = (int(asked[1]), int(asked[2])) if asked else (0, size - 1)
        last = min(last, size - 1)
        told = {"Content-Range": f"bytes {first}-{last}/{size}"} if asked else {}
        count = last - first + 1
        self._head(206 if asked else 200, count, told)
        if send:
            with path.open("rb") as content:
                self.connection.sendfile(content, first, count)

    def _head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        self.send_header("ETag", '"0x1"')
        self.send_header("x-ms-blob-type", "BlockBlob")
        self.send_header("x-ms-version", "2021-08-06")
        self.send_header("Accept-Ranges", "bytes")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def main() -> None:
    """Serve a folder until the end."""
    Handler.folder = Path(sys.argv[1])
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/account/models", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
