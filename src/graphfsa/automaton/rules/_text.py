"""Rules as text, Markdown and LaTeX. Names of states may be anything: each format has its own way to make them safe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from graphfsa.automaton.rules._guards import Rule
from graphfsa.automaton.rules._words import KEYWORDS, Names, guard_words

if TYPE_CHECKING:
    from graphfsa.automaton.rules._rules import Rules

_LATEX = {
    **{character: "\\" + character for character in "{}$&#_%"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "'": r"{\char39}",
    "`": r"{\char96}",
    # In braces, or two of them would become one dash.
    "-": "{-}",
}


def plain_name(name: str) -> str:
    """A name as text: as it is if it is one word and none of the notation's own, else in quotes."""
    if re.fullmatch(r"\w+(-\w+)*", name) and name not in KEYWORDS:
        return name
    return json.dumps(name, ensure_ascii=False)


def code_span(name: str) -> str:
    """A name in Markdown: between backticks, more of them than it has itself."""
    fence = "`" * (max(map(len, re.findall("`+", name)), default=0) + 1)
    pad = " " if name.startswith("`") or name.endswith("`") else ""
    return f"{fence}{pad}{name}{pad}{fence}"


def latex_name(name: str) -> str:
    """A name in LaTeX, set without serifs."""
    return rf"\textsf{{{latex_text(name)}}}"


def latex_text(text: str) -> str:
    """Any text in LaTeX, with no sign that means something there."""
    return "".join(_LATEX.get(character, character) for character in text)


def rules_text(rules: Rules) -> str:
    """See ``Rules.text``."""
    names = Names(rules.state_names, plain_name)
    blocks = [_header(rules, names, str)]
    if rules.free:
        blocks.append([f"#{_free(rules)}"])
    blocks += rule_lines(rules)
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def rule_lines(rules: Rules) -> list[list[str]]:
    """See ``Rules.lines``."""
    names = Names(rules.state_names, plain_name)
    return [
        [names[state] + _move(rules, rule, state, names, " stays", " -> ") for rule in listed]
        for state, listed in enumerate(rules.lists)
    ]


def rules_markdown(rules: Rules) -> str:
    """See ``Rules.markdown``."""
    names = Names(rules.state_names, code_span)
    lines = [f"- {line}" for line in _header(rules, names, code_span)]
    lines += ["", "The first rule that applies says where a node moves." + _free(rules), ""]
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
    names = Names(rules.state_names, latex_name)
    blocks = ["% Needs \\usepackage{amsmath}." + _free(rules)]
    for state, listed in enumerate(rules.lists):
        lines = [f"{names[rule.successor]} & \\text{{{_condition(rules, rule, names).strip()}}}" for rule in listed]
        if len(listed) == 1:
            lines = [names[listed[0].successor]]
        body = " \\\\\n  ".join(lines)
        cases = f"\\begin{{cases}}\n  {body}\n\\end{{cases}}" if len(listed) > 1 else body
        blocks.append(f"\\[\n\\delta({names[state]}, z) = {cases}\n\\]")
    return "\n\n".join(blocks) + "\n"


def rule_facts(rules: Rules) -> list[dict[str, Any]]:
    """See ``Rules.as_dicts``."""
    names = Names(rules.state_names, plain_name)
    return [
        {
            "state": rules.state_names[state],
            "next": rules.state_names[rule.successor],
            "if": guard_words(rule.guard, rules.features, names) if rule.guard else None,
        }
        for state, listed in enumerate(rules.lists)
        for rule in listed
    ]


def _free(rules: Rules) -> str:
    """A sentence about entries that did not matter, if there are any."""
    if not rules.free:
        return ""
    entries = len(rules.state_names) * rules.aggregation.num_values(len(rules.state_names))
    return f" {rules.free:,} of {entries:,} entries did not matter: there the rules may say anything."


def _header(rules: Rules, names: Names, written: Callable[[str], str]) -> list[str]:
    everything = tuple(range(len(names)))
    config = rules.aggregation.config()
    kind = config.pop("name")
    options = [written(f"{key}={json.dumps(value, ensure_ascii=False)}") for key, value in config.items()]
    fields = [("states", everything)]
    if rules.starting_states != everything:
        fields.append(("starting states", rules.starting_states))
    if rules.final_states:
        fields.append(("final states", rules.final_states))
    lines = [f"{field}: {', '.join(names[state] for state in states)}".rstrip() for field, states in fields]
    return [*lines, " ".join(["aggregation:", kind, *options])]


def _move(rules: Rules, rule: Rule, state: int, names: Names, stays: str, arrow: str) -> str:
    move = stays if rule.successor == state else arrow + names[rule.successor]
    return move if len(rules.lists[state]) == 1 else move + _condition(rules, rule, names)


def _condition(rules: Rules, rule: Rule, names: Names) -> str:
    return f" if {guard_words(rule.guard, rules.features, names)}" if rule.guard else " otherwise"
