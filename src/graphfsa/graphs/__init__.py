"""Graphs: the frozen :class:`Graph`, its families, conversions and files."""

from graphfsa.graphs import families
from graphfsa.graphs.batch import GraphBatch
from graphfsa.graphs.convert import (
    GraphLike,
    as_graph,
    from_networkx,
    from_pyg,
    from_scipy,
    to_networkx,
    to_pyg,
    to_scipy,
)
from graphfsa.graphs.enumeration import GRAPH_CLASSES, all_graphs, all_inputs
from graphfsa.graphs.files import read_graph, write_graph
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.kinds import both_ways
from graphfsa.graphs.lattice import Lattice
from graphfsa.graphs.naming import find_graph
from graphfsa.graphs.packing import pack
from graphfsa.graphs.rooted import rooted
from graphfsa.graphs.stored import open_graph as open
from graphfsa.graphs.tiled import TiledGraph

__all__ = [
    "GRAPH_CLASSES",
    "Graph",
    "GraphBatch",
    "GraphLike",
    "Lattice",
    "TiledGraph",
    "all_graphs",
    "all_inputs",
    "as_graph",
    "both_ways",
    "families",
    "find_graph",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "open",
    "pack",
    "read_graph",
    "rooted",
    "to_networkx",
    "to_pyg",
    "to_scipy",
    "write_graph",
]
