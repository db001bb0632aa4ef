"""The page of a paper in a real browser: what it shows, plays and asks for."""

import pytest

from browsing import chromium, until
from papers import made_up
from stiction.papers.claims import read_paper
from stiction.papers.judge import judge
from stiction.papers.page import View, write_pages
from stiction.papers.run_figure import MISSING, Outcome

pytestmark = pytest.mark.interpreted

CLAIMS = (
    made_up.claim()
    + made_up.claim("fails", low=2.5)
    + made_up.claim("explained", low=2.5, more='explained = "two is `less` than <2.5>"')
    + made_up.claim("absent", "fig02")
)
RESULT = {
    "title": "Fig. 1: a number.",
    "measures": {"two": 2.0},
    "seconds": {"simulate": 1.0, "draw": 0.5},
    "warnings": ["the step is <long>"],
    "runs": [
        {
            "run": "fall",
            "contact": {"model": "Feedback", "position_gain": 5.0},
            "dt": 1e-3,
            "integrator": {"model": "Midpoint"},
            "duration": 2.0,
        }
    ],
    "motions": {"a fall": "fig01-a-fall.html"},
    "tables": {"All models": [{"model": "Coulomb", "off": 0.12345, "walks": True}]},
    "versions": {"stiction": "0.1.0"},
}
SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="90"/></svg>'


@pytest.fixture
def pages(tmp_path):
    """Pages of a paper with one figure that ran and one whose data are missing."""
    made_up.paper(
        tmp_path / "papers", "tiny_paper", CLAIMS, fig01=made_up.figure(), fig02=made_up.figure()
    )
    paper, out = read_paper("tiny_paper", tmp_path / "papers"), tmp_path / "out"
    (out / "tiny_paper").mkdir(parents=True)
    (out / "tiny_paper" / "fig01.svg").write_text(SQUARE)
    (out / "tiny_paper" / "fig01-a-fall.html").write_text("<canvas id=played></canvas>")
    results = {"fig01": RESULT, "fig02": None}
    judged = judge(paper, results, {"fig02": Outcome(MISSING, "walks.csv is missing")})
    return write_pages([View(paper, results, judged)], ["tiny_paper"], out)


def test_the_page_says_all_and_asks_no_host(pages):
    page, index = pages
    assert (page.name, index.name) == ("tiny_paper.html", "index.html")
    with chromium() as browser:
        browser.page.goto(page.as_uri())
        text = browser.page.inner_text("body")
        for words in (
            *("On numbers", "It is <two>.", "2 m", "1 to 3 m", "fails, explained", "not run"),
            *("two is less than <2.5>", "walks.csv is missing", "the step is <long>"),
            *("Feedback position_gain 5.0", "0.123", "stiction 0.1.0"),
        ):
            assert words in text
        image = "document.querySelector('img').naturalWidth"
        assert browser.page.evaluate(image) == 90
        browser.page.click("button[data-page]")
        until(lambda: len(browser.page.frames) == 2)
        browser.page.frames[1].wait_for_selector("#played", state="attached")
        browser.page.goto(index.as_uri())
        cells = browser.page.inner_text("tfoot").split()
        assert cells == ["all", "4", "1", "1", "1", "1"]
        assert browser.elsewhere("file://") == []
        assert browser.errors == []
