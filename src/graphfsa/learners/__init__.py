"""Learners: from labelled graphs to a model. Every public module is one learner, found by its name."""

from __future__ import annotations

from graphfsa._files import PathLike
from graphfsa._registry import plugin_class, plugin_names
from graphfsa.errors import UnknownNameError
from graphfsa.learners._base import Learner, Model, accuracy, answers
from graphfsa.learners._neural import Network, NeuralLearner

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
    return plugin_names(__name__)


def full_name(name: str) -> str:
    """The name of the learner that is called so, or whose name alone begins so: ``"diff"`` for ``"diff-fsa"``."""
    names = learner_names()
    beginning = [known for known in names if known.startswith(name.replace("_", "-")) and name]
    if name in names:
        return name
    if len(beginning) != 1:
        raise UnknownNameError("learner", name, names)
    return beginning[0]


def learner_class(name: str) -> type[Learner]:
    """The class of the learner with a given name, or with the only name that begins so."""
    return plugin_class(__name__, full_name(name), "learner", Learner)


def load_model(path: PathLike) -> Network:
    """Read a network from a .safetensors file, of whichever kind it is; automata are read by ``GraphFSA.load``.

    Raises:
        FormatError: The file is damaged, or no network.
    """
    from graphfsa.learners._neural._load import load_network

    return load_network(path)
