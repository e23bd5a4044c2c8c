"""Names of inputs and classes beside the names of an automaton's states.

The k-th input is the k-th starting state and the k-th class the k-th final state, whatever they are called. But where
all names of some data are names of such states, in whatever order, these are meant.
"""

from __future__ import annotations

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError


def check_names(task: Task, fsa: GraphFSA) -> None:
    """Raise if an automaton has just the names of a task, but in another order."""
    for what, wanted, names in zip(("inputs", "classes"), (task.inputs, task.classes), _names(task, fsa), strict=True):
        if wanted != names and set(wanted) == set(names):
            raise GraphFSAError(
                f"the {what} of {task.name} are {', '.join(wanted)}, and the automaton has the same names in another "
                f"order: {', '.join(names)}"
            )


def matched(examples: Examples, fsa: GraphFSA) -> Examples:
    """The data with inputs and classes in the order of an automaton's states, if all of them have the names of states.

    Data whose names say nothing to the automaton stay as they are.
    """
    return matched_names(examples, *_names(examples.task, fsa))


def matched_names(examples: Examples, inputs: tuple[str, ...], classes: tuple[str, ...]) -> Examples:
    """The data with inputs and classes in the order of some names, if all of them are among these."""
    task = examples.task
    if not (set(task.inputs) <= set(inputs) and set(task.classes) <= set(classes)):
        return examples
    return renamed(examples, Task(task.name, task.kind, inputs, classes))


def renamed(examples: Examples, task: Task) -> Examples:
    """The same data as data of another task, whose inputs and classes have all of their names, in whatever order."""
    own = examples.task
    return Examples(
        task,
        examples.graphs,
        np.array([task.inputs.index(name) for name in own.inputs])[examples.inputs],
        np.array([task.classes.index(name) for name in own.classes])[examples.labels],
        steps=examples.steps,
        mask=examples.mask,
        counts=examples.counts,
    )


def _names(task: Task, fsa: GraphFSA) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the automaton calls the inputs and the classes."""
    if task.kind == "evolution":
        return fsa.state_names, fsa.state_names
    starting, final = (tuple(fsa.state_names[k] for k in states) for states in (fsa.starting_states, fsa.final_states))
    return starting, final
