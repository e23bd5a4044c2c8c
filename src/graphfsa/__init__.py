"""GraphFSA: finite state automata that live on graphs.

Every node runs the same automaton; at each step it sees an aggregate of its neighbours' states and moves.
Importing this package is cheap: each name below loads its module when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from graphfsa import analysis, datasets, graphs
    from graphfsa.aggregations import (
        Aggregation,
        AverageThresholdAggregation,
        CountingAggregation,
        PositionalAggregation,
    )
    from graphfsa.automaton import GraphFSA, library
    from graphfsa.engine import Changes, Trajectory, run
    from graphfsa.errors import GraphFSAError
    from graphfsa.graphs import Graph, GraphBatch, Lattice, families
    from graphfsa.learners.diff_fsa import DiffFSA
    from graphfsa.learners.exact import ExactLearner

_HOMES = {
    "Aggregation": "graphfsa.aggregations",
    "AverageThresholdAggregation": "graphfsa.aggregations",
    "Changes": "graphfsa.engine",
    "CountingAggregation": "graphfsa.aggregations",
    "DiffFSA": "graphfsa.learners.diff_fsa",
    "ExactLearner": "graphfsa.learners.exact",
    "Graph": "graphfsa.graphs",
    "GraphBatch": "graphfsa.graphs",
    "GraphFSA": "graphfsa.automaton",
    "GraphFSAError": "graphfsa.errors",
    "Lattice": "graphfsa.graphs",
    "PositionalAggregation": "graphfsa.aggregations",
    "Trajectory": "graphfsa.engine",
    "analysis": "graphfsa",
    "datasets": "graphfsa",
    "families": "graphfsa.graphs",
    "graphs": "graphfsa",
    "library": "graphfsa.automaton",
    "run": "graphfsa.engine",
}

__all__ = [
    "Aggregation",
    "AverageThresholdAggregation",
    "Changes",
    "CountingAggregation",
    "DiffFSA",
    "ExactLearner",
    "Graph",
    "GraphBatch",
    "GraphFSA",
    "GraphFSAError",
    "Lattice",
    "PositionalAggregation",
    "Trajectory",
    "analysis",
    "datasets",
    "families",
    "graphs",
    "library",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphfsa' has no attribute {name!r}")
    if _HOMES[name] == "graphfsa":
        return import_module(f"graphfsa.{name}")
    home = import_module(_HOMES[name])
    return getattr(home, name) if hasattr(home, name) else import_module(f"{_HOMES[name]}.{name}")


def __dir__() -> list[str]:
    return sorted(__all__)
