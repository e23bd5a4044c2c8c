"""Certificates of proofs about trees, read and checked for their form; what they claim is checked elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphfsa.checks import shown
from graphfsa.errors import FormatError
from graphfsa.fields import Field, read_fields

Letter = tuple[int, int]
"""Two states: the neighbour's and the node's own."""
Place = tuple[Letter, ...]
"""The last different letters."""
MAX_COUNT = 255
"""How far a certificate counts neighbours in one state, and the largest modulus beyond that."""
FIELDS = {
    "history": Field(int, least=1, most=8),
    "cap": Field(int, least=1, most=MAX_COUNT),
    "period": Field(int, least=1, most=MAX_COUNT),
    "changes": Field((int, None), least=0),
    "rounds": Field(list, least=1, most=16, items=Field(list, most=10_000, items=Field(dict))),
}
_CONTRACT = {
    "sends": Field(int, least=0),
    "is_sent": Field(int, least=0),
    "begins": Field(list),
    "moves": Field(list),
    "recurs": Field(list),
}


@dataclass(frozen=True)
class Facts:
    """What one contract says: where a neighbour may begin, how it may go on, and where it may be for ever."""

    begins: frozenset[Place]
    moves: Mapping[Place, frozenset[Place]]
    recurs: frozenset[Place]


@dataclass(frozen=True)
class TreeCertificate:
    """What a certificate says.

    Attributes:
        history: How many letters a place has at most.
        cap: From this number on neighbours in one state are told apart only modulo ``period``.
        period: See ``cap``.
        changes: How often a node changes its state at most; None if nothing is claimed.
        rounds: The contracts of each round, by what a neighbour sends and what it is sent.
    """

    history: int
    cap: int
    period: int
    changes: int | None
    rounds: tuple[Mapping[tuple[int, int], Facts], ...]

    @classmethod
    def read(cls, data: Mapping[str, Any], num_states: int, num_messages: int) -> TreeCertificate:
        """Read the fields of a certificate.

        Raises:
            FormatError: A field is missing, or not of its kind.
        """
        fields = read_fields({name: data[name] for name in FIELDS if name in data}, FIELDS, "proof")
        rounds: list[dict[tuple[int, int], Facts]] = []
        for number, part in enumerate(fields["rounds"]):
            found: dict[tuple[int, int], Facts] = {}
            for place, item in enumerate(part):
                where = f"proof: rounds[{number}][{place}]"
                contract = read_fields(item, _CONTRACT, where)
                key = contract["sends"], contract["is_sent"]
                if max(key) >= num_messages or key in found:
                    raise FormatError(f"{where}: messages must be below {num_messages}, and each pair once; got {key}")
                found[key] = _facts(contract, where, fields["history"], num_states)
            rounds.append(found)
        return cls(fields["history"], fields["cap"], fields["period"], fields["changes"], tuple(rounds))


def place_words(place: Place, state_names: Sequence[str]) -> str:
    """A place for people: the neighbour's states, each beside that of the node."""
    return ", then ".join(f"{state_names[state]!r} beside {state_names[own]!r}" for state, own in place)


def _facts(contract: dict[str, Any], where: str, history: int, num_states: int) -> Facts:
    def place(given: Any) -> Place:
        if isinstance(given, list) and 1 <= len(given) <= history:
            letters = tuple(tuple(letter) for letter in given if isinstance(letter, list) and len(letter) == 2)
            known = all(type(state) is int and 0 <= state < num_states for letter in letters for state in letter)
            if known and len(letters) == len(given):
                return letters
        raise FormatError(f"{where}: a place must be 1 to {history} pairs of states; got {shown(given)}")

    moves: dict[Place, set[Place]] = {}
    for move in contract["moves"]:
        if not isinstance(move, list) or len(move) != 2:
            raise FormatError(f"{where}: a move must be a place and a pair of states; got {shown(move)}")
        before = place(move[0])
        moves.setdefault(before, set()).add((*before, *place([move[1]]))[-history:])

    def several(given: Iterable[Any]) -> frozenset[Place]:
        return frozenset(place(each) for each in given)

    closed = {before: frozenset(after) for before, after in moves.items()}
    return Facts(several(contract["begins"]), closed, several(contract["recurs"]))
