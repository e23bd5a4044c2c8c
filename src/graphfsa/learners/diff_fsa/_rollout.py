"""Soft roll-outs: distributions over states instead of states, differentiable with respect to the table.

One function, two implementations that agree. The compiled one runs on the CPU with a backward pass written by hand that
computes the layers anew instead of keeping them; the other is made of torch's own operations and runs on any device.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from graphfsa.aggregations import Aggregation, PositionalAggregation
from graphfsa.arrays import Array
from graphfsa.engine import compile_kernel
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch
from graphfsa.learners._torch import torch
from graphfsa.learners.diff_fsa import _kernels as kernels
from graphfsa.learners.diff_fsa._neighbourhoods import Neighbourhoods
from graphfsa.search.problem import NO_SLOTS

if TYPE_CHECKING:
    from torch import Tensor

Aggregate = Literal["exact", "threshold"]


class Levels(NamedTuple):
    """From which expected counts on the digits of a value rise, for aggregation by hard thresholds."""

    kind: Any
    begin: Any
    state: Any
    weights: Any
    least: Any
    slots: Any
    slotted: bool


@dataclass(frozen=True, eq=False)
class Batch:
    """Some of the graphs, to be run together.

    Attributes:
        nodes: Their nodes.
        start: State in which each node starts, int64.
    """

    nodes: kernels.Nodes
    start: Array


class Rollout:
    """Runs soft tables on graphs of a union.

    Args:
        graphs: The union.
        aggregation: How a node sees its neighbours.
        num_states: Number of states.
        absorbing: Number of states, counted from the first, that are never left.
        aggregate: ``"exact"``: the distribution of the value, if neighbours are independent, with gradients through
            them. ``"threshold"``: as published, expected counts are compared with thresholds and no gradient passes.
        through: Whether gradients follow the neighbours (for ``"exact"``).
        compiled: Whether to use the compiled implementation; only on the CPU.
    """

    def __init__(
        self,
        graphs: GraphBatch,
        aggregation: Aggregation,
        num_states: int,
        *,
        absorbing: int = 0,
        aggregate: Aggregate = "exact",
        through: bool = True,
        compiled: bool = True,
    ) -> None:
        self.graphs, self.aggregation, self.num_states = graphs, aggregation, num_states
        self.absorbing, self.aggregate, self.through, self.compiled = absorbing, aggregate, through, compiled
        aggregation.check_graph(graphs.graph)
        self.layers = Neighbourhoods.of(aggregation, num_states, graphs.graph) if aggregate == "exact" else None

    @property
    def values(self) -> Array:
        """The value that each row of a table is about, int64, sorted."""
        if self.layers is not None:
            return self.layers.values
        return np.arange(self.aggregation.num_values(self.num_states))

    def batch(self, chosen: Array, start: Array, steps: Array) -> Batch:
        """Graphs to run.

        Args:
            chosen: Indices of the graphs.
            start: State in which each node of the union starts.
            steps: Number of steps of each chosen graph.
        """
        offsets = self.graphs.offsets
        sizes = np.diff(offsets)[chosen]
        begins = np.cumsum([0, *sizes])[:-1]
        shift = np.repeat(begins - offsets[:-1][chosen], sizes)
        node = np.arange(sizes.sum()) - shift
        graph = self.graphs.graph
        nodes = kernels.Nodes(node, shift, np.repeat(steps, sizes).astype(np.int64), graph.indptr, graph.indices)
        return Batch(nodes, start[node].astype(np.int64))

    def work(self, batch: Batch) -> float:
        """Multiplications of a run with one table, about."""
        nodes = batch.nodes
        if self.layers is None:
            return float(2 * self.num_states**2 * nodes.steps.sum())
        return float(self._costs[self.layers.plan.kind[nodes.node]] @ nodes.steps)

    @cached_property
    def _costs(self) -> Array:
        """Multiplications of one step of a node of each kind."""
        assert self.layers is not None
        plan, leaving = self.layers.plan, self.num_states - self.absorbing
        ends = plan.layer + plan.degree
        before = np.r_[0, np.cumsum(plan.size)]
        return (before[ends] - before[plan.layer] + plan.size[ends] * leaving) * self.num_states

    def run(self, table: Tensor, batch: Batch, start: Tensor | None = None) -> Tensor:
        """Distributions over states after the steps of each node, [node, state, restart].

        Args:
            table: Probability of each successor, [row, state that is not absorbing, successor, restart].
            batch: The graphs.
            start: The distribution in which each node begins, [node, state, restart], through which gradients pass; by
                default its state for certain. Only for torch's own operations and exact aggregation.
        """
        rows = len(self.values)
        wanted = (rows, self.num_states - self.absorbing, self.num_states)
        if table.ndim != 4 or tuple(table.shape[:3]) != wanted:
            raise GraphFSAError(f"a soft table must have shape {[*wanted, 'restarts']}; got {list(table.shape)}")
        if start is not None and (self.compiled or self.aggregate != "exact"):
            raise GraphFSAError("soft starting states need torch's own operations, and exact aggregation")
        if self.compiled:
            if table.device.type != "cpu":
                raise GraphFSAError(f"the compiled roll-out runs on the CPU; the table is on {table.device}")
            return _function().apply(table, self, batch)
        if self.aggregate == "threshold":
            return self._torch_hard(table, batch)
        return self._torch_exact(table, batch, start)

    # ---- torch's own operations

    def _torch_exact(self, table: Tensor, batch: Batch, start: Tensor | None) -> Tensor:
        assert self.layers is not None
        plan, device = self.layers.plan, table.device
        kinds = plan.kind[batch.nodes.node]
        now = self._certain(batch, table) if start is None else start
        groups = [(int(kind), np.flatnonzero(kinds == kind)) for kind in np.unique(kinds)]
        near = {
            kind: torch().as_tensor(_neighbours(batch, members, int(plan.degree[kind])), device=device)
            for kind, members in groups
        }
        places = {kind: torch().as_tensor(members, device=device) for kind, members in groups}
        steps = torch().as_tensor(batch.nodes.steps, device=device)
        for t in range(int(batch.nodes.steps.max(initial=0))):
            after = now.clone()
            for kind, _ in groups:
                own = now[places[kind]]
                seen = now if self.through else now.detach()
                moved = self._torch_step(table, own, seen[near[kind]], kind)
                moves = (steps[places[kind]] > t)[:, None, None]
                after = after.index_copy(0, places[kind], torch().where(moves, moved, own))
            now = after
        return now

    def _torch_step(self, table: Tensor, own: Tensor, near: Tensor, kind: int) -> Tensor:
        """One step of the nodes of one kind: own [node, state, restart], near [node, neighbour, state, restart]."""
        assert self.layers is not None
        plan, states = self.layers.plan, self.num_states
        cells = own.new_ones(len(own), 1, own.shape[2])
        for j in range(int(plan.degree[kind])):
            layer = int(plan.layer[kind]) + j
            begin, size = int(plan.steps_at[layer]), int(plan.size[layer])
            to = torch().as_tensor(plan.steps[begin : begin + size * states], device=own.device)
            both = (cells[:, :, None] * near[:, j, None]).reshape(len(own), size * states, -1)
            cells = own.new_zeros(len(own), int(plan.size[layer + 1]), own.shape[2]).index_add(1, to, both)
        begin = int(plan.rows_at[kind])
        rows = torch().as_tensor(plan.rows[begin : begin + cells.shape[1]], device=own.device)
        leaving = own[:, self.absorbing :]
        moved = torch().einsum("nvr,nsr,vsmr->nmr", cells, leaving, table[rows])
        after = self._staying(own) + moved
        return after / after.sum(1, keepdim=True)

    def _torch_hard(self, table: Tensor, batch: Batch) -> Tensor:
        device = table.device
        now = self._certain(batch, table)
        steps = torch().as_tensor(batch.nodes.steps, device=device)
        restarts = torch().arange(table.shape[3], device=device)
        for t in range(int(batch.nodes.steps.max(initial=0))):
            rows = self._seen(now.detach(), batch)
            chosen = table[rows[:, None, :], torch().arange(table.shape[1], device=device)[None, :, None], :, restarts]
            moved = self._staying(now) + torch().einsum("nsr,nsrm->nmr", now[:, self.absorbing :], chosen)
            now = torch().where((steps > t)[:, None, None], moved, now)
        return now

    def _seen(self, now: Tensor, batch: Batch) -> Tensor:
        """The value of each node by hard thresholds, [node, restart]."""
        levels, nodes = self.levels, batch.nodes
        counts = nodes.indptr[nodes.node + 1] - nodes.indptr[nodes.node]
        arcs = np.arange(counts.sum()) + np.repeat(nodes.indptr[nodes.node] - np.cumsum(counts) + counts, counts)
        sources = torch().as_tensor(
            (nodes.indices[arcs] + np.repeat(nodes.shift, counts)).astype(np.int64), device=now.device
        )
        targets = torch().as_tensor(np.repeat(np.arange(len(nodes.node)), counts), device=now.device)
        rows = torch().zeros(len(nodes.node), now.shape[2], dtype=torch().int64, device=now.device)
        if levels.slotted:
            weights = torch().as_tensor(levels.weights[levels.slots[arcs]], device=now.device)
            return rows.index_add(0, targets, (now[sources].argmax(1) + 1) * weights[:, None])
        total = torch().zeros_like(now).index_add(0, targets, now[sources])
        for kind in np.unique(levels.kind[nodes.node]):
            members = torch().as_tensor(np.flatnonzero(levels.kind[nodes.node] == kind), device=now.device)
            for line in range(levels.begin[kind], levels.begin[kind + 1]):
                reached = total[members, int(levels.state[line])] > float(levels.least[line])
                rows = rows.index_add(0, members, reached * int(levels.weights[line]))
        return rows

    def _staying(self, own: Tensor) -> Tensor:
        """What absorbing states keep, with nothing elsewhere."""
        rest = own.new_zeros(own.shape[0], self.num_states - self.absorbing, own.shape[2])
        return torch().cat([own[:, : self.absorbing], rest], dim=1)

    def _certain(self, batch: Batch, table: Tensor) -> Tensor:
        start = torch().as_tensor(batch.start, device=table.device)
        hot = torch().nn.functional.one_hot(start, self.num_states).to(table.dtype)
        return hot[:, :, None].expand(-1, -1, table.shape[3]).contiguous()

    # ---- the compiled implementation

    @cached_property
    def levels(self) -> Levels:
        """The hard thresholds of all kinds of nodes."""
        graph, aggregation, states = self.graphs.graph, self.aggregation, self.num_states
        degrees, kind = np.unique(np.diff(graph.indptr), return_inverse=True)
        none = np.zeros(0, np.int64)
        if isinstance(aggregation, PositionalAggregation):
            slots = NO_SLOTS if graph.slots is None else graph.slots
            weights = np.array(aggregation.parameters(states), np.int64)
            return Levels(kind.reshape(-1), none, none, weights, np.zeros(0), slots, slotted=True)
        begin, lines = [0], list[tuple[int, int, float]]()
        for degree in degrees.tolist():
            levels = aggregation.levels(degree, states)
            if levels is None:
                raise GraphFSAError(f"{aggregation.name} aggregation does not say how to take it by hard thresholds")
            weight = 1
            for state, counts in levels:
                lines += [(state, weight, count - 0.5) for count in counts]
                weight *= len(counts) + 1
            begin.append(len(lines))
        columns = [np.array(column) for column in zip(*lines, strict=True)] or [none, none, none]
        return Levels(
            kind.reshape(-1), np.array(begin), columns[0].astype(np.int64), columns[1].astype(np.int64),
            columns[2].astype(np.float64), NO_SLOTS, slotted=False,
        )  # fmt: skip

    def forward(self, table: Array, batch: Batch) -> Array:
        """All states of a run, [step, node, state, restart], for the backward pass."""
        restarts = table.shape[3]
        steps = int(batch.nodes.steps.max(initial=0))
        states = np.empty((steps + 1, len(batch.start), self.num_states, restarts), table.dtype)
        states[0] = 0
        states[0, np.arange(len(batch.start)), batch.start] = 1
        if self.layers is not None:
            cells = np.empty((self.layers.num_cells + 1, restarts), table.dtype)
            _compiled(kernels.forward)(
                batch.nodes, self.layers.plan, table, self.absorbing, states, cells[:-1], cells[-1]
            )
        else:
            room = np.empty(restarts, np.int64), np.empty(restarts, table.dtype)
            _compiled(kernels.forward_hard)(batch.nodes, self.levels, table, self.absorbing, states, *room)
        return states

    def backward(self, table: Array, batch: Batch, states: Array, gradient: Array) -> Array:
        """Gradient with respect to the table, from that with respect to the last states."""
        wanted = np.zeros_like(table)
        after, before = gradient.copy(), np.empty_like(gradient)
        restarts = table.shape[3]
        given = batch.nodes, self.layers.plan if self.layers is not None else self.levels, table, self.absorbing, states
        if self.layers is not None:
            cells = np.empty((2, self.layers.num_cells, restarts), table.dtype)
            room = np.empty(restarts, table.dtype)
            _compiled(kernels.backward)(*given, *cells, after, before, self.through, room, wanted)
        else:
            room = np.empty(restarts, np.int64), np.empty(restarts, table.dtype)
            _compiled(kernels.backward_hard)(*given, *room, after, before, wanted)
        return wanted


def _neighbours(batch: Batch, members: Array, degree: int) -> Array:
    """Neighbours of nodes that have the same number of them, int64 [node, neighbour]."""
    nodes = batch.nodes
    arcs = nodes.indptr[nodes.node[members]][:, None] + np.arange(degree)
    return (nodes.indices[arcs] + nodes.shift[members][:, None]).astype(np.int64)


@lru_cache(maxsize=8)
def _compiled(kernel: Any) -> Any:
    if kernel in (kernels.forward, kernels.backward):
        return compile_kernel(kernel, spread=kernels.spread_values, balance=kernels.balance_sums)
    return compile_kernel(kernel, see=kernels.see_value)


@lru_cache(maxsize=1)
def _function() -> Any:
    """The autograd function; made when torch is first needed."""

    class SoftRollout(torch().autograd.Function):
        @staticmethod
        def forward(ctx: Any, table: Tensor, rollout: Rollout, batch: Batch) -> Tensor:
            probabilities = table.detach().contiguous()
            states = rollout.forward(probabilities.numpy(), batch)
            ctx.save_for_backward(probabilities)
            ctx.rollout, ctx.batch, ctx.states = rollout, batch, states
            return torch().from_numpy(states[-1].copy())

        @staticmethod
        @torch().autograd.function.once_differentiable
        def backward(ctx: Any, *gradients: Any) -> Any:
            (table,) = ctx.saved_tensors
            gradient = np.ascontiguousarray(gradients[0].numpy())
            wanted = ctx.rollout.backward(table.numpy(), ctx.batch, ctx.states, gradient)
            return torch().from_numpy(wanted), None, None

    return SoftRollout
