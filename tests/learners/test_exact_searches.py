"""Lazy assignment and satisfiability against a plain search that tries everything."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_problems import TooManyError, canonical, every_fit, frames_of, problems, random_table, task_of

from graphfsa import AverageThresholdAggregation, CountingAggregation, Graph, PositionalAggregation
from graphfsa.datasets import Examples
from graphfsa.graphs import GraphBatch
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.sat import SatSearch
from graphfsa.search.searches import LazySearch, evaluate
from own_aggregations import HighestNeighbour, LonelyMajority
from strategies import SEEDS

EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)
MODES = (0, 1, 2, 3, 5)
TINY = problems(max_extra=2, max_graphs=3, max_nodes=3, max_steps=3, max_named=4)


def truth(problem):
    try:
        return every_fit(problem)
    except TooManyError:
        assume(False)


def finish(search, work=10**9):
    while search.advance(work) == "paused":
        pass
    return search.outcome


def assignment(table, shape):
    decided = np.argwhere(table[shape.num_final :] >= 0) + np.array([shape.num_final, 0])
    return frozenset((int(s), int(v), int(table[s, v])) for s, v in decided)


def fits_however_filled(problem, table, rng):
    for stay in (0.0, 1.0):
        filled = np.where(table < 0, random_table(problem.shape, rng, stay), table)
        if evaluate(problem, filled)[0].any():
            return False
    return True


@EXAMPLES
@given(TINY, st.sampled_from(MODES), SEEDS)
def test_lazy_search_finds_what_there_is(case, mode, seed):
    problem, table = case
    fits = truth(problem)
    if table is not None:
        assert fits
    search = LazySearch(problem, mode, seed)
    assert finish(search) == ("found" if fits else "exhausted")
    if fits:
        assert canonical(assignment(search.table, problem.shape), problem.shape) in {
            canonical(fit, problem.shape) for fit in fits
        }
        assert fits_however_filled(problem, search.table, np.random.default_rng(seed))


@EXAMPLES
@given(TINY, st.sampled_from(MODES), SEEDS)
def test_forgetting_lists_every_fit_once(case, mode, seed):
    problem, _ = case
    shape = problem.shape
    expected = {canonical(fit, shape) for fit in truth(problem)}
    search = LazySearch(problem, mode, seed)
    found = []
    while finish(search) == "found":
        found.append(canonical(assignment(search.table, shape), shape))
        search.forget()
        assert len(found) <= len(expected)
    assert search.outcome == "exhausted"
    assert len(found) == len(set(found))
    assert set(found) == expected


@EXAMPLES
@given(problems(max_nodes=5), st.sampled_from(MODES), SEEDS, st.integers(0, 3))
def test_pausing_changes_nothing(case, mode, seed, work):
    problem, _ = case
    straight, halting = LazySearch(problem, mode, seed), LazySearch(problem, mode, seed)
    assert straight.advance(200_000) in ("found", "exhausted", "paused")
    assume(straight.outcome != "paused")
    for _ in range(3):
        outcome = finish(straight)
        assert finish(halting, work) == outcome
        assert halting.table.tolist() == straight.table.tolist()
        assert (halting.work, halting.conflicts) == (straight.work, straight.conflicts)
        if outcome != "found":
            break
        straight.forget()
        halting.forget()
        straight.advance(200_000)
        assume(straight.outcome != "paused")


def ending(problem, graph, table):
    """In which final state each node of a graph ends (any state of an evolution), else -1."""
    states = np.array(frames_of(problem, graph, table)[0][-1], int)
    return np.where((states < problem.shape.num_final) | (problem.shape.num_final == 0), states, -1)


@EXAMPLES
@given(TINY, st.sampled_from(MODES), SEEDS)
def test_a_question_is_answered_otherwise_if_it_can_be(case, mode, seed):
    problem, _ = case
    rng = np.random.default_rng(seed)
    shape, graph = problem.shape, int(rng.integers(len(problem.examples)))
    offsets = problem.examples.graphs.offsets
    inside = slice(offsets[graph], offsets[graph + 1])
    target = problem.target.copy()
    target[inside] = -1
    problem = replace(problem, target=target)
    others = np.delete(np.arange(len(problem.examples)), graph)
    endings = []
    for fit in truth(problem):
        table = shape.empty_table()
        for state, value, successor in fit:
            table[state, value] = successor
        endings.append(ending(problem, graph, table))
    answers = np.full(len(target), -1)
    answers[inside] = endings[rng.integers(len(endings))] if endings else -1
    other = any((end != answers[inside]).any() for end in endings)
    search = LazySearch(problem, mode, seed, (graph, answers, others))
    assert finish(search, int(rng.choice([1, 10**9]))) == ("found" if other else "exhausted")
    if other:
        for stay in (0.0, 1.0):
            filled = np.where(search.table < 0, random_table(shape, rng, stay), search.table)
            assert not evaluate(problem, filled)[0].any()
            assert (ending(problem, graph, filled) != answers[inside]).any()


@EXAMPLES
@given(problems(max_graphs=6, max_nodes=6, max_steps=5), st.sampled_from(MODES), SEEDS)
def test_satisfiability_agrees_with_lazy_assignment(case, mode, seed):
    problem, table = case
    sat, lazy = SatSearch(problem), LazySearch(problem, mode, seed)
    if sat.advance(20_000) == "too large":
        return
    assume(sat.outcome != "paused" and lazy.advance(20_000_000) != "paused")
    assert sat.outcome == lazy.outcome
    if table is not None:
        assert sat.outcome == "found"
    if sat.outcome == "found":
        for found in (sat.table, lazy.table):
            assert (found[: problem.shape.num_final] == problem.shape.empty_table()[: problem.shape.num_final]).all()
            assert fits_however_filled(problem, found, np.random.default_rng(seed))


@EXAMPLES
@given(TINY)
def test_satisfiability_finds_what_there_is(case):
    problem, _ = case
    assert SatSearch(problem).advance(10**6) == ("found" if truth(problem) else "exhausted")


@EXAMPLES
@given(TINY, st.sampled_from(MODES))
def test_what_is_hopeless_can_not_be_fitted(case, mode):
    """Flip the labels of one of two nodes that look the same: nothing fits, and the searches see it by themselves."""
    problem, table = case
    if table is not None:
        assert not len(problem.hopeless)
    if not len(problem.hopeless):
        return
    assert not truth(problem)
    unaware = problem.with_shape(problem.shape)
    unaware.__dict__["ripe"] = np.zeros_like(problem.ripe)
    assert finish(LazySearch(unaware, mode)) == "exhausted"
    assert SatSearch(problem).advance(10**6) == "exhausted"


@EXAMPLES
@given(TINY, st.sampled_from(MODES))
def test_ripeness_prunes_no_fit(case, mode):
    problem, _ = case
    expected = {canonical(fit, problem.shape) for fit in truth(problem)}
    careless = problem.with_shape(problem.shape)
    careless.__dict__["ripe"] = np.zeros_like(problem.ripe)
    search = LazySearch(careless, mode)
    found = set()
    while finish(search) == "found":
        found.add(canonical(assignment(search.table, problem.shape), problem.shape))
        search.forget()
    assert found == expected


def hub(aggregation, leaves, extra=0):
    """A hub that must see exactly how many of its leaves are marked: one class per count."""
    graphs = [Graph.from_edges(leaves + 1, [(0, k) for k in range(1, leaves + 1)]) for _ in range(leaves + 1)]
    inputs = np.concatenate([[0] + [1] * marked + [0] * (leaves - marked) for marked in range(leaves + 1)])
    labels = np.concatenate([[min(marked, 2)] + [0] * leaves for marked in range(leaves + 1)])
    mask = np.tile(np.arange(leaves + 1) == 0, leaves + 1)
    examples = Examples(task_of("classes", 2, 3), GraphBatch.of(graphs), inputs, labels, steps=1, mask=mask)
    return Problem.of(examples, Shape(3, 2, extra, aggregation))


@pytest.mark.parametrize(("bound", "outcome"), [(1, "exhausted"), (2, "found"), (3, "found")])
def test_hubs_are_counted_as_far_as_the_bound(bound, outcome):
    problem = hub(CountingAggregation(bound), 9)
    assert bool(len(problem.hopeless)) == (outcome == "exhausted")
    assert finish(LazySearch(problem, 0)) == SatSearch(problem).advance(10**6) == outcome


def test_thresholds_follow_degrees():
    problem = hub(AverageThresholdAggregation(0.5), 6)
    assert not len(problem.hopeless)  # Colours do not know thresholds; searches do.
    assert finish(LazySearch(problem, 0)) == SatSearch(problem).advance(10**6) == "exhausted"


def test_too_many_cases_are_no_answer():
    count = 12
    graph = Graph.from_edges(count + 1, [(k, 0) for k in range(1, count + 1)], directed=True, slots=list(range(count)))
    examples = Examples(task_of("classes", 1, 1), GraphBatch.of([graph]), [0] * (count + 1), [0] * (count + 1), steps=3)
    small = Problem.of(examples, Shape(1, 1, 0, PositionalAggregation(count)))
    assert SatSearch(small).advance(1000) in ("too large", "found")
    assert finish(LazySearch(small, 0)) == "found"


def test_more_decisions_than_a_word_has_bits():
    """Reasons are sets of levels in words of 64: a row of single nodes and pairs with many inputs needs more."""
    inputs, classes = 12, 2
    graphs, given, labels = [], [], []
    rng = np.random.default_rng(5)
    for a in range(inputs):
        for b in range(a + 1):
            graphs.append(Graph.from_edges(2, [(0, 1)]))
            given += [a, b]
            label = rng.integers(0, classes, 2)
            labels += label.tolist() if a != b else [int(label[0])] * 2
    examples = Examples(task_of("classes", inputs, classes), GraphBatch.of(graphs), given, labels, steps=1)
    for mode in MODES:
        problem = Problem.of(examples, Shape(classes, inputs, 0, CountingAggregation(1)))
        search = LazySearch(problem, mode, 1)
        assert finish(search) == "found"
        assert np.count_nonzero(search.table[classes:] >= 0) == inputs**2
        assert not evaluate(problem, np.where(search.table < 0, 0, search.table))[0].any()
    # One more pair contradicts the last but one: only its two decisions are to blame.
    more = Examples(
        examples.task,
        GraphBatch.of([*graphs, graphs[0]]),
        [*given, 0, 1],
        [*labels, *(1 - labels[3], labels[2])],
        steps=1,
    )
    problem = Problem.of(more, Shape(classes, inputs, 0, CountingAggregation(1)))
    problem.__dict__["ripe"] = np.zeros(len(problem.start), np.int32)
    search = LazySearch(problem, 0)
    assert finish(search) == "exhausted"
    assert search.conflicts < 1000


@pytest.mark.parametrize("aggregation", [LonelyMajority(), AverageThresholdAggregation({4: 0.5})])
@pytest.mark.parametrize("mode", MODES)
def test_states_that_are_not_alike_are_all_tried(aggregation, mode):
    """Only the last state is seen, so the nodes must go there at once: the state before it will not do instead."""
    shape = Shape(2, 1, 2, aggregation)
    graphs = GraphBatch.of([Graph.from_edges(1, []), Graph.from_edges(2, [(0, 1)])])
    problem = Problem.of(Examples(task_of("classes", 1, 2), graphs, [0, 0, 0], [0, 1, 1], steps=2), shape)
    (fit,) = every_fit(problem)
    assert (2, 0, 4) in fit
    search = LazySearch(problem, mode)
    assert finish(search) == "found"
    assert assignment(search.table, shape) == fit


def test_which_states_are_alike():
    """Those of which the aggregation says that swapping them changes nothing."""
    for aggregation in (CountingAggregation(2), PositionalAggregation(2), AverageThresholdAggregation(0.5)):
        assert Shape(2, 1, 3, aggregation).first_alike == 3
    assert Shape(2, 1, 3, AverageThresholdAggregation({0: 0.5})).first_alike == 3
    assert Shape(2, 1, 3, AverageThresholdAggregation({3: 0.5, 4: 0.5, 5: 0.5})).first_alike == 3
    for aggregation in (AverageThresholdAggregation({4: 0.5}), HighestNeighbour(), LonelyMajority()):
        assert Shape(2, 1, 3, aggregation).first_alike == 6
    assert Shape(2, 1, 1, LonelyMajority()).first_alike == 3  # One is like itself.
