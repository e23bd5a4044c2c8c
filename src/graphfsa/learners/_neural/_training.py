"""The training of a network: batches in turn, Adam, and the weights of the best epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Examples
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.learners._base import Watch, learned
from graphfsa.learners._model import Model
from graphfsa.learners._neural._batches import Batch, Batches
from graphfsa.learners._neural._network import Network
from graphfsa.learners._neural._rollout import answers_of, scores_of
from graphfsa.learners._neural._schedule import FACTOR
from graphfsa.learners._neural._weights import Weights
from graphfsa.learners._torch import steady, torch

if TYPE_CHECKING:
    from torch import Tensor

    from graphfsa.learners._neural._learner import NeuralLearner

_MAX_BYTES = 2**32
_NODES_AT_ONCE = 2**13
"""Nodes of a batch that is only looked at; larger ones are no faster."""
_MOMENTS = (0.9, 0.999)
_SMALL = 1e-8
_REPORT = 0.25
"""Seconds between two reports within an epoch."""


class Training:
    """One call of ``fit``.

    Args:
        learner: The learner.
        train: Training graphs.
        validation: Validation graphs, if any.
        seed: Seed.
        watch: Called with a record of how it goes.
    """

    def __init__(
        self,
        learner: NeuralLearner,
        train: Examples,
        validation: Examples | None,
        seed: int,
        watch: Watch | None,
    ) -> None:
        self._began, self._seed = monotonic(), seed
        self.learner, self.task, self.watch = learner, train.task, watch
        self.plan = learner.schedule(self.task)
        first, noise, self._order = np.random.default_rng(seed).spawn(3)
        self.weights = Weights(learner.first_weights(self.task, first), noise)
        self.train = Batches(train)
        self.validation = None if validation is None else Batches(validation)
        self.counted = self.train.counted
        self._check_memory()
        self._adam = _Adam(self.weights.flat, self.plan.rate, self.plan.clip)
        self._steps = self._own_steps(train)
        self.best, self.best_loss, self.best_epoch = self.weights.arrays(), float("inf"), 0
        self.history: list[dict[str, Any]] = []
        self.updates = 0
        self._reported = self._began

    def run(self) -> Model:
        """Train, and return the model with the best network."""
        interrupted = False
        with steady():
            try:
                self._train()
            except KeyboardInterrupt:
                interrupted = True
        return learned(
            self.learner,
            self.train.examples,
            None if self.validation is None else self.validation.examples,
            self._seed,
            Network(self.learner, self.task, self.best),
            seconds=monotonic() - self._began,
            interrupted=interrupted,
            details={"epochs": len(self.history), "updates": self.updates, "schedule": asdict(self.plan)},
            history=tuple(self.history),
        )

    def _train(self) -> None:
        plan, flat = self.plan, 0
        looks = None
        if self.validation is not None:
            # The most steps that training graphs make: an answer has to stay until then.
            looks = _Looks(self.validation, self._own_steps(self.validation.examples) + plan.offset)
        for epoch in range(1, plan.epochs + 1):
            rate = self._adam.rate
            loss = self._epoch(epoch)
            on_validation, accuracy = (
                (None, None) if looks is None else looks.look(self.learner, self.weights, self.task)
            )
            judged = loss if on_validation is None else on_validation
            flat += 1
            if judged < self.best_loss:
                self.best, self.best_loss, self.best_epoch = self.weights.arrays(), judged, epoch
                flat = 0
            if flat > plan.patience:
                self._adam.rate *= FACTOR
                flat = 0
            self.history.append(
                {
                    "epoch": epoch,
                    "loss": loss,
                    "validation_loss": on_validation,
                    "validation_accuracy": accuracy,
                    "rate": float(rate),
                }
            )
            self._report({**self.history[-1], "updates": self.updates, "of": self._most_updates()})
            if (plan.stop and epoch - self.best_epoch >= plan.stop) or self._spent:
                return

    def _own_steps(self, examples: Examples) -> Array:
        """How many steps each graph makes without offset."""
        own = self.plan.training_steps
        return examples.steps if own == "data" else np.full(len(examples), own)

    @property
    def _spent(self) -> bool:
        return bool(self.plan.updates) and self.updates >= self.plan.updates

    def _most_updates(self) -> int:
        every = self.plan.epochs * -(-len(self.counted) // self.plan.batch)
        return min(self.plan.updates or every, every)

    def _epoch(self, epoch: int) -> float:
        """One pass over the training graphs; returns the mean loss per node that counts."""
        losses, weights = 0.0, 0.0
        order = self._order.permutation(self.counted)
        for begin in range(0, len(order), self.plan.batch):
            extra = int(self._order.integers(0, self.plan.offset + 1)) if self.plan.offset else 0
            batch = self.train.take(order[begin : begin + self.plan.batch], extra, self._steps)
            total, weight = self._update(batch)
            losses, weights = losses + total, weights + weight
            if self.watch is not None and monotonic() - self._reported > _REPORT:
                self._report(
                    {"epoch": epoch, "loss": losses / weights, "updates": self.updates, "of": self._most_updates()}
                )
            if self._spent:
                break
        return losses / weights

    def _report(self, record: dict[str, Any]) -> None:
        if self.watch is not None:
            self._reported = monotonic()
            self.watch(record)

    def _update(self, batch: Batch) -> tuple[float, float]:
        """One update; returns the sum of the losses and of the weights of the nodes."""
        loss, weight, _ = _loss(self.learner, self.weights, batch, self.task)
        number = float(loss.detach())
        if not np.isfinite(number):
            raise GraphFSAError(
                f"the loss is not a number any more in update {self.updates + 1}; choose a rate below "
                f"{self._adam.rate:g}, or clip the gradient"
            )
        tensors = list(self.weights.tensors.values())
        gradients = torch().autograd.grad(loss / weight, tensors, materialize_grads=True)
        self._adam.update(torch().cat([gradient.reshape(-1) for gradient in gradients]))
        self.updates += 1
        return number, weight

    def _check_memory(self) -> None:
        """Raise if the steps of a batch would take too much memory, before they are made."""
        examples = self.train.examples
        steps = int(self._own_steps(examples)[self.counted].max()) + self.plan.offset
        sizes = examples.sizes + np.diff(examples.graphs.graph.indptr[examples.graphs.offsets])
        items = int(np.sort(sizes[self.counted])[-self.plan.batch :].sum())
        needed = 4.0 * steps * items * self.learner.width(self.task)
        if needed > _MAX_BYTES:
            raise LimitError(
                f"{steps} steps of a batch of {items} nodes and arcs would take about {needed / 2**30:.1f} GiB; at "
                f"most {_MAX_BYTES / 2**30:.0f} GiB are used. Choose a smaller batch, fewer steps or smaller graphs"
            )


class _Adam:
    """Adam on one vector, whose gradient is clipped."""

    def __init__(self, vector: Tensor, rate: float, clip: float) -> None:
        self.vector, self.rate, self.clip = vector, rate, clip
        self.first, self.second = torch().zeros_like(vector), torch().zeros_like(vector)
        self._room = torch().zeros_like(vector)
        self.age = 0

    def update(self, gradient: Tensor) -> None:
        slow, slower = _MOMENTS
        if self.clip:
            norm = float(gradient.norm())
            if norm > self.clip:
                gradient.mul_(self.clip / norm)
        self.age += 1
        self.first.mul_(slow).add_(gradient, alpha=1 - slow)
        self.second.mul_(slower).addcmul_(gradient, gradient, value=1 - slower)
        spread = torch().sqrt(self.second, out=self._room).div_((1 - slower**self.age) ** 0.5).add_(_SMALL)
        with torch().no_grad():
            self.vector.addcdiv_(self.first, spread, value=-self.rate / (1 - slow**self.age))


class _Looks:
    """Graphs that are looked at again and again, in batches that are made once."""

    def __init__(self, batches: Batches, steps: Array) -> None:
        chosen = parts(batches.counted, batches.examples.sizes)
        self._batches = [batches.take(part, steps=steps) for part in chosen]

    def look(self, learner: NeuralLearner, weights: Weights, task: Any) -> tuple[float, float]:
        """Mean loss, and share of right answers, over the nodes that count."""
        noise, weights.noise = weights.noise, None
        losses = right = total = 0.0
        try:
            with torch().no_grad():
                for batch in self._batches:
                    loss, weight, scores = _loss(learner, weights, batch, task)
                    good = answers_of(scores, task) == batch.labels.numpy()
                    right += float(batch.weights.numpy()[good].sum(dtype=np.float64))
                    losses, total = losses + float(loss), total + weight
        finally:
            weights.noise = noise
        return losses / total, 1 - (total - right) / total  # Rounded as ``Examples.score`` does.


def parts(chosen: Array, sizes: Array) -> Iterator[Array]:
    """Some graphs, divided into parts of about as many nodes as are run at once."""
    place = np.cumsum(sizes[chosen]) // _NODES_AT_ONCE
    for number in np.unique(place):
        yield chosen[place == number]


def _loss(learner: NeuralLearner, weights: Weights, batch: Batch, task: Any) -> tuple[Tensor, float, Tensor]:
    """Sum of the losses of the nodes by their weights, sum of the weights, and scores."""
    scores = scores_of(learner, weights, batch, task)
    losses = learner.losses(scores, batch.labels, task)
    return losses @ batch.weights, float(batch.weights.sum()), scores
