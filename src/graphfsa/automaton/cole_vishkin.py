"""Three colours for a rooted tree in nine steps, whatever its size (Cole and Vishkin, 1986), as an automaton."""

from __future__ import annotations

from graphfsa.aggregations import LettersAggregation, Sum
from graphfsa.automaton.fsa import GraphFSA

_SIZES = (64, 12, 8, 6)
"""How many colours there are after each of the first steps."""
_LAST = ("red", "green", "blue")

# A colour, of how many, and in the steps between two of them also the colour that a node, and so its children, had.
_State = tuple[int, int, int | None]


def cole_vishkin() -> GraphFSA:
    """Three colours from 64 on rooted trees: each node sees its parent and nobody else.

    The graph has an arc from each parent to its child, and starts with 64 colours, ``64:0`` to ``64:63``, such that no
    child has that of its parent. In each of three steps a node takes, as its new colour, the place of the lowest bit in
    which its colour differs from its parent's, and the value of that bit; six colours are left. Then three times the
    largest colour goes: every node takes the colour of its parent, so that siblings are alike, and those with the
    largest take one of the first three that is free.
    """
    states: list[_State] = [(colour, size, None) for size in _SIZES for colour in range(size)]
    for size in (6, 5, 4):
        states += [(colour, size, before) for colour in range(size) for before in range(size) if colour != before]
        states += [(colour, size - 1, None) for colour in range(size - 1)]
    names = [_name(state) for state in states]
    parent = LettersAggregation((Sum("highest", len(names), tuple(range(1, len(names) + 1))),))

    def move(name: str, seen: tuple[int, ...]) -> str:
        return _name(_next(states[names.index(name)], states[seen[0] - 1] if seen[0] else None))

    return GraphFSA.from_rule(
        names,
        parent,
        move,
        starting_states=names[: _SIZES[0]],
        final_states=list(_LAST),
    )


def _next(own: _State, parent: _State | None) -> _State:
    """The state after one step; a parent that is not as far (which never happens) counts as none."""
    colour, size, before = own
    above = parent[0] if parent is not None and parent[1] == size else None
    if size == len(_LAST):
        return own
    if before is not None:
        free = (each for each in range(len(_LAST)) if each not in (above, before))
        return next(free) if colour == size - 1 else colour, size - 1, None
    if size > _SIZES[-1]:
        difference = colour ^ (colour ^ 1 if above is None or above == colour else above)
        place = (difference & -difference).bit_length() - 1
        return 2 * place + (colour >> place & 1), _SIZES[_SIZES.index(size) + 1], None
    if above is None or above == colour:
        above = 0 if colour else 1
    return above, size, colour


def _name(state: _State) -> str:
    colour, size, before = state
    if size == len(_LAST):
        return _LAST[colour]
    return f"{size}:{colour}" if before is None else f"{size}:{colour} was {before}"
