"""Isomorphism of coloured graphs: the search of NetworkX and known pairs decide what is right."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa.errors import GraphError
from graphfsa.graphs import Graph, GraphBatch, from_networkx
from graphfsa.graphs.isomorphism import duplicate_groups, graph_keys, isomorphic, refine_colours
from strategies import plain_graphs, scattered_graphs, slotted_graphs

SEEDS = st.integers(0, 2**32 - 1)
small = plain_graphs(max_nodes=6) | slotted_graphs(max_nodes=6)


def renumbered(graph, seed):
    """The graph with its nodes in another order, and the new number of each node."""
    new = np.random.default_rng(seed).permutation(graph.num_nodes)
    pairs = np.stack((new[graph.indices], new[graph.targets()]), axis=1)
    return Graph.from_edges(graph.num_nodes, pairs, directed=True, slots=graph.slots), new


def moved(colours, new):
    result = np.empty(len(new), np.int64)
    result[new] = colours
    return result


def drawn_colours(graph, seed, number=2):
    return np.random.default_rng(seed).integers(0, number, graph.num_nodes)


def by_networkx(left, left_colours, right, right_colours):
    """VF2 with node colours and, for each pair of nodes, the arcs and slots between them."""

    def build(graph, colours):
        result = nx.DiGraph()
        result.add_nodes_from((node, {"colour": int(colour)}) for node, colour in enumerate(colours))
        slots = [0] * graph.num_arcs if graph.slots is None else graph.slots.tolist()
        for u, v, slot in zip(graph.indices.tolist(), graph.targets().tolist(), slots, strict=True):
            arcs = result.edges[u, v]["arcs"] if result.has_edge(u, v) else ()
            result.add_edge(u, v, arcs=(*sorted((*arcs, slot)),))
        return result

    if (left.slots is None) != (right.slots is None):
        return False
    return nx.is_isomorphic(
        build(left, left_colours),
        build(right, right_colours),
        node_match=lambda a, b: a["colour"] == b["colour"],
        edge_match=lambda a, b: a["arcs"] == b["arcs"],
    )


def union(graphs, colours):
    return GraphBatch.of(graphs), np.concatenate([np.empty(0, np.int64), *colours])


@given(small, small, SEEDS)
@settings(max_examples=150, deadline=None)
def test_small_graphs_as_networkx(left, right, seed):
    colours = [drawn_colours(graph, seed) for graph in (left, right)]
    assert isomorphic(left, colours[0], right, colours[1]) == by_networkx(left, colours[0], right, colours[1])


@given(small | scattered_graphs(30), SEEDS, st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_renumbered_graphs_are_isomorphic(graph, seed, number):
    colours = drawn_colours(graph, seed, number)
    other, new = renumbered(graph, seed)
    assert isomorphic(graph, colours, other, moved(colours, new))
    keys = [graph_keys(*union([one], [some])) for one, some in ((graph, colours), (other, moved(colours, new)))]
    assert keys[0] == keys[1]


@given(small.filter(lambda graph: graph.num_nodes > 0), SEEDS)
@settings(max_examples=100, deadline=None)
def test_near_misses_as_networkx(graph, seed):
    """One node has another colour, or two colours change places: only NetworkX knows whether it matters."""
    rng = np.random.default_rng(seed)
    colours = drawn_colours(graph, seed)
    other, new = renumbered(graph, seed)
    theirs = moved(colours, new)
    u, v = rng.integers(0, graph.num_nodes, 2)
    theirs[u], theirs[v] = theirs[v], theirs[u] if rng.random() < 0.7 else 5
    assert isomorphic(graph, colours, other, theirs) == by_networkx(graph, colours, other, theirs)


@given(st.lists(plain_graphs(max_nodes=4), max_size=8), SEEDS)
@settings(max_examples=60, deadline=None)
def test_groups_as_networkx(graphs, seed):
    colours = [drawn_colours(graph, seed + place) for place, graph in enumerate(graphs)]
    expected = [
        next(j for j in range(i + 1) if by_networkx(graphs[j], colours[j], graphs[i], colours[i]))
        for i in range(len(graphs))
    ]
    assert duplicate_groups(*union(graphs, colours)).tolist() == expected


def test_the_atlas_up_to_six_nodes():
    graphs = [from_networkx(graph) for graph in nx.graph_atlas_g()[:209]]
    twice = graphs + [renumbered(graph, place)[0] for place, graph in enumerate(graphs)]
    batch = GraphBatch.of(twice)
    groups = duplicate_groups(batch, np.zeros(batch.graph.num_nodes, int))
    assert groups.tolist() == [*range(209), *range(209)]


def two_cycles(length):
    return nx.disjoint_union(nx.cycle_graph(length), nx.cycle_graph(length))


def shrikhande():
    graph = nx.Graph()
    for x in range(4):
        for y in range(4):
            graph.add_edges_from(((x, y), ((x + a) % 4, (y + b) % 4)) for a, b in ((1, 0), (0, 1), (1, 1)))
    return graph


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (two_cycles(3), nx.cycle_graph(6)),
        (two_cycles(5), nx.cycle_graph(10)),
        (nx.disjoint_union_all([nx.cycle_graph(3)] * 6), nx.disjoint_union_all([nx.cycle_graph(9)] * 2)),
        (nx.line_graph(nx.complete_bipartite_graph(4, 4)), shrikhande()),
        (nx.dodecahedral_graph(), nx.desargues_graph()),
        (nx.random_regular_graph(3, 20, seed=1), nx.random_regular_graph(3, 20, seed=2)),
        (nx.complete_bipartite_graph(3, 3), nx.circular_ladder_graph(3)),
    ],
)
def test_what_refinement_cannot_tell_apart(left, right):
    left, right = from_networkx(left), from_networkx(right)
    colours = np.zeros(left.num_nodes, int)
    batch = GraphBatch.of([left, right])
    assert len(set(refine_colours(batch, np.r_[colours, colours]).tolist())) == 1
    assert not isomorphic(left, colours, right, colours)
    for graph in (left, right):
        assert isomorphic(graph, colours, renumbered(graph, 3)[0], colours)


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(1000),
        nx.star_graph(1000),
        nx.balanced_tree(3, 6),
        nx.random_labeled_tree(1000, seed=1),
        nx.cycle_graph(500),
        nx.complete_graph(60),
        nx.grid_2d_graph(15, 15),
        nx.disjoint_union_all([nx.random_labeled_tree(5, seed=k) for k in range(100)]),
    ],
    ids=["path", "star", "balanced", "tree", "cycle", "complete", "grid", "forest"],
)
def test_large_graphs(graph):
    graph = from_networkx(graph)
    other, new = renumbered(graph, 1)
    colours = np.zeros(graph.num_nodes, int)
    assert isomorphic(graph, colours, other, colours)
    marked = colours.copy()
    marked[3] = 1
    assert isomorphic(graph, marked, other, moved(marked, new))
    assert not isomorphic(graph, marked, other, colours)


@given(plain_graphs(8) | slotted_graphs(8), SEEDS, st.integers(0, 4))
@settings(max_examples=100, deadline=None)
def test_refinement_is_the_definition(graph, seed, rounds):
    """Round by round: nodes stay together if they were and saw the same colours, through the same slots."""
    colours = drawn_colours(graph, seed)
    batch = GraphBatch.of([graph])
    slots = np.zeros(graph.num_arcs, int) if graph.slots is None else graph.slots
    expected = colours.tolist()
    for _ in range(rounds):
        rows = [slice(*graph.indptr[node : node + 2]) for node in range(graph.num_nodes)]
        seen = [
            sorted(zip([expected[u] for u in graph.indices[row]], slots[row].tolist(), strict=True)) for row in rows
        ]
        signatures = [(own, tuple(view)) for own, view in zip(expected, seen, strict=True)]
        names = {signature: number for number, signature in enumerate(sorted(set(signatures)))}
        expected = [names[signature] for signature in signatures]
    found = refine_colours(batch, colours, rounds).tolist()
    assert len(set(zip(expected, found, strict=True))) == len(set(expected)) == len(set(found))


@given(plain_graphs(8), SEEDS)
@settings(max_examples=50, deadline=None)
def test_stable_colours_stay(graph, seed):
    batch, colours = GraphBatch.of([graph]), drawn_colours(graph, seed)
    stable, longer = refine_colours(batch, colours), refine_colours(batch, colours, graph.num_nodes + 1)
    assert np.array_equal(stable, longer)


def test_automata_see_in_arcs_only_and_no_sizes():
    fork = Graph.from_edges(3, [(0, 1), (0, 2)], directed=True)
    single = Graph.from_edges(2, [(0, 1)], directed=True)
    a, b, c, d, e = refine_colours(GraphBatch.of([fork, single]), [0] * 5).tolist()
    assert a == d != b == c == e
    assert not isomorphic(fork, [0] * 3, Graph.from_edges(3, [(0, 1), (1, 2)], directed=True), [0] * 3)


def test_keys_do_not_depend_on_the_other_graphs():
    path, star = from_networkx(nx.path_graph(7)), from_networkx(nx.star_graph(6))
    alone = graph_keys(GraphBatch.of([path]), [0] * 7)
    together = graph_keys(GraphBatch.of([star, path, star]), [0] * 21)
    assert together.tolist() == [together[0], alone[0], together[0]]
    # The same on every machine, today and later.
    assert int(alone[0]) == 14389306536657137383


def test_slots_matter():
    left = Graph.from_edges(3, [(0, 1), (2, 1)], directed=True, slots=[0, 1])
    right = Graph.from_edges(3, [(0, 1), (2, 1)], directed=True, slots=[1, 2])
    plain = Graph.from_edges(3, [(0, 1), (2, 1)], directed=True)
    assert not isomorphic(left, [0] * 3, right, [0] * 3)
    assert not isomorphic(left, [0] * 3, plain, [0] * 3)
    assert isomorphic(left, [1, 0, 2], Graph.from_edges(3, [(0, 1), (2, 1)], directed=True, slots=[1, 0]), [2, 0, 1])


def test_no_graphs_and_no_nodes():
    empty = Graph.from_edges(0, [])
    assert isomorphic(empty, [], empty, [])
    assert duplicate_groups(GraphBatch.of([]), []).tolist() == []
    assert duplicate_groups(GraphBatch.of([empty, Graph.from_edges(1, []), empty]), [0]).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda batch: refine_colours(batch, [0]), "one entry per node, 2; got shape [1]"),
        (lambda batch: refine_colours(batch, [0.5, 1.0]), "must be integers; got float64"),
        (lambda batch: refine_colours(batch, [0, 1], rounds=-1), "rounds must be an integer >= 0; got -1"),
        (lambda batch: graph_keys(batch, [0, 1, 2]), "one entry per node, 2; got shape [3]"),
        (lambda batch: isomorphic(batch.graph, [0, 1], batch.graph, [0]), "got shape [1]"),
    ],
)
def test_bad_colours(call, words):
    with pytest.raises(GraphError) as error:
        call(GraphBatch.of([Graph.from_edges(2, [(0, 1)])]))
    assert words in str(error.value)
