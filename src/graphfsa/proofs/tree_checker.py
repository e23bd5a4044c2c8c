"""The checker of proofs about trees. It shares no code with the prover, and believes nothing that it did not check.

A certificate is a list of rounds of contracts. For each pair of messages (what a neighbour sends, what it is sent), a
contract lists where the neighbour may begin, how it may go on, and where it may be again and again. For every
surroundings that the specification admits, the checker looks at:

- closure: what a node does whose children keep to a round's contracts, and whose parent keeps to those of the one
  before (at first: does what the table allows), is in the contract that the parent has for it;
- answers: a node whose neighbours all keep to the last contracts is in the state of its class from some step on;
- steps: in these runs no node changes its state more often than the certificate says.

That this proves the automaton right on all trees is shown in docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations_with_replacement, product
from math import comb, lcm, prod
from typing import Any

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import SpecificationTable, Task
from graphfsa.proofs.tree_certificate import Facts, Place, TreeCertificate, place_words

_Pair = tuple[int, int]
_MOST, _CONFIGURATION = 100_000_000, 20
_NOTHING = Facts(frozenset(), {}, frozenset())


class Rejected(Exception):
    """A certificate does not hold; the message names the fact that fails."""


def check_tree_proof(certificate: Mapping[str, Any], fsa: GraphFSA, statement: SpecificationTable) -> int:
    """Check the facts of a certificate; who it is about is checked by the caller.

    Returns:
        How many configurations were looked at.

    Raises:
        Rejected: A fact is missing or wrong.
        FormatError: The fields are not those of a proof about trees.
    """
    return _Check(certificate, fsa, statement).run()


class _Check:
    def __init__(self, certificate: Mapping[str, Any], fsa: GraphFSA, statement: SpecificationTable) -> None:
        said = TreeCertificate.read(certificate, fsa.num_states, len(statement.messages))
        self.depth, self.cap, self.period, self.changes = said.history, said.cap, said.period, said.changes
        self.rounds, self.statement, self.fsa = said.rounds, statement, fsa
        self.table = fsa.transition_table.tolist()
        reading = Task(statement.name, "classes", statement.inputs, statement.classes).reading(fsa)
        self.start, self.final = reading.starting, reading.answers
        self.reach: dict[tuple[int, Place], set[Place]] = {}
        self.looked_at = self.work = 0
        self._learn_to_add()

    def _learn_to_add(self) -> None:
        """What nodes see, which states occur, what these may become, and that ``cap`` and ``period`` are true."""
        kind, number = self.fsa.aggregation, self.fsa.num_states
        self.nobody, self.sees = kind.encode([], [], number), dict[_Pair, int]()
        todo, known = [self.nobody], {self.nobody}
        for value in todo:
            for state in range(number):
                more = None if kind.uses_slots else kind.with_neighbour(value, state, 0, number)
                if more is None:
                    raise Rejected(f"the {kind.name} aggregation does not say what one more neighbour makes of a value")
                self.sees[value, state] = more
                todo += {more} - known
                known.add(more)
        occur, before = set(self.start), set[int]()
        while occur != before:
            before, values = occur, self._values(occur, self.nobody, 0)
            occur = occur | {self.table[state][value] for state in occur for value in values}
        alike = [self._alike(state) for state in occur]
        cap, period = max(1, *(first for first, _ in alike)), lcm(*(again for _, again in alike))
        if (self.cap, self.period) != (cap, period):
            raise Rejected(f"cap and period must be {cap} and {period}; got {self.cap} and {self.period}")
        self.may = {
            (state, other): {self.table[state][value] for value in values}
            for other in occur
            for values in [self._values(occur, self.sees[self.nobody, other], 1)]
            for state in occur
        }

    def _values(self, states: set[int], first: int, taken: int) -> set[int]:
        """What a node can see whose neighbours are in some states, if some places are taken already."""
        layer, found = {first}, {first}
        while layer and taken != self.statement.max_degree:
            layer = {self.sees[value, state] for value in layer for state in states} - found
            found, taken = found | layer, taken + 1
        return found

    def _alike(self, state: int) -> tuple[int, int]:
        """From which number on neighbours in a state look like fewer of them, and how many fewer."""
        seen, value = {self.nobody: 0}, self.sees[self.nobody, state]
        while value not in seen:
            seen[value] = len(seen)
            value = self.sees[value, state]
        return seen[value], len(seen) - seen[value]

    def run(self) -> int:
        changes: set[_Pair] = set()
        for given, label, counts, sent in self._surroundings():
            for number, up in product(range(len(self.rounds)), counts):
                self._closure(number, given, counts, sent, up)
            groups = self._groups(self.rounds[-1], counts, sent, None)
            if groups is None:
                continue
            _, edges, cycles = self._runs(given, groups)
            for wrong in {own for own, _ in cycles} - {self.final[label]}:
                what, right = self.statement.inputs[given], self.statement.classes[label]
                name = self.fsa.state_names[wrong]
                raise Rejected(f"a node with input {what!r} and class {right!r} may be in {name!r} for ever")
            changes |= {(one[0], two[0]) for one, two in edges if one[0] != two[0]}
        ends = {state for state, _ in changes}
        for _ in range(min(self.changes or 0, len(ends)) + 1):
            ends = {later for state, later in changes if state in ends}
        if self.changes is not None and ends:
            raise Rejected(f"a node may change its state more than {self.changes} times")
        return self.looked_at

    def _closure(self, number: int, given: int, counts: Any, sent: Any, up: int) -> None:
        contracts = self.rounds[number]
        above = self.rounds[number - 1].get((up, sent[up])) if number else None
        groups = self._groups(contracts, counts, sent, up)
        if groups is None or (number and above is None):
            return  # Nobody sends this and is sent that, as this round or the one before says.
        begins, edges, cycles = self._runs(given, [*groups, (above, 1, False)])
        shown = lambda state: tuple((own, other) for other, own in next(iter(state[1][-1]))[0])  # noqa: E731
        target = contracts.get((sent[up], up), _NOTHING)
        messages = self.statement.messages
        words = lambda place: place_words(place, self.fsa.state_names)  # noqa: E731
        where = f"round {number}, a neighbour that sends {messages[sent[up]]!r} and is sent {messages[up]!r}"
        for place in sorted({shown(state) for state in begins} - target.begins):
            raise Rejected(f"{where}: the beginning {words(place)} is missing")
        for one, two in sorted({(shown(one), shown(two)) for one, two in edges}):
            if one != two and two not in target.moves.get(one, ()):
                raise Rejected(f"{where}: the move from {words(one)} to {words(two)} is missing")
        for place in sorted({shown(state) for state in cycles} - target.recurs):
            raise Rejected(f"{where}: {words(place)} may come again and again, and is missing")

    def _surroundings(self) -> Iterator[tuple[int, int, dict[int, tuple[int, bool]], dict[int, int]]]:
        """Input, class, numbers of neighbours by what they send (and whether more), and what these are sent."""
        spec, messages = self.statement, range(len(self.statement.messages))
        if spec.max_degree is not None:
            sets = [s for d in range(spec.max_degree + 1) for s in combinations_with_replacement(messages, d)]
            numbers = [tuple((s.count(m), False) for m in messages) for s in sets]
        else:
            numbers = list(product(*([(k, k > bound) for k in range(bound + 2)] for bound in spec.bounds)))
        for given, number in product(range(len(spec.inputs)), numbers):
            whole = [k for k, _ in number]
            label = spec.label[given, spec.clip(whole)]
            counts = {m: number[m] for m in messages if number[m][0]}
            sent = {m: spec.send[given, spec.clip([k - (m == j) for j, k in enumerate(whole)])] for m in counts}
            if label is not None and None not in sent.values():
                yield given, label, counts, {m: s for m, s in sent.items() if s is not None}

    def _groups(self, contracts: Mapping[_Pair, Facts], counts: Any, sent: Any, up: int | None) -> list[Any] | None:
        groups: list[Any] = []
        for message, (number, more) in counts.items():
            left, contract = number - (message == up), contracts.get((message, sent[message]))
            if contract is None and left:
                return None
            if contract is not None and (left or more):
                groups.append((contract, left, more))
        return groups

    def _runs(self, given: int, groups: list[Any]) -> tuple[set[Any], list[Any], set[Any]]:
        """Beginnings, steps and configurations that come again, of runs that can go on for ever."""
        own, memo = self.start[given], {}
        first: list[tuple[Any, ...]] = [()]
        for contract, number, more in groups:
            if contract is None:
                places = {((state, own),) for state in self.start}
            else:
                places = {place for place in contract.begins if place[-1][1] == own}
            ways = list(self._spread(number, more, sorted(places), loose=True))
            self._spend(len(first) * len(ways))
            first = [(*before, way) for before in first for way in ways]
        begins, graph = {(own, parts) for parts in first}, dict[Any, set[Any]]()
        todo = list(begins)
        while todo:
            state = todo.pop()
            if state not in graph:
                graph[state] = self._after(state, groups, memo, False)
                todo += graph[state]
        self.looked_at += len(graph)
        rests = lambda group, part: group[0] is None or all(place in group[0].recurs for place, _ in part)  # noqa: E731
        calm = {state for state in graph if all(map(rests, groups, state[1]))}
        cycles = _on_cycles({state: self._after(state, groups, memo, True) & calm for state in calm})
        alive = {state for part in _walk(_turned(graph), cycles) for state in part}
        return begins & alive, [(s, t) for s in alive for t in graph[s] if t in alive], cycles

    def _after(self, state: Any, groups: list[Any], memo: dict[Any, Any], forever: bool) -> set[Any]:
        own, parts = state
        value = self.nobody
        for seen in (place[-1][0] for part in parts for place, number in part for _ in range(number)):
            value = self.sees[value, seen]
        later = self.table[own][value]
        options: list[Any] = []
        for place, part in enumerate(parts):
            key = place, part, own, later, forever
            memo[key] = memo[key] if key in memo else self._moved(groups[place], part, own, later, forever)
            options.append(memo[key])
        self._spend(_CONFIGURATION + prod(map(len, options)))
        return {(later, chosen) for chosen in product(*options)}

    def _moved(self, group: Any, part: Any, own: int, later: int, forever: bool) -> set[Any]:
        contract, _, more = group
        results = {frozenset()}
        for place, number in part:
            state = place[-1][0]
            if contract is None:
                targets = {(s, later) for s in self.may.get((state, own), ())}
                places = {place if letter == place[-1] else (*place, letter)[-self.depth :] for letter in targets}
            else:
                places = {p for p in contract.moves.get(place, ()) if p[-1][1] == later}
                if own == later and state in self.may.get((state, own), ()):
                    places.add(place)
                if forever:
                    places = {p for p in places if p in contract.recurs and self._back_and_forth(contract, place, p)}
            fresh = set()
            for way in self._spread(number, more and number >= self.cap, sorted(places), loose=False):
                for before in results:
                    total = dict(before)
                    for p, k in way:
                        total[p] = self._clip(total.get(p, 0) + k) if more else total.get(p, 0) + k
                    fresh.add(frozenset(total.items()))
            results = fresh
        return results

    def _back_and_forth(self, contract: Facts, one: Place, two: Place) -> bool:
        """Whether a neighbour can go from one place to another and back."""
        for place in (one, two):
            if (id(contract), place) not in self.reach:
                found = self.reach[id(contract), place] = {place}
                todo = [place]
                for now in todo:
                    todo += contract.moves.get(now, frozenset()) - found
                    found.update(todo)
        return two in self.reach[id(contract), one] and one in self.reach[id(contract), two]

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > _MOST:
            raise Rejected(f"there are more than {_MOST:,} ways in which nodes and their neighbours move to look at")

    def _clip(self, number: int) -> int:
        return number if number < self.cap else self.cap + (number - self.cap) % self.period

    def _spread(self, number: int, more: bool, places: list[Place], *, loose: bool) -> Iterator[frozenset[Any]]:
        """Ways to put neighbours at places. More of them: any number (loose), or by whole periods."""
        size = self.cap + self.period
        self._spend(size ** len(places) if more else comb(max(1, len(places)) + number - 1, number) * number)
        if not more:
            for chosen in combinations_with_replacement(places, number):
                yield frozenset((place, chosen.count(place)) for place in chosen)
            return
        for way in product(range(size), repeat=len(places)):
            enough = sum(way) >= number or max(way, default=0) >= self.cap
            if enough and (loose or (sum(way) - number) % self.period == 0):
                yield frozenset((place, k) for place, k in zip(places, way, strict=True) if k)


def _on_cycles(graph: dict[Any, set[Any]]) -> set[Any]:
    """Nodes that lie on a cycle: two walks through the graph, the second one against the arrows (Kosaraju)."""
    back = _turned(graph)
    order = [node for part in _walk(graph, graph) for node in part]
    cycles = {node for node, following in graph.items() if node in following}
    return cycles.union(*(part for part in _walk(back, reversed(order)) if len(part) > 1))


def _turned(graph: dict[Any, set[Any]]) -> dict[Any, set[Any]]:
    """The same graph with all arrows turned round."""
    back: dict[Any, set[Any]] = {node: set() for node in graph}
    for node, following in graph.items():
        for later in following:
            back[later].add(node)
    return back


def _walk(graph: dict[Any, set[Any]], roots: Iterable[Any]) -> list[list[Any]]:
    """What is reached first from each root, in the order in which the walk leaves it for good."""
    seen: set[Any] = set()
    found: list[list[Any]] = []
    for root in roots:
        left: list[Any] = []
        todo = [(root, False)]
        while todo:
            node, done = todo.pop()
            if done:
                left.append(node)
            elif node not in seen:
                seen.add(node)
                todo += [(node, True), *((later, False) for later in graph[node])]
        found.append(left)
    return found
