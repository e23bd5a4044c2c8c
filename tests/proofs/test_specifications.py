"""Specifications of users: compared with their data sets, refused if they are too large, and never a traceback."""

import numpy as np
import pytest

from graphfsa import CountingAggregation, GraphFSA, TreeSpecification, library, prove
from graphfsa.datasets import (
    BriansBrain,
    Elementary,
    EvolutionSpecification,
    HexLife,
    Life,
    WaveSpecification,
    WireWorld,
)
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs.families import path
from graphfsa.proofs import check_specification, find_specification


class Plain(TreeSpecification):
    inputs, classes, messages = ("a",), ("done",), ("m",)

    def send(self, given, counts):
        return "m"

    def label(self, given, counts):
        return "done"


class High(Life):
    """Labels of Life, and a specification of HighLife."""

    name = "life-but-high"

    def specifications(self):
        return Life(rule="B36/S23").specifications()


def test_local_rules_are_compared_with_their_data_sets():
    with pytest.raises(GraphFSAError, match=r"must say what life-but-high says; on the board \d x \d with cells"):
        prove(library.life_like("B36/S23"), High())
    for dataset in (Life(), Life(torus=False), BriansBrain(), HexLife(), WireWorld(), Elementary(rule=110)):
        for spec in dataset.specifications():
            assert check_specification(spec, dataset) > 4
    other = EvolutionSpecification("other", ("off", "on"), "moore", True, lambda state, seen: state)
    with pytest.raises(GraphFSAError, match="other must have the inputs and classes of life, dead, alive"):
        check_specification(other, Life())


@pytest.mark.parametrize("wrong", [("dead", 6), ("alive", 0), ("alive", 8)])
def test_one_wrong_move_of_a_local_rule_is_noticed(wrong):
    (_, right) = Life().specifications()

    def move(state, seen):
        after = right.move(state, seen)
        return after if (state, seen["alive"]) != wrong else "alive" if after == "dead" else "dead"

    spec = EvolutionSpecification("nearly", right.states, "moore", True, move)
    with pytest.raises(GraphFSAError, match="nearly must say what life says"):
        check_specification(spec, Life())


class Reached(WaveSpecification):
    inputs, classes, sources, graph_class = ("node", "root"), ("yes",), {"root": 0}, "directed"

    def join(self, given, colours):
        return 0

    def label(self, distance, colour):
        return "yes"


def test_directed_graphs_are_compared(monkeypatch):
    """With a data set that says the same, and with one that forgets loops and arcs back."""
    assert check_specification(Reached()) > 500
    assert check_specification(Reached(), _directed(lambda graph: graph)) > 500
    with pytest.raises(GraphFSAError, match=r"Reached must say what told says; on the graph with edges 1->0 and"):
        check_specification(Reached(), _directed(lambda graph: None))


def _directed(seen):
    """A data set by the labels of the specification; where ``seen`` gives None nobody is reached but sources."""
    spec = Reached()

    class Told:
        name, task = "told", spec.table.task

        def instances(self, graph):
            return np.array(list(np.ndindex(*(2,) * graph.num_nodes)), np.uint8)

        def examples(self, graphs, inputs):
            labels = []
            for graph, row in zip(graphs.graphs(), inputs.reshape(len(graphs), -1), strict=True):
                names = [spec.inputs[k] for k in row]
                right = spec.labels(graph, names)
                labels += right if seen(graph) else ["yes" if name == "root" else None for name in names]
            mask = np.array([label is not None for label in labels])
            return type("Examples", (), {"labels": np.zeros(len(mask), int), "mask": mask})()

    return Told()


def huge(**attributes):
    return type("Huge", (Plain,), attributes)()


@pytest.mark.parametrize(
    "spec",
    [
        huge(max_degree=10**6),
        huge(messages=("m", *"abcd"), max_degree=30),
        huge(messages=("m", *"abcdefghijk")),
        huge(messages=("m", *"abcdefghijklnopqrst"), bounds=dict.fromkeys("mabcdefghijklnopqrst", 0)),
        huge(bounds={"m": 10**9}),
    ],
)
def test_too_many_surroundings_are_refused_before_anything_is_asked(spec):
    with pytest.raises(
        (LimitError, GraphFSAError),
        match=r"surroundings of a node apart.*use|max_degree must be|the bound of 'm' must be an integer from 0 to 255",
    ):
        check_specification(spec)


def test_the_largest_bound_ends_soon():
    fsa = GraphFSA(["a", "done"], CountingAggregation(1), [[1] * 4] * 2, starting_states=["a"], final_states=["done"])
    found = prove(fsa, spec=huge(bounds={"m": 255}), max_nodes=4)
    assert found.verdict in ("proved", "undecided")


@pytest.mark.parametrize(
    ("max_degree", "graph_class"), [(None, "connected"), (None, "directed"), (2, "tree"), (None, "path")]
)
def test_messages_are_about_trees_and_paths_only(max_degree, graph_class):
    with pytest.raises(GraphFSAError, match=r"Huge: graph_class must be '(tree|path)'"):
        check_specification(huge(max_degree=max_degree, graph_class=graph_class))


def _exits(self, *_):
    raise SystemExit(3)


def _fails(self, *_):
    raise ZeroDivisionError("x")


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        (
            {"label": lambda *_: np.array(["done", "done"])},
            r"label\('a', \{'m': 0\}\) must be one of 'done' or None",
        ),
        ({"__init__": _fails}, r"Bad\(\) failed: ZeroDivisionError: x"),
        ({"__init__": lambda self, x: None}, "Bad must be buildable without arguments"),
        ({"inputs": property(_fails)}, "Bad: inputs failed: ZeroDivisionError: x"),
        ({"name": 5}, "Bad: name must be a string; got 5"),
        ({"send": _exits}, r"Bad: send\('a', \{'m': 0\}\) failed: SystemExit: 3"),
        ({"send": lambda self, *arguments: self.send(*arguments)}, "failed: RecursionError"),
    ],
)
def test_whatever_fails_is_named(attributes, words):
    bad = type("Bad", (Plain,), attributes)
    with pytest.raises(GraphFSAError, match=words):
        check_specification(find_specification(bad))


def test_counts_are_not_shared_between_questions():
    class Writes(Plain):
        classes = ("alone", "not")

        def send(self, given, counts):
            counts["m"] = 0
            return "m"

        def label(self, given, counts):
            return "not" if counts["m"] else "alone"

    assert Writes().labels(path(3), ["a"] * 3) == ["not"] * 3
