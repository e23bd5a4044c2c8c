"""The inner loops of soft roll-outs, forwards and backwards: plain functions for the engine's compiler.

Arrays have the restarts in their last axis: ``states[t, node, state, restart]`` are distributions over states, and
``table[row, state, successor, restart]`` is the soft table, without absorbing states, which are numbered first. A
node moves in step ``t`` while ``t`` is below its own number of steps. States before the first step are the same in
all restarts and certain, which saves most of the first step.

Each distribution is divided by its sum, which is 1 but for rounding: what is seen of ``d`` neighbours is a product of
``d`` distributions, so without it errors would grow ``d + 1`` times in every step. Going back, this takes away the part
of the gradient that is the same for all states, which would grow as fast.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# Bound when a kernel is compiled.
spread: Any = None
balance: Any = None
see: Any = None


class Nodes(NamedTuple):
    """The nodes of a batch: whole graphs of a union.

    Attributes:
        node: Number of each node in the union.
        shift: What to add to the number of a neighbour in the union to get its number in the batch, per node.
        steps: How many steps each node makes.
        indptr: Arcs of each node of the union.
        indices: Source of each arc of the union.
    """

    node: Any
    shift: Any
    steps: Any
    indptr: Any
    indices: Any


def spread_values(nodes: Nodes, plan: Any, now: Any, n: int, certain: bool, cells: Any) -> None:
    """Fill the layers of a node: how likely each place is, given the distributions of the neighbours."""
    kind = plan.kind[nodes.node[n]]
    num_states, restarts = now.shape[1], now.shape[2]
    first, arc = plan.layer[kind], nodes.indptr[nodes.node[n]]
    for r in range(restarts):
        cells[0, r] = 1.0
    for j in range(plan.degree[kind]):
        layer = first + j
        near = nodes.indices[arc + j] + nodes.shift[n]
        here, there, steps = plan.begin[layer], plan.begin[layer + 1], plan.steps_at[layer]
        for k in range(plan.size[layer + 1]):
            for r in range(restarts):
                cells[there + k, r] = 0.0
        for k in range(plan.size[layer]):
            if certain and cells[here + k, 0] == 0.0:
                continue
            for m in range(num_states):
                if certain and now[near, m, 0] == 0.0:
                    continue
                to = there + plan.steps[steps + k * num_states + m]
                for r in range(restarts):
                    cells[to, r] += cells[here + k, r] * now[near, m, r]


def balance_sums(after: Any, n: int, share: Any) -> None:
    """Divide the distributions of a node by their sums."""
    num_states, restarts = after.shape[1], after.shape[2]
    for r in range(restarts):
        share[r] = 0.0
    for m in range(num_states):
        for r in range(restarts):
            share[r] += after[n, m, r]
    for m in range(num_states):
        for r in range(restarts):
            after[n, m, r] /= share[r]


def forward(nodes: Nodes, plan: Any, table: Any, absorbing: int, states: Any, cells: Any, share: Any) -> None:
    """Run: fill ``states[1:]`` from ``states[0]``."""
    count, num_states, restarts = states.shape[1], states.shape[2], states.shape[3]
    for t in range(states.shape[0] - 1):
        now, after, certain = states[t], states[t + 1], t == 0
        for n in range(count):
            moves = t < nodes.steps[n]
            for m in range(num_states):
                for r in range(restarts):
                    after[n, m, r] = now[n, m, r] if m < absorbing or not moves else 0.0
            if not moves:
                continue
            spread(nodes, plan, now, n, certain, cells)
            kind = plan.kind[nodes.node[n]]
            layer = plan.layer[kind] + plan.degree[kind]
            for k in range(plan.size[layer]):
                row, cell = plan.rows[plan.rows_at[kind] + k], plan.begin[layer] + k
                if certain and cells[cell, 0] == 0.0:
                    continue
                for s in range(absorbing, num_states):
                    if certain and now[n, s, 0] == 0.0:
                        continue
                    for m in range(num_states):
                        for r in range(restarts):
                            after[n, m, r] += cells[cell, r] * now[n, s, r] * table[row, s - absorbing, m, r]
            balance(after, n, share)


def backward(
    nodes: Nodes, plan: Any, table: Any, absorbing: int, states: Any, cells: Any, slopes: Any, gradient: Any,
    before: Any, through: bool, share: Any, table_gradient: Any,
) -> None:  # fmt: skip
    """Go back through a run.

    Args:
        nodes: The nodes.
        plan: The layers.
        table: The soft table.
        absorbing: Number of absorbing states.
        states: What ``forward`` has filled.
        cells: Room for the layers of a node.
        slopes: Room for the gradient with respect to the layers of a node.
        gradient: Gradient with respect to the last states, [node, state, restart]; it is used up.
        before: Room of the same shape.
        through: Whether to follow the neighbours.
        share: Room for one number per restart.
        table_gradient: Gradient with respect to the table, added to.
    """
    count, num_states, restarts = states.shape[1], states.shape[2], states.shape[3]
    for t in range(states.shape[0] - 2, -1, -1):
        now, certain = states[t], t == 0
        for n in range(count):
            stays = t >= nodes.steps[n]
            if not stays:
                for r in range(restarts):
                    share[r] = 0.0
                for m in range(num_states):
                    for r in range(restarts):
                        share[r] += gradient[n, m, r] * states[t + 1, n, m, r]
                for m in range(num_states):
                    for r in range(restarts):
                        gradient[n, m, r] -= share[r]
            for m in range(num_states):
                for r in range(restarts):
                    before[n, m, r] = gradient[n, m, r] if m < absorbing or stays else 0.0
        for n in range(count):
            if t >= nodes.steps[n]:
                continue
            spread(nodes, plan, now, n, certain, cells)
            kind = plan.kind[nodes.node[n]]
            first, degree = plan.layer[kind], plan.degree[kind]
            layer = first + degree
            for k in range(plan.size[layer]):
                row, cell = plan.rows[plan.rows_at[kind] + k], plan.begin[layer] + k
                for r in range(restarts):
                    slopes[cell, r] = 0.0
                if certain and cells[cell, 0] == 0.0:
                    continue
                for s in range(absorbing, num_states):
                    if certain and now[n, s, 0] == 0.0:
                        continue
                    for r in range(restarts):
                        share[r] = 0.0
                    for m in range(num_states):
                        for r in range(restarts):
                            table_gradient[row, s - absorbing, m, r] += (
                                cells[cell, r] * now[n, s, r] * gradient[n, m, r]
                            )
                            share[r] += table[row, s - absorbing, m, r] * gradient[n, m, r]
                    for r in range(restarts):
                        before[n, s, r] += cells[cell, r] * share[r]
                        slopes[cell, r] += now[n, s, r] * share[r]
            if certain or not through:
                continue
            arc = nodes.indptr[nodes.node[n]]
            for j in range(degree - 1, -1, -1):
                layer = first + j
                near = nodes.indices[arc + j] + nodes.shift[n]
                here, there, steps = plan.begin[layer], plan.begin[layer + 1], plan.steps_at[layer]
                for k in range(plan.size[layer]):
                    for r in range(restarts):
                        share[r] = 0.0
                    for m in range(num_states):
                        to = there + plan.steps[steps + k * num_states + m]
                        for r in range(restarts):
                            share[r] += now[near, m, r] * slopes[to, r]
                            before[near, m, r] += cells[here + k, r] * slopes[to, r]
                    for r in range(restarts):
                        slopes[here + k, r] = share[r]
        for n in range(count):
            for m in range(num_states):
                for r in range(restarts):
                    gradient[n, m, r] = before[n, m, r]


def see_value(nodes: Nodes, levels: Any, now: Any, n: int, rows: Any, total: Any) -> None:
    """The value of a node if expected counts are used as counts: a hard threshold, through which no gradient goes.

    ``levels`` has one line (state, weight, least expected count) for each level of each digit of each kind of node.
    With slots it has the weight of each slot instead, and the likeliest state of the neighbour there is taken.
    """
    at = levels.kind[nodes.node[n]]
    begin, end = nodes.indptr[nodes.node[n]], nodes.indptr[nodes.node[n] + 1]
    num_states, restarts = now.shape[1], now.shape[2]
    for r in range(restarts):
        rows[r] = 0
    if levels.slotted:
        for arc in range(begin, end):
            near = nodes.indices[arc] + nodes.shift[n]
            for r in range(restarts):
                best = 0
                for m in range(1, num_states):
                    if now[near, m, r] > now[near, best, r]:
                        best = m
                rows[r] += (best + 1) * levels.weights[levels.slots[arc]]
        return
    last = -1
    for line in range(levels.begin[at], levels.begin[at + 1]):
        state = levels.state[line]
        if state != last:
            for r in range(restarts):
                total[r] = 0.0
            for arc in range(begin, end):
                near = nodes.indices[arc] + nodes.shift[n]
                for r in range(restarts):
                    total[r] += now[near, state, r]
            last = state
        for r in range(restarts):
            if total[r] > levels.least[line]:
                rows[r] += levels.weights[line]


def forward_hard(
    nodes: Nodes, levels: Any, table: Any, absorbing: int, states: Any, rows: Any, total: Any
) -> None:  # fmt: skip
    """Run with hard thresholds."""
    count, num_states, restarts = states.shape[1], states.shape[2], states.shape[3]
    for t in range(states.shape[0] - 1):
        now, after = states[t], states[t + 1]
        for n in range(count):
            moves = t < nodes.steps[n]
            for m in range(num_states):
                for r in range(restarts):
                    after[n, m, r] = now[n, m, r] if m < absorbing or not moves else 0.0
            if not moves:
                continue
            see(nodes, levels, now, n, rows, total)
            for s in range(absorbing, num_states):
                for m in range(num_states):
                    for r in range(restarts):
                        after[n, m, r] += now[n, s, r] * table[rows[r], s - absorbing, m, r]


def backward_hard(
    nodes: Nodes, levels: Any, table: Any, absorbing: int, states: Any, rows: Any, total: Any, gradient: Any,
    before: Any, table_gradient: Any,
) -> None:  # fmt: skip
    """Go back through a run with hard thresholds: only a node's own state passes a gradient on."""
    count, num_states, restarts = states.shape[1], states.shape[2], states.shape[3]
    for t in range(states.shape[0] - 2, -1, -1):
        now = states[t]
        for n in range(count):
            stays = t >= nodes.steps[n]
            for m in range(num_states):
                for r in range(restarts):
                    before[n, m, r] = gradient[n, m, r] if m < absorbing or stays else 0.0
            if stays:
                continue
            see(nodes, levels, now, n, rows, total)
            for s in range(absorbing, num_states):
                for m in range(num_states):
                    for r in range(restarts):
                        table_gradient[rows[r], s - absorbing, m, r] += now[n, s, r] * gradient[n, m, r]
                        before[n, s, r] += table[rows[r], s - absorbing, m, r] * gradient[n, m, r]
        for n in range(count):
            for m in range(num_states):
                for r in range(restarts):
                    gradient[n, m, r] = before[n, m, r]
