"""Compiled kernels that are kept on disk: none is ever taken for another."""

import os
import subprocess
import sys
from pathlib import Path

import graphfsa
from graphfsa.engine import compile_kernel

SCRIPT = """
import sys
import numpy as np
from graphfsa.aggregations import CountingAggregation, PositionalAggregation
from graphfsa.datasets import dataset_class
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.searches import evaluate

KINDS = {"elementary": PositionalAggregation(2), "distance": CountingAggregation(1)}
for name in sys.argv[1:]:
    examples = dataset_class(name)().generate(6, 5, np.random.default_rng(0))
    final = 2 if name == "distance" else 0
    shape = Shape(final, 2, 0, KINDS[name])
    table = np.random.default_rng(1).integers(0, shape.num_states, (shape.num_states, shape.num_values), np.int16)
    wrong, seen, last = evaluate(Problem.of(examples, shape), table)
    print(name, wrong.tolist(), seen.tolist(), last.tolist())
"""


def test_kernels_that_were_kept_by_different_processes_work_together(tmp_path):
    """Symbols are numbered in each process: helpers of two kernels had the same ones, and one called the other's."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(Path(graphfsa.__file__).parents[1])}

    def answers(*names):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, *names],
            env={**os.environ, **cache},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    alone = [*answers("elementary"), *answers("distance")]
    assert answers("elementary", "distance") == alone
    assert answers("distance", "elementary") == alone[::-1]


def kernel(x):
    return helper(x)  # noqa: F821


def one(x):
    return x + 1


def two(x):
    return x + 2


def test_helpers_are_named_after_the_kernel_that_they_belong_to():
    first, second = compile_kernel(kernel, helper=one), compile_kernel(kernel, helper=two)
    assert (first(1), second(1)) == (2, 3)
    names = [made.py_func.__globals__["helper"].py_func.__qualname__ for made in (first, second)]
    assert names[0].startswith("one_")
    assert names[0].partition("_")[2] == first.py_func.__qualname__.partition("_")[2]
    assert names[0].partition("_")[2] != names[1].partition("_")[2]
