"""Is an automaton right on every connected graph? A proof by waves.

A source is the beginning of a wave that runs one edge a step. For every class of nodes and every clock, the time since
the wave arrived, the prover finds a set of states: the smallest sets that contain the starting states and are closed
under every step with every neighbourhood that nodes of these classes can have. No node of any graph leaves its set. If
late sets hold the right answer only, the automaton is right on all graphs.

The sets are a certificate: ``_wave_checker`` checks them without any code of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Reading, Task, WaveSpecification, WaveTable
from graphfsa.errors import LimitError
from graphfsa.proofs._neighbourhoods import Neighbour, Neighbourhoods, Surroundings
from graphfsa.proofs._wave_model import UNREACHED, NodeClass, Situation, WaveModel, Window

KIND = "waves"
WINDOWS = (Window(1, 1, 2), Window(1, 2, 5), Window(2, 3, 10), Window(3, 6, 24))
"""What is told apart, tried one after the other."""
MAX_PLACES = 100_000
MAX_NEIGHBOURHOODS = 2_000_000


@dataclass(frozen=True)
class WaveProof:
    """What came of an attempt.

    Attributes:
        verdict: ``proved`` or ``undecided``.
        reason: Why, in words.
        lag: If it was proved: a node at distance d from the nearest source has its answer from step d + lag on.
        certificate: If it was proved: the closed sets, as JSON values.
        seconds: How long it took.
    """

    verdict: Literal["proved", "undecided"]
    reason: str
    lag: int | None
    certificate: dict[str, Any] | None
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether there is a proof."""
        return self.verdict == "proved"


def prove_waves(fsa: GraphFSA, spec: WaveSpecification, *, windows: Sequence[Window] = WINDOWS) -> WaveProof:
    """Try to prove that an automaton does what a specification says on every graph of its class.

    Args:
        fsa: The automaton; its starting and final states have the names of the specification's inputs and classes.
        spec: The statement.
        windows: What is told apart, tried one after the other.

    Raises:
        GraphFSAError: The automaton has no states for an input or a class.
        LimitError: There are too many classes of nodes or neighbourhoods even for the first window.

    Example:
        >>> from graphfsa import library
        >>> from graphfsa.datasets import Distance
        >>> found = prove_waves(library.distance(), Distance().specifications()[0])
        >>> found.verdict, found.lag
        ('proved', 1)
    """
    began = perf_counter()
    table = spec.table
    reading = Task(table.name, "classes", table.inputs, table.classes).reading(fsa)
    reason = _refusal(fsa)
    for number, window in enumerate(windows if not reason else ()):
        try:
            searches = [_Search(fsa, reading, WaveModel(table, window, source)) for source in _sources(table)]
            reason = next(filter(None, (search.problem() for search in searches)), "")
        except LimitError as error:
            if not number:
                raise
            reason += f"; with more told apart, {error}"
            break
        if not reason:
            lag = max(search.lag for search in searches)
            certificate = _certificate(fsa, table, window, lag, searches)
            return WaveProof("proved", _claim(table, lag), lag, certificate, perf_counter() - began)
    return WaveProof("undecided", reason, None, None, perf_counter() - began)


def closed_sets(
    fsa: GraphFSA, spec: WaveSpecification, window: Window
) -> dict[int | None, dict[NodeClass, list[set[int]]]]:
    """The smallest closed sets by class and clock, right or wrong, for each input of the source if there is one.

    Raises:
        LimitError: There are too many classes of nodes or neighbourhoods.
    """
    table = spec.table
    reading = Task(table.name, "classes", table.inputs, table.classes).reading(fsa)
    found: dict[int | None, dict[NodeClass, list[set[int]]]] = {}
    for source in _sources(table):
        search = _Search(fsa, reading, WaveModel(table, window, source))
        search.close()
        found[source] = search.sets
    return found


def _refusal(fsa: GraphFSA) -> str:
    """Why waves can't be about an automaton, if that is so."""
    aggregation = fsa.aggregation
    if aggregation.uses_slots:
        return f"proofs by waves are about neighbours without slots; {aggregation.name} aggregation tells them apart"
    nothing = aggregation.encode([], [], fsa.num_states)
    if aggregation.with_neighbour(nothing, 0, 0, fsa.num_states) is None:
        return (
            f"with {aggregation.name} aggregation the value of a neighbourhood does not say what it becomes with one "
            "more neighbour, so that neighbourhoods of every size can't be listed"
        )
    return ""


def _sources(table: WaveTable) -> list[int | None]:
    """What is looked at by itself: if there is one source, each input that it can have."""
    return [given for given, colour in enumerate(table.sources) if colour is not None] if table.one_source else [None]


def _claim(table: WaveTable, lag: int) -> str:
    kinds = {"connected": "connected graph", "tree": "tree", "path": "path", "directed": "directed graph"}
    words = f"on every {kinds[table.graph_class]} every node has its class of {table.name}"
    late = f"from step d + {lag} on, where d is its distance to the nearest source"
    return f"{words} {late}" + ("; a node that no source reaches never answers" * (table.graph_class == "directed"))


class _Search:
    """The least closed sets for one window."""

    def __init__(self, fsa: GraphFSA, reading: Reading, model: WaveModel) -> None:
        self._fsa, self._reading, self._model, self._window = fsa, reading, model, model.window
        self._table: list[list[int]] = fsa.transition_table.tolist()
        self._neighbourhoods = Neighbourhoods(fsa.aggregation, fsa.num_states, MAX_NEIGHBOURHOODS)
        length = self._window.before + self._window.after + 1
        if len(model.classes) * length > MAX_PLACES:
            raise LimitError(
                f"{model.table.name} has {len(model.classes):,} classes of nodes with {length} clocks each, above "
                f"{MAX_PLACES:,} in all; use a smaller period or fewer colours"
            )
        self.sets: dict[NodeClass, list[set[int]]] = {node: [set() for _ in range(length)] for node in model.classes}
        for node in model.classes:
            start = reading.starting[node.given]
            if node.level == UNREACHED:
                self.sets[node] = [{start}] * length  # One set for all times.
            else:
                for distance in self._distances(node.level):
                    self.sets[node][self._window.clip(-distance)].add(start)

    def _distances(self, level: int) -> Sequence[int]:
        """Distances at a level; beyond the window they are all alike."""
        if level < self._window.near:
            return (level,)
        period = self._model.table.period
        return range(level, level + period * (self._window.before + 1) + 1, period)

    def close(self) -> None:
        """Add states until the sets are closed under every step."""
        done: dict[tuple[int, int], Any] = {}
        situations = list(self._model.situations())
        changed = True
        while changed:
            changed = False
            for number, situation in enumerate(situations):
                for clock in range(situation.first, self._window.after + 2):
                    own = self.sets[situation.node][self._window.clip(clock)]
                    if not own:
                        continue
                    look = frozenset(own), self._surroundings(situation, clock)
                    if done.get((number, clock)) != look:
                        done[number, clock] = look
                        changed |= self._step(situation.node, clock, *look)

    def _surroundings(self, situation: Situation, clock: int) -> Surroundings:
        groups: list[tuple[frozenset[Neighbour], int, bool]] = []
        for group in situation.groups:
            seen = frozenset(
                (state, other.colour if group.joined else -1)
                for other, shift in group.members
                for state in self.sets[other][self._window.clip(clock + shift)]
            )
            groups.append((seen, group.least, group.single))
        return Surroundings(tuple(groups), situation.fewest, situation.most)

    def _step(self, node: NodeClass, clock: int, own: frozenset[int], surroundings: Surroundings) -> bool:
        """Add where nodes of a class go; whether that is new."""
        target = self.sets[node][self._window.clip(clock + 1)]
        size = len(target)
        join = self._model.table.join
        for value, colours in self._neighbourhoods.values(surroundings):
            if node.level <= 0 or join[node.given, colours] == node.colour:
                target.update(self._table[state][value] for state in own)
        return len(target) > size

    def problem(self) -> str:
        """Find the sets: a wrong answer that they allow, in words; empty if there is none."""
        self.close()
        for node, row in self.sets.items():
            wrong = self._wrong(node, row[-1])
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
            f"source{beside}, whose class is {label}, is in state {name} at clock {after}, that is {after} or more "
            "steps after the wave arrived"
        )

    @property
    def lag(self) -> int:
        """From which clock on all sets hold the right answer only."""
        reached = [(node, row) for node, row in self.sets.items() if node.level != UNREACHED]
        late = [place + 1 for node, row in reached for place, states in enumerate(row) if self._wrong(node, states)]
        return max(0, max(late, default=0) - self._window.before)

    def rows(self) -> list[list[Any]]:
        """The sets, as JSON values."""
        source = -1 if self._model.source is None else self._model.source
        return [
            [source, *map(int, node), [sorted(states) for states in (row[:1] if node.level == UNREACHED else row)]]
            for node, row in self.sets.items()
        ]


def _certificate(
    fsa: GraphFSA, table: WaveTable, window: Window, lag: int, searches: Sequence[_Search]
) -> dict[str, Any]:
    return {
        "task": table.name,
        "graph_class": table.graph_class,
        "specification": table.digest,
        "automaton": fsa.digest,
        **window._asdict(),
        "lag": lag,
        "sets": [row for search in searches for row in search.rows()],
    }
