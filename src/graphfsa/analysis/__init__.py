"""What an automaton does and what data say about it, checked on every small graph and not on samples."""

from __future__ import annotations

from graphfsa.analysis.certificates import Check
from graphfsa.analysis.chains import Chain, chain
from graphfsa.analysis.coverage import Coverage, coverage, labelled_graphs, used_entries
from graphfsa.analysis.equivalence import Comparison, Difference, compare, same_up_to_renaming
from graphfsa.analysis.expressiveness import distinguished
from graphfsa.analysis.identifiability import Identification, Suggestion, labelled, suggest
from graphfsa.analysis.impossibility import check_impossibility, load_impossibility, save_impossibility
from graphfsa.analysis.locality import Lookalike, lookalike
from graphfsa.analysis.mean_field import mean_field
from graphfsa.analysis.minimisation import Minimised, minimise
from graphfsa.analysis.predicates import Predicate, predicate
from graphfsa.analysis.questions import Answer, Run, Sample, SizeAnswer, ask
from graphfsa.analysis.reachability import possible_entries
from graphfsa.analysis.stability import Stability, iteration_stability
from graphfsa.analysis.transitions import Transition, Transitions, transitions, used_transitions
from graphfsa.analysis.vectors import vectors
from graphfsa.analysis.verification import Verification, load_certificate, recheck, save_certificate, verify

__all__ = [
    "Answer",
    "Chain",
    "Check",
    "Comparison",
    "Coverage",
    "Difference",
    "Identification",
    "Lookalike",
    "Minimised",
    "Predicate",
    "Run",
    "Sample",
    "SizeAnswer",
    "Stability",
    "Suggestion",
    "Transition",
    "Transitions",
    "Verification",
    "ask",
    "chain",
    "check_impossibility",
    "compare",
    "coverage",
    "distinguished",
    "iteration_stability",
    "labelled",
    "labelled_graphs",
    "load_certificate",
    "load_impossibility",
    "lookalike",
    "mean_field",
    "minimise",
    "possible_entries",
    "predicate",
    "recheck",
    "same_up_to_renaming",
    "save_certificate",
    "save_impossibility",
    "suggest",
    "transitions",
    "used_entries",
    "used_transitions",
    "vectors",
    "verify",
]
