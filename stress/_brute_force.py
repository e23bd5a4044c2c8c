"""What the library claims, found again by trying everything: plain Python, slow and obvious.

Nothing of graphfsa is used but public fields: the names, table, starting and final states of an automaton, the plain
``encode`` of its aggregation, and the arrays of a graph. So that a bug there can't hide itself here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations, combinations_with_replacement, pairwise, permutations, product
from typing import Any, NamedTuple

Arcs = tuple[tuple[tuple[int, int], ...], ...]
"""A graph: for each node whom it sees, and in which slot; slots are -1 in a graph without."""
States = tuple[int, ...]
Entry = tuple[int, int]


class TooManyError(Exception):
    """There is more to try than was allowed."""


class MissingError(Exception):
    """A roll-out needs an entry that is not decided yet; ``states`` are those of the nodes then."""

    def __init__(self, entry: Entry, states: States) -> None:
        self.entry, self.states = entry, states


class Machine:
    """An automaton, possibly without some entries of its table.

    Args:
        aggregation: Whoever has the plain ``encode``.
        num_states: Number of states.
        table: The successor of each entry (state, value) that is known.
        starting: The states in which nodes may start.
        final: The states that are never left, whatever the table says.
    """

    def __init__(
        self, aggregation: Any, num_states: int, table: dict[Entry, int], starting: Sequence[int], final: Sequence[int]
    ) -> None:
        self.aggregation, self.num_states, self.table = aggregation, num_states, table
        self.starting, self.final = tuple(starting), tuple(final)
        self.work = 0
        self._values: dict[tuple[States, States], int] = {}

    @classmethod
    def of(cls, fsa: Any) -> Machine:
        """The automaton of the library as it is."""
        rows = enumerate(fsa.transition_table.tolist())
        table = {(state, value): following for state, row in rows for value, following in enumerate(row)}
        return cls(fsa.aggregation, len(fsa.state_names), table, fsa.starting_states, fsa.final_states)

    def value(self, states: States, slots: States = ()) -> int:
        """What a node sees whose neighbours are in these states."""
        key = states, slots
        if key not in self._values:
            self._values[key] = int(self.aggregation.encode(list(states), list(slots), self.num_states))
        return self._values[key]

    def entries(self, arcs: Arcs, states: States) -> list[Entry]:
        """The entry that each node uses."""
        used: list[Entry] = []
        for node, seen in enumerate(arcs):
            slots = tuple(slot for _, slot in seen if slot >= 0)
            used.append((states[node], self.value(tuple(states[source] for source, _ in seen), slots)))
        return used

    def step(self, arcs: Arcs, states: States) -> States:
        """The states one step later."""
        self.work += 1
        after: list[int] = []
        for entry in self.entries(arcs, states):
            if entry[0] in self.final:
                after.append(entry[0])
            elif entry in self.table:
                after.append(self.table[entry])
            else:
                raise MissingError(entry, states)
        return tuple(after)

    def run(self, arcs: Arcs, states: States, steps: int) -> States:
        """The states after some steps."""
        for _ in range(steps):
            states = self.step(arcs, states)
        return states

    def history(self, arcs: Arcs, states: States) -> list[States]:
        """The states at every step until they have all occurred before."""
        seen: dict[States, None] = {}
        while states not in seen:
            seen[states] = None
            states = self.step(arcs, states)
        return list(seen)

    def answers(self, states: States, final: Sequence[int] | None = None) -> tuple[int | None, ...]:
        """Which of the final states each node is in; None for no answer. Without final states the states show."""
        known = self.final if final is None else tuple(final)
        return tuple(known.index(s) if s in known else None for s in states) if known else states


def plain(graph: Any) -> Arcs:
    """A graph of the library."""
    bounds, sources = graph.indptr.tolist(), graph.indices.tolist()
    slots = [-1] * len(sources) if graph.slots is None else graph.slots.tolist()
    rows = (range(*pair) for pair in pairwise(bounds))
    return tuple(tuple((sources[arc], slots[arc]) for arc in row) for row in rows)


def canonical(arcs: Arcs, colours: Sequence[int] | None = None) -> Any:
    """The same for graphs with coloured nodes that differ in the numbering of their nodes only: every one is tried."""
    given = [0] * len(arcs) if colours is None else list(colours)
    forms: list[Any] = []
    for order in permutations(range(len(arcs))):
        rows: list[Any] = [None] * len(arcs)
        for node, seen in enumerate(arcs):
            rows[order[node]] = given[node], tuple(sorted((order[source], slot) for source, slot in seen))
        forms.append(tuple(rows))
    return min(forms)


@cache
def every_graph(kind: str, size: int) -> tuple[Arcs, ...]:
    """Every graph of a class, one of each kind of numbering: all sets of edges are looked at."""
    if kind in ("row", "ring"):
        around = [((v - 1) % size, (v + 1) % size) if kind == "ring" else (v - 1, v + 1) for v in range(size)]
        return (tuple(tuple((u, slot) for slot, u in enumerate(pair) if 0 <= u < size) for pair in around),)
    pairs = list(combinations(range(size), 2))
    numbers = range(len(pairs) + 1) if kind in ("connected", "cycle") else [size - 1]
    found: dict[Any, Arcs] = {}
    for edges in chain.from_iterable(combinations(pairs, number) for number in numbers):
        arcs = undirected(size, edges)
        degrees = [len(seen) for seen in arcs]
        round_about = size >= 3 and set(degrees) == {2}
        if not _connected(arcs) or (kind == "path" and max(degrees) > 2) or (kind == "cycle" and not round_about):
            continue
        found.setdefault(canonical(arcs), arcs)
    return tuple(found.values())


def undirected(size: int, edges: Iterable[tuple[int, int]]) -> Arcs:
    """The graph with these edges."""
    rows: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    for left, right in edges:
        rows[left].append((right, -1))
        rows[right].append((left, -1))
    return tuple(tuple(sorted(row)) for row in rows)


def _connected(arcs: Arcs) -> bool:
    reached, waiting = {0}, [0]
    while waiting:
        for source, _ in arcs[waiting.pop()]:
            if source not in reached:
                reached.add(source)
                waiting.append(source)
    return len(reached) == len(arcs)


@cache
def every_directed(size: int, num_slots: int) -> tuple[Arcs, ...]:
    """Every directed graph with self-loops, and without repeated arcs; with slots: every way to fill them."""
    if num_slots:
        rows = [
            tuple((source, slot) for slot, source in enumerate(way) if source >= 0)
            for way in product(range(-1, size), repeat=num_slots)
        ]
    else:
        subsets = chain.from_iterable(combinations(range(size), number) for number in range(size + 1))
        rows = [tuple((source, -1) for source in subset) for subset in subsets]
    return tuple(product(rows, repeat=size))


def instances(kind: str, max_nodes: int, num_inputs: int) -> Iterator[tuple[Arcs, States]]:
    """Every graph of a class up to a size with every choice of inputs, small ones first."""
    for size in range(1, max_nodes + 1):
        for arcs in every_graph(kind, size):
            for inputs in product(range(num_inputs), repeat=size):
                yield arcs, inputs


# Minimisation: which states can occur, and which nobody can tell apart.


@lru_cache(maxsize=64)
def neighbourhoods(states: States, most: int, num_slots: int) -> tuple[tuple[States, States], ...]:
    """Every neighbourhood: up to ``most`` neighbours in any states; with slots: every way to fill them."""
    if not num_slots:
        sizes = (combinations_with_replacement(states, number) for number in range(most + 1))
        return tuple((seen, ()) for seen in chain.from_iterable(sizes))
    found: list[tuple[States, States]] = []
    for way in product((-1, *states), repeat=num_slots):
        filled = [(state, slot) for slot, state in enumerate(way) if state >= 0]
        found.append((tuple(state for state, _ in filled), tuple(slot for _, slot in filled)))
    return tuple(found)


def occurring(machine: Machine, most: int, num_slots: int) -> States:
    """The states that may occur: nodes start in them, or get there while all nodes are in such states."""
    states = tuple(sorted(machine.starting))
    while True:
        around = neighbourhoods(states, most, num_slots)
        after = {machine.table[state, machine.value(*seen)] for state in states for seen in around}
        wider = tuple(sorted({*states, *after}))
        if wider == states:
            return states
        states = wider


def coarsest(machine: Machine, states: States, most: int, num_slots: int) -> list[list[int]]:
    """The fewest classes of states so that nothing depends on which state of its class a node is in.

    Every partition of the states is tried: in an allowed one, nodes of one class go to one class whatever they see, and
    whoever sees a node of a class goes to the same class whichever of its states that node is in.
    """
    around = neighbourhoods(states, most, num_slots)
    allowed = (parts for parts in _partitions(list(states)) if _is_equality(machine, parts, around, num_slots))
    return min(allowed, key=len)


def _partitions(states: list[int]) -> Iterator[list[list[int]]]:
    if not states:
        yield []
        return
    for parts in _partitions(states[1:]):
        yield [[states[0]], *parts]
        for place, part in enumerate(parts):
            yield [*parts[:place], [states[0], *part], *parts[place + 1 :]]


def _is_equality(
    machine: Machine, parts: list[list[int]], around: Sequence[tuple[States, States]], num_slots: int
) -> bool:
    number = {state: place for place, part in enumerate(parts) for state in part}
    pairs = [(part[0], other) for part in parts for other in part[1:]]
    if any(state in machine.final for pair in pairs for state in pair):
        return False
    for (one, two), (seen, slots) in product(pairs, around):
        value = machine.value(seen, slots)
        if number[machine.table[one, value]] != number[machine.table[two, value]]:
            return False
        for slot in (slot for slot in range(num_slots) if slot not in slots) if num_slots else [-1]:
            place = slots if slot < 0 else (*slots, slot)
            left, right = machine.value((*seen, one), place), machine.value((*seen, two), place)
            if any(number[machine.table[s, left]] != number[machine.table[s, right]] for s in number):
                return False
    return True


# All tables.


class Wanted(NamedTuple):
    """A graph, how its nodes start, and in which state each must be after some steps; None where it does not matter."""

    arcs: Arcs
    start: States
    targets: tuple[int | None, ...]
    steps: int


def completions(machine: Machine, graphs: Sequence[Wanted], most: int) -> Iterator[None]:
    """Every way to decide the entries that some graphs use so that all nodes get their targets.

    The table of the machine is filled while it is yielded. An entry is decided when a roll-out needs it, in every way,
    so all tables are looked at but those that differ only where no graph looks.

    Raises:
        TooManyError: More than ``most`` steps were made.
    """
    if machine.work > most:
        raise TooManyError
    if not graphs:
        yield
        return
    first = graphs[0]
    try:
        last = machine.run(first.arcs, first.start, first.steps)
    except MissingError as missing:
        entry = missing.entry
        # Who is in a final state stays there, so a wrong one is wrong in the end.
        if _fails(missing.states, first.targets, machine.final):
            return
        try:
            for successor in range(machine.num_states):
                machine.table[entry] = successor
                yield from completions(machine, graphs, most)
        finally:
            del machine.table[entry]
        return
    if not _fails(last, first.targets, range(machine.num_states)):
        yield from completions(machine, graphs[1:], most)


def _fails(states: States, targets: tuple[int | None, ...], settled: Sequence[int]) -> bool:
    return any(
        target is not None and state in settled and state != target
        for state, target in zip(states, targets, strict=True)
    )


def some_table_fits(machine: Machine, graphs: Sequence[Wanted], most: int) -> bool:
    """Whether some table gives all nodes of all graphs their targets."""
    return any(True for _ in completions(machine, graphs, most))


def smallest_difference(
    machine: Machine, data: Sequence[Wanted], asked: Sequence[tuple[Wanted, tuple[int | None, ...]]], most: int
) -> int | None:
    """The size of the smallest graph on which some table that fits the data answers otherwise than is known.

    Args:
        machine: Its table is empty.
        data: What must be fitted.
        asked: Graphs, small ones first, with the answers that are known.
        most: How many steps to make at most.
    """
    smallest = None
    for _ in completions(machine, data, most):
        for graph, known in asked:
            if smallest is not None and len(graph.arcs) >= smallest:
                break
            free = graph._replace(targets=(None,) * len(graph.arcs))
            for _ in completions(machine, [free], most):
                if machine.answers(machine.run(free.arcs, free.start, free.steps)) != known:
                    smallest = len(graph.arcs)
                    break
        if asked and smallest == len(asked[0][0].arcs):
            break
    return smallest
