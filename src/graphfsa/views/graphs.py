"""Pictures of labelled graphs, and of runs on graphs that are no lattices: nodes, arcs and a colour per node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples
from graphfsa.engine import Trajectory
from graphfsa.errors import FormatError, LimitError, StateError
from graphfsa.graphs import Graph
from graphfsa.views._layout import layout
from graphfsa.views.frames import SUFFIXES, add_legend, new_figure, save_figure, state_colours

MAX_NODES = 400
MAX_GRAPHS = 24
_UNCOUNTED = "#d9d9d9"


def draw_examples(examples: Examples, path: str | Path, *, title: str = "") -> None:
    """Draw labelled graphs: the input as text in each node, the label as its colour.

    Args:
        examples: At most 24 graphs, of at most 400 nodes each.
        path: A ``.png`` or ``.svg`` file.
        title: A line above the picture.
    """
    _check_path(path)
    if len(examples) > MAX_GRAPHS:
        raise LimitError(f"at most {MAX_GRAPHS} graphs are drawn at once; got {len(examples)}")
    for size in examples.sizes.tolist():
        _check_size(size)
    task = examples.task
    colours = state_colours(len(task.classes))
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
        _draw(axes, example.graph, layout(example.graph), shades, names)
    entries = [*zip(colours, task.classes, strict=True)]
    entries += [(_UNCOUNTED, "does not count")] if not examples.mask.all() else []
    add_legend(figure, entries, title)
    save_figure(figure, path)


def draw_run(fsa: GraphFSA, graph: Graph, trajectory: Trajectory, path: str | Path, *, title: str = "") -> None:
    """Draw the recorded steps of a run on any graph of at most 400 nodes, each node in the colour of its state.

    Args:
        fsa: The automaton.
        graph: The graph.
        trajectory: A run with recorded frames.
        path: A ``.png`` or ``.svg`` file.
        title: A line above the picture.
    """
    _check_path(path)
    _check_size(graph.num_nodes)
    if trajectory.states is None or trajectory.times is None:
        raise StateError("the run must have recorded frames: run with record='all' or record=k")
    if len(trajectory.times) > MAX_GRAPHS:
        raise LimitError(f"at most {MAX_GRAPHS} steps are drawn at once; got {len(trajectory.times)}")
    colours = state_colours(fsa.num_states)
    places = layout(graph)
    columns = min(3, len(trajectory.times))
    rows = -(-len(trajectory.times) // columns)
    figure = new_figure(4 * columns, 3.2 * rows + 0.9)
    for place, (time, states) in enumerate(zip(trajectory.times, trajectory.states, strict=True), start=1):
        axes = figure.add_subplot(rows, columns, place)
        axes.set_title(f"step {time}", fontsize=9)
        _draw(axes, graph, places, [colours[state] for state in states], None)
    add_legend(figure, list(zip(colours, fsa.state_names, strict=True)), title)
    save_figure(figure, path)


def _draw(axes: Any, graph: Graph, places: Any, colours: Sequence[str], names: Sequence[str] | None) -> None:
    from matplotlib.collections import LineCollection

    axes.set_axis_off()
    axes.set_aspect("equal")
    # A path is flat: without limits of its own the panel would be too.
    reach = np.abs(places).max(axis=0, initial=0.5)
    margin = 0.18 * reach.max() + 0.35
    axes.set_xlim(-reach[0] - margin, reach[0] + margin)
    height = max(reach[1], 0.55 * reach[0]) + margin
    axes.set_ylim(-height, height)
    ends = np.stack((places[graph.indices], places[graph.targets()]), axis=1)
    axes.add_collection(LineCollection(list(ends), colors="#999999", linewidths=1, zorder=1))
    size = 420 if names is not None and graph.num_nodes <= 12 else max(12, 1400 / max(1, graph.num_nodes))
    axes.scatter(*places.T, s=size, c=list(colours), edgecolors="#555555", linewidths=0.7, zorder=2)
    for place, name in zip(places, names or (), strict=False):
        text = name if len(name) <= 7 else name[:6] + "…"
        axes.annotate(
            text.replace("$", r"\$"),
            place,
            xytext=(0, 13),
            textcoords="offset points",
            ha="center",
            fontsize=7,
            zorder=3,
        )


def _check_path(path: str | Path) -> None:
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"{path}: a picture must end in {' or '.join(SUFFIXES)}; got {suffix!r}")


def _check_size(size: int) -> None:
    if size > MAX_NODES:
        raise LimitError(f"graphs of at most {MAX_NODES} nodes are drawn node by node; got {size}")
