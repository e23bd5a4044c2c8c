"""The smallest closed sets of states for one window: what the prover of waves computes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Reading
from graphfsa.errors import LimitError
from graphfsa.proofs._neighbourhoods import Neighbour, Neighbourhoods, Surroundings
from graphfsa.proofs._wave_model import UNREACHED, NodeClass, Situation, WaveModel

MAX_PLACES = 100_000
MAX_NEIGHBOURHOODS = 2_000_000


class WaveSearch:
    """The smallest sets that contain the starting states and are closed under every step.

    Args:
        fsa: The automaton.
        reading: Its states for the inputs and the classes of the statement.
        model: Which nodes there are, and whom they see.

    Attributes:
        sets: For each class of nodes, the sets at all moments and clocks; see :meth:`Window.place`.

    Raises:
        LimitError: There are too many classes of nodes; when the sets are closed, too many neighbourhoods.
    """

    def __init__(self, fsa: GraphFSA, reading: Reading, model: WaveModel) -> None:
        self._fsa, self._reading, self._model, self._window = fsa, reading, model, model.window
        self._table: list[list[int]] = fsa.transition_table.tolist()
        self._neighbourhoods = Neighbourhoods(fsa.aggregation, fsa.num_states, MAX_NEIGHBOURHOODS)
        length = self._window.clocks * self._window.moments
        if len(model.classes) * length > MAX_PLACES:
            raise LimitError(
                f"{model.table.name} has {len(model.classes):,} classes of nodes with {length} clocks each, above "
                f"{MAX_PLACES:,} in all; use a smaller period or fewer colours"
            )
        self.sets: dict[NodeClass, list[set[int]]] = {node: [set() for _ in range(length)] for node in model.classes}
        for node in model.classes:
            for distance in self._distances(node.level):
                self._at(node, -distance, 0).add(reading.starting[node.given])

    def _at(self, node: NodeClass, clock: int, moment: int) -> set[int]:
        """The set of a class at a clock; nodes that no source reaches have none, and one set for each moment."""
        return self.sets[node][self._window.place(0 if node.level == UNREACHED else clock, moment)]

    def _distances(self, level: int) -> Sequence[int]:
        """Distances at a level; beyond the window they are all alike."""
        if level < self._window.near:
            return (max(level, 0),)
        period = self._model.table.period
        return range(level, level + period * (self._window.before + 1) + 1, period)

    def close(self) -> None:
        """Add states until the sets are closed under every step."""
        done: dict[tuple[int, int, int], Any] = {}
        situations = list(self._model.situations())
        changed = True
        while changed:
            changed = False
            for moment, (number, situation) in product(range(self._window.moments), enumerate(situations)):
                for clock in range(situation.first, situation.last + 1):
                    own = self._at(situation.node, clock, moment)
                    if not own:
                        continue
                    look = frozenset(own), self._surroundings(situation, clock, moment)
                    if done.get((number, clock, moment)) != look:
                        done[number, clock, moment] = look
                        target = self._at(situation.node, clock + 1, self._window.following(moment))
                        changed |= self._step(situation.node, target, *look)

    def _surroundings(self, situation: Situation, clock: int, moment: int) -> Surroundings:
        groups: list[tuple[frozenset[Neighbour], int, bool]] = []
        for group in situation.groups:
            seen = frozenset(
                (state, other.colour if group.joined else -1)
                for other, shift in group.members
                for state in self._at(other, clock + shift, moment)
            )
            groups.append((seen, group.least, group.single))
        return Surroundings(tuple(groups), situation.fewest, situation.most)

    def _step(self, node: NodeClass, target: set[int], own: frozenset[int], surroundings: Surroundings) -> bool:
        """Add where nodes of a class go; whether that is new."""
        size = len(target)
        join = self._model.table.join
        for value, colours in self._neighbourhoods.values(surroundings):
            if node.level <= 0 or join[node.given, colours] == node.colour:
                target.update(self._table[state][value] for state in own)
        return len(target) > size

    def problem(self) -> str:
        """Find the sets: a wrong answer that they allow, in words; empty if there is none."""
        self.close()
        for node, moment in product(self.sets, range(self._window.moments)):
            wrong = self._wrong(node, self._at(node, self._window.after, moment))
            if wrong:
                return self._words(node, min(wrong))
        return ""

    def _wrong(self, node: NodeClass, states: set[int]) -> set[int]:
        if node.level == UNREACHED:
            return states & set(self._reading.answers)
        table = self._model.table
        return states - {self._reading.answers[table.label[node.level % table.period, node.colour]]}

    def _words(self, node: NodeClass, state: int) -> str:
        table, name = self._model.table, self._fsa.state_names[state]
        given = table.inputs[node.given]
        if node.level == UNREACHED:
            return f"a node with input {given} that no source reaches may answer {name}"
        after, distance = self._window.after, f"{node.level}"
        if node.level >= self._window.near:
            distance += " or more" if table.period == 1 else f", {node.level + table.period}, ..."
        label = table.classes[table.label[node.level % table.period, node.colour]]
        sides = [word for word, there in (("as near", node.same), ("farther", node.far)) if there]
        beside = f", with {' and '.join(sides)} neighbours" if sides else ""
        return (
            f"it could not be excluded that a node with input {given} at distance {distance} from the nearest "
            f"source{beside}, whose class is {label}, is in state {name} {after} or "
            "more steps after the wave arrived"
        )

    @property
    def lag(self) -> int:
        """From which clock on all sets hold the right answer only."""
        window = self._window
        reached = [node for node in self.sets if node.level != UNREACHED]
        places = product(reached, range(-window.before, window.after), range(window.moments))
        late = [clock + 1 for node, clock, moment in places if self._wrong(node, self._at(node, clock, moment))]
        return max(0, max(late, default=0))

    def rows(self) -> list[list[Any]]:
        """The sets, as JSON values."""
        window, source = self._window, -1 if self._model.source is None else self._model.source
        rows: list[list[Any]] = []
        for node in self.sets:
            clocks = (0,) if node.level == UNREACHED else range(-window.before, window.after + 1)
            places = product(range(window.moments), clocks)
            rows.append([source, *map(int, node), [sorted(self._at(node, clock, moment)) for moment, clock in places]])
        return rows
