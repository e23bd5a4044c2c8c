"""Which entries of a table data speak about: used, never used, and used without being settled by the labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphfsa.analysis.reachability import possible_entries
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples, entry_counts, is_task, training_data
from graphfsa.engine import neighbourhood_values
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph
from graphfsa.html import facts_html
from graphfsa.learners import Model, as_model

KINDS = ("final", "impossible", "unseen", "open", "pinned")
MAX_WORK = 2**31
"""Node-steps up to which other successors are tried."""
_ROLL_OUT_COST = 64
"""What it costs to find out who uses what, per node-step, compared to a node-step of the engine."""
_FIRST_GRAPHS = 64


@dataclass(frozen=True, eq=False)
class Coverage:
    """What some examples say about the entries of an automaton. Final states are never left: their rows do not count.

    Attributes:
        fsa: The automaton.
        examples: The examples.
        seen: How often the roll-outs use each entry within their steps, int64 [num_states, num_values].
        possible: Which entries can be used in any graph at all, bool; it may say yes too often, never no too often.
        wrong: How many nodes that count do not get their label.
    """

    fsa: GraphFSA
    examples: Examples
    seen: Array
    possible: Array
    wrong: int

    @property
    def unseen(self) -> Array:
        """Entries that can be used but that no roll-out uses, bool [num_states, num_values]."""
        return self._free & self.possible & (self.seen == 0)

    @property
    def num_seen(self) -> int:
        """Number of entries that are used."""
        return int((self._free & (self.seen > 0)).sum())

    @property
    def num_possible(self) -> int:
        """Number of entries that can be used."""
        return int((self._free & self.possible).sum())

    @property
    def num_unseen(self) -> int:
        """Number of entries that can be used but are not."""
        return int(self.unseen.sum())

    def unseen_entries(self) -> list[tuple[str, str, str]]:
        """Each entry that can be used but is not: its state, the neighbours in words, the next state."""
        return [self.words(state, value) for state, value in np.argwhere(self.unseen).tolist()]

    def words(self, state: int, value: int) -> tuple[str, str, str]:
        """An entry for people: its state, the neighbours, the next state."""
        names = self.fsa.state_names
        following = names[self.fsa.transition_table[state, value]]
        return names[state], self.fsa.aggregation.decode(value, names), following

    def pinned(self, *, max_work: int = MAX_WORK) -> Array | None:
        """Entries that the labels settle, given all others, bool [num_states, num_values].

        An entry is pinned if each other successor, alone, makes some node that counts wrong. Only graphs that use the
        entry are run again.

        Args:
            max_work: Give up if more node-steps than this might be needed.

        Returns:
            None if that is too much work, or if the automaton does not fit: then no change can be blamed.
        """
        if self.wrong:
            return None
        work = self.examples.sizes * np.maximum(self.examples.steps, 1)
        if int(work.sum()) > max_work // _ROLL_OUT_COST:
            return None
        if self._one_step:
            return self._settled.copy()
        others = self.fsa.num_states - 1
        if others * sum(int(work[graphs].sum()) for graphs in self._uses.values()) > max_work:
            return None
        return self._settled.copy()

    def kinds(self, *, max_work: int = MAX_WORK) -> Array | None:
        """The kind of each entry as a place in ``KINDS``, uint8 [num_states, num_values]; None as for ``pinned``.

        ``open`` entries are used, but another successor fits the labels as well.
        """
        pinned = self.pinned(max_work=max_work)
        if pinned is None:
            return None
        conditions = [~self._free, pinned, self.seen > 0, self.possible]
        places = [KINDS.index(kind) for kind in ("final", "pinned", "open", "unseen")]
        return np.select(conditions, places, KINDS.index("impossible")).astype(np.uint8)

    def as_dict(self, *, max_work: int = MAX_WORK) -> dict[str, Any]:
        """The numbers as JSON values; ``pinned`` and ``open`` are None where they were not found out."""
        pinned = self.pinned(max_work=max_work)
        settled = None if pinned is None else int(pinned.sum())
        return {
            "possible": self.num_possible,
            "seen": self.num_seen,
            "unseen": self.num_unseen,
            "pinned": settled,
            "open": None if settled is None else self.num_seen - settled,
            "wrong_nodes": self.wrong,
        }

    def _repr_html_(self) -> str:
        """The numbers that cost nothing, for notebooks; ``views.entries.draw_coverage`` draws all."""
        facts = {
            "graphs": len(self.examples),
            "entries that can be used": self.num_possible,
            "seen": self.num_seen,
            "unseen": self.num_unseen,
            "wrong nodes": self.wrong,
        }
        return facts_html("Coverage", facts)

    @property
    def _free(self) -> Array:
        """Entries that count, bool [num_states, num_values]."""
        free = np.ones((self.fsa.num_states, 1), bool)
        free[list(self.fsa.final_states)] = False
        return np.broadcast_to(free, self.seen.shape)

    @property
    def _one_step(self) -> bool:
        """Whether labels are states after one step, so that each says what one entry must be."""
        return self.examples.task.kind == "evolution" and bool((self.examples.steps == 1).all())

    @cached_property
    def _uses(self) -> dict[int, Array]:
        """The graphs that use each entry that counts."""
        free = self._free.reshape(-1)
        uses = graphs_by_entry(self.fsa, self.examples)
        return {entry: graphs for entry, graphs in uses.items() if free[entry]}

    @cached_property
    def _settled(self) -> Array:
        settled = np.zeros(self.seen.size, bool)
        if self._one_step:
            # A node that counts has its label right now, and with another successor would have it wrong.
            start = self.examples.task.starting_states(self.fsa, self.examples.inputs)
            used = entries_used(self.fsa, self.examples.graphs.graph, start)[self.examples.mask]
            settled[used] = self._free.reshape(-1)[used]
            return settled.reshape(self.seen.shape)
        for entry, graphs in self._uses.items():
            settled[entry] = self._is_pinned(entry, graphs)
        return settled.reshape(self.seen.shape)

    def _is_pinned(self, entry: int, graphs: Array) -> bool:
        first = self.examples.select(graphs[:_FIRST_GRAPHS])
        rest = self.examples.select(graphs[_FIRST_GRAPHS:])
        state, value = divmod(entry, self.fsa.num_values)
        others = set(range(self.fsa.num_states)) - {int(self.fsa.transition_table[state, value])}
        for successor in others:
            changed = self.fsa.with_entry(state, value, successor)
            # Most changes show in the first few graphs.
            if not (wrong_nodes(changed, first) or wrong_nodes(changed, rest)):
                return False
        return True


def coverage(model: Any, data: Any = None, *, steps: int | None = None, seed: int = 0) -> Coverage:
    """Which entries of an automaton's table labelled graphs use, and which of those their labels settle.

    Args:
        model: A model, an automaton, the name of a library automaton, or a file.
        data: Labelled graphs, or a task whose training graphs are drawn; by default those of the model's task.
        steps: With labelled graphs: their labels are states after this number of steps.
        seed: With a task: seed of its training graphs.

    Example:
        >>> import numpy as np
        >>> from graphfsa.datasets import RootValue
        >>> found = coverage("root-value", RootValue().generate(3, 10, np.random.default_rng(0)))
        >>> int((found.seen > 0).sum()) <= int(found.possible.sum()), found.wrong
        (True, 0)
    """
    known = as_model(model)
    fsa, examples = known.automaton, labelled_graphs(known, data, steps=steps, seed=seed)
    starting = range(fsa.num_states) if examples.task.kind == "evolution" else None
    seen = entry_counts(fsa, examples)
    possible = possible_entries(fsa, starting_states=starting)
    return Coverage(fsa, examples, seen, possible, wrong_nodes(fsa, examples))


def used_entries(model: Any, data: Any = None, *, steps: int | None = None, seed: int = 0) -> Array | None:
    """Which entries of an automaton's table labelled graphs use: what ``rules`` and ``diagram`` take as ``matters``.

    Args:
        model: A model, an automaton, the name of a library automaton, or a file.
        data: Labelled graphs, or a task whose training graphs are drawn; by default those that the model learned from.
        steps: With labelled graphs: their labels are states after this number of steps.
        seed: With a task: seed of its training graphs.

    Returns:
        The entries, bool [num_states, num_values]; None if no data are given and the model does not know.
    """
    known = as_model(model)
    if data is None:
        return known.used
    return entry_counts(known.automaton, labelled_graphs(known, data, steps=steps, seed=seed)) > 0


def labelled_graphs(model: Model, data: Any, *, steps: int | None = None, seed: int = 0) -> Examples:
    """The labelled graphs that are given, or the training graphs of a task, by default of the model's own."""
    if data is None:
        return model.training_graphs()
    if is_task(data) and steps is not None:
        raise GraphFSAError("steps goes with labelled graphs; a task has its own")
    if not is_task(data):
        return model.labelled(data, steps=steps)
    return model.matched(training_data(data, seed=seed).train)


def wrong_nodes(fsa: GraphFSA, examples: Examples) -> int:
    """How many nodes that count do not get their label; no answer is wrong."""
    return int(examples.wrong(examples.predict(fsa)).sum())


def entries_used(fsa: GraphFSA, graph: Graph, states: Array) -> Array:
    """The entry that each node uses in one step, as ``state * num_values + value``, int64 [num_nodes]."""
    values = neighbourhood_values(fsa, graph, states[None])[0]
    return states.astype(np.int64) * fsa.num_values + values


def graphs_by_entry(fsa: GraphFSA, examples: Examples) -> dict[int, Array]:
    """For each entry that is used, ``state * num_values + value``, the graphs that use it."""
    found: list[Array] = []
    start = examples.task.starting_states(fsa, examples.inputs)
    for steps, part, nodes in examples.by_steps():
        # Not the owners of the nodes: a graph without nodes counts as a graph too.
        found.append(_pairs(fsa, part, start[nodes], steps, np.flatnonzero(examples.steps == steps)))
    pairs = np.unique(np.concatenate([np.empty((0, 2), np.int64), *found]), axis=0)
    entries, begins = np.unique(pairs[:, 0], return_index=True)
    return dict(zip(entries.tolist(), np.split(pairs[:, 1], begins[1:]), strict=True)) if len(entries) else {}


def _pairs(fsa: GraphFSA, part: Examples, states: Array, steps: int, names: Array) -> Array:
    """Pairs (entry, graph) over all steps, each once."""
    owners = part.graphs.owners
    following = fsa.transition_table.reshape(-1)
    seen = np.empty(0, np.int64)
    for _ in range(steps):
        used = entries_used(fsa, part.graphs.graph, states)
        seen = np.union1d(seen, used * len(part) + owners)
        if np.array_equal(following[used], states):
            break
        states = following[used]
    entries, graphs = np.divmod(seen, max(1, len(part)))
    return np.stack((entries, names[graphs]), axis=1)
