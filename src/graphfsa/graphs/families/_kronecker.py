"""Kronecker graphs: many nodes with few neighbours and a few with very many, of any size, without arcs in memory."""

from __future__ import annotations

import numpy as np

from graphfsa.errors import GraphError, LimitError
from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.kronecker import KroneckerTiles
from graphfsa.graphs.tiled import TiledGraph

_MAX_SCALE = 30
_MAX_EDGES = 2**40


def kronecker(
    scale: int,
    *,
    mean_degree: float,
    rng: np.random.Generator,
    shares: tuple[float, float, float, float] = (0.57, 0.19, 0.19, 0.05),
) -> Graph:
    """A stochastic Kronecker (R-MAT) graph of ``2 ** scale`` nodes; arcs are made when they are needed.

    Edges are drawn independently, so some repeat and some are self-loops. With four equal shares every pair of nodes is
    as likely as any other.

    Args:
        scale: Levels of the recursion, at most 30.
        mean_degree: There are ``mean_degree * 2 ** scale / 2`` edges.
        rng: Source of randomness.
        shares: Probabilities that both ends of an edge are in the lower half of the nodes, only the first, only the
            second, neither; and so on within the halves. By default those of the Graph500 benchmark.

    Example:
        >>> graph = kronecker(10, mean_degree=8, rng=np.random.default_rng(0))
        >>> graph.num_nodes, graph.num_arcs > 8000
        (1024, True)
    """
    scale = _check.integer("scale", scale)
    if scale > _MAX_SCALE:
        raise LimitError(f"scale must be at most {_MAX_SCALE}, which is {2**_MAX_SCALE} nodes; got {scale}")
    if not mean_degree >= 0:
        raise GraphError(f"mean_degree must be a number of at least 0; got {mean_degree!r}")
    if mean_degree * 2**scale / 2 > _MAX_EDGES:
        raise LimitError(f"a Kronecker graph must have at most {_MAX_EDGES} edges; choose a smaller mean_degree")
    if len(shares) != 4 or not all(share >= 0 for share in shares) or abs(sum(shares) - 1) > 1e-9:
        raise GraphError(f"shares must be four numbers >= 0 that add up to 1; got {shares}")
    edges = round(mean_degree * 2**scale / 2)
    return TiledGraph(KroneckerTiles(scale, edges, tuple(map(float, shares)), int(rng.integers(2**62))))  # pyright: ignore[reportArgumentType]
