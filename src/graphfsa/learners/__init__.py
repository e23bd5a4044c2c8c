"""Learners: from labelled graphs to a model. Every public module is one learner, found by its name."""

from __future__ import annotations

from graphfsa._registry import plugin_class, plugin_names
from graphfsa.learners._base import Learner, Model

__all__ = ["Learner", "Model", "learner_class", "learner_names"]


def learner_names() -> list[str]:
    """Names of all learners."""
    return plugin_names(__name__)


def learner_class(name: str) -> type[Learner]:
    """The class of the learner with a given name."""
    return plugin_class(__name__, name, "learner", Learner)
