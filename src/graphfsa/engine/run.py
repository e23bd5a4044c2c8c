"""The public entry: run an automaton on a graph (equations 1 and 2), by whichever kernel is fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.automaton.states import node_states, parse_states
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.checks import check_integer, check_name, check_seed, shown
from graphfsa.engine._drive import Drive, Progress
from graphfsa.engine._event import EventStepper
from graphfsa.engine._random import RandomStepper
from graphfsa.engine._stepper import Stepper
from graphfsa.engine.cluster import Cluster, Sharded, ShardedCoins, opened
from graphfsa.engine.coins import MAX_STEPS
from graphfsa.engine.faults import Fault
from graphfsa.engine.kernels import KERNELS, Kernel, make_stepper
from graphfsa.engine.scheduled import Schedule, all_changes, go_to
from graphfsa.engine.schedulers import Scheduler
from graphfsa.engine.threads import check_threads, default_threads
from graphfsa.engine.trajectory import Changes, Trajectory
from graphfsa.errors import AutomatonError, LimitError, StateError
from graphfsa.graphs import Graph, GraphLike, as_graph, find_graph

Record = Literal["all", "changes"] | int | None
MAX_RECORD_BYTES = 4 * 2**30
_MAX_STEPS = 2**62
_FRAME_BYTES = 200
"""What a frame costs beside its states."""


def run(
    fsa: Any,
    graph: GraphLike | str,
    states: ArrayLike | Sequence[str] | Mapping[Any, str | int] | str,
    steps: int | Literal["stable"],
    *,
    default: str | int | None = None,
    seed: int = 0,
    max_steps: int | None = None,
    record: Record = None,
    entries: bool = False,
    kernel: Kernel = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
    scheduler: Scheduler | str | None = None,
    faults: Fault | str | Sequence[Fault | str] = (),
    cluster: Cluster | str | None = None,
) -> Trajectory:
    """Run an automaton on a graph, all nodes at once in every step unless a scheduler says otherwise.

    The result does not depend on ``kernel``, ``threads`` or ``cluster``. Fixed points and cycles are noticed and the
    rest of the steps is jumped over, so a run costs at most a small multiple of the steps until its states repeat.

    Args:
        fsa: An automaton, a model that is one, the name of one in the library, or a file. One that moves at random
            takes its coins from the seed; see ``simulate`` for many runs of it.
        graph: A graph of ours, NetworkX, SciPy or PyG; ``FAMILY:ARGS`` such as ``tree:60``; or a file.
        states: The state of each node at step 0: indices or names of states, [num_nodes]; one-hot rows, [num_nodes,
            num_states]; a dict from node name (or number, if nodes have no names) to state; the name of one state for
            all nodes; ``"random"``, a description such as ``"root:0"``, or a file.
        default: If ``states`` is a dict: the state of the nodes that it leaves out.
        seed: Seed of random graphs and states that are given by name, and of the coins.
        steps: How many steps to make, or ``"stable"``: until the first step from which on the states repeat; with
            coins or a scheduler, from which on no node can move and no fault is still to come.
        max_steps: With ``"stable"``: give up after this number of steps; ``stable_at`` of the result is then None. By
            default twice the number of nodes, and at least 10,000; with a scheduler that moves one node at a time 100
            times the number of nodes, and at least 1,000,000.
        record: ``"all"`` keeps the states of every step, a number ``k`` those of every k-th and of the last,
            ``"changes"`` only what changed when; None only the last states.
        entries: Whether to count how often each (state, value) entry of the table is used.
        kernel: Which kernels to use; ``"auto"`` chooses. Changes and entries are always recorded by ``"event"``.
        threads: Number of threads; by default all cores (or ``GRAPHFSA_THREADS``).
        progress: Called with the current step several times a second.
        scheduler: Who moves when: a name such as ``"central"`` or ``"distributed:p=0.3"``, or an object of
            ``graphfsa.schedulers``. Its coins come from the seed.
        faults: What goes wrong: such as ``"crash:share=0.1,at=5"``, or objects of ``graphfsa.faults``; in the order in
            which they strike.
        cluster: Workers that share the graph: a ``Cluster``, or the address of one, such as ``"local:2"``. Such runs
            record frames only, and choose their kernels and threads themselves.

    Returns:
        The trajectory.

    Example:
        >>> from graphfsa import Graph, library, run
        >>> ring = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
        >>> run(library.distance(), ring, ["root", "node", "node", "node"], steps="stable").last.tolist()
        [0, 1, 0, 1]
        >>> run(library.distance(), ring, {0: "root"}, steps="stable", default="node").by_node()
        {0: 'even', 1: 'odd', 2: 'even', 3: 'odd'}
        >>> found = run("distance", "path:100", "root:0", "stable", scheduler="central", seed=1)
        >>> found.steps, found.moves, found.rounds
        (100, 100, 100)
    """
    began = perf_counter()
    fsa = find_any_automaton(fsa)
    if isinstance(graph, str | Path) or isinstance(states, str):
        for_graph, for_states = np.random.default_rng(check_seed(seed)).spawn(2)
        graph = find_graph(graph, for_graph) if isinstance(graph, str | Path) else graph
        states = _named_states(states, fsa, graph, for_states) if isinstance(states, str) else states
    graph = as_graph(graph)
    check_name("kernel", kernel, KERNELS)
    start = node_states(fsa, graph, states, default)
    aggregation: Aggregation = fsa.aggregation
    graph = aggregation.fitting(graph)
    until_stable = isinstance(steps, str)
    schedule = Schedule.of(scheduler, faults, fsa, graph)
    last_step = _last_step(steps, max_steps, _default_steps(schedule, graph))
    stride = _check_record(record, graph.num_nodes, last_step, until_stable)
    if entries and graph.num_nodes * last_step >= 2**63:
        raise LimitError(f"entry counts of {graph.num_nodes} nodes over {last_step} steps do not fit in 63 bits")
    num_threads = default_threads() if threads is None else check_threads(threads)
    if cluster is not None and (schedule or record == "changes" or entries or kernel != "auto" or threads is not None):
        raise StateError(
            "runs on a cluster record frames only, have no scheduler and no faults, and choose kernels and threads "
            "themselves; leave these out"
        )
    if schedule is not None:
        if entries or kernel != "auto":
            raise StateError("runs with a scheduler or faults count no entries, and have no choice of a kernel")
        schedule.check_steps(last_step)
        plan = _Plan(last_step, until_stable, stride, changes=record == "changes", entries=False)
        return _timed(began, _scheduled(fsa, graph, start, plan, schedule, check_seed(seed), progress))
    if isinstance(fsa, StochasticFSA):
        if record == "changes" or entries or kernel != "auto":
            raise StateError("runs with coins record frames only: no changes, no entries, and no choice of a kernel")
        if last_step >= MAX_STEPS:
            raise StateError(f"runs with coins may have less than 2^48 steps; got {last_step}")
    plan = _Plan(last_step, until_stable, stride, changes=record == "changes", entries=entries)
    if cluster is not None and graph.num_nodes:
        trajectory = _on_cluster(cluster, fsa, graph, start, plan, check_seed(seed), progress)
    elif isinstance(fsa, StochasticFSA):
        coins = RandomStepper(fsa, graph, start[None], check_seed(seed), 0, num_threads)
        trajectory = _with_coins(fsa, graph, start, plan, coins, progress)
    else:
        fresh = partial(make_stepper, fsa, graph, kernel, num_threads)
        trajectory = _execute(fsa, graph, start, plan, fresh, progress)
    return _timed(began, trajectory)


def _timed(began: float, trajectory: Trajectory) -> Trajectory:
    """A trajectory that nobody has seen yet, with its seconds; a copy would take a fifth of a short run."""
    object.__setattr__(trajectory, "seconds", perf_counter() - began)
    return trajectory


def _on_cluster(
    cluster: Cluster | str,
    fsa: GraphFSA | StochasticFSA,
    graph: Graph,
    start: Array,
    plan: _Plan,
    seed: int,
    progress: Progress | None,
) -> Trajectory:
    """One run whose nodes are shared among the workers of a cluster."""
    with opened(cluster) as crew, Sharded(crew, fsa, graph, seed) as shards:  # pyright: ignore[reportArgumentType]
        if isinstance(fsa, StochasticFSA):
            return _with_coins(fsa, graph, start, plan, shards.coins(start), progress)
        return _execute(fsa, graph, start, plan, shards.stepper, progress)


def _with_coins(
    fsa: StochasticFSA,
    graph: Graph,
    start: Array,
    plan: _Plan,
    stepper: RandomStepper | ShardedCoins,
    progress: Progress | None,
) -> Trajectory:
    """One run of an automaton that moves at random; at rest it jumps to the end."""
    last_step, until_stable, stride = plan.last_step, plan.until_stable, plan.stride
    frames: list[tuple[int, Array]] = []
    at_rest = False
    while stepper.time < last_step and not at_rest:
        if stride and stepper.time % stride == 0:
            frames.append((stepper.time, stepper.states[0].copy()))
            _check_bytes(len(frames) * (graph.num_nodes + _FRAME_BYTES), "the frames")
        target = min(last_step, (stepper.time // stride + 1) * stride) if stride else last_step
        at_rest = not stepper.advance(target - stepper.time)
        if progress is not None:
            progress(stepper.time)
    rest = int(stepper.rest[0])
    at_rest |= rest < stepper.time
    end = rest if at_rest and until_stable else stepper.time if not at_rest else last_step
    last = stepper.states[0].copy()
    times, states = _stack(frames, end, last) if stride else (None, None)
    stable_at, period = (rest, 1) if at_rest else (None, None)
    return Trajectory(fsa, graph, start.copy(), last, end, stable_at, period, "coins", times, states)


def _scheduled(
    fsa: Automaton,
    graph: Graph,
    start: Array,
    plan: _Plan,
    schedule: Schedule,
    seed: int,
    progress: Progress | None,
) -> Trajectory:
    """One run with a scheduler or faults; at rest it jumps to the end."""
    frames: list[tuple[int, Array]] = []
    stepper = schedule.stepper(fsa, graph, start, seed, changes=plan.changes)
    resting = False
    for target in plan.targets():
        resting = resting or not go_to(stepper, target, progress)
        _check_bytes(13 * stepper.num_changes, "the changes")
        if resting:
            break
        if plan.stride:
            frames.append((target, stepper.states.copy()))
            _check_bytes(len(frames) * (graph.num_nodes + _FRAME_BYTES), "the frames")
    resting = resting or stepper.at_rest()
    end = stepper.time if plan.until_stable or not resting else plan.last_step
    last = stepper.states.copy()
    times, states = _stack(frames, end, last) if plan.stride else (None, None)
    rest = (stepper.time, 1) if resting else (None, None)
    changes = all_changes(stepper) if plan.changes else None
    assert isinstance(fsa, GraphFSA | StochasticFSA)
    return Trajectory(
        fsa,
        graph,
        start.copy(),
        last,
        end,
        *rest,
        stepper.kernel,
        times,
        states,
        changes,
        scheduler=schedule.scheduler,
        faults=schedule.faults,
        moves=stepper.moves,
        rounds=stepper.rounds,
        clock=stepper.clock if schedule.scheduler.timed else None,
    )


def _named_states(text: str, fsa: Automaton, graph: Any, rng: np.random.Generator) -> Array:
    try:
        return parse_states(text, fsa, graph, rng)
    except AutomatonError as error:
        raise StateError(str(error)) from None


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
        fsa,
        graph,
        start.copy(),
        last,
        end,
        None if repeat is None else repeat[0],
        drive.period,
        stepper.kernel,
        times,
        states,
        changes,
        entries,
    )


def _stack(frames: list[tuple[int, Array]], end: int, last: Array) -> tuple[Array, Array]:
    kept = [frame for frame in frames if frame[0] < end] + [(end, last)]
    return np.array([time for time, _ in kept], np.int64), np.stack([states for _, states in kept])


def most_steps(steps: Any, max_steps: Any, fsa: Any, graph: Graph, scheduler: Any, faults: Any) -> int:
    """The number of steps that ``run`` makes at most."""
    return _last_step(steps, max_steps, _default_steps(Schedule.of(scheduler, faults, fsa, graph), graph))


def _default_steps(schedule: Schedule | None, graph: Graph) -> int:
    return max(10_000, 2 * graph.num_nodes) if schedule is None else schedule.default_steps(graph.num_nodes)


def _last_step(steps: Any, max_steps: Any, default: int) -> int:
    if steps == "stable":
        limit = default if max_steps is None else max_steps
        name = "max_steps"
    elif max_steps is not None:
        raise StateError("max_steps goes with steps='stable'")
    else:
        limit, name = steps, "steps"
    stable = " or 'stable'" if name == "steps" else ""
    if check_integer(name, limit, 0, error=StateError, or_else=stable) >= _MAX_STEPS:
        raise StateError(f"{name} must be less than 2^62; got {shown(limit)}")
    return int(limit)


def _check_record(record: Any, num_nodes: int, last_step: int, until_stable: bool) -> int:
    """The distance between frames; 0 for none."""
    if record is None or record == "changes":
        return 0
    stride = 1 if record == "all" else record
    stride = check_integer("record", stride, 1, error=StateError, or_else=", 'all', 'changes' or None")
    if not until_stable:
        _check_bytes((last_step // stride + 2) * (num_nodes + _FRAME_BYTES), "the frames")
    return stride


def _check_bytes(size: int, what: str) -> None:
    if size > MAX_RECORD_BYTES:
        raise LimitError(
            f"{what} would take {size / 2**30:,.1f} GiB; the limit is {MAX_RECORD_BYTES / 2**30:.0f} GiB. "
            "Record every k-th step with record=k, only record='changes', or make fewer steps"
        )
