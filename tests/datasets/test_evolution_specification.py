import numpy as np
import pytest

from graphfsa import families
from graphfsa.datasets import BriansBrain, Elementary, EvolutionSpecification, HexLife, Life, WireWorld
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch, Lattice

BOARDS = [kind(torus=torus) for kind in (Life, HexLife, WireWorld, BriansBrain) for torus in (False, True)]
ROWS = [Elementary(rule=rule, ring=ring) for rule in (30, 42, 110, 184) for ring in (False, True)]


@pytest.mark.parametrize("dataset", [*BOARDS, *ROWS], ids=repr)
def test_the_statement_is_the_definition_on_small_boards(dataset):
    rng = np.random.default_rng(0)
    names = dataset.task.inputs
    met = set()
    for size in (1, 2, 3, 4, 6, 8, 9, 12, 16, 20):
        for graph in dataset.every_graph(size).graphs():
            rows = dataset.instances(graph) if len(names) ** size <= 600 else rng.integers(0, len(names), (60, size))
            rows = np.array(rows, np.uint8)
            batch = GraphBatch.repeat(graph, len(rows))
            after = dataset.examples(batch, rows.reshape(-1), steps=1).labels.reshape(rows.shape)
            sides = (size,) if graph.lattice.height == 1 else (graph.lattice.height, graph.lattice.width)
            for spec in dataset.specifications():
                if min(sides) >= spec.least_side:
                    met.add(spec.least_side)
                    for row, label in zip(rows, after, strict=True):
                        found = spec.labels(graph, [names[state] for state in row])
                        assert found == [names[state] for state in label]
    assert met == {spec.least_side for spec in dataset.specifications()}


def test_a_cell_sees_what_lattices_show():
    def degrees(spec):
        return [len(sight) for sight in spec.table.sights]

    assert [degrees(spec) for spec in Life().specifications()] == [[3, 5, 8], [8]]
    assert [degrees(spec) for spec in Life(torus=False).specifications()] == [[3, 5, 8]]
    assert [degrees(spec) for spec in HexLife().specifications()][1] == [6]
    one, more = Elementary().specifications()
    assert set(one.table.sights) - set(more.table.sights) == {(False, False)}
    assert Elementary(ring=True).specifications()[0].table.sights == ((True, True),)


@pytest.mark.parametrize("kind", ["moore", "von-neumann", "hex"])
@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("least", [1, 2, 3])
def test_larger_boards_have_no_other_cells(kind, torus, least):
    spec = EvolutionSpecification("stay", ("a",), kind, torus, lambda state, _seen: state, least_side=least)
    known = {len(sight) for sight in spec.table.sights}
    for height in range(least, 9):
        for width in range(least, 9):
            if not (kind == "hex" and torus and height % 2):
                graph = Graph.from_lattice(Lattice(kind, height, width, torus=torus))
                assert set(graph.degrees.tolist()) <= known


def test_the_digest_is_of_what_is_said():
    one, two = Life().specifications()
    assert one.digest == Life(rule="B3/S23").specifications()[0].digest
    assert len({one.digest, two.digest, Life(rule="B36/S23").specifications()[0].digest}) == 3
    assert one.digest != Life(torus=False).specifications()[0].digest


def test_other_graphs_are_refused():
    with pytest.raises(GraphFSAError, match="life is about a moore torus with sides of 3 or more; got"):
        Life().specifications()[1].labels(families.moore(2, 2, torus=True), ["dead"] * 4)
    with pytest.raises(GraphFSAError, match="is about a row of 1 or more cells; got"):
        Elementary().specifications()[0].labels(families.path(3), ["0"] * 3)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(GraphFSAError, match=r"must be one of 'a'; got 'b'"):
        assert EvolutionSpecification("x", ("a",), "moore", True, lambda _state, _seen: "b").table
    with pytest.raises(GraphFSAError, match="failed: KeyError"):
        assert EvolutionSpecification("x", ("a",), "moore", True, lambda _state, seen: seen["c"]).table
    with pytest.raises(LimitError, match="use fewer states"):
        names = tuple(map(str, range(40)))
        assert EvolutionSpecification("x", names, "moore", True, lambda state, _seen: state).table
    with pytest.raises(GraphFSAError, match="least_side must be an integer from 1 to 3; got 4"):
        EvolutionSpecification("x", ("a",), "moore", True, lambda state, _seen: state, least_side=4)
