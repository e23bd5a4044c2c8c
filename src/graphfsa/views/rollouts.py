"""Roll-outs: the recorded steps of a run as a picture, an animation, or a page that explains itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from graphfsa.analysis.verification import Counterexample
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.states import node_states, parse_states
from graphfsa.checks import check_integer, check_number, check_seed
from graphfsa.datasets import Dataset, as_dataset
from graphfsa.engine import Trajectory, run
from graphfsa.engine.faults import Fault
from graphfsa.engine.schedulers import Scheduler
from graphfsa.errors import GraphFSAError, LimitError, StateError
from graphfsa.files import atomic_write, is_file
from graphfsa.graphs import Graph, as_graph, find_graph
from graphfsa.learners import Model, as_model, find_any_automaton
from graphfsa.views._layout import GraphLayout, Kind, graph_layout, layout_kind
from graphfsa.views._rollout_gif import gif_bytes, gif_shape
from graphfsa.views._rollout_page import rollout_page
from graphfsa.views._rollout_picture import rollout_figure
from graphfsa.views.colours import state_colours
from graphfsa.views.figures import SUFFIXES as PICTURES
from graphfsa.views.figures import check_suffix, figure_bytes

SUFFIXES = (*PICTURES, ".gif", ".html")
SPEED = 10.0
"""Frames per second, if nothing else is said."""
SLOW = 2.0
"""Frames per second of a run that one looks at step by step."""
TASK_SIZE = 30
"""Number of nodes of a graph of a data set, if nothing else is said."""
MAX_NODES = 2000
MAX_PANELS = 24
MAX_HEXAGONS = 60_000
MAX_PIXELS = 4 * 10**8
MAX_SIDE = 2048
MAX_CELLS = 2 * 10**7
MAX_PAGE = 8 * 10**6
MAX_FRAMES = 20_000
_PLAYER = "rollout.html"
"""What a roll-out without a file is drawn for."""
_STEPS_AFTER = 5
_FEW_NODES = 30
"""Up to this number of nodes a run whose moves were chosen is drawn node by node, on a ring too."""
_PANELS = 12
"""Panels of a picture, if nobody says which steps to show."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """The recorded steps of a run, ready to be looked at. Notebooks show it as a player.

    Attributes:
        trajectory: A run with recorded frames.
        title: A line above the picture.
        speed: Frames per second of a GIF, and of the page to start with, 0.1 to 50.
        colours: Colours of some states by name; the others keep their own.
        every: Every how many steps a frame was asked for. If nobody asked (None), a picture with panels shows at most
            12 of the frames.
        example: The inputs, right labels and answers of the nodes, if they are known: the page lists them, marks the
            wrong nodes, and begins at the step after which they are wrong.
    """

    trajectory: Trajectory
    title: str = ""
    speed: float = SPEED
    colours: Mapping[str, str] | None = None
    every: int | None = None
    example: Counterexample | None = None

    def __post_init__(self) -> None:
        if self.trajectory.states is None or self.trajectory.times is None:
            raise StateError("the run must have recorded frames: run with record='all' or record=k")
        if self.frames.shape[1] != self.graph.num_nodes or int(self.frames.max(initial=0)) >= self.fsa.num_states:
            raise StateError("the trajectory must be a run of this automaton on this graph")
        check_speed(self.speed)
        _ = self.state_colours  # Raises if one is no colour.

    @property
    def fsa(self) -> GraphFSA | StochasticFSA:
        """The automaton."""
        return self.trajectory.fsa

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.trajectory.graph

    @property
    def times(self) -> Array:
        """The step of each frame, int64 [frames]."""
        assert self.trajectory.times is not None
        return self.trajectory.times

    @property
    def frames(self) -> Array:
        """The states at these steps, uint8 [frames, num_nodes]."""
        assert self.trajectory.states is not None
        return self.trajectory.states

    @cached_property
    def state_colours(self) -> list[str]:
        """The colour of each state."""
        return state_colours(self.fsa, self.colours)

    @cached_property
    def layout(self) -> GraphLayout:
        """Where each node is drawn."""
        return graph_layout(self.graph, self.kind)

    @property
    def kind(self) -> Kind:
        """How the graph is drawn: who asks which nodes are wrong, or move, wants to see them, on a path too."""
        kind = layout_kind(self.graph)
        if kind == "line" and self.trajectory.movers is not None and self.graph.num_nodes <= _FEW_NODES:
            return "graph"
        return "graph" if kind == "line" and self.example is not None and self.graph.lattice is None else kind

    def save(self, path: str | Path) -> None:
        """Write the roll-out; the same run gives the same bytes.

        Lattices are drawn as grids of square or hexagonal cells, rows of cells as space-time diagrams (so are paths
        and cycles whose nodes are numbered one after the other), any other graph by its nodes and arcs, in the same
        places at every step.

        Args:
            path: A ``.png``, ``.svg`` or ``.pdf`` picture with a panel for each frame, an animated ``.gif``, or an
                ``.html`` page that needs nothing else: it plays the run and says of each node why it changed.

        Raises:
            LimitError: The file would be too large; the message says what to choose instead.
        """
        suffix = check_suffix(path, SUFFIXES)
        shown = self.panels() if suffix in PICTURES else self
        check_rollout(self.graph, len(shown.times), path)
        if suffix == ".gif":
            atomic_write(path, gif_bytes(shown))
        elif suffix == ".html":
            atomic_write(path, rollout_page(shown))
        else:
            atomic_write(path, figure_bytes(rollout_figure(shown), suffix))

    def html(self) -> str:
        """The page that plays the run."""
        check_rollout(self.graph, len(self.times), _PLAYER)
        return rollout_page(self)

    def panels(self) -> Rollout:
        """The frames that a still picture shows: at most 12, unless it was said which."""
        stride = _still_stride(len(self.times) - 1)
        if self.every is not None or stride == 1 or self.kind == "line":
            return self
        if self.trajectory.movers is not None and len(self.times) <= MAX_PANELS:
            return self
        chosen = np.unique(np.r_[0 : len(self.times) : stride, len(self.times) - 1])
        thinned = replace(self.trajectory, times=self.times[chosen], states=self.frames[chosen])
        return replace(self, trajectory=thinned)

    def _repr_html_(self) -> str:
        from graphfsa.views.notebooks import rollout_html

        return rollout_html(self)


def rollout(
    automaton: Model | GraphFSA | StochasticFSA | Trajectory | str | Path,
    graph: Any = None,
    states: Any = None,
    steps: int | Literal["stable"] | None = None,
    *,
    default: str | int | None = None,
    task: Dataset | str | None = None,
    size: int | None = None,
    every: int | None = None,
    speed: float = SPEED,
    colours: Mapping[str, str] | None = None,
    title: str | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    scheduler: Scheduler | str | None = None,
    faults: Fault | str | Sequence[Fault | str] = (),
) -> Rollout:
    """Run an automaton on a graph and draw the run, as ``graphfsa rollout`` does.

    Args:
        automaton: An automaton, with or without coins, a model that is one, the name of one in the library, or a
            file; or a trajectory with recorded frames, which is drawn as it is.
        graph: A graph (NetworkX, SciPy and PyG graphs too), ``FAMILY:ARGS`` such as ``tree:60``, or a file.
        states: The state of each node at step 0, ``random`` (the default), a description such as ``root:0``, or a file.
        default: If ``states`` is a dict: the state of the nodes that it leaves out.
        steps: Number of steps, or ``stable``: until the states repeat, and then for one period if they do not rest.
            That is the default; with ``task`` it is the steps of its labels, or fewer if all nodes come to rest.
        task: Instead of a graph: a data set, its name, or ``file.py:Class``. One of its graphs is drawn, with its
            inputs.
        size: With ``task``: number of nodes; 30 if not given.
        every: Show every k-th step and the last; each step if not given, in a picture with panels at most 12.
        speed: Frames per second of a GIF, and of the page to start with, 0.1 to 50.
        colours: Colours of some states by name, such as ``{"ill": "#d00"}``.
        title: A line above the picture; names of the automaton and the graph if not given.
        seed: Seed of random graphs and states, and of coins; the same seed gives the same run as ``graphfsa run``.
        out: A ``.png``, ``.svg``, ``.pdf``, ``.gif`` or ``.html`` file to write.
        scheduler: Who moves when, as for ``run``.
        faults: What goes wrong, as for ``run``.

    Returns:
        The roll-out: notebooks show it, and ``save`` writes it.

    Raises:
        LimitError: The file would be too large; the message says what to choose instead, before the run.

    Example:
        >>> found = rollout("distance", "star:5", "root:0")
        >>> found.times.tolist(), found.trajectory.stable_at
        ([0, 1, 2], 2)
    """
    check_speed(speed)
    target = _PLAYER if out is None else out
    check_suffix(target, SUFFIXES)
    if isinstance(automaton, Trajectory):
        if any(given is not None for given in (graph, states, steps, task, size, every, scheduler)) or faults:
            raise GraphFSAError(
                "a trajectory is drawn as it is: it goes without graph, states, steps, task, every, scheduler and "
                "faults"
            )
        found = Rollout(automaton, title or "", speed, colours)
    else:
        fsa, name = _resolve_automaton(automaton)
        state_colours(fsa, colours)  # Raises before the run if one is no colour.
        where, start, own_steps, where_name = _start(fsa, graph, states, default, task, size, check_seed(seed), target)
        how: dict[str, Any] = {"scheduler": scheduler, "faults": faults, "seed": seed}
        last, ahead = _last_step(fsa, where, start, steps, own_steps, how)
        stride = default_stride(where, last, target) if every is None else check_integer("every", every, 1)
        check_rollout(where, -(-last // stride) + 1, target)
        trajectory = run(fsa, where, start, last, record=stride, **how)
        if ahead is not None and ahead.stable_at is not None:
            trajectory = replace(trajectory, stable_at=ahead.stable_at, period=ahead.period)
        if title is None:
            title = f"{name} on {where_name}" if name else ""
        found = Rollout(trajectory, title, speed, colours, every)
    if out is not None:
        found.save(out)
    return found


def wrong_rollout(
    fsa: GraphFSA, states: Any, example: Counterexample, *, title: str = "", out: str | Path | None = None
) -> Rollout:
    """The run on a graph on which an automaton is wrong, a few steps beyond the one after which it is.

    Args:
        fsa: The automaton.
        states: The state of each node at step 0.
        example: The graph, its inputs, the right labels, and when what is wrong.
        title: A line above the picture.
        out: An ``.html`` file to write, or a picture.
    """
    steps = example.steps + _STEPS_AFTER
    every = max(1, -(-steps * example.graph.num_nodes // MAX_PAGE), -(-steps // (MAX_FRAMES - 1)))
    found = Rollout(run(fsa, example.graph, states, steps, record=every), title, SLOW, example=example)
    if out is not None:
        found.save(out)
    return found


def check_speed(speed: Any) -> None:
    """Raise unless this is a number of frames per second that can be shown."""
    if not (check_number("speed", speed) and 0.1 <= speed <= 50):
        raise GraphFSAError(f"speed must be from 0.1 to 50 frames per second; got {speed}")


# ---- what is drawn: people's own words for automata, graphs and states


def _resolve_automaton(given: Any) -> tuple[GraphFSA | StochasticFSA, str]:
    """The automaton that is meant, and its name; an empty one if it has none."""
    if isinstance(given, str | Path):
        return find_any_automaton(str(given)), _name(given)
    return given if isinstance(given, StochasticFSA) else as_model(given).automaton, ""


def _name(given: str | Path) -> str:
    """What a title calls a file or a library name: without directories."""
    return Path(given).name if is_file(str(given)) else str(given)


def _start(
    fsa: Any, graph: Any, states: Any, default: Any, task: Any, size: Any, seed: int, target: str | Path
) -> tuple[Graph, Any, int | None, str]:
    """The graph, the states at step 0, the number of steps that a task has, and a name for the graph."""
    if (task is None) == (graph is None):
        raise GraphFSAError("give either a graph or a task")
    if task is None:
        if size is not None:
            raise GraphFSAError("size goes with a task; a graph has its own")
        for_graph, for_states = np.random.default_rng(seed).spawn(2)
        where, name = _resolve_graph(graph, for_graph)
        check_rollout(where, 1, target)
        start = "random" if states is None else str(states) if isinstance(states, Path) else states
        if isinstance(start, str):
            start = parse_states(start, fsa, where, for_states)
        return where, node_states(fsa, where, start, default), None, name
    if states is not None:
        raise GraphFSAError("states go with a graph; a task has inputs of its own")
    dataset = as_dataset(task)
    count = TASK_SIZE if size is None else check_integer("size", size, 1)
    (rng,) = np.random.default_rng(seed).spawn(1)
    examples = dataset.generate(count, 1, rng)
    example = next(iter(examples))
    check_rollout(example.graph, 1, target)
    start = examples.task.starting_states(fsa, example.inputs)
    return example.graph, start, int(example.steps), f"{dataset.name}, {example.graph.num_nodes} nodes"


def _resolve_graph(given: Any, rng: np.random.Generator) -> tuple[Graph, str]:
    """The graph that is meant, and its name."""
    if not isinstance(given, str | Path):
        graph = as_graph(given)
        return graph, f"{graph.num_nodes:,} nodes"
    return find_graph(given, rng), _name(given)


def _last_step(
    fsa: Any, graph: Graph, start: Any, steps: Any, own_steps: int | None, how: dict[str, Any]
) -> tuple[int, Trajectory | None]:
    """The number of steps, and the run without any recording that it takes to know it, if it depends on the run."""
    if steps is not None and steps != "stable":
        return check_integer("steps", steps, or_else=" or 'stable'"), None
    if steps is None and own_steps is not None:  # Those of the task, or fewer if all nodes come to rest before.
        ahead = run(fsa, graph, start, own_steps, **how)
        return ahead.stable_at if ahead.period == 1 and ahead.stable_at is not None else own_steps, ahead
    ahead = run(fsa, graph, start, "stable", **how)
    if ahead.stable_at is None:
        raise LimitError(f"the states had not repeated after {ahead.steps:,} steps; give a number of steps")
    return ahead.stable_at + (0 if ahead.period == 1 else ahead.period or 1), ahead


# ---- limits


def check_rollout(graph: Graph, frames: int, path: str | Path) -> None:
    """Raise if this number of frames of a graph can't be drawn into such a file; costs next to nothing.

    Args:
        graph: The graph.
        frames: Number of frames.
        path: The file.

    Raises:
        LimitError: It would be too large; the message says what to choose instead.
        FormatError: The suffix is unknown.
    """
    suffix = check_suffix(path, SUFFIXES)
    kind = layout_kind(graph)
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
    has_panels = check_suffix(path, SUFFIXES) in PICTURES and layout_kind(graph) != "line"
    return _still_stride(steps) if has_panels else 1


def _still_stride(steps: int) -> int:
    return max(1, -(-steps // (_PANELS - 1)))


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
    return (1, graph.num_nodes) if layout_kind(graph) == "line" else (0, 0)
