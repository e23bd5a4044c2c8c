"""Rules as the source of a Python function that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphfsa.aggregations._features import Features
from graphfsa.automaton.rules._guards import Atom, CountIs, PartIs, ShareIs, runs

if TYPE_CHECKING:
    from graphfsa.automaton.rules._rules import Rules

_COUNTS = """
    seen[name] is the number of neighbours in a state; numbers above {bound} may be given as {bound}."""
_SLOTS = """
    seen is a tuple with the state of the neighbour in each slot, or None where nobody is."""
_SHARES = """
    seen[name] is how many of its thresholds the fraction of neighbours in a state reaches."""
_PARTS = """
    seen is what the aggregation's observation says."""
_VALUE = """
    value is the number of the aggregation's value."""


def python_source(rules: Rules) -> str:
    """See ``Rules.python``."""
    features = rules.features
    by_value = any(part.source is None for part in features.parts)
    lines = [f"def step(state, {'value' if by_value else 'seen'}):", '    """The next state of a node.']
    lines += [_explanation(features, by_value), '    """']
    if features.counts is not None and not by_value:
        counted = "sum(name in names for name in seen)" if features.slotted else "sum(seen[name] for name in names)"
        lines += ["", "    def count(*names):", f"        return {counted}", ""]
    for state, listed in enumerate(rules.lists):
        lines.append(f"    if state == {rules.state_names[state]!r}:")
        for rule in listed:
            result = f"return {rules.state_names[rule.successor]!r}"
            if not rule.guard:
                lines.append(f"        {result}")
                continue
            tests = [
                _by_value(atom, features) if by_value else _test(atom, features, rules.state_names)
                for atom in rule.guard
            ]
            lines += [f"        if {' and '.join(tests)}:", f"            {result}"]
    return "\n".join([*lines, '    raise ValueError(f"unknown state {state!r}")', ""])


def _explanation(features: Features, by_value: bool) -> str:
    if by_value:
        return _VALUE
    if features.counts is not None:
        return _SLOTS if features.slotted else _COUNTS.format(bound=features.bound)
    return _SHARES if features.shares else _PARTS


def _by_value(atom: Atom, features: Features) -> str:
    return f"value in {_tuple(np.flatnonzero(atom.holds(features)).tolist())}"


def _test(atom: Atom, features: Features, names: tuple[str, ...]) -> str:
    if isinstance(atom, CountIs):
        return _count_test(atom, features.bound, names)
    if isinstance(atom, PartIs):
        part = features.parts[atom.part]
        labels = [part.labels[label] for label in atom.labels]
        if len(labels) == 1:
            return f"{part.source} {'is' if labels[0] is None else '=='} {labels[0]!r}"
        return f"{part.source} in {_tuple(labels)}"
    return _share_test(atom, features, names)


def _count_test(atom: CountIs, bound: int, names: tuple[str, ...]) -> str:
    count = f"count({', '.join(repr(names[state]) for state in atom.states)})"
    ranges = runs(atom.numbers)
    first, last = ranges[0]
    if len(ranges) > 1:
        return f"min({count}, {bound}) in {_tuple(list(atom.numbers))}"
    if last == bound:
        return f"{count} >= {first}"
    if first == last:
        return f"{count} == {first}"
    return f"{count} <= {last}" if first == 0 else f"{first} <= {count} <= {last}"


def _share_test(atom: ShareIs, features: Features, names: tuple[str, ...]) -> str:
    share = features.shares[atom.share]
    reached = f"seen[{names[share.state]!r}]"
    if atom.highest == len(share.levels):
        return f"{reached} >= {atom.lowest}"
    return f"{reached} <= {atom.highest}" if atom.lowest == 0 else f"{atom.lowest} <= {reached} <= {atom.highest}"


def _tuple(items: list[int] | list[str | None]) -> str:
    return f"({', '.join(map(repr, items))}{',' if len(items) == 1 else ''})"
