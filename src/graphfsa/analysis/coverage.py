"""Which entries of a table data speak about: used, never used, and used without being settled by the labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphfsa.analysis._uses import graphs_by_entry
from graphfsa.analysis.reachability import possible_entries
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples
from graphfsa.datasets._covering import entry_counts
from graphfsa.html import facts_html

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

    @cached_property
    def _uses(self) -> dict[int, Array]:
        """The graphs that use each entry that counts."""
        free = self._free.reshape(-1)
        uses = graphs_by_entry(self.fsa, self.examples)
        return {entry: graphs for entry, graphs in uses.items() if free[entry]}

    @cached_property
    def _settled(self) -> Array:
        settled = np.zeros(self.seen.size, bool)
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


def coverage(fsa: GraphFSA, examples: Examples) -> Coverage:
    """Roll an automaton out on examples, each for its own steps, and count the entries that are used.

    Args:
        fsa: The automaton; it must have the starting and final states of the task.
        examples: Labelled graphs.

    Example:
        >>> import numpy as np
        >>> from graphfsa.datasets import dataset_class
        >>> task = dataset_class("root-value")()
        >>> found = coverage(task.automaton(), task.generate(3, 10, np.random.default_rng(0)))
        >>> int((found.seen > 0).sum()) <= int(found.possible.sum()), found.wrong
        (True, 0)
    """
    starting = range(fsa.num_states) if examples.task.kind == "evolution" else None
    seen = entry_counts(fsa, examples)
    possible = possible_entries(fsa, starting_states=starting)
    return Coverage(fsa, examples, seen, possible, wrong_nodes(fsa, examples))


def wrong_nodes(fsa: GraphFSA, examples: Examples) -> int:
    """How many nodes that count do not get their label; no answer is wrong."""
    return int(examples.wrong(examples.predict(fsa)).sum())
