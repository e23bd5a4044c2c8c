"""Contracts of a certificate about trees as sentences, equal ones together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graphfsa.proofs._lists import listed, names
from graphfsa.proofs.tree_certificate import Facts, Place

Pair = tuple[int, int]
"""What a neighbour sends, and what it is sent."""


def contract_points(
    contracts: Mapping[Pair, Facts], state_names: Sequence[str], messages: Sequence[str]
) -> list[str]:  # fmt: skip
    """A sentence for each contract; contracts that read alike have one together."""
    together: dict[str, list[Pair]] = {}
    for pair, facts in sorted(contracts.items()):
        together.setdefault(_Wording(facts, state_names).sentence(), []).append(pair)
    return [f"A neighbour that {senders(pairs, messages)} {words}." for words, pairs in together.items()]


def senders(pairs: Sequence[Pair], messages: Sequence[str]) -> str:
    """Which neighbours are meant, every one of them: all that are sent the same are named together."""
    received: dict[int, list[int]] = {}
    for sends, is_sent in pairs:
        received.setdefault(sends, []).append(is_sent)
    alike: dict[tuple[int, ...], list[int]] = {}
    for sends, is_sent in received.items():
        alike.setdefault(tuple(is_sent), []).append(sends)
    words = [f"sends {_any(sends, messages)} and receives {_any(told, messages)}" for told, sends in alike.items()]
    return ", or ".join(words) + ("," if len(words) > 1 else "")


def _any(numbers: Iterable[int], messages: Sequence[str]) -> str:
    """Messages, without leaving any out."""
    words = [f"`{messages[number]}`" for number in numbers]
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


class _Wording:
    """What one contract says of the neighbour's own states, by those of the node beside it."""

    def __init__(self, facts: Facts, state_names: Sequence[str]) -> None:
        self._facts, self._names = facts, state_names
        places = {*facts.begins, *facts.recurs, *facts.moves, *(p for after in facts.moves.values() for p in after)}
        self._beside = _by_neighbour(places)

    def sentence(self) -> str:
        begins = names((self._names[state] for state in _by_neighbour(self._facts.begins)), "or")
        return f"starts in {begins}{self._changes()}{self._end()}"

    def _changes(self) -> str:
        found: dict[Pair, set[int]] = {}
        for before, several in self._facts.moves.items():
            state, beside = before[-1]
            for after in several:
                if after[-1][0] != state:
                    found.setdefault((state, after[-1][0]), set()).add(beside)
        # Changes to one state under one condition are told together.
        told: dict[tuple[int, str], list[int]] = {}
        for (state, later), beside in sorted(found.items()):
            told.setdefault((later, self._while(beside, self._beside[state])), []).append(state)
        if not told:
            return " and never changes"
        words = [
            f"from {names((self._names[state] for state in states), 'or')} to `{self._names[later]}`{condition}"
            for (later, condition), states in told.items()
        ]
        return f", may change {listed(words, 'and')}"

    def _end(self) -> str:
        rest = _by_neighbour(self._facts.recurs)
        if rest == _by_neighbour(self._facts.begins) and len(rest) == 1:
            return ""
        everything = {state for several in rest.values() for state in several}
        told: dict[str, list[int]] = {}
        for state, beside in rest.items():
            told.setdefault(self._while(beside, everything), []).append(state)
        words = [f"in {names((self._names[s] for s in states), 'or')}{when}" for when, states in told.items()]
        return f", and ends {listed(words, 'or')}"

    def _while(self, beside: set[int], possible: set[int]) -> str:
        """During which states of the node, if not during all that are possible."""
        if beside == possible:
            return ""
        others = possible - beside
        word, told = ("unless", others) if len(others) < len(beside) else ("while", beside)
        return f" ({word} the node is in {names((self._names[state] for state in sorted(told)), 'or')})"


def _by_neighbour(places: Iterable[Place]) -> dict[int, set[int]]:
    """The states of the node by those of the neighbour, now."""
    found: dict[int, set[int]] = {}
    for place in places:
        found.setdefault(place[-1][0], set()).add(place[-1][1])
    return dict(sorted(found.items()))
