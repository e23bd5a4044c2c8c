"""A task of one's own needs little, and works wherever a built-in one does."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from math import comb

import networkx as nx
import numpy as np
import pytest

from graphfsa import CountingAggregation, GraphFSA, library
from graphfsa.analysis.coverage import coverage
from graphfsa.analysis.identifiability import suggest
from graphfsa.analysis.verification import load_certificate, recheck, save_certificate, verify
from graphfsa.datasets import (
    CustomTask,
    Dataset,
    Distance,
    Split,
    TaskGraph,
    as_dataset,
    dataset_class,
    dataset_names,
    divided,
    draw,
    draw_training,
    entry_counts,
    overlap,
    training_data,
)
from graphfsa.errors import GraphFSAError, LimitError, UnknownNameError
from graphfsa.graphs import Graph, GraphBatch, families, to_networkx
from graphfsa.learners.exact import ExactLearner
from graphfsa.plugins import find_plugin


@pytest.fixture(autouse=True)
def nothing_stays_defined(monkeypatch):
    """Tasks that a test defines are gone after it."""
    monkeypatch.setattr(Dataset, "_defined", list(Dataset._defined))


class NearMark(CustomTask):
    """On trees: is the marked node here or next to here?"""

    inputs = ("plain", "marked")
    classes = ("no", "yes")
    graphs = "tree"
    exactly = {"marked": 1}  # noqa: RUF012

    def label(self, graph, inputs):
        away = graph.distances(inputs.index("marked"))
        return ["yes" if distance <= 1 else "no" for distance in away]


def near_mark():
    def move(state, seen):
        if state in ("no", "yes"):
            return state
        return "yes" if state == "marked" or seen["marked"] else "no"

    names = ["no", "yes", "plain", "marked"]
    return GraphFSA.from_rule(
        names, CountingAggregation(1), move, starting_states=["plain", "marked"], final_states=["no", "yes"]
    )


class Ends(CustomTask):
    """On paths: is a node an end? What an end is can be seen."""

    inputs = ("node",)
    classes = ("inner", "end")
    graphs = "path"

    def label(self, graph, inputs):
        return ["end" if len(graph.neighbours(node)) < 2 else "inner" for node in graph.nodes]


def ends():
    def move(state, seen):
        return state if state != "node" else "inner" if seen["node"] == 2 else "end"

    names = ["end", "inner", "node"]
    return GraphFSA.from_rule(
        names, CountingAggregation(2), move, starting_states=["node"], final_states=["end", "inner"]
    )


@dataclass(frozen=True)
class Reached(CustomTask):
    """On connected graphs: distance from the root modulo a number; far nodes do not count."""

    within: int = 9

    inputs = ("root", "node")
    classes = ("even", "odd")
    graphs = "connected"
    exactly = {"root": 1}  # noqa: RUF012

    def label(self, graph, inputs):
        away = nx.single_source_shortest_path_length(to_networkx(graph), inputs.index("root"))
        names = ["even", "odd"]
        return [names[away[node] % 2] if away[node] <= self.within else None for node in graph.nodes]


class Spread(CustomTask):
    """An evolution on rings: whoever is next to an ill cell falls ill."""

    states = ("well", "ill")
    graphs = "cycle"

    def label(self, graph, inputs):
        return [
            "ill" if "ill" in [inputs[node], *(inputs[k] for k in graph.neighbours(node))] else "well"
            for node in graph.nodes
        ]


def spread():
    return GraphFSA.from_rule(
        ["well", "ill"], CountingAggregation(1), lambda state, seen: "ill" if seen["ill"] else state
    )


CASES = [(NearMark(), near_mark()), (Ends(), ends()), (Reached(), library.distance()), (Spread(), spread())]


@pytest.mark.parametrize(("task", "fsa"), CASES, ids=lambda value: getattr(value, "name", ""))
def test_an_automaton_written_by_hand_is_verified(task, fsa):
    assert verify(fsa, task, 6).verified
    used = entry_counts(fsa, task.generate(3, 20, np.random.default_rng(0)))
    used[list(fsa.final_states)] = 0
    state, value = np.argwhere(used)[0].tolist()
    changed = fsa.with_entry(state, value, (int(fsa.transition_table[state, value]) + 1) % 2)
    found = verify(changed, task, 6)
    assert not found.verified
    assert found.counterexample.graph.num_nodes <= 3


@pytest.mark.parametrize(("task", "fsa"), CASES, ids=lambda value: getattr(value, "name", ""))
def test_it_is_drawn_from_like_any_other(task, fsa):
    for size in (3, 5, 8, 30):
        drawn = task.generate(size, 20, np.random.default_rng(size))
        assert (len(drawn), set(drawn.sizes.tolist())) == (20, {size})
        assert drawn.accuracy(fsa) == 1.0
        assert task.generate(size, 20, np.random.default_rng(size)).digest == drawn.digest
        assert task.examples(drawn.graphs, drawn.inputs).digest == drawn.digest
    for name in ("train", "validation", "test", "learn"):
        assert all(task.num_instances(size) for size, _ in task.splits[name].parts)
    assert len(task.generate(4, 0, np.random.default_rng(0))) == 0
    train = draw_training(task, np.random.default_rng(0), sizes=[4, 5], count=30)
    assert len(train) == 30
    if divided(task, 8):
        test = draw(task, 8, 20, np.random.default_rng(0), "test")
        assert not overlap(draw(task, 8, 40, np.random.default_rng(1), "train"), test).any()


@pytest.mark.parametrize(("task", "fsa"), CASES, ids=lambda value: getattr(value, "name", ""))
def test_instances_are_as_many_as_said(task, fsa):
    for size in range(1, 6):
        for graph in task.every_graph(size).graphs():
            rows = task.instances(graph)
            assert rows.shape == (task.num_instances(size), size)
            assert rows.dtype == np.uint8
            assert len({tuple(row) for row in rows.tolist()}) == len(rows)


def test_several_fixed_inputs_are_counted_listed_and_drawn():
    class Three(CustomTask):
        inputs = ("a", "b", "c", "d")
        classes = ("x",)
        graphs = "path"
        exactly = {"b": 2, "d": 1}  # noqa: RUF012

        def label(self, graph, inputs):
            return ["x"] * len(inputs)

    task = Three()
    assert [task.num_instances(size) for size in range(6)] == [0, 0, 0, 3, 24, comb(5, 2) * 3 * 4]
    rows = task.instances(families.path(5))
    assert len({tuple(row) for row in rows.tolist()}) == len(rows) == 120
    for row in [*rows, *task.generate(5, 50, np.random.default_rng(0)).inputs.reshape(50, 5)]:
        assert ((row == 1).sum(), (row == 3).sum()) == (2, 1)
    assert task.splits["learn"].parts[0][0] == 3
    with pytest.raises(GraphFSAError, match="a graph of three must have at least 3 nodes; got 2"):
        task.generate(2, 1, np.random.default_rng(0))
    with pytest.raises(LimitError, match="Choose smaller graphs"):
        task.instances(families.path(40))


class Rooted(CustomTask):
    """One node is the root, and any may be marked: is it marked?"""

    inputs = ("root0", "root1", "node0", "node1")
    classes = ("no", "yes")
    graphs = "tree"
    exactly = {("root0", "root1"): 1}  # noqa: RUF012

    def label(self, graph, inputs):
        return ["yes" if name.endswith("1") else "no" for name in inputs]


def test_inputs_whose_number_is_fixed_together_are_counted_listed_and_drawn():
    task = Rooted()
    assert [task.num_instances(size) for size in range(4)] == [0, 2, 2 * 2 * 2, 3 * 2 * 4]
    rows = task.instances(families.path(3))
    assert len({tuple(row) for row in rows.tolist()}) == len(rows) == 24
    drawn = task.generate(9, 100, np.random.default_rng(0)).inputs.reshape(100, 9)
    for row in [*rows, *drawn]:
        assert (row < 2).sum() == 1
    assert set(drawn[drawn < 2].tolist()) == {0, 1}
    with pytest.raises(GraphFSAError, match="rooted needs 1 node with the input root0 or root1 in each graph; graph 0"):
        task.examples(GraphBatch.of([families.path(2)]), np.array([0, 1]))
    with pytest.raises(GraphFSAError, match="exactly says 1 root0 or root1; choose another"):
        type("Only", (Rooted,), {"inputs": ("root0", "root1")})().generate(3, 1, np.random.default_rng(0))


def test_inputs_of_ones_own():
    class Drawn(Rooted):
        """The root is a leaf, and never marked; where chance marks everything, another graph is drawn."""

        def draw_inputs(self, graph, rng):
            leaf = graph.degrees.tolist().index(1)
            return ["root0" if node == leaf else f"node{rng.integers(2)}" for node in graph.nodes]

        def admits(self, graph, inputs):
            return "node0" in inputs

    task = Drawn()
    drawn = task.generate(5, 50, np.random.default_rng(0))
    assert all(names.count("root0") == 1 and "node0" in names for names in (one.input_names for one in drawn))
    assert drawn.digest == task.generate(5, 50, np.random.default_rng(0)).digest
    assert len(task.generate(5, 0, np.random.default_rng(0))) == 0
    tree = TaskGraph.of(families.path(4))
    assert sum(name.startswith("root") for name in Rooted().draw_inputs(tree, np.random.default_rng(0))) == 1


@pytest.mark.parametrize("found", [["root0"], ["root0", "leaf"], None, ["root0", ["node0"]]])
def test_bad_inputs_of_ones_own_are_named(found):
    task = type("Bad", (Rooted,), {"draw_inputs": lambda self, graph, rng: found})()
    with pytest.raises(GraphFSAError) as error:
        task.generate(2, 1, np.random.default_rng(0))
    assert "bad: draw_inputs must return one of root0, root1, node0, node1 for each of 2 nodes" in str(error.value)


def test_all_inputs_fixed_leave_one_size():
    class Pair(CustomTask):
        inputs = ("a", "b")
        classes = ("x", "y")
        graphs = "connected"
        exactly = {"a": 1, "b": 1}  # noqa: RUF012

        def label(self, graph, inputs):
            return ["x" if name == "a" else "y" for name in inputs]

    assert [Pair().num_instances(size) for size in range(1, 4)] == [0, 2, 0]
    assert {size for split in Pair.splits.values() for size, _ in split.parts} == {2}
    with pytest.raises(GraphFSAError, match="pair has no inputs on 3 nodes: exactly says 1 a, 1 b; choose another"):
        Pair().generate(3, 1, np.random.default_rng(0))


def test_only_what_is_admitted_is_asked_about():
    class Apart(CustomTask):
        """Marked nodes are never neighbours."""

        inputs = ("plain", "marked")
        classes = ("no", "yes")
        graphs = "tree"

        def admits(self, graph, inputs):
            return not any(inputs[u] == inputs[v] == "marked" for u, v in graph.edges)

        def label(self, graph, inputs):
            assert self.admits(graph, inputs)
            near = [any(inputs[k] == "marked" for k in graph.neighbours(node)) for node in graph.nodes]
            return ["yes" if name == "marked" or seen else "no" for name, seen in zip(inputs, near, strict=True)]

    task = Apart()
    assert len(task.instances(families.path(3))) == 5
    found = verify(near_mark(), task, 4)
    assert found.verified
    assert [count.instances for count in found.sizes] == [2, 3, 5, 8 + 9]
    drawn = task.generate(9, 30, np.random.default_rng(0))
    assert len(drawn) == 30
    assert drawn.accuracy(near_mark()) == 1.0

    class Never(Apart):
        def admits(self, graph, inputs):
            return False

    with pytest.raises(GraphFSAError, match=r"never: of [0-9,]+ graphs of 3 nodes, admits lets 0 through"):
        Never().generate(3, 2, np.random.default_rng(0))
    with pytest.raises(GraphFSAError, match="never admits no inputs"):
        verify(near_mark(), Never(), 3)


def test_steps_and_graphs_of_ones_own():
    class Grid(NearMark):
        graphs = "connected"

        def steps(self, graph):
            return graph.num_nodes

        def draw_graph(self, size, rng):
            return nx.star_graph(size - 1) if rng.random() < 0.5 else families.cycle(size)

    drawn = Grid().generate(7, 40, np.random.default_rng(0))
    assert set(drawn.steps.tolist()) == {7}
    assert {graph.num_arcs for graph in drawn.graphs.graphs()} == {12, 14}
    assert drawn.accuracy(near_mark()) == 1.0

    class Wrong(Grid):
        def draw_graph(self, size, rng):
            return families.path(size + 1)

    with pytest.raises(GraphFSAError, match="draw_graph must return a graph of 7 nodes; got Graph"):
        Wrong().generate(7, 1, np.random.default_rng(0))


def test_only_graphs_that_are_drawn_are_labelled():
    """A task that draws its own graphs, or small ones never, need not be defined on all small graphs."""

    class OnPaths(NearMark):
        graphs = "connected"

        def draw_graph(self, size, rng):
            return nx.path_graph(size)

        def label(self, graph, inputs):
            assert len(graph.edges) == graph.num_nodes - 1
            return super().label(graph, inputs)

    class OnSix(NearMark):
        splits = dict.fromkeys(("train", "validation", "test"), Split(((6, 10),)))

        def label(self, graph, inputs):
            assert graph.num_nodes >= 6
            return super().label(graph, inputs)

    for task in (OnPaths(), OnSix()):
        assert task.generate(6, 10, np.random.default_rng(0)).accuracy(near_mark()) == 1.0

    def by_number(self, graph, inputs):
        return ["yes" if node == 0 else "no" for node in graph.nodes]

    for kind in (OnPaths, OnSix):
        task = type("Numbered", (kind,), {"label": by_number})()
        with pytest.raises(GraphFSAError, match="labels must not depend on how the nodes are numbered"):
            task.generate(6, 10, np.random.default_rng(0))


def test_an_evolution_over_several_steps():
    task = Spread()
    assert task.task.kind == "evolution"
    inputs = np.array([1, 0, 0, 0, 0, 0, 0])
    batch = GraphBatch.of([families.cycle(7)])
    assert task.examples(batch, inputs).labels.tolist() == [1, 1, 0, 0, 0, 0, 1]
    assert task.examples(batch, inputs, steps=2).labels.tolist() == [1, 1, 1, 0, 0, 1, 1]
    assert task.examples(batch, inputs, steps=0).labels.tolist() == inputs.tolist()


def test_options_are_fields():
    few = as_dataset(Reached, {"within": "1"})
    assert few == Reached(within=1) != Reached()
    assert few.options() == {"within": 1}
    labelled = few.examples(GraphBatch.of([families.path(4)]), np.array([0, 1, 1, 1]))
    assert labelled.mask.tolist() == [True, True, False, False]
    assert Reached().examples(GraphBatch.of([families.path(4)]), np.array([0, 1, 1, 1])).mask.all()
    with pytest.raises(GraphFSAError, match="unknown option 'far' of reached; valid options: within"):
        as_dataset("reached", {"far": 1})


@dataclass(frozen=True, eq=False)
class Tuned(NearMark):
    share: float = 0.5
    pair: tuple[int, ...] = (1, 2)
    rows: tuple[tuple[int, ...], ...] = ((1,),)
    names: tuple[str, ...] = ()


def test_options_are_of_the_kind_of_their_defaults():
    said = as_dataset(Tuned, {"share": "0.7", "pair": "3, 4,5", "names": "a,b"})
    assert said.options() == {"share": 0.7, "pair": (3, 4, 5), "rows": ((1,),), "names": ("a", "b")}
    stored = Tuned.from_options({"share": 1, "pair": [], "rows": [[1, 2], [3]], "names": ["a"]})
    assert stored.options() == {"share": 1.0, "pair": (), "rows": ((1, 2), (3,)), "names": ("a",)}
    assert isinstance(stored.share, float)
    assert Tuned.from_options(json.loads(json.dumps(said.options()))) == said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"share": "half"}, "option share must be a number; got 'half'"),
        ({"share": "nan"}, "option share must be a number; got 'nan'"),
        ({"share": True}, "option share must be a number; got True"),
        ({"pair": "1,x"}, "option pair must be an integer >= 0; got 'x'"),
        ({"pair": 3}, "option pair must be a list of values; got 3"),
    ],
)
def test_options_of_another_kind_are_refused(options, words):
    with pytest.raises(GraphFSAError) as error:
        as_dataset(Tuned, options)
    assert str(error.value) == words


def test_classes_that_can_not_be_built_are_refused():
    class Unsaid(CustomTask):
        inputs = classes = ("a", "b")

    @dataclass(frozen=True, eq=False)
    class Needy(NearMark):
        far: int

    with pytest.raises(GraphFSAError, match=r"^Unsaid must define label to be a data set$"):
        as_dataset(Unsaid)
    with pytest.raises(GraphFSAError, match=r"^Needy: every option must have a default; far has none$"):
        Needy.from_options({"far": 1})


@pytest.mark.parametrize("ask", ["instances", "generate"])
def test_admits_must_say_yes_or_no(ask):
    task = defined(admits=lambda self, graph, inputs: np.array([True, False]))()
    with pytest.raises(GraphFSAError, match=r"^odd: admits must return True or False; got numpy\.ndarray$"):
        task.instances(families.path(2)) if ask == "instances" else task.generate(2, 1, np.random.default_rng(0))


@pytest.mark.parametrize("error", [SystemExit(5), ValueError("5")])
def test_code_that_fails_or_exits_is_named(error):
    def fails(self, graph, inputs):
        raise error

    with pytest.raises(GraphFSAError, match=f"^odd: label failed: {type(error).__name__}: 5 in line [0-9]+ of .*py$"):
        defined(label=fails)().generate(2, 1, np.random.default_rng(0))


def test_code_that_fails_in_a_library_is_named_by_its_own_line():
    def fails(self, graph, inputs):
        return json.loads("{")

    line = fails.__code__.co_firstlineno + 1
    with pytest.raises(GraphFSAError, match=f"in line {line} of {re.escape(__file__)}$"):
        defined(label=fails)().generate(2, 1, np.random.default_rng(0))


def test_one_size_and_no_size():
    found = training_data("near-mark", sizes=4, count=10)
    assert set(found.train.sizes.tolist()) == set(found.validation.sizes.tolist()) == {4}
    assert found.drawn == training_data("near-mark", sizes=[4], count=10).drawn
    assert draw_training(NearMark(), np.random.default_rng(0), sizes=4, count=3).sizes.tolist() == [4, 4, 4]
    with pytest.raises(GraphFSAError, match="sizes must name at least one size"):
        Split(((3, 1),)).resized([], None)
    with pytest.raises(GraphFSAError, match=r"sizes must be a list of integers; got 4\.5"):
        draw_training(NearMark(), np.random.default_rng(0), sizes=4.5)


def test_nothing_is_not_verified():
    nothing = NearMark().generate(3, 1, np.random.default_rng(0)).select([])
    with pytest.raises(GraphFSAError, match="at least one labelled graph"):
        verify(near_mark(), nothing)


def test_learn_suggest_coverage_and_certificates(tmp_path):
    task = as_dataset("near-mark")
    train = draw_training(task, np.random.default_rng(0))
    model = ExactLearner(states=4, bound=1).fit(train)
    assert model.verdict == "exact"
    found = verify(model.automaton, task, 7)
    assert found.verified
    save_certificate(found, model.automaton, tmp_path / "c.json", task)
    assert load_certificate(tmp_path / "c.json").dataset == task
    assert recheck(tmp_path / "c.json", model.automaton).agrees
    assert coverage(model.automaton, train).wrong == 0
    assert suggest(model.automaton, train, max_nodes=3, dataset=task).determined is not None


def test_it_has_no_automaton_of_its_own():
    with pytest.raises(GraphFSAError, match="no automaton for near-mark is known; learn one"):
        NearMark().automaton()


def labelled_as(found):
    class Bad(CustomTask):
        inputs = ("a",)
        classes = ("x", "y")
        graphs = "path"

        def label(self, graph, inputs):
            return found(graph) if callable(found) else found

    return Bad()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (["x"], "bad: label must return one class per node, 2; got 1 for the inputs a, a"),
        (["x", "z"], "bad: the label of node 1 must be one of x, y, or None if it does not count; got 'z'"),
        (["x", 1], "bad: the label of node 1 must be one of x, y, or None if it does not count; got 1"),
        ("xy", "bad: label must return a list of classes, one per node; got 'xy'"),
        (None, "bad: label must return a list of classes, one per node; got None"),
        (lambda graph: ["x", "y", "x"][: graph.num_nodes], "bad: labels must not depend on how the nodes are numbered"),
        (lambda graph: 1 / 0, "bad: label failed: ZeroDivisionError: division by zero in line "),
    ],
)
def test_bad_labels_are_named(found, words):
    with pytest.raises(GraphFSAError) as error:
        labelled_as(found).generate(2, 1, np.random.default_rng(0))
    assert words in str(error.value)


def defined(**attributes):
    return type("Odd", (NearMark,), attributes)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"inputs": "ab"}, "odd: inputs must be a list of names; got 'ab'"),
        ({"classes": None}, "odd: classes must be a list of names; got None"),
        ({"graphs": "forest"}, "unknown class of graphs 'forest'; valid names: connected, cycle, path"),
        ({"exactly": {"marks": 1}}, "unknown input of odd in exactly 'marks'"),
        ({"exactly": {"marked": -1}}, "number of nodes with the input marked must be an integer >= 0; got -1"),
        ({"exactly": ["marked"]}, "odd: exactly must be {input: number of nodes that have it}; got ['marked']"),
        ({"exactly": {(): 1}}, "odd: exactly must be {input: number of nodes that have it}; got {(): 1}"),
        ({"exactly": {5: 1}}, "input of odd in exactly"),
        ({"exactly": {"marked": 1, ("plain", "marked"): 1}}, "exactly must say each input once; marked is there twice"),
        ({"splits": 5}, "odd: splits must be {name: Split}; got 5"),
        ({"splits": {"train": 1}}, "odd: the split train must be a Split; got 1"),
        ({"splits": {"train": Split(5)}}, "odd: the parts of the split train must be pairs (size, count); got 5"),
        ({"splits": {"train": Split(((3, 1),))}}, "odd: splits must have train, validation and test; validation is"),
        ({"inputs": ("plain", "marked", "plain")}, "inputs of a task must be 1 to 256 distinct names"),
        (
            {"states": ("a", "b"), "exactly": {}, "label": lambda self, graph, inputs: [None] * len(inputs)},
            "must be one of a, b; got None",
        ),
    ],
)
def test_bad_definitions_are_refused(attributes, words):
    with pytest.raises(GraphFSAError) as error:
        defined(**attributes)().generate(2, 1, np.random.default_rng(0))
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("graph", "inputs", "words"),
    [
        (families.cycle(3), [1, 0, 0], "near-mark is defined on trees"),
        (Graph.from_edges(3, [(0, 1)]), [1, 0, 0], "near-mark is defined on connected graphs"),
        (Graph.from_edges(2, [(0, 1)], directed=True), [1, 0], "near-mark is defined on undirected graphs"),
        (families.row(3), [1, 0, 0], "near-mark is defined on graphs without neighbour slots"),
        (families.path(3), [1, 1, 0], "near-mark needs 1 node with the input marked in each graph; graph 0 has 2"),
        (families.path(3), [2, 1, 0], "inputs[0] must be from 0 to 1; got 2"),
    ],
)
def test_what_it_is_not_defined_on_is_refused(graph, inputs, words):
    with pytest.raises(GraphFSAError) as error:
        NearMark().examples(GraphBatch.of([graph]), np.array(inputs))
    assert words in str(error.value)


def test_the_graph_that_is_labelled():
    arcs = TaskGraph.of(Graph.from_edges(4, [(0, 1), (1, 2)], directed=True))
    assert arcs.edges == [(0, 1), (1, 2)]
    assert arcs.distances(0) == [0, 1, 2, None]
    assert arcs.distances(2, 1) == [None, 0, 0, None]
    assert arcs.distances() == [None] * 4
    assert to_networkx(TaskGraph.of(families.star(4))).number_of_edges() == 3


def test_labels_of_small_graphs_are_computed_once():
    seen = []

    class Counted(Ends):
        def label(self, graph, inputs):
            seen.append(graph.num_nodes)
            return super().label(graph, inputs)

    task = Counted()
    task.generate(6, 50, np.random.default_rng(0))
    assert seen.count(6) == 1
    task.generate(40, 3, np.random.default_rng(0))
    assert seen.count(40) == 3


TEXT = '''
import graphfsa.datasets as data


class Lonely(data.CustomTask):
    """Is a node alone?"""

    inputs = ("node",)
    classes = ("alone", "not")
    graphs = "path"

    def label(self, graph, inputs):
        return ["not" if len(graph.neighbours(node)) else "alone" for node in graph.nodes]
'''


def test_a_class_in_a_file(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(TEXT)
    found = find_plugin(Dataset, f"{file}:Lonely")
    assert issubclass(found, CustomTask)
    assert as_dataset(f"{file}:Lonely") == found()
    assert "lonely" in dataset_names()
    assert dataset_class("lonely") is found
    with pytest.raises(UnknownNameError, match="Lonely"):
        as_dataset(f"{file}:Lonley")
    broken = tmp_path / "broken.py"
    broken.write_text("inputs = (")
    with pytest.raises(GraphFSAError, match="SyntaxError"):
        as_dataset(f"{broken}:Lonely")


def test_a_class_of_an_installed_package(tmp_path):
    """In a process of its own, so that the package is found as an installed one is."""
    (tmp_path / "lonely_package.py").write_text(TEXT)
    facts = tmp_path / "lonely_package-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: lonely-package\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[graphfsa.datasets]\nlonely = lonely_package:Lonely\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from graphfsa.datasets import as_dataset, dataset_names\n"
        "assert 'lonely' in dataset_names()\n"
        "print(as_dataset('lonely').task.classes)\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.stdout.strip() == "('alone', 'not')", answer.stderr


@pytest.mark.parametrize("given", ["distance", Distance, Distance(), "distance"])
def test_a_data_set_by_name_class_or_itself(given):
    assert as_dataset(given) == Distance()


def test_what_is_no_data_set():
    with pytest.raises(GraphFSAError, match="a data set must be a name, a class, a function or a Dataset; got int"):
        as_dataset(3)
    with pytest.raises(GraphFSAError, match="options must be given when distance is built; got graphs"):
        as_dataset(Distance(), {"graphs": "tree"})
    with pytest.raises(UnknownNameError, match="did you mean 'distance'"):
        as_dataset("distnace")
    assert as_dataset("distance", {"graphs": "tree"}) == Distance(graphs="tree")
    assert as_dataset("elementary", {"rule": 110, "ring": True}).ring
    with pytest.raises(GraphFSAError, match="option rule must be an integer"):
        as_dataset("elementary", {"rule": "x"})
    with pytest.raises(GraphFSAError, match="option rule must be an int; got float"):
        as_dataset("elementary", {"rule": 1.5})
