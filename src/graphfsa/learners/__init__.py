"""Learners: from labelled graphs to a model. Every public module is one learner, found by its name."""

from __future__ import annotations

from graphfsa.files import PathLike
from graphfsa.learners._base import Learner, Model, accuracy, answers
from graphfsa.learners._neural import Network, NeuralLearner
from graphfsa.plugins import find_plugin, plugin_names

__all__ = [
    "Learner",
    "Model",
    "Network",
    "NeuralLearner",
    "accuracy",
    "answers",
    "full_name",
    "learner_class",
    "learner_names",
    "load_model",
]


def learner_names() -> list[str]:
    """Names of all learners."""
    return plugin_names(Learner)


def full_name(name: str) -> str:
    """The name of the learner that is called so, or whose name alone begins so: ``"diff"`` for ``"diff-fsa"``."""
    return learner_class(name).name


def learner_class(name: str) -> type[Learner]:
    """The class of the learner with a given name, or with the only name that begins so."""
    return find_plugin(Learner, name, prefix=True)


def load_model(path: PathLike) -> Network:
    """Read a network from a .safetensors file, of whichever kind it is; automata are read by ``GraphFSA.load``.

    Raises:
        FormatError: The file is damaged, or no network.
    """
    from graphfsa.learners._neural._load import load_network

    return load_network(path)
