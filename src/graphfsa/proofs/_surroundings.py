"""All surroundings that a node of an admitted tree can have: how many neighbours send it which message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

from graphfsa.datasets import SpecificationTable


@dataclass(frozen=True, eq=False)
class Surroundings:
    """An input, and for each message how many neighbours send it; neighbours of one message are sent the same.

    Attributes:
        given: The input, by number.
        label: The class, by number.
        counts: By message: how many neighbours send it, and whether there may be more.
        replies: By message: what the node sends to a neighbour that sends it.
    """

    given: int
    label: int
    counts: Mapping[int, tuple[int, bool]]
    replies: Mapping[int, int]


def all_surroundings(statement: SpecificationTable) -> list[Surroundings]:
    """Every surroundings that a specification admits, those with few neighbours first."""
    found = [
        around
        for given in range(len(statement.inputs))
        for counts in _counts(statement)
        if (around := _admitted(statement, given, counts)) is not None
    ]
    return sorted(found, key=lambda around: sum(number for number, _ in around.counts.values()))


def _counts(statement: SpecificationTable) -> Iterator[dict[int, tuple[int, bool]]]:
    """Numbers of messages: exact up to one more than the bound, which is one or more above it."""
    messages = range(len(statement.messages))
    if statement.max_degree is not None:
        for degree in range(statement.max_degree + 1):
            for sent in combinations_with_replacement(messages, degree):
                yield {message: (sent.count(message), False) for message in sorted(set(sent))}
        return
    numbers = [[*((number, False) for number in range(bound + 1)), (bound + 1, True)] for bound in statement.bounds]
    for chosen in product(*numbers):
        yield {message: number for message, number in zip(messages, chosen, strict=True) if number[0]}


def _admitted(statement: SpecificationTable, given: int, counts: dict[int, tuple[int, bool]]) -> Surroundings | None:
    numbers = [counts.get(message, (0, False))[0] for message in range(len(statement.messages))]
    label = statement.label[given, statement.clip(numbers)]
    if label is None:
        return None
    replies: dict[int, int] = {}
    for message in counts:
        others = [number - (place == message) for place, number in enumerate(numbers)]
        reply = statement.send[given, statement.clip(others)]
        if reply is None:
            return None
        replies[message] = reply
    return Surroundings(given, label, counts, replies)
