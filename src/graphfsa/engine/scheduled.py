"""Runs with schedulers and faults: from what the user says to a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.engine._drive import Progress
from graphfsa.engine._scheduled import ScheduledStepper
from graphfsa.engine.coins import MAX_STEPS
from graphfsa.engine.faults import Fault, find_faults
from graphfsa.engine.reference_scheduled import PlainStepper
from graphfsa.engine.schedulers import Scheduler, Synchronous, find_scheduler
from graphfsa.engine.trajectory import Changes
from graphfsa.errors import LimitError, StateError
from graphfsa.graphs.graph import Graph

MAX_BYTES = 8 * 2**30
_ARC_BYTES, _NODE_BYTES = 5, 40
MovesStepper = ScheduledStepper | PlainStepper


@dataclass(frozen=True)
class Schedule:
    """Who moves when, and what goes wrong, checked against an automaton and a graph.

    Attributes:
        scheduler: The scheduler.
        faults: The faults, in the order in which they strike.
    """

    scheduler: Scheduler
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, scheduler: Any, faults: Any, fsa: Automaton, graph: Graph) -> Schedule | None:
        """What the user says; None if nobody says anything: then all nodes move at once, and nothing goes wrong."""
        if scheduler is None and faults == ():
            return None
        found = find_faults(faults)
        if scheduler is None and not found:
            return None
        size = _ARC_BYTES * graph.num_arcs + _NODE_BYTES * graph.num_nodes
        if size > MAX_BYTES:
            raise LimitError(
                "a run with a scheduler or faults keeps the neighbours of every node; for "
                f"{graph.num_nodes:,} nodes and {graph.num_arcs:,} arcs that takes about {size / 2**30:,.0f} GiB, and "
                f"the limit is {MAX_BYTES / 2**30:.0f} GiB. Choose a smaller graph, or let all nodes move at once"
            )
        schedule = cls(Synchronous() if scheduler is None else find_scheduler(scheduler), found)
        schedule.scheduler.check(graph)
        for fault in found:
            fault.check(fsa, graph)
        return schedule

    def stepper(
        self, fsa: Automaton, graph: Graph, states: Array, seed: int, replicate: int = 0, *, changes: bool = False
    ) -> MovesStepper:
        """A run: compiled, or by the plain specification if some part has no compiled form."""
        compiled = type(self.scheduler).compiled_choose is not None and all(fault.compiled for fault in self.faults)
        kind = ScheduledStepper if compiled else PlainStepper
        return kind(fsa, graph, states, self.scheduler, self.faults, seed, replicate, changes=changes)

    def default_steps(self, num_nodes: int) -> int:
        """After how many steps to give up if nobody says so."""
        limit = max(10**6, 100 * num_nodes) if self.scheduler.one_by_one else max(10_000, 2 * num_nodes)
        own = self.scheduler.num_steps()
        return limit if own is None else min(limit, own)

    def check_steps(self, steps: int) -> None:
        """Raise unless this number of steps can be made."""
        own = self.scheduler.num_steps()
        if own is not None and steps > own:
            raise StateError(f"the scheduler {self.scheduler.name} has {own} steps; got steps={steps}")
        if steps >= MAX_STEPS:
            raise StateError(f"runs with a scheduler may have less than 2^48 steps; got {steps}")


def go_to(stepper: MovesStepper, target: int, progress: Progress | None = None) -> bool:
    """Make steps until a step; False if the run came to rest before."""
    while stepper.time < target:
        going = stepper.advance(target)
        if progress is not None:
            progress(stepper.time)
        if not going:
            return False
    return True


def all_changes(stepper: MovesStepper) -> Changes:
    """Every change so far: sorted by step and node, with the last word on each."""
    times, nodes, states = stepper.logged_changes()
    order = np.lexsort((nodes, times))
    times, nodes, states = times[order], nodes[order], states[order]
    last = np.ones(len(times), bool)
    last[:-1] = (times[1:] != times[:-1]) | (nodes[1:] != nodes[:-1])
    return Changes(times[last], nodes[last], states[last], until=stepper.time)


def moves_of(changes: Changes) -> Sequence[list[int]]:
    """Which nodes changed in each step, for ``Given``: a run without coins and faults, to be played again.

    Example:
        >>> from graphfsa import families, library, run, schedulers
        >>> found = run("distance", "path:6", "root:0", "stable", scheduler="central", record="changes", seed=3)
        >>> again = schedulers.Given(moves_of(found.changes))
        >>> run("distance", "path:6", "root:0", "stable", scheduler=again).digest == found.digest
        True
    """
    cuts = np.searchsorted(changes.times, np.arange(1, changes.until + 2))
    return [changes.nodes[begin:end].tolist() for begin, end in pairwise(cuts)]
