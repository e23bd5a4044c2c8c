"""Tasks on trees for the tests of proofs: their automata, mutants of these, and what the engine finds of them."""

from functools import lru_cache

import numpy as np
import pytest

from graphfsa import GraphFSA, run
from graphfsa.datasets import Distance, PathFinding, PrefixSum, RootValue
from graphfsa.graphs import GraphBatch, all_graphs
from graphfsa.proofs import specification_of

DATASETS = {
    "path-finding": PathFinding(),
    "two-marks": PathFinding(colours=2),
    "prefix-sum": PrefixSum(),
    "root-value": RootValue(),
    "distance": Distance(graphs="tree"),
}
every = pytest.mark.parametrize("name", DATASETS)


@lru_cache
def statement(name):
    return specification_of(DATASETS[name]).table


@lru_cache
def instances(name, max_nodes):
    """All instances up to a size as one batch, with the steps after which every automaton here has settled."""
    dataset = DATASETS[name]
    graphs, rows = [], []
    for size in range(1, max_nodes + 1):
        for graph in all_graphs(dataset.graph_class, size).graphs():
            for row in dataset.instances(graph):
                graphs.append(graph)
                rows.append(row)
    return dataset.examples(GraphBatch.of(graphs), np.concatenate(rows))


def right_for_ever(name, fsa, max_nodes):
    """By running the engine: the size of the smallest wrong instance, or None if all are right."""
    examples = instances(name, max_nodes)
    task = DATASETS[name].task
    states = task.starting_states(fsa, examples.inputs)
    wrong = np.zeros(len(states), bool)
    states = run(fsa, examples.graphs.graph, states, 400).last
    for _ in range(24):
        wrong |= task.predictions(fsa, states) != examples.labels
        states = run(fsa, examples.graphs.graph, states, 1).last
    owners = examples.graphs.owners[wrong]
    return int(examples.sizes[owners].min()) if len(owners) else None


@lru_cache
def used_entries(name):
    """Entries of the library automaton that small instances use, outside final states."""
    examples, fsa = instances(name, 5), DATASETS[name].automaton()
    states = DATASETS[name].task.starting_states(fsa, examples.inputs)
    entries = run(fsa, examples.graphs.graph, states, 20, entries=True).entries > 0
    entries[list(fsa.final_states)] = False
    return np.argwhere(entries)


def mutants(name, seed, count, changes=1):
    """Automata with one or two entries that are used changed."""
    rng = np.random.default_rng(seed)
    fsa, used = DATASETS[name].automaton(), used_entries(name)
    for _ in range(count):
        table = fsa.transition_table.copy()
        for state, value in rng.choice(used, changes, replace=False):
            table[state, value] = rng.integers(fsa.num_states)
        yield GraphFSA(
            fsa.state_names, fsa.aggregation, table, starting_states=fsa.starting_states, final_states=fsa.final_states
        )


def padded(fsa):
    """The same automaton with a state that nobody is ever in, and which does something else."""
    names = [*fsa.state_names, "never"]

    def rule(state, counts):
        if state == "never":
            return names[0]
        old = [counts[name] for name in fsa.state_names]
        value = fsa.aggregation.encode([s for s, k in enumerate(old) for _ in range(k)], [], fsa.num_states)
        return (
            "never" if counts["never"] else fsa.state_names[fsa.transition_table[fsa.state_names.index(state), value]]
        )

    finals = [fsa.state_names[k] for k in fsa.final_states]
    starts = [fsa.state_names[k] for k in fsa.starting_states]
    keep = lambda state, counts: state if state in finals else rule(state, counts)  # noqa: E731
    return GraphFSA.from_rule(names, fsa.aggregation, keep, starting_states=starts, final_states=finals)
