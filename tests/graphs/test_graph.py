"""The frozen graph: what it accepts, what arcs mean, and what follows from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa.errors import GraphError
from graphfsa.graphs import Graph, GraphBatch, Lattice


@st.composite
def arcs(draw, max_nodes=6):
    n = draw(st.integers(0, max_nodes))
    node = st.integers(0, max(n - 1, 0))
    return n, draw(st.lists(st.tuples(node, node), max_size=12)) if n else []


class TestConstructor:
    @pytest.mark.parametrize(
        ("indptr", "indices", "slots", "message"),
        [
            ([], [], None, "indptr must start with 0"),
            ([1, 2], [0, 0], None, "indptr must start with 0"),
            ([0, 2, 1], [0], None, "indptr must not fall; it falls from 2 to 1 at node 1"),
            ([0, 1], [0, 0], None, "indptr must end with the number of arcs, 2; got 1"),
            ([0, 1], [1], None, "indices must be in 0 .. 0; got 1 at position 0"),
            ([0, 2], [0, -1], None, "indices must be in 0 .. 0; got -1 at position 1"),
            ([0, 1], [0.0], None, "indices must be integers; got float64"),
            ([0, 1], [True], None, "indices must be integers; got bool"),
            ([[0, 1]], [0], None, "indptr must have 1 dimension; got shape (1, 2)"),
            ([0, 1], [[0], [0, 0]], None, "indices must be an array; got lists of different lengths"),
            ([0, 1], [0], [0, 1], "slots must have one entry per arc, 1; got 2"),
            ([0, 1], [0], [256], "slots must be in 0 .. 255; got 256 at position 0"),
            ([0, 2], [0, 0], [3, 3], "a node must have at most one arc per slot; node 0 has several in slot 3"),
        ],
    )
    def test_says_what_must_hold(self, indptr, indices, slots, message):
        with pytest.raises(GraphError) as error:
            Graph(indptr, indices, slots)
        assert message in str(error.value)

    def test_sorts_rows_and_takes_slots_along(self):
        graph = Graph([0, 3, 4], [1, 0, 1, 0], [5, 2, 1, 0])
        assert graph.indices.tolist() == [0, 1, 1, 0]
        assert graph.slots.tolist() == [2, 1, 5, 0]

    def test_sorted_rows_stay_apart(self):
        assert Graph([0, 0, 2, 2, 4], [1, 2, 0, 3]).indices.tolist() == [1, 2, 0, 3]

    def test_owns_read_only_arrays(self):
        indices = np.array([1, 0])
        graph = Graph([0, 1, 2], indices)
        indices[0] = 0
        assert graph.neighbours(0).tolist() == [1]
        for array in (graph.indptr, graph.indices, Graph([0, 1], [0], [0]).slots):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


class TestFromEdges:
    def test_an_undirected_edge_is_two_arcs(self):
        graph = Graph.from_edges(3, [(0, 2)])
        assert (graph.num_arcs, graph.neighbours(0).tolist(), graph.neighbours(2).tolist()) == (2, [2], [0])

    def test_an_undirected_self_loop_is_one_arc(self):
        assert Graph.from_edges(1, [(0, 0)]).neighbours(0).tolist() == [0]

    def test_repeated_edges_count(self):
        assert Graph.from_edges(2, [(0, 1), (1, 0), (0, 1)]).neighbours(0).tolist() == [1, 1, 1]

    def test_a_directed_arc_is_seen_by_its_target_only(self):
        graph = Graph.from_edges(2, [(0, 1)], directed=True)
        assert (graph.neighbours(0).tolist(), graph.neighbours(1).tolist()) == ([], [0])

    def test_slots_follow_their_arcs(self):
        graph = Graph.from_edges(3, [(2, 0), (1, 0)], directed=True, slots=[0, 1])
        assert (graph.indices.tolist(), graph.slots.tolist(), graph.num_slots) == ([1, 2], [1, 0], 2)

    def test_the_same_neighbour_may_be_in_two_slots(self):
        graph = Graph.from_edges(2, [(1, 0), (1, 0)], directed=True, slots=[1, 0])
        assert (graph.indices.tolist(), graph.slots.tolist()) == ([1, 1], [0, 1])

    def test_accepts_arrays_and_iterators(self):
        expected = Graph.from_edges(3, [(0, 1), (1, 2)])
        assert Graph.from_edges(3, np.array([[0, 1], [1, 2]], np.uint8)) == expected
        assert Graph.from_edges(3, zip(range(2), range(1, 3), strict=True)) == expected
        assert type(Graph.from_edges(np.int64(3), []).num_nodes) is int

    @pytest.mark.parametrize(
        ("n", "edges", "options", "message"),
        [
            (-1, [], {}, "num_nodes must be an integer >= 0; got -1"),
            (2.0, [], {}, "num_nodes must be an integer >= 0; got 2.0"),
            (True, [], {}, "num_nodes must be an integer >= 0; got True"),
            (2**31, [], {}, "a graph must have fewer than 2^31 nodes"),
            (2, [(0, 1, 1)], {}, "edges must be pairs, shape [num_edges, 2]; got shape (1, 3)"),
            (2, [(0, 1), (0,)], {}, "edges must be an array; got lists of different lengths"),
            (2, [(0, 2)], {}, "edges must be in 0 .. 1; got 2"),
            (2, [(0, 0.5)], {}, "edges must be integers; got float64"),
            (2, [("a", "b")], {}, "edges must be integers"),
            (2, [(0, 1)], {"slots": [0]}, "slots belong to arcs"),
            (2, [(0, 1)], {"slots": [], "directed": True}, "slots must have one entry per arc, 1; got 0"),
            (2, [(0, 1)], {"slots": [256], "directed": True}, "slots must be in 0 .. 255; got 256"),
            (3, [(0, 1), (2, 1)], {"slots": [4, 4], "directed": True}, "node 1 has several in slot 4"),
        ],
    )
    def test_says_what_must_hold(self, n, edges, options, message):
        with pytest.raises(GraphError) as error:
            Graph.from_edges(n, edges, **options)
        assert message in str(error.value)

    @settings(deadline=None)
    @given(arcs())
    def test_neighbours_are_what_the_arcs_say(self, given_arcs):
        n, pairs = given_arcs
        directed = Graph.from_edges(n, pairs, directed=True)
        undirected = Graph.from_edges(n, pairs)
        for node in range(n):
            seen = [u for u, v in pairs if v == node]
            assert directed.neighbours(node).tolist() == sorted(seen)
            back = [v for u, v in pairs if u == node and u != v]
            assert undirected.neighbours(node).tolist() == sorted(seen + back)
        assert directed.degrees.sum() == directed.num_arcs == len(pairs)


class TestEquality:
    def test_order_and_way_of_building_do_not_matter(self):
        first = Graph.from_edges(3, [(0, 1), (1, 2)])
        second = Graph([0, 1, 3, 4], [1, 2, 0, 1])
        assert first == second
        assert hash(first) == hash(second)
        assert first.digest == second.digest

    def test_everything_else_matters(self):
        graphs = [
            Graph.from_edges(2, []),
            Graph.from_edges(3, []),
            Graph.from_edges(3, [(0, 1)]),
            Graph.from_edges(3, [(0, 2)]),
            Graph.from_edges(3, [(0, 1), (0, 1)]),
            Graph.from_edges(3, [(0, 1)], directed=True),
            Graph.from_edges(3, [(0, 1), (1, 0)], directed=True, slots=[0, 0]),
            Graph.from_edges(3, [(0, 1), (1, 0)], directed=True, slots=[0, 1]),
        ]
        assert Graph([0, 0, 0, 0], [], []) == Graph.from_edges(3, [])
        assert all((a == b) == (a is b) for a in graphs for b in graphs)
        assert len({graph.digest for graph in graphs}) == len(graphs)

    def test_a_lattice_equals_its_arcs(self):
        lattice = Graph.from_lattice(Lattice("moore", 4, 3, torus=True, slotted=True))
        copy = Graph(lattice.indptr, lattice.indices, lattice.slots)
        assert copy.lattice is None
        assert copy == lattice == Graph.from_lattice(Lattice("moore", 4, 3, torus=True, slotted=True))
        assert copy.digest == lattice.digest
        assert lattice != Graph.from_lattice(Lattice("moore", 4, 3, torus=True))
        assert Graph.from_lattice(Lattice("line", 1, 3)) == Graph.from_edges(3, [(0, 1), (1, 2)])

    def test_other_things_are_not_equal(self):
        assert Graph.from_edges(1, []) != 1

    def test_digest_is_pinned(self):
        # Stored digests name data: this one must never change.
        assert Graph.from_edges(3, [(0, 1), (1, 2)]).digest.startswith("99ffd188183aca5a")


class TestDerived:
    @settings(deadline=None)
    @given(arcs())
    def test_symmetric_and_out_arcs(self, given_arcs):
        n, pairs = given_arcs
        graph = Graph.from_edges(n, pairs, directed=True)
        assert graph.symmetric == (sorted(pairs) == sorted((v, u) for u, v in pairs))
        indptr, targets = graph.out_arcs()
        for node in range(n):
            assert targets[indptr[node] : indptr[node + 1]].tolist() == sorted(v for u, v in pairs if u == node)
        assert sorted(zip(graph.indices.tolist(), graph.targets().tolist(), strict=True)) == sorted(pairs)
        assert Graph.from_edges(n, pairs).symmetric

    def test_neighbours_of_no_node(self):
        with pytest.raises(GraphError, match=r"node must be in 0 .. 1; got 2"):
            Graph.from_edges(2, []).neighbours(2)
        with pytest.raises(GraphError, match="got -1"):
            Graph.from_edges(2, []).neighbours(-1)

    def test_repr(self):
        assert repr(Graph.from_edges(2, [(0, 1)])) == "Graph(2 nodes, 2 arcs)"
        assert repr(Graph([0, 1], [0], [3])) == "Graph(1 nodes, 1 arcs, 4 slots)"
        assert repr(Graph.from_lattice(Lattice("hex", 2, 3, torus=True))) == "Graph(hex torus 2 x 3, 24 arcs)"

    def test_cached_builds_once(self):
        graph, calls = Graph.from_edges(1, []), []
        assert [graph.cached("key", lambda: calls.append(1) or 7) for _ in range(2)] == [7, 7]
        assert calls == [1]


class TestBatch:
    @settings(deadline=None)
    @given(st.lists(arcs(max_nodes=4), max_size=5))
    def test_round_trip(self, parts):
        graphs = [Graph.from_edges(n, pairs, directed=True) for n, pairs in parts]
        batch = GraphBatch.of(graphs)
        assert len(batch) == len(graphs)
        assert batch.graphs() == graphs
        assert batch.offsets.tolist() == np.cumsum([0] + [n for n, _ in parts]).tolist()
        assert batch.graph.num_arcs == sum(graph.num_arcs for graph in graphs)

    def test_slots_and_empty_graphs(self):
        line = Graph.from_lattice(Lattice("line", 1, 3, slotted=True))
        empty = Graph([0], [], [])
        parts = [empty, line, empty, line]
        batch = GraphBatch.of(parts)
        assert batch.graphs() == parts
        assert batch.graph.neighbours(4).tolist() == [3, 5]

    def test_one_graph_stays_what_it_is(self):
        board = Graph.from_lattice(Lattice("hex", 2, 3))
        for batch in (GraphBatch.of([board]), GraphBatch.repeat(board, 1)):
            assert batch.graph is board
            assert batch.graphs()[0].lattice is not None
            assert batch.offsets.tolist() == [0, 6]
        assert GraphBatch.repeat(board, 2).graphs() == [board, board]

    def test_slots_must_not_be_mixed(self):
        with pytest.raises(GraphError, match="with and without neighbour slots"):
            GraphBatch.of([Graph([0, 1], [0], [0]), Graph([0, 1], [0])])
        assert GraphBatch.of([Graph([0, 1], [0], [0]), Graph([0, 0], [])]).graph.num_nodes == 2

    def test_split_cuts_the_last_axis(self):
        batch = GraphBatch.of([Graph.from_edges(n, []) for n in (2, 0, 1)])
        assert [part.tolist() for part in batch.split([5, 6, 7])] == [[5, 6], [], [7]]
        assert [part.shape for part in batch.split(np.zeros((4, 3)))] == [(4, 2), (4, 0), (4, 1)]
        assert GraphBatch.of([]).split([]) == []
        with pytest.raises(GraphError, match=r"one entry per node, 3, in the last axis; got shape \(2,\)"):
            batch.split([1, 2])


def test_copies_in_other_processes_are_read_only_too():
    import copy

    for graph in (Graph.from_edges(3, [(0, 1)]), Graph.from_lattice(Lattice("moore", 3, 3))):
        twin = copy.deepcopy(graph)
        assert twin == graph
        assert not twin.indices.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            twin.indices[0] = 7
