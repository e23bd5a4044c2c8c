"""The prover for trees: the least contracts that hold on every edge of every tree, and what nodes then answer.

A contract belongs to a pair of messages: what a neighbour sends, and what it is sent. A node whose neighbours keep to
contracts shows one of them, its parent, something in turn; that must be in a contract too. The least contracts that are
closed under this hold in all trees, by induction over the size of subtrees. If they leave a node no choice but the
right answer, the automaton is proved. A second round may suppose of parents what the first one showed of all nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphfsa.datasets import SpecificationTable
from graphfsa.proofs._graphs import longest_path
from graphfsa.proofs._local import LocalAutomaton
from graphfsa.proofs._runs import Configuration, Contract, Group, LocalRuns, Position, Runs
from graphfsa.proofs._surroundings import Surroundings, all_surroundings

Contracts = dict[tuple[int, int], Contract]
"""By what a neighbour sends and what it is sent."""
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class TreeProof:
    """Contracts that prove an automaton right on all trees.

    Attributes:
        history: How many letters a position has.
        rounds: The contracts of each round.
        changes: How often a node changes its state at most; None if no bound was found.
    """

    history: int
    rounds: tuple[Contracts, ...]
    changes: int | None


@dataclass(frozen=True, eq=False)
class OpenCase:
    """What a prover could not exclude: a node that may end in a wrong state.

    Attributes:
        around: Its surroundings.
        end: A configuration that may come again and again.
    """

    around: Surroundings
    end: Configuration


class ContractProver:
    """Proofs about one automaton and one specification.

    Args:
        automaton: The automaton.
        statement: The specification.
        history: How many letters a position has.
        limit: How many steps of a node and its neighbours may be looked at in all, as ``LocalRuns`` counts them.
    """

    def __init__(self, automaton: LocalAutomaton, statement: SpecificationTable, history: int, limit: int) -> None:
        self._automaton, self._history, self._limit = automaton, history, limit
        self._surroundings = all_surroundings(statement)

    def prove(self) -> TreeProof | OpenCase:
        """Find contracts that prove it, or a case that they leave open.

        Raises:
            LimitError: There is too much to look at.
        """
        rounds: list[Contracts] = []
        while True:
            rounds.append(self._closed(rounds[-1] if rounds else None))
            changes: set[tuple[int, int]] = set()
            case = next(self._open_cases(rounds[-1], changes), None)
            if case is None:
                return TreeProof(self._history, tuple(rounds), longest_path(changes))
            if len(rounds) == _ROUNDS or (len(rounds) > 1 and _sizes(rounds[-1]) == _sizes(rounds[-2])):
                return case

    def _closed(self, before: Contracts | None) -> Contracts:
        """The least contracts that are closed, with parents that keep to those of the round before."""
        contracts: Contracts = {}
        looked_at: dict[tuple[int, int], tuple[int, ...]] = {}
        growing = True
        while growing:
            growing = False
            for number, around in enumerate(self._surroundings):
                for parent, up in around.replies.items():
                    used = [contracts.get((message, reply)) for message, reply in around.replies.items()]
                    sizes = tuple(-1 if contract is None else contract.size for contract in used)
                    if looked_at.get((number, parent)) == sizes:
                        continue
                    looked_at[number, parent] = sizes
                    above = None if before is None else before.get((parent, up))
                    if before is not None and above is None:
                        continue  # Nobody sends this and is sent that, as the round before has shown.
                    runs = self._runs(around, contracts, parent, above)
                    if runs is not None and runs.begins:
                        growing |= _widen(contracts.setdefault((up, parent), Contract()), runs)
        return contracts

    def _runs(
        self, around: Surroundings, contracts: Contracts, parent: int | None, above: Contract | None
    ) -> Runs | None:
        """The runs of a node; None if it can't have such neighbours. The last group is the parent, if there is one."""
        groups: list[Group] = []
        for message, (number, many) in around.counts.items():
            left = number - (message == parent)
            contract = contracts.get((message, around.replies[message]))
            if contract is not None and (left or many):
                groups.append(Group(contract, left, many))
            elif left:
                return None
        if parent is not None:
            groups.append(Group(above, 1, many=False))
        start = self._automaton.start[around.given]
        runs = LocalRuns(self._automaton, start, groups, self._history, self._limit)
        found = runs.explore()
        self._limit -= runs.work
        return found

    def _open_cases(self, contracts: Contracts, changes: set[tuple[int, int]]) -> Iterator[OpenCase]:
        """Nodes that may end in a wrong state; adds to ``changes`` how the others change theirs."""
        for around in self._surroundings:
            runs = self._runs(around, contracts, None, None)
            if runs is None:
                continue
            for end in runs.ends:
                if end[0] != self._automaton.final[around.label]:
                    yield OpenCase(around, end)
            changes |= {
                (now[0], later[0]) for now, steps in runs.steps.items() for later in steps if now[0] != later[0]
            }


def _widen(contract: Contract, runs: Runs) -> bool:
    """Add what runs show to the parent, the last group; True if something is new."""
    before = contract.size
    contract.begins |= {_turned(now) for now in runs.begins}
    contract.recurs |= {_turned(now) for now in runs.ends}
    for now, steps in runs.steps.items():
        place = _turned(now)
        for later in steps:
            after = _turned(later)
            if after != place:
                contract.moves.setdefault(place, set()).add(after[-1])
    return contract.size > before


def _turned(now: Configuration) -> Position:
    """The position of the parent as the parent sees it."""
    return tuple((own, state) for state, own in now[1][-1][0][0])


def _sizes(contracts: Contracts) -> Mapping[tuple[int, int], int]:
    return {key: contract.size for key, contract in contracts.items()}


def tree_certificate(proof: TreeProof, automaton: LocalAutomaton) -> dict[str, Any]:
    """The facts of a proof about trees, as JSON values."""
    return {
        "history": proof.history,
        "cap": automaton.cap,
        "period": automaton.period,
        "changes": proof.changes,
        "rounds": [_round(contracts) for contracts in proof.rounds],
    }


def _round(contracts: Contracts) -> list[dict[str, Any]]:
    return [
        {
            "sends": sends,
            "is_sent": is_sent,
            "begins": _plain(contract.begins),
            "moves": [
                [_plain([place])[0], list(letter)]
                for place in sorted(contract.moves)
                for letter in sorted(contract.moves[place])
            ],
            "recurs": _plain(contract.recurs),
        }
        for (sends, is_sent), contract in sorted(contracts.items())
    ]


def _plain(places: Iterable[Position]) -> list[list[list[int]]]:
    return [[list(letter) for letter in place] for place in sorted(places)]
