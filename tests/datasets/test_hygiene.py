"""Duplicates, overlaps and contradictions, on examples whose answers are known or found by other means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa.automaton import library
from graphfsa.datasets import (
    Contradiction,
    Examples,
    Reading,
    Task,
    contradictions,
    deduplicate,
    overlap,
    without_overlap,
)
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch
from strategies import counting, random_automaton

TASK = Task("t", "classes", ("a", "b"), ("no", "yes"))
EVOLUTION = Task("e", "evolution", ("dead", "live"), ("dead", "live"))
PATH = Graph.from_edges(3, [(0, 1), (1, 2)])
BENT = Graph.from_edges(3, [(1, 0), (0, 2)])  # The same path; its middle is node 0.


def examples(*parts, task=TASK, mask=None, steps=4, counts=None):
    graphs, inputs, labels = zip(*parts, strict=True)
    return Examples(
        task,
        GraphBatch.of(graphs),
        np.concatenate(inputs),
        np.concatenate(labels),
        steps=steps,
        mask=mask,
        counts=counts,
    )


def random_examples(rng, count, task=TASK, sizes=(1, 5), steps=4):
    parts = []
    for _ in range(count):
        n = int(rng.integers(*sizes))
        graph = Graph.from_edges(n, rng.integers(0, n, (int(rng.integers(0, n + 1)), 2)))
        parts.append((graph, rng.integers(0, 2, n), rng.integers(0, 2, n)))
    return examples(*parts, task=task, steps=steps)


def test_duplicates_are_counted():
    data = examples(
        (PATH, [0, 1, 0], [0, 1, 1]),
        (PATH, [0, 1, 0], [1, 1, 0]),  # The first one, seen from its other end.
        (BENT, [1, 0, 0], [1, 1, 0]),  # The first one again.
        (PATH, [0, 1, 0], [1, 1, 1]),  # Another label.
        (PATH, [1, 0, 0], [0, 1, 1]),  # Other inputs.
        counts=[1, 2, 3, 4, 5],
    )
    clean = deduplicate(data)
    assert clean.counts.tolist() == [6, 4, 5]
    assert (
        clean.digest
        == Examples(
            TASK,
            data.select([0, 3, 4]).graphs,
            data.select([0, 3, 4]).inputs,
            data.select([0, 3, 4]).labels,
            steps=4,
            counts=[6, 4, 5],
        ).digest
    )


def test_mask_and_steps_are_part_of_an_example():
    single = Graph.from_edges(1, [])
    nothing = Graph.from_edges(0, [])
    parts = [(single, [0], [0])] * 4 + [(nothing, np.empty(0, int), np.empty(0, int))] * 3
    data = examples(*parts, mask=[True, False, True, True], steps=[2**61, 2**61, 2**61, 3, 5, 6, 5])
    clean = deduplicate(data)
    assert clean.counts.tolist() == [2, 1, 1, 2, 1]
    assert clean.steps.tolist() == [2**61, 2**61, 3, 5, 6]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_deduplication_keeps_every_score(seed):
    data = random_examples(np.random.default_rng(seed), 30)
    clean = deduplicate(data)
    assert clean.counts.sum() == 30
    assert deduplicate(clean).digest == clean.digest
    fsa, by_place = library.distance(), Reading(starting=(2, 3), answers=(0, 1))
    assert clean.accuracy(fsa, reading=by_place) == pytest.approx(data.accuracy(fsa, reading=by_place))


def test_overlap_is_up_to_numbering_and_labels():
    train = examples((PATH, [0, 1, 0], [0, 0, 0]), (PATH, [0, 0, 1], [0, 0, 0]))
    other = examples(
        (BENT, [1, 0, 0], [1, 1, 1]),
        (BENT, [1, 1, 0], [0, 0, 0]),
        (PATH, [1, 0, 0], [0, 1, 0]),
        (PATH, [0, 0, 0], [0, 0, 0]),
        (Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)]), [0, 1, 0], [0, 0, 0]),
    )
    assert overlap(train, other).tolist() == [True, False, True, False, False]
    assert without_overlap(train, other).digest == other.select([1, 3, 4]).digest
    assert not overlap(train, without_overlap(train, other)).any()
    assert len(without_overlap(train, train)) == 0


def test_overlap_needs_the_same_inputs():
    other = examples((PATH, [0, 1, 0], [0, 0, 0]), task=Task("u", "classes", ("x", "y"), ("no", "yes")))
    with pytest.raises(GraphFSAError, match="same input classes"):
        overlap(examples((PATH, [0, 1, 0], [0, 0, 0])), other)


def test_the_same_graph_with_two_labels():
    data = examples((PATH, [0, 1, 0], [0, 1, 0]), (PATH, [0, 1, 0], [0, 1, 0]), (BENT, [1, 0, 0], [0, 0, 0]))
    found = contradictions(data)
    assert found == [Contradiction(graphs=(0, 2), nodes=(1, 0), labels=(1, 0))]
    assert found.total == 1


def test_nodes_of_one_graph_and_graphs_that_look_alike():
    two = Graph.from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    ring = Graph.from_edges(4, [(k, (k + 1) % 4) for k in range(4)])
    data = examples((two, [0] * 6, [0] * 6), (ring, [0] * 4, [0, 0, 0, 1]), (PATH, [0] * 3, [0, 0, 1]))
    assert contradictions(data) == [
        Contradiction(graphs=(0, 1), nodes=(0, 3), labels=(0, 1)),
        Contradiction(graphs=(2, 2), nodes=(0, 2), labels=(0, 1)),
    ]


def test_nodes_that_do_not_count_do_not_contradict():
    data = examples((PATH, [0] * 3, [0, 0, 1]), mask=[True, True, False])
    assert contradictions(data) == []
    assert contradictions(data).total == 0


def test_long_sight_matters_only_without_a_clock():
    """Two ends of a path differ by a mark three steps away: in two steps nothing can have noticed."""
    path = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
    parts = [(path, [0, 0, 0, 0], [0] * 4), (path, [0, 0, 0, 1], [1, 0, 0, 0])]
    assert contradictions(examples(*parts)) == []
    late = examples(*parts, task=EVOLUTION, steps=3)
    assert contradictions(late) == []
    early = contradictions(examples(*parts, task=EVOLUTION, steps=2))
    assert early == [Contradiction(graphs=(0, 1), nodes=(0, 0), labels=(0, 1))]
    assert contradictions(examples(*parts, task=EVOLUTION, steps=[2, 1])) == []


def test_slots_and_directions_are_seen():
    arcs = Graph.from_edges(3, [(0, 1), (2, 1)], directed=True)
    assert contradictions(examples((arcs, [0] * 3, [0, 1, 0]))) == []
    assert contradictions(examples((arcs, [0] * 3, [0, 1, 1]))).total == 1
    slotted = Graph.from_edges(4, [(0, 1), (2, 3)], directed=True, slots=[0, 1])
    assert contradictions(examples((slotted, [0] * 4, [0, 1, 0, 0]))) == []


def test_only_so_many_are_listed():
    single = Graph.from_edges(1, [])
    data = examples(*[(single, [0], [k % 2]) for k in range(501)])
    found = contradictions(data)
    assert (len(found), found.total) == (100, 250)
    assert contradictions(data, limit=7) == found[:7]


@given(st.integers(0, 2**32 - 1), st.integers(0, 5), st.data())
@settings(max_examples=40, deadline=None)
def test_what_an_automaton_made_has_no_contradiction(seed, steps, data):
    rng = np.random.default_rng(seed)
    fsa = random_automaton(2, data.draw(counting(2)), seed)
    made = random_examples(rng, 20, EVOLUTION, steps=steps)
    made = Examples(
        EVOLUTION, made.graphs, made.inputs, made.predict(fsa, reading=Reading((0, 1), (0, 1))), steps=steps
    )
    assert contradictions(made) == []


def test_thousands_of_graphs_are_quick():
    data = random_examples(np.random.default_rng(0), 5000, sizes=(5, 8))
    clean = deduplicate(data)
    assert clean.counts.sum() == 5000
    assert contradictions(data).total >= contradictions(clean).total
    assert overlap(data, data).all()
