"""The examples in the docstrings are true."""

import doctest
import importlib
from pathlib import Path

import pytest

import graphfsa

SOURCE = Path(graphfsa.__file__).parent
FILES = sorted(path for path in SOURCE.rglob("*.py") if "__pycache__" not in path.parts and path.stem != "__main__")
MODULES = [
    ".".join(["graphfsa", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__") for path in FILES
]


def load(name):
    """The module, or a skip if a library is missing that is not ours."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("graphfsa"):
            raise
        return pytest.skip(f"{error.name} is not installed")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(load(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_the_main_classes_have_examples():
    for name in ("graphfsa.graphs.graph", "graphfsa.automaton.fsa", "graphfsa.aggregations.counting"):
        assert doctest.testmod(importlib.import_module(name)).attempted > 0
    # The function hides the module of its name from attribute access.
    assert doctest.testmod(importlib.import_module("graphfsa.engine.run")).attempted > 0
