"""What ``graphfsa learn`` does with every learner that has no options of its own here: networks, floors, yours."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, fields
from time import monotonic
from typing import TYPE_CHECKING, Any

from graphfsa.cli._common import parse_choices, print_rows, training_progress
from graphfsa.cli._learned import common_facts, common_rows
from graphfsa.cli._source import Source, read_validation
from graphfsa.errors import GraphFSAError, UnknownNameError

if TYPE_CHECKING:
    from graphfsa.datasets import Examples
    from graphfsa.learners import Learner, Network


def learn_with(name: str, source: Source, given: dict[str, Any], out: str, *, quiet: bool) -> dict[str, Any]:
    """Learn, write the model, and return the facts.

    Args:
        name: Name of the learner.
        source: Where the graphs come from.
        given: Options that were given.
        out: Where to write the model.
        quiet: Whether not to print anything about it.
    """
    from graphfsa.learners import NeuralLearner, accuracy

    learner = _built(name, given)
    source.check()
    validation = given.get("validation")
    if validation is not None and source.data is None:
        raise GraphFSAError("--validation goes with --data; a task has validation graphs of its own")
    if isinstance(learner, NeuralLearner):
        learner.check_torch()
    train, _ = source.training()
    held = source.validation() if validation is None else read_validation(validation, source.steps, train.task)
    began = monotonic()
    if isinstance(learner, NeuralLearner):
        with _progress() as watch:
            found: Any = learner.fit(train, held, seed=source.seed, watch=watch)
        facts = _network_facts(found, train, source.seed)
    else:
        found = learner.fit(train, held, seed=source.seed)
        facts = common_facts(_described(found, train, held, monotonic() - began), train, source.seed)
    facts |= {
        "validation_accuracy": None if held is None else accuracy(found, held),
        "validation_digest": None if held is None else held.digest,
        "learner": name,
        "options": asdict(learner),  # pyright: ignore[reportArgumentType]
        "model": out,
    }
    (found if isinstance(learner, NeuralLearner) else found.automaton).save(out)
    if not quiet:
        print_rows(_rows(found, facts, out))
    return facts


def _described(found: Any, train: Examples, held: Examples | None, seconds: float) -> Any:
    """What is said about a model that is only known to have an automaton."""
    from types import SimpleNamespace

    from graphfsa.learners import accuracy

    if not hasattr(found, "automaton"):
        raise GraphFSAError(
            "the model has no automaton that could be written; say how its file ends, and give it a save"
        )
    scores = [accuracy(found, part) for part in (train, held) if part is not None]
    return SimpleNamespace(
        verdict="exact" if min(scores) == 1 else "best-effort",
        found=found.automaton,
        train_accuracy=scores[0],
        seconds=seconds,
        interrupted=getattr(found, "interrupted", False),
    )


def _built(name: str, given: dict[str, Any]) -> Learner:
    """The learner with the options that were given."""
    from graphfsa.learners import learner_class

    kind = learner_class(name)
    known = [field.name for field in fields(kind)]  # pyright: ignore[reportArgumentType]
    choices = parse_choices(given.get("choose", []))
    if "epochs" in given:
        if "epochs" not in known:
            raise GraphFSAError(f"--epochs goes with a learner that is trained in epochs; the learner is {name}")
        if "epochs" in choices:
            raise GraphFSAError("--choose epochs=... and --epochs are the same; give one")
        choices["epochs"] = given["epochs"]
    for key in choices:
        if not known:
            raise GraphFSAError(f"--choose {key}=...: the learner {name} has no options")
        if key not in known:
            raise UnknownNameError(f"option of {name}", key, known)
    return kind(**choices)


@contextmanager
def _progress() -> Generator[Callable[[dict[str, Any]], None]]:
    """Epoch, loss and validation, if somebody is watching."""
    with training_progress() as update:
        held = ""

        def show(record: dict[str, Any]) -> None:
            nonlocal held
            if record.get("validation_accuracy") is not None:
                held = f", {record['validation_accuracy']:.2%} right on validation"
            text = f"epoch {record['epoch']}, update {record['updates']}: loss {record['loss']:.4f}{held}"
            update(text, record["updates"], record["of"])

        yield show


def _network_facts(found: Network, train: Examples, seed: int) -> dict[str, Any]:
    from importlib.metadata import version

    from graphfsa import __version__

    return {
        "verdict": found.verdict,
        "train_accuracy": found.train_accuracy,
        "network": found.digest,
        "weights": found.num_weights,
        "epochs": found.epochs,
        "updates": found.updates,
        "loss": found.history[-1]["loss"] if found.history else None,
        "seconds": round(found.seconds, 3),
        "graphs": len(train),
        "data_digest": train.digest,
        "seed": seed,
        "torch": version("torch"),
        "version": __version__,
        "interrupted": found.interrupted,
    }


def _rows(found: Any, facts: dict[str, Any], out: str) -> dict[str, Any]:
    if "network" not in facts:
        rows = common_rows(found.automaton, facts, out)
    else:
        rows = {
            "verdict": facts["verdict"] + (" (interrupted)" if facts["interrupted"] else ""),
            "network": f"{facts['learner']}, {facts['weights']:,} weights",
            "training": f"{facts['train_accuracy']:.4%} of the nodes of {facts['graphs']:,} graphs",
            "epochs": f"{facts['epochs']}, {facts['updates']:,} updates",
            "written to": out,
        }
    if facts["validation_accuracy"] is not None:
        rows["validation"] = f"{facts['validation_accuracy']:.4%} of the nodes"
    rows["seconds"] = facts["seconds"]
    return rows
