"""Finds small graphs whose roll-outs visit the entries of the truth that a training set leaves out.

Batches of small graphs of mixed sizes and starting states are rolled out; the smallest graph that visits a new entry
is kept. When several batches in a row bring nothing new, the entries left are reported as not found. (Some can't be
visited at all; to prove that is another matter.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._grab_graphs import FAMILIES
from graphfsa.datasets.grab import Grab
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError

_MAX_SIZE = 12
_BATCH = 300
_PATIENCE = 4
_TREES = ("tree", "recursive-tree", "deep-tree", "star")


def cover(
    grab: Grab, train: Examples, rng: np.random.Generator, choose: Callable[[Examples], Any] | None = None
) -> tuple[Examples, list[tuple[int, int]]]:
    """Add small graphs to a training set until it visits every entry of the truth that can be found.

    Args:
        grab: The truth and the family.
        train: The training set.
        rng: Source of randomness.
        choose: Tells which candidate graphs may be used, bool [number of graphs]; all if not given.

    Returns:
        The larger training set and the entries (state, value) of states that are not final that were not found.
    """
    truth = grab.automaton()
    missing = ~visited(truth, train)
    missing[list(truth.final_states)] = False
    parts, idle = [train], 0
    for candidates in _candidates(grab, rng, choose):
        if idle >= _PATIENCE or not missing.any():
            break
        found = visited(truth, candidates) & missing
        idle = 0 if found.any() else idle + 1
        while found.any():
            chosen = candidates.select([_first_visitor(truth, candidates, found)])
            parts.append(chosen)
            missing &= ~visited(truth, chosen)
            found &= missing
    return Examples.concatenate(parts), [(int(state), int(value)) for state, value in np.argwhere(missing)]


def visited(truth: GraphFSA, examples: Examples) -> Any:
    """Which entries of the truth the roll-outs of some graphs use, bool [num_states, num_values]."""
    seen = np.zeros(truth.transition_table.shape, bool)
    start = examples.task.starting_states(truth, examples.inputs)
    for steps in np.unique(examples.steps):
        part = examples.select(np.flatnonzero(examples.steps == steps))
        nodes = np.repeat(examples.steps == steps, examples.sizes)
        entries = run(truth, part.graphs.graph, start[nodes], int(steps), entries=True).entries
        if entries is not None:
            seen |= entries > 0
    return seen


def _first_visitor(truth: GraphFSA, candidates: Examples, wanted: Any) -> int:
    """The first graph that uses a wanted entry, by bisection: the graphs up to it use one, those before it none."""
    low, high = 0, len(candidates)
    while high - low > 1:
        middle = (low + high) // 2
        if (visited(truth, candidates.select(np.arange(low, middle))) & wanted).any():
            high = middle
        else:
            low = middle
    return low


def _candidates(grab: Grab, rng: np.random.Generator, choose: Callable[[Examples], Any] | None) -> Iterator[Examples]:
    """Batches of small graphs with their roll-outs, small graphs first; nodes that end in no final state are masked."""
    kinds = _TREES if grab.family in _TREES else (grab.family,)
    while True:
        parts: list[Examples] = []
        for kind in kinds:
            for size in range(1, _MAX_SIZE + 1):
                try:
                    graphs = FAMILIES[kind](size, _BATCH, rng)
                except GraphFSAError:
                    continue  # The family has no graphs of this size.
                parts.append(grab.roll_out(graphs, 2 * size + 4, rng, keep=0))
        batch = Examples.concatenate(parts)
        if choose is not None:
            batch = batch.select(np.flatnonzero(choose(batch)))
        yield batch.select(np.argsort(batch.sizes, kind="stable"))
