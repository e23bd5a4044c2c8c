"""Pictures of runs on lattices: one panel per recorded step, or a space-time diagram for a row of cells."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa._files import atomic_write
from graphfsa.automaton import GraphFSA
from graphfsa.engine import Trajectory
from graphfsa.errors import FormatError, GraphFSAError, StateError
from graphfsa.graphs import Graph, Lattice

SUFFIXES = (".png", ".svg")
# Okabe and Ito's colours, which people with any common kind of colour vision tell apart; white first, as background.
PALETTE = ("#ffffff", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")


def state_colours(num_states: int) -> list[str]:
    """A colour for each state; beyond the palette they are taken from a colour map of even lightness."""
    if num_states <= len(PALETTE):
        return list(PALETTE[:num_states])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [PALETTE[0], *(to_hex(colormaps["cividis"](place)) for place in np.linspace(0, 1, num_states - 1))]


def draw_frames(fsa: GraphFSA, graph: Graph, trajectory: Trajectory, path: str | Path, *, title: str = "") -> None:
    """Draw the recorded steps of a run on a lattice and write the picture.

    Args:
        fsa: The automaton.
        graph: A lattice graph.
        trajectory: A run with recorded frames.
        path: A ``.png`` or ``.svg`` file.
        title: A line above the picture.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"{path}: a picture must end in {' or '.join(SUFFIXES)}; got {suffix!r}")
    if graph.lattice is None:
        raise StateError("frames can be drawn for lattices only; this graph is not one")
    if trajectory.states is None or trajectory.times is None:
        raise StateError("the run must have recorded frames: run with record='all' or record=k")
    figure = _space_time(trajectory.states) if graph.lattice.height == 1 else _panels(graph.lattice, trajectory, fsa)
    entries = zip(state_colours(fsa.num_states), fsa.state_names, strict=True)
    add_legend(figure, list(entries) if fsa.num_states <= len(PALETTE) else [], title)
    save_figure(figure, path)


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as ``.png`` or ``.svg``, atomically; the same figure gives the same bytes."""
    suffix = Path(path).suffix.lower()
    buffer = io.BytesIO()
    figure.savefig(
        buffer, format=suffix[1:], dpi=160, facecolor="white", metadata={"Date": None} if suffix == ".svg" else None
    )
    atomic_write(path, buffer.getvalue())


def new_figure(width: float, height: float) -> Any:
    """An empty figure of a size in inches, that needs no display."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ValueError as error:  # It reads its settings when it is imported.
        raise GraphFSAError(f"matplotlib can't start: {error}") from None

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _space_time(frames: np.ndarray[Any, Any]) -> Any:
    rows, columns = frames.shape
    figure = new_figure(8, min(12.0, max(2.0, 8 * rows / columns)) + 0.8)
    axes = figure.add_subplot()
    axes.imshow(
        frames,
        interpolation="nearest",
        aspect="auto" if rows > 4 * columns else "equal",
        **_shades(int(frames.max()) + 1),
    )
    axes.set_xlabel("cell")
    axes.set_ylabel("step")
    return figure


def _panels(lattice: Lattice, trajectory: Trajectory, fsa: GraphFSA) -> Any:
    assert trajectory.states is not None and trajectory.times is not None
    count = len(trajectory.times)
    columns = min(count, 4)
    rows = -(-count // columns)
    side = 2.6
    figure = new_figure(columns * side, rows * side * max(0.4, min(2.0, lattice.height / lattice.width)) + 0.9)
    for place, (time, states) in enumerate(zip(trajectory.times, trajectory.states, strict=True), start=1):
        axes = figure.add_subplot(rows, columns, place)
        axes.set_title(f"step {time}", fontsize=9)
        axes.set_axis_off()
        if lattice.kind == "hex":
            _hexagons(axes, lattice, states, fsa.num_states)
        else:
            axes.imshow(
                states.reshape(lattice.height, lattice.width), interpolation="nearest", **_shades(fsa.num_states)
            )
            axes.set_axis_on()
            axes.set_xticks([])
            axes.set_yticks([])
    return figure


def _hexagons(axes: Any, lattice: Lattice, states: np.ndarray[Any, Any], num_states: int) -> None:
    from matplotlib.collections import PolyCollection

    rows, columns = np.divmod(np.arange(lattice.num_cells), lattice.width)
    centres = np.stack([columns + 0.5 * (rows % 2), -rows * np.sqrt(0.75)], axis=1)
    angles = np.pi / 6 + np.arange(6) * np.pi / 3
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1) / np.sqrt(3)
    colours = np.array(state_colours(num_states))[states]
    axes.add_collection(
        PolyCollection(
            list(centres[:, None] + corners), facecolors=colours.tolist(), edgecolors="#999999", linewidths=0.3
        )
    )
    axes.set_xlim(-0.7, lattice.width + 0.2)
    axes.set_ylim(-lattice.height * np.sqrt(0.75) + 0.2, 0.7)
    axes.set_aspect("equal")


def _shades(num_states: int) -> dict[str, Any]:
    from matplotlib.colors import ListedColormap

    return {"cmap": ListedColormap(state_colours(max(num_states, 2))), "vmin": -0.5, "vmax": max(num_states, 2) - 0.5}


def add_legend(figure: Any, entries: list[tuple[str, str]], title: str) -> None:
    """A title above a figure and pairs of colour and name below it."""
    from matplotlib.patches import Patch

    if title:
        figure.suptitle(title, fontsize=11)
    # A dollar sign would be read as mathematics.
    patches = [Patch(facecolor=c, edgecolor="#999999", label=name.replace("$", r"\$")) for c, name in entries]
    if patches:
        figure.legend(
            handles=patches, loc="outside lower center", ncols=min(5, len(patches)), fontsize=8, frameon=False
        )
