"""What ``run`` refuses, with what words; and the smallest things that it must accept."""

import numpy as np
import pytest

from graphfsa import CountingAggregation, Graph, GraphFSA, PositionalAggregation, families, library, run
from graphfsa.engine.kernels import KERNELS
from graphfsa.errors import AutomatonError, GraphFSAError, StateError, UnknownNameError

PATH = families.path(3)
START = ["root", "node", "node"]


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ([0, 1], r"states must have one entry per node, shape \[3\]; got shape \[2\]"),
        ([0, 1, 2, 3], r"shape \[3\]; got shape \[4\]"),
        ([], r"shape \[3\]; got shape \[0\]"),
        ([[0, 1, 2]], r"shape \[3\]; got shape \[1, 3\]"),
        (5, r"shape \[3\]; got shape \[\]"),
        ("rot", r"state must be one of even, odd, node, root; got 'rot'"),
        ([0, 1, -1], r"state of node 2 must be in 0 \.\. 3; got -1"),
        ([0, 4, 9], r"state of node 1 must be in 0 \.\. 3; got 4"),
        ([0, 0, 256], r"state of node 2 must be in 0 \.\. 3; got 256"),
        (np.array([0, 2**63, 0], np.uint64), r"state of node 1 must be in 0 \.\. 3; got 9223372036854775808"),
        ([0, 0, 2**64], r"states must be integers or state names"),
        ([0.0, 1.0, 2.5], r"state of node 2 must be an integer; got 2.5"),
        ([0.0, 1.0, 4.0], r"state of node 2 must be in 0 \.\. 3; got 4.0"),
        ([0, np.nan, 2], r"state of node 1 must be an integer; got nan"),
        ([0, np.inf, 2], r"state of node 1 must be an integer; got inf"),
        ([[0, 1], [1, 0], [1, 0]], r"one column, shape \[3, 1\], or one-hot, shape \[3, 4\]; got shape \[3, 2\]"),
        ([[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 1]], r"states of node 2 must be one-hot: .*; got \[1, 0, 0, 1\]"),
        ([[0, 1, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0]], r"states of node 1 must be one-hot: .*; got \[0.5, 0.5, "),
        ([[0], [0.5], [0]], r"state of node 1 must be an integer; got 0.5"),
        ({0: "root", 1: "node"}, r"states must name a state for every node, or give a default; node 2 has none"),
        ({1: "node"}, r"or give a default; node 0 and 1 other has none"),
        ({0: "root", 1: "node", 3: "node"}, r"states: node must be in 0 \.\. 2; got 3"),
        ({0: "root", 1: "node", "2": "node"}, r"states: node must be in 0 \.\. 2; got '2'"),
        ({0: "root", 1: "nod", 2: "node"}, r"state of node 1 must be one of even, odd, node, root; got 'nod'"),
        ({0: "root", 1: 4, 2: "node"}, r"state of node 1 must be a state name or an integer from 0 to 3; got 4"),
        ([0, None, 2], r"states must be integers or state names; got object"),
        ([1j, 0, 0], r"states must be integers or state names; got complex"),
        (["root", "node", "nod"], r"state of node 2 must be one of even, odd, node, root; got 'nod'"),
        (["root", 2, 2], r"state of node 1 must be one of even, odd, node, root; got '2'"),
        (np.zeros(3, "datetime64[s]"), r"got datetime64"),
    ],
)
def test_states_that_do_not_fit(states, words):
    with pytest.raises(StateError, match=words):
        run(library.distance(), PATH, states, 1)


def test_states_of_different_lengths():
    with pytest.raises(StateError):
        run(library.distance(), PATH, [[0], [1, 2], [3]], 1)


def test_states_that_are_no_text():
    with pytest.raises(StateError):
        run(library.distance(), PATH, [b"\xff", b"node", b"node"], 1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, int])
def test_states_of_every_kind_of_integer(dtype):
    assert run(library.distance(), PATH, np.array([3, 2, 2], dtype), 3).last.tolist() == [0, 1, 0]


def test_states_by_name_in_every_form():
    for states in (START, tuple(START), np.array(START), np.array(START, "S")):
        assert run(library.distance(), PATH, states, 3).last.tolist() == [0, 1, 0]


def test_states_that_are_not_contiguous():
    states = np.array([[3, 0], [2, 0], [2, 0]])[:, 0]
    assert run(library.distance(), PATH, states, 3).last.tolist() == [0, 1, 0]


@pytest.mark.parametrize("steps", [-1, True, False, 1.0, 2.5, np.nan, "forever", "Stable", None, [1]])
def test_wrong_steps(steps):
    with pytest.raises(StateError, match="steps must be an integer >= 0 or 'stable'; got "):
        run(library.distance(), PATH, START, steps)


@pytest.mark.parametrize("steps", [2**62, 10**30])
def test_too_many_steps(steps):
    with pytest.raises(StateError, match=r"steps must be less than 2\^62; got "):
        run(library.distance(), PATH, START, steps)


@pytest.mark.parametrize("steps", [np.int64(3), np.uint8(3), 3])
def test_right_steps(steps):
    assert run(library.distance(), PATH, START, steps).last.tolist() == [0, 1, 0]


@pytest.mark.parametrize("max_steps", [-1, True, 1.5, "many"])
def test_wrong_max_steps(max_steps):
    with pytest.raises(StateError, match="max_steps must be an integer >= 0; got "):
        run(library.distance(), PATH, START, "stable", max_steps=max_steps)


def test_max_steps_goes_with_stable_only():
    with pytest.raises(StateError, match="max_steps goes with steps='stable'"):
        run(library.distance(), PATH, START, 3, max_steps=5)


@pytest.mark.parametrize("kernel", ["fast", "Event", "", None, 3])
def test_an_unknown_kernel_lists_the_valid_ones(kernel):
    with pytest.raises(UnknownNameError) as caught:
        run(library.distance(), PATH, START, 3, kernel=kernel)
    assert str(caught.value).endswith("valid names: auto, bits, dense, event, lattice, numpy")


def test_a_kernel_with_a_slip_is_guessed():
    with pytest.raises(UnknownNameError, match=r"unknown kernel 'lattic' \(did you mean 'lattice'\?\)"):
        run(library.distance(), PATH, START, 3, kernel="lattic")


@pytest.mark.parametrize("threads", [0, -1, 1025, True, 2.0, "2"])
def test_wrong_threads(threads):
    with pytest.raises(GraphFSAError, match=r"threads must be an integer from 1 to 1024; got "):
        run(library.distance(), PATH, START, 3, threads=threads)


def test_positional_needs_slots():
    for graph in (families.path(3), families.moore(3, 3), families.cycle(5)):
        with pytest.raises(AutomatonError, match="positional aggregation needs a graph with neighbour slots"):
            run(library.elementary(30), graph, np.zeros(graph.num_nodes, int), 1)


def test_positional_needs_no_slots_where_there_are_no_arcs():
    graph = Graph.from_edges(3, [])
    assert run(library.elementary(1), graph, [0, 1, 0], 1).last.tolist() == [1, 0, 1]


def test_slots_beyond_the_aggregation():
    graph = Graph.from_edges(2, [(0, 1)], directed=True, slots=[2])
    with pytest.raises(AutomatonError, match="positional aggregation has 2 slots; the graph uses slot 2"):
        run(library.elementary(30), graph, [0, 1], 1)
    with pytest.raises(AutomatonError, match="positional aggregation has 2 slots; the graph uses slot 7"):
        run(library.elementary(30), families.moore(3, 3, slots=True), np.zeros(9, int), 1)
    wide = GraphFSA(["a"], PositionalAggregation(num_slots=3), np.zeros((1, 8), int))
    assert run(wide, graph, [0, 0], 1).last.tolist() == [0, 0]


@pytest.mark.parametrize("kernel", ["auto", "event", "dense"])
@pytest.mark.parametrize("steps", [0, 1, 10**12, "stable"])
@pytest.mark.parametrize("record", [None, 10**12, "changes"])
def test_the_empty_graph(kernel, steps, record):
    graph = Graph.from_edges(0, [])
    for fsa in (library.distance(), library.life_like(), library.elementary(110)):
        trajectory = run(fsa, graph, [], steps, kernel=kernel, record=record, entries=True)
        assert trajectory.last.shape == trajectory.first.shape == (0,)
        assert trajectory.steps == (0 if steps == "stable" else steps)
        assert trajectory.entries.sum() == 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_zero_steps(kernel):
    graph = families.moore(5, 5, torus=True)
    states = np.random.default_rng(0).integers(0, 2, 25)
    trajectory = run(library.life_like(), graph, states, 0, kernel=kernel, record="all", entries=True)
    assert trajectory.last.tolist() == states.tolist()
    assert (trajectory.steps, trajectory.times.tolist(), trajectory.entries.sum()) == (0, [0], 0)
    assert trajectory.states.tolist() == [states.tolist()]
    stable = run(library.life_like(), graph, states, "stable", max_steps=0, kernel=kernel)
    assert (stable.stable_at, stable.steps, stable.last.tolist()) == (None, 0, states.tolist())


def test_one_node_with_and_without_a_loop():
    flip = GraphFSA.from_rule(
        ["0", "1"], CountingAggregation(bound=1), lambda state, seen: 1 - int(state) if seen[int(state)] else state
    )
    alone = run(flip, Graph.from_edges(1, []), [1], "stable")
    assert (alone.stable_at, alone.period, alone.last.tolist()) == (0, 1, [1])
    loop = run(flip, Graph.from_edges(1, [(0, 0)]), [1], "stable")
    assert (loop.stable_at, loop.period) == (0, 2)
