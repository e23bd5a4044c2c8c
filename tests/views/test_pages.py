"""Pages: text is never markup, nothing is loaded or run but what is ours, and nothing leaves the window."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

from graphfsa import families, library, run
from graphfsa.html import Html, element, fill, join
from graphfsa.views import diagram, rollout
from graphfsa.views.pages import page
from graphfsa.views.report import (
    facts_section,
    numbers_section,
    picture_section,
    rollout_section,
    text_section,
    write_report,
)

BAD = '</script></title><script>alert("x")</script><img src=x onerror=alert(1)>'
WIDTHS = (1280, 890, 880, 400)
LONG = "x" * 300


class Tags(HTMLParser):
    """The tags of a page with their attributes, and the text in each kind of element."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self._open = [], {}, ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = tag

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        self.text.setdefault(self._open, []).append(data)


def digest(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def policy(tags):
    (content,) = [attrs["content"] for tag, attrs in tags.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    return {name: words for name, *words in (part.split() for part in content.split(";"))}


def write(path, name="plain", wide=False):
    """A report with a section of every kind."""
    fsa, star = library.distance(), families.star(6)
    trajectory = run(fsa, star, ["root", *5 * ["node"]], 3, record="all")
    sections = [
        text_section(name, f"{name}\n  indented", note=name),
        facts_section(name, {name: name, "digest": LONG}),
        numbers_section("numbers", [name, *(f"column {k}" for k in range(40))], [[name, *range(40)]]),
        picture_section("diagram", diagram(fsa).svg()),
        rollout_section("A run", trajectory),
    ]
    write_report(path, name, name, sections, wide=wide)
    return path.read_text(encoding="utf-8")


def test_elements_escape_whatever_is_not_markup():
    assert element("p", BAD, 3) == f"<p>{join([BAD])}3</p>"
    assert "<script" not in element("p", BAD, title=BAD)
    assert element("p", element("b", "<")) == "<p><b>&lt;</b></p>"
    assert element("a", "x", href='"><script>', class_=None) == '<a href="&quot;&gt;&lt;script&gt;">x</a>'
    assert element("img", alt="x") == '<img alt="x">'
    assert join(["<", Html("<br>")], " & ") == "&lt; &amp; <br>"


def test_what_was_filled_in_is_not_looked_at_again():
    assert fill("<p>@@a@@@@b@@</p>", a="@@b@@", b="<") == "<p>@@b@@&lt;</p>"


def test_a_page_allows_its_own_style_and_nothing_else():
    tags = Tags(page(BAD, element("body", BAD), style="p { color: red }"))
    assert {tag for tag, _ in tags.tags} == {"html", "head", "meta", "link", "title", "style", "body"}
    assert policy(tags) == {
        "default-src": ["'none'"],
        "script-src": ["'none'"],
        "style-src": [digest("p { color: red }")],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }


def test_names_never_become_markup_in_a_report(tmp_path):
    plain, bad = (Tags(write(tmp_path / "r.html", name)) for name in ("plain", BAD))
    assert [tag for tag, _ in bad.tags] == [tag for tag, _ in plain.tags]
    assert bad.text["title"][0] == BAD


def test_a_report_allows_what_it_embeds_and_nothing_else(tmp_path):
    tags = Tags(write(tmp_path / "r.html"))
    (frame,) = [attrs for tag, attrs in tags.tags if tag == "iframe"]
    inner = Tags(frame["srcdoc"])
    styles = [digest(tags.text["style"][0]), digest(inner.text["style"][0])]
    assert policy(tags)["style-src"] == styles
    assert policy(tags)["script-src"] == [digest(inner.text["script"][-1])]
    assert policy(inner)["script-src"] == policy(tags)["script-src"]
    assert frame["sandbox"] == "allow-scripts"
    assert not [attrs for _, attrs in tags.tags if "style" in attrs or any(name.startswith("on") for name in attrs)]


def test_every_table_of_a_report_scrolls_in_a_box_of_its_own(tmp_path):
    text = write(tmp_path / "r.html")
    assert text.count("<table") == text.count('<div class="scrolled"><table') == 2


# ---- in a browser

chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MEASURE = """<!doctype html><body>FRAMES<pre id="found"></pre><script>
addEventListener("load", () => setTimeout(() => {
  const found = {};
  const scrolls = (element) => element && (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX)
    || scrolls(element.parentElement));
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument;
    const width = page.documentElement.clientWidth;
    const out = (element) => {
      const card = element.closest("section");
      const limit = card && card !== element ? card.getBoundingClientRect().right : width;
      return element.getBoundingClientRect().right > limit + 1 && !scrolls(element.parentElement);
    };
    found[frame.id] = [page.documentElement.scrollWidth - width,
      [...page.querySelectorAll("body *")].filter(out).map((element) => element.outerHTML.slice(0, 80))];
  }
  document.getElementById("found").textContent = JSON.stringify(found);
}, 1000));
</script>"""


def measure(tmp_path, path):
    """By how much a page is wider than its window, and what sticks out of its box, for each width."""
    source = path.as_uri()
    frames = "".join(f'<iframe id="{w}" src="{source}" style="width:{w}px;height:900px"></iframe>' for w in WIDTHS)
    (tmp_path / "measure.html").write_text(MEASURE.replace("FRAMES", frames))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--allow-file-access-from-files"]
    options += ["--virtual-time-budget=8000", "--window-size=1400,1000", (tmp_path / "measure.html").as_uri()]
    done = subprocess.run([chromium, *options], capture_output=True, text=True, timeout=120, check=False)
    match = re.search(r'<pre id="found">(.+?)</pre>', done.stdout, re.DOTALL)
    assert match, done.stderr[-2000:]
    return json.loads(match[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


@pytest.mark.skipif(chromium is None, reason="needs Chromium")
@pytest.mark.parametrize("kind", ["report", "wide report", "tree", "grid", "line"])
def test_nothing_is_wider_than_the_window_or_its_box(tmp_path, kind):
    path = tmp_path / "page.html"
    if "report" in kind:
        write(path, "a name", wide="wide" in kind)
    elif kind == "tree":
        rollout("path-finding", "tree:40", "marked:3,17", title=LONG, out=path)
    else:
        graph, steps = ("moore:30x50", 5) if kind == "grid" else ("ring:100", 30)
        rollout("life" if kind == "grid" else "rule110", graph, steps=steps, out=path)
    found = measure(tmp_path, path)
    assert found == {str(width): [0, []] for width in WIDTHS}


def test_sections_hold_numbers_of_all_kinds(tmp_path):
    section = numbers_section("n", ["a"], [[np.int64(3)], [0.5], ["<"]])
    assert [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", section.body)] == ["3", "0.5", "&lt;"]
