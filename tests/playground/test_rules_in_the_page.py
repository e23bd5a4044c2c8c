"""The page reads rules in words as the package does: the same tables, and errors at the same lines."""

import json
import re

import numpy as np
import pytest
from cases import random_fsa

from graphfsa import GraphFSA, library
from graphfsa.automaton.library import _NAMED, RANDOM
from graphfsa.automaton.rules import any_automaton_from_rules
from graphfsa.errors import GraphFSAError

NAMED = [name for name in _NAMED if name != "cole-vishkin"]
"""Rules of others take seconds to find."""
WORDS = ["and", "s0", "or", "not", "2", "neighbours", "if", "->", "all", "of", "s1,", "neither", "nor", "missing", '"']
WORDS += ["0", "some", "exactly", "least", "most", "3+", "to", "1", ":", "half"]
NAMES = [
    "if",
    "some neighbour is",
    "->",
    "a b",
    '"',
    "\\",
    "é",
    "😀",
    "missing",
    "1",
    "a,b",
    "one",
    "x-y",
    "stays",
    "::",
]


def renamed(fsa, rng):
    names = rng.choice(NAMES, fsa.num_states, replace=False).tolist()
    return GraphFSA(names, fsa.aggregation, fsa.transition_table)


def random_texts(count, seed):
    """Rules of random automata, some with awkward names."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        fsa = random_fsa(rng, int(rng.integers(0, 3)), coins=rng.random() < 0.15)
        if fsa.transition_table.size <= 120:
            yield str((renamed(fsa, rng) if isinstance(fsa, GraphFSA) and rng.random() < 0.4 else fsa).rules())


def damaged(text, rng):
    lines = text.split("\n")
    place = int(rng.integers(len(lines)))
    words = lines[place].split(" ")
    if rng.random() < 0.3 and len(words) > 1:
        words.pop(rng.integers(len(words)))
    elif rng.random() < 0.5:
        words.insert(int(rng.integers(len(words) + 1)), str(rng.choice(WORDS)))
    else:
        words[rng.integers(len(words))] = str(rng.choice(WORDS))
    lines[place] = " ".join(words)
    return "\n".join(lines)


def expected(text):
    """What the package reads, in the form of the page."""
    try:
        fsa = any_automaton_from_rules(text)
    except GraphFSAError as error:
        line = re.search(r"line (\d+): ", str(error))
        return {"error": re.sub(r"^rules: (line \d+: )?", "", str(error)), "line": int(line[1]) if line else None}
    found = {"names": list(fsa.state_names), "starting": list(fsa.starting_states), "final": list(fsa.final_states)}
    if isinstance(fsa, GraphFSA):
        config = json.loads(json.dumps(fsa.aggregation.config()))
        return {**found, "aggregation": config, "table": fsa.transition_table.tolist()}
    return {**found, "probabilities": fsa.all_probabilities().tolist()}


def plain(found):
    """What the page reads, in the form of ``expected``."""
    if "error" in found:
        return found
    if "sums" in found:
        shape = (len(found["names"]), -1)
        chances = np.diff(np.array(found["sums"]) / 2**53, prepend=0)[np.array(found["table"]).reshape(shape)]
        return {key: found[key] for key in ("names", "starting", "final")} | {"probabilities": chances.tolist()}
    keys = {"names": "state_names", "starting": "starting_states", "final": "final_states", "table": "transition_table"}
    return {key: found[name] for key, name in keys.items()} | {"aggregation": found["aggregation"]}


def read(shared, texts):
    return [plain(found) for found in shared.do("texts => texts.map(playground.rules)", texts)]


def test_rules_of_random_automata_and_of_the_library(shared):
    texts = [*random_texts(70, seed=1), *(str(_NAMED[name]().rules()) for name in NAMED)]
    texts += [
        str(RANDOM[name]().rules()) for name in ("mis", "stone-age-mis", "tree-leader", "colouring", "ring-matching")
    ]
    for text, found in zip(texts, read(shared, texts), strict=True):
        assert found == expected(text), text


def test_damaged_rules_are_refused_or_read_alike(shared):
    rng = np.random.default_rng(2)
    texts = [damaged(text, rng) for text in random_texts(60, seed=3) for _ in range(3)]
    refused = 0
    for text, found in zip(texts, read(shared, texts), strict=True):
        wanted = expected(text)
        assert ("error" in found) == ("error" in wanted), (text, found, wanted)
        if "error" not in wanted:
            assert found == wanted, text
            continue
        refused += 1
        assert wanted["line"] in (None, found["line"]), (text, found, wanted)
    assert refused > 40


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "states: NAME"),
        ("states: a\na stays", 2, "aggregation: counting"),
        ("states: a, a\naggregation: counting\na stays", 1, "'a' occurs more than once"),
        ("states: a, b\naggregation: counting\na stays\nb -> c", 4, "a state must be one of 'a', 'b'; got 'c'"),
        ("states: a, b\naggregation: counting\na stays if some neighbor is b", 3, "expected 'neighbour'"),
        ("states: a, b\nfinal states: a\naggregation: counting\na -> b\nb stays", 4, "must stay"),
        ("states: a, b\naggregation: counting\na stays\nb -> a if no neighbour is a", 4, "a last rule without 'if'"),
        ("states: a, b\naggregation: counting bound=99999\na stays\nb stays", 2, "at most 4,194,304"),
        ("states: a\naggregation: any\na stays", 2, "counting, positional"),
    ],
)
def test_an_error_names_the_line(shared, text, line, words):
    found = shared.do("playground.rules", text) if text else shared.do("playground.rules('')")
    assert words in found["error"]
    assert found["line"] == line


def test_one_entry_can_be_changed_in_the_text(shared):
    """A click on an entry writes a line that the package reads as the table with this one entry changed."""
    rng = np.random.default_rng(4)
    changed = 0
    for text in random_texts(80, seed=5):
        fsa = any_automaton_from_rules(text)
        if not isinstance(fsa, GraphFSA):
            continue
        values = possible_values(fsa)
        state, value = int(rng.integers(fsa.num_states)), int(rng.choice(values))
        successor = int(rng.integers(fsa.num_states))
        after = shared.do("given => playground.edited(...given)", [text, state, value, successor])
        found = GraphFSA.from_rules(after).transition_table
        wanted = fsa.with_entry(state, value, successor).transition_table
        assert (found[:, values] == wanted[:, values]).all(), (text, after)
        changed += successor != fsa.transition_table[state, value]
    assert changed > 20


def possible_values(fsa):
    """Those that some neighbourhood has; of others rules need not say anything."""
    return np.flatnonzero(fsa.aggregation.possible_values(range(fsa.num_states), fsa.num_states))


def test_the_examples_are_the_automata_of_the_library(shared):
    known = {**_NAMED, "highlife": lambda: library.life_like("B36/S23"), "mis": lambda: library.mis(4)}
    known |= {f"rule{number}": lambda number=number: library.elementary(number) for number in (30, 90, 110)}
    presets = shared.do("playground.presets.map(({ id, scene }) => [id, scene.rules])")
    assert len(presets) == 15
    for name, rules in presets:
        if name != "contagion":
            assert any_automaton_from_rules(rules) == known[name](), name
