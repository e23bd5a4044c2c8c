"""Roll-outs as one still picture: a panel per recorded step, or a space-time diagram for a row of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.views._layout import ROW_DISTANCE, GraphLayout
from graphfsa.views.colours import legend_entries
from graphfsa.views.figures import add_legend, new_figure, own_style
from graphfsa.views.graphs import draw_graph

if TYPE_CHECKING:
    from graphfsa.views.rollouts import Rollout


@own_style()
def rollout_figure(rollout: Rollout) -> Any:
    """All frames of a roll-out in one figure."""
    figure = _space_time(rollout) if rollout.layout.kind == "line" else _panels(rollout)
    add_legend(figure, legend_entries(rollout.fsa, rollout.state_colours), rollout.title)
    return figure


def _space_time(rollout: Rollout) -> Any:
    """A figure with a row of cells for each step, time downwards."""
    times, frames = rollout.times, rollout.frames
    rows, columns = frames.shape
    figure = new_figure(8, min(12.0, max(2.0, 8 * rows / columns)) + 0.8)
    axes = figure.add_subplot()
    axes.imshow(
        frames,
        interpolation="nearest",
        aspect="equal" if columns / 6 <= rows <= 2 * columns else "auto",
        **_shades(rollout.state_colours),
    )
    axes.set_xlabel("cell")
    axes.set_ylabel("step")
    marks = np.unique(np.linspace(0, rows - 1, min(rows, 6)).astype(int))
    axes.set_yticks(marks, [f"{times[mark]}" for mark in marks])
    return figure


def _panels(rollout: Rollout) -> Any:
    """A figure with a panel for each frame of a run on a lattice or a graph."""
    layout, colours = rollout.layout, rollout.state_colours
    count = len(rollout.times)
    columns = min(count, 3 if layout.kind == "graph" else 4)
    rows = -(-count // columns)
    if layout.kind == "graph":
        figure = new_figure(max(4.0 * columns, 5.0), 3.2 * rows + 0.9)
    else:
        tall = max(0.4, min(2.0, layout.height / layout.width))
        figure = new_figure(max(2.6 * columns, 5.0), rows * 2.6 * tall + 0.9)
    names = None if rollout.trajectory.movers is None else [str(node) for node in range(rollout.graph.num_nodes)]
    for place, (time, states) in enumerate(zip(rollout.times, rollout.frames, strict=True), start=1):
        axes = figure.add_subplot(rows, columns, place)
        axes.set_title(f"step {time}{_movers(rollout, int(time))}", fontsize=9)
        axes.set_axis_off()
        if layout.kind == "graph":
            assert layout.points is not None
            draw_graph(axes, rollout.graph, layout.points, [colours[state] for state in states], names)
        elif layout.kind == "hex":
            _hexagons(axes, layout, np.array(colours)[states])
        else:
            axes.imshow(states.reshape(layout.height, layout.width), interpolation="nearest", **_shades(colours))
            axes.set_axis_on()
            axes.set_xticks([])
            axes.set_yticks([])
    return figure


def _movers(rollout: Rollout, time: int) -> str:
    """Who moves next, if somebody chose it."""
    moves, loop = rollout.trajectory.movers, rollout.trajectory.stable_at
    if moves is None:
        return ""
    if time < len(moves):
        return f"; next {', '.join(map(str, moves[time]))}"
    return "" if loop is None else "; at rest" if loop == time else f"; as at step {loop}"


def _hexagons(axes: Any, layout: GraphLayout, colours: Array) -> None:
    from matplotlib.collections import PolyCollection

    assert layout.points is not None
    angles = np.pi / 6 + np.arange(6) * np.pi / 3
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1) / np.sqrt(3)
    cells = list(layout.points[:, None] + corners)
    axes.add_collection(PolyCollection(cells, facecolors=colours.tolist(), edgecolors="#999999", linewidths=0.3))
    axes.set_xlim(-0.7, layout.width + 0.2)
    axes.set_ylim(layout.height * ROW_DISTANCE - 0.2, -0.7)
    axes.set_aspect("equal")


def _shades(colours: list[str]) -> dict[str, Any]:
    from matplotlib.colors import ListedColormap

    shades = colours if len(colours) > 1 else 2 * colours
    return {"cmap": ListedColormap(shades), "vmin": -0.5, "vmax": len(shades) - 0.5}
