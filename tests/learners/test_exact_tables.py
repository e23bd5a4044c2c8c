"""Annealing, completion of tables, the ladder, and how small automata are written as larger ones."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import aggregations, batches, problems, random_table, task_of

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphFSA,
    PositionalAggregation,
    library,
    run,
)
from graphfsa.datasets import Examples
from graphfsa.errors import LimitError
from graphfsa.graphs import GraphBatch
from graphfsa.search.budget import Budget
from graphfsa.search.completion import completed, leaves, neighbours
from graphfsa.search.ladder import Rung, ladder, partitions, spread
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.searches import Annealing, evaluate
from graphfsa.search.simplify import simplified
from strategies import SEEDS

EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)
ALL = [
    CountingAggregation(1),
    CountingAggregation(3),
    PositionalAggregation(2),
    AverageThresholdAggregation(0.5),
    AverageThresholdAggregation((0.25, 0.5, 1.0)),
]


@lru_cache(maxsize=64)
def near_pairs(aggregation, num_states):
    """Pairs of values that differ in one digit (by one, if digits are amounts)."""
    values = range(aggregation.num_values(num_states))
    digits = np.array([aggregation.digits(value, num_states) for value in values])
    apart = np.abs(digits[:, None] - digits[None])
    changed = (apart > 0).sum(axis=2) == 1
    return np.nonzero(np.triu(changed & (apart.sum(axis=2) == 1) if aggregation.ordered else changed))


def roughness(table, shape):
    left, right = near_pairs(shape.aggregation, shape.num_states)
    return int((table[shape.num_final :, left] != table[shape.num_final :, right]).sum())


@EXAMPLES
@given(problems(max_named=4), SEEDS, st.integers(1, 700))
def test_simplification_keeps_all_labels_and_knows_its_energy(case, seed, portion):
    problem, table = case
    if table is None:
        return
    iterations = min(3000, 100 * portion)  # Every step of a short run is looked at, or some of a long one.
    annealing = Annealing(problem, table, simplify=True, iterations=iterations, heat=(2.0, 0.05), seed=seed)
    before = roughness(table, problem.shape)
    energies = []
    while not annealing.advance(portion):
        assert not evaluate(problem, annealing.table)[0].any()
        assert not evaluate(problem, annealing._table.reshape(table.shape))[0].any()
        assert annealing.energy == roughness(annealing.table, problem.shape)
        assert annealing._energy[0] == roughness(annealing._table.reshape(table.shape), problem.shape)
        energies.append(annealing.energy)
    assert energies == sorted(energies, reverse=True)
    assert annealing.energy == roughness(annealing.table, problem.shape) <= before
    assert not evaluate(problem, annealing.table)[0].any()
    finals = problem.shape.num_final
    assert (annealing.table[:finals] == table[:finals]).all()


@EXAMPLES
@given(problems(max_named=4), SEEDS, st.integers(1, 500))
def test_repair_knows_its_energy(case, seed, portion):
    problem, _ = case
    counts = problem.examples.counts
    start = random_table(problem.shape, np.random.default_rng(seed), 0.3)
    iterations = min(1500, 100 * portion)
    annealing = Annealing(problem, start, simplify=False, iterations=iterations, heat=(3.0, 0.2), seed=seed)
    before = (evaluate(problem, start)[0] * counts).sum()
    over = False
    while not over:
        over = annealing.advance(portion)
        assert annealing.energy == (evaluate(problem, annealing.table)[0] * counts).sum() <= before
        now = annealing._table.reshape(start.shape)
        assert annealing._energy[0] == (evaluate(problem, now)[0] * counts).sum()
        assert (now[: problem.shape.num_final] == start[: problem.shape.num_final]).all()
    assert annealing.done == iterations or annealing.energy == 0


@EXAMPLES
@given(problems(max_named=4), SEEDS)
def test_annealing_in_parts_is_annealing_at_once(case, seed):
    problem, table = case
    start = random_table(problem.shape, np.random.default_rng(seed), 0.3) if table is None else table
    options = {"simplify": table is not None, "iterations": 600, "heat": (2.0, 0.1), "seed": seed}
    whole, parts = Annealing(problem, start, **options), Annealing(problem, start, **options)
    whole.advance(600)
    while not parts.advance(37):
        pass
    assert parts.table.tolist() == whole.table.tolist()
    assert parts.energy == whole.energy


@settings(EXAMPLES, max_examples=15)
@given(problems(max_named=4, max_extra=1, max_nodes=4), SEEDS)
def test_what_is_simplified_fits_and_is_no_rougher(case, seed):
    problem, table = case
    if table is None:
        return
    seen = evaluate(problem, table)[1]
    partial = np.where(seen > 0, table, -1)
    partial[: problem.shape.num_final] = table[: problem.shape.num_final]
    simple = simplified(problem, partial, seed, Budget(0.2))
    assert not evaluate(problem, simple)[0].any()
    assert roughness(simple, problem.shape) <= roughness(completed(partial, problem.shape), problem.shape)


def test_simplification_refuses_what_does_not_fit():
    batch = GraphBatch.of([Graph.from_edges(2, [(0, 1)])])
    examples = Examples(task_of("classes", 2, 2), batch, [0, 1], [0, 1], steps=2)
    problem = Problem.of(examples, Shape(2, 2, 0, CountingAggregation(1)))
    table = random_table(problem.shape, np.random.default_rng(0), 1.0)
    with pytest.raises(AssertionError, match="wrong"):
        simplified(problem, table, 0, Budget(1))


@pytest.mark.parametrize("aggregation", ALL, ids=str)
@pytest.mark.parametrize("num_states", [1, 2, 3, 4])
def test_neighbours_are_mutual(aggregation, num_states):
    near = neighbours(aggregation, num_states)
    pairs = {(value, other) for value, row in enumerate(near.tolist()) for other in row if other >= 0}
    assert len(pairs) == (near >= 0).sum()
    assert all((other, value) in pairs for value, other in pairs)
    digits = [aggregation.digits(value, num_states) for value in range(aggregation.num_values(num_states))]
    expected = set()
    for value, mine in enumerate(digits):
        for other, its in enumerate(digits):
            steps = [abs(a - b) for a, b in zip(mine, its, strict=True) if a != b]
            if len(steps) == 1 and (not aggregation.ordered or steps == [1]):
                expected.add((value, other))
    assert pairs == expected


@EXAMPLES
@given(st.data(), st.sampled_from(ALL), st.integers(0, 2), st.integers(1, 3), SEEDS, st.floats(0, 1))
def test_completion_changes_nothing_that_is_known(data, aggregation, finals, others, seed, share):
    shape = Shape(finals, others, 0, aggregation)
    rng = np.random.default_rng(seed)
    whole = random_table(shape, rng, 0.3)
    partial = np.where(rng.random(whole.shape) < share, whole, -1).astype(np.int16)
    partial[:finals] = whole[:finals]
    kept = partial.copy()
    filled = completed(partial, shape)
    assert (partial == kept).all()
    assert ((filled >= 0) & (filled < shape.num_states)).all()
    assert (filled[partial >= 0] == partial[partial >= 0]).all()
    assert (filled == completed(partial, shape)).all()
    assert (completed(filled, shape) == filled).all()
    for state in range(shape.num_states):
        known = partial[state][partial[state] >= 0]
        assert set(filled[state].tolist()) <= (set(known.tolist()) or {state})
        # As many leaves as the tree on what is known has, however large the row.
        assert 1 <= leaves(filled[state], aggregation, shape.num_states) <= shape.num_values


@pytest.mark.parametrize(
    "fsa",
    [
        library.wireworld(),
        library.life_like(),
        library.path_finding(),
        library.path_finding(colours=2),
    ],
    ids=["wireworld", "life", "paths", "two colours"],
)
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_simple_rules_are_recovered_from_parts(fsa, share):
    shape = Shape(0, fsa.num_states, 0, fsa.aggregation)
    whole = fsa.transition_table.astype(np.int16)
    rng = np.random.default_rng(1)
    right = [
        (completed(np.where(rng.random(whole.shape) < share, whole, -1).astype(np.int16), shape) == whole).mean()
        for _ in range(5)
    ]
    assert np.mean(right) > (0.9 if share > 0.5 else 0.8)


def bell(count):
    return [1, 1, 2, 5, 15, 52][count]


@pytest.mark.parametrize("count", range(1, 6))
def test_partitions_are_all_there(count):
    found = list(partitions(count, []))
    assert len(found) == len(set(found)) == bell(count)
    for groups in found:
        first = list(dict.fromkeys(groups))
        assert first == list(range(len(first)))
    pairs = [(0, count - 1)] if count > 1 else []
    apart = list(partitions(count, pairs))
    assert apart == [groups for groups in found if not any(groups[a] == groups[b] for a, b in pairs)]
    assert list(partitions(count, [(b, a) for a, b in pairs])) == apart
    everything = [(a, b) for a in range(count) for b in range(a)]
    assert list(partitions(count, everything)) == [tuple(range(count))]


def test_the_ladder_rises():
    kinds = [CountingAggregation(bound) for bound in (1, 2, 3)]
    rungs = ladder(2, list(partitions(3, [])), range(3), kinds)
    assert len(rungs) == 5 * 3 * 3
    sizes = [(rung.size, rung.shape.num_states) for rung in rungs]
    assert sizes == sorted(sizes)
    assert rungs[0].merged == (0, 0, 0)
    for place, rung in enumerate(rungs):
        assert rung.covers(rung)
        for later in rungs[place + 1 :]:
            assert not (rung.covers(later) and later.shape.num_entries > rung.shape.num_entries)
    assert [all(rung.covers(other) for other in rungs) for rung in rungs].count(True) == 1
    for rung in rungs:
        assert rung.describe(("a", "b", "c")).startswith(f"{rung.shape.num_states} states, bound {rung.bound}")


def test_tables_that_are_too_large_are_left_out():
    rungs = ladder(8, [(0, 1)], range(3), [CountingAggregation(3)])
    assert [rung.shape.num_extra for rung in rungs] == [0, 1]
    with pytest.raises(LimitError):
        ladder(20, [(0, 1)], range(3), [CountingAggregation(3)])


def automaton(table, shape):
    return GraphFSA(
        [f"s{k}" for k in range(shape.num_states)],
        shape.aggregation,
        table,
        final_states=list(range(shape.num_final)),
    )


@EXAMPLES
@given(st.data(), SEEDS)
def test_a_spread_automaton_gives_the_same_answers(data, seed):
    aggregation = data.draw(aggregations(max_bound=2))
    count = data.draw(st.integers(1, 3))
    merged = data.draw(st.sampled_from(list(partitions(count, []))))
    small = Shape(data.draw(st.integers(1, 2)), len(set(merged)), data.draw(st.integers(0, 1)), aggregation)
    rung = Rung(small, merged)
    rng = np.random.default_rng(seed)
    table = random_table(small, rng, 0.3)
    whole = spread(table, rung)
    if whole is None:
        assert isinstance(aggregation, AverageThresholdAggregation)
        assert len(set(merged)) < count
        return
    larger, shape = whole
    assert shape.num_starting == count
    assert larger.shape == (shape.num_states, shape.num_values)
    batch = data.draw(batches(aggregation, max_nodes=6))
    inputs = rng.integers(0, count, batch.graph.num_nodes)
    little = run(automaton(table, small), batch.graph, small.num_final + np.array(merged)[inputs], 6, record="all")
    great = run(automaton(larger, shape), batch.graph, shape.num_final + inputs, 6, record="all")
    down = np.array([*range(small.num_final), *(small.num_final + g for g in merged)])
    down = np.r_[down, np.arange(small.num_extra) + small.num_final + small.num_starting]
    for step in range(7):
        assert (down[great.at(step)] == little.at(step)).all()
