"""Every family with every aggregation: graphs, slots and labels against plain definitions."""

import numpy as np
import pytest

from graphfsa.datasets import Grab, grab
from graphfsa.datasets._grab_graphs import FAMILIES, GraphFamily
from graphfsa.datasets._grab_truth import AGGREGATIONS
from graphfsa.engine.reference import reference_run
from graphfsa.errors import DrawError, GraphFSAError

SIZES = dict.fromkeys(("grid", "moore", "hex"), 9)
CROWDED = ("star", "complete", "erdos-renyi", "barabasi-albert", "watts-strogatz", "caterpillar", "delaunay")


def choices(family, aggregation):
    own = {
        "counting": {"bound": 2},
        "average-threshold": {"thresholds": (0.25, 0.5)},
        "positional": {"slots": 7} if family in CROWDED else {},
        "letters": {"letters": 3},
    }
    return {"family": family, "aggregation": aggregation, "truth": "sparse", **own[aggregation]}


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_labels_are_those_of_a_plain_interpreter(family, aggregation):
    ends = set()
    for seed in range(4):
        task = Grab(**choices(family, aggregation), keep=0, truth_seed=seed)
        truth = task.automaton()
        for example in task.generate(SIZES.get(family, 8), 2, np.random.default_rng(seed), steps=7):
            starts = [truth.starting_states[number] for number in example.inputs.tolist()]
            last = reference_run(truth, example.graph, starts, 7)[-1]
            final = [truth.state_names[state] if state in truth.final_states else None for state in last]
            assert example.label_names == final
            ends |= set(last)
    assert ends >= {0, 1}


@pytest.mark.parametrize(
    ("family", "offsets"),
    [
        ("grid", [(-1, 0), (0, -1), (0, 1), (1, 0)]),
        ("moore", [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]),
    ],
)
@pytest.mark.parametrize("torus", [False, True])
def test_slots_of_boards_are_directions(family, offsets, torus):
    task = Grab(family=f"{family}:torus={str(torus).lower()}", aggregation="positional", keep=0, num_states=2,
                num_starting=1, num_final=1)  # fmt: skip
    [example] = task.generate(12, 1, np.random.default_rng(0))
    graph, (height, width) = example.graph, (3, 4)
    for node in range(12):
        row, column = divmod(node, width)
        seen = {}
        for slot, (down, right) in enumerate(offsets):
            r, c = row + down, column + right
            if torus or (0 <= r < height and 0 <= c < width):
                seen[slot] = (r % height) * width + c % width
        begin, end = graph.indptr[node : node + 2]
        assert dict(zip(graph.slots[begin:end].tolist(), graph.indices[begin:end].tolist(), strict=True)) == seen


@pytest.mark.parametrize("family", ["tree", "regular:degree=4", "path", "binary-tree", "erdos-renyi:p=0.2"])
def test_other_slots_number_the_neighbours_in_their_order(family):
    task = Grab(family=family, aggregation="positional", keep=0)
    examples = task.generate(10, 40, np.random.default_rng(0))
    assert examples.graphs.graph.degrees.max() <= task.graphs.slots
    for example in examples:
        for node in range(10):
            begin, end = example.graph.indptr[node : node + 2]
            assert example.graph.indices[begin:end].tolist() == sorted(example.graph.neighbours(node).tolist())
            assert example.graph.slots[begin:end].tolist() == list(range(end - begin))


def test_a_missing_neighbour_is_a_value_of_its_own():
    truth = Grab(family="tree", aggregation="positional", slots=3, num_states=5).automaton()
    assert truth.num_values == 6**3
    assert truth.aggregation.decode(0, truth.state_names) == "[-, -, -]"


def test_families_have_parameters():
    degrees = Grab(family="regular:degree=5", keep=0).generate(12, 3, np.random.default_rng(0)).graphs.graph.degrees
    assert set(degrees.tolist()) == {5}
    few, many = (
        Grab(family=f"erdos-renyi:p={p}", keep=0).generate(30, 20, np.random.default_rng(0)).graphs.graph.num_arcs
        for p in (0.1, 0.9)
    )
    assert 20 * 30 * 29 * 0.05 < few < 20 * 30 * 29 * 0.15 < 20 * 30 * 29 * 0.85 < many
    assert str(GraphFamily.parse("watts-strogatz:p=0.2,k=6")) == "watts-strogatz:k=6"
    assert str(Grab(family="hex:torus=true", aggregation="positional").graphs) == "hex:torus=true,slots=6"


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ("mesh", "unknown graph family of GRAB 'mesh'"),
        ("regular:degre=3", "family regular takes degree, slots, as KEY=VALUE; got 'degre=3'"),
        ("regular:degree=x", "degree must be an integer; got 'x'"),
        ("erdos-renyi:p=often", "p must be a number; got 'often'"),
        ("grid:torus=yes", "torus must be true or false; got 'yes'"),
        ("tree:slots=1000", "slots must be 0 .. 256"),
    ],
)
def test_families_that_there_are_not(family, words):
    with pytest.raises(GraphFSAError) as error:
        Grab(family=family)
    assert words in str(error.value)


def test_directions_are_as_many_as_there_are():
    with pytest.raises(GraphFSAError, match="grid have 4 slots, their directions; got 3"):
        Grab(family="grid", aggregation="positional", slots=3)


def test_a_family_with_too_many_neighbours_is_given_up():
    with pytest.raises(DrawError, match=r"of \d+ graphs drawn of the family tree with 200 nodes, \d+ have at most 3"):
        Grab(family="tree", aggregation="positional", slots=3).generate(200, 100, np.random.default_rng(0))
    with pytest.raises(DrawError, match="complete with 8 nodes, 0 have at most 4"):
        Grab(family="complete", aggregation="positional").generate(8, 5, np.random.default_rng(0))


def test_graphs_with_slots_are_listed_where_there_is_one_of_each_size():
    grid, tree = (Grab(family=family, aggregation="positional") for family in ("grid", "tree"))
    assert grid.graph_class is None
    assert grid.every_graph(6).graph.num_slots == 4
    assert len(grid.every_graph(7)) == 0
    assert Grab(family="ring", aggregation="positional").graph_class == "ring"
    with pytest.raises(GraphFSAError, match="tree:slots=4 are not listed: their neighbours are numbered"):
        tree.every_graph(4)


def test_the_other_family_sees_with_the_slots_of_the_truth():
    data = grab(family="moore", aggregation="positional", num_states=3, num_starting=1, num_final=2, truth="sparse",
                count=20, validation_count=0, ood_count=5, test_sizes=())  # fmt: skip
    assert list(data.splits) == ["train", "ood"]
    assert data.truth.aggregation.num_slots == 8
    ood = data.splits["ood"]
    assert ood.graphs.graph.num_arcs == 5 * 2 * 8
    assert ood.graphs.graph.slots is not None
    assert ood.accuracy(data.truth) == 1.0


def test_covering_goes_with_parameters_and_slots():
    data = grab(family="tree", aggregation="positional", slots=2, num_states=3, num_final=1, covering=True, count=50,
                test_sizes=(), ood_family="none")  # fmt: skip
    assert data.splits["train"].graphs.graph.num_slots == 2
    assert len(data.splits["train"]) > 1000
    degrees = grab(family="regular:degree=2", covering=True, count=20, test_sizes=(), ood_family="none")
    assert set(degrees.splits["train"].graphs.graph.degrees.tolist()) == {2}
