"""Kinds of arcs: slots with names, in graphs, unions, files and conversions."""

import copy
import json
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from graphfsa.datasets import as_examples, read_jsonl, write_jsonl
from graphfsa.errors import FormatError, GraphError
from graphfsa.graphs import (
    Graph,
    GraphBatch,
    both_ways,
    from_networkx,
    from_pyg,
    read_graph,
    to_networkx,
    to_pyg,
    write_graph,
)
from graphfsa.graphs.isomorphism import isomorphic
from strategies import kind_graphs

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True)
BONDS = ("double", "single")


def bonds(order=BONDS):
    return Graph.from_edges(4, [(0, 1), (1, 2), (1, 3)], slots=["double", "single", "single"], kinds=order)


class TestGraph:
    def test_undirected_edges_are_of_their_kind_from_both_ends(self):
        graph = bonds()
        assert graph.kinds == BONDS
        assert graph.slots.tolist() == [0, 0, 1, 1, 1, 1]
        assert graph.num_slots == 2
        assert repr(graph) == "Graph(4 nodes, 6 arcs, kinds 'double', 'single')"

    def test_arcs_of_a_node_may_share_a_kind_and_repeat(self):
        graph = Graph.from_edges(2, [(0, 1), (0, 1), (0, 0)], slots=["a", "a", "b"])
        assert graph.neighbours(1).tolist() == [0, 0]
        assert graph.slots.tolist() == [1, 0, 0, 0, 0]

    def test_the_digest_and_equality_depend_on_kinds(self):
        plain, named = Graph.from_edges(2, [(0, 1)], directed=True, slots=[0]), Graph([0, 0, 1], [0], [0], ["a"])
        other = Graph([0, 0, 1], [0], [0], ["b"])
        assert len({plain.digest, named.digest, other.digest}) == 3
        assert plain != named != other

    def test_a_graph_without_arcs_has_no_kinds(self):
        assert Graph.from_edges(3, [], slots=[], kinds=["a"]) == Graph.from_edges(3, [])

    @EXAMPLES
    @given(kind_graphs())
    def test_copies_are_equal(self, graph):
        assert pickle.loads(pickle.dumps(graph)) == copy.copy(graph) == graph == graph.with_names(None)
        assert pickle.loads(pickle.dumps(graph)).digest == graph.digest

    @EXAMPLES
    @given(kind_graphs())
    def test_other_kinds_are_the_same_by_name(self, graph):
        names = graph.kinds or ("b", "a")
        wider = graph.with_kinds([*reversed(names), "zz"])
        assert wider.with_kinds(names) == graph
        if graph.num_arcs:
            assert self.arcs(wider) == self.arcs(graph)

    def arcs(self, graph):
        arcs = zip(graph.indices.tolist(), graph.targets().tolist(), graph.slots.tolist(), strict=True)
        return sorted((u, v, graph.kinds[k]) for u, v, k in arcs)

    def test_slots_get_names(self):
        graph = Graph.from_edges(2, [(0, 1), (0, 1)], directed=True, slots=[0, 1]).with_kinds(["left", "right"])
        assert (graph.kinds, graph.slots.tolist()) == (("left", "right"), [0, 1])

    @pytest.mark.parametrize(
        ("slots", "kinds", "message"),
        [
            (["a"], ["b"], "a kind must be one of 'b'; got 'a'"),
            ([1], ["b"], "slots must be in 0 .. 0; got 1 at position 0"),
            ([0], ["b", "b"], "kinds must be distinct"),
            ([0], [], "there must be 1 to 256 kinds; got 0"),
            ([0], [str(k) for k in range(257)], "there must be 1 to 256 kinds; got 257"),
            ([0], ["a\n"], r"a kind must be a printable string of 1 to 200 characters; got 'a\n'"),
            ([0], [""], "a kind must be a printable string"),
            ([0], [3], "a kind must be a printable string of 1 to 200 characters; got 3"),
            ([0], "ab", "kinds must be a list of names; got 'ab'"),
            ([0], 3, "kinds must be a list of names; got 3"),
            ([None], None, "slots must be integers or names of kinds; got None"),
            (None, ["a"], "kinds are names of slots: give the slot of each arc, too"),
            ([0], None, "slots belong to arcs: give directed=True and one slot per arc"),
        ],
    )
    def test_says_what_must_hold(self, slots, kinds, message):
        with pytest.raises(GraphError) as error:
            Graph.from_edges(2, [(0, 1)], slots=slots, kinds=kinds)
        assert message in str(error.value)

    def test_kinds_that_are_missing_are_named(self):
        with pytest.raises(GraphError, match="only arcs of the kinds 'single'; it has the kind 'double'"):
            bonds().with_kinds(["single"])
        with pytest.raises(GraphError, match="must have slots or kinds to get other kinds"):
            Graph.from_edges(2, [(0, 1)]).with_kinds(["a"])


class TestBothWays:
    @EXAMPLES
    @given(kind_graphs())
    def test_every_arc_is_seen_from_both_ends(self, graph):
        both = both_ways(graph)
        before = sorted(
            (int(u), int(v), "" if graph.kinds is None else f"{graph.kinds[k]} ")
            for u, v, k in zip(graph.indices, graph.targets(), graph.slots if graph.num_arcs else [], strict=True)
        )
        after = [
            (int(u), int(v), both.kinds[k])
            for u, v, k in zip(both.indices, both.targets(), both.slots if both.num_arcs else [], strict=True)
        ]
        expected = [(u, v, f"{kind}in") for u, v, kind in before] + [(v, u, f"{kind}out") for u, v, kind in before]
        assert sorted(after) == sorted(expected)

    def test_a_digraph_has_parents_and_children(self):
        tree = both_ways(from_networkx(nx.DiGraph([("adam", "cain"), ("adam", "abel")])), "parent", "child")
        assert tree.node_names == ("adam", "cain", "abel")
        assert [tree.kinds[k] for k in tree.slots] == ["child", "child", "parent", "parent"]


class TestUnions:
    def test_kinds_are_matched_by_name(self):
        batch = GraphBatch.of([bonds(), bonds(("single", "double")), Graph.from_edges(2, []), triple()])
        assert batch.graph.kinds == ("double", "single", "triple")
        assert batch.graphs()[1] == bonds(("single", "double")).with_kinds(batch.graph.kinds)
        assert batch.graphs()[3] == triple().with_kinds(batch.graph.kinds)
        assert batch.select([3, 1]).graphs()[1] == batch.graphs()[1]
        assert GraphBatch.concatenate([batch, batch]).graphs()[4] == batch.graphs()[0]

    def test_repeated(self):
        assert GraphBatch.repeat(bonds(), 3).graphs() == [bonds()] * 3

    @pytest.mark.parametrize("other", [Graph.from_edges(2, [(0, 1)]), Graph([0, 0, 1], [0], [0])])
    def test_others_are_refused(self, other):
        with pytest.raises(GraphError, match="must not be united"):
            GraphBatch.of([bonds(), other])

    def test_isomorphism_respects_kinds(self):
        turned = Graph.from_edges(4, [(3, 2), (2, 0), (2, 1)], slots=["double", "single", "single"])
        wrong = Graph.from_edges(4, [(3, 2), (2, 0), (2, 1)], slots=["single", "double", "double"])
        assert isomorphic(bonds(), [0] * 4, turned.with_kinds(["single", "double"]), [0] * 4)
        assert not isomorphic(bonds(), [0] * 4, wrong, [0] * 4)
        assert not isomorphic(bonds(), [0] * 4, Graph.from_edges(4, [(3, 2), (2, 0), (2, 1)]), [0] * 4)


def triple():
    return Graph.from_edges(2, [(0, 1)], slots=["triple"])


class TestFiles:
    @pytest.mark.parametrize("suffix", [".json", ".edges", ".txt"])
    @EXAMPLES
    @given(graph=kind_graphs(names=("single bond", 'a "quoted" #1', "é")))
    def test_written_and_read(self, tmp_path_factory, suffix, graph):
        path = tmp_path_factory.mktemp("files") / f"graph{suffix}"
        write_graph(path, graph)
        assert read_graph(path) == graph

    def test_undirected_files_by_hand(self, tmp_path):
        (tmp_path / "g.edges").write_text('kinds ["double", "single"]\n0 1 0\n1 2 1\n1 3 1\n')
        assert read_graph(tmp_path / "g.edges") == bonds()
        content = {"schema": "graphfsa.graph/1", "num_nodes": 4, "directed": False, "edges": [[0, 1], [1, 2], [1, 3]]}
        (tmp_path / "g.json").write_text(json.dumps({**content, "slots": [0, 1, 1], "kinds": BONDS}))
        assert read_graph(tmp_path / "g.json") == bonds()

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("kinds single", "line 1: 'kinds' must be followed by a JSON list of names; got 'single'"),
            ("kinds", "line 1: 'kinds' must be followed by a JSON list of names"),
            ('kinds ["a", "a"]', "kinds must be distinct"),
            ("kinds [3]", "a kind must be a printable string"),
            ('kinds ["a"]\nkinds ["a"]', "line 2: 'kinds' must be given once"),
        ],
    )
    def test_bad_lines_are_named(self, tmp_path, line, message):
        (tmp_path / "g.edges").write_text(f"{line}\n0 1 0\n")
        with pytest.raises(FormatError) as error:
            read_graph(tmp_path / "g.edges")
        assert message in str(error.value)


class TestNetworkX:
    def test_an_edge_attribute_is_the_kind(self):
        nxgraph = nx.Graph([(0, 1, {"bond": 2}), (1, 2, {"bond": 1}), (1, 3, {"bond": 1})])
        graph = from_networkx(nxgraph, relation="bond")
        assert (graph.kinds, graph.slots.tolist()) == (("1", "2"), [1, 1, 0, 0, 0, 0])
        assert from_networkx(nxgraph, relation="bond", kinds=["3", "2", "1"]).slots.tolist() == [1, 1, 2, 2, 2, 2]
        assert from_networkx(nxgraph).kinds is None

    @EXAMPLES
    @given(kind_graphs())
    def test_there_and_back(self, graph):
        assert from_networkx(to_networkx(graph), relation="kind", kinds=graph.kinds or ["a"]) == graph

    def test_refused(self):
        with pytest.raises(GraphError, match="every edge must have the attribute 'bond'; 0 - 1 has none"):
            from_networkx(nx.Graph([(0, 1)]), relation="bond")
        with pytest.raises(GraphError, match="kinds go with relation"):
            from_networkx(nx.Graph([(0, 1)]), kinds=["a"])


class TestPyG:
    @pytest.fixture(autouse=True)
    def _needs_pyg(self):
        pytest.importorskip("torch_geometric")

    @pytest.mark.parametrize("attribute", ["edge_type", "edge_attr"])
    @pytest.mark.parametrize("shape", ["numbers", "columns", "one-hot"])
    def test_edge_types(self, attribute, shape):
        import torch
        from torch_geometric.data import Data

        types = torch.tensor([1, 0])
        given = {"numbers": types, "columns": types[:, None], "one-hot": torch.eye(2)[types]}[shape]
        data = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3, **{attribute: given})
        graph = from_pyg(data, relation=attribute, kinds=["x", "y"])
        assert graph == Graph.from_edges(3, [(0, 1), (1, 2)], directed=True, slots=["y", "x"])
        assert from_pyg(data, relation=attribute).kinds == ("0", "1")
        assert from_pyg(data).kinds is None

    @settings(max_examples=20, deadline=None, derandomize=True)
    @given(kind_graphs())
    def test_there_and_back(self, graph):
        assert from_pyg(to_pyg(graph)) == graph

    def test_refused(self):
        import torch
        from torch_geometric.data import Data

        data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2, edge_attr=torch.tensor([[0.5, 0.5]]))
        with pytest.raises(GraphError, match="each row of 'edge_attr' must be 1 at one kind"):
            from_pyg(data, relation="edge_attr")
        with pytest.raises(GraphError, match="the data must have a tensor 'edge_type'; it has none"):
            from_pyg(data, relation="edge_type")
        data.edge_attr = torch.tensor([0.5])
        with pytest.raises(GraphError, match="'edge_attr' must have one kind, an integer, for each arc"):
            from_pyg(data, relation="edge_attr")


class TestLabelledGraphs:
    def line(self, **more):
        fields = {"num_nodes": 2, "edges": [[0, 1]], "inputs": ["a", "a"], "labels": [0, 1], **more}
        return json.dumps(fields)

    def test_lines_match_kinds_by_name(self, tmp_path):
        path = tmp_path / "g.jsonl"
        lines = [
            self.line(slots=[0], kinds=["x"]),
            self.line(slots=[0], kinds=["y", "x"], directed=True),
            self.line(slots=[1], kinds=["y", "x"]),
        ]
        path.write_text("\n".join(lines))
        examples = read_jsonl(path).examples
        graph = examples.graphs.graph
        assert graph.kinds == ("x", "y")
        assert [graph.kinds[k] for k in graph.slots] == ["x", "x", "y", "x", "x"]
        write_jsonl(tmp_path / "again.jsonl", examples)
        assert read_jsonl(tmp_path / "again.jsonl").examples.graphs.graph == graph

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"kinds": ["x"]}, "line 1: field 'kinds' has the names of slots; 'slots' is missing"),
            ({"kinds": ["x", "x"], "slots": [0]}, "line 1: field 'kinds': kinds must be distinct"),
            ({"kinds": ["x"], "slots": [1]}, "slots[0] must hold integers >= 0 and < 1; got 1"),
        ],
    )
    def test_bad_lines_are_named(self, tmp_path, more, message):
        (tmp_path / "g.jsonl").write_text(self.line(**more))
        with pytest.raises(FormatError) as error:
            read_jsonl(tmp_path / "g.jsonl")
        assert message in str(error.value)

    def test_lines_with_and_without_kinds_do_not_mix(self, tmp_path):
        (tmp_path / "g.jsonl").write_text(self.line(slots=[0], kinds=["x"]) + "\n" + self.line())
        with pytest.raises(FormatError, match="line 2: field 'kinds' must be given for all graphs or for none"):
            read_jsonl(tmp_path / "g.jsonl")

    def test_networkx_graphs_with_a_relation(self):
        nxgraph = nx.Graph([(0, 1, {"bond": "double"})])
        nx.set_node_attributes(nxgraph, "a", "input")
        nx.set_node_attributes(nxgraph, 0, "label")
        examples = as_examples([nxgraph], relation="bond")
        assert examples.graphs.graph.kinds == ("double",)
        assert as_examples([nxgraph]).graphs.graph.kinds is None

    def test_stored_data_keep_kinds(self, tmp_path):
        from graphfsa.datasets._storage import _from_tensors, _to_tensors

        nxgraph = nx.Graph([(0, 1, {"bond": "double"})])
        nx.set_node_attributes(nxgraph, "a", "input")
        nx.set_node_attributes(nxgraph, 0, "label")
        examples = as_examples([nxgraph], relation="bond")
        (tmp_path / "part").write_bytes(_to_tensors(examples))
        assert _from_tensors(examples.task, tmp_path / "part").graphs.graph == examples.graphs.graph


def test_tasks_of_ones_own_see_kinds():
    from graphfsa.datasets._custom import TaskGraph

    assert np.array_equal(TaskGraph.of(bonds()).slots, bonds().slots)
    assert TaskGraph.of(bonds()).kinds == BONDS
