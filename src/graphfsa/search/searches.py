"""The compiled searches as objects: evaluation of a table, lazy assignment, annealing."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine import compile_kernel
from graphfsa.search import anneal_kernels as annealing
from graphfsa.search import kernels
from graphfsa.search.budget import Budget
from graphfsa.search.completion import neighbours
from graphfsa.search.problem import Problem

_MAX_LEVELS = 4096
_MAX_ROOM = 2**29
"""Bytes that annealing may take."""
_LAZY = 0.5
"""How long a node-step of lazy assignment takes, compared with one of the search among letters."""
_ITERATION = 10
"""Node-steps that an iteration of annealing counts for, beside its roll-outs."""
_HELPERS: dict[str, dict[str, Any]] = {
    "first_entries": {},
    "evaluate": {"roll_out": kernels.roll_out_graph},
    "search": {
        "draw": kernels.random_below,
        "decide": kernels.decide_entry,
        "differs": kernels.ends_otherwise,
        "play": kernels.play_graph,
        "explain": kernels.explain_conflict,
        "jump_back": kernels.jump_to_reason,
    },
    "anneal": {
        "draw": kernels.random_below,
        "roll_out": kernels.roll_out_graph,
        "again": annealing.use_again,
        "accept": annealing.accept_uses,
    },
}


@lru_cache(maxsize=32)
def _compiled(kernel: Callable[..., Any], encode: Callable[..., int]) -> Callable[..., Any]:
    helpers = _HELPERS.get(kernel.__name__, _HELPERS["anneal"])
    return compile_kernel(kernel, encode_node=encode, **helpers)


def _call(kernel: Callable[..., Any], problem: Problem, *arguments: Any) -> Any:
    return _compiled(kernel, problem.encoder.function)(problem.arrays, *arguments)


def _scratch(problem: Problem) -> Array:
    return np.zeros(problem.shape.num_states, np.int64)


def _seeded(seed: int) -> Array:
    """The state of a generator for the kernels."""
    return np.array([seed * 0x2545F4914F6CDD1D + 1 & 2**64 - 1], np.uint64)


def evaluate(problem: Problem, table: Array) -> tuple[Array, Array, Array]:
    """Run a complete table on all graphs.

    Returns:
        Number of wrong nodes of each graph, int64; number of graphs that use each entry, int64 as the table; the last
        state of each node, uint8.
    """
    wrong = np.zeros(len(problem.examples), np.int64)
    seen = np.zeros(table.size, np.int64)
    last = np.empty(len(problem.start), np.uint8)
    flat = np.ascontiguousarray(table, np.int16).reshape(-1)
    _call(kernels.evaluate, problem, flat, wrong, seen, last, _scratch(problem))
    return wrong, seen.reshape(table.shape), last


def tabulate(problem: Problem) -> tuple[Array, Array]:
    """Read the entries off data whose labels are the states one step later.

    Returns:
        The entry that each node uses, int64; how often each entry is seen with each successor, weighted by the counts
        of the graphs, int64 [number of entries, num_states].
    """
    shape = problem.shape
    entries = np.empty(len(problem.start), np.int64)
    _call(kernels.first_entries, problem, entries, _scratch(problem))
    votes = np.zeros((shape.num_states * shape.num_values, shape.num_states), np.int64)
    weights = np.repeat(problem.examples.counts, problem.examples.sizes)
    counted = problem.target >= 0
    np.add.at(votes, (entries[counted], problem.target[counted]), weights[counted])
    return entries, votes


class LazySearch:
    """Depth-first search that assigns entries when they are needed; it can be paused and resumed.

    Args:
        problem: What to fit.
        mode: Which successor to try first: 0 the label, then staying; 1 staying; 2 and 3 the same with the others in
            random order; 5 all in random order.
        seed: Seed of the random orders.
        question: A graph that must get other answers, and the state of each node of the problem that answers, -1 for
            any that is not final; and the graphs that must get their targets. By default all must.

    Attributes:
        outcome: ``"paused"``, ``"found"``, ``"exhausted"`` (nothing fits, or nothing more) or ``"too deep"``.
    """

    _OUTCOMES = ("paused", "found", "exhausted", "too deep")

    def __init__(
        self, problem: Problem, mode: int, seed: int = 0, question: tuple[int, Array, Array] | None = None
    ) -> None:
        shape = problem.shape
        self.problem = problem
        self._arrays = problem.arrays
        if question is not None:
            graph, answers, order = question
            self._arrays = self._arrays._replace(
                question=graph, answers=answers.astype(np.int16), order=np.r_[graph, order].astype(np.int64)
            )
        self.outcome = "paused"
        self._mode = mode
        self._table = shape.empty_table().reshape(-1)
        levels = min(shape.num_entries, _MAX_LEVELS)
        words = levels // 64 + 1
        self._control = np.zeros(kernels.NUM_CONTROLS, np.int64)
        self._generator = _seeded(seed)
        nodes = len(problem.start)
        self._decisions = kernels.Decisions(
            table=self._table,
            level_of=np.full(self._table.size, -1, np.int64),
            entry_at=np.zeros(levels, np.int64),
            graph_at=np.zeros(levels, np.int64),
            used_before=np.full(levels + 2, shape.first_alike, np.int64),
            candidates=np.zeros((levels, shape.num_states + 2), np.int64),
            number=np.zeros(levels, np.int64),
            pointer=np.zeros(levels, np.int64),
            conflict_sets=np.zeros((levels, words), np.uint64),
            reason=np.zeros(words, np.uint64),
            history=np.zeros(problem.max_history + 1, np.int64),
            marks=np.zeros(problem.max_history + 1, np.uint8),
            states=np.empty(nodes, np.uint8),
            after=np.empty(nodes, np.uint8),
            scratch=_scratch(problem),
        )

    def advance(self, work: int, budget: Budget | None = None) -> str:
        """Go on for about this number of node-steps, which are spent; returns the outcome so far."""
        if self.outcome == "paused":
            before = self.work
            control = (self._control, self._generator, self._mode, work)
            kernel = _compiled(kernels.search, self.problem.encoder.function)
            self.outcome = self._OUTCOMES[kernel(self._arrays, self._decisions, *control)]
            if budget is not None:
                budget.spend(_LAZY * (self.work - before))
        return self.outcome

    def forget(self) -> None:
        """After a success: go on to the next one that differs in an entry that the graphs use."""
        assert self.outcome == "found"
        self._control[kernels.AGAIN] = 1
        self.outcome = "paused"

    @property
    def table(self) -> Array:
        """The table so far, int16 [num_states, num_values]; -1 where no graph needed an entry."""
        return self._table.reshape(self.problem.shape.num_states, -1).copy()

    @property
    def work(self) -> int:
        """Node-steps so far."""
        return int(self._control[kernels.WORK])

    @property
    def conflicts(self) -> int:
        """Conflicts so far."""
        return int(self._control[kernels.CONFLICTS])


class Annealing:
    """Simulated annealing on a complete table: towards fewer wrong nodes, or towards simplicity without any.

    Args:
        problem: What to fit.
        table: The table to begin with, complete.
        simplify: Whether to look for a simple table, none of whose labels is wrong (then the given one must fit); the
            energy is the number of neighbouring values with different successors. Otherwise it is the number of wrong
            nodes.
        iterations: Length of the schedule.
        heat: First and last temperature.
        seed: Seed.
    """

    def __init__(
        self, problem: Problem, table: Array, *, simplify: bool, iterations: int, heat: tuple[float, float], seed: int
    ) -> None:
        self.problem = problem
        self.done = 0
        self.iterations = iterations
        self._kernel = annealing.simplify if simplify else annealing.repair
        shape = problem.shape
        guide = neighbours(shape.aggregation, shape.num_states) if simplify else problem.examples.counts.astype(float)
        self._guide, self._heat = guide, heat
        self._table = np.ascontiguousarray(table, np.int16).reshape(-1).copy()
        self._best = self._table.copy()
        self._control = np.zeros(kernels.NUM_CONTROLS, np.int64)
        self._energy = np.zeros(2)
        self._generator = _seeded(seed)
        graphs, nodes = len(problem.examples), len(problem.start)
        room = max(1, min(shape.num_entries, problem.max_history))
        self._uses = annealing.Uses(
            lists=np.zeros((graphs, room), np.int32),
            counts=np.zeros(graphs, np.int64),
            wrong=np.zeros(graphs, np.int64),
            new_lists=np.zeros((graphs, room), np.int32),
            new_counts=np.zeros(graphs, np.int64),
            new_wrong=np.zeros(graphs, np.int64),
            affected=np.zeros(graphs, np.int64),
            matrix=np.zeros((self._table.size, graphs), np.bool_),
            users=np.zeros(self._table.size, np.int64),
            stamps=np.full(self._table.size, -1, np.int64),
            states=np.empty(nodes, np.uint8),
            after=np.empty(nodes, np.uint8),
            scratch=_scratch(problem),
        )

    @staticmethod
    def has_room(problem: Problem) -> bool:
        """Whether annealing on a problem takes no more memory than it may."""
        lists = 2 * 4 * max(1, min(problem.shape.num_entries, problem.max_history))
        return len(problem.examples) * (lists + problem.shape.num_states * problem.shape.num_values) <= _MAX_ROOM

    def advance(self, count: int, budget: Budget | None = None) -> bool:
        """Make this number of iterations; returns whether the schedule is at its end, or nothing is wrong any more."""
        end, before = min(self.iterations, self.done + count), self.work
        schedule = (self.done, end, self.iterations, self._heat, self._control, self._generator)
        _call(self._kernel, self.problem, self._uses, self._guide, *schedule, self._energy, self._table, self._best)
        if budget is not None:
            budget.spend(self.work - before + _ITERATION * (end - self.done))
        self.done = end
        return end >= self.iterations or self.energy == 0

    @property
    def energy(self) -> float:
        """The lowest energy so far."""
        return float(self._energy[1])

    @property
    def table(self) -> Array:
        """The table with the lowest energy so far, int16 [num_states, num_values]."""
        return self._best.reshape(self.problem.shape.num_states, -1).copy()

    @property
    def work(self) -> int:
        """Node-steps so far."""
        return int(self._control[kernels.WORK])
