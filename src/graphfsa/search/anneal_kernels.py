"""Annealing on a complete table, as functions for the engine's compiler, like those in ``_kernels``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphfsa.search.kernels import AGAIN, WORK, Arrays

# Bound when a kernel is compiled.
draw: Any = None
roll_out: Any = None
again: Any = None
accept: Any = None


class Uses(NamedTuple):
    """What annealing keeps of each graph: the entries it uses and its wrong nodes, as they are and as they may be."""

    lists: Any
    counts: Any
    wrong: Any
    new_lists: Any
    new_counts: Any
    new_wrong: Any
    affected: Any
    matrix: Any
    users: Any
    stamps: Any
    states: Any
    after: Any
    scratch: Any


def use_again(problem: Arrays, table: Any, uses: Uses, control: Any, graph: int, place: int) -> int:
    """Run a graph and keep what it uses among the new ones; returns its wrong nodes."""
    bad, count, work = roll_out(
        problem, graph, table, uses.states, uses.after, uses.scratch, uses.stamps, control[AGAIN], uses.new_lists[place]
    )
    control[AGAIN] += 1  # Each roll-out has a stamp of its own.
    control[WORK] += work
    uses.new_counts[place] = count
    uses.new_wrong[place] = bad
    uses.affected[place] = graph
    return bad


def accept_uses(uses: Uses, number: int) -> None:
    """What was new is now so."""
    for place in range(number):
        graph = uses.affected[place]
        uses.wrong[graph] = uses.new_wrong[place]
        for k in range(uses.counts[graph]):
            uses.matrix[uses.lists[graph, k], graph] = False
            uses.users[uses.lists[graph, k]] -= 1
        uses.counts[graph] = uses.new_counts[place]
        for k in range(uses.counts[graph]):
            uses.lists[graph, k] = uses.new_lists[place, k]
            uses.matrix[uses.lists[graph, k], graph] = True
            uses.users[uses.lists[graph, k]] += 1


def simplify(
    problem: Arrays, uses: Uses, near: Any, begin: int, end: int, iterations: int, heat: tuple[float, float],
    control: Any, generator: Any, energy: Any, table: Any, best: Any,
) -> None:  # fmt: skip
    """Anneal towards few pairs of neighbouring values with different successors, while no label may become wrong.

    Iterations ``begin .. end - 1`` of a schedule of ``iterations`` are made; everything is kept in arrays in between.
    """
    num_values = problem.num_values
    fixed = problem.num_final * num_values
    if begin == 0:
        for graph in range(len(problem.steps)):
            again(problem, table, uses, control, graph, 0)
            accept(uses, 1)
        for entry in range(fixed, len(table)):
            value = entry % num_values
            for side in range(near.shape[1]):
                if near[value, side] > value and table[entry - value + near[value, side]] != table[entry]:
                    energy[0] += 1.0
        energy[1] = energy[0]
    for iteration in range(begin, end):
        entry = fixed + draw(generator, len(table) - fixed)
        value = entry % num_values
        other = near[value, draw(generator, near.shape[1])]
        if other < 0 or problem.fixed[entry]:
            continue
        old, proposal = table[entry], table[entry - value + other]
        if draw(generator, 10) == 0:
            proposal = draw(generator, problem.num_states)
        if proposal == old:
            continue
        rise = 0.0
        for side in range(near.shape[1]):
            if near[value, side] >= 0:
                beside = table[entry - value + near[value, side]]
                rise += (beside != proposal) - (beside != old)
        now = heat[0] * (heat[1] / heat[0]) ** (iteration / iterations)
        if rise > -now * np.log((draw(generator, 2**31) + 1.0) / 2.0**31):
            continue
        table[entry] = proposal
        number = 0
        fits = True
        for graph in range(len(problem.steps) - 1, -1, -1):
            if number == uses.users[entry]:
                break
            if uses.matrix[entry, graph]:
                if again(problem, table, uses, control, graph, number) > 0:
                    fits = False
                    break
                number += 1
        if not fits:
            table[entry] = old
            continue
        accept(uses, number)
        energy[0] += rise
        if energy[0] < energy[1]:
            energy[1] = energy[0]
            best[:] = table


def repair(
    problem: Arrays, uses: Uses, weights: Any, begin: int, end: int, iterations: int, heat: tuple[float, float],
    control: Any, generator: Any, energy: Any, table: Any, best: Any,
) -> None:  # fmt: skip
    """Anneal towards few wrong nodes, each graph with its weight; stops when there is none."""
    if begin == 0:
        for graph in range(len(problem.steps)):
            energy[0] += weights[graph] * again(problem, table, uses, control, graph, 0)
            accept(uses, 1)
        energy[1] = energy[0]
    for iteration in range(begin, end):
        if energy[1] == 0.0:
            return
        # Mostly an entry that some graph with a wrong node used.
        graph = draw(generator, len(problem.steps))
        for _ in range(20):
            if uses.wrong[graph] > 0:
                break
            graph = draw(generator, len(problem.steps))
        if uses.counts[graph] == 0:
            continue
        entry = uses.lists[graph, draw(generator, uses.counts[graph])]
        old, proposal = table[entry], draw(generator, problem.num_states)
        if proposal == old or problem.fixed[entry]:
            continue
        now = heat[0] * (heat[1] / heat[0]) ** (iteration / iterations)
        most = -now * np.log((draw(generator, 2**31) + 1.0) / 2.0**31)
        table[entry] = proposal
        rise = 0.0
        # What graphs that are not run yet could make better at best: all of their wrong nodes.
        hope = 0.0
        for other in range(len(problem.steps)):
            if uses.matrix[entry, other]:
                hope += uses.wrong[other] * weights[other]
        number = 0
        for other in range(len(problem.steps)):
            if uses.matrix[entry, other]:
                hope -= uses.wrong[other] * weights[other]
                bad = again(problem, table, uses, control, other, number)
                rise += (bad - uses.wrong[other]) * weights[other]
                number += 1
                if rise - hope > most:
                    break
        if rise > most:
            table[entry] = old
            continue
        accept(uses, number)
        energy[0] += rise
        if energy[0] < energy[1]:
            energy[1] = energy[0]
            best[:] = table
