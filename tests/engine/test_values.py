"""What a node saw is what the reference says, whatever the graph and the aggregation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import AverageThresholdAggregation, CountingAggregation, GraphFSA, PositionalAggregation, families, run
from graphfsa.engine import neighbourhood_values
from graphfsa.engine.reference import reference_values
from graphfsa.errors import AutomatonError

AGGREGATIONS = [
    CountingAggregation(bound=2),
    AverageThresholdAggregation({1: (0.25, 0.5)}),
    PositionalAggregation(num_slots=4),
]


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=lambda aggregation: aggregation.name)
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_values_are_those_of_the_reference_and_lead_to_the_next_frame(aggregation, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (3, aggregation.num_values(3)))
    fsa = GraphFSA(["a", "b", "c"], aggregation, table)
    graph = families.von_neumann(*rng.integers(1, 5, 2).tolist(), torus=bool(rng.integers(2)), slots=True)
    if not aggregation.uses_slots and rng.integers(2):
        graph = families.erdos_renyi(8, mean_degree=3, rng=rng)
    frames = run(fsa, graph, rng.integers(0, 3, graph.num_nodes), 4, record="all").states
    values = neighbourhood_values(fsa, graph, frames)
    assert values.tolist() == [reference_values(fsa, graph, frame.tolist()) for frame in frames]
    assert (fsa.transition_table[frames[:-1], values[:-1]] == frames[1:]).all()


def test_a_graph_that_the_aggregation_cannot_see_is_refused():
    fsa = GraphFSA(["a"], PositionalAggregation(num_slots=2), np.zeros((1, 4), int))
    with pytest.raises(AutomatonError, match="needs a graph with neighbour slots"):
        neighbourhood_values(fsa, families.path(3), np.zeros((1, 3), np.uint8))
