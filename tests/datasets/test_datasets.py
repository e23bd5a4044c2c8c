import numpy as np
import pytest

from graphfsa.analysis.verification import verify
from graphfsa.datasets import (
    Examples,
    Split,
    dataset_class,
    divided,
    draw,
    draw_split,
    draw_training,
    overlap,
)
from graphfsa.datasets._cellular import board_sides, count_around
from graphfsa.errors import GraphFSAError, LimitError, UnknownNameError
from graphfsa.graphs import GRAPH_CLASSES, Graph, GraphBatch, Lattice, families
from graphfsa.plugins import module_names

NAMES = module_names("graphfsa.datasets")
"""The built-in ones: other tests define more."""
OPTIONS = [
    ("elementary", {"rule": "110", "ring": "true"}),
    ("life", {"torus": "false"}),
    ("life", {"rule": "B36/S23"}),
    ("hex-life", {"torus": "false"}),
    ("wireworld", {"torus": "true"}),
    ("brians-brain", {"torus": "false"}),
    ("path-finding", {"colours": "2", "trees": "mixed"}),
    ("path-finding", {"colours": "2", "trees": "maze"}),
    ("distance", {"graphs": "tree"}),
    ("grab", {"family": "regular", "bound": "2"}),
    ("grab", {"family": "ring", "aggregation": "positional", "keep": "20"}),
    ("grab", {"family": "erdos-renyi", "aggregation": "average-threshold", "keep": "20"}),
    *((name, {}) for name in NAMES),
]
SIZES = {"maze-pixels": (25, 49, 81)}
"""Sizes for data sets that do not have graphs of every size."""


def test_every_task_of_the_paper_is_there():
    wanted = "elementary life hex-life wireworld brians-brain distance root-value path-finding prefix-sum"
    assert set(wanted.split()) <= set(NAMES)
    with pytest.raises(UnknownNameError, match="prefix-sum"):
        dataset_class("prefix")


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_the_library_automaton_is_exact(name, options):
    dataset = dataset_class(name).from_options(options)
    usual = ((4, 20), (6, 20), (16, 20), (100, 10), (1000, 3))
    for size, count in [(size, 10) for size in SIZES[name]] if name in SIZES else usual:
        if name == "grab" and size == 1000:
            continue
        examples = dataset.generate(size, count, np.random.default_rng(size))
        assert len(examples) == count
        assert (examples.sizes == size).all()
        assert examples.accuracy(dataset.automaton()) == 1.0
        assert examples.accuracy(dataset.automaton(), steps=examples.steps) == 1.0


@pytest.mark.parametrize("name", [name for name in NAMES if dataset_class(name)().task.kind == "evolution"])
def test_evolutions_over_many_steps(name):
    dataset = dataset_class(name)()
    for steps in (0, 1, 2, 5, 30):
        examples = dataset.generate(20, 10, np.random.default_rng(steps), steps=steps)
        assert (examples.steps == steps).all()
        assert examples.accuracy(dataset.automaton()) == 1.0
    assert (dataset.generate(20, 5, np.random.default_rng(0), steps=0).labels == examples.inputs[:100]).mean() < 1


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_data(name):
    dataset = dataset_class(name)()
    size = SIZES.get(name, (16,))[0]
    one, same, other = (dataset.generate(size, 30, np.random.default_rng(seed)).digest for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("name", NAMES)
def test_default_splits_are_whole(name):
    dataset = dataset_class(name)()
    assert {"train", "validation", "test"} <= dataset.splits.keys()
    for split in dataset.splits.values():
        small = Split(tuple((size, min(count, 20 if size < 1000 else 3)) for size, count in split.parts), split.steps)
        examples = dataset.generate_split(small, np.random.default_rng(0))
        assert len(examples) == sum(count for _, count in small.parts)
        assert examples.accuracy(dataset.automaton()) == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_train_and_test_are_apart(name):
    dataset = dataset_class(name)()
    for size in SIZES.get(name, (6, 16))[:2]:
        train = draw(dataset, size, 300, np.random.default_rng(0), "train")
        test = draw(dataset, size, 50, np.random.default_rng(1), "test")
        assert (len(train), len(test)) == (300, 50)
        if divided(dataset, size):
            assert overlap(train, test).sum() == 0


def test_amounts_that_can_not_be_drawn_are_refused():
    dataset, rng = dataset_class("path-finding")(), np.random.default_rng(0)
    for count in (-1, 10**9, 10**20, "a", None, True):
        with pytest.raises(GraphFSAError):
            dataset.generate(10, count, rng)
        with pytest.raises(GraphFSAError):
            draw(dataset, 10, count, rng, "train")
    with pytest.raises(UnknownNameError, match="train"):
        draw(dataset, 10, 3, rng, "tset")


@pytest.mark.parametrize(
    ("sizes", "count", "parts"),
    [
        (None, None, ((3, 10), (5, 4))),
        ([7, 8, 9], None, ((7, 5), (8, 5), (9, 4))),
        (None, 7, ((3, 4), (5, 3))),
        (None, 1, ((3, 1),)),
        ([9, 2], 4, ((9, 2), (2, 2))),
    ],
)
def test_sizes_of_a_split_share_its_graphs(sizes, count, parts):
    assert Split(((3, 10), (5, 4)), steps=2).resized(sizes, count) == Split(parts, steps=2)


def test_a_split_is_drawn_size_by_size():
    dataset = dataset_class("distance")()
    drawn = draw_split(dataset, Split(((4, 3), (9, 2))), np.random.default_rng(1), "test")
    first, second = np.random.default_rng(1).spawn(2)
    parts = [draw(dataset, 4, 3, first, "test"), draw(dataset, 9, 2, second, "test")]
    assert drawn.digest == Examples.concatenate(parts).digest
    train = draw_training(dataset, np.random.default_rng(2), sizes=[4, 9], count=5)
    assert train.digest == draw_split(dataset, Split(((4, 3), (9, 2))), np.random.default_rng(2), "train").digest


def test_all_sizes_are_checked_before_any_graph_is_drawn():
    rng = np.random.default_rng(0)
    with pytest.raises(LimitError, match="at most 134217728 are drawn"):
        draw_split(dataset_class("distance")(), Split(((4, 3), (9, 10**9))), rng, "train")
    assert rng.bit_generator.seed_seq.n_children_spawned == 0


def test_small_domains_are_not_divided():
    assert not divided(dataset_class("root-value")(), 5000)
    assert not divided(dataset_class("root-value")(), 8)
    assert not divided(dataset_class("elementary")(), 4)
    assert divided(dataset_class("path-finding")(), 9)
    bits = dataset_class("prefix-sum")().generate(4, 16, np.random.default_rng(0)).inputs.reshape(16, 4)
    assert len({tuple(row) for row in bits.tolist()}) == 16


@pytest.mark.parametrize("kind", ["moore", "hex"])
@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("sides", [(2, 2), (2, 3), (4, 2), (4, 5), (6, 3)])
def test_array_neighbourhoods_are_those_of_the_lattices(kind, torus, sides):
    cells = np.random.default_rng(0).integers(0, 2, (3, *sides)).astype(bool)
    graph = Graph.from_lattice(Lattice(kind, *sides, torus=torus))
    counted = count_around(cells, kind, torus)
    for board, counts in zip(cells.reshape(3, -1), counted.reshape(3, -1), strict=True):
        assert counts.tolist() == [int(board[graph.neighbours(cell)].sum()) for cell in range(graph.num_nodes)]


def test_boards_are_nearly_square_or_refused():
    assert board_sides(16) == (4, 4)
    assert board_sides(1000) == (25, 40)
    assert board_sides(1000, even_height=True) == (40, 25)
    with pytest.raises(GraphFSAError, match=r"try 6 \(2 x 3\) or 8 \(2 x 4\)"):
        board_sides(7)


BAD = [
    ("elementary", {"rule": "256"}, "rule must be one of"),
    ("elementary", {"rule": "x"}, "must be an integer"),
    ("life", {"rule": "S23"}, "B3/S23"),
    ("life", {"torus": "maybe"}, "true or false"),
    ("path-finding", {"colours": "3"}, "colours must be one of 1, 2"),
    ("path-finding", {"trees": "tall"}, "uniform, recursive, deep, mixed, maze"),
    ("path-finding", {"height": "3"}, "valid options: colours, trees"),
    ("grab", {"keep": "101"}, "0 .. 100"),
    ("grab", {"num-states": "3"}, "no more than 3"),
    ("grab", {"truth": "odd"}, "dense, sparse"),
    ("grab", {"aggregation": "sum"}, "average-threshold, counting, letters, positional"),
    ("grab", {"num-states": "40"}, "limit"),
]


@pytest.mark.parametrize(("name", "options", "words"), BAD)
def test_bad_options_are_refused(name, options, words):
    with pytest.raises(GraphFSAError, match=words.replace(".", r"\.")):
        dataset_class(name).from_options(options)


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("path-finding", 1, "at least 2 nodes"),
        ("distance", 0, "at least 1 node"),
        ("wireworld", 13, "12 .* or 14|try"),
        ("maze-pixels", 16, "25, 49, 81, 121, .* nodes; got 16"),
        ("maze-pixels", 9, "got 9"),
    ],
)
def test_sizes_that_do_not_exist_are_refused(name, size, words):
    with pytest.raises(GraphFSAError, match=words):
        dataset_class(name)().generate(size, 2, np.random.default_rng(0))


def test_a_size_is_an_integer():
    with pytest.raises(GraphFSAError, match=r"^size must be an integer >= 0; got -1$"):
        draw(dataset_class("distance")(), -1, 1, np.random.default_rng(0), "train")


def test_names_where_there_are_none():
    assert str(UnknownNameError("data set in p.py", "Mine", [])) == "unknown data set in p.py 'Mine'; it defines none"


def test_examples_are_cut_and_joined_exactly():
    dataset = dataset_class("distance")()
    examples = dataset.generate_split(Split(((5, 4), (1, 3), (9, 5))), np.random.default_rng(0))
    order = [11, 0, 4, 4, 7]
    chosen = examples.select(order)
    everything = list(examples)
    for place, example in zip(order, chosen, strict=True):
        assert example.graph == everything[place].graph
        assert example.inputs.tolist() == everything[place].inputs.tolist()
        assert example.labels.tolist() == everything[place].labels.tolist()
    joined = Examples.concatenate([examples.select(range(6)), examples.select(range(6, 12))])
    assert joined.digest == examples.digest != chosen.digest


def test_strict_scoring_counts_no_answer_as_wrong():
    dataset = dataset_class("distance")()
    examples = dataset.generate(10, 20, np.random.default_rng(0))
    assert examples.accuracy(dataset.automaton(), steps=0) == 0.0
    assert 0 < examples.accuracy(dataset.automaton(), steps=2) < 1
    assert (examples.predict(dataset.automaton(), steps=0) == -1).all()


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_the_definition_is_the_one_that_draws(name, options):
    dataset = dataset_class(name).from_options(options)
    sizes = SIZES.get(name, (4, 6, 16))
    for size, steps in zip(sizes, (None, 3, None), strict=True):
        drawn = dataset.generate(size, 20, np.random.default_rng(size), steps=steps)
        assert dataset.examples(drawn.graphs, drawn.inputs, steps=steps).digest == drawn.digest
    parts = [dataset.generate(size, 3, np.random.default_rng(size)) for size in (sizes[1], sizes[0], sizes[1])]
    mixed = Examples.concatenate(parts)
    assert dataset.examples(mixed.graphs, mixed.inputs).digest == mixed.digest


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_the_library_automaton_is_exact_on_every_instance(name, options):
    dataset = dataset_class(name).from_options(options)
    found = verify(dataset.automaton(), dataset, 5 if name == "maze-pixels" else 6)
    assert found.verified
    assert found.instances >= 6


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_instances_are_distinct_and_as_many_as_said(name, options):
    dataset = dataset_class(name).from_options(options)
    assert dataset.graph_class is None or dataset.graph_class in GRAPH_CLASSES
    for size in (1, 2, 3, 4, 6):
        for graph in dataset.every_graph(size).graphs():
            rows = dataset.instances(graph)
            number = dataset.num_instances(size)
            # Without its walls a maze must be a tree, which is not so for most inputs.
            assert rows.shape == (min(len(rows), number) if name == "maze-pixels" else number, size)
            assert rows.dtype == np.uint8
            assert len({tuple(row) for row in rows.tolist()}) == len(rows)


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, options) for name, options in OPTIONS if name in ("distance", "path-finding", "prefix-sum")],
)
def test_what_is_drawn_is_an_instance(name, options):
    dataset = dataset_class(name).from_options(options)
    for example in dataset.generate(6, 20, np.random.default_rng(0)):
        assert example.inputs.tolist() in dataset.instances(example.graph).tolist()


@pytest.mark.parametrize("name", ["distance", "root-value", "prefix-sum", "path-finding", "elementary", "grab"])
def test_the_numbering_of_the_nodes_does_not_matter(name):
    dataset, rng = dataset_class(name)(), np.random.default_rng(0)
    for example in dataset.generate(9, 20, rng):
        graph, order = example.graph, rng.permutation(9)
        arcs = np.stack((order[graph.indices], order[graph.targets()]), axis=1)
        other = Graph.from_edges(9, arcs, directed=True, slots=graph.slots)
        inputs = np.empty_like(example.inputs)
        inputs[order] = example.inputs
        labelled = dataset.examples(GraphBatch.of([other]), inputs)
        assert labelled.labels[order].tolist() == example.labels.tolist()
        if name in ("root-value", "prefix-sum"):
            assert inputs.tolist() in dataset.instances(other).tolist()


@pytest.mark.parametrize("ring", [False, True])
def test_elementary_labels_are_those_of_padded_rows(ring):
    examples = dataset_class("elementary")(110, ring).generate(7, 40, np.random.default_rng(0), steps=3)
    rows = examples.inputs.reshape(40, 7)
    for _ in range(3):
        wide = np.pad(rows, ((0, 0), (1, 1)), mode="wrap" if ring else "constant")
        rows = 110 >> (4 * wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]) & 1
    assert examples.labels.reshape(40, 7).tolist() == rows.tolist()


def directed(size):
    return Graph.from_edges(size, [(k, k + 1) for k in range(size - 1)], directed=True)


UNDEFINED = [
    ("distance", families.path(3), [0, 0, 0], "1 node with the input root in each graph; graph 1 has 0"),
    ("distance", families.path(3), [1, 1, 0], "graph 1 has 2"),
    ("distance", families.path(3), [1, 0, 2], "inputs"),
    ("distance", families.path(3), [1, 0], "inputs must have 6 entries"),
    ("distance", Graph.from_edges(3, [(0, 1)]), [1, 0, 0], "graph 1 is not connected"),
    ("distance", directed(3), [1, 0, 0], "undirected"),
    ("path-finding", families.path(3), [1, 0, 0], "2 nodes with the input marked"),
    ("path-finding", families.cycle(3), [1, 1, 0], "defined on trees"),
    ("path-finding", Graph.from_edges(3, [(0, 0), (0, 0), (0, 1), (0, 1)]), [1, 1, 0], "defined on trees"),
    ("root-value", families.path(3), [0, 0, 0], "one node with the input root0 or root1"),
    ("root-value", families.path(3), [0, 1, 0], "root at one end; graph 1 is not"),
    ("prefix-sum", families.star(4), [2, 0, 0, 0], "root at one end"),
    ("prefix-sum", families.star(4), [0, 2, 0, 0], "root at one end"),
    ("elementary", families.path(3), [1, 0, 0], "left and a right slot"),
    ("maze-pixels", families.cycle(4), [1, 1, 2, 3], "needs nodes that form a tree without the walls"),
    ("maze-pixels", families.path(3), [2, 0, 3], "needs nodes that form a tree without the walls"),
    ("maze-pixels", families.path(3), [2, 1, 1], "1 node with the input end in each graph"),
    ("mid-point", families.cycle(3), [1, 1, 0], "defined on trees"),
    ("life", families.path(4), [1, 0, 0, 0], "must be the board"),
    ("life", families.path(3), [1, 0, 0], "no board of 3 cells"),
]


@pytest.mark.parametrize(("name", "graph", "inputs", "words"), UNDEFINED)
def test_what_a_task_is_not_defined_on_is_refused(name, graph, inputs, words):
    dataset = dataset_class(name)()
    good = next(graph for size in (2, 4) for graph in dataset.every_graph(size).graphs() if dataset.num_instances(size))
    if (good.slots is None) == (graph.slots is None) and graph.num_nodes == len(inputs):
        batch, inputs = GraphBatch.of([good, graph]), [*dataset.instances(good)[0], *inputs]
    else:
        batch = GraphBatch.of([graph] * 2 if graph.num_nodes != len(inputs) else [graph])
    with pytest.raises(GraphFSAError) as caught:
        dataset.examples(batch, np.array(inputs))
    assert words in str(caught.value)


def test_instances_on_other_graphs_are_refused():
    for name in ("root-value", "prefix-sum"):
        for graph in (families.star(4), families.cycle(4), Graph.from_edges(3, [(0, 1)]), families.path(0)):
            with pytest.raises(GraphFSAError, match="defined on paths"):
                dataset_class(name)().instances(graph)


def test_the_split_to_learn_from_has_every_small_size():
    wanted = {
        "distance": 5000,
        "path-finding": 5000,
        "mid-point": 5000,
        "root-value": 1000,
        "prefix-sum": 1534,
        "elementary": 1528,
        "noisy-distance": 5000,
        "threshold-contagion": 2070,
        "voronoi": 3180,
    }
    for name in NAMES:
        split = dataset_class(name).splits.get("learn")
        assert (split is not None) == (name in wanted)
        if split is not None:
            assert sum(count for _, count in split.parts) == wanted[name]
            smallest = {"path-finding": 2, "mid-point": 2, "elementary": 3}.get(name, 1)
            assert [size for size, _ in split.parts] == list(range(smallest, 11))
