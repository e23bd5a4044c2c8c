"""The public entry: run an automaton on a graph (equations 1 and 2), by whichever kernel is fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._choose import PATHS, Path, make_stepper
from graphfsa.engine._drive import Drive, Progress
from graphfsa.engine._event import EventStepper
from graphfsa.engine._stepper import Stepper
from graphfsa.engine._threads import check_threads, default_threads
from graphfsa.engine.trajectory import Changes, Trajectory
from graphfsa.errors import LimitError, StateError, UnknownNameError
from graphfsa.graphs.graph import Graph

Record = Literal["all", "changes"] | int | None
MAX_RECORD_BYTES = 4 * 2**30
_FRAME_BYTES = 200
"""What a frame costs beside its states."""


def run(
    fsa: GraphFSA,
    graph: Graph,
    states: ArrayLike | Sequence[str],
    steps: int | Literal["stable"],
    *,
    max_steps: int | None = None,
    record: Record = None,
    entries: bool = False,
    path: Path = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Trajectory:
    """Run an automaton on a graph, all nodes at once in every step.

    The result does not depend on ``path`` or ``threads``. Fixed points and cycles are noticed and the rest of the
    steps is jumped over, so a run costs at most a small multiple of the steps until its states repeat.

    Args:
        fsa: The automaton.
        graph: The graph.
        states: The state of each node at step 0, by index or by name, [num_nodes].
        steps: How many steps to make, or ``"stable"``: until the first step from which on the states repeat.
        max_steps: With ``"stable"``: give up after so many steps; by default twice the number of nodes, and at least
            10,000. Then ``stable_at`` of the result is None.
        record: ``"all"`` keeps the states of every step, a number ``k`` those of every k-th and of the last,
            ``"changes"`` only what changed when; None only the last states.
        entries: Whether to count how often each (state, value) entry of the table is used.
        path: Which kernels to use; ``"auto"`` chooses. Changes and entries are always recorded by ``"event"``.
        threads: Number of threads; by default all cores (or ``GRAPHFSA_THREADS``).
        progress: Called with the current step several times a second.

    Returns:
        The trajectory.

    Example:
        >>> from graphfsa import Graph, library, run
        >>> ring = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
        >>> run(library.distance(), ring, ["root", "node", "node", "node"], steps="stable").last.tolist()
        [0, 1, 0, 1]
    """
    began = perf_counter()
    if not isinstance(fsa, GraphFSA):
        raise StateError(
            f"run needs a GraphFSA first; got {type(fsa).__name__} (library.library_automaton finds names)"
        )
    if not isinstance(graph, Graph):
        raise StateError(
            f"run needs a Graph; got {type(graph).__name__} "
            "(graphfsa.graphs has from_networkx, from_scipy and from_pyg, graphfsa.families the rest)"
        )
    if not isinstance(path, str) or path not in PATHS:
        raise UnknownNameError("path", str(path), PATHS)
    start = check_states(fsa, graph, states)
    fsa.aggregation.check_graph(graph)
    until_stable = isinstance(steps, str)
    last_step = _last_step(steps, max_steps, graph.num_nodes)
    stride = _check_record(record, graph.num_nodes, last_step, until_stable)
    if entries and graph.num_nodes * last_step >= 2**63:
        raise LimitError(f"entry counts of {graph.num_nodes} nodes over {last_step} steps do not fit in 63 bits")
    num_threads = default_threads() if threads is None else check_threads(threads)
    plan = _Plan(last_step, until_stable, stride, changes=record == "changes", entries=entries)
    trajectory = _execute(fsa, graph, start, plan, lambda: make_stepper(fsa, graph, path, num_threads), progress)
    return replace(trajectory, seconds=perf_counter() - began)


def check_states(fsa: GraphFSA, graph: Graph, states: Any) -> Array:
    """A fresh uint8 array of states, one per node, from indices or names.

    Raises:
        StateError: If there are too few, too many, or one is not a state of the automaton.
    """
    try:
        given = np.asarray(states)
        given = given.astype(str) if given.dtype.kind == "S" else given
    except ValueError:
        raise StateError("states must be a list of state names or whole numbers") from None
    if given.size == 0 and given.ndim == 1:
        given = given.astype(np.int64)
    if given.shape != (graph.num_nodes,):
        raise StateError(
            f"states must have one entry per node, shape [{graph.num_nodes}]; got shape {list(given.shape)}"
        )
    if given.dtype.kind == "b":
        given = given.astype(np.uint8)
    if given.dtype.kind == "U":
        names, places = np.unique(given, return_inverse=True)
        unknown = [name for name in names if name not in fsa.state_names]
        if unknown:
            node = int(np.flatnonzero(given == unknown[0])[0])
            raise StateError(
                f"state of node {node} must be one of {', '.join(fsa.state_names)}; got {str(unknown[0])!r}"
            )
        given = np.array([fsa.state_names.index(name) for name in names], np.int64)[places]
    if given.dtype.kind not in "iu":
        raise StateError(f"states must be whole numbers or state names; got {given.dtype}")
    wrong = np.flatnonzero((given < 0) | (given >= fsa.num_states))
    if len(wrong):
        raise StateError(f"state of node {wrong[0]} must be in 0 .. {fsa.num_states - 1}; got {given[wrong[0]]}")
    return given.astype(np.uint8)


@dataclass(frozen=True)
class _Plan:
    """What a run is to do, checked: at most ``last_step`` steps, a frame every ``stride`` (0: none)."""

    last_step: int
    until_stable: bool
    stride: int
    changes: bool
    entries: bool

    def targets(self) -> Iterator[int]:
        """Steps at which to stop and look."""
        if self.stride:
            yield from range(0, self.last_step, self.stride)
        yield self.last_step


def _execute(
    fsa: GraphFSA, graph: Graph, start: Array, plan: _Plan, fresh: Callable[[], Stepper], progress: Progress | None
) -> Trajectory:
    recorder = None
    if plan.changes or plan.entries:
        recorder = EventStepper(fsa, graph, entries=plan.entries, changes=plan.changes)
    stepper = recorder or fresh()
    stepper.load(start)
    drive = Drive(stepper, start, fresh, progress)
    frames: list[tuple[int, Array]] = []
    covered = None
    for target in plan.targets():
        while drive.time < target and not (plan.until_stable and drive.period):
            drive.go_to(target)
            if recorder is not None:
                _check_bytes(13 * recorder.num_changes, "the changes")
                if covered is None and drive.period:
                    covered = drive.time
                    recorder.stop_log()
        if plan.until_stable and drive.period:
            break
        if plan.stride:
            frames.append((target, stepper.states()))
            _check_bytes(len(frames) * (graph.num_nodes + _FRAME_BYTES), "the frames")
    repeat = drive.preperiod()
    end, last = (drive.time, stepper.states()) if repeat is None or not plan.until_stable else repeat
    entries = None
    if recorder is not None and plan.entries:
        entries = recorder.entry_counts(drive.time)
        if end != drive.time:  # It stopped inside a cycle, past the step that counts.
            again = replace(plan, last_step=end, until_stable=False, stride=0, changes=False)
            entries = _execute(fsa, graph, start, again, fresh, progress).entries
    times, states = _stack(frames, end, last) if plan.stride else (None, None)
    changes = None
    if recorder is not None and plan.changes:
        changes = Changes(*recorder.logged_changes(), until=drive.time if covered is None else covered)
    return Trajectory(
        start.copy(),
        last,
        end,
        None if repeat is None else repeat[0],
        drive.period,
        stepper.path,
        times,
        states,
        changes,
        entries,
    )


def _stack(frames: list[tuple[int, Array]], end: int, last: Array) -> tuple[Array, Array]:
    kept = [frame for frame in frames if frame[0] < end] + [(end, last)]
    return np.array([time for time, _ in kept], np.int64), np.stack([states for _, states in kept])


def _last_step(steps: Any, max_steps: Any, num_nodes: int) -> int:
    if steps == "stable":
        limit = max(10_000, 2 * num_nodes) if max_steps is None else max_steps
        name = "max_steps"
    elif max_steps is not None:
        raise StateError("max_steps goes with steps='stable'")
    else:
        limit, name = steps, "steps"
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or not 0 <= limit < 2**62:
        words = " or 'stable'" if name == "steps" else ""
        raise StateError(f"{name} must be a whole number of at least 0{words}; got {limit!r}")
    return int(limit)


def _check_record(record: Any, num_nodes: int, last_step: int, until_stable: bool) -> int:
    """The distance between frames; 0 for none."""
    if record is None or record == "changes":
        return 0
    stride = 1 if record == "all" else record
    if isinstance(stride, bool) or not isinstance(stride, int | np.integer) or stride < 1:
        raise StateError(f"record must be 'all', 'changes', a whole number of at least 1 or None; got {record!r}")
    if not until_stable:
        _check_bytes((last_step // int(stride) + 2) * (num_nodes + _FRAME_BYTES), "the frames")
    return int(stride)


def _check_bytes(size: int, what: str) -> None:
    if size > MAX_RECORD_BYTES:
        raise LimitError(
            f"{what} would take {size / 2**30:,.1f} GiB; the limit is {MAX_RECORD_BYTES / 2**30:.0f} GiB. "
            "Record every k-th step with record=k, only record='changes', or make fewer steps"
        )
