"""The pages and their files: no token, nothing inline, one version, few bytes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from control.said.page import Page
from control.said.pairing import Pairing
from control.web.shell import FOLDER, load
from tests.unit.web.support import Site, document, slug

PAGES = ["phone_page", "ledger_page"]
MOST_BYTES = 100_000
CALL = re.compile(r"\b(page|pair)\((.*?)(?=\b(?:page|pair)\(|$)")


def part(site: Site, path: str) -> bytes:
    """Return the file at an address of a page, by the route that has it."""
    name, params = "worker", {}
    if path.startswith("/icons/"):
        name, params = "icon", {"file": path.removeprefix("/icons/")}
    elif path.startswith("/shell/"):
        version, file = path.removeprefix("/shell/").split("/")
        name, params = "shell_part", {"version": version, "file": file}
    elif path != "/sw.js":
        known = {"/": "phone_page", "/ledger": "ledger_page"}
        name = known.get(path, "manifest")
    answer = site.get(name, token=None, params=params)
    assert answer.status == 200, path
    return answer.body


@pytest.mark.parametrize("name", [*PAGES, "worker", "manifest"])
def test_a_page_needs_nobody(site: Site, name: str) -> None:
    """Neither ledger nor vault nor switch: it is a shell."""
    site.table.unreachable = True
    answer = site.get(name, token=None)
    assert answer.status == 200
    assert site.tokens.reads == 0
    assert site.switch.asked == []
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_to_its_own_policy(site: Site, name: str) -> None:
    """Nothing inline, nothing from elsewhere, no frame, trusted types."""
    answer = site.get(name, token=None)
    policy = answer.headers["Content-Security-Policy"]
    for wanted in (
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "manifest-src 'self'",
    ):
        assert wanted in policy
    assert "unsafe" not in policy
    page = answer.body.decode()
    assert not re.search(r"<style|style=|https?:|\bon\w+=", page)
    assert {"", *re.findall(r"<script[^>]*>(.*?)</script>", page)} == {""}
    assert '<html lang="en">' in page
    assert "{{" not in page


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_names_is_there(site: Site, name: str) -> None:
    """Every address in it answers, scripts and style in the page's own version."""
    page = site.get(name, token=None).body.decode()
    found = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert len(found) >= 4
    for path in found:
        if path != "/openapi.json":
            assert part(site, path)


def test_every_module_that_is_imported_is_there() -> None:
    """And no file is one that nothing names."""
    shell = load()
    scripts = {
        path.rsplit("/", 1)[1]: file.body.decode()
        for path, file in shell.files.items()
        if path.startswith("/shell/")
    }
    texts = [*scripts.values(), shell.files["/"].body.decode()]
    named = {
        name for text in texts for name in re.findall(r"/(\w+\.(?:js|css))\"", text)
    }
    assert named - {"sw.js"} == scripts.keys()


def test_all_of_it_is_less_than_100_kilobytes(site: Site) -> None:
    """Uncompressed, icons and sentences too: a phone on a bad line loads it."""
    whole = sum(len(part(site, path)) for path in load().files)
    assert 60_000 < whole < MOST_BYTES


def test_files_of_another_version_are_not_there(site: Site) -> None:
    """A page never gets a script of another version, nor a name of its choosing."""
    version = load().version
    for params in (
        {"version": "0" * 12, "file": "main.js"},
        {"version": version, "file": "../pages.py"},
        {"version": version, "file": "none.js"},
    ):
        assert slug(site.get("shell_part", token=None, params=params)) == "not-found"
    again = {"version": "0" * 12, "file": "again.js"}
    assert b"location.reload" in site.get("shell_part", token=None, params=again).body
    icon = site.get("icon", token=None, params={"file": "none.png"})
    assert slug(icon) == "not-found"


def test_a_version_stands_for_all_that_is_in_it(tmp_path: Path) -> None:
    """Another byte anywhere is another version; the same bytes are the same."""
    for path in FOLDER.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert load(tmp_path).version == load().version
    with (tmp_path / "style.css").open("a") as style:
        style.write("\n")
    assert load(tmp_path).version != load().version


def test_the_worker_keeps_the_files_and_no_answer() -> None:
    """Its list is every file but itself; no route of the switch is among them."""
    shell = load()
    worker = shell.files["/sw.js"].body.decode()
    found = re.search(r"const PATHS = (\[.*\]);", worker)
    assert found is not None
    paths = set(json.loads(found[1]))
    assert paths == {*shell.files} - {"/sw.js"}
    assert "/icons/icon-180.png" in paths
    assert f'const VERSION = "{shell.version}"' in worker


def test_the_manifest_makes_one_app_of_all_pages(site: Site) -> None:
    """Id, start and scope are the root; the icons are there, one of them maskable."""
    made = document(site.get("manifest", token=None))
    assert {made["id"], made["start_url"], made["scope"]} == {"/"}
    assert (made["name"], made["display"]) == ("The switch", "standalone")
    assert {icon["purpose"] for icon in made["icons"]} == {"any", "maskable"}
    assert all(part(site, icon["src"]) for icon in made["icons"])


def test_a_mark_means_one_sentence() -> None:
    """No name stands in both of the page's books."""
    assert not Page.__members__.keys() & Pairing.__members__.keys()


def _spoken() -> Iterator[tuple[str, str]]:
    """Yield each sentence that a script or a page names: its book and its name."""
    for path in FOLDER.glob("*.html"):
        for name in re.findall(r"\{\{([A-Z_]+)\}\}", path.read_text()):
            yield ("Pairing" if name in Pairing.__members__ else "Page"), name
    for path in FOLDER.glob("*.js"):
        for line in path.read_text().splitlines():
            for call, rest in CALL.findall(line):
                book = "Page" if call == "page" else "Pairing"
                yield from ((book, name) for name in re.findall(r'"([A-Z_]+)"', rest))


def test_every_sentence_that_is_named_is_there_and_no_other() -> None:
    """A name of another book would leave a page that stands still."""
    found = set(_spoken())
    known = {("Page", name) for name in Page.__members__}
    known |= {("Pairing", name) for name in Pairing.__members__}
    assert found == known


def test_every_element_that_a_script_names_is_on_the_page() -> None:
    """`ID.big` and `ID["stop-too"]`: one that is missing would end the script."""
    page = (FOLDER / "index.html").read_text()
    scripts = "".join(path.read_text() for path in FOLDER.glob("*.js"))
    named = set(re.findall(r'\bID(?:\.(\w+)|\["([\w-]+)"\])', scripts))
    ids = {plain or quoted for plain, quoted in named}
    assert len(ids) > 30
    assert ids <= set(re.findall(r'id="([\w-]+)"', page))
