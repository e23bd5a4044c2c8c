"""Conversions: there and back is the same graph, and an arc means the same everywhere."""

import builtins
import copy
import pickle
import re
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from graphfsa.errors import GraphError, LimitError, MissingExtraError
from graphfsa.graphs import (
    Graph,
    GraphBatch,
    as_graph,
    families,
    from_networkx,
    from_pyg,
    from_scipy,
    to_networkx,
    to_pyg,
    to_scipy,
)

torch = pytest.importorskip("torch")
Data = pytest.importorskip("torch_geometric.data").Data


@st.composite
def graphs(draw, slots=True):
    n = draw(st.integers(0, 6))
    node = st.integers(0, max(n - 1, 0))
    pairs = draw(st.lists(st.tuples(node, node), max_size=10)) if n else []
    kind = draw(st.sampled_from(["undirected", "directed", "slots"] if slots else ["undirected", "directed"]))
    if kind == "slots":
        # Numbering the arcs makes the slots of a node different.
        places = draw(st.permutations(range(256)))[: len(pairs)]
        return Graph.from_edges(n, pairs, directed=True, slots=places)
    return Graph.from_edges(n, pairs, directed=kind == "directed")


class TestNetworkX:
    @settings(deadline=None)
    @given(graphs())
    def test_round_trip(self, graph):
        converted = to_networkx(graph)
        assert from_networkx(converted) == graph
        assert converted.is_directed() == (not graph.symmetric or graph.slots is not None)
        rows = list(zip(graph.indices.tolist(), graph.targets().tolist(), strict=True))
        assert converted.is_multigraph() == (len(set(rows)) < len(rows))
        assert list(converted.nodes) == list(range(graph.num_nodes))

    def test_arcs_point_to_who_sees(self):
        graph = from_networkx(nx.DiGraph([("a", "b")]))
        assert (graph.neighbours(0).tolist(), graph.neighbours(1).tolist()) == ([], [0])
        assert list(to_networkx(graph).edges) == [("a", "b")]

    def test_nodes_keep_their_order(self):
        path = nx.Graph()
        path.add_nodes_from(["z", "y", "x"])
        path.add_edges_from([("x", "z")])
        assert from_networkx(path) == Graph.from_edges(3, [(0, 2)])

    def test_loops_and_repeated_edges(self):
        multi = nx.MultiGraph([(0, 1), (0, 1), (1, 1)])
        assert from_networkx(multi) == Graph.from_edges(2, [(0, 1), (0, 1), (1, 1)])
        assert from_networkx(nx.MultiDiGraph([(0, 1), (0, 1)])).neighbours(1).tolist() == [0, 0]

    def test_slots(self):
        graph = nx.DiGraph()
        graph.add_edge(0, 1, slot=np.int64(3))
        assert from_networkx(graph).slots.tolist() == [3]
        assert to_networkx(families.row(2)).edges[0, 1]["slot"] == 0
        assert from_networkx(to_networkx(families.ring(1))) == families.ring(1)

    @pytest.mark.parametrize("slot", [None, 1.5, "left", True])
    def test_all_or_no_arcs_have_slots(self, slot):
        graph = nx.DiGraph()
        graph.add_edge("a", "b", slot=0)
        graph.add_edge("b", "c", slot=slot)
        with pytest.raises(GraphError, match=f"arc 'b' -> 'c' has {slot!r}"):
            from_networkx(graph)

    def test_refused(self):
        graph = nx.Graph()
        graph.add_edge(0, 1, slot=0)
        with pytest.raises(GraphError, match="must be directed"):
            from_networkx(graph)
        with pytest.raises(GraphError, match="from_networkx needs a NetworkX graph; got list"):
            from_networkx([(0, 1)])

    def test_agrees_with_networkx_on_the_matrix(self):
        graph = Graph.from_edges(4, [(0, 1), (2, 1), (3, 3)], directed=True)
        assert (to_scipy(graph).toarray() == nx.to_numpy_array(to_networkx(graph), dtype=int)).all()


class TestSciPy:
    @settings(deadline=None)
    @given(graphs(slots=False))
    def test_round_trip(self, graph):
        matrix = to_scipy(graph)
        assert isinstance(matrix, sparse.csr_array)
        assert matrix.dtype == np.int64
        assert matrix.has_canonical_format
        assert from_scipy(matrix) == graph
        assert from_scipy(matrix.toarray()) == graph
        assert from_scipy(sparse.coo_matrix(matrix.astype(float))) == graph

    def test_rows_are_sources(self):
        assert from_scipy(np.array([[0, 2], [0, 0]])).neighbours(1).tolist() == [0, 0]
        assert to_scipy(Graph.from_edges(2, [(0, 1)], directed=True)).toarray().tolist() == [[0, 1], [0, 0]]

    def test_slots_are_left_out(self):
        assert from_scipy(to_scipy(families.row(5))) == families.path(5)

    def test_equal_positions_add_up_without_wrapping(self):
        matrix = sparse.coo_array((np.array([100, 100], np.int8), ([0, 0], [1, 1])), shape=(2, 2))
        assert from_scipy(matrix).num_arcs == 200

    def test_stored_zeros_are_no_arcs(self):
        assert from_scipy(sparse.csr_array(([0], ([0], [1])), shape=(2, 2))).num_arcs == 0

    @pytest.mark.parametrize("value", [0.5, -1.0, np.nan, np.inf])
    def test_entries_count(self, value):
        matrix = np.zeros((3, 3))
        matrix[0, 2] = value
        with pytest.raises(GraphError, match=rf"non-negative integers; A\[0, 2\] is {value}"):
            from_scipy(matrix)

    def test_refused(self):
        with pytest.raises(GraphError, match=r"must be square; got shape \(2, 3\)"):
            from_scipy(sparse.csr_array((2, 3)))
        with pytest.raises(GraphError, match=r"must be square; got shape \(4,\)"):
            from_scipy([1, 2, 3, 4])
        with pytest.raises(GraphError, match="must be integers; got complex128"):
            from_scipy(np.zeros((1, 1), complex))
        with pytest.raises(LimitError, match="at most 2147483648 arcs"):
            from_scipy(np.array([[2.0**40]]))


class TestPyG:
    @settings(deadline=None)
    @given(graphs())
    def test_round_trip(self, graph):
        data = to_pyg(graph)
        assert data.edge_index.dtype == torch.int64
        assert data.num_nodes == graph.num_nodes
        assert from_pyg(data) == graph

    def test_messages_flow_from_source_to_target(self):
        assert to_pyg(Graph.from_edges(2, [(0, 1)], directed=True)).edge_index.tolist() == [[0], [1]]
        graph = from_pyg(Data(edge_index=torch.tensor([[0, 0], [2, 2]]), num_nodes=3))
        assert graph.neighbours(2).tolist() == [0, 0]

    def test_refused(self):
        words = r"from_pyg needs a Data with edge_index and num_nodes; got "
        with pytest.raises(GraphError, match=words + r"torch_geometric\.Data"):
            from_pyg(Data())
        with pytest.raises(GraphError, match=words + "str"):
            from_pyg("data")
        with pytest.raises(GraphError, match=r"edge_index must have shape \[2, num_arcs\]; got \[3, 1\]"):
            from_pyg(Data(edge_index=torch.zeros(3, 1, dtype=torch.int64), num_nodes=3))
        with pytest.raises(GraphError, match="edges must be integers; got float32"):
            from_pyg(Data(edge_index=torch.zeros(2, 1), num_nodes=3))
        with pytest.raises(GraphError, match="slots must have one entry per arc, 1; got 2"):
            from_pyg(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2, slot=torch.tensor([0, 1])))

    def test_says_what_to_install(self, monkeypatch):
        real = builtins.__import__

        def without_pyg(name, *args, **kwargs):
            if name.startswith("torch_geometric"):
                raise ImportError(name)
            return real(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", without_pyg)
        with pytest.raises(MissingExtraError, match=r"pip install 'graphfsa\[pyg\]'"):
            to_pyg(families.path(2))


def test_importing_graphs_imports_no_heavy_library():
    code = "import sys, graphfsa.graphs; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "graphfsa.graphs.convert" in loaded
    assert not {"networkx", "scipy", "torch", "torch_geometric", "numba"} & set(loaded)


class TestAsGraph:
    EDGES = ((0, 1), (1, 2), (2, 0), (2, 3))

    def test_a_graph_is_itself(self):
        graph = families.moore(3, 3)
        assert as_graph(graph) is graph

    @pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
    def test_networkx(self, kind):
        assert as_graph(kind(self.EDGES)) == Graph.from_edges(4, self.EDGES, directed=kind().is_directed())

    def test_a_class_that_extends_networkx(self):
        class Roads(nx.DiGraph):
            pass

        assert as_graph(Roads([("a", "b")])).node_names == ("a", "b")

    @pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
    @pytest.mark.parametrize("kind", ["array", "matrix"])
    def test_scipy(self, form, kind):
        graph = Graph.from_edges(4, self.EDGES)
        assert as_graph(getattr(sparse, f"{form}_{kind}")(to_scipy(graph))) == graph

    def test_pyg(self):
        graph = Graph.from_edges(4, self.EDGES)
        assert as_graph(to_pyg(graph)) == graph

    @pytest.mark.parametrize(
        ("given", "got"),
        [
            ([(0, 1)], "list"),
            (None, "NoneType"),
            ("moore:3x3", "str"),
            (np.eye(2), "numpy.ndarray"),
            (aslinearoperator(np.eye(2)), "scipy"),
        ],
    )
    def test_anything_else_is_refused(self, given, got):
        words = f"graph must be a graphfsa.Graph or a NetworkX, SciPy or PyG graph; got {got}"
        with pytest.raises(GraphError, match=words):
            as_graph(given)

    def test_nothing_is_imported_to_find_out(self):
        code = """
import sys
from graphfsa.graphs import Graph, as_graph
as_graph(Graph.from_edges(2, [(0, 1)]))
try:
    as_graph(3)
except ValueError:
    print([name for name in ("networkx", "scipy", "torch", "torch_geometric") if name in sys.modules])
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout.strip() == "[]"


class TestNodeNames:
    def test_they_are_the_nodes_of_networkx(self):
        graph = from_networkx(nx.Graph([("z", "y"), ("y", ("x", 1))]))
        assert graph.node_names == ("z", "y", ("x", 1))
        assert [graph.node_index(name) for name in graph.node_names] == [0, 1, 2]
        assert nx.utils.graphs_equal(to_networkx(graph), nx.Graph([("z", "y"), ("y", ("x", 1))]))

    def test_numbers_in_order_are_no_names(self):
        assert from_networkx(nx.path_graph(4)).node_names is None
        assert from_networkx(nx.relabel_nodes(nx.path_graph(3), {0: 1, 1: 2, 2: 3})).node_names == (1, 2, 3)
        assert families.path(3).node_names is None
        assert families.path(3).node_index(np.int64(2)) == 2

    def test_they_do_not_count(self):
        plain, named = families.path(3), families.path(3).with_names("abc")
        assert plain == named
        assert hash(plain) == hash(named)
        assert plain.digest == named.digest
        assert named.with_names(None).node_names is None

    @pytest.mark.parametrize("graph", [Graph.from_edges(4, [(0, 1)]), families.moore(2, 2), families.row(4)])
    def test_they_stay_with_the_nodes(self, graph):
        indptr = graph.indptr
        named = graph.with_names("abcd")
        assert named.indptr is indptr
        assert named.lattice == graph.lattice
        for twin in (copy.copy(named), copy.deepcopy(named), pickle.loads(pickle.dumps(named))):
            assert twin == named
            assert twin.node_names == named.node_names == ("a", "b", "c", "d")
        assert GraphBatch.of([named]).graphs()[0].node_names == named.node_names

    def test_they_stay_with_the_graphs_of_a_batch(self):
        batch = GraphBatch.of([nx.Graph([("a", "b")]), families.path(3), nx.Graph([("a", "c")])])
        assert batch.graph.node_names is None
        names = [("a", "b"), None, ("a", "c")]
        assert [graph.node_names for graph in batch.graphs()] == names
        assert [graph.node_names for graph in batch.select([2, 0]).graphs()] == [names[2], names[0]]
        assert [graph.node_names for graph in batch.select([2]).graphs()] == [names[2]]
        assert batch.select([1]).node_names is None
        twice = GraphBatch.concatenate([batch, GraphBatch.of([families.path(2)])])
        assert [graph.node_names for graph in twice.graphs()] == [*names, None]
        assert [graph.node_names for graph in GraphBatch.repeat(batch.graphs()[0], 2).graphs()] == [names[0]] * 2
        assert GraphBatch.of([families.path(2)] * 3).node_names is None

    @pytest.mark.parametrize(
        ("names", "words"),
        [
            ("ab", "node_names must have one entry per node, 3; got 2"),
            ("aba", "node_names must be distinct; 'a' occurs more than once"),
            ([1, [2], 3], "node_names must be hashable; unhashable type: 'list'"),
        ],
    )
    def test_wrong_names(self, names, words):
        with pytest.raises(GraphError, match=words):
            Graph.from_edges(3, [], node_names=names)

    @pytest.mark.parametrize("name", ["d", 0, None, ["a"], ("a",)])
    def test_a_node_that_is_not_there(self, name):
        with pytest.raises(GraphError, match=re.escape(f"node must be one of 'a', 'b', 'c'; got {name!r}")):
            families.path(3).with_names("abc").node_index(name)

    @pytest.mark.parametrize("name", [3, -1, "0", True, 1.0, None])
    def test_a_number_that_is_not_there(self, name):
        with pytest.raises(GraphError, match=re.escape(f"node must be in 0 .. 2; got {name!r}")):
            families.path(3).node_index(name)
