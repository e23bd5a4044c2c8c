"""The page in a notebook: what is edited there comes back as Python objects."""

import json
import re

import numpy as np
import pytest

import graphfsa as gf
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.playground import widget
from graphfsa.playground._linking import static_text
from graphfsa.playground.scenes import read_scene, scene

HOST = """<!doctype html><body><div id="here"></div><script type="module">
const traits = {}, heard = {};
const model = {
  get: (name) => traits[name],
  set: (name, value) => { traits[name] = value; },
  save_changes: () => {},
  on: (name, act) => { heard[name] = act; },
  off: (name) => { delete heard[name]; },
};
globalThis.notebook = { traits, ask: (scene) => { traits.wanted = scene; heard["change:wanted"](); } };
Object.assign(traits, GIVEN);
MODULE
notebook.clean = render({ model, el: document.getElementById("here") });
</script>"""


ANYWHERE = ["moore-torus:5x6", "tree:9", "ring:8", "complete:1"]


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        *((name, graph) for name in ("life", "mis", "majority", "path-finding") for graph in ANYWHERE),
        ("rule110", "ring:8"),
    ],
)
def test_a_scene_is_read_back(name, graph):
    world = gf.graphs.find_graph(graph, np.random.default_rng(0))
    fsa = gf.library.find_any_automaton(name)
    states = np.random.default_rng(1).integers(0, fsa.num_states, world.num_nodes).astype(np.uint8)
    found = read_scene(json.loads(json.dumps(scene(fsa, world, states))))
    assert (found.automaton, found.graph, found.time) == (fsa, world, 0)
    assert found.states.tolist() == states.tolist()


def test_directed_graphs_slots_and_large_tables_are_read_back():
    arcs = gf.Graph.from_edges(3, [(0, 1), (1, 1), (2, 1)], directed=True, slots=[0, 2, 1])
    fsa = gf.GraphFSA.from_rule([*"abcde"], gf.PositionalAggregation(4), lambda state, seen: seen[2] or state)
    found = read_scene(scene(fsa, arcs, np.array([0, 4, 2])))
    assert (found.automaton, found.graph) == (fsa, arcs)


@pytest.mark.parametrize(
    "change",
    [
        {"world": 3},
        {"world": {}},
        {"world": {"n": 4, "pairs": [0]}},
        {"world": {"lattice": {"kind": "no", "height": 1, "width": 4, "torus": False, "slotted": False}}},
        {"start": {"runs": [0, 3]}},
        {"start": {"runs": [7, 4]}},
        {"start": {"bits": 2, "data": "!"}},
        {"start": {}},
        {"rules": "no"},
        {"rules": None},
        {"from": -1},
    ],
)
def test_what_is_no_scene_is_refused(change):
    good = scene(gf.library.life_like(), gf.families.path(4), np.zeros(4, np.uint8))
    with pytest.raises(GraphFSAError):
        read_scene({**good, **change})


def test_without_anywidget_it_says_what_to_install(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(widget, "import_module", absent)
    widget.widget_class.cache_clear()
    with pytest.raises(GraphFSAError, match=re.escape("pip install 'graphfsa[notebook]'")):
        gf.play("life", "moore:4x4").widget()


def test_a_widget_has_what_is_on_the_page():
    pytest.importorskip("anywidget")
    widget.widget_class.cache_clear()
    with pytest.raises(GraphFSAError, match="an automaton on a graph"):
        gf.play().widget()
    shown = gf.play("life", "moore-torus:6x6", seed=4).widget()
    assert shown.automaton == gf.library.life_like()
    assert shown.graph.lattice.torus
    changed = {
        **shown.wanted,
        "rules": str(gf.library.life_like("B36/S23").rules()),
        "from": 7,
        "start": {"runs": [1, 36]},
    }
    shown.found = changed
    assert shown.automaton == gf.library.life_like("B36/S23")
    assert (shown.states.tolist(), shown.time) == ([1] * 36, 7)
    shown.found = {"v": 1}
    with pytest.raises(FormatError, match="'world' is missing"):
        _ = shown.states


def test_edits_go_round(window, tmp_path):
    """The module that notebooks load, in a browser: paint, change a rule, step; then Python asks for another world."""
    given = gf.play("life", "moore-torus:8x8", [0] * 64)
    module = static_text("widget.js").replace("export default { render };", "")
    traits = json.dumps({"page": given.html, "wanted": given.scene}).replace("</", "<\\/")
    path = tmp_path / "notebook.html"
    path.write_text(HOST.replace("MODULE", module).replace("GIVEN", traits), encoding="utf-8")
    visitor = window(path)
    visitor.page.goto(path.as_uri())
    visitor.until("Boolean(notebook.traits.found)")
    inner = visitor.page.frames[1]
    inner.evaluate("playground.session.pause(); playground.session.paint([9, 10, 11], 1)")
    rules = "playground.session.rules.replace('exactly 3', '2 or 3')"
    inner.evaluate(f"playground.session.setRules({rules}); playground.session.step(1)")
    visitor.until("notebook.traits.found.from > 0")
    visitor.page.wait_for_timeout(400)
    found = read_scene(visitor.do("notebook.traits.found"))
    assert found.automaton.rules() is not None
    start = np.zeros(64, np.uint8)
    start[[9, 10, 11]] = 1
    time = found.time
    assert found.automaton == gf.GraphFSA.from_rules(str(gf.library.life_like().rules()).replace("exactly 3", "2 or 3"))
    assert found.graph == gf.families.moore(8, 8, torus=True)
    assert time >= 1
    assert found.states.tolist() == gf.run(found.automaton, found.graph, start, 1).last.tolist()
    visitor.do("scene => notebook.ask(scene)", gf.play("distance", "path:5", "root:0").scene)
    visitor.until("notebook.traits.found.world.n === 5")
    assert read_scene(visitor.do("notebook.traits.found")).automaton == gf.library.distance()
    visitor.do("notebook.clean()")
