"""Every kernel against the plain interpreter, or against whole-array numpy where the graph is large."""

import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphBatch,
    GraphFSA,
    GraphFSAError,
    PositionalAggregation,
    families,
    library,
    run,
)
from graphfsa.engine._bits import BitStepper, outcomes
from graphfsa.engine._circuit_stepper import CircuitStepper, lattice_circuit
from graphfsa.engine._column_stepper import ColumnStepper, fits_columns
from graphfsa.engine._dense import ListStepper
from graphfsa.engine._event import EventStepper
from graphfsa.engine._lattice import LatticeStepper, fits_lattice
from graphfsa.engine.kernels import KERNELS
from graphfsa.engine.kernels import _AdaptiveStepper as AdaptiveStepper
from graphfsa.engine.reference import reference_run
from graphfsa.graphs import from_networkx
from oracles import around, bounded_counts, counting_run
from strategies import automata, cases, lattices, plain_graphs, random_automaton, scattered_graphs, slotted_graphs

THREADS = st.sampled_from([1, 2, 3])


def examples(number):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=number, deadline=None, derandomize=True, suppress_health_check=checks)


def runs(fsa, graph, states, steps, **options):
    """The last states by every kernel that applies, as a dict."""
    found = {}
    for kernel in KERNELS:
        try:
            found[kernel] = run(fsa, graph, states, steps, kernel=kernel, **options)
        except GraphFSAError as error:
            assert kernel in ("lattice", "bits", "numpy")
            assert "can't run" in str(error)
    return found


def assert_agree(fsa, graph, states, steps, **options):
    expected = reference_run(fsa, graph, states.tolist(), steps)[-1]
    for kernel, trajectory in runs(fsa, graph, states, steps, **options).items():
        assert trajectory.last.tolist() == expected, (kernel, trajectory.kernel)
        assert trajectory.first.tolist() == states.tolist()
        assert trajectory.steps == steps


@examples(700)
@given(cases(plain_graphs()), st.integers(0, 20), THREADS)
def test_plain_graphs(case, steps, threads):
    assert_agree(*case, steps, threads=threads)


@examples(300)
@given(cases(scattered_graphs()), st.integers(1, 12), THREADS)
def test_larger_graphs(case, steps, threads):
    assert_agree(*case, steps, threads=threads)


@examples(450)
@given(cases(slotted_graphs()), st.integers(1, 20), THREADS)
def test_slotted_graphs(case, steps, threads):
    assert_agree(*case, steps, threads=threads)


@examples(400)
@given(cases(lattices(wide=False)), st.integers(1, 12), THREADS)
def test_small_lattices(case, steps, threads):
    assert_agree(*case, steps, threads=threads)


@examples(250)
@given(cases(lattices(max_height=4)), st.integers(1, 4), THREADS)
def test_wide_lattices(case, steps, threads):
    assert_agree(*case, steps, threads=threads)


@examples(250)
@given(lattices(slotted=False, max_height=5), st.data(), st.integers(1, 6), THREADS)
def test_two_state_counting_on_lattices(graph, data, steps, threads):
    """The automata that the bit-sliced kernel is made for, with rules in which only the live neighbours matter."""
    born, survive = (data.draw(st.sets(st.integers(0, 8))) for _ in range(2))
    fsa = library.life_like(f"B{''.join(map(str, born))}/S{''.join(map(str, survive))}")
    states = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 2, graph.num_nodes)
    assert_agree(fsa, graph, states, steps, threads=threads)


@examples(150)
@given(
    lattices(slotted=False, max_height=5),
    st.sampled_from([(2, 3), (3, 2), (4, 1), (4, 6), (8, 1), (9, 1), (16, 1)]),
    st.integers(0, 10**6),
    st.integers(1, 5),
    THREADS,
)
def test_circuits(graph, size, seed, steps, threads):
    """Rules in which each state looks at one count, or at none, have small circuits."""
    (num_states, bound), rng = size, np.random.default_rng(seed)
    values = np.arange((bound + 1) ** num_states)
    table = np.empty((num_states, len(values)), np.uint8)
    for state in range(num_states):
        outcomes = rng.integers(0, num_states, bound + 1)
        table[state] = outcomes[values // (bound + 1) ** rng.integers(0, num_states) % (bound + 1)]
    fsa = GraphFSA([f"s{state}" for state in range(num_states)], CountingAggregation(bound=bound), table)
    circuit = lattice_circuit(fsa, graph.lattice)
    if circuit is None:
        assert not graph.lattice.uniform or num_states > 8
        return
    states = rng.integers(0, num_states, graph.num_nodes)
    stepper = CircuitStepper(circuit, graph.lattice, 1)
    stepper._threads = threads
    stepper.load(states.astype(np.uint8))
    for expected in reference_run(fsa, graph, states.tolist(), steps):
        assert stepper.states().tolist() == expected
        stepper.advance(1)


@examples(60)
@given(cases(scattered_graphs(max_nodes=400)), st.integers(1, 2), THREADS)
def test_enough_nodes_of_a_degree_for_columns(case, steps, threads):
    fsa, graph, states = case
    stepper = (ColumnStepper if fits_columns(fsa, graph) else ListStepper)(fsa, graph, 1)
    stepper._threads = threads
    stepper.load(states.astype(np.uint8))
    stepper.advance_fully(steps)
    assert stepper.states().tolist() == reference_run(fsa, graph, states.tolist(), steps)[-1]


@pytest.mark.parametrize("levels", [(0.5,), (1 / 3, 2 / 3), (0.1, 0.3, 0.7, 1.0), {1: 0.5, 3: (0.25, 0.75)}], ids=str)
def test_shares_are_compared_as_they_are_rounded(levels):
    """Nodes of each degree up to 40, some in columns and some in rows, with every number of neighbours in a state."""
    rng = np.random.default_rng(1)
    degrees = np.repeat(np.arange(41), 60)
    indptr = np.r_[0, np.cumsum(degrees)]
    graph = Graph(indptr, rng.integers(0, len(degrees), indptr[-1]).astype(np.int32))
    fsa = random_automaton(4, AverageThresholdAggregation(levels), seed=5)
    states = rng.choice(4, len(degrees), p=(0.4, 0.3, 0.2, 0.1))
    expected = reference_run(fsa, graph, states.tolist(), 2)[-1]
    for kernel in ("dense", "event"):
        assert run(fsa, graph, states, 2, kernel=kernel).last.tolist() == expected


@examples(150)
@given(cases(scattered_graphs(), kinds=("letters",)), st.integers(1, 6), THREADS)
def test_letters_with_and_without_levels(case, steps, threads):
    """Sums that count once and highest letters have levels; weighted ones and moduli do not."""
    fsa, graph, states = case
    sums = fsa.aggregation.sums
    letters = sum(len(set(part.weights) - {0}) for part in sums)
    plain = all(part.kind == "highest" or (part.kind == "count" and part.plain) for part in sums)
    assert fits_columns(fsa, graph) == (plain and letters <= 12)
    assert_agree(fsa, graph, states, steps, threads=threads)


def with_stepper(build, fsa, graph, states, steps):
    """A run whose stepper is built by a test instead of being chosen."""
    module = sys.modules["graphfsa.engine.run"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "make_stepper", lambda *_: build())
        return run(fsa, graph, states, steps)


def dense_kinds(fsa, graph):
    """Every dense stepper that applies, as functions of the number of changes that is little."""
    kinds = [lambda quiet: ListStepper(fsa, graph, 1, quiet)]
    if fits_columns(fsa, graph):
        kinds.append(lambda quiet: ColumnStepper(fsa, graph, 1, quiet))
    if graph.lattice is not None and fits_lattice(fsa, graph.lattice):
        kinds.append(lambda quiet: LatticeStepper(fsa, graph.lattice, 1, quiet))
    circuit = None if graph.lattice is None else lattice_circuit(fsa, graph.lattice)
    if circuit is not None:
        kinds.append(lambda quiet: CircuitStepper(circuit, graph.lattice, 1, quiet))
    return kinds


@examples(400)
@given(
    cases(st.one_of(plain_graphs(), slotted_graphs(), lattices(max_height=4, wide=False))),
    st.integers(1, 30) | st.integers(30, 10**6),
    st.integers(1, 6),
    st.integers(0, 8),
    st.data(),
)
def test_handovers_at_any_size(case, steps, quiet, extra, data):
    """Small graphs never change paths by themselves: force it, with steppers that hand over at a few changes."""
    fsa, graph, states = case
    dense = data.draw(st.sampled_from(dense_kinds(fsa, graph)))

    def build():
        return AdaptiveStepper(dense(quiet), lambda: EventStepper(fsa, graph, busy=quiet + extra))

    trajectory = with_stepper(build, fsa, graph, states, steps)
    plain = run(fsa, graph, states, steps, kernel="event")
    assert trajectory.last.tolist() == plain.last.tolist()
    assert (trajectory.stable_at, trajectory.period) == (plain.stable_at, plain.period)
    if steps <= 30:
        assert plain.last.tolist() == reference_run(fsa, graph, states.tolist(), steps)[-1]


@pytest.mark.parametrize("tail", [0, 1, 5, 40])
@pytest.mark.parametrize("length", [3, 4, 7, 16, 25, 50])
def test_cycles_are_noticed_across_handovers(length, tail):
    """A pulse runs round a ring of copying nodes; whenever it passes node 0, many leaves flash.

    So every turn has a busy and a quiet phase, each with its own kernel, and the mark must be handed over with them.
    """
    copy = GraphFSA.from_rule(["0", "1"], CountingAggregation(bound=1), lambda _, seen: "1" if seen["1"] else "0")
    edges = [(node, (node + 1) % length) for node in range(length)]
    edges += [(0, length + leaf) for leaf in range(20)]
    edges += [(length + 20 + place, length + 21 + place) for place in range(tail - 1)]
    graph = Graph.from_edges(length + 20 + tail, edges, directed=True)
    states = np.zeros(graph.num_nodes, int)
    states[[0, length + 20] if tail else 0] = 1  # Another pulse runs out of the tail before everything repeats.
    for dense in dense_kinds(copy, graph):
        trajectory = with_stepper(
            lambda dense=dense: AdaptiveStepper(dense(5), lambda: EventStepper(copy, graph, busy=8)),
            copy,
            graph,
            states,
            "stable",
        )
        assert trajectory.kernel == "dense+event" or (length < 5 and not tail)  # Short cycles are noticed before.
        assert (trajectory.stable_at, trajectory.period) == (tail, length)
        assert np.flatnonzero(trajectory.last[:length]).tolist() == [tail % length]


@examples(200)
@given(cases(st.one_of(scattered_graphs(), lattices(max_height=6, wide=False))), st.integers(1, 6), THREADS)
def test_ranges_of_threads_on_small_graphs(case, steps, threads):
    """Small graphs are given to one thread; force several, so that the borders of their ranges are tried."""
    fsa, graph, states = case
    expected = reference_run(fsa, graph, states.tolist(), steps)[-1]
    kinds = [lambda make=make: make(0) for make in dense_kinds(fsa, graph)]
    found = None if graph.lattice is None else outcomes(fsa, graph.lattice)
    if found is not None:
        kinds.append(lambda: BitStepper(*found, graph.lattice, 1))
    for kind in kinds:

        def build(kind=kind):
            stepper = kind()
            stepper._threads = threads
            return stepper

        trajectory = with_stepper(build, fsa, graph, states, steps)
        assert trajectory.last.tolist() == expected, trajectory.kernel


@pytest.mark.parametrize(
    "aggregation",
    [CountingAggregation(bound=1), CountingAggregation(bound=2), AverageThresholdAggregation((0.3, 0.7))],
    ids=str,
)
def test_all_graphs_of_the_atlas(aggregation):
    """Random automata on all 1,252 graphs of up to 7 nodes at once."""
    batch = GraphBatch.of([from_networkx(graph) for graph in nx.graph_atlas_g()[1:]])
    assert len(batch) == 1252
    for seed in range(3):
        fsa = random_automaton(3, aggregation, seed, stay=0.3)
        states = np.random.default_rng(seed).integers(0, 3, batch.graph.num_nodes)
        assert_agree(fsa, batch.graph, states, 3)


@pytest.mark.parametrize(
    ("graph", "fits"),
    [
        (families.moore(9, 70, torus=True), "lattice bits"),
        (families.moore(9, 70), "lattice bits"),
        (families.hexagonal(4, 4, torus=True), "lattice bits"),
        (families.von_neumann(3, 3, torus=True), "lattice bits"),
        (families.von_neumann(2, 3, torus=True), ""),  # Up and down are one cell: directions can't be walked.
        (families.moore(4, 4, torus=True, slots=True), "lattice bits"),
        (families.ring(5), "lattice bits"),
        (families.path(5), ""),
    ],
    ids=str,
)
def test_which_paths_can_run_life(graph, fits):
    found = runs(library.life_like(), graph, np.ones(graph.num_nodes, int), 3)
    assert set(found) == {"auto", "event", "dense", "numpy", *fits.split()}
    for kernel in found.keys() - {"auto"}:
        assert found[kernel].kernel == kernel
    assert len({trajectory.digest for trajectory in found.values()}) == 1


def test_a_path_that_cannot_run_says_so():
    for kernel in ("lattice", "bits"):
        with pytest.raises(
            GraphFSAError, match=rf"kernel '{kernel}' can't run this automaton on this graph; choose 'auto'"
        ):
            run(library.distance(), families.path(3), ["root", "node", "node"], 1, kernel=kernel)


@pytest.fixture(scope="module")
def hub():
    """A node that sees 120,000 others, each of which sees it and one of its own kind; self-loops and repeats too."""
    leaves = np.arange(1, 120_001)
    edges = np.r_[np.c_[np.zeros_like(leaves), leaves], np.c_[leaves[::2], leaves[1::2]], [[0, 0], [7, 7], [0, 9]]]
    return Graph.from_edges(120_001, edges)


@pytest.mark.parametrize("kernel", ["event", "dense", "auto"])
@pytest.mark.parametrize("bound", [1, 2, 3, 9])
def test_a_hub_with_many_leaves_is_counted(hub, bound, kernel):
    fsa = random_automaton(3, CountingAggregation(bound=bound), seed=bound, stay=0.2)
    states = np.random.default_rng(bound).integers(0, 3, hub.num_nodes)
    expected = counting_run(fsa, hub, states, 3)
    assert np.array_equal(run(fsa, hub, states, 3, kernel=kernel, threads=2).last, expected)


@pytest.mark.parametrize("kernel", ["event", "dense", "auto"])
def test_fractions_at_a_hub_are_exact(hub, kernel):
    """Exactly a third, and one neighbour short of it, of more than 10^5 neighbours."""
    degree = int(hub.degrees[0])
    seen = np.unique(hub.neighbours(0))
    single = seen[(seen != 0) & (seen != 9)]
    fsa = GraphFSA.from_rule(
        ["no", "yes"], AverageThresholdAggregation({1: 1 / 3}), lambda _, reached: "yes" if reached["yes"] else "no"
    )
    assert degree % 3 == 2  # So that a third is not a whole number: the smallest number that reaches it is known.
    enough = -(-degree // 3)
    for number, answer in ((enough, 1), (enough - 1, 0)):
        states = np.zeros(hub.num_nodes, int)
        states[single[:number]] = 1
        expected = bounded_counts(hub, states, 2)[:, 1] / np.maximum(hub.degrees, 1) >= 1 / 3
        last = run(fsa, hub, states, 1, kernel=kernel).last
        assert last[0] == answer
        assert np.array_equal(last, expected)


@pytest.mark.parametrize("kernel", ["event", "dense", "auto"])
@pytest.mark.parametrize("num_states", [255, 256])
def test_most_states_positional_with_one_slot(num_states, kernel):
    rng = np.random.default_rng(num_states)
    fsa = random_automaton(num_states, PositionalAggregation(num_slots=1), seed=num_states)
    sources = rng.integers(0, 2000, 1500)
    targets = rng.permutation(2000)[:1500]
    graph = Graph.from_edges(2000, np.c_[sources, targets], directed=True, slots=np.zeros(1500, int))
    states = np.r_[np.arange(num_states), rng.integers(0, num_states, 2000 - num_states)]
    seen = np.full(2000, -1)
    seen[targets] = sources
    expected = states
    for _ in range(5):
        values = np.where(seen >= 0, expected[seen] + 1, 0)
        expected = fsa.transition_table[expected, values].astype(np.int64)
    assert np.array_equal(run(fsa, graph, states, 5, kernel=kernel).last, expected)


@pytest.mark.parametrize("num_states", [255, 256])
def test_most_states_on_a_ring_and_a_row(num_states):
    """With 256 states no number is left for the border of a lattice: its kernel must decline, not confuse them."""
    fsa = random_automaton(num_states, PositionalAggregation(num_slots=2), seed=1)
    states = np.random.default_rng(2).integers(num_states - 5, num_states, 700)
    for graph, torus in ((families.ring(700), True), (families.row(700), False)):
        expected = states
        for _ in range(4):
            digits = np.pad(expected + 1, 1, mode="wrap" if torus else "constant")
            values = digits[:-2] + (num_states + 1) * digits[2:]
            expected = fsa.transition_table[expected, values].astype(np.int64)
        found = runs(fsa, graph, states, 4)
        assert ("lattice" in found) == (num_states == 255)
        for kernel, trajectory in found.items():
            assert np.array_equal(trajectory.last, expected), kernel


@pytest.mark.parametrize("kernel", ["event", "dense", "auto"])
@pytest.mark.parametrize("num_states", [255, 256])
def test_most_states_watching_one(num_states, kernel):
    rng = np.random.default_rng(num_states)
    watched = num_states - 1
    fsa = random_automaton(num_states, AverageThresholdAggregation({watched: (0.25, 0.5)}), seed=3)
    graph = Graph.from_edges(3000, rng.integers(0, 3000, (9000, 2)))
    expected = states = rng.choice([watched, watched, 0, 1], 3000)
    for _ in range(4):
        fractions = bounded_counts(graph, expected, num_states)[:, watched] / np.maximum(graph.degrees, 1)
        values = (fractions >= 0.25).astype(int) + (fractions >= 0.5)
        expected = fsa.transition_table[expected, values].astype(np.int64)
    assert np.array_equal(run(fsa, graph, states, 4, kernel=kernel).last, expected)


@pytest.mark.parametrize("kernel", ["event", "dense", "auto"])
def test_seventeen_states_counting(kernel):
    fsa = random_automaton(17, CountingAggregation(bound=1), seed=4)
    rng = np.random.default_rng(4)
    graph = Graph.from_edges(5000, rng.integers(0, 5000, (12_000, 2)))
    states = rng.integers(0, 17, 5000)
    assert np.array_equal(run(fsa, graph, states, 5, kernel=kernel).last, counting_run(fsa, graph, states, 5))


def test_one_state_is_fixed_at_once():
    fsa = GraphFSA(["only"], CountingAggregation(bound=3), np.zeros((1, 4), int))
    for graph in (families.moore(5, 5), families.star(40), families.ring(3)):
        for trajectory in runs(fsa, graph, np.zeros(graph.num_nodes, int), 10**9).values():
            assert (trajectory.stable_at, trajectory.period, trajectory.last.sum()) == (0, 1, 0)


def connected_graph(num_nodes, num_edges, rng):
    tree = np.c_[np.arange(1, num_nodes), rng.integers(0, np.arange(1, num_nodes))]
    return Graph.from_edges(num_nodes, np.r_[tree, rng.integers(0, num_nodes, (num_edges, 2))])


def distances(graph, root):
    """Breadth-first search by whole frontiers."""
    ones = np.ones(graph.num_arcs, np.int32)
    matrix = csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))
    found = np.full(graph.num_nodes, -1)
    front = np.zeros(graph.num_nodes, bool)
    front[root] = True
    level = 0
    while front.any():
        found[front] = level
        level += 1
        front = (matrix @ front.astype(np.int32) > 0) & (found < 0)
    return found


def test_the_path_changes_with_the_activity():
    """Distance is quiet at first and at last, busy between: the run must go from dense to event-driven steps."""
    rng = np.random.default_rng(5)
    graph = connected_graph(50_000, 40_000, rng)
    states = np.full(50_000, 2)
    states[17] = 3
    trajectory = run(library.distance(), graph, states, "stable")
    assert set(trajectory.kernel.split("+")) == {"dense", "event"}
    expected = distances(graph, 17)
    assert np.array_equal(trajectory.last, expected % 2)
    assert trajectory.stable_at == expected.max() + 1  # The root needs a step of its own.
    for kernel in ("event", "dense"):
        alone = run(library.distance(), graph, states, "stable", kernel=kernel)
        assert (alone.digest, alone.stable_at, alone.kernel) == (trajectory.digest, trajectory.stable_at, kernel)


def test_the_path_changes_on_lattices_too():
    wire = np.zeros((100, 100), int)
    wire[50, 2:98] = 3
    wire[50, 2:4] = 2, 1
    trajectory = run(library.wireworld(), families.moore(100, 100), wire.reshape(-1), 60)
    assert trajectory.kernel == "lattice+event"
    expected = wire.copy()
    expected[50, 2:4] = 3
    expected[50, 62:64] = 2, 1
    assert np.array_equal(trajectory.last.reshape(100, 100), expected)


@pytest.fixture(scope="module")
def wide_graph():
    """Many windows of nodes that are sorted by degree, directed, with a few hubs."""
    rng = np.random.default_rng(6)
    num_nodes = 2 * 65_536 + 1000
    edges = rng.integers(0, num_nodes, (400_000, 2))
    edges[:1000, 1] = num_nodes - 1
    edges[1000:2000, 1] = 65_536
    edges[2000:2500] = edges[2500:3000]
    return Graph.from_edges(num_nodes, edges, directed=True)


@pytest.mark.parametrize(
    ("num_states", "bound"), [(4, 1), (4, 2), (4, 3), (4, 5), (8, 1), (8, 2), (8, 3), (7, 5), (12, 1), (12, 2)]
)
def test_several_windows(wide_graph, num_states, bound):
    fsa = random_automaton(num_states, CountingAggregation(bound=bound), seed=num_states * bound)
    states = np.random.default_rng(bound).integers(0, num_states, wide_graph.num_nodes)
    assert fits_columns(fsa, wide_graph)
    expected = counting_run(fsa, wide_graph, states, 3)
    for threads in (1, 3):
        last = run(fsa, wide_graph, states, 3, kernel="dense", threads=threads).last
        assert np.array_equal(last, expected)
    if bound == 2:
        assert np.array_equal(run(fsa, wide_graph, states, 3, kernel="event").last, expected)


@pytest.mark.parametrize(("height", "width"), [(701, 751), (8192, 65)])
@pytest.mark.parametrize("torus", [True, False])
def test_a_large_lattice_with_three_threads(height, width, torus):
    """More than 2^19 cells: every kernel uses its threads."""
    assert height * width > 2**19
    board = np.random.default_rng(7).integers(0, 2, (height, width), dtype=np.uint8)
    expected = board
    for _ in range(4):
        live = around(expected, torus).sum(axis=0)
        expected = ((live == 3) | ((live == 2) & (expected == 1))).astype(np.uint8)
    graph = families.moore(height, width, torus=torus)
    for kernel in ("auto", "bits", "lattice"):
        trajectory = run(library.life_like(), graph, board.reshape(-1), 4, kernel=kernel, threads=3)
        assert np.array_equal(trajectory.last.reshape(height, width), expected), kernel


@examples(30)
@given(st.data())
def test_long_runs_of_cyclic_automata_agree(data):
    """Many paths also agree about what follows after a cycle was jumped over."""
    graph = data.draw(lattices(slotted=False, max_height=3, wide=False))
    fsa = data.draw(automata(kinds=("counting",), num_states=2, finals=0))
    states = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 2, graph.num_nodes)
    found = runs(fsa, graph, states, data.draw(st.integers(10**6, 10**12)))
    assert len({(t.digest, t.stable_at, t.period) for t in found.values()}) == 1
