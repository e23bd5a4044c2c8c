"""Roll-outs: what a file shows is what the engine ran, whatever states are called, or it is refused with a reason."""

import base64
import json
import re
import zlib
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image, ImageSequence

from graphfsa import CountingAggregation, Graph, GraphFSA, ask, families, library, run
from graphfsa.automaton.states import described_states, random_states
from graphfsa.datasets import dataset_class
from graphfsa.errors import FormatError, GraphFSAError, LimitError, StateError
from graphfsa.views import _rollout_page, rollouts
from graphfsa.views._layout import graph_layout, layout_kind
from graphfsa.views._rollout_gif import gif_shape
from graphfsa.views.colours import PALETTE
from graphfsa.views.rollouts import SUFFIXES, Rollout, check_rollout, default_stride

NASTY = [
    '</script><script>document.title="owned"</script>',
    "\"quoted' & <b>bold</b> <img src=x onerror=alert(1)>",
    "🦠 $x^2$ 中文 @@data@@",
    "_" + "w" * 199,
    "<!-- -->]]>",
]


def tree_run(steps=6, record="all", size=30):
    tree = families.random_tree(size, rng=np.random.default_rng(1))
    fsa = library.distance()
    return fsa, tree, run(fsa, tree, described_states("root:0", fsa, tree), steps, record=record)


def lattice_run(name, graph, steps=8, record="all", seed=0):
    fsa = library.library_automaton(name)
    return (
        fsa,
        graph,
        run(fsa, graph, random_states(fsa, graph.num_nodes, np.random.default_rng(seed)), steps, record=record),
    )


def nasty_run(names=NASTY):
    fsa = GraphFSA.from_rule(
        names, CountingAggregation(bound=1), lambda state, seen: names[2] if seen[names[2]] else state
    )
    graph = families.delaunay(20, rng=np.random.default_rng(0))
    return fsa, graph, run(fsa, graph, np.arange(20) % len(names), 3, record="all")


def draw_rollout(fsa, graph, trajectory, path, **options):
    Rollout(replace(trajectory, fsa=fsa, graph=graph), **options).save(path)


RUNS = {
    "tree": tree_run,
    "grid": lambda: lattice_run("life", families.moore(7, 9)),
    "hex": lambda: lattice_run("hex-life", families.hexagonal(6, 8)),
    "line": lambda: lattice_run("rule110", families.ring(30), 20),
    "every": lambda: lattice_run("wireworld", families.moore(6, 6, torus=True), 9, record=4),
    "one node": lambda: tree_run(2, size=1),
    "nasty": nasty_run,
}


class Page(HTMLParser):
    """What a browser makes of a page: tags with their attributes, and the text inside scripts, styles and titles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.inside, self._now = [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._now = dict(attrs).get("id") or tag

    def handle_endtag(self, tag):
        self._now = None

    def handle_data(self, data):
        if self._now:
            self.inside[self._now] = self.inside.get(self._now, "") + data


def digest(text):
    return base64.b64encode(sha256(text.encode()).digest()).decode()


def unpacked(path):
    """The run that is embedded in a page, as the page itself reads it."""
    data = zlib.decompress(base64.b64decode(Page(path.read_text(encoding="utf-8")).inside["data"]))
    length = int.from_bytes(data[:4], "little")
    assert length % 4 == 0
    content = json.loads(data[4 : 4 + length])
    for name, at in content["arrays"].items():
        content[name] = np.frombuffer(data, f"<u{at['size']}", at["length"], 4 + length + at["place"])
    used = content["used"].reshape(-1, content["nodes"])
    content["used"] = np.cumsum(used, axis=0, dtype=used.dtype)
    return content


@pytest.mark.parametrize("kind", RUNS)
def test_a_page_holds_the_run_the_neighbours_and_the_entry_of_every_move(tmp_path, kind):
    fsa, graph, trajectory = RUNS[kind]()
    draw_rollout(fsa, graph, trajectory, tmp_path / "x.html")
    page = unpacked(tmp_path / "x.html")
    assert page["states"] == list(fsa.state_names)
    assert page["times"] == trajectory.times.tolist()
    states = page["entry_state"][page["used"]]
    assert (states == trajectory.states).all()
    after = page["entry_next"][page["used"]]
    rows = np.flatnonzero(np.diff(trajectory.times) == 1)
    assert (after[rows] == trajectory.states[rows + 1]).all()
    sources = page["sources"].astype(np.int32) + np.repeat(np.arange(graph.num_nodes), page["degrees"])
    assert (sources == graph.indices).all()
    rng = np.random.default_rng(0)
    rules = str(fsa.rules()).split("\n")
    for _ in range(40):
        frame, node = rng.integers(0, len(states)), rng.integers(0, graph.num_nodes)
        seen = states[frame][graph.neighbours(node)].tolist()
        slots = graph.slots[graph.indptr[node] : graph.indptr[node + 1]].tolist() if graph.slots is not None else []
        value = fsa.aggregation.encode(seen, slots, fsa.num_states)
        entry = page["used"][frame, node]
        assert page["values"][page["entry_value"][entry]] == fsa.aggregation.decode(value, fsa.state_names)
        assert after[frame, node] == fsa.transition_table[states[frame, node], value]
        line = page["rules"][states[frame, node]][page["entry_rule"][entry]]
        assert line in rules


@pytest.mark.parametrize("kind", RUNS)
def test_a_page_asks_nothing_of_anybody(tmp_path, kind):
    draw_rollout(*RUNS[kind](), tmp_path / "x.html", title="a title")
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "//" not in re.sub(r"(?m)^\s*// .*$|; // .*$", "", text.replace(Page(text).inside["data"], ""))
    page = Page(text)
    assert [tag for tag, _ in page.tags if tag in ("img", "iframe", "object", "embed", "form", "base", "a")] == []
    assert [attrs["href"] for tag, attrs in page.tags if tag == "link"] == ["data:,"]
    assert not any("src" in attrs or any(name.startswith("on") for name in attrs) for _, attrs in page.tags)
    policy = next(attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv"))
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert f"script-src 'sha256-{digest(page.inside['script'])}'" in policy
    assert f"style-src 'sha256-{digest(page.inside['style'])}'" in policy


def test_names_and_titles_never_become_markup(tmp_path):
    fsa, graph, trajectory = nasty_run()
    title = NASTY[0] + NASTY[1] + "</title>@@script@@"
    draw_rollout(fsa, graph, trajectory, tmp_path / "x.html", title=title)
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    page = Page(text)
    plain = tmp_path / "plain.html"
    draw_rollout(fsa, graph, trajectory, plain, title="plain")
    assert page.tags == Page(plain.read_text(encoding="utf-8")).tags
    assert page.inside["title"] == page.inside["h1"] == title
    assert unpacked(tmp_path / "x.html")["states"] == NASTY
    # The script itself has no way to make markup of a text.
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", page.inside["script"])
    for suffix in (".png", ".svg", ".gif"):
        draw_rollout(fsa, graph, trajectory, tmp_path / f"x{suffix}", title=title)
    svg = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert not re.search(r"<(script|img|b)\b", svg)
    assert "onerror=" not in re.sub(r"<!--.*?-->", "", svg, flags=re.S)


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_run_gives_the_same_file(tmp_path, kind, suffix):
    for number in (1, 2):
        draw_rollout(*RUNS[kind](), tmp_path / f"{number}{suffix}", title="a $ title")
    one, two = ((tmp_path / f"{number}{suffix}").read_bytes() for number in (1, 2))
    assert len(one) > 200
    assert one == two


def colours_of(image, places):
    pixels = np.asarray(image.convert("RGB"))
    return ["#{:02x}{:02x}{:02x}".format(*pixels[y, x]) for x, y in places]


def test_an_animation_of_a_grid_has_every_step_in_exact_colours(tmp_path):
    fsa, graph, trajectory = lattice_run("wireworld", families.moore(12, 16, torus=True), 15)
    draw_rollout(fsa, graph, trajectory, tmp_path / "x.gif", speed=20)
    image = Image.open(tmp_path / "x.gif")
    assert image.n_frames == 16
    assert image.info["loop"] == 0
    side, left, top = 16, 12 + 1, 12 + 20 + 1
    assert image.width == 16 * side + 2 + 24 + max(0, 260 - 16 * side - 2)
    left += (image.width - 24 - 16 * side - 2) // 2
    centres = [(left + c * side + side // 2, top + r * side + side // 2) for r in range(12) for c in range(16)]
    durations = []
    for frame, states in zip(ImageSequence.Iterator(image), trajectory.states, strict=True):
        durations.append(frame.info["duration"])
        assert colours_of(frame, centres) == [PALETTE[state] for state in states]
    assert durations == [50] * 15 + [1050]


def test_an_animation_of_hexagons_and_of_nodes_shows_each_at_its_place(tmp_path):
    for fsa, graph, trajectory in (lattice_run("hex-life", families.hexagonal(20, 25)), tree_run()):
        draw_rollout(fsa, graph, trajectory, tmp_path / "x.gif")
        image = Image.open(tmp_path / "x.gif")
        assert image.n_frames == len(trajectory.times)
        points = graph_layout(graph).points
        if graph.lattice is not None:
            side = gif_shape("hex", 20, 25, 9)[0]
            centres = (points + np.array([0.5, 0.6])) * side + (13, 33)
        else:
            span = points.max(axis=0) - points.min(axis=0)
            scale = min(600 / span[0], 440 / span[1])
            size = np.array([640, min(480, round(span[1] * scale) + 40)])
            centres = (points - (points.max(axis=0) + points.min(axis=0)) / 2) * scale + size / 2 + (12, 32)
        for frame, states in zip(ImageSequence.Iterator(image), trajectory.states, strict=True):
            assert colours_of(frame, centres.astype(int)) == [PALETTE[state] for state in states]


def test_an_animation_of_a_row_grows_downwards(tmp_path):
    fsa, graph, trajectory = lattice_run("rule110", families.ring(40), 20)
    draw_rollout(fsa, graph, trajectory, tmp_path / "x.gif")
    image = Image.open(tmp_path / "x.gif")
    for time, frame in enumerate(ImageSequence.Iterator(image)):
        rows = [[(13 + 8 * c + 4, 33 + 8 * r + 4) for c in range(40)] for r in range(21)]
        for row in range(time + 1):
            assert colours_of(frame, rows[row]) == [PALETTE[state] for state in trajectory.states[row]]
        for row in range(time + 1, 21):
            assert set(colours_of(frame, rows[row])) == {"#efefef"}


def test_hundreds_of_states_still_have_colours(tmp_path):
    names = [f"s{k}" for k in range(250)]
    from graphfsa import PositionalAggregation

    fsa = GraphFSA(names, PositionalAggregation(num_slots=1), np.tile((np.arange(250)[:, None] + 1) % 250, (1, 251)))
    ring = Graph.from_edges(250, [(k, (k + 1) % 250) for k in range(250)], directed=True, slots=[0] * 250)
    trajectory = run(fsa, ring, np.arange(250), 3, record="all")
    for suffix in SUFFIXES:
        draw_rollout(fsa, ring, trajectory, tmp_path / f"x{suffix}")
    page = unpacked(tmp_path / "x.html")
    assert (page["entry_state"][page["used"]] == trajectory.states).all()
    assert len(page["colours"]) == 250
    assert page["rules"] == []  # The table is too large to be searched.


def test_how_graphs_are_drawn():
    assert layout_kind(families.row(5)) == layout_kind(families.path(5)) == layout_kind(families.cycle(5)) == "line"
    assert layout_kind(families.moore(1, 5)) == "line"
    assert layout_kind(families.von_neumann(2, 5)) == "grid"
    assert layout_kind(families.hexagonal(2, 5)) == "hex"
    assert layout_kind(families.star(5)) == layout_kind(families.path(2)) == "graph"
    assert layout_kind(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 2)])) == "graph"
    for edges in ([(0, 1), (0, 2)], [(0, 1), (0, 3), (1, 2)], [(0, 2), (1, 2)], [(0, 3), (2, 3), (1, 2)]):
        assert layout_kind(Graph.from_edges(1 + len(edges), edges)) == "graph"  # Paths whose nodes are not in order.
    for edges in ([(2, 1), (1, 0)], [(0, 1), (2, 1), (0, 2)], [(0, 1), (1, 2), (2, 3), (3, 0)]):
        assert layout_kind(Graph.from_edges(max(map(max, edges)) + 1, edges)) == "line"
    for task, kind in (("life", "grid"), ("hex-life", "hex"), ("elementary", "line"), ("distance", "graph")):
        (example,) = dataset_class(task)().generate(16, 1, np.random.default_rng(0))
        assert layout_kind(example.graph) == kind
    tree = families.random_tree(50, rng=np.random.default_rng(0))
    places = graph_layout(tree)
    assert (places.points == graph_layout(tree).points).all()
    apart = np.linalg.norm(places.points[tree.indices] - places.points[tree.targets()], axis=1)
    assert 0.5 < np.median(apart) < 1.5


def test_large_pages_stay_small(tmp_path):
    rng = np.random.default_rng(0)
    graph = families.erdos_renyi(1000, mean_degree=6, rng=rng)
    aggregation = CountingAggregation(bound=2)
    fsa = GraphFSA(["a", "b", "c"], aggregation, rng.integers(0, 3, (3, aggregation.num_values(3))))
    trajectory = run(fsa, graph, rng.integers(0, 3, 1000), 200, record="all")
    draw_rollout(fsa, graph, trajectory, tmp_path / "x.html")
    assert (tmp_path / "x.html").stat().st_size < 3_000_000


@pytest.mark.parametrize(
    ("graph", "frames", "suffix", "words"),
    [
        (families.star(2001), 1, ".html", "at most 2,000 nodes are drawn node by node; got 2,001"),
        (families.moore(400, 400), 51, ".html", "could take 22 MB.*fewer steps"),
        (families.moore(3000, 3000), 1, ".html", "at most 2,048 cells in each direction"),
        (families.moore(3000, 10), 1, ".gif", "at most 2,048 cells in each direction"),
        (families.row(100), 3000, ".gif", "as many steps of a row"),
        (families.moore(512, 512), 2000, ".gif", "pixels; at most 400,000,000"),
        (families.moore(10, 10), 25, ".png", "at most 24 steps are drawn in one picture.*every k-th"),
        (families.hexagonal(200, 200), 2, ".svg", "at most 60,000 hexagonal cells"),
        (families.row(10**6), 30, ".png", "at most 20,000,000 cells"),
        (families.row(10), 30_000, ".html", "at most 20,000 frames"),
    ],
)
def test_what_would_be_too_large_is_refused_with_advice(graph, frames, suffix, words):
    with pytest.raises(LimitError, match=words):
        check_rollout(graph, frames, f"x{suffix}")


def test_a_page_that_turns_out_too_large_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(_rollout_page, "MAX_BYTES", 1000)
    with pytest.raises(LimitError, match="the page would take"):
        draw_rollout(*tree_run(), tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_drawn_is_refused(tmp_path):
    fsa, tree, trajectory = tree_run()
    with pytest.raises(FormatError, match=r"must end in .png, .svg, .pdf, .gif or .html; got '.mp4'"):
        draw_rollout(fsa, tree, trajectory, tmp_path / "x.mp4")
    with pytest.raises(StateError, match="recorded"):
        draw_rollout(*tree_run(record=None), tmp_path / "x.png")
    with pytest.raises(GraphFSAError, match=r"speed must be from 0.1 to 50 frames per second; got 0"):
        draw_rollout(fsa, tree, trajectory, tmp_path / "x.gif", speed=0)
    with pytest.raises(StateError, match="must be a run of this automaton on this graph"):
        draw_rollout(fsa, families.random_tree(31, rng=np.random.default_rng(1)), trajectory, tmp_path / "x.gif")
    with pytest.raises(StateError, match="must be a run of this automaton on this graph"):
        draw_rollout(library.life_like("B3/S23"), tree, trajectory, tmp_path / "x.gif")
    other = families.random_tree(30, rng=np.random.default_rng(2))
    with pytest.raises(StateError, match="must be a run of this automaton on this graph"):
        draw_rollout(fsa, other, trajectory, tmp_path / "x.html")
    nothing = Graph.from_edges(0, [])
    with pytest.raises(StateError, match="nothing to draw"):
        draw_rollout(fsa, nothing, run(fsa, nothing, [], 1, record="all"), tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


def test_still_pictures_take_twelve_panels_and_everything_else_each_step():
    grid = families.moore(5, 5)
    assert [default_stride(grid, steps, "x.png") for steps in (0, 5, 11, 12, 100)] == [1, 1, 1, 2, 10]
    assert default_stride(grid, 100, "x.gif") == default_stride(families.row(5), 100, "x.png") == 1
    assert rollouts.MAX_PANELS >= 12


def chosen_run(**options):
    """The shortest run in which Dijkstra's ring with 2 numbers does not heal, one node at a time."""
    about = {"graphs": "ring", "start": "exactly one root-*", "max_nodes": 4, "scheduler": "central"}
    return ask(
        library.dijkstra_ring(2), eventually_always="exactly one node can move", **about, **options
    ).counterexample


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_runs_whose_moves_were_chosen_are_drawn_node_by_node(tmp_path, suffix):
    found = chosen_run()
    file = tmp_path / f"run{suffix}"
    Rollout(found.trajectory).save(file)
    assert file.stat().st_size > 500
    shown = Rollout(found.trajectory)
    assert shown.kind == shown.layout.kind == "graph"
    assert len(shown.panels().times) == found.steps + 1
    if suffix == ".html":
        page = unpacked(file)
        moved = page["moved"].reshape(found.steps + 1, 4)
        chosen = [tuple(np.flatnonzero(row)) for row in moved]
        # At the end it goes on as where the loop begins.
        assert chosen == [*found.moves, found.moves[found.loop]]
        assert (page["stable_at"], page["period"], page["coins"]) == (found.loop, found.steps - found.loop, False)


def test_moves_that_nobody_chose_are_refused():
    trajectory = chosen_run().trajectory
    wrong = replace(trajectory, movers=tuple(() for _ in trajectory.movers))
    with pytest.raises(StateError, match="must be a run of this automaton"):
        Rollout(wrong).html()
    with pytest.raises(StateError, match="must be a run of this automaton"):
        Rollout(replace(trajectory, movers=None)).html()


def test_runs_with_coins_are_played():
    fsa, graph = library.mis(3), families.path(5)
    shown = Rollout(run(fsa, graph, "waiting", 9, record="all", seed=1))
    assert "data" in shown.html()
    states = shown.frames.copy()
    states[1] = fsa.index("in")
    with pytest.raises(StateError, match="must be a run of this automaton"):
        Rollout(replace(shown.trajectory, states=states)).html()
