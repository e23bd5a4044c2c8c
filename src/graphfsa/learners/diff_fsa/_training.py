"""Gradient descent on many soft tables at once, for automata of one size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.learners._torch import torch
from graphfsa.learners.diff_fsa._recipe import Recipe
from graphfsa.learners.diff_fsa._rollout import Rollout
from graphfsa.search.problem import Problem

if TYPE_CHECKING:
    from torch import Tensor

_MAX_BYTES = 2**32
_COPIES = 8
"""Arrays of the size of the table that an update holds at once: logits, moments, probabilities, gradients."""
_FRAMES = 2
"""Copies of all states of a roll-out."""
_FLOOR = 0.02
"""Added to the probability of a label before the logarithm, so that one hopeless node does not outweigh the others."""
_EASY = 0.1
"""Weight of graphs that all tables get right, beside the share of tables that get a graph wrong."""
_BIAS = 4.0
"""What the logits of the entries of an automaton to begin with have in addition."""
_MOVING = 4
"""One table in this number begins without a bias to stay."""
_KEPT = 4
"""One table in this number is never given up."""
_MULTIPLICATIONS = 50
"""Multiplications forwards and backwards that take as long as a node-step of a discrete roll-out."""
_UPDATE = 50_000
"""Node-steps that an update counts for, beside its roll-outs; and one for every two logits."""
_KNOWN = 40.0
"""Logit of an entry that is known: all others are as good as impossible."""


class NotANumberError(GraphFSAError):
    """The loss is no longer a number."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """What is known before training.

    Attributes:
        initial: Table of an automaton to begin with, int16 [num_states, num_values], or None.
        known: Entries that stay as they are, -1 for those to be learned, int16 of the same shape, or None.
    """

    initial: Array | None = None
    known: Array | None = None


class Training:
    """The soft tables of one size and everything that training changes.

    Args:
        problem: The training graphs, and after them the validation graphs.
        num_train: Number of training graphs.
        recipe: How to train.
        beginning: What is known before.
        rng: Source of randomness; it belongs to this training.
        device: Device of the tables.
        compiled: Whether to use the compiled roll-out.
    """

    def __init__(
        self,
        problem: Problem,
        num_train: int,
        recipe: Recipe,
        beginning: Beginning,
        rng: np.random.Generator,
        *,
        device: Any,
        compiled: bool,
    ) -> None:
        self.problem, self.num_train, self.recipe = problem, num_train, recipe
        self.beginning, self.rng, self.device = beginning, rng, device
        shape = problem.shape
        self.absorbing = shape.num_final if recipe.finals == "mask" else 0
        check_memory(problem, num_train, recipe, self.absorbing)
        self.rollout = Rollout(
            problem.examples.graphs,
            shape.aggregation,
            shape.num_states,
            absorbing=self.absorbing,
            aggregate=recipe.aggregate,
            through=recipe.through,
            compiled=compiled,
        )
        self.values = self.rollout.values
        self.waiting = np.arange(recipe.restarts) % _MOVING < _MOVING - 1
        self.logits = self._fresh(self.waiting)
        self.first = torch().zeros_like(self.logits)
        self.second = torch().zeros_like(self.logits)
        self.ages = torch().zeros(recipe.restarts, device=device)
        self.rate = recipe.rate
        self.updates = 0
        self.work = 0.0
        self.errors = np.ones(num_train)
        self._turn = np.empty(0, np.int64)

    # ---- tables

    def _fresh(self, waiting: Array) -> Tensor:
        """First logits, [row, state, successor, restart]; drawn on the CPU so that every device begins alike.

        Algorithms wait until they know the answer, other automata are always on the move: so tables begin in two ways.

        Args:
            waiting: For each table, whether it begins with a bias to stay.
        """
        shape, recipe = self.problem.shape, self.recipe
        states = shape.num_states - self.absorbing
        size = (len(self.values), states, shape.num_states, len(waiting))
        draw = self.rng.normal if recipe.first == "normal" else self.rng.uniform
        logits = draw(0.0, recipe.noise, size).astype(np.float32)
        own = np.arange(states)
        if self.beginning.initial is None:
            logits[:, own, own + self.absorbing] += np.float32(recipe.stay if shape.num_final else 0.0) * waiting
        else:
            table = self.beginning.initial[self.absorbing :, self.values].T.astype(np.int64)
            np.put_along_axis(
                logits, table[:, :, None, None],
                np.take_along_axis(logits, table[:, :, None, None], 2) + np.float32(_BIAS), 2,
            )  # fmt: skip
        if self.beginning.known is not None:
            known = self.beginning.known[self.absorbing :, self.values].T
            rows, places = np.nonzero(known >= 0)
            logits[rows, places] = 0
            logits[rows, places, known[rows, places]] = _KNOWN
        return torch().as_tensor(logits, device=self.device)

    def begin_anew(self, restarts: list[int]) -> None:
        """Draw some tables afresh, because what they have learned is kept elsewhere."""
        for restart in restarts:
            self.logits[..., restart] = self._fresh(self.waiting[restart : restart + 1])[..., 0]
            self.first[..., restart] = 0
            self.second[..., restart] = 0
            self.ages[restart] = 0

    def give_up(self, order: Array) -> None:
        """Draw tables afresh that have had their time and are not among the best, the way the best one began.

        Args:
            order: The tables, the best first.
        """
        rest = order[max(1, len(order) // _KEPT) :]
        old = self.ages.cpu().numpy()[rest] >= self.recipe.renew
        self.waiting[rest[old]] = self.waiting[order[0]]
        self.begin_anew(rest[old].tolist())

    def probabilities(self) -> Tensor:
        """The soft tables, [row, state, successor, restart]."""
        return self.logits.softmax(2)

    def tables(self, logits: Tensor | None = None) -> Array:
        """The discrete tables, int16 [restart, num_states, num_values]: the likeliest successors.

        Entries that no training graph can use lead nowhere: their nodes stay.
        """
        shape = self.problem.shape
        best = (self.logits if logits is None else logits).argmax(2).cpu().numpy().astype(np.int16)
        tables = np.empty((best.shape[2], shape.num_states, shape.num_values), np.int16)
        tables[:] = np.arange(shape.num_states)[:, None]
        tables[:, self.absorbing :, self.values] = best.transpose(2, 1, 0)
        tables[:, : shape.num_final] = np.arange(shape.num_final)[:, None]
        if self.beginning.known is not None:
            tables = np.where(self.beginning.known >= 0, self.beginning.known, tables).astype(np.int16)
        return tables

    def soft(self, restart: int) -> Array:
        """One soft table, float32 [row, state that can be left, successor]."""
        return self.logits[..., restart].softmax(2).cpu().numpy()

    def entropy(self) -> Array:
        """How undecided each table is: mean entropy of its entries in bits, [restart]."""
        soft = self.probabilities()
        return -(soft * (soft + 1e-30).log2()).sum(2).mean((0, 1)).cpu().numpy()

    # ---- keeping

    ARRAYS = ("logits", "first", "second", "ages", "waiting", "errors", "turn")

    def arrays(self) -> dict[str, Array]:
        """Everything that training changes, as arrays."""
        tensors = {name: getattr(self, name).cpu().numpy() for name in ("logits", "first", "second", "ages")}
        return {**tensors, "waiting": self.waiting, "errors": self.errors, "turn": self._turn}

    def numbers(self) -> dict[str, Any]:
        """Everything else that training changes."""
        return {"updates": self.updates, "rate": self.rate, "generator": self.rng.bit_generator.state}

    def restore(self, arrays: dict[str, Array], numbers: dict[str, Any]) -> None:
        """Take over what ``arrays`` and ``numbers`` gave."""
        for name, mine in self.arrays().items():
            if name != "turn" and (arrays[name].shape != mine.shape or arrays[name].dtype != mine.dtype):
                raise FormatError(f"array {name!r} must be {mine.dtype} {list(mine.shape)}; got {arrays[name].shape}")
        if not all(np.isfinite(arrays[name]).all() for name in ("logits", "first", "second", "ages", "errors")):
            raise FormatError("the arrays of a training must be finite")
        for name in ("logits", "first", "second", "ages"):
            setattr(self, name, torch().as_tensor(arrays[name].copy(), device=self.device))
        self.errors, self.waiting = arrays["errors"].copy(), arrays["waiting"].copy()
        self._turn = arrays["turn"].astype(np.int64)
        self.updates, self.rate = int(numbers["updates"]), float(numbers["rate"])
        self.rng.bit_generator.state = numbers["generator"]

    # ---- learning

    def draw(self) -> Array:
        """The graphs of the next update."""
        recipe, count = self.recipe, self.num_train
        if recipe.sampling == "turns":
            if not len(self._turn):
                self._turn = self.rng.permutation(count)
            chosen, self._turn = self._turn[: recipe.batch], self._turn[recipe.batch :]
            return chosen
        weights = self.errors + _EASY
        return self.rng.choice(count, min(recipe.batch, count), replace=False, p=weights / weights.sum())

    def steps(self, chosen: Array) -> Array:
        """How many steps each of these graphs makes in an update."""
        steps = self._own_steps(chosen)
        return steps + self.rng.integers(0, self.recipe.offset + 1) if self.recipe.offset else steps

    def _own_steps(self, chosen: Array) -> Array:
        given = self.problem.examples.steps[chosen]
        return given if self.recipe.steps == "data" else np.full(len(given), self.recipe.steps)

    def validation_loss(self) -> float:
        """Loss on the validation graphs, of the best table."""
        chosen = np.arange(self.num_train, len(self.problem.examples))
        steps = self._own_steps(chosen)
        with torch().no_grad():
            return float(self.loss(self.probabilities(), chosen, steps).min())

    def loss(self, soft: Tensor, chosen: Array, steps: Array) -> Tensor:
        """Loss of the nodes that count, per restart: their mean or their sum."""
        batch = self.rollout.batch(chosen, self.problem.start, steps)
        last = self.rollout.run(soft, batch)
        self.work += self.rollout.work(batch) * self.recipe.restarts / _MULTIPLICATIONS
        target = self.problem.target[batch.nodes.node]
        counted = torch().as_tensor(np.flatnonzero(target >= 0), device=self.device)
        wanted = torch().as_tensor(target[target >= 0].astype(np.int64), device=self.device)
        right = last[counted, wanted]
        if self.recipe.loss == "cross-entropy":
            each = -(right + _FLOOR).log()
        else:
            each = (last[counted] ** 2).sum(1) - 2 * right + 1
        return each.sum(0) if self.recipe.reduction == "sum" else each.sum(0) / max(1, len(wanted))

    def update(self) -> Array:
        """Make one update of every table; returns their losses.

        Raises:
            NotANumberError: A loss is no longer a number; nothing was changed.
        """
        chosen = self.draw()
        steps = self.steps(chosen)
        logits = self.logits.detach().requires_grad_(True)
        soft = logits.softmax(2)
        loss = self.loss(soft, chosen, steps)
        total = loss
        if self.recipe.penalty and self.problem.shape.num_final and not self.absorbing:
            total = loss + self.recipe.penalty * self._leaving(soft)
        total.sum().backward()
        if not bool(torch().isfinite(total).all()):
            raise NotANumberError(f"the loss is not a number any more in update {self.updates + 1}")
        assert logits.grad is not None
        with torch().no_grad():
            self._adam(self._free(logits.grad))
        self.updates += 1
        self.work += _UPDATE + self.logits.numel() / 2
        return loss.detach().cpu().numpy()

    def _leaving(self, soft: Tensor) -> Tensor:
        """Probabilities to leave a final state, per restart: the mean over entries or their sum."""
        finals = torch().arange(self.problem.shape.num_final, device=self.device)
        each = 1 - soft[:, finals, finals]
        return each.sum((0, 1)) if self.recipe.reduction == "sum" else each.mean((0, 1))

    def _free(self, gradient: Tensor) -> Tensor:
        """The gradient without entries that are known."""
        if self.beginning.known is None:
            return gradient
        known = self.beginning.known[self.absorbing :, self.values].T >= 0
        return gradient * torch().as_tensor(~known, device=self.device)[:, :, None, None]

    def _adam(self, gradient: Tensor) -> None:
        slow, fast = self.recipe.betas
        if self.recipe.clip:
            norm = (gradient**2).sum((0, 1, 2)).sqrt()
            gradient = gradient * (self.recipe.clip / (norm + 1e-9)).clamp(max=1.0)
        self.ages += 1
        self.first.mul_(slow).add_(gradient, alpha=1 - slow)
        self.second.mul_(fast).addcmul_(gradient, gradient, value=1 - fast)
        mean = self.first / (1 - slow**self.ages)
        spread = (self.second / (1 - fast**self.ages)).sqrt()
        self.logits -= self.rate * mean / (spread + 1e-6)


def check_memory(problem: Problem, num_train: int, recipe: Recipe, absorbing: int) -> None:
    """Raise if the soft tables or the roll-outs would take too much memory, before they are allocated."""
    shape = problem.shape
    entries = shape.num_values * (shape.num_states - absorbing) * shape.num_states
    needed = entries * recipe.restarts * 4 * _COPIES
    if needed > _MAX_BYTES:
        raise LimitError(
            f"{recipe.restarts} soft tables of {shape.num_states} states and {shape.num_values} values would take "
            f"about {needed / 2**30:.1f} GiB; at most {_MAX_BYTES / 2**30:.0f} GiB are used. Choose fewer restarts, "
            "fewer states or a smaller bound"
        )
    examples = problem.examples
    most = examples.steps.max(initial=0) if recipe.steps == "data" else recipe.steps
    nodes = np.sort(examples.sizes)[::-1][: recipe.batch].sum()
    if recipe.keep == "validation":
        nodes = max(nodes, examples.sizes[num_train:].sum())
    frames = float(most + recipe.offset + 1) * float(nodes) * shape.num_states * recipe.restarts * 4 * _FRAMES
    if frames > _MAX_BYTES:
        raise LimitError(
            f"{most + recipe.offset} steps of {nodes} nodes with {recipe.restarts} tables would take about "
            f"{frames / 2**30:.1f} GiB; at most {_MAX_BYTES / 2**30:.0f} GiB are used. Choose fewer restarts, "
            "fewer steps, smaller batches or smaller graphs"
        )
