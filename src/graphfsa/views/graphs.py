"""Pictures of labelled graphs: nodes, arcs and a colour per node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shorten
from graphfsa.datasets import Examples
from graphfsa.errors import LimitError
from graphfsa.graphs import Graph
from graphfsa.views._layout import node_positions
from graphfsa.views.colours import palette
from graphfsa.views.figures import add_legend, check_suffix, new_figure, own_style, save_figure

MAX_NODES = 400
MAX_GRAPHS = 24
_ARC = "#999999"
_MAX_HEADS = 400
_UNCOUNTED = "#d9d9d9"


@own_style()
def draw_examples(examples: Examples, path: str | Path, *, title: str = "") -> None:
    """Draw labelled graphs: the input as text at each node, the label as its colour.

    Args:
        examples: At most 24 graphs, of at most 400 nodes each.
        path: A ``.png``, ``.svg`` or ``.pdf`` file.
        title: A line above the picture.

    Raises:
        LimitError: There are more graphs, or larger ones.
    """
    check_suffix(path)
    if len(examples) > MAX_GRAPHS:
        raise LimitError(f"at most {MAX_GRAPHS} graphs are drawn at once; got {len(examples)}")
    if examples.sizes.max(initial=0) > MAX_NODES:
        raise LimitError(f"graphs of at most {MAX_NODES} nodes are drawn node by node; got {examples.sizes.max()}")
    task = examples.task
    colours = palette(len(task.classes))
    columns = min(4, max(1, len(examples)))
    rows = max(1, -(-len(examples) // columns))
    figure = new_figure(max(6.0, 3.1 * columns), 2.5 * rows + 1)
    for place, example in enumerate(examples, start=1):
        axes = figure.add_subplot(rows, columns, place)
        axes.set_title(f"{example.graph.num_nodes} nodes, {example.steps} steps", fontsize=9)
        shades = [
            colours[label] if counts else _UNCOUNTED for label, counts in zip(example.labels, example.mask, strict=True)
        ]
        names = [task.inputs[number] for number in example.inputs.tolist()]
        draw_graph(axes, example.graph, node_positions(example.graph), shades, names)
    entries = [*zip(colours, task.classes, strict=True)]
    entries += [(_UNCOUNTED, "does not count")] if not examples.mask.all() else []
    add_legend(figure, entries, title)
    save_figure(figure, path)


def draw_graph(
    axes: Any, graph: Graph, points: Array, colours: Sequence[str], names: Sequence[str] | None = None
) -> None:
    """Draw nodes in their colours and arcs as lines.

    Args:
        axes: Axes of matplotlib.
        graph: The graph.
        points: Where each node is, float64 [num_nodes, 2], y downwards.
        colours: The colour of each node.
        names: A name for each node, written beside it.
    """
    axes.set_axis_off()
    axes.set_aspect("equal")
    # A path is flat: without limits of its own the panel would be too.
    reach = np.abs(points).max(axis=0, initial=0.5)
    margin = 0.18 * reach.max() + 0.35
    axes.set_xlim(-reach[0] - margin, reach[0] + margin)
    height = max(reach[1], 0.55 * reach[0]) + margin
    axes.set_ylim(height, -height)
    width = 1 if graph.num_nodes <= 200 else 0.5
    size = 420 if names is not None and graph.num_nodes <= 12 else max(4, 1400 / max(1, graph.num_nodes))
    _draw_arcs(axes, graph, points, width, size)
    axes.scatter(*points.T, s=size, c=list(colours), edgecolors="#555555", linewidths=0.7 * width, zorder=2)
    for point, name in zip(points, names or (), strict=False):
        axes.annotate(
            shorten(name, 7),
            point,
            xytext=(0, 13),
            textcoords="offset points",
            ha="center",
            fontsize=7,
            zorder=3,
            parse_math=False,
        )


def _draw_arcs(axes: Any, graph: Graph, points: Array, width: float, size: float) -> None:
    """Arcs as lines, with heads if the graph is directed and they are few; loops as rings on top of their nodes."""
    from matplotlib.collections import LineCollection
    from matplotlib.transforms import ScaledTranslation

    sources, targets = graph.indices, graph.targets()
    alpha = min(1.0, max(0.3, 900 / max(1, graph.num_arcs)))  # Many arcs must not hide the nodes.
    ends = np.stack((points[sources], points[targets]), axis=1)
    axes.add_collection(LineCollection(list(ends), colors=_ARC, linewidths=width, alpha=alpha, zorder=1))
    radius = size**0.5 / 2
    loops = points[sources[sources == targets]]
    if len(loops):
        above = ScaledTranslation(0, (radius + 2) / 72, axes.figure.dpi_scale_trans)
        axes.scatter(
            *loops.T,
            s=max(30, size / 3),
            facecolors="none",
            edgecolors=_ARC,
            zorder=1,
            transform=axes.transData + above,
        )
    if not graph.symmetric and graph.num_arcs <= _MAX_HEADS:
        head = {"arrowstyle": "-|>", "color": _ARC, "linewidth": width, "shrinkA": 0, "shrinkB": radius}
        for begin, end in ends[sources != targets]:
            axes.annotate("", end, begin, arrowprops={**head, "mutation_scale": 8}, zorder=1)
