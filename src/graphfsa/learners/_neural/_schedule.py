"""How a network is trained: every choice by name, and the two sets of choices that have one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from graphfsa.checks import check_integer, check_number

FACTOR = 0.8
"""What the rate is multiplied by on a plateau."""
_MOST = 10**9


@dataclass(frozen=True)
class Schedule:
    """Every choice of a training.

    Attributes:
        epochs: Passes over the training graphs at most.
        patience: The rate is multiplied by 0.8 after more epochs than this without a lower loss.
        training_steps: How many steps each graph makes: as many as its label takes (``"data"``), or a number.
        offset: In each update all graphs make up to this number of further steps, at random.
        stop: Training ends after this number of epochs without a lower loss; 0 for never.
        updates: Updates at most; 0 for any number.
        rate: First learning rate of Adam.
        batch: Graphs of one update.
        clip: Largest norm of the gradient; 0 for any.
    """

    epochs: int
    patience: int
    training_steps: int | Literal["data"] = "data"
    offset: int = 0
    stop: int = 0
    updates: int = 0
    rate: float = 0.001
    batch: int = 32
    clip: float = 1.0


CHOICES = tuple(field.name for field in fields(Schedule))
NOT_IN_EVOLUTIONS = ("training_steps", "offset")
Presets = Mapping[str, Mapping[str, Schedule]]
"""A schedule for each kind of task, by the name of the preset."""

PRESETS: Presets = {
    "paper": {
        "classes": Schedule(epochs=20, patience=5, training_steps=8),
        "evolution": Schedule(epochs=50, patience=2),
    },
    "tuned": {
        "classes": Schedule(epochs=1000, patience=5, offset=10, stop=50, updates=3000),
        "evolution": Schedule(epochs=100, patience=3, stop=10, updates=16_000),
    },
}


def check_choice(name: str, given: Any) -> None:
    """Raise unless something can be a choice of this name."""
    if name == "rate":
        check_number(name, given, below=1e3, above=True)
    elif name == "clip":
        check_number(name, given, below=1e9)
    elif name == "training_steps":
        if given != "data":
            check_integer(name, given, 1, _MOST, or_else=" or 'data'")
    else:
        check_integer(name, given, 1 if name in ("epochs", "batch") else 0, _MOST)
