"""Roll-outs: the recorded steps of a run as a picture, an animation, or a page that explains itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphfsa.automaton import GraphFSA
from graphfsa.engine import Trajectory
from graphfsa.errors import GraphFSAError, LimitError, StateError
from graphfsa.files import atomic_write
from graphfsa.graphs import Graph
from graphfsa.views._figure import SUFFIXES as STILL
from graphfsa.views._figure import add_legend, check_suffix, legend_entries, save_figure
from graphfsa.views._gif import gif_shape, write_gif
from graphfsa.views._page import page_of
from graphfsa.views._panels import panels, space_time
from graphfsa.views._places import Kind, kind_of, places_of

SUFFIXES = (*STILL, ".gif", ".html")
MAX_NODES = 2000
MAX_PANELS = 24
MAX_HEXAGONS = 60_000
MAX_PIXELS = 4 * 10**8
MAX_SIDE = 2048
MAX_CELLS = 2 * 10**7
MAX_PAGE = 8 * 10**6
MAX_FRAMES = 20_000


def draw_rollout(
    fsa: GraphFSA, graph: Graph, trajectory: Trajectory, path: str | Path, *, title: str = "", fps: float = 10
) -> None:
    """Draw the recorded steps of a run and write the result.

    Lattices are drawn as grids of square or hexagonal cells, rows of cells as space-time diagrams (so are paths and
    cycles whose nodes are numbered one after the other), any other graph by its nodes and arcs, in the same places at
    every step. The same run gives the same file.

    Args:
        fsa: The automaton.
        graph: The graph.
        trajectory: A run with recorded frames.
        path: A ``.png`` or ``.svg`` picture with a panel for each frame, an animated ``.gif``, or an ``.html`` page
            that needs nothing else: it plays the run and says of each node why it changed.
        title: A line above the picture.
        fps: Frames per second of a GIF, and of the page to start with, 1 to 50.

    Raises:
        LimitError: The picture would be too large; the message says what to choose instead.
    """
    if trajectory.states is None or trajectory.times is None:
        raise StateError("the run must have recorded frames: run with record='all' or record=k")
    if trajectory.states.shape[1] != graph.num_nodes or int(trajectory.states.max(initial=0)) >= fsa.num_states:
        raise StateError("the trajectory must be a run of this automaton on this graph")
    if not 1 <= fps <= 50:
        raise GraphFSAError(f"fps must be in 1 .. 50; got {fps}")
    check_rollout(graph, len(trajectory.times), path)
    places = places_of(graph)
    suffix = Path(path).suffix.lower()
    if suffix == ".gif":
        write_gif(fsa, graph, places, trajectory, path, title, fps)
    elif suffix == ".html":
        atomic_write(path, page_of(fsa, graph, places, trajectory, title, fps))
    else:
        still = places.kind == "line"
        figure: Any = (
            space_time(fsa, trajectory.times, trajectory.states) if still else panels(fsa, graph, places, trajectory)
        )
        add_legend(figure, legend_entries(fsa.state_names), title)
        save_figure(figure, path)


def check_rollout(graph: Graph, frames: int, path: str | Path) -> None:
    """Raise if so many frames of a graph can't be drawn into such a file; costs next to nothing.

    Args:
        graph: The graph.
        frames: Number of frames.
        path: The file.

    Raises:
        LimitError: It would be too large; the message says what to choose instead.
        FormatError: The suffix is unknown.
    """
    suffix = check_suffix(path, SUFFIXES)
    kind = kind_of(graph)
    if graph.num_nodes == 0:
        raise StateError("there is nothing to draw: the graph has no nodes")
    if kind == "graph" and graph.num_nodes > MAX_NODES:
        raise LimitError(
            f"graphs of at most {MAX_NODES:,} nodes are drawn node by node; got {graph.num_nodes:,}. "
            "Choose a smaller graph, or a lattice, which is drawn as a grid"
        )
    if frames > MAX_FRAMES:
        raise LimitError(f"at most {MAX_FRAMES:,} frames are drawn; got {frames:,}. Make fewer steps, or record fewer")
    if suffix == ".html":
        _check_page(graph, frames)
    elif suffix == ".gif":
        _check_gif(graph, kind, frames)
    else:
        _check_still(graph, kind, frames)


def default_stride(graph: Graph, steps: int, path: str | Path) -> int:
    """Every how many steps to record a frame: for panels so that twelve are enough, else each step."""
    still = check_suffix(path, SUFFIXES) in STILL and kind_of(graph) != "line"
    return max(1, -(-steps // 11)) if still else 1


def _check_page(graph: Graph, frames: int) -> None:
    height, width = _sides(graph)
    if max(height, width) > MAX_SIDE:
        raise LimitError(
            f"a page shows at most {MAX_SIDE:,} cells in each direction; got {height:,} x {width:,}. "
            "Choose a smaller lattice"
        )
    if graph.num_nodes * frames > MAX_PAGE:
        size = graph.num_nodes * frames
        raise LimitError(
            f"a page of {graph.num_nodes:,} nodes over {frames:,} frames could take {size * 8 / 3 / 10**6:,.0f} MB; "
            f"at most {MAX_PAGE:,} nodes times frames are written. Make fewer steps, show every k-th, choose a "
            "smaller graph, or a .gif"
        )


def _check_gif(graph: Graph, kind: Kind, frames: int) -> None:
    height, width = _sides(graph)
    if max(height, width) > MAX_SIDE or (kind == "line" and frames > MAX_SIDE):
        raise LimitError(
            f"an animation shows at most {MAX_SIDE:,} cells in each direction"
            f"{' and as many steps of a row' * (kind == 'line')}; got {height:,} x {width:,} cells and {frames:,} "
            "frames. Choose a smaller lattice, or show every k-th step"
        )
    _, tall, wide = gif_shape(kind, height, width, frames)
    if tall * wide * frames > MAX_PIXELS:
        raise LimitError(
            f"an animation of {frames:,} frames of {wide} x {tall} pixels has {tall * wide * frames:,} pixels; at most "
            f"{MAX_PIXELS:,} are written. Make fewer steps, show every k-th, or choose a smaller graph"
        )


def _check_still(graph: Graph, kind: Kind, frames: int) -> None:
    if kind != "line" and frames > MAX_PANELS:
        raise LimitError(
            f"at most {MAX_PANELS} steps are drawn in one picture; got {frames:,}. Show every k-th, or choose a .gif "
            "or .html file"
        )
    if graph.num_nodes * frames > (MAX_HEXAGONS if kind == "hex" else MAX_CELLS):
        raise LimitError(
            f"a picture shows at most {MAX_HEXAGONS if kind == 'hex' else MAX_CELLS:,} {'hexagonal ' * (kind == 'hex')}"
            f"cells; {frames:,} frames of {graph.num_nodes:,} are more. Make fewer steps, show every k-th, choose a "
            "smaller graph, or a .gif file"
        )


def _sides(graph: Graph) -> tuple[int, int]:
    lattice = graph.lattice
    if lattice is not None:
        return lattice.height, lattice.width
    return (1, graph.num_nodes) if kind_of(graph) == "line" else (0, 0)
