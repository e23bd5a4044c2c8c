"""Kinds of arcs, weighted sums and products: every kernel against the plain interpreter."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphfsa import (
    Aggregation,
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphFSA,
    LettersAggregation,
    PositionalAggregation,
    ProductAggregation,
    RelationsAggregation,
    WeightedSumAggregation,
    run,
)
from graphfsa.aggregations import Sum
from graphfsa.engine import encoder_of, neighbourhood_values
from graphfsa.engine._column_stepper import ColumnStepper, fits_columns
from graphfsa.engine._dense import ListStepper
from graphfsa.engine.reference import reference_run, reference_values
from graphfsa.errors import AutomatonError
from own_aggregations import HighestNeighbour, RemainderAggregation
from strategies import SEEDS, kind_graphs, plain_graphs, random_automaton, relations, weighted_sum


def examples(number):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=number, deadline=None, derandomize=True, suppress_health_check=checks)


def assert_agree(fsa, graph, states, steps=5):
    frames = reference_run(fsa, graph, states.tolist(), steps)
    for kernel in ("event", "dense", "auto"):
        trajectory = run(fsa, graph, states, steps, kernel=kernel, record="all", threads=2)
        assert trajectory.states.tolist() == frames[: len(trajectory.states)], kernel
        assert trajectory.last.tolist() == frames[-1], kernel
    stepper = ListStepper(fsa, fsa.aggregation.fitting(graph), 1)
    stepper.load(states.astype(np.uint8))
    for frame in frames[1:]:
        stepper.advance(1)
        assert stepper.states().tolist() == frame
    values = neighbourhood_values(fsa, graph, np.array(frames, np.uint8))
    assert values.tolist() == [reference_values(fsa, graph, frame) for frame in frames]


def hub(num_nodes, kinds):
    """A node that sees and is seen by all others, through every kind in turn, and by itself."""
    arcs = [(0, node) for node in range(num_nodes)]
    return Graph.from_edges(
        num_nodes, arcs, slots=[node % kinds for node in range(num_nodes)], kinds=["b", "a"][:kinds]
    )


@examples(60)
@given(st.data(), st.sampled_from([1, 2, 3, 4, 5, 9]), SEEDS)
def test_relations(data, num_states, seed):
    aggregation = data.draw(relations(num_states))
    graph = data.draw(kind_graphs(names=aggregation.kinds))
    fsa = random_automaton(num_states, aggregation, seed, stay=0.3)
    assert_agree(fsa, graph, np.random.default_rng(seed).integers(0, num_states, graph.num_nodes))


@pytest.mark.parametrize("num_states", [1, 2, 4])
def test_relations_around_a_hub(num_states):
    fsa = random_automaton(num_states, RelationsAggregation(("b", "a"), (3, 1)), 7, stay=0.2)
    graph = hub(400, 2)
    assert_agree(fsa, graph, np.random.default_rng(1).integers(0, num_states, 400))


@pytest.mark.parametrize("bounds", [(1, *[0] * 63, 1), (4096, 1, 1, 1, 1, 1)])
def test_counters_of_kinds_do_not_overlap(bounds):
    kinds = [f"kind {number}" for number in range(len(bounds))]
    seen = [kind for kind, bound in enumerate(bounds) if bound]
    fsa = random_automaton(1, RelationsAggregation(tuple(kinds), bounds), 1)
    arcs = [(0, node) for node in range(20) for _ in range(20)]
    slots = [seen[place % len(seen)] for place in range(len(arcs))]
    graph = Graph.from_edges(20, arcs, directed=True, slots=slots, kinds=kinds)
    assert_agree(fsa, graph, np.zeros(20, np.int64), steps=1)


@examples(40)
@given(st.data(), st.sampled_from([1, 2, 3, 8, 256]), SEEDS)
def test_weighted_sums(data, num_states, seed):
    aggregation = data.draw(weighted_sum(min(num_states, 8)))
    graph = data.draw(plain_graphs())
    fsa = random_automaton(num_states, aggregation, seed, stay=0.3)
    assert_agree(fsa, graph, np.random.default_rng(seed).integers(0, num_states, graph.num_nodes))


def test_weighted_sums_do_not_wrap_around():
    aggregation = WeightedSumAggregation((2**31, -(2**31)), (2**31,))
    graph = Graph.from_edges(1, [(0, 0)] * 40, directed=True)
    fsa = GraphFSA(["a", "b"], aggregation, [[0, 1], [1, 0]])
    assert reference_run(fsa, graph, [0], 1)[-1] == run(fsa, graph, [0], 1).last.tolist() == [1]


PRODUCTS = {
    "kinds": (RelationsAggregation(("b", "a"), (1, 2)), WeightedSumAggregation((1, -1), (0, 2))),
    "floats": (AverageThresholdAggregation((0.3, 0.7)), CountingAggregation(2)),
    "three": (
        WeightedSumAggregation((1,), (2,)),
        AverageThresholdAggregation({0: 0.5}),
        LettersAggregation((Sum("modulo", 2, (1, 0)),)),
    ),
    "tables": (RemainderAggregation(3), HighestNeighbour()),
}


@pytest.mark.parametrize("name", PRODUCTS)
@examples(8)
@given(data=st.data(), num_states=st.sampled_from([2, 3]), seed=SEEDS)
def test_products(name, data, num_states, seed):
    aggregation = ProductAggregation(PRODUCTS[name])
    graph = data.draw(kind_graphs(names=("b", "a")) if name == "kinds" else plain_graphs())
    if graph.kinds is not None:
        graph = graph.with_kinds(["b", "a"])
    fsa = random_automaton(num_states, aggregation, seed, stay=0.3)
    assert_agree(fsa, graph, np.random.default_rng(seed).integers(0, num_states, graph.num_nodes))


LARGE = {
    "relations": RelationsAggregation(("b", "a", "c"), (1, 2, 3)),
    "ten times": RelationsAggregation(("b", "a", "c"), (5, 0, 1)),
    "sets": RelationsAggregation(("b", "a", "c"), 1),
    "weights": WeightedSumAggregation((5, -7), (-3, 0, 1, 12)),
    "wide": WeightedSumAggregation((2**31, -(2**31)), (0, 2**31)),
    "product": ProductAggregation(
        (
            WeightedSumAggregation((1, -1), (0,)),
            RelationsAggregation(("b", "a", "c"), (1, 0, 2)),
            CountingAggregation(3),
        )
    ),
    "letters": ProductAggregation(
        (
            LettersAggregation((Sum("highest", 2, (1, 2)), Sum("count", 3, (1,)))),
            WeightedSumAggregation((1, 1), (9, 11)),
        )
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_tiles_of_large_graphs(name):
    """Several tiles, a hub, and nodes that see nobody: by tiles and by lists, which share no code."""
    rng, size = np.random.default_rng(2), 140_000
    arcs = rng.integers(0, size - 1, (400_000, 2))
    arcs[:2000, 1] = 3
    graph = Graph.from_edges(size, arcs, directed=True, slots=rng.integers(0, 3, 400_000), kinds=["b", "a", "c"])
    fsa = random_automaton(2, LARGE[name], 5)
    assert fits_columns(fsa, graph)
    states = rng.integers(0, 2, size).astype(np.uint8)
    steppers = ColumnStepper(fsa, graph, 2), ListStepper(fsa, graph, 2)
    for stepper in steppers:
        stepper.load(states)
    for _ in range(3):
        for stepper in steppers:
            stepper.advance(1)
        assert np.array_equal(*(stepper.states() for stepper in steppers))


def test_what_does_not_fit_tiles():
    graph = hub(5, 2)
    for aggregation in (
        RelationsAggregation(("b", "a"), (17, 1)),
        ProductAggregation((LettersAggregation((Sum("modulo", 2, (1,)),)), WeightedSumAggregation())),
    ):
        assert not fits_columns(random_automaton(2, aggregation, 0), graph)


def test_kernels_of_equal_products_are_shared():
    graph = Graph.from_edges(2, [(0, 1)])
    first, second = (
        encoder_of(ProductAggregation((CountingAggregation(bound), AverageThresholdAggregation())), 2, graph)
        for bound in (1, 2)
    )
    assert first.function is second.function


def test_kinds_are_matched_by_name():
    fsa = random_automaton(2, RelationsAggregation(("a", "b"), 2), 3)
    graph = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)], slots=["b", "a", "b", "b"])
    other = graph.with_kinds(["b", "a"])
    states = np.array([0, 1, 1, 0, 1])
    assert run(fsa, graph, states, 4).last.tolist() == run(fsa, other, states, 4).last.tolist()
    only = Graph.from_edges(3, [(0, 1), (1, 2)], slots=["b", "b"])
    assert_agree(fsa, only, np.array([0, 1, 1]))


def test_what_does_not_fit_is_said():
    fsa = random_automaton(2, RelationsAggregation(("a", "b"), 1), 3)
    with pytest.raises(AutomatonError, match="relations aggregation does not fit: the graph must have only"):
        run(fsa, Graph.from_edges(2, [(0, 1)], slots=["c"]), [0, 0], 1)
    with pytest.raises(AutomatonError, match="relations aggregation needs a graph with neighbour slots"):
        run(fsa, Graph.from_edges(2, [(0, 1)]), [0, 0], 1)
    with pytest.raises(AutomatonError, match="relations aggregation knows 2 kinds; the graph uses slot 2"):
        run(fsa, Graph.from_edges(2, [(0, 1)], directed=True, slots=[2]), [0, 0], 1)
    sides = random_automaton(2, PositionalAggregation(2), 3)
    with pytest.raises(AutomatonError, match="needs a graph with one neighbour in each slot; slots of this graph are"):
        run(sides, Graph.from_edges(2, [(0, 1)], slots=["c"]), [0, 0], 1)


class LastKind(Aggregation):
    """Kinds without a compiled function: how many of the last kind, up to 2."""

    uses_slots = True
    uses_kinds = True

    def num_values(self, num_states):
        return 3

    def encode(self, states, slots, num_states):
        return min(2, sum(slot == 1 for slot in slots))

    def with_neighbour(self, value, state, slot, num_states):
        return min(2, value + (slot == 1)) if slot < 2 else None


class NoMethod(LastKind):
    """The same, changed, so that nothing is known of one more neighbour."""

    def encode(self, states, slots, num_states):
        return super().encode(states, slots, num_states)


@examples(15)
@given(kind_graphs(names=("a", "b")), SEEDS)
def test_kinds_of_ones_own(graph, seed):
    graph = graph.with_kinds(["a", "b"])
    assert_agree(random_automaton(2, LastKind(), seed), graph, np.zeros(graph.num_nodes, int))


def test_kinds_of_ones_own_need_a_method():
    with pytest.raises(AutomatonError, match="must have with_neighbour or compiled_encode; NoMethod has neither"):
        run(random_automaton(2, NoMethod(), 0), hub(3, 2), [0, 0, 0], 1)
