"""Frames, changes and entry counts against a plain count, also where cycles are jumped over."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, Graph, GraphFSA, families, library, run
from graphfsa.engine.reference import reference_run, reference_values
from graphfsa.errors import GraphFSAError, LimitError, StateError
from oracles import fold, repeat
from strategies import any_graphs, cases, random_automaton

EXAMPLES = settings(max_examples=200, deadline=None, derandomize=True)
STEPS = st.integers(0, 60)


def plain_entries(fsa, graph, frames):
    """How often each entry is used in the steps between the frames."""
    counts = np.zeros((fsa.num_states, fsa.num_values), int)
    for states in frames[:-1]:
        for state, value in zip(states, reference_values(fsa, graph, states), strict=True):
            counts[state, value] += 1
    return counts


@EXAMPLES
@given(cases(any_graphs()), STEPS)
def test_all_frames(case, steps):
    fsa, graph, states = case
    frames = reference_run(fsa, graph, states.tolist(), steps)
    trajectory = run(fsa, graph, states, steps, record="all")
    assert trajectory.times.tolist() == list(range(steps + 1))
    assert trajectory.states.tolist() == frames
    for step, frame in enumerate(frames):
        assert trajectory.at(step).tolist() == frame


@EXAMPLES
@given(cases(any_graphs()), STEPS, st.integers(1, 70))
def test_every_kth_frame(case, steps, stride):
    fsa, graph, states = case
    frames = reference_run(fsa, graph, states.tolist(), steps)
    trajectory = run(fsa, graph, states, steps, record=stride)
    times = sorted({*range(0, steps + 1, stride), steps})
    assert trajectory.times.tolist() == times
    assert trajectory.states.tolist() == [frames[time] for time in times]


@EXAMPLES
@given(cases(any_graphs()), STEPS, st.integers(1, 70))
def test_a_recorded_step_can_be_asked_for(case, steps, stride):
    """Whether or not the states were seen to repeat, ``at`` gives every frame that was recorded."""
    fsa, graph, states = case
    trajectory = run(fsa, graph, states, steps, record=stride)
    for time, frame in zip(trajectory.times.tolist(), trajectory.states, strict=True):
        assert trajectory.at(time).tolist() == frame.tolist()


@EXAMPLES
@given(cases(any_graphs()), STEPS)
def test_changes(case, steps):
    fsa, graph, states = case
    frames = np.array(reference_run(fsa, graph, states.tolist(), steps)).reshape(steps + 1, graph.num_nodes)
    trajectory = run(fsa, graph, states, steps, record="changes")
    changes = trajectory.changes
    assert len(changes) == len(changes.times) == len(changes.nodes) == len(changes.states)
    assert (np.diff(changes.times) >= 0).all()
    expected = {
        (t, v, frames[t, v]) for t, v in np.argwhere(frames[1:] != frames[:-1]) + np.array([1, 0]) if t <= changes.until
    }
    assert set(zip(changes.times, changes.nodes, changes.states, strict=True)) == expected
    assert len(changes) == len(expected)
    assert changes.until == steps or (trajectory.stable_at is not None and changes.until >= trajectory.stable_at)
    for step in range(steps + 1):
        assert trajectory.at(step).tolist() == frames[step].tolist()


@EXAMPLES
@given(cases(any_graphs()), st.integers(60, 10**9), st.data())
def test_changes_and_frames_after_a_cycle_was_jumped_over(case, steps, data):
    fsa, graph, states = case
    frames = reference_run(fsa, graph, states.tolist(), 150)
    found = repeat(frames)
    if found is None:
        return
    stable_at, period = found
    changes = run(fsa, graph, states, steps, record="changes")
    stride = data.draw(st.integers(max(1, steps // 40), steps))
    framed = run(fsa, graph, states, steps, record=stride)
    assert changes.last.tolist() == frames[fold(stable_at, period, steps)]
    assert changes.at(steps).tolist() == changes.last.tolist()
    assert framed.times.tolist() == sorted({*range(0, steps + 1, stride), steps})
    for time, frame in zip(framed.times.tolist(), framed.states.tolist(), strict=True):
        assert frame == frames[fold(stable_at, period, time)]
        assert changes.at(time).tolist() == frame
    beyond = steps + data.draw(st.integers(0, 10**9))
    if changes.stable_at is not None:
        assert changes.at(beyond).tolist() == frames[fold(stable_at, period, beyond)]


@EXAMPLES
@given(cases(any_graphs()), STEPS)
def test_entries(case, steps):
    fsa, graph, states = case
    frames = reference_run(fsa, graph, states.tolist(), steps)
    trajectory = run(fsa, graph, states, steps, entries=True)
    assert np.array_equal(trajectory.entries, plain_entries(fsa, graph, frames))
    assert trajectory.last.tolist() == frames[-1]


@EXAMPLES
@given(cases(any_graphs()), st.integers(150, 10**12), st.booleans())
def test_entries_count_the_steps_that_were_jumped_over(case, steps, also_frames):
    fsa, graph, states = case
    frames = reference_run(fsa, graph, states.tolist(), 150)
    found = repeat(frames)
    if found is None:
        return
    stable_at, period = found
    whole, rest = divmod(steps - stable_at, period)
    before = plain_entries(fsa, graph, frames[: stable_at + 1])
    cycle = plain_entries(fsa, graph, frames[stable_at : stable_at + period + 1])
    after = plain_entries(fsa, graph, frames[stable_at : stable_at + rest + 1])
    options = {"record": max(1, steps // 7)} if also_frames else {}
    trajectory = run(fsa, graph, states, steps, entries=True, **options)
    assert np.array_equal(trajectory.entries, before + whole * cycle + after)
    assert trajectory.entries.sum() == steps * graph.num_nodes


@EXAMPLES
@given(cases(any_graphs()))
def test_everything_until_stable(case):
    fsa, graph, states = case
    frames = reference_run(fsa, graph, states.tolist(), 150)
    found = repeat(frames)
    if found is None:
        return
    stable_at, period = found
    trajectory = run(fsa, graph, states, "stable", record="all", entries=True)
    assert (trajectory.stable_at, trajectory.period, trajectory.steps) == (stable_at, period, stable_at)
    assert trajectory.times.tolist() == list(range(stable_at + 1))
    assert trajectory.states.tolist() == frames[: stable_at + 1]
    assert np.array_equal(trajectory.entries, plain_entries(fsa, graph, frames[: stable_at + 1]))
    changes = run(fsa, graph, states, "stable", record="changes", entries=True)
    assert np.array_equal(changes.entries, trajectory.entries)
    assert changes.last.tolist() == frames[stable_at]
    for step in range(150):
        assert changes.at(step).tolist() == frames[step]


def copying_ring(length):
    """A directed ring in which every node copies the one before it, with a single 1."""
    graph = Graph.from_edges(length, [(u, (u + 1) % length) for u in range(length)], directed=True)
    copy = GraphFSA.from_rule(["0", "1"], CountingAggregation(bound=1), lambda _, seen: "1" if seen["1"] else "0")
    return copy, graph, [1] + [0] * (length - 1)


def test_at_gives_frames_that_lie_beyond_the_repeat():
    """Step 9 of a cycle of length 4 is step 1 again, which was not recorded; but step 9 was."""
    trajectory = run(*copying_ring(4), 9, record=3)
    assert trajectory.period == 4
    assert trajectory.times.tolist() == [0, 3, 6, 9]
    assert [trajectory.at(step).tolist().index(1) for step in (0, 3, 6, 9)] == [0, 3, 2, 1]


def test_at_follows_from_the_last_states_and_the_period():
    trajectory = run(*copying_ring(4), 10)
    assert (trajectory.stable_at, trajectory.period) == (0, 4)
    assert trajectory.at(10).tolist() == trajectory.last.tolist() == [0, 0, 1, 0]
    assert trajectory.at(14).tolist() == [0, 0, 1, 0]
    assert trajectory.at(0).tolist() == trajectory.at(4).tolist() == [1, 0, 0, 0]


def test_at_says_what_was_not_recorded():
    trajectory = run(library.distance(), families.path(20), ["root"] + ["node"] * 19, 10, record=4)
    assert trajectory.at(4).tolist()[:5] == [0, 1, 0, 1, 2]
    for step in (1, 3, 11):
        with pytest.raises(StateError, match=f"step {step} was not recorded"):
            trajectory.at(step)
    with pytest.raises(StateError, match="step must be an integer >= 0; got -1"):
        trajectory.at(-1)


def test_what_was_not_asked_for_is_none():
    trajectory = run(library.distance(), families.path(3), ["root", "node", "node"], 2)
    assert trajectory.times is None
    assert trajectory.states is None
    assert trajectory.changes is None
    assert trajectory.entries is None
    with pytest.raises(StateError, match="step 1 was not recorded"):
        trajectory.at(1)


def test_a_returned_frame_is_a_copy():
    trajectory = run(*copying_ring(4), 9, record="all")
    for step in (0, 2, 9):
        trajectory.at(step)[:] = 77
        assert trajectory.at(step).max() == 1


def test_the_given_states_are_left_alone():
    states = np.array([3, 2, 2], np.uint8)
    trajectory = run(library.distance(), families.path(3), states, 5, record="changes", entries=True)
    assert states.tolist() == trajectory.first.tolist() == [3, 2, 2]


@pytest.mark.parametrize("record", ["all", 7])
def test_too_many_frames_are_refused_before_anything_is_made(record):
    graph = families.moore(1000, 1000)
    with pytest.raises(
        LimitError, match=r"the frames would take [\d,]+\.\d GiB; the limit is 4 GiB. Record every k-th"
    ):
        run(library.life_like(), graph, np.zeros(10**6, int), 10**6, record=record)


@pytest.mark.parametrize("num_nodes", [0, 1])
def test_many_frames_of_a_tiny_graph_are_refused_or_cheap(num_nodes):
    """A frame costs more than its states: 10^9 of them must not be tried even if the graph is empty."""
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
from graphfsa import Graph, library, run
try:
    run(library.distance(), Graph.from_edges({num_nodes}, []), [2] * {num_nodes}, 10**9, record="all")
except Exception as error:
    print(type(error).__name__)
else:
    print("done")
"""
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=8, check=False)
    except subprocess.TimeoutExpired:
        pytest.fail("a recording of 10^9 frames was begun")
    assert done.stdout.strip() in ("LimitError", "done"), done.stdout + done.stderr


def test_entry_counts_never_wrap_around():
    """Eight resting nodes for 2^61 steps use their entry 2^64 times: exact or refused, never wrong."""
    fsa = random_automaton(2, CountingAggregation(bound=1), seed=0, stay=1.0)
    graph = Graph.from_edges(8, [])
    with pytest.raises(LimitError):
        run(fsa, graph, np.zeros(8, int), 2**61, entries=True)


@pytest.mark.parametrize("record", [None, 2**57])
def test_entry_counts_over_cycles_never_wrap_around(record):
    """Whether the cycle is jumped over at once or in parts that would each fit."""
    with pytest.raises(LimitError, match="63 bits"):
        run(*copying_ring(16), 2**61, entries=True, record=record)


def test_a_wrong_record_is_refused():
    for record in ("some", 0, -1, True, 2.5, [1]):
        with pytest.raises(GraphFSAError, match="record must be an integer >= 1, 'all', 'changes' or None"):
            run(library.distance(), families.path(2), ["root", "node"], 3, record=record)


def test_more_changes_than_one_log_holds():
    graph = families.moore(100, 100, torus=True)
    states = np.random.default_rng(0).integers(0, 2, 10_000)
    frames = run(library.life_like(), graph, states, 60, record="all", kernel="lattice").states
    trajectory = run(library.life_like(), graph, states, 60, record="changes")
    assert len(trajectory.changes) == (frames[1:] != frames[:-1]).sum() > 2**16
    for step in range(61):
        assert np.array_equal(trajectory.at(step), frames[step])
