"""A run that is spread over workers: the steppers that drive it from here, and what happens when a worker is lost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from time import monotonic
from typing import Any, Protocol, TypeVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.engine._stepper import Outcome, Stepper
from graphfsa.engine.cluster.partition import partition
from graphfsa.engine.cluster.pieces import Cutter, Piece
from graphfsa.engine.cluster.shard import Summary
from graphfsa.engine.cluster.strips import Strips
from graphfsa.errors import LostClusterError
from graphfsa.graphs import Graph

_MOST_CALLS = 32
"""Calls to a worker that may wait at once."""
_PAUSE = 0.2
"""Seconds after which fewer calls are made at once, so that interrupts and progress are served."""
_MOST_LOSSES = 8
"""Workers that may be lost before one step is made."""
_WATCH = 0.5
"""Seconds between two reports of how workers do."""
_T = TypeVar("_T")


class WorkerLostError(Exception):
    """A worker is gone, or what it had to tell is."""


class Crew(Protocol):
    """Workers that can be called; a call gives a ticket for what comes back, which can be handed on to other calls."""

    size: int
    minutes: float
    facts: dict[str, Any] | None
    watch: Callable[[dict[str, Any]], None] | None

    def call(self, worker: int, method: str, *arguments: Any, results: int = 1) -> Any:
        """Call a method of a worker; a ticket, or one for each result."""
        ...

    def share(self, value: Any) -> Any:
        """A ticket for a value that several workers need."""
        ...

    def get(self, tickets: list[Any]) -> list[Any]:
        """What the calls have given.

        Raises:
            WorkerLostError: A worker is gone.
        """
        ...

    def replace_lost(self) -> list[int]:
        """Start others for the workers that are gone; their numbers."""
        ...

    def threads(self, worker: int) -> int:
        """Number of threads for a worker."""
        ...


class Sharded:
    """A graph and an automaton on the workers of a crew, for as many runs as are needed at once.

    Args:
        crew: The workers.
        fsa: The automaton.
        graph: The graph; it has nodes.
        seed: Seed of the coins.
    """

    _keys = count()

    def __init__(self, crew: Crew, fsa: Automaton, graph: Graph, seed: int) -> None:
        self._crew = crew
        self._key = next(Sharded._keys)
        self._about = (fsa, seed)
        parts = min(crew.size, graph.num_nodes)
        deep = not isinstance(fsa, StochasticFSA)
        self._cutter = (
            Strips(graph.lattice, parts)
            if deep and graph.lattice is not None and Strips.fits(graph, parts)
            else Cutter(graph, partition(graph, parts), deep=deep)
        )
        self.plan = self._cutter.plan
        self.parts = parts
        self._routes: dict[int, tuple[list[int], list[int]]] = {}
        self._runs: dict[int, _Run] = {}
        self._numbers = count()
        self.busy, self.sent, self.losses = np.zeros(parts), 0, 0
        self._said = monotonic()
        self._bare = set(range(parts))
        self.attempt(self._ship)

    def stepper(self) -> ShardedStepper:
        """A run by a table."""
        return ShardedStepper(self)

    def coins(self, start: Array) -> ShardedCoins:
        """A run with coins."""
        return ShardedCoins(self, start)

    def __enter__(self) -> Sharded:
        return self

    def __exit__(self, *error: object) -> None:
        """Let the workers forget it; those that are gone have."""
        self._crew.facts = self.facts()
        for worker in range(self.parts):
            self._crew.call(worker, "end", self._key)

    def facts(self) -> dict[str, Any]:
        """How the graph was cut, and how the workers did."""
        mean = float(self.busy.mean())
        return {
            "workers": self.parts,
            "cut": self.plan.cut,
            "rim": int(sum(self.plan.rims)),
            "steps_per_call": self.plan.depth,
            "busy_seconds": [round(float(seconds), 3) for seconds in self.busy],
            "imbalance": round(float(self.busy.max()) / mean, 3) if mean else 1.0,
            "slowest": int(self.busy.argmax()),
            "bytes_told": self.sent,
            "workers_lost": self.losses,
        }

    def attempt(self, action: Callable[[], _T]) -> _T:
        """Do something with the workers; if one is lost meanwhile, begin its runs again where they were saved."""
        for _ in range(_MOST_LOSSES):
            try:
                return action()
            except WorkerLostError as error:
                self._recover(error)
        raise LostClusterError(f"workers were lost {_MOST_LOSSES} times before one step was made; giving up")

    def _recover(self, error: Exception) -> None:
        for _ in range(_MOST_LOSSES):
            try:
                lost = self._crew.replace_lost()
                self.losses += len(lost)
                self._bare |= {worker for worker in lost if worker < self.parts}
                self._ship()
                for run in list(self._runs.values()):
                    run.restore()
                return
            except WorkerLostError as again:
                error = again
        raise LostClusterError(f"workers are lost as fast as they are started: {error}")

    def _ship(self) -> None:
        """Give pieces to workers that have none, one after the other: a piece takes as much memory here as there."""
        fsa, seed = self._about
        for part in sorted(self._bare):
            piece = self._cutter.piece(part)
            self._routes[part] = ([other for other, _ in piece.sends], [other for other, _ in piece.hears])
            self._crew.get([self._begin(part, fsa, piece, seed)])
            self._bare.discard(part)

    def _begin(self, part: int, fsa: Any, piece: Piece, seed: int) -> Any:
        return self._crew.call(part, "begin", self._key, fsa, piece, self._crew.threads(part), seed)

    def add(self, run: _Run) -> int:
        """The number of a new run."""
        number = next(self._numbers)
        self._runs[number] = run
        return number

    def on_all(self, method: str, *arguments: Any) -> list[Any]:
        """Call all workers, and wait."""
        return self._crew.get([self._crew.call(part, method, self._key, *arguments) for part in range(self.parts)])

    def share(self, value: Any) -> Any:
        """A ticket for a value."""
        return self._crew.share(value)

    def minutes(self) -> float:
        """Minutes after which states are saved."""
        return self._crew.minutes

    def superstep(self, run: int, steps: int, told: dict[tuple[int, int], Any]) -> tuple[list[Any], Any]:
        """Call all workers to make steps, without waiting: tickets for summaries, and for what they tell each other."""
        nothing = np.empty(0, np.uint8)
        summaries, telling = list[Any](), dict[tuple[int, int], Any]()
        for part in range(self.parts):
            sends, hears = self._routes[part]
            messages = [told.get((other, part), nothing) for other in hears]
            tickets = self._crew.call(part, "step", self._key, run, steps, *messages, results=1 + len(sends))
            first, *rest = tickets if sends else [tickets]
            summaries.append(first)
            telling |= {(part, other): ticket for other, ticket in zip(sends, rest, strict=True)}
        return summaries, telling

    def collect(self, tickets: list[list[Any]]) -> tuple[Array, Array]:
        """For each step, whether some node moved, and whether all are at the mark."""
        flat = self._crew.get([ticket for each in tickets for ticket in each])
        found: list[list[Summary]] = [flat[place : place + self.parts] for place in range(0, len(flat), self.parts)]
        for each in found:
            self.busy += [summary.seconds for summary in each]
            self.sent += sum(summary.sent for summary in each)
        if self._crew.watch is not None and monotonic() > self._said + _WATCH:
            self._said = monotonic()
            self._crew.watch(self.facts())
        moved = np.concatenate([np.any([summary.moved for summary in each], axis=0) for each in found])
        marked = np.concatenate([np.all([summary.marked for summary in each], axis=0) for each in found])
        return moved, marked


class _Run:
    """One run on the workers, which can be begun again where it was saved."""

    def __init__(self, shards: Sharded) -> None:
        self._shards = shards
        self._number = shards.add(self)
        self._told: dict[tuple[int, int], Any] = {}
        self._made = 0
        self._saved: tuple[int, Array] | None = None
        self._saved_at = monotonic()
        self._mark: Array | None = None
        self._calls = 1

    def restore(self) -> None:
        """Go back to where it was saved, and make the steps again that were made since."""
        if self._saved is None:
            return
        time, states = self._saved
        self._load(states, time)
        if self._mark is not None:
            self._shards.on_all("set_mark", self._number, self._shards.share(self._mark))
        while time < self._made:
            moved, _ = self._steps(self._made - time)
            time += len(moved)

    def _begin(self, states: Array, time: int) -> None:
        self._made, self._saved, self._saved_at = time, (time, states.copy()), monotonic()
        self._shards.attempt(lambda: self._load(states, time))

    def _load(self, states: Array, time: int) -> None:
        self._told = {}
        self._shards.on_all("load", self._number, self._shards.share(states), time)

    def _steps(self, limit: int) -> tuple[Array, Array]:
        """Make up to this number of steps, all calls at once."""
        tickets, made, depth, began = list[list[Any]](), 0, self._shards.plan.depth, monotonic()
        while made < limit and len(tickets) < self._calls:
            steps = min(depth, limit - made)
            summaries, self._told = self._shards.superstep(self._number, steps, self._told)
            tickets.append(summaries)
            made += steps
        found = self._shards.collect(tickets)
        self._calls = min(_MOST_CALLS, 2 * self._calls) if monotonic() - began < _PAUSE else -(-self._calls // 2)
        return found

    def _gather(self) -> Array:
        states = np.empty(len(self._shards.plan.order), np.uint8)
        found = self._shards.attempt(lambda: self._shards.on_all("states", self._number))
        states[self._shards.plan.order] = np.concatenate(found)
        return states

    def _save_now_and_then(self) -> None:
        if monotonic() > self._saved_at + 60 * self._shards.minutes():
            self._saved, self._saved_at = (self._made, self._gather()), monotonic()


class ShardedStepper(_Run, Stepper):
    """Steps by a table, for the driver of a run."""

    kernel = "cluster"

    def load(self, states: Array) -> None:
        """See ``Stepper``."""
        self._begin(np.ascontiguousarray(states, np.uint8), 0)

    def states(self) -> Array:
        """See ``Stepper``."""
        return self._gather()

    def set_mark(self, states: Array | None) -> None:
        """See ``Stepper``."""
        self._mark = states
        shared = None if states is None else self._shards.share(states)
        self._shards.attempt(lambda: self._shards.on_all("set_mark", self._number, shared))

    def advance(self, limit: int) -> tuple[int, Outcome]:
        """See ``Stepper``."""
        moved, marked = self._shards.attempt(lambda: self._steps(limit))
        resting, back = _first(~moved), _first(marked)
        if resting <= back and resting < len(moved):
            self._made += resting  # Steps beyond have changed nothing.
            return resting, Outcome.FIXED
        if back < len(moved):
            assert self._mark is not None
            self._made += back + 1
            if back + 1 < len(moved):
                self._begin(self._mark, self._made)
                self.set_mark(self._mark)
            return back + 1, Outcome.RETURNED
        self._made += len(moved)
        self._save_now_and_then()
        return len(moved), Outcome.RUNNING


class ShardedCoins(_Run):
    """Steps with coins; as ``RandomStepper``, for one run.

    Attributes:
        time: The current step.
    """

    def __init__(self, shards: Sharded, start: Array) -> None:
        super().__init__(shards)
        self._begin(start, 0)

    @property
    def time(self) -> int:
        """The current step."""
        return self._made

    @property
    def states(self) -> Array:
        """The current states, uint8 [1, num_nodes]."""
        return self._gather()[None]

    @property
    def rest(self) -> Array:
        """The step from which on no node could move, as far as it was run, uint64 [1]."""
        return np.array([self._made], np.uint64)

    def advance(self, limit: int) -> bool:
        """Make up to this number of steps; False if no node can move after those that were made."""
        moved, _ = self._shards.attempt(lambda: self._steps(limit))
        resting = _first(~moved)
        self._made += resting
        if resting < len(moved):
            return False
        self._save_now_and_then()
        return True


def _first(flags: Array) -> int:
    """The place of the first flag that is set; the number of flags if none is."""
    return int(flags.argmax()) if flags.any() else len(flags)
