"""What networks that take steps on graphs share; a network of your own is one module that extends NeuralLearner."""

from graphfsa.learners._neural._batches import Arcs
from graphfsa.learners._neural._learner import NeuralLearner, State
from graphfsa.learners._neural._model import Network
from graphfsa.learners._neural._weights import Shapes, Weights, layer, mlp

__all__ = ["Arcs", "Network", "NeuralLearner", "Shapes", "State", "Weights", "layer", "mlp"]
