"""Runs one job: draws its graphs, fits its learner, scores the model, writes it, and says everything about it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from inspect import Parameter, signature
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.evaluation._graphs import Drawn, Sheet, draw_graphs
from graphfsa.evaluation.metrics import Score, answers_at, score
from graphfsa.learners import Learner, learner_class

RECORD = "graphfsa.record/1"
_LIBRARIES = ("numpy", "numba", "torch", "python-sat")
_KEPT = 60
"""Records of a history that are kept, at most."""


def make_learner(name: str, options: Mapping[str, Any]) -> Learner:
    """A learner by name with options that come from a file: lists become tuples.

    Raises:
        GraphFSAError: There is no such learner or option, or a value is not valid.
    """
    found = learner_class(name)
    valid = signature(found).parameters
    if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in valid.values()):
        for key in options.keys() - valid.keys():
            if not valid:
                raise GraphFSAError(f"the learner {name} has no options; got {key!r}")
            raise UnknownNameError(f"option of {name}", key, list(valid))
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    try:
        return found(**values)
    except TypeError as error:
        raise GraphFSAError(f"{name}: {error}") from None


def run_job(config: dict[str, Any], identity: str, models: Path) -> dict[str, Any]:
    """Run a job.

    Args:
        config: Configuration of the job.
        identity: Its name, which is also that of the model file.
        models: Directory to write the model to.

    Returns:
        The record, as JSON values.
    """
    began = perf_counter(), process_time()
    drawn = draw_graphs(config)
    learner = make_learner(config["learner"], config["options"])
    started = perf_counter(), process_time()
    model: Any = learner.fit(drawn.train, drawn.validation, seed=config["seed"])
    if not hasattr(model, "predict"):
        raise GraphFSAError(f"{config['learner']}: fit must return a model, with a method predict; got {model!r:.100}")
    fitted = perf_counter(), process_time()
    results = {name: asdict(found) for sheet in drawn.sheets for name, found in _scores(model, sheet)}
    return {
        "schema": RECORD,
        "id": identity,
        "status": "done",
        "config": config,
        "results": results,
        "fit": _fit_facts(model),
        "model": _written(model, models / identity),
        "digests": _digests(drawn),
        "seconds": {
            "fit": round(fitted[0] - started[0], 3),
            "fit_cpu": round(fitted[1] - started[1], 3),
            "all": round(perf_counter() - began[0], 3),
            "all_cpu": round(process_time() - began[1], 3),
        },
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Versions of everything that a number depends on."""
    from graphfsa import __version__

    found = {"graphfsa": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _scores(model: Any, sheet: Sheet) -> list[tuple[str, Score]]:
    network = not hasattr(model, "found") and not hasattr(model, "automaton")
    if sheet.automata and network:
        return []
    if getattr(model, "found", model) is None:  # A learner that found nothing answers nothing.
        nothing = np.full(len(sheet.parts[0].inputs), -1, np.int16)
        return [(name, score(part, nothing)) for name, part in zip(sheet.names, sheet.parts, strict=True)]
    same = [int(part.steps[0]) for part in sheet.parts]
    found = answers_at(model, sheet.parts[0], same)
    return [
        (name, score(part, given)) for name, part, given in zip(sheet.names, sheet.parts, found, strict=True)
    ]  # fmt: skip


def _fit_facts(model: Any) -> dict[str, Any]:
    """What models say about their training, as far as they do."""
    names = ("verdict", "train_accuracy", "validation_accuracy", "updates", "epochs", "possible")
    facts = {name: getattr(model, name) for name in names if hasattr(model, name)}
    history = [_plain(record) for record in getattr(model, "history", ())]
    if history:
        chosen = np.unique(np.linspace(0, len(history) - 1, min(_KEPT, len(history))).round().astype(int))
        facts["history"] = [history[place] for place in chosen]
    return facts


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a record of a history, rounded."""
    return {
        name: float(f"{value:.6g}") if isinstance(value, float) else value
        for name, value in record.items()
        if isinstance(value, int | float | str) or value is None
    }


def _written(model: Any, stem: Path) -> dict[str, Any] | None:
    """Write an automaton as JSON, another model as it does itself; None if there is nothing to write."""
    if getattr(model, "found", model) is None:
        return None
    fsa = getattr(model, "automaton", None)
    path = stem.with_suffix(".json" if fsa is not None else ".safetensors")
    (fsa if fsa is not None else model).save(path)
    content = path.read_bytes()
    facts: dict[str, Any] = {"file": path.name, "bytes": len(content), "sha256": sha256(content).hexdigest()}
    if fsa is not None:
        facts |= {"states": fsa.num_states, "aggregation": fsa.aggregation.config(), "automaton": fsa.digest}
    elif hasattr(model, "digest"):
        facts["network"] = model.digest  # The file also says how long the training took.
    return facts


def _digests(drawn: Drawn) -> dict[str, str]:
    """Digests of all graphs of the job."""
    tests = {
        name: part.digest for sheet in drawn.sheets for name, part in zip(sheet.names, sheet.parts, strict=True)
    }  # fmt: skip
    return {"train": drawn.train.digest, "validation": drawn.validation.digest, **tests}
