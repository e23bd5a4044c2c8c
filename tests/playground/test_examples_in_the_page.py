"""The examples: links, sizes, looks. And what a page shows that Python made."""

import json
from io import BytesIO

import pytest
from PIL import Image
from reading_qr import read_qr

import graphfsa as gf

WIDTHS = (400, 1400)


def test_each_example_opens_from_its_own_link_with_the_same_hash(shared):
    for name in shared.do("playground.presets.map(({ id }) => id)"):
        shared.load(shared.do("name => playground.presets.find(({ id }) => id === name).scene", name))
        shared.do("playground.session.goTo(25)")
        shared.until("playground.session.time === 25 && !playground.session.busy")
        before = shared.settled()
        fragment = shared.do("playground.pack(playground.session.scene())")
        assert len(fragment) <= 4000, name
        shared.load(shared.do("fragment => playground.unpack(fragment)", fragment))
        shared.until("playground.session.time === 25")
        assert shared.settled() == before, name


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(window, width, scheme):
    visitor = window(color_scheme=scheme)
    visitor.page.set_viewport_size({"width": width, "height": 860})
    for name in ("life", "mis", "rule30", "distance"):
        visitor.open(f"#{name}")
        for tab in ("about", "rules", "map", "place", "learn"):
            visitor.page.locator(f"#tab-{tab}").click()
            wide = visitor.do("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, (name, tab)
    canvas = visitor.do("(() => { const { width, height } = playground.stage.canvas; return [width, height]; })()")
    assert min(canvas) > 250


def test_dark_and_light_differ_and_can_be_switched(visitor):
    colour = "getComputedStyle(document.body).backgroundColor"
    before = visitor.do(colour)
    visitor.page.locator("#theme").click()
    assert visitor.do(colour) != before


def test_every_control_has_a_name(visitor):
    """What a screen reader says: each button, field and picture."""
    visitor.page.locator("#tab-place").click()
    fields = "[...document.querySelectorAll('button, input, select, textarea, canvas, [role=tab]')]"
    named = "each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length"
    nameless = f"{fields}.filter((each) => each.offsetParent && !({named})).map((each) => each.outerHTML)"
    assert visitor.do(nameless) == []
    ids = visitor.do("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(set(ids)) == len(ids) > 40


def test_a_page_of_python_shows_its_world_and_runs_it(window, tmp_path):
    path = tmp_path / "sir.html"
    gf.play("mis", "regular:40,3", "waiting", seed=9, out=path)
    visitor = window(path).open()
    visitor.do("playground.session.goTo(14)")
    visitor.until("playground.session.time === 14")
    assert visitor.settled()[1] == gf.run("mis", "regular:40,3", "waiting", 14, seed=9).digest


@pytest.mark.parametrize(
    "fragment", ["#1abc", "#garbage!", "#0e30", "#0eyJ2IjoxfQ", "#0eyJ2IjoyfQ", "#lesson=no", "#%"]
)
def test_a_damaged_link_is_refused_in_words(shared, fragment):
    shared.open(fragment)
    assert shared.page.locator("#toast").text_content() != ""
    assert shared.do("playground.session.fsa.names[0]") == "dead"


def test_a_lesson_opens_from_a_link(shared):
    shared.open("#lesson%3Dtogether")
    assert "Two marked nodes" in shared.page.locator("#learn .step").first.text_content()


def test_pictures_and_files_can_be_saved(visitor):

    visitor.load(
        {
            "v": 1,
            "rules": str(gf.library.life_like().rules()),
            "world": {"family": "cycle", "n": 9},
            "start": {"shares": [1, 1]},
        }
    )
    visitor.page.locator("#share").click()
    contents = {}
    for name in ("png", "svg", "gif", "world", "automaton"):
        with visitor.page.expect_download() as found:
            visitor.page.locator(f"#save-{name}").click()
        contents[name] = found.value.path().read_bytes()
    assert Image.open(BytesIO(contents["png"])).size[0] > 300
    animation = Image.open(BytesIO(contents["gif"]))
    animation.load()
    assert animation.format == "GIF"
    assert contents["svg"].count(b"<circle") == 9
    assert gf.GraphFSA.from_rules(contents["automaton"].decode()) == gf.library.life_like()
    visitor.load(json.loads(contents["world"]))
    assert visitor.do("playground.session.graph.n") == 9


def test_a_qr_code_holds_the_link(shared):
    """Read back by other means: the mask is undone, the blocks are put apart, and the syndromes are zero."""
    for text in ("https://example.org/#1abc", "x" * 300, "".join(chr(33 + k % 90) for k in range(2900))):
        assert read_qr(shared.do("playground.qr", text)) == text
    assert shared.do("playground.qr", "x" * 3000) is None


def test_what_a_stranger_calls_things_is_text(visitor):
    """Names that would be markup anywhere else, everywhere they are shown."""
    evil = "<img src=x onerror=alert(1)>"
    rules = f'states: "{evil}", "</script>", "&amp;"\naggregation: counting bound=1\n\n"{evil}" -> "</script>"\n\n'
    rules += f'"</script>" -> "&amp;" if some neighbour is "{evil}"\n"</script>" stays otherwise\n\n"&amp;" stays\n'
    scene = {
        "v": 1,
        "rules": rules,
        "title": evil,
        "about": evil,
        "world": {"family": "path", "n": 5},
        "start": {"all": 0},
    }
    fragment = visitor.do("scene => playground.pack(scene)", scene)
    visitor.open(f"#{fragment}")
    for tab in ("about", "rules", "map", "place", "learn"):
        visitor.page.locator(f"#tab-{tab}").click()
    visitor.do("playground.session.step(1)")
    visitor.until("playground.session.time === 1")
    visitor.page.keyboard.press("w")
    visitor.click(2)
    visitor.page.locator("#share").click()
    assert visitor.do("document.querySelectorAll('img').length") == 0
    assert visitor.page.locator("#story h2").text_content() == evil


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"v": 2}, "version 1"),
        ({"rules": 3}, "rules or an automaton"),
        ({"world": {"n": 10**9, "pairs": []}}, "at most 2,097,152 nodes"),
        ({"world": {"n": 2, "pairs": [0, 7]}}, "a node must be 0 to 1"),
        ({"world": {"family": "no"}}, "no family"),
        ({"world": {"family": "complete", "n": 10**6}}, "must be 1 to 1,000"),
        ({"world": {"lattice": {"kind": "moore", "height": 1e6, "width": 1e6}}}, "1 to 2,097,152 cells"),
        ({"start": {"runs": [0, 99]}}, "there must be 4 states"),
        ({"start": {"all": 9}}, "a state must be 0 to 1"),
        ({"time": 1e300}, "time must be"),
        ({"more": 1}, "no field 'more'"),
        ({"rules": "states: a, b\naggregation: counting bound=5000\na stays\nb stays"}, "entries"),
    ],
)
def test_a_damaged_world_is_refused_in_words(shared, change, words):
    good = {
        "v": 1,
        "rules": str(gf.library.life_like().rules()),
        "world": {"family": "path", "n": 4},
        "start": {"all": 0},
    }
    shared.load(good)
    refused = "scene => { try { playground.show(scene); return ''; } catch (problem) { return problem.message; } }"
    assert shared.do(refused, good) == ""
    assert words in shared.do(refused, {**good, **change})


def test_a_notebook_shows_it_moving_in_a_frame_that_is_kept_apart(window, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text("<!doctype html><body>" + gf.play("life", "moore-torus:16x16", seed=2)._repr_html_())
    visitor = window(path)
    visitor.page.goto(path.as_uri())
    frame = visitor.page.frame_locator("iframe")
    frame.locator("#play").wait_for()
    frame.locator("#time").wait_for()
    clock = "document => document.querySelector('#time').value"
    inner = visitor.page.frames[1]
    visitor.page.wait_for_timeout(1500)
    assert int(inner.evaluate(f"({clock})(document)")) > 0
    frame.locator("#share").click()
    assert "has no address" in frame.locator("#sharing").inner_text()
