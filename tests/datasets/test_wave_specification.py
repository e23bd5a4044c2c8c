import numpy as np
import pytest

from graphfsa import Graph, families
from graphfsa.datasets import Distance, WaveSpecification
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import all_graphs
from stress._wave_draws import Drawn, colours, distances, draw_instance, sources_of
from stress._wave_tasks import FromLeaves, Modulo, Nearest, Reached, RootBit


class Parity(WaveSpecification):
    inputs, classes, sources, period, one_source = ("node", "root"), ("even", "odd"), {"root": "r"}, 2, True

    def join(self, given, colours):
        return "r"

    def label(self, distance, colour):
        return "odd" if distance else "even"


def changed(**attributes):
    return type("Parity", (Parity,), attributes)()


@pytest.mark.parametrize("size", range(1, 7))
def test_the_statement_of_distance_is_its_definition(size):
    dataset, spec = Distance(), Distance().specifications()[0]
    for graph in all_graphs("connected", size).graphs():
        rows = dataset.instances(graph)
        for row in rows:
            inputs = [dataset.task.inputs[given] for given in row]
            found = dataset.examples(all_graphs("connected", size).of([graph]), row).labels
            assert spec.labels(graph, inputs) == [dataset.task.classes[label] for label in found]


def test_distance_offers_the_larger_class_first():
    assert [spec.graph_class for spec in Distance().specifications()] == ["connected", "tree"]
    assert [spec.graph_class for spec in Distance(graphs="tree").specifications()] == ["tree"]


def test_the_digest_is_of_what_is_said():
    assert Parity().digest == changed(sources={"root": 7}, join=lambda *_: 7).digest
    assert Parity().digest == changed(name="another name").digest == Distance().specifications()[0].digest
    others = [
        changed(one_source=False),
        changed(graph_class="tree"),
        changed(classes=("odd", "even")),
        changed(label=lambda _self, distance, _colour: "odd"),
        changed(join=lambda *_: None),
        changed(join=lambda *_: "s"),
        changed(period=1),
    ]
    assert len({spec.digest for spec in (Parity(), *others)}) == 8


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"inputs": ()}, "inputs must be distinct names, at least one"),
        ({"classes": ("a", "a")}, "classes must be distinct names"),
        ({"sources": {"leaf": 1}}, "sources must be colours of inputs"),
        ({"sources": {}}, "either sources or leaf must be given"),
        ({"leaf": 1}, "either sources or leaf must be given"),
        ({"sources": {"root": True}}, "a colour must be a string or an integer; got True"),
        ({"period": 0}, "period must be an integer >= 1; got 0"),
        ({"one_source": 1}, "one_source must be a bool"),
        ({"graph_class": "ring"}, "graph_class must be one of connected, tree, path, directed; got 'ring'"),
        ({"sources": {}, "leaf": 1}, "leaf must go with undirected graphs and with one_source = False"),
        ({"join": lambda *_: 0.5}, "must be a string, an integer or None; got 0.5"),
        ({"join": lambda *_: 1 / 0}, "failed: ZeroDivisionError"),
        ({"label": lambda *_: "left"}, "must be one of 'even', 'odd'; got 'left'"),
    ],
)
def test_what_makes_no_sense_is_refused(attributes, words):
    with pytest.raises(GraphFSAError, match="Parity") as error:
        assert changed(**attributes).table
    assert words in str(error.value)


def test_too_many_colours_or_distances_are_refused():
    with pytest.raises(LimitError, match="use fewer colours"):
        assert changed(join=lambda _self, _given, colours: f"r{''.join(sorted(colours))}").table
    with pytest.raises(LimitError, match="period times 1 colours must be <= 16,384"):
        assert changed(period=2**15).table


def test_what_is_no_instance_has_no_labels():
    path = families.path(3)
    assert Parity().labels(path, ["node"] * 3) is None
    assert Parity().labels(path, ["root"] * 3) is None
    assert changed(one_source=False).labels(path, ["root"] * 3) == ["even"] * 3
    assert RootBit().labels(families.path(1), ["root1"]) == ["1"]
    two = Nearest()
    assert two.labels(path, ["srcA", "node", "srcB"]) == ["A", "tie", "B"]
    assert two.labels(families.path(4), ["srcA", "node", "node", "srcB"]) == ["A", "A", "B", "B"]
    never = changed(one_source=False, sources={"root": 1}, join=lambda _self, _given, colours: None)
    assert never.labels(path, ["root", "node", "root"]) is None


def test_leaves_are_sources():
    assert FromLeaves().labels(families.path(5), ["node"] * 5) == ["even", "odd", "even", "odd", "even"]
    assert FromLeaves().labels(families.cycle(4), ["node"] * 4) is None
    assert FromLeaves().labels(families.path(1), ["node"]) == ["even"]


def test_nodes_that_nobody_reaches_have_no_label():
    graph = Graph.from_edges(4, [(0, 1), (2, 1), (1, 1), (1, 3), (1, 3)], directed=True)
    assert Reached().labels(graph, ["source", "node", "node", "node"]) == ["yes", "yes", None, "yes"]
    assert Reached().labels(graph, ["node"] * 4) == [None] * 4
    assert Modulo(3, "directed").labels(graph, ["node", "node", "root", "node"]) == [None, "d1", "d0", "d2"]


@pytest.mark.parametrize(
    ("spec", "graph"),
    [
        (Parity(), Graph.from_edges(2, [(0, 1)], directed=True)),
        (Parity(), Graph.from_edges(2, [])),
        (Parity(), Graph.from_edges(2, [(0, 1), (0, 0)])),
        (Parity(), Graph.from_edges(2, [(0, 1), (0, 1)])),
        (Modulo(2, "tree"), families.cycle(3)),
        (Modulo(2, "path"), families.star(4)),
    ],
)
def test_other_graphs_are_refused(spec, graph):
    with pytest.raises(GraphFSAError, match="is about"):
        spec.labels(graph, ["root", *["node"] * (graph.num_nodes - 1)])


def test_labels_are_those_of_brute_force():
    rng, admitted = np.random.default_rng(5), 0
    for _ in range(150):
        spec = Drawn(rng)
        graph, inputs = draw_instance(rng, spec, 9)
        away = distances(graph, sources_of(spec, graph, inputs))
        found = colours(spec, graph, inputs, away)
        labels = spec.labels(graph, inputs)
        if found is None or (spec.graph_class != "directed" and 0 not in away):
            assert labels is None
            continue
        admitted += 1
        pairs = zip(away, found, strict=True)
        assert labels == [None if d is None else spec.label(d % spec.period, colour) for d, colour in pairs]
    assert admitted > 50
