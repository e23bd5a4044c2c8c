"""The public names, and how little is loaded to get them."""

import subprocess
import sys
from types import ModuleType

import pytest

import graphfsa

PUBLIC = [
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
HEAVY = ["numpy", "torch", "numba", "networkx", "matplotlib", "scipy", "PIL", "safetensors", "typer", "rich"]


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_public_names_are_pinned():
    assert graphfsa.__all__ == PUBLIC
    assert dir(graphfsa) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_resolves(name):
    value = getattr(graphfsa, name)
    assert value is getattr(graphfsa, name)
    assert value.__name__.rpartition(".")[2] == name
    assert isinstance(value, type) == name[0].isupper()
    assert callable(value) != isinstance(value, ModuleType)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_is_documented(name):
    assert getattr(graphfsa, name).__doc__.strip()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'graphfsa' has no attribute 'Grph'"):
        _ = graphfsa.Grph
    assert not hasattr(graphfsa, "Learn")


def test_the_public_names_can_be_imported_in_any_order():
    """Each alone in a fresh interpreter would be slow; in turn, last first, shows names that rely on earlier ones."""
    for names in (PUBLIC, PUBLIC[::-1]):
        found = python(f"import graphfsa\nprint([getattr(graphfsa, name) is not None for name in {names}].count(True))")
        assert found == str(len(PUBLIC))


def test_run_is_the_function_however_it_is_reached():
    """A module of the same name lies below it."""
    code = """
import graphfsa.engine.run
import graphfsa.graphs
from graphfsa import run, graphs
print(callable(run), graphs.Graph.__name__)
"""
    assert python(code) == "True Graph"


def test_star_import_gives_the_public_names():
    code = "from graphfsa import *\nprint(sorted(name for name in globals() if not name.startswith('_')))"
    assert python(code) == str(sorted(PUBLIC))


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys\nimport graphfsa\nprint([name for name in {HEAVY} if name in sys.modules])"
    assert python(code) == "[]"


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("Graph", ["torch", "numba", "networkx", "matplotlib", "scipy"]),
        ("library", ["torch", "numba", "networkx", "matplotlib", "scipy"]),
        ("run", ["torch", "networkx", "matplotlib"]),
    ],
)
def test_a_name_loads_only_what_it_needs(name, absent):
    code = f"import sys\nfrom graphfsa import {name}\nprint([name for name in {absent} if name in sys.modules])"
    assert python(code) == "[]"


BLOCKED = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ImportError(f"{{name}} is blocked")

sys.meta_path.insert(0, Block())
import numpy as np
from graphfsa import Graph, GraphFSA, families, library, run

board = np.zeros((30, 30), int)
board[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
for kernel in ("auto", "bits", "lattice", "event", "dense"):
    last = run(library.life_like(), families.moore(30, 30, torus=True), board.reshape(-1), 4, kernel=kernel).last
    assert np.array_equal(last.reshape(30, 30), np.roll(board, (1, 1), axis=(0, 1))), kernel
graph = families.random_tree(50, np.random.default_rng(0))
states = ["root"] + ["node"] * 49
assert run(library.distance(), graph, states, "stable", record="changes", entries=True).period == 1
assert set(sys.modules).isdisjoint({blocked})
print("works")
"""


@pytest.mark.parametrize(
    "blocked",
    [
        ["torch", "torch_geometric", "starlette", "uvicorn"],
        ["torch", "networkx", "matplotlib", "PIL", "typer", "rich", "safetensors"],
    ],
)
def test_the_core_works_without_the_optional_libraries(blocked):
    assert python(BLOCKED.format(blocked=set(blocked))) == "works"
