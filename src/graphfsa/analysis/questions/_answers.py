"""What comes of a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.engine import Trajectory
from graphfsa.graphs import Graph

Kind = Literal["always", "eventually", "eventually always"]


@dataclass(frozen=True, eq=False)
class Run:
    """A run that somebody chose: who moved in each step, and what came of it.

    Attributes:
        fsa: The automaton.
        graph: The graph.
        states: The states before the first step and after each, uint8 [steps + 1, num_nodes].
        moves: The nodes that moved in each step.
        loop: After how many steps the part begins that is repeated for ever; the last states are those there. None if
            the run ends. A run that ends at rest stays there for ever.
        shortest: Whether it is known that there is no shorter one on a graph of this size.
    """

    fsa: GraphFSA | StochasticFSA
    graph: Graph
    states: Array
    moves: tuple[tuple[int, ...], ...]
    loop: int | None = None
    shortest: bool = True

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.moves)

    @property
    def names(self) -> list[list[str]]:
        """The names of the states, for each step and node."""
        return [[self.fsa.state_names[state] for state in row] for row in self.states.tolist()]

    @property
    def trajectory(self) -> Trajectory:
        """The run as a trajectory, which ``rollout`` draws and plays."""
        period = None if self.loop is None else max(1, self.steps - self.loop)
        return Trajectory(
            self.fsa, self.graph, self.states[0], self.states[-1], self.steps, self.loop, period, "given",
            np.arange(self.steps + 1), self.states, movers=self.moves,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        return self.trajectory._repr_html_()  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class SizeAnswer:
    """What was found on all graphs of one size.

    Attributes:
        size: Number of nodes.
        graphs: Number of graphs, up to isomorphism.
        configurations: Number of configurations on all of them together.
        explored: Those that were looked at: one for all that a symmetry of the graph turns into each other.
        worst_steps: The largest number of steps until it holds, or holds for ever; None if there is no largest.
        worst_moves: The same in moves of single nodes.
        worst_rounds: The same in rounds, one that was begun included; None also if it was too much to find out.
        mean_steps: The mean over all starts, if each of the moves that may come next is as likely as any other; None
            if it is not known.
        slowest_mean: The same for the worst start.
    """

    size: int
    graphs: int
    configurations: int
    explored: int
    worst_steps: int | None = None
    worst_moves: int | None = None
    worst_rounds: int | None = None
    mean_steps: float | None = None
    slowest_mean: float | None = None


@dataclass(frozen=True)
class Sample:
    """What random runs say where there are too many configurations: an estimate and no proof.

    Attributes:
        runs: Number of runs; graph, start and moves are drawn, all of them equally likely.
        held: In how many of them it held.
        steps: Number of steps of each.
        confidence: How likely it is that ``at_least`` is right, whatever the truth.
        at_least: The share of all such runs in which it holds is at least this one (Clopper and Pearson, 1934).
    """

    runs: int
    held: int
    steps: int
    confidence: float
    at_least: float


@dataclass(frozen=True, eq=False)
class Answer:
    """What is true of all runs.

    Attributes:
        holds: Whether it holds in every run; for automata that flip coins, ``always`` means surely, and the others with
            probability 1. None if runs were only drawn.
        question: The question in words.
        start: From where.
        scheduler: Who may move in one step.
        fair: Whether only weakly fair runs count, in which no node can move for ever and never does.
        coins: Whether nodes flip coins.
        graph_class: The class of the graphs, or ``"your graphs"``.
        sizes: What was found for each size, up to that of the counterexample.
        counterexample: A run in which it does not hold, if there is one, on a graph of the smallest size; the shortest
            on this graph: the fewest steps until it repeats itself, then the fewest steps that are repeated.
        trap: If nodes flip coins: how many configurations there are in which the scheduler can keep the run for ever,
            whatever the coins say, from where the counterexample ends.
        broken: Only for ``eventually always``: whether it holds in all of the counterexample from some step on, but
            could be broken at any time.
        worst: If it holds: the run that takes longest, in steps, or in rounds if the number of steps has no limit.
        sample: What random runs say, if it was asked for.
        seconds: How long it took.
    """

    holds: bool | None
    question: str
    start: str
    scheduler: str
    fair: bool
    coins: bool
    graph_class: str
    sizes: tuple[SizeAnswer, ...]
    counterexample: Run | None = None
    trap: int | None = None
    broken: bool = False
    worst: Run | None = None
    sample: Sample | None = None
    seconds: float = 0.0

    def __repr__(self) -> str:
        how = f"{self.scheduler}{', weakly fair' if self.fair else ''}, from {self.start}"
        seen = f"{self.configurations:,} configurations" if self.sample is None else f"{self.sample.runs:,} runs drawn"
        example = "" if self.counterexample is None else "; with a counterexample"
        return f"Answer(holds={self.holds}: {self.question}; {how}; graphs: {self.graph_class}; {seen}{example})"

    @property
    def graphs(self) -> int:
        """Number of graphs."""
        return sum(each.graphs for each in self.sizes)

    @property
    def configurations(self) -> int:
        """Number of configurations on all of them together."""
        return sum(each.configurations for each in self.sizes)

    @property
    def explored(self) -> int:
        """Number of configurations that were looked at."""
        return sum(each.explored for each in self.sizes)

    def __bool__(self) -> bool:
        return self.holds is True
