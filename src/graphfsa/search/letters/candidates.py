"""What was found: an automaton with letters, how long its description is, and how it is written in the end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from graphfsa.aggregations import LettersAggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Task
from graphfsa.search.completion import completed, neighbours
from graphfsa.search.letters.components import Component, sums_of
from graphfsa.search.letters.rungs import LetterRung
from graphfsa.search.problem import Shape


@dataclass(frozen=True, eq=False)
class Candidate:
    """An automaton as far as the graphs use it.

    Attributes:
        rung: The rung that it was found on.
        table: Successors, int64 [num_states, num_values]; -1 where no graph uses an entry.
        letters: The letter of each state, int64; -1 where no graph shows it, the number of letters for none.
        starts: The state in which each input starts, int64.
        users: How many graphs use each entry, int64 as the table.
        wrong: Number of nodes that do not get their label.
    """

    rung: LetterRung
    table: Array
    letters: Array
    starts: Array
    users: Array
    wrong: int = 0

    @cached_property
    def used(self) -> int:
        """Number of entries in use."""
        return int((self.table[self.rung.num_final :] >= 0).sum())

    @cached_property
    def bits(self) -> float:
        """Bits for what is in use."""
        return self.used * self.rung.entry_bits + self.rung.overhead

    @cached_property
    def support(self) -> tuple[float, int]:
        """Less is better: how surprising the entries in use are, in nats, if each is as likely as graphs use it.

        Then the number of neighbouring values with different successors.
        """
        rung = self.rung
        users = self.users[rung.num_final :][self.table[rung.num_final :] >= 0]
        rows = self.complete[rung.num_final :]
        near = neighbours(self.aggregation, rung.num_states)
        differ = (rows[:, near] != rows[:, :, None]) & (near >= 0)
        return round(-float(np.log(users / max(1, int(self.users.max(initial=1)))).sum()), 6), int(differ.sum())

    @property
    def order(self) -> tuple[float, int, float, int]:
        """Best first: fewest bits, then fewest entries in use, then the best support."""
        return (round(self.bits, 6), self.used, *self.support)

    @cached_property
    def aggregation(self) -> LettersAggregation:
        """What is seen, with the states of the rung."""
        return LettersAggregation(sums_of(self.rung.components, self.letters.tolist()))

    @cached_property
    def complete(self) -> Array:
        """The table with the rest filled in by decision trees."""
        rung = self.rung
        shape = Shape(rung.num_final, rung.num_starting, rung.num_extra, self.aggregation)
        return completed(self.table, shape)

    def coarser(self) -> Candidate:
        """Count less far, as long as entries in use that become one agree."""
        best: Candidate = self
        for place in range(len(self.rung.components) - 1, -1, -1):
            while best.rung.components[place].kind == "count" and best.rung.components[place].limit > 1:
                smaller = best._with_limit(place, best.rung.components[place].limit - 1)
                if smaller is None:
                    break
                best = smaller
        return best

    def _with_limit(self, place: int, limit: int) -> Candidate | None:
        components = list(self.rung.components)
        part = components[place]
        if part.weighted:
            return None
        components[place] = Component("count", limit)
        sizes = [part.size for part in self.rung.components]
        digits = np.array(np.unravel_index(np.arange(self.rung.num_values), sizes, order="F")).reshape(len(sizes), -1)
        digits[place] = np.minimum(digits[place], limit)
        image = np.ravel_multi_index(tuple(digits), [part.size for part in components], order="F")
        rung = replace(self.rung, components=tuple(components))
        table = np.full((rung.num_states, rung.num_values), -1)
        users = np.zeros_like(table)
        for state, value in np.argwhere(self.table >= 0).tolist():
            successor = self.table[state, value]
            if table[state, image[value]] not in (-1, successor):
                return None
            table[state, image[value]] = successor
            users[state, image[value]] = max(users[state, image[value]], self.users[state, value])
        return replace(self, rung=rung, table=table, users=users)

    def automaton(self, task: Task) -> GraphFSA:
        """The automaton with one starting state for each input; what can't be reached is left out.

        Inputs that start alike get states of their own that behave alike. One that starts in a final state shows its
        letter and moves to it at once.
        """
        rung = self.rung
        if not rung.num_final:
            return GraphFSA(list(task.classes), self.aggregation, self.complete)
        table, starts = self.complete, self.starts.tolist()
        further = self._further()
        olds = [*range(rung.num_final), *starts, *further]
        place = {old: new for new, old in reversed(list(enumerate(olds)))}
        rows: list[list[int]] = []
        for new, old in enumerate(olds):
            rows.append(
                [new if after == old and old >= rung.num_final else place[after] for after in table[old].tolist()]
            )
        letters = self.letters[olds].tolist()
        return GraphFSA(
            task.state_names(len(further)),
            LettersAggregation(sums_of(rung.components, letters)),
            np.array(rows, np.int64).reshape(len(olds), -1),
            starting_states=list(range(rung.num_final, rung.num_final + len(starts))),
            final_states=list(range(rung.num_final)),
        )

    def _further(self) -> list[int]:
        """States in which no input starts and that can be reached."""
        reached = set(self.starts.tolist()) | set(range(self.rung.num_final))
        waiting = list(reached)
        while waiting:
            for after in set(self.complete[waiting.pop()].tolist()) - reached:
                reached.add(after)
                waiting.append(after)
        return sorted(reached - set(self.starts.tolist()) - set(range(self.rung.num_final)))
