"""What is to be learned: how inputs become starting states, and final states become classes, by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.base import MAX_STATES
from graphfsa.checks import check_choice, shorten
from graphfsa.errors import GraphFSAError

_START = " (start)"
"""What a learned automaton adds to the name of an input that is also the name of a class."""
_SHOWN = 300


@dataclass(frozen=True)
class Reading:
    """Which states of an automaton stand for the inputs and the classes of a task.

    Attributes:
        starting: The state in which a node with each input starts.
        answers: The state that stands for each class.

    Example:
        >>> Reading(starting=(2, 3), answers=(0, 1)).predictions(np.array([0, 1, 2])).tolist()
        [0, 1, -1]
    """

    starting: tuple[int, ...]
    answers: tuple[int, ...]

    def starting_states(self, inputs: Array) -> Array:
        """The state in which each node starts, uint8, from its input class."""
        return np.array(self.starting, np.uint8)[inputs]

    def predictions(self, states: Array) -> Array:
        """The class that each state stands for, int16; -1 for a state that stands for none."""
        meaning = np.full(MAX_STATES, -1, np.int16)
        meaning[list(self.answers)] = np.arange(len(self.answers))
        return meaning[states]


@dataclass(frozen=True)
class Task:
    """A node classification task for automata.

    There are two kinds. In a task of the kind ``classes`` a node starts in the starting state with the name of its
    input, and answers when it is in the final state with the name of a class. In a task of the kind ``evolution`` the
    inputs are states, and the labels are the states after some steps.

    Attributes:
        name: Name of the task.
        kind: ``"classes"`` or ``"evolution"``.
        inputs: Name of each input class.
        classes: Name of each class; for an evolution the names of the states, as for the inputs.

    Example:
        >>> from graphfsa import library
        >>> Task("distance", "classes", ("root", "node"), ("odd", "even")).reading(library.distance())
        Reading(starting=(3, 2), answers=(1, 0))
    """

    name: str
    kind: Literal["classes", "evolution"]
    inputs: tuple[str, ...]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        check_choice("the kind of a task", self.kind, ("classes", "evolution"))
        if not all(isinstance(name, str) for name in (self.name, *self.inputs, *self.classes)):
            raise GraphFSAError("the names of a task, its inputs and its classes must be strings")
        if self.kind == "evolution" and self.inputs != self.classes:
            raise GraphFSAError(f"the inputs of an evolution are its classes; got {self.inputs} and {self.classes}")
        for what, names in (("inputs", self.inputs), ("classes", self.classes)):
            if not 1 <= len(names) <= MAX_STATES or len(set(names)) != len(names):
                raise GraphFSAError(f"{what} of a task must be 1 to {MAX_STATES} distinct names; got {len(names)}")

    def state_names(self, num_extra: int = 0) -> list[str]:
        """Names for the states of a learned automaton: classes, inputs, and ``s0``, ``s1``, ... for the others.

        All are distinct: an input with the name of a class becomes ``NAME (start)``.

        Args:
            num_extra: Number of states that are neither starting nor final.
        """
        names: list[str] = []
        for name, mark in [
            *((name, "'") for name in self.classes),
            *((name, _START) for name in self.inputs),
            *((f"s{number}", "'") for number in range(num_extra)),
        ]:
            wanted = name or "(empty)"
            while wanted in names:
                wanted += mark
            names.append(wanted)
        return names

    def reading(self, fsa: GraphFSA) -> Reading:
        """The states of an automaton that have the names of the inputs and the classes.

        An input may also be called ``NAME (start)``, as learned automata do where an input and a class have one name.
        An automaton may have further states, also starting and final ones.

        Raises:
            GraphFSAError: A name is missing; the message lists the names of both sides.
        """
        if self.kind == "evolution":
            states = _found(self, "states", self.classes, "state", range(fsa.num_states), fsa)
            return Reading(states, states)
        learned = self.state_names()
        answers = _found(
            self, "classes", self.classes, "final state", fsa.final_states, fsa, learned[: len(self.classes)]
        )
        starting = _found(
            self, "inputs", self.inputs, "starting state", fsa.starting_states, fsa, learned[len(self.classes) :]
        )
        return Reading(starting, answers)

    def check_automaton(self, fsa: GraphFSA) -> None:
        """Raise unless an automaton has starting and final states with the names of the inputs and the classes."""
        self.reading(fsa)

    def starting_states(self, fsa: GraphFSA, inputs: Array) -> Array:
        """The state in which each node starts, uint8, from its input class."""
        return self.reading(fsa).starting_states(inputs)

    def predictions(self, fsa: GraphFSA, states: Array) -> Array:
        """The class that each state stands for, int16; -1 for a state that is no answer."""
        return self.reading(fsa).predictions(states)

    def with_states_of(self, fsa: GraphFSA) -> Task:
        """The same task with an input for every starting state and a class for every final state of an automaton.

        The task's own names come first, in their order.
        """
        reading = self.reading(fsa)
        if self.kind == "evolution":
            names = _extended(self.classes, reading.answers, range(fsa.num_states), fsa)
            return Task(self.name, self.kind, names, names)
        inputs = _extended(self.inputs, reading.starting, fsa.starting_states, fsa)
        return Task(self.name, self.kind, inputs, _extended(self.classes, reading.answers, fsa.final_states, fsa))

    def config(self) -> dict[str, Any]:
        """The task as JSON values; ``Task.from_config`` reads it back."""
        return {"name": self.name, "kind": self.kind, "inputs": list(self.inputs), "classes": list(self.classes)}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Task:
        """Build a task from what ``config`` returned."""
        return cls(config["name"], config["kind"], tuple(config["inputs"]), tuple(config["classes"]))


def _found(
    task: Task,
    what: str,
    names: Sequence[str],
    state: str,
    states: Sequence[int],
    fsa: GraphFSA,
    learned: Sequence[str] = (),
) -> tuple[int, ...]:
    """The states with some names: these names, those that a learner gives them, or ``NAME (start)``."""
    numbers = {fsa.state_names[number]: number for number in states}
    marked = [name if name in numbers or state != "starting state" else name + _START for name in names]
    for wanted in (names, learned, marked):
        if wanted and len(set(wanted)) == len(wanted) and all(name in numbers for name in wanted):
            return tuple(numbers[name] for name in wanted)
    missing = [name for name, form in zip(names, marked, strict=True) if form not in numbers] or names
    known = f"its {state}s are {_listed(list(numbers))}" if numbers else f"it has no {state}s"
    raise GraphFSAError(
        f"{task.name} has the {what} {_listed(names)}, but no {state} of the automaton is called "
        f"{_listed(missing, ' or ')}; {known}"
    )


def _extended(names: tuple[str, ...], own: tuple[int, ...], states: Sequence[int], fsa: GraphFSA) -> tuple[str, ...]:
    return (*names, *(fsa.state_names[state] for state in dict.fromkeys(states) if state not in own))


def _listed(names: Sequence[str], joint: str = ", ") -> str:
    return shorten(joint.join(names), _SHOWN)
