"""The page as a file: what is in it, what it may do, how large it is, and what Python puts on it."""

import base64
import json
import re
import zlib
from hashlib import sha256

import networkx as nx
import numpy as np
import pytest

import graphfsa as gf
from graphfsa import errors
from graphfsa.playground import _linking
from graphfsa.playground._linking import linked
from graphfsa.playground.scenes import packed, scene

MAX_BYTES = 600_000


def unpacked(fragment):
    assert fragment[0] == "1"
    content = base64.urlsafe_b64decode(fragment[1:] + "=" * (-len(fragment[1:]) % 4))
    return json.loads(zlib.decompress(content, -15))


def test_the_page_is_small_and_may_load_and_run_nothing_else():
    html = gf.play().html
    assert len(html.encode()) < MAX_BYTES
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    script = re.findall(r"<script>(.*?)</script>", html, re.S)[0]
    style = re.search(r"<style>(.*?)</style>", html, re.S)[1]
    hashes = [f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" for text in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src {hashes[0]}; style-src {hashes[1]}; img-src data:; base-uri 'none'; "
        "form-action 'none'; worker-src blob:"
    )
    assert not re.search(r"""<(?:link|img|iframe)[^>]*(?:src|href)=["'](?!data:)""", html.partition("<script")[0])
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|\beval\(", html)
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write", html)


def test_what_python_puts_on_the_page():
    page = gf.play("life", "moore-torus:12x16", "random", seed=3, title="Mine </script>")
    found = unpacked(page.fragment)
    assert found == page.scene
    assert found["title"] == "Mine </script>"
    assert gf.GraphFSA.from_rules(found["rules"]) == gf.library.life_like()
    states = np.repeat(found["start"]["runs"][::2], found["start"]["runs"][1::2])
    assert gf.run("life", "moore-torus:12x16", "random", 0, seed=3).last.tolist() == states.tolist()
    assert f'<script id="scene" type="text/plain">{page.fragment}</script>' in page.html
    assert "Mine </script>" not in page.html


def test_graphs_of_others_directed_graphs_and_slots():
    tree = nx.balanced_tree(2, 2)
    found = gf.play("path-finding", tree, {3: "marked", 6: "marked"}, default="node").scene
    assert found["world"]["n"] == 7
    assert sorted(zip(found["world"]["pairs"][::2], found["world"]["pairs"][1::2], strict=True)) == sorted(tree.edges)
    arcs = gf.Graph.from_edges(3, [(0, 1), (1, 1), (2, 1)], directed=True, slots=[0, 2, 1])
    fsa = gf.GraphFSA.from_rule(["a", "b"], gf.PositionalAggregation(3), lambda state, seen: state)
    world = gf.play(fsa, arcs, [0, 1, 0]).scene["world"]
    assert world == {"n": 3, "pairs": [0, 1, 1, 1, 2, 1], "directed": True, "slots": [0, 2, 1]}


def test_large_tables_go_without_words():
    fsa = gf.GraphFSA.from_rule(
        [str(state) for state in range(5)], gf.CountingAggregation(4), lambda state, counts: state
    )
    found = scene(fsa, gf.families.path(3), np.zeros(3, np.uint8))
    assert "rules" not in found
    assert found["automaton"]["transition_table"] == fsa.transition_table.tolist()


class EvenAggregation(gf.Aggregation):
    def num_values(self, num_states):
        return 2

    def encode(self, states, slots, num_states):
        return len(states) % 2


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: gf.play("life"), errors.GraphFSAError, "an automaton and a graph, or neither"),
        (lambda: gf.play(None, "tree:5"), errors.GraphFSAError, "an automaton and a graph, or neither"),
        (lambda: gf.play("rule30", "tree:5"), errors.AutomatonError, "needs a graph with neighbour slots"),
        (lambda: gf.play("life", "tree:5", seed=2**60), errors.GraphFSAError, "at most 9007199254740991"),
        (lambda: gf.play(out="p.txt"), errors.FormatError, "must be an .html file"),
        (
            lambda: gf.play(gf.GraphFSA(["a"], EvenAggregation(), [[0, 0]]), "tree:5"),
            errors.AutomatonError,
            "counting, positional, average-threshold, letters; got even",
        ),
        (lambda: gf.play("life", "moore:2000x2000"), errors.LimitError, "at most 2,097,152 nodes"),
    ],
)
def test_what_can_not_be_shown_is_refused_before_anything_is_written(make, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=re.escape(words)):
        make()
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_played_from_its_first_states():
    run = gf.run("mis", "cycle:12", "waiting", 8, seed=5)
    assert run.play(seed=5).scene == gf.play("mis", "cycle:12", "waiting", seed=5).scene
    assert run.play(title="Lots").title == "Lots"


def test_notebooks_show_it_in_a_frame_that_is_kept_apart():
    shown = gf.play("life", "moore:4x4")._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"')
    assert shown.count("<script") == 0


def test_modules_are_put_together_in_their_order_and_keep_their_names_apart(monkeypatch):
    files = {
        "a.js": 'import { twice as two } from "./b.js";\nconst own = 1;\nexport const found = two(own);\n',
        "b.js": 'import { base } from "./c.js";\nconst own = 5;\nexport function twice(x) { return base * x + own; }\n',
        "c.js": "export const base = 2;\n",
    }
    monkeypatch.setattr(_linking, "static_text", files.__getitem__)
    text = linked("a.js")
    assert [text.index(f"const module_{name} =") for name in "cba"] == sorted(
        text.index(f"const module_{name} =") for name in "cba"
    )
    assert "const { twice: two } = module_b;" in text
    files["c.js"] += "export default 3;\n"
    with pytest.raises(AssertionError, match="one of two forms"):
        linked("a.js")
    files["c.js"] = 'import { found } from "./a.js";\nexport const base = 2;\n'
    with pytest.raises(AssertionError, match=r"in a circle: a\.js -> b\.js -> c\.js -> a\.js"):
        linked("a.js")


def test_a_fragment_has_the_letters_of_addresses():
    assert re.fullmatch(r"1[A-Za-z0-9_-]+", packed({"v": 1, "rules": "é" * 1000, "start": list(range(500))}))
