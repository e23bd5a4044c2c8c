"""What the exact learner has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph
from graphfsa.html import facts_html
from graphfsa.learners._base import predict_with
from graphfsa.search.proof import Impossibility

Verdict = Literal["exact", "best-effort", "impossible", "undecided"]


@dataclass(frozen=True)
class Suspect:
    """A node whose label the automaton does not give.

    Attributes:
        graph: Index of the graph in the training data.
        node: Number of the node within its graph.
        label: Name of the class that the data give it.
        answer: Name of the class that the automaton gives it, or None.
    """

    graph: int
    node: int
    label: str
    answer: str | None


@dataclass(frozen=True)
class Tried:
    """One size of automata that was tried: in words, what came out (fits, impossible, open), how, and the time."""

    size: str
    outcome: str
    by: str
    seconds: float


@dataclass(frozen=True, eq=False)
class Learned:
    """A verdict, and the automaton if there is one.

    Attributes:
        verdict: ``"exact"``: all labels are right. ``"best-effort"``: not all, but as many as could be.
            ``"impossible"``: no automaton of the given size gets all labels right, and ``impossibility`` shows it.
            ``"undecided"``: the budget was spent before something was found or ruled out.
        task: The task.
        found: The automaton, or None.
        train_accuracy: Share of the nodes that count that get their label, strictly; 0 without an automaton.
        seconds: How long it took.
        tried: The sizes that were tried, simplest first.
        impossibility: The graphs that show that nothing fits.
        suspects: Nodes that do not get their label.
        interrupted: Whether the search was interrupted by the user.
    """

    verdict: Verdict
    task: Task
    found: GraphFSA | None
    train_accuracy: float
    seconds: float
    tried: tuple[Tried, ...]
    impossibility: Impossibility | None = None
    suspects: tuple[Suspect, ...] = ()
    interrupted: bool = False

    @property
    def automaton(self) -> GraphFSA:
        """The automaton; raises if there is none."""
        if self.found is None:
            raise GraphFSAError(f"no automaton was found: the verdict is {self.verdict}")
        return self.found

    def predict(self, graph: Graph, inputs: ArrayLike, *, steps: int) -> Array:
        """The class of each node after so many steps, int16; -1 where there is no answer."""
        return predict_with(self.automaton, self.task, graph, inputs, steps)

    def _repr_html_(self) -> str:
        """The verdict and the automaton, for notebooks."""
        facts = {
            "verdict": self.verdict,
            "accuracy on the training graphs": self.train_accuracy,
            "wrong labels": len(self.suspects) or None,
            "seconds": self.seconds,
        }
        return facts_html(f"Learned: {self.task.name}", facts) + (
            "" if self.found is None else self.found._repr_html_()
        )
