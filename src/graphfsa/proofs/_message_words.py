"""What the messages of a specification mean: which inputs send which, from what the others send."""

from __future__ import annotations

from graphfsa.datasets import SpecificationTable
from graphfsa.proofs._lists import listed, names
from graphfsa.proofs._parts import Part


def message_words(table: SpecificationTable) -> Part:
    """A sentence for each message: the inputs that send it, and the fewest messages from others that lead to it."""
    points: list[str] = []
    for number, message in enumerate(table.messages):
        cases: dict[str, list[str]] = {}
        for given, name in enumerate(table.inputs):
            rows = sorted((counts for (g, counts), sent in table.send.items() if (g, sent) == (given, number)), key=sum)
            if rows:
                cases.setdefault(_heard(table, rows[0]), []).append(name)
        told = [f"{names(inputs, 'or')} {heard}" for heard, inputs in cases.items()]
        if told:
            points.append(f"`{message}` is sent by {listed(told, 'and by')}.")
    return Part(
        f"The definition of {table.name} uses messages; the automaton does not send them. Over each edge goes one in "
        "each direction. It follows from the input of the node that sends it, and from what its other neighbours send:",
        tuple(points),
    )


def _heard(table: SpecificationTable, counts: tuple[int, ...]) -> str:
    """What the other neighbours send."""
    several = zip(table.messages, counts, table.bounds, strict=True)
    parts = [f"`{message}` from {number}{' or more' * (number == most)}" for message, number, most in several if number]
    return f"(for example if it gets {listed(parts, 'and')})" if parts else "(even as a leaf)"
