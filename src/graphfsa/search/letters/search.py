"""One rung: a solver proposes a table, letters and starts; what roll-outs refute is forbidden; and again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.budget import Budget
from graphfsa.search.clauses import Clauses
from graphfsa.search.letters.candidates import Candidate
from graphfsa.search.letters.components import addition, reduction
from graphfsa.search.letters.data import LetterData, RollOuts
from graphfsa.search.letters.kernels import Proposal
from graphfsa.search.letters.rungs import LetterRung

_SLACK = 4
_PROPOSAL = 2_500
"""Node-steps that it takes to read a proposal."""


class LetterSearch:
    """Automata of one rung; it can be paused and resumed.

    Entries may be left undefined: whoever needs one that is undefined is wrong. So the number of entries in use can be
    limited, and a whole table is the case without undefined ones.

    Args:
        data: What to fit.
        rung: Which automata.
        apart: Pairs of inputs that may not start alike.

    Attributes:
        impossible: Whether no automaton of the rung fits, whatever the number of entries in use.
        proposals: Number of proposals so far.
    """

    def __init__(self, data: LetterData, rung: LetterRung, apart: Sequence[tuple[int, int]] = ()) -> None:
        self.data, self.rung = data, rung
        self.impossible = False
        self.proposals = 0
        states, values = rung.num_states, rung.num_values
        self._first_letter = states * values
        self._first_start = self._first_letter + states
        self._entries = list(range(rung.num_final * values, self._first_letter))
        unknowns = self._first_start + rung.num_inputs
        self._roll_outs = RollOuts(data, data.ripe(reduction(rung.components)), unknowns)
        self._clauses = Clauses()
        self._literals = np.zeros((unknowns, max(states, rung.num_letters) + 1), np.int64)
        self._declare(apart)
        self._break_symmetries()
        self._whole = self._clauses.new()
        for entry in self._entries:
            self._clauses.add([-self._whole, -int(self._literals[entry, states])])
        self._others = self._clauses.new()
        self._counter: Any = None
        self._known: set[tuple[int, ...]] = set()
        self._chosen: Array | None = None
        self._prefer_staying()

    def use(self, data: LetterData) -> None:
        """Go on with more graphs; what fewer graphs have refuted stays refuted."""
        self.data = data
        self._roll_outs = RollOuts(data, data.ripe(reduction(self.rung.components)), len(self._literals))

    def advance(
        self,
        budget: Budget,
        proposals: float,
        conflicts: float,
        *,
        most: int | None = None,
        whole: bool = False,
        other: bool = False,
    ) -> str:
        """Go on for this number of proposals.

        Args:
            budget: The budget; ends it earlier.
            proposals: Number of proposals, at most.
            conflicts: Number of conflicts of one call of the solver, at most.
            most: Number of entries in use, at most.
            whole: Whether no entry may be undefined.
            other: Whether to look for something that differs from every ``forbid``.

        Returns:
            ``"found"``, ``"exhausted"`` (nothing fits, or not with this few entries) or ``"paused"``.
        """
        assumed = [self._whole] * whole + [self._others] * other
        assumed += [] if most is None else self._at_most(most)
        stop = self.proposals + max(1, int(proposals))
        while self.proposals < stop and not budget.over:
            answer = self._clauses.solve(int(conflicts), assumed)
            budget.spend(_PROPOSAL + self._clauses.new_work())
            if answer is None:
                break
            if not answer:
                core: list[int] = self._clauses.solver.get_core() or []
                self.impossible = not set(core) - {self._whole}
                return "exhausted"
            self._read_proposal()
            lemmas = self._roll_outs.lemmas(self.proposal, budget)
            if not lemmas:
                return "found"
            self._forbid(lemmas)
        return "paused"

    def _forbid(self, lemmas: Iterable[Array]) -> None:
        assert self._chosen is not None
        current = -self._literals[np.arange(len(self._literals)), self._chosen]
        for unknowns in lemmas:
            clause = tuple(current[unknowns].tolist())
            if clause not in self._known:
                self._known.add(clause)
                self._clauses.add(clause)

    def _read_proposal(self) -> None:
        self.proposals += 1
        model = np.zeros(self._clauses.count + 1, bool)
        positive = np.array(self._clauses.solver.get_model()[: self._clauses.count])
        model[positive[positive > 0]] = True
        self._chosen = (model[self._literals] & (self._literals > 0)).argmax(axis=1)

    @property
    def has_proposal(self) -> bool:
        """Whether there is a proposal to look at."""
        return self._chosen is not None

    @property
    def proposal(self) -> Proposal:
        """The last proposal; its table has the number of states where an entry is undefined."""
        assert self._chosen is not None
        rung = self.rung
        table = self._chosen[: self._first_letter].reshape(rung.num_states, -1).copy()
        table[: rung.num_final] = np.arange(rung.num_final)[:, None]
        letters = self._chosen[self._first_letter : self._first_start]
        after = np.ascontiguousarray(addition(rung.components)[:, letters])
        return Proposal(table, after, self._chosen[self._first_start :].copy())

    def candidate(self, budget: Budget) -> Candidate:
        """What was found, or the last proposal: only what the graphs use of it."""
        assert self._chosen is not None
        rung, proposal = self.rung, self.proposal
        own = np.arange(rung.num_states)[:, None]
        defined = np.where(proposal.table == rung.num_states, own, proposal.table)
        uses = self._roll_outs.uses(proposal._replace(table=defined), budget)
        table = np.where(uses.users > 0, defined, -1)
        table[: rung.num_final] = own[: rung.num_final]
        letters = np.where(uses.shown, self._chosen[self._first_letter : self._first_start], -1)
        return Candidate(rung, table, letters, proposal.starts, uses.users, int((uses.wrong).sum()))

    def forbid(self, candidate: Candidate) -> None:
        """Look, if asked to, for something that differs from a candidate in what the graphs use."""
        known = np.r_[candidate.table.ravel(), candidate.letters, candidate.starts]
        known[: self._entries[0] if self._entries else self._first_letter] = -1
        places = np.flatnonzero(known >= 0)
        self._clauses.add([-self._others, *(-self._literals[places, known[places]]).tolist()])

    def close(self) -> None:
        """Give back the memory of the solver."""
        self._clauses.close()

    def prefer_undefined(self) -> None:
        """From now on leave entries undefined where possible."""
        self._clauses.solver.set_phases([int(self._literals[entry, self.rung.num_states]) for entry in self._entries])

    def _prefer_staying(self) -> None:
        phases: list[int] = []
        for entry in self._entries:
            for state, literal in enumerate(self._literals[entry].tolist()):
                if literal:
                    phases.append(literal if state == entry // self.rung.num_values else -literal)
        for given in range(self.rung.num_inputs):
            if not self.data.labels_of(given):
                final = self._literals[self._first_start + given, : self.rung.num_final]
                phases += (-final[final > 0]).tolist()
        self._clauses.solver.set_phases(phases)

    def _at_most(self, most: int) -> list[int]:
        """The assumption that at most this number of entries is in use."""
        if most >= len(self._entries):
            return []
        if self._counter is None or self._counter.ubound < most:
            from pysat.card import ITotalizer

            used = [-int(self._literals[entry, self.rung.num_states]) for entry in self._entries]
            bound = min(len(used) - 1, most + _SLACK + most // 4)
            self._counter = ITotalizer(lits=used, ubound=bound, top_id=self._clauses.count)
            self._clauses.count = max(self._clauses.count, self._counter.top_id)
            for clause in self._counter.cnf.clauses:
                self._clauses.add(clause)
        return [-self._counter.rhs[most]]

    def _declare(self, apart: Sequence[tuple[int, int]]) -> None:
        rung = self.rung
        states = rung.num_states
        for entry in self._entries:
            self._one_of(entry, [*rung.successors(entry // rung.num_values), states])
        for state in range(states):
            self._one_of(self._first_letter + state, range(rung.num_letters + 1))
        usual = list(range(rung.num_final, rung.num_final + rung.num_starting))
        # Nodes that are final at once are written as ones that move at once, which takes a step.
        in_time = bool((self.data.examples.steps > 0).all())
        for given in range(rung.num_inputs):
            # An input without a label may get one from graphs that come later.
            labels = self.data.labels_of(given)
            final = (labels or range(rung.num_final)) if in_time and len(labels) < 2 else []
            self._one_of(self._first_start + given, [*final, *usual] if rung.num_final else [given])
        for a, b in apart if rung.num_final else ():
            pair = self._literals[[self._first_start + a, self._first_start + b]]
            for one, other in pair.T.tolist():
                if one and other:
                    self._clauses.add([-one, -other])

    def _one_of(self, unknown: int, values: Sequence[int]) -> None:
        literals = [self._clauses.new() for _ in values]
        self._literals[unknown, list(values)] = literals
        self._clauses.exactly_one(literals)

    def _break_symmetries(self) -> None:
        """Of letters, starting states and further states that are alike, the first ones come first."""
        rung = self.rung
        letters = [self._first_letter + state for state in range(rung.num_states)]
        alike: dict[Any, list[int]] = {}
        first = 0
        for part in rung.components:
            if len(part.weights) == 1:
                alike.setdefault(part, []).append(first)
            first += len(part.weights)
        for places in alike.values():
            self._in_order([[letter] for letter in letters], places)
        if rung.num_final:
            starts = [[self._first_start + given] for given in range(rung.num_inputs)]
            self._in_order(starts, range(rung.num_final, rung.num_final + rung.num_starting))
            values = rung.num_values
            rows = [
                list(range(state * values, (state + 1) * values)) for state in range(rung.num_final, rung.num_states)
            ]
            further = range(rung.num_final + rung.num_starting, rung.num_states)
            self._in_order(rows, further, own=rung.num_final)

    def _in_order(self, groups: Sequence[Sequence[int]], values: Sequence[int], own: int | None = None) -> None:
        """A value is only taken if the one before it is taken in the same or an earlier group of unknowns.

        Whole rows of the table are groups, not entries: which letter is called first changes the order of the entries,
        and both kinds of symmetry are broken at once.

        Args:
            groups: The unknowns, in order.
            values: The values that are alike, in order.
            own: The state whose row is the first group, if groups are rows and values are states: then moves within a
                row's own state do not count, since a state that no other enters is not in use.
        """
        for before, value in pairwise(values):
            some = -self._clauses.true
            for place, group in enumerate(groups):
                state = -1 if own is None else own + place
                taken, previous = self._literals[group][:, [value, before]].T.tolist()
                if state != before and any(previous):
                    more = self._clauses.new()
                    self._clauses.add([-more, some, *filter(None, previous)])
                    some = more
                for literal in filter(None, taken if state != value else []):
                    self._clauses.add([-literal, some])
