"""Graph families: each has the degrees, sizes and distribution that its definition says."""

import contextlib
from math import comb, sqrt

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from graphfsa.errors import GraphError, GraphFSAError, LimitError, UnknownNameError
from graphfsa.graphs import Graph, families, to_networkx
from graphfsa.graphs.families import _random

EXAMPLES = {
    "path": "path:10",
    "cycle": "cycle:10",
    "star": "star:10",
    "complete": "complete:10",
    "binary-tree": "binary-tree:10",
    "tree": "tree:10",
    "rooted-tree": "rooted-tree:10",
    "recursive-tree": "recursive-tree:10",
    "caterpillar": "caterpillar:10",
    "regular": "regular:10,3",
    "erdos-renyi": "erdos-renyi:10,p=0.5",
    "barabasi-albert": "barabasi-albert:10,2",
    "watts-strogatz": "watts-strogatz:10,4,0.3",
    "delaunay": "delaunay:10",
    "von-neumann": "von-neumann:2x5",
    "von-neumann-torus": "von-neumann-torus:2x5",
    "moore": "moore:2x5",
    "moore-torus": "moore-torus:2x5,slots=true",
    "hex": "hex:2x5",
    "hex-torus": "hex-torus:2x5",
    "row": "row:10",
    "ring": "ring:10",
}
TREES = [families.random_tree, families.recursive_tree, families.caterpillar]


def rng(seed=0):
    return np.random.default_rng(seed)


def edges(graph):
    assert graph.symmetric
    return {(min(u, v), max(u, v)) for u, v in zip(graph.indices.tolist(), graph.targets().tolist(), strict=True)}


def simple(graph):
    pairs = edges(graph)
    return 2 * len(pairs) == graph.num_arcs and all(u != v for u, v in pairs)


def connected(graph):
    return nx.is_connected(to_networkx(graph))


class TestBasic:
    def test_by_hand(self):
        assert edges(families.path(4)) == {(0, 1), (1, 2), (2, 3)}
        assert edges(families.cycle(4)) == {(0, 1), (1, 2), (2, 3), (0, 3)}
        assert edges(families.star(4)) == {(0, 1), (0, 2), (0, 3)}
        assert edges(families.complete(4)) == {(u, v) for v in range(4) for u in range(v)}
        assert edges(families.binary_tree(6)) == {(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)}

    @pytest.mark.parametrize(
        "build", [families.path, families.star, families.complete, families.binary_tree], ids=lambda f: f.__name__
    )
    @pytest.mark.parametrize(("n", "expected"), [(0, set()), (1, set()), (2, {(0, 1)})])
    def test_smallest(self, build, n, expected):
        graph = build(n)
        assert (graph.num_nodes, edges(graph)) == (n, expected)
        assert simple(graph)

    def test_cycles_of_one_and_two_nodes_have_no_loops_and_no_repeated_arcs(self):
        assert families.cycle(1) == Graph.from_edges(1, [])
        assert families.cycle(2) == Graph.from_edges(2, [(0, 1)])
        assert families.cycle(3) == families.complete(3)
        with pytest.raises(GraphError, match="a cycle needs at least 1 node; got 0, try 1"):
            families.cycle(0)

    def test_complete_is_refused_before_it_is_built(self):
        with pytest.raises(LimitError, match="at most 134217728 are built; choose at most 11585 nodes"):
            families.complete(11586)
        assert 11585 * 11584 <= 2**27 < 11586 * 11585

    @settings(deadline=None)
    @given(st.integers(0, 40))
    def test_complete_at_every_size(self, n):
        graph = families.complete(n)
        assert graph == Graph.from_edges(n, [(u, v) for v in range(n) for u in range(v)])
        assert graph.symmetric

    @pytest.mark.parametrize("n", [-1, 1.0, "3", True, None])
    def test_a_size_is_an_integer(self, n):
        with pytest.raises(GraphError, match="the number of nodes must be an integer >= 0; got"):
            families.path(n)


class TestTrees:
    @pytest.mark.parametrize("build", TREES, ids=lambda f: f.__name__)
    @pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 57])
    def test_is_a_tree(self, build, n):
        graph = build(n, rng())
        assert (graph.num_nodes, graph.num_arcs) == (n, max(2 * (n - 1), 0))
        assert n == 0 or connected(graph)

    def test_labelled_trees_are_uniform(self):
        source, counts = rng(5), {}
        for _ in range(8000):
            tree = frozenset(edges(families.random_tree(4, source)))
            counts[tree] = counts.get(tree, 0) + 1
        assert len(counts) == 16
        assert chisquare(list(counts.values())).pvalue > 1e-3

    def test_recursive_trees_are_uniform(self):
        source = rng(6)
        parents = [families.recursive_tree(5, source).neighbours(4)[0] for _ in range(4000)]
        assert chisquare(np.bincount(parents, minlength=4)).pvalue > 1e-3

    @pytest.mark.parametrize("n", [1, 2, 5, 8, 31])
    def test_a_caterpillar_is_a_spine_with_legs(self, n):
        spine, pairs = (n + 1) // 2, edges(families.caterpillar(n, rng(n)))
        assert {(i, i + 1) for i in range(spine - 1)} <= pairs
        legs = pairs - {(i, i + 1) for i in range(spine - 1)}
        assert sorted(leg for _, leg in legs) == list(range(spine, n))
        assert all(foot < spine for foot, _ in legs)


class TestRegular:
    @settings(deadline=None)
    @given(st.integers(1, 24), st.integers(0, 23), st.integers(0, 2**32))
    def test_every_degree_at_every_size(self, n, degree, seed):
        if degree >= n or n * degree % 2:
            with pytest.raises(GraphError):
                families.random_regular(n, degree, rng(seed))
            return
        graph = families.random_regular(n, degree, rng(seed))
        assert simple(graph)
        assert (graph.degrees == degree).all()

    @pytest.mark.parametrize(("n", "degree"), [(3000, 3), (400, 40), (101, 50), (60, 57)])
    def test_larger(self, n, degree):
        graph = families.random_regular(n, degree, rng())
        assert simple(graph)
        assert (graph.degrees == degree).all()

    def test_small_graphs_are_uniform(self):
        # Of the 70 cubic graphs on 6 labelled nodes 10 are K(3,3), which has no triangle, and 60 are prisms.
        source = rng(3)
        bipartite = sum(nx.is_bipartite(to_networkx(families.random_regular(6, 3, source))) for _ in range(1500))
        assert abs(bipartite / 1500 - 1 / 7) < 4 * sqrt(1 / 7 * 6 / 7 / 1500)

    @pytest.mark.parametrize(
        ("n", "degree", "message"),
        [
            (7, 3, "3-regular needs an even number of nodes; got 7, try 6 or 8"),
            (3, 3, "3-regular needs at least 4 nodes; got 3, try 4"),
            (0, 0, "0-regular needs at least 1 node; got 0, try 1"),
            (4, -1, "degree must be an integer >= 0; got -1"),
        ],
    )
    def test_refused(self, n, degree, message):
        with pytest.raises(GraphError) as error:
            families.random_regular(n, degree, rng())
        assert message in str(error.value)


class TestErdosRenyi:
    def test_the_number_of_edges_is_binomial(self):
        n, p, source = 60, 0.1, rng(1)
        counts = [families.erdos_renyi(n, p=p, rng=source).num_arcs // 2 for _ in range(400)]
        pairs = comb(n, 2)
        assert abs(np.mean(counts) - pairs * p) < 4 * sqrt(pairs * p * (1 - p) / 400)
        assert 0.75 < np.var(counts) / (pairs * p * (1 - p)) < 1.25

    def test_every_pair_is_as_likely(self):
        source, hits = rng(2), np.zeros((6, 6), int)
        for _ in range(3000):
            for u, v in edges(families.erdos_renyi(6, p=0.4, rng=source)):
                hits[u, v] += 1
        counts = hits[np.triu_indices(6, 1)]
        assert (np.abs(counts - 1200) < 4.5 * sqrt(3000 * 0.4 * 0.6)).all()

    @pytest.mark.parametrize("n", [0, 1, 2, 7])
    def test_extremes(self, n):
        assert families.erdos_renyi(n, p=0, rng=rng()) == Graph.from_edges(n, [])
        assert families.erdos_renyi(n, p=1, rng=rng()) == families.complete(n)
        assert families.erdos_renyi(n, mean_degree=max(n - 1, 0), rng=rng()) == families.complete(n)
        assert families.erdos_renyi(n, p=1e-300, rng=rng()).num_arcs == 0

    def test_pairs_are_found_where_roots_are_rounded(self):
        later = np.r_[2:500, 2**26 - 50 : 2**26, 2**31 - 500 : 2**31]
        first = later * (later - 1) // 2
        for found, expected in zip(_random._unrank(first), (later, 0 * later), strict=True):
            assert (found == expected).all()
        for found, expected in zip(_random._unrank(first - 1), (later - 1, later - 2), strict=True):
            assert (found == expected).all()

    def test_mean_degree(self):
        graph = families.erdos_renyi(20_000, mean_degree=5, rng=rng())
        assert simple(graph)
        assert abs(graph.degrees.mean() - 5) < 0.1

    def test_few_edges_among_many_nodes(self):
        graph = families.erdos_renyi(3_000_000, p=1e-12, rng=rng())
        assert graph.num_arcs < 60

    @pytest.mark.parametrize(
        ("n", "options", "message"),
        [
            (5, {}, "exactly one of p and mean_degree must be given"),
            (5, {"p": 0.1, "mean_degree": 1}, "exactly one of p and mean_degree must be given"),
            (5, {"p": 1.5}, "p must be a number in 0 .. 1; got 1.5"),
            (5, {"p": float("nan")}, "p must be a number in 0 .. 1; got nan"),
            (5, {"mean_degree": -1}, "mean_degree must be a number of at least 0; got -1"),
            (5, {"mean_degree": 4.5}, "a node among 5 has at most 4 neighbours; got mean_degree=4.5, try at least 6"),
        ],
    )
    def test_refused(self, n, options, message):
        with pytest.raises(GraphError) as error:
            families.erdos_renyi(n, **options, rng=rng())
        assert message in str(error.value)


class TestBarabasiAlbert:
    @settings(deadline=None)
    @given(st.integers(1, 8), st.integers(0, 60), st.integers(0, 2**32))
    def test_every_node_brings_m_different_edges(self, m, more, seed):
        n = m + 1 + more
        graph = families.barabasi_albert(n, m, rng(seed))
        assert simple(graph)
        assert connected(graph)
        pairs = edges(graph)
        assert len(pairs) == m * (n - m)
        assert {pair for pair in pairs if pair[1] <= m} == {(0, leaf) for leaf in range(1, m + 1)}
        brought = np.bincount([later for _, later in pairs], minlength=n)
        assert (brought[m + 1 :] == m).all()

    @pytest.mark.parametrize("m", [1, 3])
    def test_attachment_is_as_one_by_one(self, m):
        ours, theirs, source = np.zeros(12), np.zeros(12), rng(9)
        for seed in range(1500):
            ours += families.barabasi_albert(12, m, source).degrees
            theirs += [degree for _, degree in nx.barabasi_albert_graph(12, m, seed=seed).degree]
        # NetworkX starts from the same star and adds node by node: each node has the same expected degree in both.
        assert np.abs(ours - theirs).max() / 1500 < 0.2

    def test_hubs_grow(self):
        degrees = families.barabasi_albert(20_000, 2, rng()).degrees
        assert degrees.min() == 2
        assert 100 < degrees.max() < 2500

    def test_refused(self):
        with pytest.raises(GraphError, match="Barabasi-Albert with m=3 needs at least 4 nodes; got 3, try 4"):
            families.barabasi_albert(3, 3, rng())
        with pytest.raises(GraphError, match="m must be an integer >= 1; got 0"):
            families.barabasi_albert(3, 0, rng())


class TestWattsStrogatz:
    @settings(deadline=None)
    @given(st.integers(1, 30), st.integers(0, 14), st.sampled_from([0, 0.2, 1]), st.integers(0, 2**32))
    def test_keeps_the_number_of_edges(self, n, half, p, seed):
        if 2 * half >= n:
            with pytest.raises(GraphError, match=f"needs at least {2 * half + 1} node"):
                families.watts_strogatz(n, 2 * half, p, rng(seed))
            return
        graph = families.watts_strogatz(n, 2 * half, p, rng(seed))
        assert simple(graph)
        assert graph.num_arcs == 2 * half * n
        # One end of every edge stays.
        assert graph.degrees.min(initial=half) >= half

    def test_without_rewiring_it_is_the_ring(self):
        expected = nx.watts_strogatz_graph(11, 4, 0)
        assert edges(families.watts_strogatz(11, 4, 0, rng())) == {tuple(sorted(edge)) for edge in expected.edges}

    def test_the_rewired_part(self):
        ring = edges(families.watts_strogatz(5000, 6, 0, rng()))
        kept = len(ring & edges(families.watts_strogatz(5000, 6, 0.3, rng()))) / len(ring)
        assert abs(kept - 0.7) < 0.02

    def test_refused(self):
        with pytest.raises(GraphError, match=r"k must be even.* got 5, try 4 or 6"):
            families.watts_strogatz(10, 5, 0.1, rng())
        with pytest.raises(GraphError, match=r"p must be a number in 0 .. 1; got 2"):
            families.watts_strogatz(10, 4, 2, rng())


class TestDelaunay:
    @pytest.mark.parametrize(("n", "count"), [(1, 0), (2, 1), (3, 3)])
    def test_smallest(self, n, count):
        graph = families.delaunay(n, rng())
        assert (graph.num_nodes, len(edges(graph))) == (n, count)

    @pytest.mark.parametrize("n", [4, 10, 300])
    def test_is_a_triangulation(self, n):
        graph = families.delaunay(n, rng(n))
        assert simple(graph)
        assert connected(graph)
        assert nx.check_planarity(to_networkx(graph))[0]
        # With h corners on the hull a triangulation has 3 n - 3 - h edges.
        assert 2 * n - 3 <= len(edges(graph)) <= 3 * n - 6

    def test_refused(self):
        with pytest.raises(GraphError, match="a Delaunay graph needs at least 1 node; got 0, try 1"):
            families.delaunay(0, rng())


class TestLattices:
    def test_lines_have_left_in_slot_0(self):
        assert families.row(3) == Graph.from_edges(
            3, [(1, 0), (0, 1), (2, 1), (1, 2)], directed=True, slots=[1, 0, 1, 0]
        )
        assert families.ring(1) == Graph.from_edges(1, [(0, 0), (0, 0)], directed=True, slots=[0, 1])
        assert families.ring(2).slots.tolist() == [0, 1, 0, 1]

    @pytest.mark.parametrize(
        ("build", "kind"),
        [(families.von_neumann, "von-neumann"), (families.moore, "moore"), (families.hexagonal, "hex")],
    )
    def test_described_not_stored(self, build, kind):
        lattice = build(np.int64(4), 6, torus=True, slots=True).lattice
        assert (lattice.kind, lattice.height, lattice.width, lattice.torus, lattice.slotted) == (kind, 4, 6, True, True)
        assert not build(4, 6).lattice.torus
        assert not build(4, 6).lattice.slotted

    @pytest.mark.parametrize("build", [families.row, families.ring])
    def test_refused(self, build):
        with pytest.raises(GraphError, match="lattice width must be an integer >= 1; got 0"):
            build(0)


class TestSpec:
    def test_every_family_has_an_example(self):
        # Kronecker graphs have 2^SCALE nodes, and tests of their own.
        assert set(EXAMPLES) == set(families.family_names()) - {"kronecker"}

    @pytest.mark.parametrize("spec", EXAMPLES.values())
    def test_parses_and_repeats(self, spec):
        first, second = (families.parse_family(spec, rng(4)) for _ in range(2))
        assert first.num_nodes == 10
        assert first.digest == second.digest
        assert families.family_usage(spec.partition(":")[0])[0] in "NH"

    @pytest.mark.parametrize(
        "name", ["tree", "rooted-tree", "regular", "erdos-renyi", "barabasi-albert", "watts-strogatz", "delaunay"]
    )
    def test_another_seed_is_another_graph(self, name):
        first, second = (families.parse_family(EXAMPLES[name].replace("10", "40", 1), rng(seed)) for seed in (1, 2))
        assert first != second

    def test_means_the_same_as_the_function(self):
        for spec, graph in [
            ("regular:20,3", families.random_regular(20, 3, rng())),
            ("regular:20,degree=3", families.random_regular(20, 3, rng())),
            ("watts-strogatz:20,4,0.5", families.watts_strogatz(20, 4, 0.5, rng())),
            ("watts-strogatz:20, p=0.5, k=4", families.watts_strogatz(20, 4, 0.5, rng())),
            ("erdos-renyi:50,mean-degree=4", families.erdos_renyi(50, mean_degree=4, rng=rng())),
            ("moore:3x4,slots=true", families.moore(3, 4, slots=True)),
            ("moore:3x4,slots=false", families.moore(3, 4)),
            ("hex-torus:4x3", families.hexagonal(4, 3, torus=True)),
            ("tree:30", families.random_tree(30, rng())),
        ]:
            assert families.parse_family(spec, rng()) == graph

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("path", "path takes N; got ''"),
            ("path:ten", "path takes N; got 'ten': 'ten' is not an integer"),
            ("path:1_0", "path takes N"),
            ("path:" + "9" * 5000, "path takes N"),
            ("path:-3", "the number of nodes must be an integer >= 0; got -3"),
            ("path:10,3", "path takes N; got '10,3'"),
            ("regular:10", "regular takes N,DEGREE; got '10': the extras are missing"),
            ("regular:10,3,3", "regular takes N,DEGREE; got '10,3,3'"),
            ("regular:10,3,degree=3", "degree is given twice"),
            ("regular:7,3", "3-regular needs an even number of nodes; got 7, try 6 or 8"),
            ("erdos-renyi:10,0.5", "erdos-renyi takes N,p=P or N,mean-degree=D; got '10,0.5'"),
            ("erdos-renyi:10,p=0.5,mean-degree=2", "erdos-renyi takes N,p=P or N,mean-degree=D; got"),
            ("erdos-renyi:10,p=x", "erdos-renyi takes N,p=P or N,mean-degree=D; got"),
            ("erdos-renyi:10,q=1", "erdos-renyi takes N,p=P or N,mean-degree=D; got"),
            ("moore:8", "moore takes HxW or HxW,slots=true; got '8': '8' is not HEIGHTxWIDTH"),
            ("moore:8x8x8", "moore takes HxW"),
            ("moore:8x8,slots=yes", "'yes' is not true or false"),
            ("hex-torus:3x4", "got 3, try 2 or 4"),
        ],
    )
    def test_shows_the_usage(self, spec, message):
        with pytest.raises(GraphError) as error:
            families.parse_family(spec, rng())
        assert message in str(error.value)

    def test_an_unknown_family_lists_the_known(self):
        with pytest.raises(UnknownNameError, match="unknown graph family 'grid'; valid names: barabasi-albert, "):
            families.parse_family("grid:3x3", rng())
        with pytest.raises(UnknownNameError, match="did you mean 'moore'"):
            families.family_usage("more")

    @settings(deadline=None)
    @given(st.sampled_from(sorted(EXAMPLES)), st.text("0123456789x,=.-pmk ", max_size=6))
    def test_any_text_is_a_graph_or_an_error(self, name, text):
        if any(len(word) > 3 for word in text.replace("x", ",").split(",")):
            text = text[:3]
        with contextlib.suppress(GraphFSAError):
            assert isinstance(families.parse_family(f"{name}:{text}", rng()), Graph)


@pytest.mark.parametrize(
    "spec",
    [
        "path:2000000000",
        "cycle:2000000000",
        "star:2000000000",
        "complete:100000",
        "binary-tree:2000000000",
        "tree:2000000000",
        "recursive-tree:2000000000",
        "caterpillar:2000000000",
        "regular:2000000000,4",
        "erdos-renyi:2000000000,mean-degree=4",
        "erdos-renyi:1000000,p=0.5",
        "barabasi-albert:2000000000,2",
        "watts-strogatz:2000000000,4,0.1",
        "delaunay:2000000000",
        "path:100000000000",
    ],
)
def test_too_large_is_refused_at_once(spec):
    with pytest.raises(LimitError, match=r"choose at most \d+ nodes"):
        families.parse_family(spec, rng())
