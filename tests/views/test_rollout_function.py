"""views.rollout: one function that does what the command does, and roll-outs and runs that show themselves."""

import re

import networkx as nx
import numpy as np
import pytest
from PIL import Image

import graphfsa as gf
from graphfsa import families, library, run
from graphfsa.automaton.states import random_states
from graphfsa.errors import FormatError, GraphFSAError, LimitError, StateError, UnknownNameError
from graphfsa.views import notebooks, rollout, rollout_html, trajectory_html
from graphfsa.views.rollouts import SUFFIXES

BAD = '</script><script>alert("x")</script>'


# ---- the function


def test_what_it_draws_is_what_run_ran():
    found = rollout("life", "moore-torus:8x8", steps=20, seed=3)
    for_graph, for_states = np.random.default_rng(3).spawn(2)
    torus = families.parse_family("moore-torus:8x8", for_graph)
    start = random_states(library.life_like(), 64, for_states)
    assert found.trajectory.digest == run(library.life_like(), torus, start, 20).digest
    assert found.times.tolist() == list(range(21))
    assert (found.title, found.speed) == ("life on moore-torus:8x8", 10)


def test_automata_graphs_and_states_in_every_form(tmp_path):
    fsa = library.distance()
    fsa.save(tmp_path / "mine.json")
    star = nx.star_graph(4)
    forms = [
        rollout("distance", "star:5", "root:0"),
        rollout(fsa, families.star(5), "root:0"),
        rollout(tmp_path / "mine.json", star, {0: "root", 1: "node", 2: "node", 3: "node", 4: "node"}),
        rollout(str(tmp_path / "mine.json"), star, ["root", "node", "node", "node", "node"], 2),
        rollout(run(fsa, families.star(5), ["root", *4 * ["node"]], 2, record="all")),
    ]
    assert [found.frames.tolist() for found in forms] == [forms[0].frames.tolist()] * 5
    titles = [found.title for found in forms]
    assert titles == ["distance on star:5", "", "mine.json on 5 nodes", "mine.json on 5 nodes", ""]


def test_automata_with_coins_by_name_and_by_themselves():
    found = rollout("sir", "tree:12", "ill:0", seed=3)
    again = run("sir", "tree:12", "ill:0", "stable", seed=3)
    assert (found.trajectory.digest, found.trajectory.stable_at) == (again.digest, again.stable_at)
    assert rollout(library.sir(), again.graph, again.first, seed=3).trajectory.digest == again.digest
    crash = {"scheduler": "central", "faults": "crash:share=0.2,at=2"}
    scheduled = rollout("sir", "tree:12", "ill:0", 9, seed=3, **crash)
    assert scheduled.trajectory.digest == run("sir", "tree:12", "ill:0", 9, seed=3, **crash).digest


def test_until_the_states_repeat_and_one_period_more():
    blinker = [int(11 <= cell <= 13) for cell in range(25)]
    assert rollout("life", families.moore(5, 5), blinker).times.tolist() == [0, 1, 2]
    assert rollout("distance", "path:9", "root:0").times[-1] == 9
    with pytest.raises(LimitError, match="give a number of steps"):
        rollout("rule30", "ring:60")


def test_a_graph_of_a_task_with_its_inputs():
    found = rollout("path-finding", task="path-finding")
    assert found.graph.num_nodes == 30
    assert found.title == "path-finding on path-finding, 30 nodes"
    assert (np.bincount(found.frames[0])[3], found.times[-1] <= 62) == (2, True)  # Two marks.
    same = rollout(library.path_finding(), task=gf.datasets.PathFinding(), size=12, steps=7, every=3)
    assert (same.graph.num_nodes, same.times.tolist()) == (12, [0, 3, 6, 7])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_saving_later_gives_the_same_file(tmp_path, suffix):
    arguments = ("life", "moore:6x6", "random", 40)
    rollout(*arguments, out=tmp_path / f"1{suffix}")
    found = rollout(*arguments)
    found.save(tmp_path / f"2{suffix}")
    assert len(found.times) == 41
    one, two = ((tmp_path / f"{number}{suffix}").read_bytes() for number in (1, 2))
    assert one == two


def test_a_picture_has_twelve_panels_unless_it_is_said_which():
    many = rollout("life", "moore:4x4", steps=40)
    assert many.panels().times.tolist() == [*range(0, 40, 4), 40]
    assert rollout("life", "moore:4x4", steps=40, every=2).panels().times.tolist() == list(range(0, 41, 2))
    line = rollout("rule110", "ring:20", steps=40)
    assert line.panels() is line


def test_own_colours_and_speed(tmp_path):
    wild = {"dead": "#123456", "alive": "orange"}
    for suffix in SUFFIXES:
        rollout("life", "moore:4x4", steps=2, colours=wild, speed=2, out=tmp_path / f"x{suffix}")
    image = Image.open(tmp_path / "x.gif")
    assert {(0x12, 0x34, 0x56), (0xFF, 0xA5, 0)} <= {colour for _, colour in image.convert("RGB").getcolors(999)}
    assert image.info["duration"] == 500
    svg = (tmp_path / "x.svg").read_text()
    assert "#123456" in svg and "#ffa500" in svg
    found = rollout("life", "moore:4x4", steps=2, colours={"alive": "#d00"})
    assert found.state_colours == ["#ffffff", "#dd0000"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (("life",), {}, GraphFSAError, "give either a graph or a task"),
        (("life", "moore:3x3"), {"task": "life"}, GraphFSAError, "give either a graph or a task"),
        (("life", "moore:3x3"), {"size": 3}, GraphFSAError, "size goes with a task"),
        (("distance", None, "random"), {"task": "distance"}, GraphFSAError, "states go with a graph"),
        (("nobody", "moore:3x3"), {}, GraphFSAError, "unknown"),
        (("life", "nowhere:3"), {}, GraphFSAError, "nowhere"),
        (("life", 3), {}, GraphFSAError, "graph must be a graphfsa.Graph"),
        (("life", "moore:3x3", "random", -1), {}, GraphFSAError, "steps must be an integer >= 0 or 'stable'; got -1"),
        (("life", "moore:3x3"), {"every": 0, "steps": 1}, GraphFSAError, "every must be an integer >= 1"),
        (("life", "moore:3x3"), {"speed": 0}, GraphFSAError, "from 0.1 to 50 frames per second; got 0"),
        (("life", "moore:3x3"), {"speed": "fast"}, GraphFSAError, "speed must be a number"),
        (("life", "moore:3x3"), {"colours": {"alife": "red"}}, UnknownNameError, "alive"),
        (("life", "moore:3x3"), {"seed": -1}, GraphFSAError, "seed"),
        (("life", "moore:3x3"), {"out": "x.mp4"}, FormatError, "must end in"),
        (("life", "moore:3x3", "random", 30), {"out": "x.png", "every": 1}, LimitError, "at most 24 steps"),
    ],
)
def test_what_cannot_be_is_refused_before_the_run(tmp_path, monkeypatch, arguments, options, error, words):
    def never(*_arguments, **_options):
        raise AssertionError("the engine must not run")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("graphfsa.views.rollouts.run", never)
    with pytest.raises(error, match=re.escape(words)):
        rollout(*arguments, **options)
    assert not list(tmp_path.iterdir())


def test_a_trajectory_is_drawn_as_it_is():
    trajectory = run(library.life_like(), families.moore(4, 4), 16 * [1], 5, record="all")
    assert rollout(trajectory, title="mine", speed=3).title == "mine"
    with pytest.raises(GraphFSAError, match="a trajectory is drawn as it is"):
        rollout(trajectory, steps=3)
    with pytest.raises(StateError, match="recorded"):
        rollout(run(library.life_like(), families.moore(4, 4), 16 * [1], 5))


# ---- notebooks


def tree_run(record=None, steps=6, names=None):
    fsa = library.distance()
    if names is not None:
        table = fsa.transition_table
        fsa = gf.GraphFSA(names, fsa.aggregation, table, starting_states=[2, 3], final_states=[0, 1])
    tree = families.random_tree(30, rng=np.random.default_rng(1))
    return run(fsa, tree, [3, *29 * [2]], steps, record=record)


@pytest.mark.parametrize(
    ("record", "kind"), [("all", "<iframe"), (2, "<iframe"), ("changes", "<iframe"), (None, "<img")]
)
def test_a_run_shows_itself(record, kind):
    html = tree_run(record)._repr_html_()
    assert html.startswith(kind)
    assert "<table>" in html and "even: " in html
    assert len(html) < 100_000


def test_the_picture_of_a_run_without_frames_has_its_first_and_its_last_states(monkeypatch):
    seen = []
    original = notebooks.rollout_figure

    def spy(shown):
        seen.append(shown)
        return original(shown)

    monkeypatch.setattr(notebooks, "rollout_figure", spy)
    trajectory = tree_run()
    trajectory_html(trajectory)
    assert seen[0].times.tolist() == [0, 6]
    assert (seen[0].frames == [trajectory.first, trajectory.last]).all()


def test_changes_are_played_step_by_step(monkeypatch):
    monkeypatch.setattr(notebooks, "player", lambda page, title, **attributes: notebooks.Html(page))
    changes, frames = (trajectory_html(tree_run(record)).partition("<table>")[0] for record in ("changes", "all"))
    assert changes == frames


def test_what_a_notebook_shows_is_bounded():
    large = run(library.distance(), families.star(500), [3, *499 * [2]], 3, record="all")
    assert large._repr_html_().startswith("<table>")
    huge = run(library.life_like(), families.moore(700, 700), 490_000 * [0], 1, record="all")
    assert len(huge._repr_html_()) < 10_000
    long = run(
        library.life_like(), families.moore(60, 60, torus=True), [k % 3 == 0 for k in range(3600)], 500, record=1
    )
    assert long._repr_html_().startswith("<img")
    assert len(long._repr_html_()) < notebooks.MAX_BYTES
    nothing = gf.Graph.from_edges(0, [])
    assert run(library.distance(), nothing, [], 1, record="all")._repr_html_().startswith("<table>")


def test_names_are_never_markup_in_a_notebook():
    for record in ("all", None):
        html = tree_run(record, names=[BAD, "b", "c", "d"])._repr_html_()
        assert "<script" not in html
        assert "<img src=x" not in html


def test_a_roll_out_shows_itself():
    found = rollout("distance", "star:5", "root:0", title=BAD)
    assert found._repr_html_() == rollout_html(found)
    assert found._repr_html_().startswith("<iframe") and "<script" not in found._repr_html_()
    large = rollout(run(library.distance(), families.star(500), [3, *499 * [2]], 3, record="all"))
    assert large._repr_html_().startswith("<table>")
