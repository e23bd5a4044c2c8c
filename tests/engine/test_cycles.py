"""Fixed points and cycles: exact, minimal, and jumped over."""

from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, Graph, GraphFSA, families, library, run
from graphfsa.engine.kernels import KERNELS
from graphfsa.engine.reference import reference_run, reference_step
from graphfsa.errors import GraphFSAError
from oracles import fold, repeat
from strategies import any_graphs, cases, lattices, plain_graphs

EXAMPLES = settings(max_examples=250, deadline=None, derandomize=True)
HORIZON = 600


def reference_repeat(fsa, graph, states):
    """Frames by the plain interpreter until the states repeat, with where and how; None if that takes too long."""
    frames = [states.tolist()]
    seen = {tuple(frames[0])}
    while len(frames) < HORIZON:
        frames.append(reference_step(fsa, graph, frames[-1]))
        if tuple(frames[-1]) in seen:
            return frames, *repeat(frames)
        seen.add(tuple(frames[-1]))
    return None


def kernels_of(fsa, graph, states):
    for kernel in KERNELS:
        try:
            run(fsa, graph, states, 0, kernel=kernel)
        except GraphFSAError as error:
            assert "can't run" in str(error)
        else:
            yield kernel


@EXAMPLES
@given(cases(any_graphs()), st.integers(0, 10**12))
def test_period_and_stable_at_are_exact_and_minimal(case, steps):
    fsa, graph, states = case
    found = reference_repeat(fsa, graph, states)
    if found is None:
        return
    frames, stable_at, period = found
    for kernel in kernels_of(fsa, graph, states):
        stable = run(fsa, graph, states, "stable", kernel=kernel)
        assert (stable.stable_at, stable.period, stable.steps) == (stable_at, period, stable_at)
        assert stable.last.tolist() == frames[stable_at]
        long = run(fsa, graph, states, steps, kernel=kernel)
        assert long.steps == steps
        assert long.last.tolist() == frames[fold(stable_at, period, steps)]
        # What is reported is right; whether it was noticed depends on how far the run went.
        assert long.period in (None, period)
        assert long.stable_at == (None if long.period is None else stable_at)


@EXAMPLES
@given(cases(plain_graphs()))
def test_a_trillion_steps_equal_folding_by_the_period(case):
    fsa, graph, states = case
    found = reference_repeat(fsa, graph, states)
    if found is None:
        return
    frames, stable_at, period = found
    trajectory = run(fsa, graph, states, 10**12)
    assert trajectory.last.tolist() == frames[fold(stable_at, period, 10**12)]
    assert (trajectory.stable_at, trajectory.period, trajectory.steps) == (stable_at, period, 10**12)


@EXAMPLES
@given(cases(any_graphs()), st.integers(0, 40), st.integers(0, 40))
def test_steps_add_up(case, first, second):
    fsa, graph, states = case
    between = run(fsa, graph, states, first).last
    assert np.array_equal(run(fsa, graph, states, first + second).last, run(fsa, graph, between, second).last)


@EXAMPLES
@given(cases(lattices(max_height=3, wide=False)), st.integers(0, 12))
def test_max_steps_is_respected(case, limit):
    fsa, graph, states = case
    found = reference_repeat(fsa, graph, states)
    if found is None:
        return
    frames, stable_at, period = found
    for kernel in kernels_of(fsa, graph, states):
        trajectory = run(fsa, graph, states, "stable", max_steps=limit, kernel=kernel)
        if trajectory.stable_at is None:
            assert trajectory.period is None
            assert trajectory.steps == limit
            assert trajectory.last.tolist() == frames[fold(stable_at, period, limit)]
        else:
            assert (trajectory.stable_at, trajectory.period, trajectory.steps) == (stable_at, period, stable_at)
            assert stable_at <= limit
        if limit < stable_at:
            assert trajectory.stable_at is None
        if limit > 3 * (stable_at + period) + 1:
            assert trajectory.stable_at == stable_at


def rotor(length):
    """One state that goes round, another that follows: a directed ring in which each node copies what it sees."""
    ring = Graph.from_edges(length, [(u, (u + 1) % length) for u in range(length)], directed=True)
    copy = GraphFSA.from_rule(["0", "1"], CountingAggregation(bound=1), lambda _, counts: "1" if counts["1"] else "0")
    return copy, ring


@pytest.mark.parametrize("tail", [0, 1, 2, 3, 31, 32, 33, 100])
@pytest.mark.parametrize("length", [1, 2, 3, 7, 31, 32, 33, 64, 65, 127])
def test_every_mix_of_tail_and_period(tail, length):
    """A ring of copying nodes with one 1, and a tail of other nodes along which another 1 runs out first."""
    copy, ring = rotor(length)
    edges = [(u, (u + 1) % length) for u in range(length)]
    edges += [(length + place, length + place + 1) for place in range(tail - 1)]
    graph = Graph.from_edges(length + tail, edges, directed=True)
    states = np.zeros(length + tail, int)
    states[0] = 1
    if tail:
        states[length] = 1
    for kernel in ("event", "dense"):
        trajectory = run(copy, graph, states, "stable", kernel=kernel)
        assert (trajectory.stable_at, trajectory.period) == (tail, length)
        assert trajectory.last.sum() == 1
        far = run(copy, graph, states, 10**15 + 1, kernel=kernel)
        assert far.last.tolist().index(1) == (10**15 + 1) % length
    assert run(copy, ring, states[:length], "stable").stable_at == 0


def test_a_long_cycle_over_a_long_tail():
    """Two rings with coprime lengths have the product as their period."""
    copy, _ = rotor(1)
    edges = [(u, (u + 1) % 89) for u in range(89)] + [(89 + u, 89 + (u + 1) % 97) for u in range(97)]
    edges += [(186 + u, 187 + u) for u in range(500)]
    graph = Graph.from_edges(687, edges, directed=True)
    states = np.zeros(687, int)
    states[[0, 89, 186]] = 1
    trajectory = run(copy, graph, states, "stable", max_steps=100_000)
    assert (trajectory.stable_at, trajectory.period) == (501, 89 * 97)
    assert np.flatnonzero(run(copy, graph, states, 10**15).last).tolist() == [10**15 % 89, 89 + 10**15 % 97]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_blinker_for_a_trillion_steps_returns_at_once(kernel):
    board = np.zeros((20, 20), int)
    board[10, 9:12] = 1
    graph = families.moore(20, 20, torus=True)
    run(library.life_like(), graph, board.reshape(-1), 3, kernel=kernel)  # Compiles, if nobody has.
    began = perf_counter()
    even = run(library.life_like(), graph, board.reshape(-1), 10**12, kernel=kernel)
    odd = run(library.life_like(), graph, board.reshape(-1), 10**12 + 1, kernel=kernel)
    assert perf_counter() - began < 1
    assert np.array_equal(even.last.reshape(20, 20), board)
    # The middle is on the diagonal, so the turned blinker is the transposed board.
    assert np.array_equal(odd.last.reshape(20, 20), board.T)
    assert (even.stable_at, even.period, even.steps) == (0, 2, 10**12)


def test_max_steps_has_a_default_that_grows_with_the_graph():
    """A wave on a long path needs more than 10,000 steps to settle."""
    graph = families.path(15_000)
    states = ["root"] + ["node"] * 14_999
    trajectory = run(library.distance(), graph, states, "stable")
    assert (trajectory.stable_at, trajectory.period) == (15_000, 1)
    assert np.array_equal(trajectory.last, np.arange(15_000) % 2)
    short = run(library.distance(), graph, states, "stable", max_steps=14_999)
    assert (short.stable_at, short.period, short.steps) == (None, None, 14_999)
    assert short.last[-2:].tolist() == [0, 2]


def test_a_glider_comes_home():
    """A glider on a torus comes home after four steps for each row."""
    board = np.zeros((6, 6), int)
    board[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    graph = families.moore(6, 6, torus=True)
    frames = reference_run(library.life_like(), graph, board.reshape(-1).tolist(), 24)
    assert repeat(frames) == (0, 24)
    trajectory = run(library.life_like(), graph, board.reshape(-1), "stable")
    assert (trajectory.stable_at, trajectory.period) == (0, 24)


def test_progress_is_reported_in_rising_steps():
    seen = []
    graph = families.path(3000)
    run(library.distance(), graph, ["root"] + ["node"] * 2999, "stable", progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 3000
