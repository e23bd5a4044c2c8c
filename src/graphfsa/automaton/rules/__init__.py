"""Rules: a transition table as a person would write it down, in words that can be read back."""

from graphfsa.automaton.rules._guards import CountIs, Guard, PartIs, Rule, ShareIs
from graphfsa.automaton.rules._parse import parse_rules
from graphfsa.automaton.rules._rules import FORMATS, Rules, rules_of

__all__ = ["FORMATS", "CountIs", "Guard", "PartIs", "Rule", "Rules", "ShareIs", "parse_rules", "rules_of"]
