"""A soft discretiser: thresholds trained by gradient descent together with soft tables.

A node starts in the state of its cell for certain, as it will when all is done; backwards, the step of a threshold
counts as a sigmoid around it (a straight-through estimator), so that thresholds move to where labels become likelier.
Numbers are taken by their ranks, which lie between 0 and 1 whatever they measure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.aggregations import CountingAggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Cut, Discretiser, Task, Tree
from graphfsa.learners._base import Watch
from graphfsa.learners._torch import steady, torch
from graphfsa.learners.diff_fsa._rollout import Batch, Rollout
from graphfsa.search.cuts.clauses import between
from graphfsa.search.cuts.conflicts import FeatureData
from graphfsa.search.cuts.search import Cuts
from graphfsa.search.cuts.widening import mended

if TYPE_CHECKING:
    from torch import Tensor

_MOST = 2
"""Thresholds that are trained together, at most."""
_RESTARTS = 16
_UPDATES = 240
_BATCH = 64
_GRAPHS = 400
_NODES = 6
"""Graphs of up to this number of nodes are trained on, if there are enough."""
_ENOUGH = 50
_WIDTH = 0.08
"""Width of the sigmoid, in ranks."""
_RATES = (0.15, 0.02)
"""Rates of the tables and of the thresholds."""
_STAY = 1.0
_FLOOR = 0.02
_TOLD = 3
"""Sets of thresholds of one number that are told, at most."""
_EVERY = 20
_GOOD = 0.9
"""Share of the labels that a soft table gives, from which on its thresholds are told."""
_FEW = 4
"""Tables with at most this number of states count to 2, larger ones to 1."""
_STATES = 24
"""With more states than this, soft tables with thresholds are not trained."""


def trained_cuts(data: FeatureData, seed: int, watch: Watch) -> Iterator[Cuts]:
    """Thresholds of trained tables, those of one number together, the best first; few thresholds before many.

    Args:
        data: The graphs.
        seed: The seed.
        watch: Called with a record of how it goes now and then.
    """
    if data.examples.graphs.graph.slots is not None:
        return
    for number in range(1, _MOST + 1):
        if _num_states(data, number) > _STATES:
            return
        with steady():
            found = SoftCuts(data, number, np.random.default_rng([seed, number]), watch).train()
        yield from found


def _num_states(data: FeatureData, number: int) -> int:
    task = data.examples.task
    return len(task.inputs) * 2**number + (len(task.classes) if task.kind == "classes" else 0)


@dataclass(frozen=True, eq=False)
class _Nodes:
    """What is known about the nodes of a batch.

    Attributes:
        ranks: Rank of the numbers that each threshold of each table is about, [node, threshold, restart].
        inputs: Number of the input, [node].
        counted: The nodes whose label counts.
        wanted: Their labels.
    """

    ranks: Tensor
    inputs: Array
    counted: Array
    wanted: Array


class SoftCuts:
    """Tables with thresholds of their own, trained together.

    Args:
        data: The graphs.
        number: Number of thresholds of each table.
        rng: Source of randomness.
        watch: Called with a record of how it goes now and then.
    """

    def __init__(self, data: FeatureData, number: int, rng: np.random.Generator, watch: Watch) -> None:
        self.data, self.number, self.rng, self.watch = data, number, rng, watch
        examples = data.examples
        few = np.flatnonzero(examples.sizes <= _NODES)
        self.graphs = few if len(few) >= _ENOUGH else np.arange(len(examples))
        if len(self.graphs) > _GRAPHS:
            self.graphs = np.sort(rng.choice(self.graphs, _GRAPHS, replace=False))
        chosen = data.measured.select(self.graphs)
        self.examples = chosen.examples
        task = self.examples.task
        self.num_final = len(task.classes) if task.kind == "classes" else 0
        self.cells = 2**number
        self.num_states = _num_states(data, number)
        degree = max(1, int(np.diff(self.examples.graphs.graph.indptr).max(initial=0)))
        bound = min(degree, 2 if self.num_states <= _FEW else 1)
        self.rollout = Rollout(
            self.examples.graphs, CountingAggregation(bound), self.num_states, absorbing=self.num_final, compiled=False
        )
        self.ranks = np.stack(
            [
                np.searchsorted(values, column) / max(1, len(values) - 1)
                for values, column in zip(data.values, chosen.features.T, strict=True)
            ],
            axis=1,
        )
        kinds = list(combinations_with_replacement(range(self.ranks.shape[1]), number))
        self.features = np.array([kinds[restart % len(kinds)] for restart in range(_RESTARTS)]).T
        self.cuts = torch().as_tensor(np.sort(rng.uniform(0.1, 0.9, (number, _RESTARTS)), axis=0))
        self.cuts = self.cuts.to(torch().float32).requires_grad_(True)
        shape = (len(self.rollout.values), self.num_states - self.num_final, self.num_states, _RESTARTS)
        logits = rng.normal(0.0, 0.5, shape).astype(np.float32)
        own = np.arange(shape[1])
        logits[:, own, own + self.num_final] += np.float32(_STAY) * (self.num_final > 0)
        self.logits = torch().as_tensor(logits).requires_grad_(True)
        self.answers = self._answers()

    def _answers(self) -> Tensor:
        """Which states stand for each label, [label, state]."""
        task = self.examples.task
        table = np.zeros((len(task.classes), self.num_states), np.float32)
        if self.num_final:
            table[np.arange(self.num_final), np.arange(self.num_final)] = 1
        else:
            states = np.arange(self.num_states)
            table[states // self.cells, states] = 1
        return torch().as_tensor(table)

    def train(self) -> list[Cuts]:
        """Train; returns the thresholds of the best tables, the best first."""
        moved = torch().optim.Adam(
            [{"params": [self.logits], "lr": _RATES[0]}, {"params": [self.cuts], "lr": _RATES[1]}]
        )  # fmt: skip
        share: Array = np.zeros(_RESTARTS)
        updates = _UPDATES * self.number
        for update in range(updates):
            if update % _EVERY == 0:
                self.watch({"doing": f"training {self.number} soft thresholds, update {update} of {updates}"})
            moved.zero_grad()
            loss, right = self._loss()
            loss.sum().backward()
            moved.step()
            share = right if not update else 0.9 * share + 0.1 * right
            self.data.budget.spend(float(self.logits.numel()) * len(self.rollout.values))
            if self.data.budget.over:
                break
        best = [restart for restart in np.argsort(-share, kind="stable").tolist() if share[restart] >= _GOOD]
        told = [self._mended(restart) for restart in best[:_TOLD]]
        return list(dict.fromkeys(cuts for _, cuts in sorted(told, key=lambda found: found[0])))

    def _loss(self) -> tuple[Tensor, Array]:
        """The loss of each table on some graphs, and the share of labels that each gives."""
        count = min(_BATCH, len(self.graphs))
        chosen = np.sort(self.rng.choice(len(self.graphs), count, replace=False))
        steps = self.examples.steps[chosen]
        batch = self.rollout.batch(chosen, np.zeros(len(self.examples.inputs), np.int64), steps)
        nodes = self._nodes(batch)
        last = self.rollout.run(self.logits.softmax(2), batch, self._start(nodes))
        given = torch().einsum("ls,nsr->nlr", self.answers, last)
        index = torch().as_tensor(nodes.counted), torch().as_tensor(nodes.wanted)
        right = given[index]
        sure = (given[index[0]].argmax(1) == index[1][:, None]).to(torch().float32)
        return -(right + _FLOOR).log().mean(0), sure.mean(0).numpy()

    def _nodes(self, batch: Batch) -> _Nodes:
        node: Array = batch.nodes.node
        ranks = torch().as_tensor(self.ranks[node][:, self.features].astype(np.float32))
        counted = np.flatnonzero(self.examples.mask[node])
        wanted = self.examples.labels[node][counted].astype(np.int64)
        return _Nodes(ranks, self.examples.inputs[node], counted, wanted)

    def _start(self, nodes: _Nodes) -> Tensor:
        """Where nodes start, [node, state, restart]: hard forwards, and with the slope of a sigmoid backwards."""
        soft = ((nodes.ranks - self.cuts) / _WIDTH).sigmoid()
        hard = (nodes.ranks > self.cuts).to(soft.dtype)
        above = hard + soft - soft.detach()
        cells = above.new_ones(len(above), 1, _RESTARTS)
        for cut in range(self.number):
            side: Any = above[:, cut : cut + 1]
            cells = torch().cat([cells * (1 - side), cells * side], dim=1)
        begins = self.num_final + nodes.inputs.astype(np.int64) * self.cells
        places = torch().as_tensor(begins[:, None] + np.arange(self.cells))
        empty = cells.new_zeros(len(cells), self.num_states, _RESTARTS)
        return empty.scatter(1, places[:, :, None].expand(-1, -1, _RESTARTS), cells)

    def _mended(self, restart: int) -> tuple[int, Cuts]:
        """The hard thresholds of a table, moved to where its hard automaton is right most often; how often it is not.

        In an evolution the automaton need not keep nodes in their cells, and thresholds stay as they were trained.
        """
        cuts = self._hardened(restart)
        if not self.num_final:
            return 0, tuple(sorted(set(cuts)))
        given = self.examples.task.inputs
        names = [f"{word}, cell {cell}" for word in given for cell in range(self.cells)]
        trees = tuple(_tree(cuts, place * self.cells, 0) for place in range(len(given)))
        discretiser = Discretiser(self.data.measured.names, tuple(names), trees, given)
        moved, wrong = mended(self.data, discretiser, self._automaton(names, restart))
        return wrong, tuple(sorted({(cut.feature, cut.at) for cut in moved.cuts}))

    def _automaton(self, names: list[str], restart: int) -> GraphFSA:
        """The likeliest successors of a table; entries that no training graph can use stay."""
        task = Task("soft", "classes", tuple(names), self.examples.task.classes)
        aggregation, states = self.rollout.aggregation, self.num_states
        table = np.repeat(np.arange(states)[:, None], aggregation.num_values(states), axis=1)
        best = self.logits[..., restart].detach().argmax(2).numpy().T
        table[self.num_final :, self.rollout.values] = best
        finals = list(range(self.num_final))
        return GraphFSA(
            task.state_names(),
            aggregation,
            table,
            starting_states=list(range(self.num_final, states)),
            final_states=finals,
        )

    def _hardened(self, restart: int) -> list[tuple[int, float]]:
        """The thresholds of a table, as numbers between two that occur."""
        found: list[tuple[int, float]] = []
        for feature, rank in zip(self.features[:, restart].tolist(), self.cuts[:, restart].tolist(), strict=True):
            values = self.data.values[feature]
            last = len(values) - 1
            place = int(np.clip(np.floor(rank * last), 0, max(0, last - 1)))
            found.append((feature, between(float(values[place]), float(values[min(place + 1, last)]))))
        return found


def _tree(cuts: list[tuple[int, float]], cell: int, place: int) -> Tree:
    """All cuts in a row; the number of a cell has a bit for each."""
    if place == len(cuts):
        return cell
    feature, at = cuts[place]
    low, high = _tree(cuts, cell, place + 1), _tree(cuts, cell + 2**place, place + 1)
    return Cut(feature, at, low, high, (at, float(np.nextafter(at, np.inf))))
