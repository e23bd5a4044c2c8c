"""A soft table: the probability of each successor of each entry, to look at and to keep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from graphfsa.aggregations import Aggregation, aggregation_from_config
from graphfsa.arrays import Array
from graphfsa.automaton import StochasticFSA
from graphfsa.automaton.base import check_state_names, check_table_size
from graphfsa.errors import FormatError
from graphfsa.files import PathLike, read_tensors, write_tensors


@dataclass(frozen=True, eq=False)
class SoftTable:
    """A probabilistic automaton.

    Attributes:
        state_names: Name of each state.
        aggregation: How a node sees its neighbours.
        probabilities: Probability of each successor, float32 [num_states, num_values, num_states].
        trained: Which values the training graphs can show, bool [num_values]; the others have the probabilities with
            which they began: certain to stay.
    """

    schema: ClassVar[str] = "graphfsa.soft/1"

    state_names: tuple[str, ...]
    aggregation: Aggregation
    probabilities: Array
    trained: Array

    @property
    def table(self) -> Array:
        """The likeliest successor of each entry, int16 [num_states, num_values]."""
        return self.probabilities.argmax(2).astype(np.int16)

    def stochastic(
        self, *, starting_states: Sequence[str | int] | None = None, final_states: Sequence[str | int] = ()
    ) -> StochasticFSA:
        """The table as an automaton that moves at random, as the paper reads it.

        Args:
            starting_states: States in which nodes may start; all if not given.
            final_states: States that are never left; the table must say so too.
        """
        even = self.probabilities.astype(np.float64)
        even /= even.sum(axis=2, keepdims=True)
        states: Any = {"starting_states": starting_states, "final_states": final_states}
        return StochasticFSA(self.state_names, self.aggregation, even, **states)

    @property
    def entropy(self) -> Array:
        """How undecided each entry is, in bits, float32 [num_states, num_values]: 0 is certain."""
        some = np.maximum(self.probabilities, 1e-30)
        return np.maximum(0.0, 0.0 - (self.probabilities * np.log2(some)).sum(axis=2))

    def undecided(self, least: float = 0.5) -> list[tuple[str, str, dict[str, float]]]:
        """Entries whose entropy is at least this number of bits, the most undecided first.

        Returns:
            For each its state, its value in words, and the probabilities of the successors that have at least 0.01.
        """
        entropy = np.where(self.trained, self.entropy, 0.0)
        states, values = np.nonzero(entropy >= least)
        order = np.argsort(-entropy[states, values], kind="stable")
        return [
            (
                self.state_names[state],
                self.aggregation.decode(int(value), self.state_names),
                {
                    self.state_names[k]: round(float(p), 4)
                    for k, p in enumerate(self.probabilities[state, value])
                    if p >= 0.01
                },
            )
            for state, value in zip(states[order].tolist(), values[order].tolist(), strict=True)
        ]

    def save(self, path: PathLike) -> None:
        """Write a safetensors file, in one step."""
        about = {
            "schema": self.schema,
            "states": json.dumps(self.state_names),
            "aggregation": json.dumps(self.aggregation.config()),
        }
        tensors = {"probabilities": np.ascontiguousarray(self.probabilities), "trained": self.trained.astype(np.uint8)}
        write_tensors(path, tensors, about)

    @classmethod
    def load(cls, path: PathLike) -> SoftTable:
        """Read what ``save`` wrote.

        Raises:
            FormatError: The file is damaged, or of another kind.
        """
        tensors, about = read_tensors(path, cls.schema)
        try:
            names = check_state_names(json.loads(about["states"]))
            aggregation = aggregation_from_config(json.loads(about["aggregation"]))
            wanted = (len(names), check_table_size(aggregation, len(names)), len(names))
            probabilities, trained = tensors["probabilities"], tensors["trained"].astype(bool)
        except (KeyError, ValueError, TypeError, RecursionError) as error:
            raise FormatError(f"{path}: not a soft table: {str(error)[:500]}") from None
        if probabilities.shape != wanted or trained.shape != wanted[1:2]:
            raise FormatError(f"{path}: probabilities must have shape {list(wanted)}; got {list(probabilities.shape)}")
        if probabilities.dtype != np.float32 or not (probabilities >= 0).all():
            raise FormatError(f"{path}: probabilities must be float32 numbers of at least 0; got others")
        if not np.abs(probabilities.sum(axis=2) - 1).max(initial=0) <= 1e-3:
            raise FormatError(f"{path}: the probabilities of each entry must sum up to 1")
        return cls(names, aggregation, probabilities, trained)
