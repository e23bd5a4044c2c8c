"""What the kernels say about a table is what a plain run says, and colours never promise too little."""

from itertools import combinations

import numba
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import aggregations, batches, frames_of, problems, random_table, task_of, wrong_nodes

from graphfsa import CountingAggregation, GraphFSA, families, run
from graphfsa.datasets import Examples
from graphfsa.engine.reference import reference_run
from graphfsa.graphs import GraphBatch
from graphfsa.search.colours import NEVER, refine_once, ripe_steps
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.searches import evaluate, tabulate
from strategies import SEEDS

EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)


def automaton(shape, table):
    names = [f"s{state}" for state in range(shape.num_states)]
    return GraphFSA(names, shape.aggregation, table, final_states=list(range(shape.num_final)))


@EXAMPLES
@given(problems(), SEEDS, st.sampled_from([0.0, 0.5, 0.9]))
def test_evaluate_is_what_the_reference_says(case, seed, stay):
    problem, _ = case
    shape, examples = problem.shape, problem.examples
    table = random_table(shape, np.random.default_rng(seed), stay)
    fsa = automaton(shape, table)
    wrong, seen, last = evaluate(problem, table)
    use = np.zeros_like(seen)
    parts = zip(
        examples.graphs.graphs(), examples.graphs.split(problem.start), examples.graphs.split(last), strict=True
    )
    for graph, (alone, start, end) in enumerate(parts):
        frames, used = frames_of(problem, graph, table)
        assert frames == reference_run(fsa, alone, start.tolist(), int(examples.steps[graph]))
        assert frames[-1] == end.tolist()
        assert wrong[graph] == wrong_nodes(problem, graph, frames)
        for entry in used:
            use[entry] += 1
    assert (seen == use).all()
    assert wrong.sum() == np.count_nonzero(examples.mask & (last != examples.labels))


@EXAMPLES
@given(problems(max_graphs=3), SEEDS)
def test_tabulation_counts_every_node_with_its_weight(case, seed):
    problem, _ = case
    examples, shape = problem.examples, problem.shape
    entries, votes = tabulate(problem)
    union, start = examples.graphs.graph, problem.start.tolist()
    weights = np.repeat(examples.counts, examples.sizes)
    expected = np.zeros_like(votes)
    for node in range(union.num_nodes):
        arcs = slice(union.indptr[node], union.indptr[node + 1])
        slots = [] if union.slots is None else union.slots[arcs].tolist()
        seen = [start[source] for source in union.indices[arcs].tolist()]
        value = shape.aggregation.encode(seen, slots, shape.num_states)
        assert entries[node] == start[node] * shape.num_values + value
        if problem.target[node] >= 0:
            expected[entries[node], problem.target[node]] += weights[node]
    assert (votes == expected).all()


@EXAMPLES
@given(st.data(), SEEDS)
def test_automata_do_not_see_more_than_their_colours(data, seed):
    aggregation = data.draw(aggregations())
    batch = data.draw(batches(aggregation, max_nodes=6))
    rng = np.random.default_rng(seed)
    shape = Shape(0, 3, 0, aggregation)
    start = rng.integers(0, 3, batch.graph.num_nodes)
    colours = start.astype(np.uint64)
    fsa = [automaton(shape, random_table(shape, rng, stay)) for stay in (0, 0, 0.5, 0.8)]
    states = [start.astype(np.uint8)] * len(fsa)
    for _ in range(5):
        for seen in states:
            for colour in np.unique(colours):
                assert len(np.unique(seen[colours == colour])) == 1
        states = [run(one, batch.graph, seen, 1).last for one, seen in zip(fsa, states, strict=True)]
        refined = refine_once(batch, colours, aggregation)
        pairs = set(zip(refined.tolist(), colours.tolist(), strict=True))
        assert len(pairs) == len(np.unique(refined)), "what was apart is together again"
        colours = refined


@EXAMPLES
@given(problems(evolution=False))
def test_a_colour_that_tells_two_nodes_apart_is_seen_by_some_automaton_of_that_bound(case):
    """Colours are not too fine either: with one step, two nodes of different colours see different values."""
    problem, _ = case
    aggregation = problem.shape.aggregation
    if aggregation.uses_slots or not hasattr(aggregation, "bound"):
        return
    colours = refine_once(problem.examples.graphs, problem.start.astype(np.uint64), aggregation)
    entries = tabulate(problem)[0]
    for u, v in combinations(range(len(colours)), 2):
        assert (colours[u] == colours[v]) == (entries[u] == entries[v])


@EXAMPLES
@given(problems(evolution=False))
def test_no_fitting_automaton_is_final_before_a_node_is_ripe(case):
    problem, table = case
    assert (problem.ripe[problem.target < 0] == 0).all()
    if table is None:
        return
    # The table that made the labels fits, so nothing is hopeless and no node is final too early.
    assert not len(problem.hopeless)
    offsets = problem.examples.graphs.offsets
    for graph in range(len(problem.examples)):
        frames, _ = frames_of(problem, graph, table)
        for step, states in enumerate(frames):
            for node, state in enumerate(states, offsets[graph]):
                if state < problem.shape.num_final and problem.target[node] >= 0:
                    assert step >= problem.ripe[node]


@EXAMPLES
@given(problems(evolution=False), st.integers(0, 6))
def test_ripe_steps_is_its_definition(case, steps):
    problem, _ = case
    graphs, aggregation = problem.examples.graphs, problem.shape.aggregation
    expected = np.where(problem.target < 0, 0, NEVER)
    colours = problem.start.astype(np.uint64)
    for step in range(steps + 1):
        for node in np.flatnonzero(expected == NEVER):
            alike = (colours == colours[node]) & (problem.target >= 0)
            if len(np.unique(problem.target[alike])) == 1:
                expected[node] = step
        colours = refine_once(graphs, colours, aggregation)
    assert ripe_steps(graphs, problem.start, problem.target, steps, aggregation).tolist() == expected.tolist()


@EXAMPLES
@given(problems(evolution=False, max_graphs=4), SEEDS)
def test_selecting_graphs_selects_the_problem(case, seed):
    problem, _ = case
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(problem.examples))[: rng.integers(0, len(problem.examples) + 1)]
    part = problem.select(chosen)
    again = Problem.of(problem.examples.select(chosen), problem.shape)
    assert part.start.tolist() == again.start.tolist()
    assert part.target.tolist() == again.target.tolist()
    assert part.ripe.tolist() == again.ripe.tolist()
    larger = problem.with_shape(
        Shape(problem.shape.num_final, problem.shape.num_starting, 5, problem.shape.aggregation)
    )
    assert larger.ripe.tolist() == problem.ripe.tolist()


def test_kernels_are_compiled_once_for_graphs_with_and_without_slots():
    """To the compiler an array that can be written is another type than one that can't."""
    task = task_of("classes", 1, 1)
    shape = Shape(1, 1, 0, CountingAggregation(1))
    graphs = [families.path(3), families.row(3)]
    found = [Problem.of(Examples(task, GraphBatch.of([g]), [0, 0, 0], [0, 0, 0], steps=1), shape) for g in graphs]
    assert [problem.examples.graphs.graph.slots is None for problem in found] == [True, False]
    assert numba.typeof(found[0].arrays) == numba.typeof(found[1].arrays)
