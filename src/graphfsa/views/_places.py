"""Where each node of a graph is drawn, the same for every kind of picture and at every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs import Graph
from graphfsa.views._layout import layout

Kind = Literal["line", "grid", "hex", "graph"]
ROW = float(np.sqrt(0.75))
"""The distance of the rows of a hexagonal lattice whose cells are 1 apart."""


@dataclass(frozen=True, eq=False)
class Places:
    """How a graph is put on paper.

    Attributes:
        kind: ``line``: cells in a row, drawn over time; ``grid`` and ``hex``: cells of a lattice; ``graph``: nodes and
            arcs.
        height: Number of rows of cells; 0 for a graph.
        width: Number of columns of cells; 0 for a graph.
        points: Centre of each node of a graph or cell of a hexagonal lattice, float64 [num_nodes, 2], y downwards;
            None for lines and square cells, which follow from the number of the node.
        near: How far a node of a graph usually is from the one that is nearest; 0 if there is no other.
    """

    kind: Kind
    height: int
    width: int
    points: Array | None = None
    near: float = 0.0


def kind_of(graph: Graph) -> Kind:
    """How a graph will be drawn; costs little, so that limits can be checked first."""
    lattice = graph.lattice
    if lattice is not None:
        return "line" if lattice.height == 1 else "hex" if lattice.kind == "hex" else "grid"
    return "line" if _in_a_row(graph) else "graph"


def places_of(graph: Graph) -> Places:
    """Where the nodes of a graph are drawn; for a graph that is no lattice that takes a moment."""
    kind, lattice = kind_of(graph), graph.lattice
    if kind == "line":
        return Places("line", 1, graph.num_nodes)
    if lattice is None:
        points = layout(graph) * (1, -1)
        return Places("graph", 0, 0, points, _near(points))
    if kind == "grid":
        return Places("grid", lattice.height, lattice.width)
    rows, columns = np.divmod(np.arange(lattice.num_cells), lattice.width)
    return Places("hex", lattice.height, lattice.width, np.stack([columns + 0.5 * (rows % 2), rows * ROW], axis=1))


def _near(points: Array) -> float:
    from scipy.spatial import KDTree

    return float(np.median(KDTree(points).query(points, k=2)[0][:, 1])) if len(points) > 1 else 0.0


def _in_a_row(graph: Graph) -> bool:
    """Whether the arcs only join each node to the next one in number, and maybe the last to the first."""
    if graph.num_nodes < 3 or graph.num_arcs > 2 * graph.num_nodes or graph.num_arcs < graph.num_nodes - 1:
        return False
    apart = np.abs(graph.indices.astype(np.int64) - graph.targets())
    return bool(((apart == 1) | (apart == graph.num_nodes - 1)).all())
