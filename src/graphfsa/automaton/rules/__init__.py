"""Rules: a transition table as a person would write it down, in words that can be read back."""

from graphfsa.automaton.rules._formats import aggregation_words, sight_words
from graphfsa.automaton.rules._guards import (
    CountIs,
    GradeIs,
    Guard,
    PartIs,
    Rule,
    ShareIs,
    SumIs,
    guard_cost,
    guard_holds,
)
from graphfsa.automaton.rules._names import StateNames, code_span, plain_name
from graphfsa.automaton.rules._parsing import (
    any_automaton_from_rules,
    automaton_from_rules,
    parse_rules,
    stochastic_from_rules,
)
from graphfsa.automaton.rules._rules import FORMATS, MAX_RULE_ENTRIES, Rules, entries_that_matter, rules_of
from graphfsa.automaton.rules._vocabulary import RowVocabularies, Vocabulary, matrix_product
from graphfsa.automaton.rules._wording import guard_words

__all__ = [
    "FORMATS",
    "MAX_RULE_ENTRIES",
    "CountIs",
    "GradeIs",
    "Guard",
    "PartIs",
    "RowVocabularies",
    "Rule",
    "Rules",
    "ShareIs",
    "StateNames",
    "SumIs",
    "Vocabulary",
    "aggregation_words",
    "any_automaton_from_rules",
    "automaton_from_rules",
    "code_span",
    "entries_that_matter",
    "guard_cost",
    "guard_holds",
    "guard_words",
    "matrix_product",
    "parse_rules",
    "plain_name",
    "rules_of",
    "sight_words",
    "stochastic_from_rules",
]
