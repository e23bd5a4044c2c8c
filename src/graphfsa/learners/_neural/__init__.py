"""What networks that take steps on graphs share; a network of your own is one module that extends NeuralLearner."""

from graphfsa.learners._neural._batches import Arcs
from graphfsa.learners._neural._learner import NeuralLearner, State
from graphfsa.learners._neural._network import Network, load_network, save_network
from graphfsa.learners._neural._schedule import Schedule
from graphfsa.learners._neural._weights import Shapes, Weights, layer, mlp

__all__ = [
    "Arcs",
    "Network",
    "NeuralLearner",
    "Schedule",
    "Shapes",
    "State",
    "Weights",
    "layer",
    "load_network",
    "mlp",
    "save_network",
]
