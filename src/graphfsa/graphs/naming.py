"""Graphs by name: a family with its sizes, or a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.files import is_file
from graphfsa.graphs import families
from graphfsa.graphs.files import read_graph
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.stored import SUFFIX, open_graph
from graphfsa.interrupts import interruptible

SUFFIXES = (".json", ".edges", ".txt", ".gfsa")


def find_graph(text: str | Path, rng: np.random.Generator) -> Graph:
    """The graph that ``FAMILY:ARGS`` (``tree:60``) or the path of a file names.

    Args:
        text: The name.
        rng: Source of randomness of random families.

    Example:
        >>> find_graph("path:5", np.random.default_rng(0)).num_nodes
        5
    """
    name = str(text)
    is_path = Path(name).suffix.lower() in SUFFIXES or is_file(name)
    if is_path and name.partition(":")[0] not in families.family_names():
        return open_graph(name) if name.lower().endswith(SUFFIX) else read_graph(name)
    try:
        # Sorting 10^8 arcs takes long, and nothing looks at signals meanwhile.
        return interruptible(lambda: families.parse_family(name, rng))
    except UnknownNameError as error:
        raise GraphFSAError(f"{error}; or the path of a .json, .edges, .txt or .gfsa file") from None
