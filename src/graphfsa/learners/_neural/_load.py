"""Reads networks back from files, which may be anything."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from graphfsa.datasets import Task
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import PathLike, parse_json, read_tensors, tensors_schema
from graphfsa.learners._neural._learner import NeuralLearner
from graphfsa.learners._neural._model import Network

_FACTS = {"seconds": float, "epochs": int, "updates": int, "train_accuracy": float}


def load_network(path: PathLike) -> Network:
    """Read what ``Network.save`` wrote."""
    schema = tensors_schema(path)
    kind = _learner_of(path, schema)
    tensors, about = read_tensors(path, schema)
    try:
        task = _task(parse_json(about["task"]))
        learner = _built(kind, parse_json(about["config"]))
        training, history = parse_json(about["training"]), parse_json(about["history"])
        shapes = learner.shapes(task)
        found = Network(learner, task, tensors, history=_history(history), **_facts(training))
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path}: not a network that can be read: {_words(error)}") from None
    if set(tensors) != set(shapes):
        wrong = sorted(set(tensors) ^ set(shapes))[0]
        raise FormatError(f"{path}: weights must be {', '.join(shapes)}; {wrong!r} is missing or too much")
    for name, shape in shapes.items():
        array = tensors[name]
        if array.shape != shape or array.dtype != np.float32:
            got = f"{array.dtype} {list(array.shape)}"
            raise FormatError(f"{path}: weight {name!r} must be float32 {list(shape)}; got {got}")
        if not np.isfinite(array).all():
            raise FormatError(f"{path}: weight {name!r} must be finite numbers; some are not")
    return found


def _learner_of(path: PathLike, schema: str) -> type[NeuralLearner]:
    from graphfsa.learners import learner_class, learner_names

    match = re.fullmatch(r"graphfsa\.([a-z0-9-]{1,64})/1", schema)
    if match and match[1] in learner_names():
        found = learner_class(match[1])
        if issubclass(found, NeuralLearner):
            return found
    raise FormatError(f"{path}: not a network; its schema is {schema[:100]!r}")


def _task(config: Any) -> Task:
    texts = all(isinstance(name, str) for part in ("inputs", "classes") for name in config[part])
    if not texts or not all(isinstance(config[part], list) for part in ("inputs", "classes")):
        raise GraphFSAError("the inputs and classes of a task must be lists of texts")
    return Task.from_config(config)


def _built(kind: type[NeuralLearner], config: Any) -> NeuralLearner:
    known = kind().options()
    if not isinstance(config, dict) or set(config) != set(known):
        raise GraphFSAError(f"config must have the options {', '.join(known)}")
    return kind(**config)


def _facts(training: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name, usual in _FACTS.items():
        if isinstance(training[name], bool) or not isinstance(training[name], int | usual):
            raise GraphFSAError(f"{name} must be a number; got {training[name]!r}")
        facts[name] = training[name]
    held = training["validation_accuracy"]
    if held is not None and not isinstance(held, int | float):
        raise GraphFSAError(f"validation_accuracy must be a number or null; got {held!r}")
    return {**facts, "validation_accuracy": held, "interrupted": bool(training["interrupted"])}


def _history(history: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(history, list) or not all(isinstance(record, dict) for record in history):
        raise GraphFSAError("history must be a list of records")
    return tuple(history)


def _words(error: BaseException) -> str:
    text = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return json.dumps(text[:500])[1:-1]
