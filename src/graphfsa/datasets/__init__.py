"""Data: the tasks of the paper, GRAB, and the user's own labelled graphs.

Every public module that defines one ``Dataset`` is a plug-in, found by its file name.
"""

from __future__ import annotations

from graphfsa._registry import load_plugin, plugin_names
from graphfsa.datasets._base import Dataset, Split
from graphfsa.datasets.examples import Example, Examples
from graphfsa.datasets.task import Task
from graphfsa.errors import GraphFSAError, UnknownNameError

__all__ = ["Dataset", "Example", "Examples", "Split", "Task", "dataset_class", "dataset_names"]

_NOT_PLUGINS = {"task", "examples", "hygiene", "storage"}


def dataset_names() -> list[str]:
    """Names of all data sets."""
    return [name for name in plugin_names(__name__) if name not in _NOT_PLUGINS]


def dataset_class(name: str) -> type[Dataset]:
    """The class of the data set with a given name."""
    if name.replace("_", "-") not in dataset_names():
        raise UnknownNameError("data set", name, dataset_names())
    module = load_plugin(__name__, name, "data set")
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Dataset) and value.__module__ == module.__name__
    ]
    if len(classes) != 1:
        raise GraphFSAError(f"module {module.__name__} must define exactly one data set; it defines {len(classes)}")
    return classes[0]
