"""Runs in pieces against runs in one: the same states, steps and cycles, whatever is cut and whoever is lost."""

from contextlib import nullcontext
from importlib import import_module

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crew import Here
from graphfsa import CountingAggregation, Graph, StochasticFSA, families, library, run
from graphfsa.aggregations import Aggregation
from graphfsa.engine.cluster import session
from graphfsa.engine.cluster.messages import ALL, LISTED, MASKED, Receiver, Sender, bits_of
from graphfsa.engine.cluster.partition import partition
from graphfsa.engine.cluster.pieces import Cutter
from graphfsa.engine.cluster.strips import Strips
from graphfsa.errors import ClusterError, LostClusterError, StateError
from strategies import (
    SEEDS,
    cases,
    kind_graphs,
    lattices,
    plain_graphs,
    random_automaton,
    relations,
    scattered_graphs,
    slotted_graphs,
)

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
COMMON = {"deadline": None, "derandomize": True, "suppress_health_check": CHECKS}


@st.composite
def kind_cases(draw):
    """An automaton that tells kinds of arcs apart, a graph that has them, and states."""
    number, seed = draw(st.integers(1, 3)), draw(SEEDS)
    aggregation = draw(relations(number))
    graph, fsa = draw(kind_graphs(names=aggregation.kinds)), random_automaton(number, aggregation, seed, stay=0.3)
    return fsa, graph, np.random.default_rng(seed).integers(0, number, graph.num_nodes)


CASES = cases(plain_graphs() | slotted_graphs()) | kind_cases()


@pytest.fixture(autouse=True)
def _crews(monkeypatch):
    """Workers of this process are clusters that are open."""
    monkeypatch.setattr(import_module("graphfsa.engine.run"), "opened", nullcontext)


def assert_same(fsa, graph, states, steps, crew, **options):
    alone = run(fsa, graph, states, steps, threads=1, **options)
    spread = run(fsa, graph, states, steps, cluster=crew, **options)
    assert spread.digest == alone.digest
    assert (spread.steps, spread.stable_at, spread.period) == (alone.steps, alone.stable_at, alone.period)
    if alone.states is not None:
        assert np.array_equal(spread.times, alone.times)
        assert np.array_equal(spread.states, alone.states)
    return spread


def test_any_automaton_on_any_graph():
    @settings(max_examples=150, **COMMON)
    @given(CASES, st.integers(1, 5), st.sampled_from(["stable", 0, 1, 7, 40]), st.sampled_from([None, 3]))
    def check(case, workers, steps, record):
        fsa, graph, states = case
        more = {"max_steps": 300} if steps == "stable" else {}
        assert_same(fsa, graph, states, steps, Here(workers), record=record, **more)

    check()


def test_larger_graphs_with_hubs():
    @settings(max_examples=60, **COMMON)
    @given(scattered_graphs(400), st.integers(2, 5), SEEDS, st.sampled_from([2, 3, 5, 17]))
    def check(graph, workers, seed, num_states):
        fsa = random_automaton(num_states, CountingAggregation(bound=1), seed, stay=0.3)
        states = np.random.default_rng(seed).integers(0, num_states, graph.num_nodes)
        assert_same(fsa, graph, states, 60, Here(workers))

    check()


def test_lattices_are_cut_into_strips():
    @settings(max_examples=80, **COMMON)
    @given(lattices(max_height=40, slotted=False), st.integers(2, 4), SEEDS)
    def check(graph, workers, seed):
        fsa = random_automaton(3, CountingAggregation(bound=2), seed, stay=0.3)
        states = np.random.default_rng(seed).integers(0, 3, graph.num_nodes)
        assert_same(fsa, graph, states, "stable", Here(workers), max_steps=200)

    check()
    assert Strips.fits(families.moore(40, 8, torus=True), 3)
    assert not Strips.fits(families.moore(8, 8, torus=True), 3)


def test_coins_are_those_of_the_whole_graph():
    @settings(max_examples=40, **COMMON)
    @given(scattered_graphs(80), st.integers(1, 4), SEEDS, st.sampled_from(["stable", 0, 25]))
    def check(graph, workers, seed, steps):
        fsa = library.sir() if seed % 2 else StochasticFSA.of(library.distance(), noise=0.01)
        states = np.random.default_rng(seed).integers(0, fsa.num_states, graph.num_nodes)
        more = {"max_steps": 60} if steps == "stable" else {}
        assert_same(fsa, graph, states, steps, Here(workers), seed=seed, record=7, **more)

    check()


def test_lost_workers_change_nothing():
    @settings(max_examples=40, **COMMON)
    @given(scattered_graphs(60), SEEDS, st.booleans())
    def check(graph, seed, coins):
        fsa = library.sir() if coins else random_automaton(3, CountingAggregation(bound=1), seed, stay=0.3)
        states = np.random.default_rng(seed).integers(0, 3, graph.num_nodes)
        crew = Here(3, losses=0.003, seed=seed)
        assert_same(fsa, graph, states, 60, crew, seed=seed)

    check()


def test_a_lost_worker_is_counted():
    crew = Here(2)
    killed = []

    def kill(step):
        if step > 10 and not killed:
            killed.append(step)
            crew.lost.add(1)

    board = families.moore(40, 8, torus=True)
    assert_same(random_automaton(2, CountingAggregation(bound=2), 3), board, "random", 100, crew, progress=kill)
    assert killed
    assert crew.facts["workers_lost"] == 1


def test_workers_that_are_always_lost():
    with pytest.raises(LostClusterError, match="lost"):
        run("life", families.moore(8, 8), "random", 10, cluster=Here(2, losses=1.0))


def test_classes_of_ones_own():
    class Sum(Aggregation):
        def num_values(self, num_states):
            return 4

        def encode(self, states, slots, num_states):
            return sum(states) % 4

    fsa = random_automaton(3, Sum(), 1)
    graph = families.von_neumann(6, 7)
    assert_same(fsa, graph, np.arange(42) % 3, 50, Here(3))


def test_parts_are_whole_and_near():
    @settings(max_examples=80, **COMMON)
    @given(scattered_graphs(100), st.integers(1, 7))
    def check(graph, number):
        found = partition(graph, number)
        assert found.parts == min(number, graph.num_nodes)
        assert sorted(found.order.tolist()) == list(range(graph.num_nodes))
        assert (np.diff(found.bounds) > 0).all()
        owner = np.repeat(np.arange(found.parts), np.diff(found.bounds))[found.places]
        assert found.cut == int((owner[graph.indices] != owner[graph.targets()]).sum())

    check()
    shuffled = np.random.default_rng(1).permutation(1000)
    path = Graph.from_edges(1000, np.stack([shuffled[:-1], shuffled[1:]], axis=1))
    assert partition(path, 4).cut == 6


def test_deep_rims_for_small_graphs_only():
    assert Cutter(families.path(1000), partition(families.path(1000), 2), deep=True).plan.depth > 8
    assert Cutter(families.path(1000), partition(families.path(1000), 2), deep=False).plan.depth == 1


def test_messages_say_what_changed():
    forms = set()

    @settings(max_examples=200, **COMMON)
    @given(st.integers(0, 300), st.integers(1, 256), st.floats(0, 1), SEEDS)
    def check(size, num_states, share, seed):
        rng = np.random.default_rng(seed)
        nodes = rng.permutation(size + 20)[:size].astype(np.int32)
        before = rng.integers(0, num_states, size + 20).astype(np.uint8)
        sender, receiver = Sender(nodes, num_states), Receiver(nodes, num_states)
        sender.begin(before)
        known = before.copy()
        for _ in range(3):
            changed = rng.random(size + 20) < share**3
            before[changed] = rng.integers(0, num_states, int(changed.sum()))
            message = sender.message(before)
            forms.add(int(message[0]) if len(message) else None)
            assert len(message) <= 9 + -(-size * bits_of(num_states) // 8)
            receiver.take(message, known)
            assert np.array_equal(known[nodes], before[nodes])

    check()
    assert forms == {None, ALL, MASKED, LISTED}


@pytest.mark.parametrize("more", [{"record": "changes"}, {"entries": True}, {"kernel": "event"}, {"threads": 2}])
def test_what_a_cluster_does_not_do(more):
    with pytest.raises(StateError, match="runs on a cluster"):
        run("life", "moore-torus:8x8", "random", 3, cluster="local:2", **more)
    with pytest.raises(StateError, match="runs on a cluster"):
        run("life", "moore-torus:8x8", "random", 3, cluster="local:2", scheduler="central")


@pytest.mark.parametrize("address", ["", "local", "local:", "local:0", "local:x", "local:999", "ray://a:1", "a b:1", 3])
def test_bad_addresses(address):
    with pytest.raises(ClusterError, match="must be"):
        session.Cluster(address)
