"""Execution: one public function, several kernels that agree with a plain reference."""

from graphfsa.engine.run import run
from graphfsa.engine.trajectory import Changes, Trajectory
from graphfsa.engine.values import neighbourhood_values

__all__ = ["Changes", "Trajectory", "neighbourhood_values", "run"]
