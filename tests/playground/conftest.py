"""A real browser for the page. Without one these tests are skipped, unless GRAPHFSA_BROWSER is ``required``."""

import os
import shutil
from time import monotonic

import pytest
from serving import Server

from graphfsa import play

HOW = "needs chromium (apt-get install chromium) and Playwright for Python (pip install playwright)"
PATIENCE = 120
"""Seconds that a busy machine may take for something."""


def find_chromium():
    """Chromium or Chrome on the path."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return next((path for path in map(shutil.which, names) if path), None)


def missing():
    if os.environ.get("GRAPHFSA_BROWSER") == "required":
        pytest.fail(HOW)
    pytest.skip(HOW)


@pytest.fixture(scope="session")
def chromium():
    """The browser, once for all tests."""
    path = find_chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        missing()
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    """The exported page."""
    path = tmp_path_factory.mktemp("playground") / "page.html"
    play(out=path)
    return path


class Visitor:
    """Somebody who opens the page; what the browser complains about or asks for is remembered.

    Args:
        chromium: The browser.
        address: Of the page.
        options: Of the window.
    """

    def __init__(self, chromium, address, **options):
        self.address = address
        self.context = chromium.new_context(viewport={"width": 1280, "height": 820}, **options)
        self.context.set_default_timeout(1000 * PATIENCE)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, fragment=""):
        """Open the page anew."""
        self.page.goto("about:blank")
        self.page.goto(self.address + fragment)
        self.until("Boolean(globalThis.playground?.session.fsa)")
        self.do("playground.session.pause()")
        self.settled()
        return self

    def do(self, script, given=None):
        """Run a line of script in the page."""
        return self.page.evaluate(script, given)

    def until(self, script, given=None):
        """Wait until something holds; from outside, as the page's policy forbids it to be asked to run text."""
        deadline = monotonic() + PATIENCE
        while not self.do(script, given):
            assert monotonic() < deadline, script
            self.page.wait_for_timeout(15)

    def settled(self):
        """Wait until the page is at rest, and say what is on it: step and hash."""
        self.until("!playground.session.playing && !playground.session.busy")
        return self.do("[playground.session.time, playground.hash()]")

    def load(self, scene):
        """Show a scene, paused."""
        self.do("scene => playground.show(scene)", scene)
        return self.settled()

    def place(self, node):
        """Where a node is on the screen."""
        return self.do(
            "node => { const { stage } = playground, box = stage.canvas.getBoundingClientRect();"
            "const [x, y] = stage.place(node), { scale } = stage.view, by = box.width / stage.canvas.width;"
            "return [box.left + (stage.view.x + x * scale) * by, box.top + (stage.view.y + y * scale) * by]; }",
            node,
        )

    def click(self, node):
        """Click a node."""
        self.page.mouse.click(*self.place(node))

    def loaded_elsewhere(self):
        """What was asked for beside the file itself."""
        return [url for url in self.requests if not url.startswith(("file:", "about:", "blob:", "data:"))]


@pytest.fixture(scope="module")
def shared(chromium, page_file):
    """One window for many tests that leave nothing behind."""
    visitor = Visitor(chromium, page_file.as_uri()).open()
    yield visitor
    visitor.context.close()


@pytest.fixture
def window(chromium, page_file):
    """Opens windows of one's own; in the end nothing was complained about and nothing was asked for."""
    opened = []

    def open_window(path=page_file, **options):
        opened.append(Visitor(chromium, path.as_uri(), **options))
        return opened[-1]

    yield open_window
    for each in opened:
        each.context.close()
    assert [(each.complaints, each.loaded_elsewhere()) for each in opened] == [([], [])] * len(opened)


@pytest.fixture
def visitor(window):
    """One window, with the page open."""
    return window().open()


@pytest.fixture(scope="session")
def server():
    """``graphfsa playground``, once for all tests that only ask it something."""
    pytest.importorskip("uvicorn", reason="needs graphfsa[server]")
    started = Server()
    yield started
    started.end()
