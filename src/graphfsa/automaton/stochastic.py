"""The automaton whose nodes flip coins: for each state and value a distribution over next states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton.base import MAX_TABLE_ENTRIES, Automaton, check_state_names, check_table_size, state_index
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.checks import check_integer, check_number, shown
from graphfsa.errors import AutomatonError, LimitError
from graphfsa.files import PathLike

if TYPE_CHECKING:
    from graphfsa.automaton.rules import Rules

ONE = 2**53
"""Probabilities are multiples of one over this number: what a float between 1/2 and 1 can tell apart."""
MAX_OUTCOMES = 2**16
_TOLERANCE = 1e-9
_ROUNDING = 2.0**-44
"""How far the sum of 256 floats may be from what is meant."""
Outcome = str | int | Mapping[Any, float]


class StochasticFSA(Automaton):
    """A frozen automaton that moves at random, validated when it is built.

    A node in state ``m`` whose neighbourhood has the value ``a`` moves to state ``k`` with the probability
    ``probabilities(m, a)[k]``, whatever the other nodes do at that moment.

    Entries with the same distribution share it: an automaton is a short list of outcomes, and a table that says which
    of them belongs to each state and value. Probabilities are kept as multiples of 2^-53.

    Args:
        state_names: One distinct name per state, 1 to 256 of them.
        aggregation: How a node sees its neighbours; it fixes the number of values.
        probabilities: Numbers [num_states, num_values, num_states] of at least 0; the last axis sums to 1.
        starting_states: States in which nodes may start, by name or index; all states if not given.
        final_states: States that are never left, by name or index.

    Example:
        >>> from graphfsa.aggregations import CountingAggregation
        >>> sir = StochasticFSA.from_rule(
        ...     ["well", "ill", "immune"], CountingAggregation(bound=1),
        ...     lambda state, counts: {
        ...         "well": {"ill": 0.3 if counts["ill"] else 0}, "ill": {"immune": 0.1}, "immune": {}
        ...     }[state],
        ...     final_states=["immune"],
        ... )
        >>> sir.probabilities("ill", 0)
        {'ill': 0.9, 'immune': 0.1}
    """

    __slots__ = ("_outcomes", "_table")

    def __init__(
        self,
        state_names: Sequence[str],
        aggregation: Aggregation,
        probabilities: ArrayLike,
        *,
        starting_states: Sequence[str | int] | None = None,
        final_states: Sequence[str | int] = (),
    ) -> None:
        super().__init__(state_names, aggregation, starting_states, final_states)
        shape = (self.num_states, self.num_values, self.num_states)
        if prod(shape) > MAX_TABLE_ENTRIES:
            raise LimitError(
                f"probabilities [states, values, states] would have {prod(shape):,} entries; the limit is "
                f"{MAX_TABLE_ENTRIES:,}. Use from_rule or from_outcomes, which keep each distribution once"
            )
        given = _numbers(probabilities)
        if given.shape != shape:
            raise AutomatonError(
                f"probabilities must have shape [states, values, states] = {list(shape)}; got {list(given.shape)}"
            )
        self._check_sums(given)
        weights = _weights(given.reshape(-1, self.num_states))
        self._set(weights, np.arange(len(weights)).reshape(shape[:2]))

    def _set(self, weights: Array, table: Array) -> None:
        """Keep each distribution once, in the order of first use."""
        used, first, inverse = np.unique(weights[table.reshape(-1)], axis=0, return_index=True, return_inverse=True)
        if len(used) > MAX_OUTCOMES:
            raise LimitError(
                f"an automaton may have {MAX_OUTCOMES:,} different distributions at most; got {len(used):,}"
            )
        rank = np.empty(len(used), np.int64)
        rank[np.argsort(first)] = np.arange(len(used))
        self._outcomes = np.ascontiguousarray(used[np.argsort(first)])
        self._table = rank[inverse].reshape(table.shape).astype(np.uint16)
        self._outcomes.setflags(write=False)
        self._table.setflags(write=False)
        self._check_finals()

    @classmethod
    def from_outcomes(
        cls,
        state_names: Sequence[str],
        aggregation: Aggregation,
        outcomes: Sequence[Mapping[Any, float]],
        table: ArrayLike,
        *,
        starting_states: Sequence[str | int] | None = None,
        final_states: Sequence[str | int] = (),
    ) -> StochasticFSA:
        """Build it from distributions and a table of their places.

        Args:
            state_names: One distinct name per state.
            aggregation: How a node sees its neighbours.
            outcomes: Distributions: probabilities by name or index of a state. What is missing to 1 stays.
            table: Integers [num_states, num_values]: which outcome.
            starting_states: As for the constructor.
            final_states: As for the constructor.
        """
        found = cls._bare(state_names, aggregation, starting_states, final_states)
        places = np.asarray(table)
        shape = (found.num_states, found.num_values)
        if places.shape != shape or places.dtype.kind not in "iu":
            raise AutomatonError(
                f"table must hold integers with shape [states, values] = {list(shape)}; "
                f"got {places.dtype} {list(places.shape)}"
            )
        if places.size and not (places.min() >= 0 and places.max() < len(outcomes)):
            raise AutomatonError(f"table must hold places of the {len(outcomes)} outcomes; got {places.max()}")
        # What stays depends on the state, so an outcome may be another one for each state.
        pairs, inverse = np.unique(
            np.stack((np.repeat(np.arange(shape[0]), shape[1]), places.reshape(-1))), axis=1, return_inverse=True
        )
        weights = np.zeros((pairs.shape[1], found.num_states), np.int64)
        for row, (state, place) in enumerate(pairs.T.tolist()):
            weights[row] = found._weights_of(outcomes[place], state, f"outcome {place}")
        found._set(weights, inverse.reshape(shape))
        return found

    @classmethod
    def from_weights(
        cls,
        state_names: Sequence[str],
        aggregation: Aggregation,
        weights: Array,
        table: Array,
        *,
        starting_states: Sequence[str | int] | None = None,
        final_states: Sequence[str | int] = (),
    ) -> StochasticFSA:
        """Build it from distributions in units of 2^-53, as ``outcomes`` has them, and a table of their places."""
        found = cls._bare(state_names, aggregation, starting_states, final_states)
        rows, places = np.asarray(weights), np.asarray(table)
        if rows.dtype.kind not in "iu" or rows.shape[1:] != (found.num_states,) or (rows < 0).any():
            raise AutomatonError(f"weights must be integers [outcomes, {found.num_states}] of at least 0")
        if (rows.sum(axis=1) != ONE).any():
            place = int(np.flatnonzero(rows.sum(axis=1) != ONE)[0])
            raise AutomatonError(f"outcome {place}: probabilities must sum to 1; got {rows[place].sum() / ONE}")
        if places.shape != (found.num_states, found.num_values) or not ((places >= 0) & (places < len(rows))).all():
            raise AutomatonError(f"table must hold places of the {len(rows)} outcomes for each state and value")
        found._set(rows.astype(np.int64), places.astype(np.int64))
        return found

    @classmethod
    def _bare(cls, *about: Any) -> StochasticFSA:
        found = cls.__new__(cls)
        Automaton.__init__(found, *about)
        return found

    @classmethod
    def from_rule(
        cls,
        state_names: Sequence[str],
        aggregation: Aggregation,
        rule: Callable[[str, Any], Outcome],
        *,
        starting_states: Sequence[str | int] | None = None,
        final_states: Sequence[str | int] = (),
    ) -> StochasticFSA:
        """Build it by asking a Python function for every state and value.

        Args:
            state_names: One distinct name per state.
            aggregation: How a node sees its neighbours.
            rule: ``rule(state, seen)``, with what the node observes as for ``GraphFSA.from_rule``, returns the next
                state, or a dict from states to probabilities. What is missing to 1 is the probability of staying.
            starting_states: As for the constructor.
            final_states: As for the constructor.
        """
        names = check_state_names(state_names)
        num_values = check_table_size(aggregation, len(names))
        outcomes: list[Mapping[Any, float]] = []
        for value in range(num_values):
            observation = aggregation.observation(value, names)
            for name in names:
                said = rule(name, observation)
                outcomes.append(said if isinstance(said, Mapping) else {said: 1.0})
        table = np.arange(len(outcomes)).reshape(num_values, len(names)).T
        return cls.from_outcomes(
            names, aggregation, outcomes, table, starting_states=starting_states, final_states=final_states
        )

    @classmethod
    def from_rules(cls, text: str) -> StochasticFSA:
        """Build the automaton that rules describe: what ``str(fsa.rules())`` gives, or what you have written.

        Args:
            text: The rules, in the notation of docs/rules.md.

        Raises:
            FormatError: The text is malformed; the message names the line and what was expected.

        Example:
            >>> sir = StochasticFSA.from_rules('''
            ... states: well, ill, immune
            ... final states: immune
            ... aggregation: counting bound=1
            ... well -> ill with probability 0.3 if some neighbour is ill
            ... well stays otherwise
            ... ill -> immune with probability 0.1
            ... immune stays
            ... ''')
            >>> sir.num_outcomes
            4
        """
        from graphfsa.automaton.rules import stochastic_from_rules

        return stochastic_from_rules(text)

    @classmethod
    def of(cls, fsa: GraphFSA, *, noise: float = 0.0) -> StochasticFSA:
        """An automaton without coins as one with them.

        Args:
            fsa: The automaton.
            noise: The probability that a node does not move as the automaton says but to any of its states, all with
                the same probability. Nodes in final states stay.
        """
        check_number("noise", noise, below=np.nextafter(1.0, 2.0))
        probabilities = np.full((*fsa.transition_table.shape, fsa.num_states), noise / fsa.num_states)
        probabilities += (1 - noise) * np.eye(fsa.num_states)[fsa.transition_table]
        for state in fsa.final_states:
            probabilities[state] = np.eye(fsa.num_states)[state]
        states = {"starting_states": fsa.starting_states, "final_states": fsa.final_states}
        return cls(fsa.state_names, fsa.aggregation, probabilities, **states)

    @property
    def num_outcomes(self) -> int:
        """Number of different distributions."""
        return len(self._outcomes)

    @property
    def outcomes(self) -> Array:
        """The different distributions, in units of 2^-53, int64 [num_outcomes, num_states], read-only."""
        return self._outcomes

    @property
    def transition_table(self) -> Array:
        """Which outcome belongs to each state and value, uint16 [num_states, num_values], read-only."""
        return self._table

    def probabilities(self, state: str | int, value: int) -> dict[str, float]:
        """The next states that are possible, with their probabilities."""
        place = check_integer("value", value, 0, self.num_values - 1, error=AutomatonError)
        weights = self._outcomes[self._table[self.index(state), place]]
        return {self.state_names[k]: float(probability(weights[k])) for k in np.flatnonzero(weights)}

    def all_probabilities(self) -> Array:
        """All of them, float64 [num_states, num_values, num_states]."""
        return (self._outcomes / ONE)[self._table]

    def most_likely(self) -> GraphFSA:
        """The automaton that makes the most likely move everywhere; the first of equally likely ones."""
        table = self._outcomes.argmax(axis=1)[self._table]
        states = {"starting_states": self._starting_states, "final_states": self._final_states}
        return GraphFSA(self._state_names, self._aggregation, table, **states)

    def rules(self, matters: ArrayLike | None = None) -> Rules:
        """The table as short rules in words, as ``GraphFSA.rules``; ``from_rules`` reads their text back."""
        from graphfsa.automaton.rules import rules_of

        return rules_of(self, matters)

    @property
    def digest(self) -> str:
        """SHA-256 of everything that defines the automaton: equal automata have equal digests on every machine."""
        if self._digest is None:
            from graphfsa.automaton.serialize import header_json

            hasher = sha256(header_json(self).encode())
            hasher.update(self._outcomes.astype("<i8").tobytes())
            hasher.update(self._table.astype("<u2").tobytes())
            self._digest = hasher.hexdigest()
        return self._digest

    def save(self, path: PathLike) -> None:
        """Write the automaton to a JSON file, atomically."""
        from graphfsa.automaton.serialize import save_automaton

        save_automaton(self, path)

    @classmethod
    def load(cls, path: PathLike) -> StochasticFSA:
        """Read an automaton from its JSON file or from a ``.rules`` file."""
        from graphfsa.automaton.serialize import load_any

        found = load_any(path)
        return found if isinstance(found, StochasticFSA) else cls.of(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StochasticFSA) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        # Built anew, so that a copy in another process is validated and read-only too.
        states = {"starting_states": self._starting_states, "final_states": self._final_states}
        about = self._state_names, self._aggregation, self._outcomes, self._table
        return partial(StochasticFSA.from_weights, **states), about

    def _repr_html_(self) -> str:
        return self.rules().html()

    def _weights_of(self, said: Mapping[Any, float], state: int, what: str) -> Array:
        """A distribution in units of 2^-53; what is missing to 1 stays."""
        weights = np.zeros(self.num_states)
        for name, number in said.items():
            weights[state_index(name, self._state_names, f"{what}: a next state")] += _probability(number, what)
        total = float(weights.sum())
        if total > 1 + _TOLERANCE:
            raise AutomatonError(f"{what}: probabilities must sum to at most 1; got {total}")
        if total > 1 - _ROUNDING:  # What rounding leaves over, as of three thirds, is no chance to stay.
            return _weights(weights[None] / total)[0]
        others = np.rint(weights * ONE).astype(np.int64)
        others[state] += ONE - others.sum()
        return others

    def _check_sums(self, probabilities: Array) -> None:
        low = np.argwhere(~(probabilities >= 0))
        if len(low):
            state, value, successor = low[0].tolist()
            raise AutomatonError(
                f"probabilities[{state}, {value}, {successor}] must be at least 0; "
                f"got {probabilities[state, value, successor]}"
            )
        sums = probabilities.sum(axis=2)
        wrong = np.argwhere(~(np.abs(sums - 1) <= _TOLERANCE))
        if len(wrong):
            state, value = wrong[0].tolist()
            raise AutomatonError(
                f"probabilities[{state}, {value}] (state {self._state_names[state]}, "
                f"{self._aggregation.decode(value, self._state_names)}) must sum to 1; got {sums[state, value]}"
            )

    def _check_finals(self) -> None:
        for state in self._final_states:
            leaves = np.flatnonzero(self._outcomes[self._table[state], state] != ONE)
            if len(leaves):
                value = int(leaves[0])
                words = self._aggregation.decode(value, self._state_names)
                raise AutomatonError(
                    f"final state {state} ({self._state_names[state]}) must be absorbing; with value {value} ({words}) "
                    f"it stays with probability {probability(self._outcomes[self._table[state, value], state])}"
                )


def probability(weight: Any) -> str:
    """A multiple of 2^-53 as the shortest decimal that stands for it."""
    weight = int(weight)
    for digits in range(1, 18):
        text = f"{weight / ONE:.{digits}g}"
        if round(float(text) * ONE) == weight:
            return text
    raise AssertionError("17 digits tell floats apart")


def weight_of(number: float) -> int:
    """A probability as a multiple of 2^-53."""
    return round(number * ONE)


def _numbers(given: ArrayLike) -> Array:
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise AutomatonError("probabilities must be numbers, in rows of one length") from None


def _probability(number: Any, what: str) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float | np.floating | np.integer) or not number >= 0:
        raise AutomatonError(f"{what}: a probability must be a number of at least 0; got {shown(number)}")
    return float(number)


def _weights(rows: Array) -> Array:
    """Distributions in units of 2^-53; what rounding leaves over goes to the largest."""
    weights = np.rint(rows * ONE).astype(np.int64)
    weights[np.arange(len(weights)), weights.argmax(axis=1)] += ONE - weights.sum(axis=1)
    return weights
