"""Aggregations as people write them, with as little as they can; the tests of the contract take them too."""

from dataclasses import dataclass

from graphfsa import Aggregation


class LonelyMajority(Aggregation):
    """Two methods: whether most neighbours are in the last state; one more neighbour tells nothing by itself."""

    def num_values(self, num_states):
        return 2

    def encode(self, states, slots, num_states):
        return int(2 * sum(state == num_states - 1 for state in states) > len(states))


@dataclass(frozen=True)
class RemainderAggregation(Aggregation):
    """Two methods and an option: the sum of the neighbours' states modulo a number."""

    modulus: int = 5

    def num_values(self, num_states):
        return self.modulus

    def encode(self, states, slots, num_states):
        return sum(states) % self.modulus


class HighestNeighbour(Aggregation):
    """With ``with_neighbour``: the highest state, and 1 more value if there is nobody."""

    def num_values(self, num_states):
        return num_states + 1

    def encode(self, states, slots, num_states):
        return max(states, default=num_states)

    def with_neighbour(self, value, state, slot, num_states):
        return state if value == num_states else max(value, state)

    def observation(self, value, state_names):
        return [*state_names, None][value]


class SameSides(Aggregation):
    """With slots: whether slots 0 and 2 hold the same, and how many of the four slots are taken, as digits."""

    uses_slots = True

    def num_values(self, num_states):
        return 10

    def encode(self, states, slots, num_states):
        at = dict(zip(slots, states, strict=True))
        return 5 * (at.get(0) == at.get(2)) + len(at)

    def digits(self, value, num_states):
        same, taken = divmod(super().digits(value, num_states)[0], 5)
        return same, taken

    def check_graph(self, graph):
        super().check_graph(graph)
        if graph.num_slots > 4:
            from graphfsa.errors import AutomatonError

            raise AutomatonError("there must be at most 4 slots")


OWN = [LonelyMajority, RemainderAggregation, HighestNeighbour, SameSides]
