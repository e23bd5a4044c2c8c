"""What is to be learned: how inputs become starting states, and final states become classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.errors import GraphFSAError


@dataclass(frozen=True)
class Task:
    """A node classification task for automata.

    There are two kinds. In a task of the kind ``classes``, the k-th input class of a node is the k-th starting state
    of the automaton and the k-th class is its k-th final state; the answer is due in an absorbing state. In a task of
    the kind ``evolution`` the inputs are states and the labels are the states after so many steps.

    Attributes:
        name: Name of the task.
        kind: ``"classes"`` or ``"evolution"``.
        inputs: Name of each input class.
        classes: Name of each class; for an evolution the names of the states, as for the inputs.
    """

    name: str
    kind: Literal["classes", "evolution"]
    inputs: tuple[str, ...]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.kind not in ("classes", "evolution"):
            raise GraphFSAError(f"the kind of a task must be classes or evolution; got {self.kind!r}")
        if not all(isinstance(name, str) for name in (self.name, *self.inputs, *self.classes)):
            raise GraphFSAError("the names of a task, its inputs and its classes must be texts")
        if self.kind == "evolution" and self.inputs != self.classes:
            raise GraphFSAError(f"the inputs of an evolution are its classes; got {self.inputs} and {self.classes}")
        for what, names in (("inputs", self.inputs), ("classes", self.classes)):
            if not 1 <= len(names) <= 256 or len(set(names)) != len(names):
                raise GraphFSAError(f"{what} of a task must be 1 to 256 distinct names; got {len(names)}")

    def check_automaton(self, fsa: GraphFSA) -> None:
        """Raise unless an automaton has the starting and final states that this task needs."""
        if self.kind == "evolution":
            if fsa.num_states != len(self.classes):
                raise GraphFSAError(f"{self.name} needs {len(self.classes)} states; the automaton has {fsa.num_states}")
            return
        for what, states, names in (
            ("starting", fsa.starting_states, self.inputs),
            ("final", fsa.final_states, self.classes),
        ):
            if len(states) != len(names):
                wanted = f"{len(names)} {what} states ({', '.join(names)})"
                raise GraphFSAError(f"{self.name} needs {wanted}; the automaton has {len(states)}")

    def starting_states(self, fsa: GraphFSA, inputs: Array) -> Array:
        """The state in which each node starts, uint8, from its input class."""
        self.check_automaton(fsa)
        if self.kind == "evolution":
            return inputs.astype(np.uint8)
        return np.array(fsa.starting_states, np.uint8)[inputs]

    def predictions(self, fsa: GraphFSA, states: Array) -> Array:
        """The class that each state stands for, int16; -1 for a state that is no answer."""
        self.check_automaton(fsa)
        meaning = np.full(fsa.num_states, -1, np.int16)
        answers = range(fsa.num_states) if self.kind == "evolution" else fsa.final_states
        for label, state in enumerate(answers):
            meaning[state] = label
        return meaning[states]

    def config(self) -> dict[str, Any]:
        """The task as JSON values; ``Task.from_config`` reads it back."""
        return {"name": self.name, "kind": self.kind, "inputs": list(self.inputs), "classes": list(self.classes)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Task:
        """Build a task from what ``config`` returned."""
        return cls(config["name"], config["kind"], tuple(config["inputs"]), tuple(config["classes"]))
