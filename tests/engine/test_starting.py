"""Runs that begin in NumPy: the same result wherever they go on with compiled kernels."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import (
    CountingAggregation,
    Graph,
    GraphFSA,
    LettersAggregation,
    ProductAggregation,
    families,
    library,
    run,
)
from graphfsa.aggregations import Sum
from graphfsa.engine import _starting
from graphfsa.engine._starting import StartingStepper, may_start
from graphfsa.engine.kernels import make_stepper
from own_aggregations import HighestNeighbour
from strategies import cases, plain_graphs, slotted_graphs


@settings(max_examples=80, deadline=None, derandomize=True)
@given(cases(plain_graphs()) | cases(slotted_graphs()), st.integers(0, 40), st.integers(0, 30))
def test_the_change_of_kernels_changes_nothing(case, steps, afforded):
    fsa, graph, states = case
    plain = run(fsa, graph, states, steps, kernel="event", record="all")

    def begin(*_):
        stepper = StartingStepper(fsa, graph, lambda: make_stepper(fsa, graph, "event", 1))
        _starting._allowance[0] = afforded * stepper._cost
        return stepper

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_starting, "_allowance", [0])
        patched.setattr(sys.modules["graphfsa.engine.run"], "make_stepper", begin)
        found = run(fsa, graph, states, steps, record="all")
    assert found.states.tolist() == plain.states.tolist()
    assert (found.stable_at, found.period, found.steps) == (plain.stable_at, plain.period, plain.steps)
    assert set(found.kernel.split("+")) <= {"numpy", "event"}


def test_a_short_run_does_not_load_the_compiler():
    program = (
        "import sys; from graphfsa import run; found = run('distance', 'path:10', 'root:0', 'stable'); "
        "print(found.kernel, found.stable_at, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["numpy", "10", "False"]


def test_who_begins_in_numpy(monkeypatch):
    fsa, small = library.distance(), families.path(10)
    assert not may_start(fsa, small)  # The tests of this room are about kernels.
    monkeypatch.setattr(_starting, "_allowance", [1])
    assert may_start(fsa, small)
    assert not may_start(fsa, families.path(1 << 17))
    for own in (HighestNeighbour(), ProductAggregation((CountingAggregation(1), HighestNeighbour()))):
        assert not may_start(GraphFSA.from_rule(["a", "b"], own, lambda state, _: state), small)
    monkeypatch.setattr(_starting, "_allowance", [0])
    assert not may_start(fsa, small)


def test_values_with_many_states():
    names = [f"s{state}" for state in range(256)]
    highest = LettersAggregation((Sum("highest", 255, tuple(range(256))),))
    table = np.random.default_rng(0).integers(0, 256, (256, 256))
    fsa = GraphFSA(names, highest, table)
    graph = Graph.from_edges(6, [(0, 1), (1, 1), (2, 3), (3, 4), (4, 2), (2, 3)])
    states = np.array([255, 3, 0, 200, 255, 7])
    frames = [run(fsa, graph, states, 5, kernel=kernel, record="all").states.tolist() for kernel in ("numpy", "event")]
    assert frames[0] == frames[1]
