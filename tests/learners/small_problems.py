"""Small learning problems as hypothesis strategies, and plain searches that the learner is compared with."""

from functools import lru_cache
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from graphfsa import AverageThresholdAggregation, CountingAggregation, PositionalAggregation
from graphfsa.datasets import Examples, Task
from graphfsa.graphs import GraphBatch
from graphfsa.search.problem import Problem, Shape
from strategies import SEEDS, plain_graphs, slotted_graphs

KINDS = ("counting", "positional", "average")


def task_of(kind, inputs, classes):
    names = tuple(f"c{k}" for k in range(classes))
    return Task("small", kind, names if kind == "evolution" else tuple(f"i{k}" for k in range(inputs)), names)


def random_table(shape, rng, stay):
    """A complete table; final rows stay, others with some chance."""
    table = rng.integers(0, shape.num_states, (shape.num_states, shape.num_values))
    own = np.arange(shape.num_states)[:, None]
    table = np.where(rng.random(table.shape) < stay, own, table)
    table[: shape.num_final] = own[: shape.num_final]
    return table.astype(np.int16)


@lru_cache(maxsize=4)
def plain(graphs):
    """Where each graph of a batch begins, and the sources and slots of the arcs to each node."""
    union, offsets = graphs.graph, graphs.offsets.tolist()
    rows = [slice(*union.indptr[node : node + 2].tolist()) for node in range(union.num_nodes)]
    slots = [[] if union.slots is None else union.slots[row].tolist() for row in rows]
    return offsets, list(zip([union.indices[row].tolist() for row in rows], slots, strict=True))


def frames_of(problem, graph, table):
    """States of one graph at every step, and the entries it uses; plain Python. ``table`` is indexed by (state, value).

    A missing entry (below 0) ends the run: it is returned instead of the frames.
    """
    shape, (offsets, arcs) = problem.shape, plain(problem.examples.graphs)
    begin, end = offsets[graph : graph + 2]
    states = {node: int(problem.start[node]) for node in range(begin, end)}
    frames, used = [list(states.values())], set()
    for _ in range(int(problem.examples.steps[graph])):
        after = {}
        for node in range(begin, end):
            if states[node] < shape.num_final:
                after[node] = states[node]
                continue
            sources, slots = arcs[node]
            seen = [states[source] for source in sources]
            entry = states[node], shape.aggregation.encode(seen, slots, shape.num_states)
            used.add(entry)
            after[node] = int(table[entry])
            if after[node] < 0:
                return None, entry
        states = after
        frames.append(list(states.values()))
    return frames, used


def wrong_nodes(problem, graph, frames):
    begin, end = plain(problem.examples.graphs)[0][graph : graph + 2]
    target = problem.target[begin:end].tolist()
    return sum(wanted not in (-1, state) for wanted, state in zip(target, frames[-1], strict=True))


class TooManyError(Exception):
    pass


def every_fit(problem, limit=3000):
    """Every assignment of the entries that the graphs use and that fits all of them, as frozen sets of items."""
    found, steps = [], [0]
    table = problem.shape.empty_table()

    def extend(graph, used):
        steps[0] += 1
        if steps[0] > limit:
            raise TooManyError
        if graph == len(problem.examples):
            found.append(frozenset((*entry, int(table[entry])) for entry in used))
            return
        frames, entries = frames_of(problem, graph, table)
        if frames is None:
            for state in range(problem.shape.num_states):
                table[entries] = state
                extend(graph, used)
            table[entries] = -1
        elif not wrong_nodes(problem, graph, frames):
            extend(graph + 1, used | entries)

    extend(0, frozenset())
    return found


def canonical(fit, shape):
    """The same for fits that differ in the names of the extra states only."""
    named = shape.num_final + shape.num_starting
    kinds = []
    for order in permutations(range(named, shape.num_states)):
        new = [*range(named), *order]
        kinds.append(sorted((new[s], renamed(v, new, shape), new[t]) for s, v, t in fit))
    return tuple(min(kinds))


def renamed(value, new, shape):
    """The digits of a value after states got new names."""
    digits = shape.aggregation.digits(value, shape.num_states)
    if isinstance(shape.aggregation, PositionalAggregation):
        return tuple(new[digit - 1] + 1 if digit else 0 for digit in digits)
    moved = [0] * len(digits)
    for state, digit in enumerate(digits):
        moved[new[state]] = digit
    return tuple(moved)


@st.composite
def aggregations(draw, kinds=KINDS, max_bound=3):
    kind = draw(st.sampled_from(kinds))
    if kind == "counting":
        return CountingAggregation(draw(st.integers(1, max_bound)))
    return PositionalAggregation(2) if kind == "positional" else AverageThresholdAggregation(0.5)


@st.composite
def batches(draw, aggregation, max_graphs=4, max_nodes=5, min_graphs=1):
    graphs = slotted_graphs(max_nodes, num_slots=2) if aggregation.uses_slots else plain_graphs(max_nodes)
    return GraphBatch.of(draw(st.lists(graphs, min_size=min_graphs, max_size=max_graphs)))


@st.composite
def problems(draw, kinds=KINDS, evolution=True, max_extra=2, max_graphs=4, max_nodes=5, max_steps=4, max_named=6):
    """A problem, and the table that made its labels; some labels may be flipped (then the table is None).

    Classes: a node without an answer is masked. Evolutions: labels are states.
    """
    rng = np.random.default_rng(draw(SEEDS))
    kind = draw(st.sampled_from(["classes", "classes", "evolution"])) if evolution else "classes"
    classes = draw(st.integers(1, 3))
    inputs = classes if kind == "evolution" else draw(st.integers(1, min(3, max_named - classes)))
    aggregation = draw(aggregations(kinds, max_bound=3 if classes + inputs <= 4 else 2))
    batch = draw(batches(aggregation, max_graphs, max_nodes))
    extra = 0 if kind == "evolution" else draw(st.integers(0, max_extra))
    shape = Shape(0 if kind == "evolution" else classes, inputs, extra, aggregation)
    nodes = batch.graph.num_nodes
    steps = rng.integers(0 if draw(st.booleans()) else max_steps, max_steps + 1, len(batch))
    examples = Examples(
        task_of(kind, inputs, classes), batch, rng.integers(0, inputs, nodes), np.zeros(nodes, int), steps=steps
    )
    table = random_table(shape, rng, draw(st.sampled_from([0.0, 0.5, 0.9])))
    made = Problem.of(examples, shape)
    last = [state for graph in range(len(batch)) for state in frames_of(made, graph, table)[0][-1]]
    last = np.array(last, int)
    answered = last < classes
    mask = answered & (rng.random(nodes) < draw(st.sampled_from([0.4, 1.0])))
    labels = np.where(answered, last, 0)
    if draw(st.booleans()):
        flipped = rng.random(nodes) < draw(st.sampled_from([0.1, 0.4]))
        labels = np.where(flipped, rng.integers(0, classes, nodes), labels)
        mask |= flipped
        table = None
    counts = rng.integers(1, 4, len(batch))
    return Problem.of(
        Examples(examples.task, batch, examples.inputs, labels, steps=steps, mask=mask, counts=counts), shape
    ), table
