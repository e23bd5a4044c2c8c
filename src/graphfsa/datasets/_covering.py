"""Finds small graphs that show what a training set leaves open about a truth.

Small graphs of mixed sizes and of all starting states are rolled out. Some are kept as they come, because tables that
differ from the truth in several entries are too many to be looked for. Of further batches the smallest graph is kept
that visits a new entry, then the smallest that shows a difference between the truth and a table with one entry changed.
When several batches in a row bring nothing new, the entries left are reported as not found. (Some can't be visited at
all; to prove that is another matter.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.datasets._examples import Examples, visited
from graphfsa.datasets._grab_graphs import FAMILIES
from graphfsa.datasets.grab import Grab
from graphfsa.errors import GraphFSAError

COVERING_SIZE = 12
"""Number of nodes of the largest of these graphs."""
_BATCH = dict.fromkeys(range(1, COVERING_SIZE + 1), 300)
_PLAIN = {size: 50 if size < 7 else 250 for size in range(1, COVERING_SIZE + 1)}
"""How many graphs of a size and kind are kept as they come; larger ones tell more."""
_PATIENCE = 4
_TREES = ("tree", "recursive-tree", "deep-tree", "star")


def cover(
    grab: Grab, train: Examples, rng: np.random.Generator, choose: Callable[[Examples], Any] | None = None
) -> tuple[Examples, list[tuple[int, int]]]:
    """Add small graphs to a training set until it visits every entry, and any change of one shows in a label.

    That is, every entry and every change for which such a graph can be found.

    Args:
        grab: The truth and the family.
        train: The training set.
        rng: Source of randomness.
        choose: Tells which candidate graphs may be used, bool [number of graphs]; all if not given.

    Returns:
        The larger training set and the entries (state, value) of states that are not final that were not found.
    """
    truth = grab.automaton()
    parts, idle = [train, next(_candidates(grab, rng, choose, _PLAIN))], 0
    missing = ~visited(truth, Examples.concatenate(parts))
    missing[list(truth.final_states)] = False
    for candidates in _candidates(grab, rng, choose, _BATCH):
        if idle >= _PATIENCE or not missing.any():
            break
        found = visited(truth, candidates) & missing
        idle = 0 if found.any() else idle + 1
        while found.any():
            chosen = candidates.select([_first_visitor(truth, candidates, found)])
            parts.append(chosen)
            missing &= ~visited(truth, chosen)
            found &= missing
    parts += _telling(truth, Examples.concatenate(parts), ~missing, _candidates(grab, rng, choose, _BATCH))
    return Examples.concatenate(parts), [(int(state), int(value)) for state, value in np.argwhere(missing)]


def _telling(truth: GraphFSA, train: Examples, entries: Any, batches: Iterator[Examples]) -> list[Examples]:
    """Graphs that tell the truth from every table with one of the entries changed, where the training set does not."""
    free = [int(state) for state in range(truth.num_states) if state not in truth.final_states]
    changed = [
        truth.with_entry(state, int(value), successor)
        for state in free
        for value in np.flatnonzero(entries[state])
        for successor in range(truth.num_states)
        if successor != truth.transition_table[state, value]
    ]
    alive = [fsa for fsa in changed if _first_wrong(fsa, train) is None]
    found: list[Examples] = []
    for candidates in islice(batches, _PATIENCE):
        for fsa in list(alive):
            if fsa not in alive:
                continue  # A graph that was found for another shows this one too.
            place = _first_wrong(fsa, candidates)
            if place is not None:
                found.append(candidates.select([place]))
                alive = [other for other in alive if _first_wrong(other, found[-1]) is None]
    return found


def _first_wrong(fsa: GraphFSA, examples: Examples) -> int | None:
    """The first graph with a node that counts and does not get its label."""
    wrong = np.flatnonzero(examples.wrong(examples.predict(fsa)))
    return int(examples.graphs.owners[wrong[0]]) if len(wrong) else None


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


def _candidates(
    grab: Grab, rng: np.random.Generator, choose: Callable[[Examples], Any] | None, counts: dict[int, int]
) -> Iterator[Examples]:
    """Batches of small graphs with their roll-outs, small graphs first; nodes that end in no final state are masked."""
    kinds = _TREES if grab.family in _TREES else (grab.family,)
    while True:
        parts: list[Examples] = []
        for kind in kinds:
            for size in range(1, COVERING_SIZE + 1):
                try:
                    graphs = FAMILIES[kind](size, counts[size], rng)
                except GraphFSAError:
                    continue  # The family has no graphs of this size.
                inputs = rng.integers(0, grab.num_starting, graphs.graph.num_nodes, dtype=np.uint8)
                parts.append(grab.examples(graphs, inputs, steps=2 * size + 4))
        batch = Examples.concatenate(parts)
        if choose is not None:
            batch = batch.select(np.flatnonzero(choose(batch)))
        yield batch.select(np.argsort(batch.sizes, kind="stable"))
