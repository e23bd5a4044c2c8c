"""What must not matter does not matter: labels of nodes, company, names of states, number of threads."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphBatch,
    GraphFSA,
    LettersAggregation,
    PositionalAggregation,
    WeightedSumAggregation,
    families,
    library,
    run,
)
from graphfsa.aggregations import Sum
from strategies import (
    SEEDS,
    any_graphs,
    automata,
    cases,
    plain_graphs,
    scattered_graphs,
    slotted_graphs,
    states_for,
)

EXAMPLES = settings(max_examples=200, deadline=None, derandomize=True)
STEPS = st.integers(1, 30)


def relabelled(graph, labels):
    """The graph in which node ``v`` is called ``labels[v]``."""
    edges = np.c_[labels[graph.indices], labels[graph.targets()]].reshape(-1, 2)
    return Graph.from_edges(graph.num_nodes, edges, directed=True, slots=graph.slots)


@EXAMPLES
@given(cases(st.one_of(any_graphs(), scattered_graphs())), STEPS, SEEDS)
def test_relabelling_nodes_commutes_with_running(case, steps, seed):
    fsa, graph, states = case
    labels = np.random.default_rng(seed).permutation(graph.num_nodes)
    renamed = np.empty_like(states)
    renamed[labels] = states
    plain = run(fsa, graph, states, steps)
    other = run(fsa, relabelled(graph, labels), renamed, steps)
    assert np.array_equal(other.last[labels], plain.last)
    assert (other.stable_at, other.period) == (plain.stable_at, plain.period)


@EXAMPLES
@given(st.data(), STEPS, st.booleans())
def test_a_union_runs_as_its_parts_do(data, steps, slotted):
    graphs = data.draw(st.lists(slotted_graphs(num_slots=2) if slotted else plain_graphs(), max_size=5))
    fsa = data.draw(automata(num_slots=2 if slotted else None))
    states = [data.draw(states_for(fsa, graph)) for graph in graphs]
    batch = GraphBatch.of(graphs)
    together = run(fsa, batch.graph, np.concatenate([*states, np.empty(0, int)]), steps)
    parts = batch.split(together.last)
    assert len(parts) == len(graphs)
    alone = [run(fsa, graph, start, steps) for graph, start in zip(graphs, states, strict=True)]
    for part, trajectory in zip(parts, alone, strict=True):
        assert np.array_equal(part, trajectory.last)


@EXAMPLES
@given(st.data(), st.lists(plain_graphs(max_nodes=5), min_size=2, max_size=3))
def test_the_period_of_a_union_is_the_least_common_multiple(data, graphs):
    fsa = data.draw(automata(num_states=2, finals=0))
    states = [data.draw(states_for(fsa, graph)) for graph in graphs]
    alone = [run(fsa, graph, start, "stable") for graph, start in zip(graphs, states, strict=True)]
    together = run(fsa, GraphBatch.of(graphs).graph, np.concatenate(states), "stable")
    assert together.period == np.lcm.reduce([trajectory.period for trajectory in alone])
    assert together.stable_at == max(trajectory.stable_at for trajectory in alone)


def renamed_states(fsa, names):
    """The automaton in which state ``m`` is called ``names[m]``: every observation and every answer is renamed."""
    aggregation = fsa.aggregation
    if isinstance(aggregation, AverageThresholdAggregation):
        watched = {int(names[state]): levels for state, levels in aggregation.watched(fsa.num_states)}
        other = AverageThresholdAggregation(watched)
    elif isinstance(aggregation, LettersAggregation):
        letters = [tuple(part.weight(state) for state in np.argsort(names)) for part in aggregation.sums]
        shown = zip(aggregation.sums, letters, strict=True)
        other = LettersAggregation(tuple(Sum(part.kind, part.limit, weights) for part, weights in shown))
    elif isinstance(aggregation, WeightedSumAggregation):
        weights = tuple(aggregation.weight(state) for state in np.argsort(names).tolist())
        other = WeightedSumAggregation(weights, aggregation.thresholds)
    else:
        other = aggregation
    table = np.empty((fsa.num_states, fsa.num_values), int)
    back = np.argsort(names)
    for value in range(fsa.num_values):
        digits = other.digits(value, fsa.num_states)
        if isinstance(aggregation, PositionalAggregation):
            before = [back[digit - 1] + 1 if digit else 0 for digit in digits]
            bases = [fsa.num_states + 1] * len(digits)
        elif isinstance(aggregation, CountingAggregation):
            before = [digits[names[state]] for state in range(fsa.num_states)]
            bases = [aggregation.bound + 1] * len(digits)
        elif isinstance(aggregation, LettersAggregation):
            before, bases = list(digits), [part.size for part in aggregation.sums]
        elif isinstance(aggregation, WeightedSumAggregation):
            before, bases = list(digits), [fsa.num_values]
        else:
            reached = dict(zip([state for state, _ in other.watched(fsa.num_states)], digits, strict=True))
            before = [reached[names[state]] for state, _ in aggregation.watched(fsa.num_states)]
            bases = [len(levels) + 1 for _, levels in aggregation.watched(fsa.num_states)]
        weights = np.cumprod([1, *bases])[: len(bases)]
        table[:, value] = names[fsa.transition_table[back, int(weights @ before)]]
    return GraphFSA(list(map(str, range(fsa.num_states))), other, table)


@EXAMPLES
@given(cases(any_graphs()), STEPS, SEEDS)
def test_renaming_states_commutes_with_running(case, steps, seed):
    fsa, graph, states = case
    if fsa.num_states * fsa.num_values > 20_000:
        return
    names = np.random.default_rng(seed).permutation(fsa.num_states)
    last = run(renamed_states(fsa, names), graph, names[states], steps).last
    assert np.array_equal(last, names[run(fsa, graph, states, steps).last])


@EXAMPLES
@given(st.data(), STEPS)
def test_final_states_absorb(data, steps):
    graph = data.draw(any_graphs())
    num_states = data.draw(st.integers(2, 4))
    slots = None if graph.slots is None else graph.num_slots
    fsa = data.draw(automata(num_slots=slots, num_states=num_states, finals=2))
    states = data.draw(states_for(fsa, graph))
    for kernel in ("event", "dense"):
        frames = run(fsa, graph, states, steps, record="all", kernel=kernel).states
        final = np.isin(frames[:-1], fsa.final_states)
        assert (frames[1:][final] == frames[:-1][final]).all()
    assert len(fsa.final_states) == min(2, fsa.num_states)


@EXAMPLES
@given(cases(plain_graphs()), STEPS)
def test_a_node_only_feels_what_it_can_reach(case, steps):
    """Nodes from which no arc leads, at any distance, to node 0 may start in any state without node 0 noticing."""
    fsa, graph, states = case
    if graph.num_nodes == 0:
        return
    seen, front = {0}, [0]
    while front:
        node = front.pop()
        fresh = set(graph.neighbours(node).tolist()) - seen
        seen |= fresh
        front += fresh
    changed = states.copy()
    unseen = [node for node in range(graph.num_nodes) if node not in seen]
    changed[unseen] = (changed[unseen] + 1) % fsa.num_states
    assert run(fsa, graph, states, steps).last[0] == run(fsa, graph, changed, steps).last[0]


LARGE = """
import numpy as np
from graphfsa import AverageThresholdAggregation, Graph, GraphFSA, families, library, run

rng = np.random.default_rng(0)
graph = Graph.from_edges(150_000, rng.integers(0, 150_000, (300_000, 2)))
majority = GraphFSA.from_rule(
    ["no", "yes"], AverageThresholdAggregation({1: 0.5}), lambda _, reached: "yes" if reached["yes"] else "no"
)
marks = rng.integers(0, 2, 150_000)
nodes = np.full(150_000, 2)
nodes[0] = 3
board = rng.integers(0, 2, 1000 * 1000)
brain = rng.integers(0, 3, 1000 * 1000)
moore = families.moore(1000, 1000, torus=True)
CASES = [
    (majority, graph, marks, 7, "dense"),
    (library.distance(), graph, nodes, 20, "dense"),
    (library.distance(), graph, nodes, 20, "auto"),
    (library.life_like(), moore, board, 9, "bits"),
    (library.life_like(), moore, board, 4, "lattice"),
    (library.brians_brain(), moore, brain, 5, "auto"),
]
"""
PRINT = """
for fsa, graph, states, steps, kernel in CASES:
    print(run(fsa, graph, states, steps, kernel=kernel).digest)
"""


@pytest.fixture(scope="module")
def large():
    names = {}
    exec(LARGE, names)
    return names["CASES"]


def test_the_number_of_threads_does_not_matter(large):
    for fsa, graph, states, steps, kernel in large:
        digests = {run(fsa, graph, states, steps, kernel=kernel, threads=threads).digest for threads in (1, 2, 8)}
        assert len(digests) == 1


def test_threads_by_environment_give_the_same(large):
    env = {**os.environ, "GRAPHFSA_THREADS": "8"}
    code = LARGE + PRINT
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=120, check=True
    )
    here = [run(*case, kernel=kernel, threads=1).digest for *case, kernel in large]
    assert done.stdout.split() == here


def test_runs_at_the_same_time_do_not_disturb_each_other(large):
    """Several callers share the engine's threads, its compiled kernels and what graphs remember."""
    fsa, graph, states, steps, kernel = large[1]
    expected = run(fsa, graph, states, steps, kernel=kernel, threads=1).digest
    fresh = Graph(graph.indptr, graph.indices)  # It remembers nothing yet.
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(run, fsa, fresh, states, steps, kernel=kernel, threads=3) for _ in range(8)]
        assert {job.result(timeout=60).digest for job in jobs} == {expected}


FORKED = """
import os
CASE = CASES[1]
def digest():
    fsa, graph, states, steps, kernel = CASE
    return run(fsa, graph, states, steps, kernel=kernel, threads=3).digest
before = digest()
child = os.fork()
if child == 0:
    os._exit(0 if digest() == before else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_child_can_run():
    """It inherits the pool of threads without its threads: it must not wait for them."""
    command = [sys.executable, "-c", LARGE + FORKED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "0"


@pytest.mark.parametrize("given", ["0", "many", "-1", "", "1.5", "²"])
def test_a_wrong_number_of_threads_in_the_environment_is_refused(given, monkeypatch):
    monkeypatch.setenv("GRAPHFSA_THREADS", given)
    with pytest.raises(ValueError, match=r"threads must be an integer from 1 to 1024"):
        run(library.distance(), families.path(2), ["root", "node"], 1)
