"""The site is built without warnings; its links, its search and its pages in a browser work."""

import functools
import html
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

import stiction as st
from browsing import chromium
from docs.blocks import ROOT
from stiction import extend

pytestmark = pytest.mark.plain

FIVE = (
    *("index.html", "models/coulomb.html", "tutorials/compare_models.html"),
    *("architecture.html", "reference/models.html"),
)
WHOLE = "[...document.images].every(image => image.naturalWidth > 0)"
FORMULAS = "[...document.querySelectorAll('math')].every(one => one.getClientRects()[0].width > 4)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site; building it takes several seconds."""
    folder = tmp_path_factory.mktemp("site")
    words = ["mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    variables = {"PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """The text of each page, by its place in the site."""
    found = {str(path.relative_to(site)): path.read_text() for path in site.rglob("*.html")}
    return {name: text for name, text in found.items() if name != "404.html"}


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_every_link_of_the_site_leads_to_a_page_and_an_anchor(site, pages):
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    lost, followed = [], 0
    for name, text in pages.items():
        for link in map(html.unescape, re.findall(r'<a\b[^>]*\bhref="([^"]*)"', text)):
            if re.match(r"\w+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = Path(os.path.normpath(Path(name).parent / path)) if path else Path(name)
            exists = (site / target).is_file() or target == Path(".")
            if not exists or (anchor and unquote(anchor) not in anchors.get(str(target), ())):
                lost.append(f"{name}: {link}")
            followed += 1
    assert lost == [] and followed > 2000


def test_a_page_asks_no_other_host_for_anything(pages):
    loads = r'<(?:script|img|iframe|source)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"'
    asked = [one or other for text in pages.values() for one, other in re.findall(loads, text)]
    assert len(asked) > len(pages)
    assert [link for link in asked if re.match(r"(\w+:)?//", link)] == []


def test_formulas_are_mathml_and_bold_where_they_should_be(pages):
    assert pages["models/coulomb.html"].count("<math") > 10
    for text in pages.values():
        assert "arithmatex" not in text and 'mathvariant="bold' not in text


def test_every_public_name_is_in_the_reference_once(pages):
    shown = Counter()
    for path in sorted((ROOT / "docs" / "reference").glob("*.md")):
        shown.update(re.findall(r"^::: stiction(?:\.extend)?\.(\w+)$", path.read_text(), re.M))
    assert shown == Counter({*st.__all__, *extend.__all__, "errors"})
    contents = " ".join(text for name, text in pages.items() if name.startswith("reference/"))
    for name in ("walk", "hoap1", "forward_dynamics", "read_scene", "foot_force"):
        assert re.search(rf'id="stiction[\w.]*\.{name}"', contents), name


def test_the_fields_of_a_class_have_their_comments_and_defaults(pages):
    rows = re.sub(r"<[^>]+>|\s+", " ", pages["reference/models.html"])
    assert re.search(
        r"stick_speed +Speed +points that slide more slowly are at rest; default", rows
    )


def test_the_search_index_has_the_pages_and_the_names(site):
    entries = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    found = {entry["location"] for entry in entries}
    assert {"grounds.html", "models/coulomb.html#equations"} <= found
    assert "reference/simulate.html#stiction.simulate" in found


def test_the_picture_of_the_architecture_is_the_one_that_the_program_draws():
    import data_flow

    assert data_flow.FILE.read_text() == data_flow.picture()


def test_five_pages_are_whole_in_a_browser_and_the_search_finds(address):
    with chromium() as browser:
        page = browser.page
        page.set_viewport_size({"width": 1300, "height": 900})
        for name in FIVE:
            page.goto(address + name)
            page.wait_for_load_state("networkidle")
            assert page.evaluate(WHOLE) and page.evaluate(FORMULAS), name
        page.locator("input.md-search__input").press_sequentially("Lemke")
        page.wait_for_selector("a.md-search-result__link")
        assert page.locator("a.md-search-result__link").count() > 1
        assert browser.errors == [] and browser.elsewhere(address) == []
