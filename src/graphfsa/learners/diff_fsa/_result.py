"""What training gives: an automaton, the soft table that it came from, and how it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Task
from graphfsa.html import facts_html
from graphfsa.learners._base import AutomatonModel
from graphfsa.learners.diff_fsa._soft import SoftModel


@dataclass(frozen=True, eq=False)
class Trained(AutomatonModel):
    """An automaton that was found by gradient descent.

    Attributes:
        verdict: ``"exact"``: all labels of the training and validation graphs are right. ``"best-effort"``: not all.
        task: The task.
        automaton: The automaton.
        soft: The soft table that it came from.
        train_accuracy: Share of the nodes that count that get their label, strictly, on the training graphs.
        validation_accuracy: The same on the validation graphs; None without any.
        updates: Updates of the tables that were made.
        solved: How many tables without an error on the training graphs were collected.
        seconds: How long it took, in all sessions of a training that was resumed.
        history: One record for each look at the discrete tables.
        possible: False if nodes that look the same for ever to automata of these sizes have different labels: then
            none can be exact.
        interrupted: Whether the user interrupted it.
    """

    verdict: Literal["exact", "best-effort"]
    task: Task
    automaton: GraphFSA
    soft: SoftModel
    train_accuracy: float
    validation_accuracy: float | None
    updates: int
    solved: int
    seconds: float
    history: tuple[dict[str, Any], ...]
    possible: bool = True
    interrupted: bool = False

    def _repr_html_(self) -> str:
        """The verdict and the automaton, for notebooks."""
        facts = {
            "verdict": self.verdict,
            "accuracy on the training graphs": self.train_accuracy,
            "accuracy on the validation graphs": self.validation_accuracy,
            "updates": self.updates,
            "seconds": self.seconds,
        }
        return facts_html(f"Trained: {self.task.name}", facts) + self.automaton._repr_html_()

    @property
    def changed(self) -> int:
        """Number of entries that training graphs can show in which the automaton is not what the soft table says.

        Repair, simplification and completion change entries.
        """
        return int(np.count_nonzero((self.automaton.transition_table != self.soft.table) & self.soft.trained))
