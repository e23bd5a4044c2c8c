"""Data: the tasks of the paper, GRAB, and the user's own labelled graphs.

Every public module is one data set, found by its file name.
"""

from __future__ import annotations

from graphfsa.datasets._base import Dataset, Split
from graphfsa.datasets._examples import Example, Examples
from graphfsa.datasets._grab_configs import GrabConfig, GrabData, generate_grab, grab_config, grab_config_names
from graphfsa.datasets._hygiene import contradictions, deduplicate, overlap, without_overlap
from graphfsa.datasets._storage import StoredData, load_data, save_data
from graphfsa.datasets._task import Task
from graphfsa.datasets._user import (
    UserData,
    from_networkx_graphs,
    from_pyg_data,
    from_traces,
    read_jsonl,
    to_networkx_graphs,
    to_pyg_data,
    write_jsonl,
)
from graphfsa.datasets._zones import draw
from graphfsa.plugins import find_plugin, plugin_names

__all__ = [
    "Dataset",
    "Example",
    "Examples",
    "GrabConfig",
    "GrabData",
    "Split",
    "StoredData",
    "Task",
    "UserData",
    "contradictions",
    "dataset_class",
    "dataset_names",
    "deduplicate",
    "draw",
    "from_networkx_graphs",
    "from_pyg_data",
    "from_traces",
    "generate_grab",
    "grab_config",
    "grab_config_names",
    "load_data",
    "overlap",
    "read_jsonl",
    "save_data",
    "to_networkx_graphs",
    "to_pyg_data",
    "without_overlap",
    "write_jsonl",
]


def dataset_names() -> list[str]:
    """Names of all data sets."""
    return plugin_names(Dataset)


def dataset_class(name: str) -> type[Dataset]:
    """The class of the data set with a given name."""
    return find_plugin(Dataset, name)
