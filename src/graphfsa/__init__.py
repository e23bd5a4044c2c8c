"""GraphFSA: finite state automata that live on graphs.

Every node runs the same automaton; at each step it sees an aggregate of its neighbours' states and moves.
Importing this package is cheap: each name below loads its module when it is first used.
"""

from __future__ import annotations

# No imports: Ctrl-C would show a traceback from them before the command line can answer it.
TYPE_CHECKING = False
__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing import Any

    from graphfsa import aggregations, analysis, datasets, evaluation, graphs, learners, plugins, proofs, views
    from graphfsa.aggregations import (
        Aggregation,
        AverageThresholdAggregation,
        CountingAggregation,
        LettersAggregation,
        PositionalAggregation,
        ProductAggregation,
        RelationsAggregation,
        WeightedSumAggregation,
    )
    from graphfsa.analysis import ask, compare, coverage, predicate, suggest, verify
    from graphfsa.automaton import GraphFSA, StochasticFSA, library
    from graphfsa.datasets import (
        CustomTask,
        Dataset,
        Discretiser,
        EvolutionSpecification,
        Examples,
        FeatureExamples,
        Task,
        TreeSpecification,
        WaveSpecification,
        as_examples,
        as_feature_examples,
        grab,
    )
    from graphfsa.engine import Changes, Cluster, Ensemble, Trajectory, faults, run, schedulers, simulate
    from graphfsa.errors import GraphFSAError
    from graphfsa.evaluation import Experiment, evaluate, report, reproduce
    from graphfsa.graphs import Graph, GraphBatch, Lattice, families
    from graphfsa.learners import (
        GNCA,
        DiffFSA,
        ExactLearner,
        Learner,
        Majority,
        Model,
        NeuralLearner,
        RecurrentGNN,
        Stay,
        learn,
        load,
    )
    from graphfsa.playground import Playground, play
    from graphfsa.proofs import prove
    from graphfsa.views import diagram, rollout

_HOMES = {
    "GNCA": "graphfsa.learners",
    "Aggregation": "graphfsa.aggregations",
    "AverageThresholdAggregation": "graphfsa.aggregations",
    "Changes": "graphfsa.engine",
    "Cluster": "graphfsa.engine",
    "CountingAggregation": "graphfsa.aggregations",
    "CustomTask": "graphfsa.datasets",
    "Dataset": "graphfsa.datasets",
    "DiffFSA": "graphfsa.learners",
    "Discretiser": "graphfsa.datasets",
    "Ensemble": "graphfsa.engine",
    "EvolutionSpecification": "graphfsa.datasets",
    "ExactLearner": "graphfsa.learners",
    "Examples": "graphfsa.datasets",
    "Experiment": "graphfsa.evaluation",
    "FeatureExamples": "graphfsa.datasets",
    "Graph": "graphfsa.graphs",
    "GraphBatch": "graphfsa.graphs",
    "GraphFSA": "graphfsa.automaton",
    "GraphFSAError": "graphfsa.errors",
    "Lattice": "graphfsa.graphs",
    "Learner": "graphfsa.learners",
    "LettersAggregation": "graphfsa.aggregations",
    "Majority": "graphfsa.learners",
    "Model": "graphfsa.learners",
    "NeuralLearner": "graphfsa.learners",
    "Playground": "graphfsa.playground",
    "PositionalAggregation": "graphfsa.aggregations",
    "ProductAggregation": "graphfsa.aggregations",
    "RelationsAggregation": "graphfsa.aggregations",
    "WeightedSumAggregation": "graphfsa.aggregations",
    "RecurrentGNN": "graphfsa.learners",
    "Stay": "graphfsa.learners",
    "StochasticFSA": "graphfsa.automaton",
    "Task": "graphfsa.datasets",
    "Trajectory": "graphfsa.engine",
    "TreeSpecification": "graphfsa.datasets",
    "WaveSpecification": "graphfsa.datasets",
    "aggregations": "graphfsa",
    "analysis": "graphfsa",
    "as_examples": "graphfsa.datasets",
    "as_feature_examples": "graphfsa.datasets",
    "ask": "graphfsa.analysis",
    "compare": "graphfsa.analysis",
    "coverage": "graphfsa.analysis",
    "datasets": "graphfsa",
    "diagram": "graphfsa.views",
    "evaluate": "graphfsa.evaluation",
    "evaluation": "graphfsa",
    "families": "graphfsa.graphs",
    "faults": "graphfsa.engine",
    "grab": "graphfsa.datasets",
    "graphs": "graphfsa",
    "learn": "graphfsa.learners",
    "learners": "graphfsa",
    "library": "graphfsa.automaton",
    "load": "graphfsa.learners",
    "play": "graphfsa.playground",
    "plugins": "graphfsa",
    "proofs": "graphfsa",
    "predicate": "graphfsa.analysis",
    "prove": "graphfsa.proofs",
    "report": "graphfsa.evaluation",
    "reproduce": "graphfsa.evaluation",
    "rollout": "graphfsa.views",
    "run": "graphfsa.engine",
    "schedulers": "graphfsa.engine",
    "simulate": "graphfsa.engine",
    "suggest": "graphfsa.analysis",
    "verify": "graphfsa.analysis",
    "views": "graphfsa",
}

__all__ = [
    "GNCA",
    "Aggregation",
    "AverageThresholdAggregation",
    "Changes",
    "Cluster",
    "CountingAggregation",
    "CustomTask",
    "Dataset",
    "DiffFSA",
    "Discretiser",
    "Ensemble",
    "EvolutionSpecification",
    "ExactLearner",
    "Examples",
    "Experiment",
    "FeatureExamples",
    "Graph",
    "GraphBatch",
    "GraphFSA",
    "GraphFSAError",
    "Lattice",
    "Learner",
    "LettersAggregation",
    "Majority",
    "Model",
    "NeuralLearner",
    "Playground",
    "PositionalAggregation",
    "ProductAggregation",
    "RecurrentGNN",
    "RelationsAggregation",
    "Stay",
    "StochasticFSA",
    "Task",
    "Trajectory",
    "TreeSpecification",
    "WaveSpecification",
    "WeightedSumAggregation",
    "aggregations",
    "analysis",
    "as_examples",
    "as_feature_examples",
    "ask",
    "compare",
    "coverage",
    "datasets",
    "diagram",
    "evaluate",
    "evaluation",
    "families",
    "faults",
    "grab",
    "graphs",
    "learn",
    "learners",
    "library",
    "load",
    "play",
    "plugins",
    "predicate",
    "proofs",
    "prove",
    "report",
    "reproduce",
    "rollout",
    "run",
    "schedulers",
    "simulate",
    "suggest",
    "verify",
    "views",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'graphfsa' has no attribute {name!r}")
    if _HOMES[name] == "graphfsa":
        return import_module(f"graphfsa.{name}")
    home = import_module(_HOMES[name])
    return getattr(home, name) if hasattr(home, name) else import_module(f"{_HOMES[name]}.{name}")


def __dir__() -> list[str]:
    return sorted(__all__)
