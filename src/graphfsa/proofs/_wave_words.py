"""The sets of a certificate about waves as sentences: in which states a node is before and after the wave arrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from graphfsa.datasets import WaveTable
from graphfsa.proofs._lists import names
from graphfsa.proofs._wave_model import UNREACHED

Kind = tuple[int, int, int]
"""A level, an input and a class; -1 is no class."""


def wave_points(facts: Mapping[str, Any], state_names: Sequence[str], table: WaveTable) -> list[str]:
    """A sentence for each distance, input and class; inputs that read alike have one together.

    Nodes of one distance, input and class are not told apart: each is in one of the states of all of them.
    """
    together: dict[tuple[int, int, str], list[int]] = {}
    for (level, given, label), sets in _joined(facts, table).items():
        words = _times(sets, level, facts, state_names)
        together.setdefault((level, label, words), []).append(given)
    points: list[str] = []
    for (level, label, words), inputs in sorted(together.items(), key=lambda item: (item[0][0] < 0, item[0])):
        given = f"A node with input {names((table.inputs[number] for number in inputs), 'or')}"
        if level == UNREACHED:
            points.append(f"{given} that no source reaches {words}.")
        else:
            points.append(
                f"{given} at distance {_distances(level, facts, table)} (class `{table.classes[label]}`) {words}."
            )
    return points


def _joined(facts: Mapping[str, Any], table: WaveTable) -> dict[Kind, list[set[int]]]:
    """The states by clock; what else the certificate tells apart is put together."""
    clocks = facts["before"] + facts["after"] + 1
    found: dict[Kind, list[set[int]]] = {}
    for _source, level, given, colour, _same, _far, sets in facts["sets"]:
        label = -1 if level == UNREACHED else table.label[level % table.period, colour]
        rows = found.setdefault((level, given, label), [set() for _ in range(1 if level == UNREACHED else clocks)])
        for place, states in enumerate(sets):
            rows[place % len(rows)] |= set(states)
    return found


def _distances(level: int, facts: Mapping[str, Any], table: WaveTable) -> str:
    if level < facts["near"]:
        return str(level)
    if table.period == 1:
        return f"{level} or more"
    return f"{level}, {level + table.period}, {level + 2 * table.period}, ..."


def _times(sets: Sequence[set[int]], level: int, facts: Mapping[str, Any], state_names: Sequence[str]) -> str:
    """In which states a node is when."""
    if level == UNREACHED:
        return f"is always in {_states(sets[0], state_names)}"
    exact = level if level < facts["near"] else None
    spans = list(_spans(sets, -facts["before"]))
    if len(spans) == 1:
        return f"is always in {_states(spans[0][2], state_names)}"
    words: list[str] = []
    for place, (first, last, states) in enumerate(spans):
        if place == len(spans) - 1:
            when = f"from step {_step(first, exact)} on"
        elif first == last and (exact is not None or place):
            when = f"at step {_step(first, exact)}"
        elif place:
            when = f"from step {_step(first, exact)} to {_step(last, exact)}"
        else:
            when = f"up to step {_step(last, exact)}"
        words.append(f"in {_states(states, state_names)} {when}")
    return "is " + ", ".join(words[:-1]) + f", and {words[-1]}"


def _spans(sets: Sequence[set[int]], first: int) -> Iterator[tuple[int, int, set[int]]]:
    """Clocks with the same states, first and last; those at which there is no such node are left out."""
    numbered = [(clock, states) for clock, states in enumerate(sets, first) if states]
    for states, several in groupby(numbered, key=lambda pair: pair[1]):
        clocks = [clock for clock, _ in several]
        yield clocks[0], clocks[-1], states


def _step(clock: int, distance: int | None) -> str:
    if distance is not None:
        return str(max(0, distance + clock))
    return "d" if not clock else f"d {'+' if clock > 0 else '-'} {abs(clock)}"


def _states(states: set[int], state_names: Sequence[str]) -> str:
    return names((state_names[state] for state in sorted(states)), "or")
