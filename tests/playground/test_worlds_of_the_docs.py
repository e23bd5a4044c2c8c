"""What the documentation's examples run can be opened in the playground, and the pictures of its gallery are alive."""

import re
import shutil
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from PIL import Image

import graphfsa as gf
from graphfsa.automaton.library import find_any_automaton
from graphfsa.playground.page import worlds_script
from graphfsa.playground.scenes import read_scene
from playground.test_export import unpacked
from test_docs import FENCED, PAGES, ROOT
from tools.gallery import PICTURE, World, live
from tools.playable import PAGE, SCHEME, Recorder, claim, commands, example_of_command, examples_of, follow, links

DOCS = ROOT / "docs"
GALLERY = (DOCS / "gallery.md").read_text(encoding="utf-8")
PICTURES = PICTURE.findall(GALLERY)
COMMANDS = [
    (page.name, words)
    for page in PAGES
    for _, _, block in FENCED.findall(page.read_text(encoding="utf-8"))
    for words in commands(block)
]
ELSEWHERE = r"--scheduler|--faults|--noise|--task|\.json|\.txt|\.rules|\.gfsa|:10000,|512x512|kronecker:22"
"""Commands that no link can open: nodes that do not move together, files that are not there, a world too large."""


def not_opened(words):
    return "--graph" not in words or re.search(ELSEWHERE, " ".join(words))


def option(words, name, usual=None):
    return words[words.index(name) + 1] if name in words else usual


@pytest.mark.parametrize(
    ("page", "words"), COMMANDS, ids=lambda given: given if isinstance(given, str) else " ".join(given[:2])
)
def test_each_command_that_runs_an_automaton_opens_in_the_playground(page, words):
    found = example_of_command(words)
    if not_opened(words):
        assert found is None
        return
    parts = read_scene(unpacked(re.search(f'href="{SCHEME}([^"]*)"', links([found]))[1]))
    seed, states = int(option(words, "--seed", "0")), option(words, "--states", "random")
    wanted = gf.run(words[1], option(words, "--graph"), states, 0, seed=seed)
    assert (parts.automaton, parts.graph) == (find_any_automaton(words[1]), wanted.graph)
    assert parts.states.tolist() == wanted.first.tolist()
    assert unpacked(found.page.fragment).get("seed", 0) == seed
    assert claim(found.page.fragment, wanted.digest) == ""
    assert "claims" in claim(found.page.fragment, "0" * 64)


def test_commands_were_found():
    assert sum(not not_opened(words) for _, words in COMMANDS) >= 10


def test_blocks_of_python_with_plain_values():
    block = 'gf.run("life", "moore-torus:8x8", "random", 10, seed=4)\ngf.rollout(mine, "tree:5")\n'
    (found,) = examples_of(block, "python")
    assert (found.label, found.digest) == (
        "life on moore-torus:8x8",
        gf.run("life", "moore-torus:8x8", "random", 0, seed=4).digest,
    )
    assert examples_of('gf.run("distance", "tree:9", "root:0", 3, scheduler="central")', "python") == []
    assert examples_of('gf.run("no such", "tree:9", "root:0", 3)', "python") == []
    assert examples_of("this is no Python", "python") == []


def test_what_a_cell_runs_is_noted_while_it_runs():
    module = SimpleNamespace(run=gf.run, rollout=gf.rollout, simulate=gf.simulate)
    recorder = Recorder(module)
    rumour = gf.GraphFSA.from_rules("""
    states: quiet, talks
    aggregation: counting bound=1
    quiet -> talks if some neighbour is talks
    quiet stays otherwise
    talks stays
    """)
    club = nx.karate_club_graph()
    found = module.run(rumour, club, {33: "talks"}, steps=2, default="quiet")
    module.run("life", "moore:4x4", "random", 1)
    parts = read_scene(unpacked(re.search(f'href="{SCHEME}([^"]*)"', recorder.links())[1]))
    assert (parts.automaton, parts.states.tolist()) == (rumour, found.first.tolist())
    assert f'data-digest="{gf.run(rumour, club, {33: "talks"}, 0, default="quiet").digest}"' in recorder.links()
    assert "<a " in recorder.links()
    recorder.begin()
    assert recorder.links() == ""
    module.rollout("path-finding", "tree:12", "marked:3,7", seed=3)
    assert 'title="path-finding on tree:12"' in recorder.links()
    recorder.begin()
    module.run("majority", "cycle:9", "random", 4, scheduler="central")
    module.simulate("voter", "cycle:9", "random", 4, replicates=2, faults="lost:q=0.1")
    assert recorder.links() == ""
    module.simulate("sir", "cycle:9", "ill:0", 4, replicates=2, seed=3)
    recorder.commands("graphfsa rollout life --graph moore:5x5 --seed 2 --out life.gif\ngraphfsa rules life\n")
    assert recorder.links().count("<a ") == 2


def site(folder, text):
    shutil.copytree(DOCS / "_static", folder / "_static")
    (folder / "_static" / "playground.html").write_text("")
    (folder / "index.html").write_text(text.replace(SCHEME, f"{PAGE}#"), encoding="utf-8")


def test_links_of_a_site_are_followed(tmp_path):
    (found,) = examples_of("graphfsa run life --graph moore:5x5 --steps 3")
    site(tmp_path, links([found]) + live(GALLERY))
    assert follow(tmp_path) == (1 + len(PICTURES), [])
    (tmp_path / "index.html").write_text(links([found]).replace(SCHEME, f"../{PAGE}#").replace(found.digest, "0" * 64))
    assert "there is no" in follow(tmp_path)[1][0]
    (tmp_path / "index.html").write_text(links([found]).replace(SCHEME, f"{PAGE}#").replace(found.digest, "0" * 64))
    assert "a link claims" in follow(tmp_path)[1][0]


def test_the_pictures_of_the_gallery_are_there_and_no_others():
    assert len(PICTURES) >= 15
    assert {DOCS / source for _, source, _ in PICTURES} == set((DOCS / "_static" / "gallery").iterdir())
    for alt, source, title in PICTURES:
        with Image.open(DOCS / source) as image:
            assert image.size == (640, 360), source
        assert alt, source
        assert World(title).fragment, title


def test_the_gallery_is_alive(chromium, shared, tmp_path):
    """Each world begins at its picture's step, moves while it is in view and rests at a click; its link leads to it."""
    site(tmp_path, f"<!doctype html><meta charset=utf-8>{live(GALLERY)}<script>{worlds_script()}</script>")
    page = chromium.new_page(viewport={"width": 700, "height": 700})
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto((tmp_path / "index.html").as_uri())
    page.wait_for_function("globalThis.worlds && worlds[0].engine.time > 155")
    times = page.evaluate("worlds.map(({ engine, opened }) => engine.time - opened.from)")
    assert times[-5:] == [World(title).at for _, _, title in PICTURES[-5:]]
    assert len(times) == len(PICTURES)
    page.locator("figure button").first.click()
    stopped = page.evaluate("worlds[0].engine.time")
    page.wait_for_timeout(200)
    assert page.evaluate("worlds[0].engine.time") == stopped
    assert page.locator("figure button").first.get_attribute("aria-label") == f"{PICTURES[0][0]}: play"
    page.locator("figure").last.scroll_into_view_if_needed()
    last = f"worlds.at(-1).engine.time !== {times[-1]}"
    page.wait_for_function(last)
    fragments = page.evaluate("[...document.querySelectorAll('figure a')].map((link) => link.hash.slice(1))")
    page.close()
    assert complaints == []
    assert fragments == [World(title).fragment for _, _, title in PICTURES]
    presets = shared.do("playground.presets.map(({ id }) => id)")
    for _, _, title in PICTURES:
        world = World(title)
        if world.preset:
            assert world.preset in presets
        else:
            opened = "async (text) => playground.run(await playground.unpack(text), 0)"
            assert shared.do(opened, world.fragment) == world.example.digest, title


def test_the_readme_begins_with_a_small_moving_picture_that_a_command_makes():
    picture = DOCS / "path-finding.gif"
    assert "(docs/path-finding.gif)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert picture.stat().st_size < 400_000
    (words,) = [words for _, words in COMMANDS if "docs/path-finding.gif" in words]
    made = gf.rollout(words[1], option(words, "--graph"), option(words, "--states"), seed=int(option(words, "--seed")))
    with Image.open(picture) as image:
        assert image.n_frames == len(made.frames) == 12
    assert np.array_equal(made.frames[-1], gf.run(words[1], made.graph, made.frames[0], "stable").last)
