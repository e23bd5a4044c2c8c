"""Roll-outs as one still picture: a panel per recorded step, or a space-time diagram for a row of cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.engine import Trajectory
from graphfsa.graphs import Graph
from graphfsa.views._figure import new_figure, state_colours
from graphfsa.views._places import ROW, Places

_ARC = "#999999"
_MAX_HEADS = 400


def space_time(fsa: GraphFSA, times: Array, frames: Array) -> Any:
    """A figure with a row of cells for each step, time downwards."""
    rows, columns = frames.shape
    figure = new_figure(8, min(12.0, max(2.0, 8 * rows / columns)) + 0.8)
    axes = figure.add_subplot()
    axes.imshow(
        frames,
        interpolation="nearest",
        aspect="equal" if columns / 6 <= rows <= 2 * columns else "auto",
        **_shades(fsa.num_states),
    )
    axes.set_xlabel("cell")
    axes.set_ylabel("step")
    marks = np.unique(np.linspace(0, rows - 1, min(rows, 6)).astype(int))
    axes.set_yticks(marks, [f"{times[mark]}" for mark in marks])
    return figure


def panels(fsa: GraphFSA, graph: Graph, places: Places, trajectory: Trajectory) -> Any:
    """A figure with a panel for each recorded step of a run on a lattice or a graph."""
    assert trajectory.states is not None and trajectory.times is not None
    count = len(trajectory.times)
    columns = min(count, 3 if places.kind == "graph" else 4)
    rows = -(-count // columns)
    if places.kind == "graph":
        figure = new_figure(max(4.0 * columns, 5.0), 3.2 * rows + 0.9)
    else:
        tall = max(0.4, min(2.0, places.height / places.width))
        figure = new_figure(max(2.6 * columns, 5.0), rows * 2.6 * tall + 0.9)
    colours = state_colours(fsa.num_states)
    for place, (time, states) in enumerate(zip(trajectory.times, trajectory.states, strict=True), start=1):
        axes = figure.add_subplot(rows, columns, place)
        axes.set_title(f"step {time}", fontsize=9)
        axes.set_axis_off()
        if places.kind == "graph":
            assert places.points is not None
            draw_graph(axes, graph, places.points, [colours[state] for state in states], None)
        elif places.kind == "hex":
            _hexagons(axes, places, np.array(colours)[states])
        else:
            axes.imshow(states.reshape(places.height, places.width), interpolation="nearest", **_shades(fsa.num_states))
            axes.set_axis_on()
            axes.set_xticks([])
            axes.set_yticks([])
    return figure


def draw_graph(axes: Any, graph: Graph, points: Array, colours: Sequence[str], names: Sequence[str] | None) -> None:
    """Nodes in their colours, arcs as lines, and maybe a name at each node; y downwards."""
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
            name if len(name) <= 7 else name[:6] + "…",
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
    alpha = min(1.0, max(0.3, 2500 / max(1, graph.num_arcs)))  # Many arcs must not hide the nodes.
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


def _hexagons(axes: Any, places: Places, colours: Array) -> None:
    from matplotlib.collections import PolyCollection

    assert places.points is not None
    angles = np.pi / 6 + np.arange(6) * np.pi / 3
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1) / np.sqrt(3)
    cells = list(places.points[:, None] + corners)
    axes.add_collection(PolyCollection(cells, facecolors=colours.tolist(), edgecolors="#999999", linewidths=0.3))
    axes.set_xlim(-0.7, places.width + 0.2)
    axes.set_ylim(places.height * ROW - 0.2, -0.7)
    axes.set_aspect("equal")


def _shades(num_states: int) -> dict[str, Any]:
    from matplotlib.colors import ListedColormap

    count = max(num_states, 2)
    return {"cmap": ListedColormap(state_colours(count)), "vmin": -0.5, "vmax": count - 0.5}
