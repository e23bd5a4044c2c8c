"""Transition tables as text: one grid per state, as compact as a complete table can be."""

from __future__ import annotations

from itertools import product

from graphfsa.aggregations import CountingAggregation
from graphfsa.automaton import GraphFSA
from graphfsa.errors import LimitError

MAX_ENTRIES = 3000
STAYS = "·"


def compact_table(fsa: GraphFSA) -> str:
    """Every entry of the states that are not final, in grids: counts of some states down, of the others across.

    A dot stands for staying. For other aggregations than counting each entry is a line.

    Args:
        fsa: The automaton.

    Raises:
        LimitError: The table has more than 3000 entries that count.
    """
    free = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    if len(free) * fsa.num_values > MAX_ENTRIES:
        raise LimitError(f"tables of at most {MAX_ENTRIES} entries are printed; got {len(free) * fsa.num_values}")
    if isinstance(fsa.aggregation, CountingAggregation):
        return "\n\n".join(_grid(fsa, state) for state in free)
    return "\n".join(
        f"{fsa.state_names[state]}, {fsa.aggregation.decode(value, fsa.state_names)} -> {_next(fsa, state, value)}"
        for state in free
        for value in range(fsa.num_values)
    )


def _next(fsa: GraphFSA, state: int, value: int) -> str:
    successor = int(fsa.transition_table[state, value])
    return STAYS if successor == state else fsa.state_names[successor]


def _grid(fsa: GraphFSA, state: int) -> str:
    names = fsa.state_names
    assert isinstance(fsa.aggregation, CountingAggregation)
    bound = fsa.aggregation.bound
    half = (fsa.num_states + 1) // 2
    down, across = range(half), range(half, fsa.num_states)
    counts = range(bound + 1)
    shown = [f"{count}{'+' if count == bound else ''}" for count in counts]
    width = max(2, *(len(_next(fsa, state, value)) for value in range(fsa.num_values)))
    left = [
        " ".join(f"{shown[c]:>{len(names[m])}}" for m, c in zip(down, row, strict=True))
        for row in product(counts, repeat=half)
    ]
    margin = len(left[0])
    lines = [f"{names[state]} ->"]
    columns = list(product(counts, repeat=len(across)))
    for place, m in enumerate(across):
        cells = " ".join(f"{shown[column[place]]:>{width}}" for column in columns)
        lines.append(f"{names[m]:>{margin}}  {cells}")
    if across:
        lines.append(" ".join(names[m] for m in down))
    for head, row in zip(left, product(counts, repeat=half), strict=True):
        cells = (
            _next(fsa, state, sum(c * (bound + 1) ** m for m, c in enumerate((*row, *column)))) for column in columns
        )
        lines.append(f"{head}  " + " ".join(f"{cell:>{width}}" for cell in cells))
    return "\n".join(lines)
