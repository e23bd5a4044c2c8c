"""Where there is too much to look at: runs that are drawn, and what can be said of all runs from them."""

from __future__ import annotations

import numpy as np

from graphfsa.analysis.predicates import Configurations
from graphfsa.analysis.predicates._predicate import movable
from graphfsa.analysis.questions._answers import Sample
from graphfsa.analysis.questions._judging import Question
from graphfsa.analysis.questions._starts import EVERY, STARTING, Starts
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.stochastic import ONE
from graphfsa.checks import check_number
from graphfsa.engine import neighbourhood_values
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph

MAX_SAMPLES = 10**7
_MAX_NEAR = 4096
"""Nodes of graphs on which it is asked who is a neighbour of whom, at most."""
_ROOM = 1 << 22
"""Numbers that are drawn at once."""
_TRIES = 10_000


def sample_runs(
    question: Question, starts: Starts, graphs: list[Graph], runs: int, steps: int, confidence: float, seed: int
) -> Sample:
    """Draw runs: a graph, a start, and in each step who moves, all equally likely.

    ``always`` holds in a run of so many steps if it holds in all of its configurations, ``eventually`` if it holds in
    some, ``eventually always`` if it holds in its second half, or where it comes to rest.
    """
    if not (check_number("confidence", confidence, above=True) < 1):
        raise GraphFSAError(f"confidence must be a number above 0 and below 1; got {confidence}")
    rng = np.random.default_rng(seed)
    if not graphs:
        raise GraphFSAError("there is no graph to draw from")
    chosen, counts = np.unique(rng.integers(0, len(graphs), runs), return_counts=True)
    held = 0
    for place, count in zip(chosen.tolist(), counts.tolist(), strict=True):
        graph = graphs[place]
        portion = _portion(question.scheduler, graph)
        for begin in range(0, count, portion):
            held += _held(question, graph, _draw(starts, graph, min(portion, count - begin), rng), steps, rng)
    return Sample(runs, held, steps, confidence, _at_least(held, runs, confidence))


def _portion(scheduler: str, graph: Graph) -> int:
    """How many runs on a graph are made at once."""
    each = max(1, graph.num_nodes)
    if scheduler == "locally-central":
        if graph.num_nodes > _MAX_NEAR:
            raise LimitError(
                f"runs with the scheduler locally-central are drawn on graphs of at most {_MAX_NEAR:,} nodes; got "
                f"{graph.num_nodes:,}. Choose smaller graphs or another scheduler"
            )
        each *= graph.num_nodes
    return max(1, _ROOM // each)


def _at_least(held: int, runs: int, confidence: float) -> float:
    """A share that the true one is at least, with a confidence (Clopper and Pearson, 1934)."""
    from scipy.stats import beta

    return 0.0 if held == 0 else float(beta.ppf(1 - confidence, held, runs - held + 1))


def _draw(starts: Starts, graph: Graph, count: int, rng: np.random.Generator) -> Array:
    """Starts on a graph, uint8 [count, num_nodes]."""
    fsa, shape = starts.fsa, (count, graph.num_nodes)
    if starts.dataset is not None:
        raise GraphFSAError("runs are not drawn for the inputs of a task; draw from 'starting' or 'every'")
    if starts.given == EVERY:
        return rng.integers(0, fsa.num_states, shape, np.uint8)
    if starts.given == STARTING:
        return np.array(fsa.starting_states, np.uint8)[rng.integers(0, len(fsa.starting_states), shape)]
    assert not isinstance(starts.given, str)
    found = np.empty((0, graph.num_nodes), np.uint8)
    for _ in range(_TRIES):
        states = rng.integers(0, fsa.num_states, (max(count, 256), graph.num_nodes), np.uint8)
        view = Configurations(graph, fsa.state_names, states, movable(fsa, graph, states))
        found = np.concatenate((found, states[starts.given.condition.holds(view)]))
        if len(found) >= count:
            return found[:count]
    raise GraphFSAError(
        f"too few configurations of {graph.num_nodes} nodes are such as the start must be: {starts.words}"
    )


def _held(question: Question, graph: Graph, states: Array, steps: int, rng: np.random.Generator) -> int:
    """In how many runs from these starts it held."""
    fsa = question.fsa
    graph = fsa.aggregation.fitting(graph)
    near = _neighbours(graph) if question.scheduler == "locally-central" else None
    always, ever, late = (np.full(len(states), first) for first in (True, False, True))
    for step in range(steps + 1):
        enabled = movable(fsa, graph, states)
        view = Configurations(graph, fsa.state_names, states, enabled)
        right = question.predicate.condition.holds(view)
        always &= right
        ever |= right
        if 2 * step >= steps:
            late &= right
        # What is at rest stays as it is, whatever the others do.
        late = np.where(enabled.any(axis=1), late, right)
        if not enabled.any():
            break
        chosen = _chosen(question.scheduler, enabled, near, rng)
        states = np.where(chosen, _following(fsa, graph, states, rng), states)
    return int({"always": always, "eventually": ever, "eventually always": late}[question.kind].sum())


def _chosen(scheduler: str, enabled: Array, near: Array | None, rng: np.random.Generator) -> Array:
    """Who moves, bool [runs, num_nodes]."""
    if scheduler == "synchronous":
        return enabled
    ranks = np.where(enabled, rng.random(enabled.shape), -1.0)
    first = enabled & (ranks == ranks.max(axis=1, keepdims=True))
    if scheduler == "central":
        return first
    some = enabled & (rng.random(enabled.shape) < 0.5)
    if near is None:
        # Each set of nodes is as likely as any other: where it is none of them, it is drawn again.
        while len(again := np.flatnonzero(enabled.any(axis=1) & ~some.any(axis=1))):
            some[again] = enabled[again] & (rng.random((len(again), enabled.shape[1])) < 0.5)
        return some
    # Of neighbours that would move, the one that comes first in a random order does.
    ranks = np.where(some, ranks, -1.0)
    rivals = np.where(near, ranks[:, None, :], -1.0).max(axis=2, initial=-1.0)
    some &= ranks > rivals
    return np.where(some.any(axis=1, keepdims=True), some, first)


def _following(fsa: object, graph: Graph, states: Array, rng: np.random.Generator) -> Array:
    """Where every node goes if it moves, uint8 [runs, num_nodes]."""
    values = neighbourhood_values(fsa, graph, states)  # type: ignore[arg-type]
    if isinstance(fsa, GraphFSA):
        return fsa.transition_table[states, values]
    sums = np.cumsum(fsa.outcomes, axis=1)[fsa.transition_table[states, values]]  # type: ignore[attr-defined]
    return (rng.integers(0, ONE, states.shape)[..., None] >= sums).sum(axis=2).astype(np.uint8)


def _neighbours(graph: Graph) -> Array:
    near = np.zeros((graph.num_nodes, graph.num_nodes), bool)
    near[graph.targets(), graph.indices] = True
    near |= near.T
    np.fill_diagonal(near, False)
    return near
