"""Which automata are trained: their sizes, simplest first, and what is known about them beforehand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.aggregations import Aggregation, LettersAggregation, Sum
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.base import check_state_names
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError
from graphfsa.learners.diff_fsa._training import Beginning
from graphfsa.search.colours import final_colours
from graphfsa.search.ladder import ladder
from graphfsa.search.problem import Problem, Shape

if TYPE_CHECKING:
    from graphfsa.learners.diff_fsa import DiffFSA


def num_final(task: Task) -> int:
    """Number of final states: none if labels are states at a given step."""
    return len(task.classes) if task.kind == "classes" else 0


def shapes(learner: DiffFSA, train: Examples, given: Examples, *, published: bool) -> tuple[list[Shape], bool]:
    """The sizes to train one after the other, without those that can't tell nodes with different labels apart.

    Args:
        learner: The learner.
        train: The training graphs that count.
        given: All graphs that the automaton must be able to look at.
        published: Whether only one size is trained, as in the paper: as large as was asked for; if nothing was, without
            extra states and with bound 1 (for evolutions, the least that can tell labels apart).

    Returns:
        The sizes, and whether one of them may fit; if not, some nodes with different labels look the same forever.
    """
    task, capacity = train.task, learner.capacity
    finals = num_final(task)
    single = tuple(range(len(task.inputs)))
    check_state_names(task.state_names() if finals else task.classes)
    if capacity.aggregation == "letters":
        found = _lettered(task, capacity.extras(task))
    else:
        found = [rung.shape for rung in ladder(finals, [single], capacity.extras(task), capacity.aggregations(given))]
    # What can be told apart does not depend on the number of extra states: one look for each aggregation.
    blind = {shape.aggregation for shape in {s.aggregation: s for s in found}.values() if _hopeless(train, shape)}
    possible = [shape for shape in found if shape.aggregation not in blind]
    if not published:
        return possible or found[-1:], bool(possible)
    extra = max(shape.num_extra for shape in found) if capacity.states is not None else 0
    found = [shape for shape in found if shape.num_extra == extra] or found[-1:]
    if capacity.bound is not None:
        found = found[-1:]
    elif not finals:
        found = [shape for shape in found if shape.aggregation not in blind] or found[-1:]
    return found[:1], found[0].aggregation not in blind


def _lettered(task: Task, extras: range) -> list[Shape]:
    """Tables that are tied by letters: states that show the same letter look the same to their neighbours.

    Answers show themselves. All others show one letter, counted to two; or inputs show themselves, too.
    """
    finals, starts = num_final(task), len(task.inputs)
    if not finals:
        raise GraphFSAError(
            "aggregation letters goes with labels that are answers; where they are states at a given step, give the "
            "letters themselves, or leave the aggregation out"
        )
    found: list[Shape] = []
    for extra in extras:
        states = finals + starts + extra
        for shown in (finals, finals + starts):
            alone = [Sum("count", 1, tuple(int(k == state) for k in range(state + 1))) for state in range(shown)]
            others = tuple(int(k >= shown) for k in range(states))
            rest = [Sum("count", 2, others)] if any(others) else []
            found.append(Shape(finals, starts, extra, LettersAggregation((*alone, *rest))))
    return sorted(found, key=lambda shape: shape.num_states * shape.num_values)


def _hopeless(train: Examples, shape: Shape) -> bool:
    """Whether no automaton with this aggregation, however large, gives all nodes their labels."""
    problem = Problem.of(train, shape)
    if shape.num_final:
        return bool(len(problem.hopeless))
    steps = train.steps
    if not len(steps) or steps.min() != steps.max():
        return False
    counted = problem.target >= 0
    colours = final_colours(train.graphs, problem.start, int(steps[0]), shape.aggregation)[counted]
    pairs = np.unique(np.stack([colours, problem.target[counted].astype(np.uint64)]), axis=1)
    return pairs.shape[1] > len(np.unique(colours))


def begin_with(
    task: Task, sizes: list[Shape], initial: GraphFSA | None, known: Any
) -> tuple[list[Shape], Beginning, list[str] | None]:
    """What is known beforehand, and the one size that it leaves.

    Returns:
        The sizes to train, the beginning, and the names of the states if an automaton gives them.
    """
    if initial is None and known is None:
        return sizes, Beginning(), None
    names: list[str] | None = None
    table: Array | None = None
    if initial is not None:
        shape, order = _shape_of(task, initial)
        aggregation, table = _arranged(initial, order)
        sizes = [replace(shape, aggregation=aggregation)]
        names = [initial.state_names[state] for state in order]
    if known is None:
        return sizes, Beginning(table), names
    try:
        given = np.asarray(known)
    except ValueError:
        raise GraphFSAError("known must be an array of integers; its rows have different lengths") from None
    fitting = [shape for shape in sizes if (shape.num_states, shape.num_values) == given.shape]
    if not fitting:
        wanted = [[shape.num_states, shape.num_values] for shape in sizes]
        raise GraphFSAError(f"known must have a shape [states, values] among {wanted}; got {list(given.shape)}")
    shape = fitting[0]
    if given.dtype.kind not in "iu" or given.min(initial=0) < -1 or given.max(initial=0) >= shape.num_states:
        raise GraphFSAError(
            f"known must be successors in 0 .. {shape.num_states - 1}, or -1 for what is to be learned; got "
            f"{given.dtype} in {given.min(initial=0)} .. {given.max(initial=0)}"
        )
    finals = given[: shape.num_final]
    if ((finals >= 0) & (finals != np.arange(shape.num_final)[:, None])).any():
        raise GraphFSAError("known must not lead out of a final state: final states are absorbing")
    return [shape], Beginning(table, given.astype(np.int16)), names


def _shape_of(task: Task, fsa: GraphFSA) -> tuple[Shape, list[int]]:
    """The shape of an automaton, and its states in our order: final ones, starting ones, others."""
    reading = task.reading(fsa)
    if task != task.with_states_of(fsa):
        raise GraphFSAError("an automaton to begin with must not have more inputs or classes than the task")
    if task.kind == "evolution":
        return Shape(0, fsa.num_states, 0, fsa.aggregation), list(reading.answers)
    named = [*reading.answers, *reading.starting]
    if len(set(named)) != len(named):
        raise GraphFSAError("an automaton to begin with must not start in final states, or twice in the same state")
    order = [*named, *(state for state in range(fsa.num_states) if state not in named)]
    return Shape(len(task.classes), len(task.inputs), fsa.num_states - len(named), fsa.aggregation), order


def _arranged(fsa: GraphFSA, order: list[int]) -> tuple[Aggregation, Array]:
    """The aggregation and the table with the states in another order."""
    if order == list(range(fsa.num_states)):
        return fsa.aggregation, np.array(fsa.transition_table, np.int16)
    renamed = fsa.aggregation.restricted(order, fsa.num_states)
    if renamed is None:
        raise GraphFSAError(
            "an automaton to begin with must have its final states first, then its starting states, then the others: "
            f"{fsa.aggregation.name} aggregation does not say what it sees when states are in another order"
        )
    aggregation, values = renamed
    place = np.argsort(order)
    return aggregation, place[fsa.transition_table[order][:, values]].astype(np.int16)
