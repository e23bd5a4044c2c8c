"""Execution: one public function, several kernels that agree with a plain reference."""

from graphfsa.engine import faults, schedulers
from graphfsa.engine.cluster import Cluster
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import Encoder, arcs_of, encoder_of
from graphfsa.engine.reference import reference_random_step, reference_run
from graphfsa.engine.reference_scheduled import PlainStepper
from graphfsa.engine.run import run
from graphfsa.engine.scheduled import moves_of
from graphfsa.engine.simulate import Ensemble, simulate
from graphfsa.engine.trajectory import Changes, Trajectory
from graphfsa.engine.values import neighbourhood_values

__all__ = [
    "Changes",
    "Cluster",
    "Encoder",
    "Ensemble",
    "PlainStepper",
    "Trajectory",
    "arcs_of",
    "compile_kernel",
    "encoder_of",
    "faults",
    "moves_of",
    "neighbourhood_values",
    "reference_random_step",
    "reference_run",
    "run",
    "schedulers",
    "simulate",
]
