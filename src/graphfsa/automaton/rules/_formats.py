"""Rules as text, Markdown, LaTeX, JSON values, and as the source of a Python function that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.aggregations import (
    Aggregation,
    CountingAggregation,
    Features,
    LettersAggregation,
    PositionalAggregation,
    ProductAggregation,
    RelationsAggregation,
    Sum,
    Tally,
    WeightedSumAggregation,
)
from graphfsa.automaton.rules._guards import Atom, CountIs, GradeIs, PartIs, Rule, ShareIs, SumIs, runs
from graphfsa.automaton.rules._names import StateNames, code_span, latex_name, plain_name
from graphfsa.automaton.rules._sum_notation import SUMS, named_sets, sum_words, sums_words
from graphfsa.automaton.rules._wording import guard_words
from graphfsa.automaton.stochastic import ONE, probability
from graphfsa.checks import shorten
from graphfsa.html import Html, element, join, table_html

if TYPE_CHECKING:
    from graphfsa.automaton.rules._rules import Rules

_ORDER = "The first rule that applies says where a node moves."
_HTML_NAME = 40


def rules_text(rules: Rules) -> str:
    """See ``Rules.text``."""
    names = _names(rules, plain_name, str)
    blocks = [_header(rules, names, str)]
    if rules.free:
        blocks.append([f"#{_free(rules)}"])
    blocks += _lines(rules, names)
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def rule_lines(rules: Rules) -> list[list[str]]:
    """See ``Rules.lines``."""
    return _lines(rules, StateNames(rules.state_names, plain_name))


def _names(rules: Rules, written: Callable[[str], str], mark: Callable[[str], str]) -> StateNames:
    """Names of states and of sets of them as a format writes them."""
    sets = named_sets(rules.aggregation, len(rules.state_names))
    return StateNames(rules.state_names, written, {states: mark(name) for states, name in sets.items()})


def _set_lines(names: StateNames) -> list[str]:
    """Which states the sets have that have a name."""
    return [f"{mark}: {', '.join(names[state] for state in states)}" for states, mark in names.sets.items()]


def _lines(rules: Rules, names: StateNames) -> list[list[str]]:
    return [
        [names[state] + _move(rules, rule, state, names, " stays", " -> ") for rule in listed]
        for state, listed in enumerate(rules.lists)
    ]


def rules_markdown(rules: Rules) -> str:
    """See ``Rules.markdown``."""
    names = _names(rules, code_span, code_span)
    lines = [f"- {line}" for line in _header(rules, names, code_span)]
    lines += ["", f"{_ORDER}{_free(rules)}", ""]
    for state, listed in enumerate(rules.lists):
        if len(listed) == 1:
            lines.append(f"- {names[state]}{_move(rules, listed[0], state, names, ' stays', ' → ')}")
            continue
        lines.append(f"- {names[state]}")
        moves = [_move(rules, rule, state, names, "stays", "→ ") for rule in listed]
        lines += [f"  {place}. {move}" for place, move in enumerate(moves, 1)]
    return "\n".join(lines) + "\n"


def rules_latex(rules: Rules) -> str:
    """See ``Rules.latex``."""
    names = _names(rules, latex_name, latex_name)
    blocks = ["% Needs \\usepackage{amsmath}.", *_set_lines(names), f"{_ORDER}{_free(rules)}"]
    for state, listed in enumerate(rules.lists):
        moves = [move_words(rules, rule, state, names, names[state], "") for rule in listed]
        if rules.outcomes is not None:
            moves = [f"\\text{{{move}}}" for move in moves]
        lines = [
            f"{move} & \\text{{{_condition(rules, rule, names).strip()}}}"
            for move, rule in zip(moves, listed, strict=True)
        ]
        if len(listed) == 1:
            lines = moves
        body = " \\\\\n  ".join(lines)
        cases = f"\\begin{{cases}}\n  {body}\n\\end{{cases}}" if len(listed) > 1 else body
        blocks.append(f"\\[\n\\delta({names[state]}, z) = {cases}\n\\]")
    return "\n\n".join(blocks) + "\n"


def rules_html(rules: Rules) -> str:
    """See ``Rules.html``."""
    names = _names(rules, lambda name: plain_name(shorten(name, _HTML_NAME)), str)
    marks = {**dict.fromkeys(rules.starting_states, " (start)"), **dict.fromkeys(rules.final_states, " (final)")}
    rows: list[Html] = []
    for state, listed in enumerate(rules.lists):
        moves = join([_move(rules, rule, state, names, "stays", "→ ") for rule in listed], element("br"))
        head = element("th", names[state] + marks.get(state, ""), style="text-align: left; vertical-align: top")
        rows.append(element("tr", head, element("td", moves, style="text-align: left")))
    title = f"GraphFSA: {len(names)} states, {rules.aggregation}"
    sets = [element("p", line) for line in _set_lines(names)]
    return join([table_html(title, rows), *sets, element("p", _ORDER + _free(rules))])


def rule_facts(rules: Rules) -> list[dict[str, Any]]:
    """See ``Rules.as_dicts``."""
    names = StateNames(rules.state_names, plain_name)
    return [
        {
            "state": rules.state_names[state],
            "next": _next(rules, rule, state),
            "if": guard_words(rule.guard, rules.features, names) if rule.guard else None,
        }
        for state, listed in enumerate(rules.lists)
        for rule in listed
    ]


def _free(rules: Rules) -> str:
    """A sentence about entries that are never used, if there are any."""
    if not rules.free:
        return ""
    count = len(rules.state_names)
    entries = (count - len(rules.final_states)) * rules.aggregation.num_values(count)
    return (
        f" {rules.free:,} of {entries:,} entries are never used by the training graphs; "
        "there the rules were free to choose."
    )


def aggregation_words(aggregation: Aggregation, names: StateNames, written: Callable[[str], str] = str) -> str:
    """An aggregation as the header of rules has it: its name, options as key=JSON, and sums in words.

    Args:
        aggregation: The aggregation.
        names: Names of the states.
        written: Makes an option safe for a format.
    """
    config = aggregation.config()
    words = [str(config.pop("name"))]
    sums = config.pop(SUMS, None)
    words += [written(f"{key}={json.dumps(value, ensure_ascii=False)}") for key, value in config.items()]
    if sums is not None:
        words.append(sums_words([Sum(**part) for part in sums], names))
    return " ".join(words)


def sight_words(aggregation: Aggregation, names: StateNames) -> str:
    """What a node sees of its neighbours, in words; an aggregation of one's own is named, with its options."""
    if type(aggregation) is LettersAggregation:
        return sums_words(aggregation.sums, names)
    if type(aggregation) is CountingAggregation:
        up_to = f"the number of neighbours in each state, up to {aggregation.bound}"
        return up_to if aggregation.bound > 1 else "which states neighbours are in"
    if type(aggregation) is RelationsAggregation:
        kinds = [
            f"{names.written(kind)} (up to {bound})"
            for kind, bound in zip(aggregation.kinds, aggregation.bounds, strict=True)
            if bound
        ]
        return f"the number of neighbours in each state, by {' and by '.join(kinds)}"
    if type(aggregation) is ProductAggregation:
        return "; ".join(sight_words(part, names) for part in aggregation.parts)
    if type(aggregation) is WeightedSumAggregation:
        terms = [f"{weight} for {names[state]}" for state, weight in enumerate(aggregation.weights) if weight]
        thresholds = ", ".join(map(str, aggregation.thresholds))
        return f"the sum of {', '.join(terms) or 'nothing'}, compared with {thresholds}"
    if type(aggregation) is PositionalAggregation:
        return f"the state of the neighbour in each of {aggregation.num_slots} slots"
    return aggregation_words(aggregation, names)


def _header(rules: Rules, names: StateNames, written: Callable[[str], str]) -> list[str]:
    everything = tuple(range(len(names)))
    fields = [("states", everything)]
    if rules.starting_states != everything:
        fields.append(("starting states", rules.starting_states))
    if rules.final_states:
        fields.append(("final states", rules.final_states))
    lines = [f"{field}: {', '.join(names[state] for state in states)}".rstrip() for field, states in fields]
    return [*lines, *_set_lines(names), f"aggregation: {aggregation_words(rules.aggregation, names, written)}"]


def _move(rules: Rules, rule: Rule, state: int, names: StateNames, stays: str, arrow: str) -> str:
    move = move_words(rules, rule, state, names, stays, arrow)
    return move if len(rules.lists[state]) == 1 else move + _condition(rules, rule, names)


def move_words(rules: Rules, rule: Rule, state: int, names: StateNames, stays: str, arrow: str) -> str:
    """Where a rule leads, in words.

    Args:
        rules: The rules.
        rule: One of them.
        state: The state that it is about.
        names: Names of the states.
        stays: What to say if a node surely stays.
        arrow: What comes before the name of another state.
    """
    if rules.outcomes is None:
        return stays if rule.successor == state else arrow + names[rule.successor]
    weights = rules.outcomes[rule.successor]
    others = [(names[other], weight) for other, weight in enumerate(weights) if weight and other != state]
    if not others:
        return stays
    if others[0][1] == ONE:
        return arrow + others[0][0]
    return arrow + ", ".join(f"{name} with probability {probability(weight)}" for name, weight in others)


def _next(rules: Rules, rule: Rule, state: int) -> str | dict[str, float]:
    """The next state, or the probabilities of other states."""
    if rules.outcomes is None:
        return rules.state_names[rule.successor]
    weights = rules.outcomes[rule.successor]
    sure = next((other for other, weight in enumerate(weights) if weight == ONE), None)
    if sure is not None:
        return rules.state_names[sure]
    return {
        rules.state_names[other]: float(probability(weight))
        for other, weight in enumerate(weights)
        if weight and other != state
    }


def _condition(rules: Rules, rule: Rule, names: StateNames) -> str:
    return f" if {guard_words(rule.guard, rules.features, names)}" if rule.guard else " otherwise"


# ---- Python

_COUNTS = """
    seen[name] is the number of neighbours in a state; numbers above {bound} may be given as {bound}."""
_SLOTS = """
    seen is a tuple with the state of the neighbour in each slot, or None where nobody is."""
_SHARES = """
    seen[name] is how many of its thresholds the fraction of neighbours in a state reaches."""
_PARTS = """
    seen is what the aggregation's observation says."""
_SUMS = """
    seen is a tuple of sums over the neighbours."""
_GRADES = """
    seen is how many thresholds the weighted sum of the neighbours reaches."""
_VALUE = """
    value is the number of the aggregation's value."""


def python_source(rules: Rules) -> str:
    """See ``Rules.python``."""
    features = rules.features
    by_value = any(part.source is None for part in features.parts)
    lines = [f"def step(state, {'value' if by_value else 'seen'}):", '    """The next state of a node.']
    lines += [_explanation(features, by_value), '    """']
    if not by_value:
        names = StateNames(rules.state_names, plain_name)
        lines += [f"    # {tally.source}: {_seen(tally, names)}" for tally in features.sums]
    if features.censuses and not by_value:
        lines += _counting(features)
    for state, listed in enumerate(rules.lists):
        lines.append(f"    if state == {rules.state_names[state]!r}:")
        for rule in listed:
            result = f"return {_next(rules, rule, state)!r}"
            if not rule.guard:
                lines.append(f"        {result}")
                continue
            tests = [
                _by_value(atom, features) if by_value else _test(atom, features, rules.state_names)
                for atom in rule.guard
            ]
            lines += [f"        if {' and '.join(tests)}:", f"            {result}"]
    return "\n".join([*lines, '    raise ValueError(f"unknown state {state!r}")', ""])


def _counting(features: Features) -> list[str]:
    """A helper for the function: how many neighbours are in some states."""
    told = {
        True: "sum(name in names for name in seen)",
        False: "sum(seen[name] for name in names)",
    }
    counted = [told[slotted] for slotted in sorted({census.slotted for census in features.censuses})]
    which = counted[0] if len(counted) == 1 else f"{counted[1]} if isinstance(seen, tuple) else {counted[0]}"
    names = "*names" if _only_census(features) else "seen, *names"
    return ["", f"    def count({names}):", f"        return {which}", ""]


def _only_census(features: Features) -> bool:
    """Whether what is seen is how many neighbours are in each state, or who they are."""
    return [census.source for census in features.censuses] == ["seen"]


def _seen(tally: Tally, names: StateNames) -> str:
    """What a sum is, with the letters that a function is shown."""
    part = tally.sum
    if part.kind == "highest":
        part = Sum("highest", tally.results[-1], tuple(tally.results[weight] for weight in part.weights))
    return sum_words(part, names)


def _explanation(features: Features, by_value: bool) -> str:
    if by_value:
        return _VALUE
    sources = [each.source for each in (*features.censuses, *features.shares, *features.grades)]
    if any(source != "seen" for source in sources):
        return _PARTS
    if features.plain is not None:
        return _SLOTS if features.plain.slotted else _COUNTS.format(bound=features.plain.bound)
    return _SHARES if features.shares else _SUMS if features.sums else _GRADES if features.grades else _PARTS


def _by_value(atom: Atom, features: Features) -> str:
    return f"value in {_tuple(np.flatnonzero(atom.holds(features)).tolist())}"


def _test(atom: Atom, features: Features, names: tuple[str, ...]) -> str:
    if isinstance(atom, CountIs):
        census = features.censuses[atom.census]
        given = [] if _only_census(features) else [census.source]
        count = f"count({', '.join([*given, *(repr(names[state]) for state in atom.states)])})"
        return _number_test(count, atom.numbers, census.bound, cut=f"min({count}, {census.bound})")
    if isinstance(atom, GradeIs):
        grade = features.grades[atom.grade]
        return _range_test(grade.source, atom.lowest, atom.highest, len(grade.levels))
    if isinstance(atom, PartIs):
        part = features.parts[atom.part]
        labels = [part.labels[label] for label in atom.labels]
        if len(labels) == 1:
            return f"{part.source} {'is' if labels[0] is None else '=='} {labels[0]!r}"
        return f"{part.source} in {_tuple(labels)}"
    if isinstance(atom, SumIs):
        return _sum_test(atom, features)
    return _share_test(atom, features, names)


def _sum_test(atom: SumIs, features: Features) -> str:
    tally = features.sums[atom.tally]
    # A result that no neighbourhood has counts as the level below it.
    ends = [*tally.results[1:], None]
    low = [(tally.results[first], ends[last]) for first, last in runs(atom.levels)]
    if all(end is not None and end - 1 == start for start, end in low) and len(low) > 1:
        return f"{tally.source} in {_tuple([start for start, _ in low])}"
    tests = [_between(tally.source, start, end) for start, end in low]
    return tests[0] if len(tests) == 1 else f"({' or '.join(tests)})"


def _between(number: str, start: int, end: int | None) -> str:
    """That an integer is at least one number and less than another."""
    if end is None:
        return f"{number} >= {start}"
    if end - 1 == start:
        return f"{number} == {start}"
    return f"{start} <= {number} < {end}" if start else f"{number} < {end}"


def _number_test(count: str, numbers: tuple[int, ...], bound: int, cut: str) -> str:
    ranges = runs(numbers)
    first, last = ranges[0]
    if len(ranges) > 1:
        return f"{cut} in {_tuple(list(numbers))}"
    if last == bound:
        return f"{count} >= {first}"
    if first == last:
        return f"{count} == {first}"
    return f"{count} <= {last}" if first == 0 else f"{first} <= {count} <= {last}"


def _share_test(atom: ShareIs, features: Features, names: tuple[str, ...]) -> str:
    share = features.shares[atom.share]
    return _range_test(f"{share.source}[{names[share.state]!r}]", atom.lowest, atom.highest, len(share.levels))


def _range_test(reached: str, lowest: int, highest: int, top: int) -> str:
    """That a number lies between two others, of which the larger may be the largest there is."""
    if highest == top:
        return f"{reached} >= {lowest}"
    return f"{reached} <= {highest}" if lowest == 0 else f"{lowest} <= {reached} <= {highest}"


def _tuple(items: list[int] | list[str | None]) -> str:
    return f"({', '.join(map(repr, items))}{',' if len(items) == 1 else ''})"
