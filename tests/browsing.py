"""A headless chromium that remembers what pages complain about and where they ask for anything."""

import time
from contextlib import contextmanager
from pathlib import Path

from conftest import missing

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    *("--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
    *("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
]
PATIENCE = 120.0  # software rendering on a busy machine takes its time [s]


class Page:
    """A page of the browser, and what happened in it."""

    def __init__(self, page):
        self.page, self.errors, self.requests = page, [], []
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self._hear(line))
        page.on("request", lambda request: self.requests.append(request.url))

    def _hear(self, line):
        if line.type == "error":
            self.errors.append(line.text)

    def opened(self, address):
        """Open an address and wait for its scene."""
        self.page.goto(address)
        self.page.wait_for_selector("canvas")
        return self

    def elsewhere(self, home):
        """Requests that go neither to `home` nor to the page itself."""
        own = (home, "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]

    def click(self, words):
        """Click the button with these words."""
        self.page.get_by_role("button", name=words, exact=True).click(force=True)

    def press(self, words, done):
        """Click a button until that has an effect: a page that fills up may swallow a click."""
        until(lambda: self._clicked(words, done))

    def _clicked(self, words, done):
        self.click(words)
        begun = time.monotonic()
        while not done() and time.monotonic() - begun < PATIENCE / 10:
            time.sleep(0.05)
        return done()


@contextmanager
def chromium():
    """A page in a browser of its own; skips, or fails where a browser is required, without one."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("browser", "pip install playwright")
    if not Path(CHROMIUM).exists():
        missing("browser", f"{CHROMIUM} is not there; make system-deps installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield Page(browser.new_page(viewport={"width": 400, "height": 300}))
        finally:
            browser.close()


def until(holds):
    """Wait until a condition holds; fails if it does not for a long time."""
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE, "it never happened"
        time.sleep(0.05)
