"""Tables as text hold every entry; pictures of graphs are written, the same each time, or refused with a reason."""

import numpy as np
import pytest

from graphfsa import CountingAggregation, GraphFSA, families, library
from graphfsa.datasets import dataset_class
from graphfsa.errors import FormatError, LimitError
from graphfsa.graphs import Graph
from graphfsa.views._layout import GraphLayout, node_positions
from graphfsa.views._rollout_gif import _graph_pixels
from graphfsa.views.figures import new_figure
from graphfsa.views.graphs import draw_examples, draw_graph
from graphfsa.views.tables import STAYS, compact_table


def entries(text, fsa):
    """Read a grid back: (state, counts of all states) -> next state."""
    found = {}
    for block in text.split("\n\n"):
        head, *rest = block.split("\n")
        state = fsa.index(head.removesuffix(" ->"))
        half = (fsa.num_states + 1) // 2
        across = [[int(cell.rstrip("+")) for cell in line.split()[1:]] for line in rest[: fsa.num_states - half]]
        for line in rest[fsa.num_states - half + 1 :]:
            cells = line.split()
            down = [int(cell.rstrip("+")) for cell in cells[:half]]
            for place, cell in enumerate(cells[half:]):
                counts = (*down, *(column[place] for column in across))
                found[state, counts] = state if cell == STAYS else fsa.index(cell)
    return found


@pytest.mark.parametrize("fsa", [library.path_finding(), library.distance(), library.root_value(), library.wireworld()])
def test_a_compact_table_holds_every_entry(fsa):
    found = entries(compact_table(fsa), fsa)
    free = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    assert len(found) == len(free) * fsa.num_values
    for (state, counts), successor in found.items():
        value = sum(count * (fsa.aggregation.bound + 1) ** m for m, count in enumerate(counts))
        assert fsa.transition_table[state, value] == successor


def test_other_aggregations_get_a_line_per_entry_and_large_tables_are_refused():
    lines = compact_table(library.elementary(110)).splitlines()
    assert len(lines) == 18
    assert "1, [1, 1] -> 0" in lines
    large = GraphFSA([f"m{k}" for k in range(6)], CountingAggregation(3), np.zeros((6, 4**6), int))
    with pytest.raises(LimitError, match="at most 3000 entries"):
        compact_table(large)


def test_a_path_is_laid_out_as_a_line_and_parts_apart():
    places = node_positions(families.path(6))
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert np.allclose(steps, 1, atol=0.15)
    assert node_positions(families.path(1)).shape == (1, 2)
    apart = node_positions(Graph.from_edges(4, [(0, 1), (2, 3)]))
    assert np.linalg.norm(apart[:2].mean(axis=0) - apart[2:].mean(axis=0)) > 1


def test_a_node_without_neighbours_stays_near_the_others():
    places = node_positions(Graph.from_edges(21, [(node, node + 1) for node in range(19)]))
    assert np.linalg.norm(places[20] - places[:20], axis=1).min() < 14  # The path is 19 long.


@pytest.mark.parametrize(
    ("arcs", "loops", "heads"), [([(0, 1), (1, 0)], 0, 0), ([(0, 1), (1, 1)], 1, 1), ([(0, 1), (1, 0), (0, 0)], 1, 0)]
)
def test_loops_and_directions_are_drawn(arcs, loops, heads):
    figure = new_figure(4, 3)
    axes = figure.add_subplot()
    graph = Graph.from_edges(2, arcs, directed=True)
    draw_graph(axes, graph, np.array([[0.0, 0.0], [1.0, 0.0]]), ["#ffffff", "#000000"])
    assert len(axes.collections) == 2 + (loops > 0)  # Lines, maybe rings, and nodes.
    assert len(axes.texts) == heads
    places = GraphLayout("graph", 0, 0, np.array([[0.0, 0.0], [1.0, 0.0]]), 1.0)
    plain, drawn = (
        _graph_pixels(each, places)[1]
        for each in (Graph.from_edges(2, [(0, 1)]), Graph.from_edges(2, arcs, directed=True))
    )
    assert (plain == drawn).all() == (loops == heads == 0)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures_of_examples_are_the_same_each_time(tmp_path, suffix):
    examples = dataset_class("path-finding")().generate(5, 3, np.random.default_rng(0))
    for number in (1, 2):
        draw_examples(examples, tmp_path / f"{number}{suffix}", title="a $ title")
    one, two = ((tmp_path / f"{number}{suffix}").read_bytes() for number in (1, 2))
    assert len(one) > 3000
    assert one == two


def test_what_cannot_be_drawn_is_refused(tmp_path):
    examples = dataset_class("path-finding")().generate(5, 30, np.random.default_rng(0))
    with pytest.raises(LimitError, match="at most 24 graphs"):
        draw_examples(examples, tmp_path / "x.png")
    with pytest.raises(FormatError, match="must end in"):
        draw_examples(examples.select([0]), tmp_path / "x.gif")
    assert not list(tmp_path.iterdir())
