"""How to train: every choice by name, and the three sets of choices that have one."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from graphfsa.checks import check_integer, check_name, check_number
from graphfsa.errors import GraphFSAError, UnknownNameError


@dataclass(frozen=True)
class Recipe:
    """Every choice of a training.

    Attributes:
        restarts: How many tables are trained at once, from different beginnings.
        updates: Updates of each size of automata at most, where graphs are drawn by their errors.
        epochs: Passes over the training graphs, where they are taken in turn.
        batch: Graphs of one update.
        sampling: ``"errors"``: graphs that the discrete tables get wrong are drawn more often. ``"turns"``: all graphs
            in turn, in a new order in each pass.
        steps: How many steps a run has: ``"data"`` for as many as the labels take, or a number for every graph.
            States at a given step (evolutions) are always trained with that step.
        offset: Up to this number of further steps are made, at random in each update; not in evolutions.
        aggregate: ``"exact"``: the distribution of what a node sees, with gradients through its neighbours.
            ``"threshold"``: expected counts are compared with thresholds, as published; no gradient goes through.
        through: Whether gradients go through neighbours, with ``"exact"``.
        finals: ``"mask"``: final states can't be left. ``"penalty"``: leaving them costs.
        penalty: Weight of that cost: the probabilities to leave.
        loss: ``"cross-entropy"`` or ``"l2"``, of the last distribution of each node.
        reduction: ``"mean"`` over the nodes that count, or their ``"sum"``; likewise for the penalty over entries.
        rate: Learning rate of Adam.
        betas: Decay rates of Adam's moments.
        clip: Largest norm of the gradient of one table; 0 for any.
        schedule: ``"constant"``, or ``"plateau"``: after three epochs whose validation is no better, the rate is
            multiplied by 0.8.
        first: The first logits: ``"normal"`` with mean 0 and standard deviation ``noise``, or ``"uniform"`` from 0 to
            ``noise``.
        noise: How far apart they are.
        stay: What the logits of staying in a state have in addition, in three of four tables; not in evolutions.
        renew: After this number of updates, tables that are not among the best begin anew; 0 for never.
        check: Updates between two looks at the discrete tables.
        repair: Iterations of annealing on the discrete table, for each of the tables that are repaired; 0 for none.
        repaired: How many tables are repaired at every third look: the best, and as many others.
        harvest: Number of tables without an error to collect before the simplest is chosen; evolutions stop at one.
            0 to train to the end in any case.
        patience: Updates after the first such table, at most.
        simplify: Whether tables without an error are made simple.
        complete: Whether entries that the data never use follow the simplest rule for those that they do.
        keep: Which table is the result: one without an error, or else that with the fewest ``"errors"``; or that with
            the lowest ``"validation"`` loss.
    """

    restarts: int = 32
    updates: int = 2000
    epochs: int = 0
    batch: int = 16
    sampling: Literal["errors", "turns"] = "errors"
    steps: int | Literal["data"] = "data"
    offset: int = 2
    aggregate: Literal["exact", "threshold"] = "exact"
    through: bool = True
    finals: Literal["mask", "penalty"] = "mask"
    penalty: float = 0.0
    loss: Literal["cross-entropy", "l2"] = "cross-entropy"
    reduction: Literal["mean", "sum"] = "mean"
    rate: float = 0.15
    betas: tuple[float, float] = (0.9, 0.99)
    clip: float = 1.0
    schedule: Literal["constant", "plateau"] = "constant"
    first: Literal["normal", "uniform"] = "normal"
    noise: float = 1.0
    stay: float = 3.0
    renew: int = 240
    check: int = 20
    repair: int = 5000
    repaired: int = 6
    harvest: int = 12
    patience: int = 400
    simplify: bool = True
    complete: bool = True
    keep: Literal["errors", "validation"] = "errors"


_PAPER = Recipe(
    restarts=1,
    epochs=10,
    batch=1,
    sampling="turns",
    steps=10,
    offset=1,
    aggregate="threshold",
    finals="penalty",
    penalty=1.0,
    loss="l2",
    reduction="sum",
    rate=0.25,
    betas=(0.5, 0.5),
    clip=0.0,
    schedule="plateau",
    first="uniform",
    noise=1.0,
    stay=0.0,
    renew=0,
    repair=0,
    harvest=0,
    simplify=False,
    complete=False,
    keep="validation",
)
PRESETS = {"strong": Recipe(), "paper": _PAPER, "reference": replace(_PAPER, steps=5)}
_CELLULAR = {"rate": 0.5, "epochs": 5}
"""What the published presets have for evolutions."""
_CHOICES: dict[str, tuple[Any, ...]] = {
    "sampling": ("errors", "turns"),
    "aggregate": ("exact", "threshold"),
    "finals": ("mask", "penalty"),
    "loss": ("cross-entropy", "l2"),
    "reduction": ("mean", "sum"),
    "schedule": ("constant", "plateau"),
    "first": ("normal", "uniform"),
    "keep": ("errors", "validation"),
}
_LEAST = {"restarts": 1, "updates": 1, "batch": 1, "check": 1}
_MOST = 10**9


def recipe_of(preset: str, options: dict[str, Any]) -> Recipe:
    """The recipe of a preset with some choices made differently.

    Raises:
        UnknownNameError: There is no such preset or option.
        GraphFSAError: A choice is not among those that there are.
    """
    check_name("preset", preset, list(PRESETS))
    known = {field.name: field for field in fields(Recipe)}
    for name, given in options.items():
        if name not in known:
            raise UnknownNameError("option of Diff-FSA", name, known)
        _check(name, given, getattr(Recipe(), name))
    options = {name: _plain(given) for name, given in options.items()}
    recipe = replace(PRESETS[preset], **options)
    unused, used = ("epochs", "updates") if recipe.sampling == "errors" else ("updates", "epochs")
    if unused in options:
        raise GraphFSAError(f"{unused} has no meaning with sampling={recipe.sampling!r}; give {used}")
    if recipe.sampling == "turns" and recipe.epochs == 0:
        raise GraphFSAError("graphs that are taken in turn need a number of epochs of at least 1; got epochs=0")
    return recipe


def for_evolution(recipe: Recipe, preset: str, chosen: tuple[str, ...]) -> Recipe:
    """What is different when labels are states at a given step."""
    changes: dict[str, Any] = {"offset": 0, "steps": "data", "stay": 0.0, "finals": "mask", "penalty": 0.0}
    for name in chosen:
        if name in changes:
            raise GraphFSAError(f"{name} has no meaning where labels are states at a given step; leave it out")
    if "harvest" not in chosen:
        changes["harvest"] = min(1, recipe.harvest)
    if preset != "strong":
        changes |= {name: value for name, value in _CELLULAR.items() if name not in chosen}
    return replace(recipe, **changes)


def _check(name: str, given: Any, usual: Any) -> None:
    if name in _CHOICES:
        check_name(name, given, _CHOICES[name])
    elif name == "steps":
        if given != "data":
            check_integer("steps", given, 1, _MOST, or_else=" or 'data'")
    elif name == "betas":
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise GraphFSAError(f"betas must be two numbers; got {given!r}")
        for number in given:
            check_number("betas", number, below=1)
    elif isinstance(usual, bool):
        if not isinstance(given, bool):
            raise GraphFSAError(f"{name} must be true or false; got {given!r}")
    elif isinstance(usual, int):
        check_integer(name, given, _LEAST.get(name, 0), _MOST)
    else:
        check_number(name, given, below=_MOST)


def _plain(given: Any) -> Any:
    """NumPy's numbers and lists as Python's own, so that recipes can be compared and written."""
    if isinstance(given, tuple | list):
        return tuple(map(_plain, given))
    return given.item() if isinstance(given, np.generic) else given
