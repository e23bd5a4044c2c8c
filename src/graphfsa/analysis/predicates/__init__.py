"""Predicates: what may be asked of a configuration, in words or as a Python function."""

from graphfsa.analysis.predicates._conditions import Configurations
from graphfsa.analysis.predicates._predicate import Predicate, predicate

__all__ = ["Configurations", "Predicate", "predicate"]
