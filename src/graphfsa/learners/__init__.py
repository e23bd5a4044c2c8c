"""Learners: from labelled graphs to a model. Every public module is one learner, found by its name."""

from __future__ import annotations

from graphfsa.learners._base import Learner, learned, roll_out
from graphfsa.learners._continuous import check_continuous
from graphfsa.learners._learn import as_learner, check_goal, fit_model, learn, learn_until, learner_class
from graphfsa.learners._model import Model, Predictor, Verdict, as_model, reference_to
from graphfsa.learners._model_files import find_any_automaton, load, versions
from graphfsa.learners._neural import Arcs, Network, NeuralLearner, Schedule, Shapes, State, Weights, layer, mlp
from graphfsa.learners._provenance import Attempted, DatasetReference, Provenance, Suspect
from graphfsa.learners.diff_fsa import DiffFSA, SoftTable, read_history
from graphfsa.learners.exact import ExactLearner
from graphfsa.learners.gnca import GNCA
from graphfsa.learners.majority import Majority
from graphfsa.learners.recurrent_gnn import RecurrentGNN
from graphfsa.learners.stay import Stay
from graphfsa.plugins import plugin_names

__all__ = [
    "GNCA",
    "Arcs",
    "Attempted",
    "DatasetReference",
    "DiffFSA",
    "ExactLearner",
    "Learner",
    "Majority",
    "Model",
    "Network",
    "NeuralLearner",
    "Predictor",
    "Provenance",
    "RecurrentGNN",
    "Schedule",
    "Shapes",
    "SoftTable",
    "State",
    "Stay",
    "Suspect",
    "Verdict",
    "Weights",
    "as_learner",
    "as_model",
    "check_continuous",
    "check_goal",
    "find_any_automaton",
    "fit_model",
    "layer",
    "learn",
    "learn_until",
    "learned",
    "learner_class",
    "learner_names",
    "load",
    "mlp",
    "read_history",
    "reference_to",
    "roll_out",
    "versions",
]


def learner_names() -> list[str]:
    """Names of all learners."""
    return plugin_names(Learner)
