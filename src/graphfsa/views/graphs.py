"""Pictures of labelled graphs: nodes, arcs and a colour per node."""

from __future__ import annotations

from pathlib import Path

from graphfsa.datasets import Examples
from graphfsa.errors import LimitError
from graphfsa.views._figure import SUFFIXES, add_legend, check_suffix, new_figure, save_figure, state_colours
from graphfsa.views._layout import layout
from graphfsa.views._panels import draw_graph

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
    check_suffix(path, SUFFIXES)
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
        draw_graph(axes, example.graph, layout(example.graph) * (1, -1), shades, names)
    entries = [*zip(colours, task.classes, strict=True)]
    entries += [(_UNCOUNTED, "does not count")] if not examples.mask.all() else []
    add_legend(figure, entries, title)
    save_figure(figure, path)


def _check_size(size: int) -> None:
    if size > MAX_NODES:
        raise LimitError(f"graphs of at most {MAX_NODES} nodes are drawn node by node; got {size}")
