"""Execution: one public function, several kernels that agree with a plain reference."""

from graphfsa.engine.run import run
from graphfsa.engine.trajectory import Changes, Trajectory

__all__ = ["Changes", "Trajectory", "run"]
