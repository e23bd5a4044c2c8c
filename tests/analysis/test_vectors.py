import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import library
from graphfsa.aggregations import (
    AverageThresholdAggregation,
    CountingAggregation,
    LettersAggregation,
    PositionalAggregation,
    Sum,
)
from graphfsa.analysis import distinguished, transitions, used_transitions, vectors
from graphfsa.datasets import dataset_class
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, families
from graphfsa.graphs.batch import GraphBatch
from graphfsa.graphs.isomorphism import refine_colours

NAMES = ("a", "b", "c")
AGGREGATIONS = (
    CountingAggregation(1),
    CountingAggregation(2),
    AverageThresholdAggregation((0.25, 0.5)),
    PositionalAggregation(2),
    LettersAggregation((Sum("count", 2, (1, 0, 1)), Sum("highest", 1, (0, 1)))),
)


def meant(aggregation, written):
    """The values that a vector stands for, by trying all of them."""
    places = written[1:-1].split(",")
    parts = aggregation.digit_labels(NAMES)
    found = set()
    for value in range(aggregation.num_values(3)):
        digits = aggregation.digits(value, 3)
        words = [str(d) if aggregation.ordered else part[1][d] for d, part in zip(digits, parts, strict=True)]
        if all(place in ("*", word) for place, word in zip(places, words, strict=True)):
            found.add(value)
    return found


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(AGGREGATIONS), st.data())
def test_vectors_stand_for_these_values_and_no_others(aggregation, data):
    everything = range(aggregation.num_values(3))
    values = data.draw(st.lists(st.sampled_from(everything), unique=True, min_size=1))
    written = vectors(aggregation, values, NAMES)
    assert set().union(*(meant(aggregation, one) for one in written)) == set(values)
    assert len(written) <= len(values)


def test_vectors_are_written_as_in_the_paper():
    names = ("f0", "f1", "s0", "s1")
    counting = CountingAggregation(1)
    assert vectors(counting, [counting.encode([2, 2], [], 4)], names) == ["[0,0,1,0]"]
    assert vectors(counting, range(16), names) == ["[*,*,*,*]"]
    positional = PositionalAggregation(2)
    assert vectors(positional, [positional.encode([1], [0], 2)], ("off", "on")) == ["[on,-]"]


def test_arrows_of_an_automaton_share_its_values():
    fsa = library.wireworld()
    found = transitions(fsa)
    for state in range(fsa.num_states):
        sets = [
            set().union(*(_values(fsa, one) for one in found.vectors(arrow)))
            for arrow in found.arrows
            if arrow.state == state
        ]
        assert sum(map(len, sets)) == len(set().union(*sets)) == fsa.num_values


def _values(fsa, written):
    places = [range(4) if place == "*" else [int(place)] for place in written[1:-1].split(",")]
    return {sum(d * 4**k for k, d in enumerate(digits)) for digits in itertools.product(*places)}


def test_partial_arrows_have_what_was_seen_only():
    task = dataset_class("distance")()
    examples = task.generate(6, 50, np.random.default_rng(0))
    found = used_transitions(task.automaton(), examples, "root")
    [arrow] = found.arrows
    assert found.vectors(arrow) == ["[0,0,1,0]"] or found.vectors(arrow) == ["[1,0,0,0]"]


# ---- what can be told apart


@pytest.mark.parametrize("seed", range(8))
def test_without_a_bound_it_is_colour_refinement(seed):
    rng = np.random.default_rng(seed)
    graph = families.erdos_renyi(14, mean_degree=2.0, rng=rng)
    colours = rng.integers(0, 2, 14)
    ours, other = distinguished(graph, colours), refine_colours(GraphBatch.of([graph]), colours)
    assert ((ours[:, None] == ours) == (other[:, None] == other)).all()
    assert (distinguished(graph, colours, bound=14) == ours).all()


def test_no_automaton_tells_the_nodes_of_a_class_apart():
    from graphfsa import GraphFSA, run

    rng = np.random.default_rng(1)
    ends = [(0, 1), (1, 2), *((0, leaf) for leaf in range(3, 8)), *((2, leaf) for leaf in range(8, 11))]
    graph = Graph.from_edges(11, ends)
    classes = distinguished(graph, bound=2)
    assert 1 < classes.max() + 1 < distinguished(graph).max() + 1
    for _ in range(20):
        table = rng.integers(0, 4, (4, 3**4))
        fsa = GraphFSA([*"abcd"], CountingAggregation(2), table, starting_states=[0], final_states=[])
        last = run(fsa, graph, np.zeros(11, int), 8).last
        assert all(len(set(last[classes == one].tolist())) == 1 for one in set(classes.tolist()))


def test_the_graph_of_the_paper():
    graph = Graph.from_edges(8, [(0, 1), (1, 2), (0, 3), (0, 4), (2, 5), (2, 6), (2, 7)])
    assert distinguished(graph, bound=2).tolist() == [0, 1, 0, 2, 2, 2, 2, 2]
    assert distinguished(graph).tolist() == [0, 1, 2, 3, 3, 4, 4, 4]


@pytest.mark.parametrize(("options", "words"), [({"bound": 0}, "bound"), ({"colours": [1]}, "one entry per node, 3")])
def test_bad_requests_are_refused(options, words):
    with pytest.raises(GraphFSAError, match=words):
        distinguished(families.path(3), **options)
