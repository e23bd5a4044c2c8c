"""Arcs that are made by a formula: the same whenever they are made, and distributed as they should be."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, Graph, GraphFSA, LettersAggregation, families, run
from graphfsa.aggregations import Sum
from graphfsa.errors import GraphError, LimitError
from graphfsa.graphs import TiledGraph, pack
from graphfsa.graphs.kronecker import KroneckerTiles

LETTERS = LettersAggregation((Sum("count", 2, (1,)), Sum("count", 1, (0, 1))))


def drawn(scale, degree, seed=0, **more):
    return families.kronecker(scale, mean_degree=degree, rng=np.random.default_rng(seed), **more)


@pytest.mark.parametrize(("scale", "degree"), [(0, 0), (0, 6), (3, 4), (10, 8), (16, 1), (18, 0.5)])
def test_the_graph_is_one_graph(tmp_path, scale, degree, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda _: None)
    graph = drawn(scale, degree)
    assert isinstance(graph, TiledGraph) and graph.num_nodes == 2**scale
    again = Graph(graph.indptr, graph.indices)
    assert again.symmetric and graph.digest == again.digest == drawn(scale, degree).tiles.digest()
    loops = int((again.indices == again.targets()).sum())
    assert graph.num_arcs == again.num_arcs == 2 * round(degree * 2**scale / 2) - loops
    assert pack(drawn(scale, degree), tmp_path / "g.gfsa") == again
    assert pickle.loads(pickle.dumps(drawn(scale, degree))) == copy.copy(graph) == again
    assert scale == 0 or drawn(scale, degree, seed=1) != graph


def test_a_row_is_put_in_order_a_piece_at_a_time(monkeypatch):
    graph = drawn(17, 3)
    whole = [graph.tiles.sources_of(block) for block in range(graph.tiles.blocks)]
    monkeypatch.setattr("graphfsa.graphs.tiles.PIECE", 50_000)
    for block, (degrees, sources) in enumerate(whole):
        assert len(list(graph.tiles.pieces(block))) > 1
        again = graph.tiles.sources_of(block)
        assert np.array_equal(again[0], degrees) and np.array_equal(again[1], sources)
    assert graph.tiles.digest() == Graph(graph.indptr, graph.indices).digest


def test_runs_agree():
    graph = drawn(17, 3)
    plain = Graph(graph.indptr, graph.indices)
    for steps in (1, 7):
        streamed = run("life", drawn(17, 3), "random", steps, threads=2)
        assert streamed.kernel == "streamed"
        assert streamed.digest == run("life", plain, "random", steps).digest


@settings(max_examples=25, deadline=None)
@given(
    scale=st.sampled_from([0, 1, 5, 15, 17]),
    edges=st.integers(0, 300_000),
    aggregation=st.sampled_from([CountingAggregation(1), CountingAggregation(2), CountingAggregation(3), LETTERS]),
    seed=st.integers(0, 2**32),
)
def test_arcs_are_counted_as_they_are_made(scale, edges, aggregation, seed):
    tiles = KroneckerTiles(scale, edges, (0.57, 0.19, 0.19, 0.05), seed)
    table = np.random.default_rng(seed).integers(0, 3, (3, aggregation.num_values(3)))
    fsa, graph = GraphFSA(list("abc"), aggregation, table), TiledGraph(tiles)
    streamed = run(fsa, graph, "random", 3, seed=1, threads=2)
    assert streamed.kernel == "streamed"
    assert streamed.digest == run(fsa, Graph(graph.indptr, graph.indices), "random", 3, seed=1).digest


def test_quarters_have_their_shares():
    shares = (0.4, 0.1, 0.3, 0.2)
    tiles = KroneckerTiles(17, 200_000, shares, 5)
    counts = tiles.recipe.cells / 200_000
    assert np.allclose(counts.reshape(-1), shares, atol=0.01)
    first, second = tiles._ends(np.array([0]), np.array([0]))
    for level in range(16):
        quarters = (first >> np.uint64(level) & np.uint64(1)) * np.uint64(2) + (
            second >> np.uint64(level) & np.uint64(1)
        )
        found = np.bincount(quarters.astype(int), minlength=4) / len(first)
        assert np.allclose(found, shares, atol=0.01), level


def test_names_and_limits():
    assert families.parse_family("kronecker:8,mean-degree=4", np.random.default_rng(0)) == drawn(8, 4)
    with pytest.raises(LimitError, match="scale must be at most 30"):
        drawn(31, 4)
    with pytest.raises(LimitError, match="must have at most"):
        drawn(30, 1e9)
    with pytest.raises(GraphError, match="mean_degree must be a number of at least 0"):
        drawn(3, float("nan"))
    with pytest.raises(GraphError, match="four numbers >= 0 that add up to 1"):
        drawn(3, 4, shares=(0.5, 0.5, 0.5, 0.5))
