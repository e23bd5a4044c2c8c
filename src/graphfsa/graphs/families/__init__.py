"""Graph families: one function per family, each returning a :class:`~graphfsa.graphs.graph.Graph`.

Families that draw at random take ``rng``, a ``numpy.random.Generator``: the same seed gives the same graph. A size that
a family cannot have raises ``GraphError`` with the nearest sizes that it has; a graph that would be too large raises
``LimitError`` before anything is allocated.
"""

from graphfsa.graphs.families._attachment import barabasi_albert
from graphfsa.graphs.families._basic import (
    binary_tree,
    complete,
    cycle,
    hexagonal,
    moore,
    path,
    ring,
    row,
    star,
    von_neumann,
)
from graphfsa.graphs.families._kronecker import kronecker
from graphfsa.graphs.families._random import (
    caterpillar,
    delaunay,
    erdos_renyi,
    random_tree,
    recursive_tree,
    rooted_tree,
    watts_strogatz,
)
from graphfsa.graphs.families._regular import random_regular
from graphfsa.graphs.families._spec import family_names, family_usage, parse_family

__all__ = [
    "barabasi_albert",
    "binary_tree",
    "caterpillar",
    "complete",
    "cycle",
    "delaunay",
    "erdos_renyi",
    "family_names",
    "family_usage",
    "hexagonal",
    "kronecker",
    "moore",
    "parse_family",
    "path",
    "random_regular",
    "random_tree",
    "recursive_tree",
    "ring",
    "rooted_tree",
    "row",
    "star",
    "von_neumann",
    "watts_strogatz",
]
