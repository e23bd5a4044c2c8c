"""The state of a training on disk: one file, replaced in one step, from which it goes on as if nothing had happened."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import (
    PathLike,
    atomic_write,
    parse_json,
    read_bytes,
    read_tensors,
    write_tensors,
)
from graphfsa.folders import make_folder, place, remove_drafts
from graphfsa.learners.diff_fsa._course import Candidate, Course, Record
from graphfsa.search.problem import Shape

if TYPE_CHECKING:
    from graphfsa.learners.diff_fsa._fit import Fit

SCHEMA = "graphfsa.diff-fsa.checkpoint/2"
_STATE, _HISTORY, _BEST = "checkpoint.safetensors", "history.jsonl", "best.json"
_NUMBERS = ("updates", "states", "loss", "mean_loss", "accuracy", "solved", "entropy", "seconds")
_MORE = ("of", "rate", "validation_loss", "best_accuracy")
_TOTALS = ("seconds", "lowest", "accuracy", "work", "began")
_COURSE = ("size", "updates", "looks", "first", "best_size", "history", "flat", "cut", *_TOTALS)


class Checkpoints:
    """Keeps the state of one training in a directory, its history as JSON lines, and the best automaton as a model.

    Args:
        directory: The directory; it is made if there is none.
        resume: Whether to go on from what is there. Otherwise there must be nothing.
    """

    def __init__(self, directory: PathLike, *, resume: bool = False) -> None:
        self.directory = Path(directory)
        if self.directory.exists() and not self.directory.is_dir():
            raise GraphFSAError(f"{str(directory)!r} must be a directory; it is a file")
        make_folder(self.directory)
        self._file = place(self.directory, _STATE)
        remove_drafts(self.directory)
        self._written: Candidate | None = None
        if self._file.exists() and not resume:
            raise GraphFSAError(f"{str(directory)!r} holds a training already; resume it, or choose another directory")

    def restore(self, fit: Fit) -> None:
        """Bring a training into the state that was kept, if there is one.

        Raises:
            FormatError: The file is damaged or from another version.
            GraphFSAError: It is from a training with other data or other options.
        """
        if not self._file.exists():
            return
        arrays, about = read_tensors(self._file, SCHEMA)
        try:
            state: dict[str, Any] = json.loads(about["state"])
            self._compare(state["identity"], _identity(fit))
            course = _course(state["course"], len(fit.sizes))
            names = [f"solved.{k}" for k in range(len(state["keys"].keys() - {"best"}))]
            course.solved = [_found(arrays, state, name, fit.sizes[course.size]) for name in names]
            if "best" in state["keys"]:
                course.best = _found(arrays, state, "best", fit.sizes[course.best_size])
            fit.course = course
            fit.enter()
            assert fit.training is not None
            fit.training.restore({name: arrays[name] for name in fit.training.ARRAYS}, state["training"])
            self._write_history(course)
        except GraphFSAError:
            raise
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RuntimeError) as error:
            raise FormatError(f"{self._file}: not a checkpoint that can be read: {str(error)[:200]}") from None

    def save(self, fit: Fit) -> None:
        """Keep the state of a training."""
        course, training = fit.course, fit.training
        assert training is not None
        found = {f"solved.{k}": item for k, item in enumerate(course.solved)}
        if course.best is not None:
            found["best"] = course.best
        arrays = training.arrays()
        for name, item in found.items():
            arrays |= {f"{name}.table": item.table, f"{name}.soft": item.soft, f"{name}.values": item.values}
        state = {
            "identity": _identity(fit),
            "course": {name: getattr(course, name) for name in _COURSE},
            "keys": {name: item.key for name, item in found.items()},
            "training": training.numbers(),
        }
        write_tensors(self._file, arrays, {"schema": SCHEMA, "state": json.dumps(state)})
        self._write_history(course)
        if course.best is not None and course.best is not self._written:
            fit.best_model().save(place(self.directory, _BEST))
            self._written = course.best

    def _write_history(self, course: Course) -> None:
        lines = "".join(json.dumps(record) + "\n" for record in course.history)
        atomic_write(place(self.directory, _HISTORY), lines)

    def _compare(self, kept: dict[str, Any], now: dict[str, Any]) -> None:
        different = sorted(name for name in kept.keys() | now.keys() if kept.get(name) != now.get(name))
        if different:
            what = ", ".join(f"{name} was {str(kept.get(name))[:60]}" for name in different[:5])
            raise GraphFSAError(f"{self._file}: this is the state of another training: {what}")


def read_history(path: PathLike) -> list[Record]:
    """The records of a file ``history.jsonl``, one for each look at the discrete tables.

    Raises:
        FormatError: A line is not a record of a training, or there is none.
    """
    records: list[Record] = []
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        try:
            record = parse_json(line.decode("utf-8"))
            numbers = [record[name] for name in _NUMBERS] + [record[name] for name in _MORE if name in record]
            valid = isinstance(record["aggregation"]["name"], str) and all(map(_is_number, numbers))
        except (ValueError, KeyError, TypeError, RecursionError):
            valid, record = False, {}
        if not valid:
            raise FormatError(f"{path}: line {number}: not a record of a training, as in history.jsonl of a checkpoint")
        records.append(record)
    if not records:
        raise FormatError(f"{path}: must hold at least one record; got none")
    return records


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e300


def _course(state: dict[str, Any], num_sizes: int) -> Course:
    """What has happened, checked: a damaged file must not be trained on."""
    course = Course(**{name: state[name] for name in _COURSE})
    whole = ("size", "updates", "looks", "first", "best_size", "flat")
    if not all(type(state[name]) is int for name in whole):
        raise FormatError(f"the fields {', '.join(whole)} of the course must be integers")
    if not 0 <= course.size < num_sizes or not 0 <= course.best_size <= course.size or course.first < -1:
        raise FormatError(f"size {course.size} and best size {course.best_size} must be in 0 .. {num_sizes - 1}")
    for name in _TOTALS:
        setattr(course, name, float(state[name]))
    if not isinstance(course.cut, bool) or not all(isfinite(getattr(course, name)) for name in _TOTALS):
        raise FormatError(f"{', '.join(_TOTALS)} of the course must be finite, and cut true or false")
    records: Any = course.history
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise FormatError("the history must be a list of records")
    return course


def _found(arrays: dict[str, Array], state: dict[str, Any], name: str, shape: Shape) -> Candidate:
    """A table that was found, checked."""
    table, soft, values = (arrays[f"{name}.{part}"] for part in ("table", "soft", "values"))
    right = table.shape == (shape.num_states, shape.num_values) and table.dtype == np.int16
    if not right or table.min() < -1 or table.max() >= shape.num_states:
        raise FormatError(f"array {name}.table must be int16 successors below {shape.num_states}; got {table.dtype}")
    leaving = {shape.num_states, shape.num_states - shape.num_final}
    if soft.ndim != 3 or soft.shape[::2] != (len(values), shape.num_states) or soft.shape[1] not in leaving:
        raise FormatError(f"array {name}.soft must be [row, state, successor]; got shape {list(soft.shape)}")
    if values.dtype != np.int64 or values.min() < 0 or values.max() >= shape.num_values:
        raise FormatError(f"array {name}.values must be values below {shape.num_values}")
    if soft.dtype != np.float32 or not np.isfinite(soft).all():
        raise FormatError(f"array {name}.soft must be float32 and finite")
    return Candidate(table, soft, values, float(state["keys"][name]))


def _identity(fit: Fit) -> dict[str, Any]:
    """What must be the same for a training to go on."""
    learner, beginning = fit.learner, fit.beginning
    given = {"initial": beginning.initial, "known": beginning.known}
    known = {
        name: sha256(np.ascontiguousarray(array).data).hexdigest() for name, array in given.items() if array is not None
    }
    sizes = [[s.num_states, s.num_final, s.aggregation.config()] for s in fit.sizes]
    return json.loads(
        json.dumps(
            {
                "training graphs": fit.given.digest,
                "validation graphs": None if fit.given_validation is None else fit.given_validation.digest,
                "seed": fit.seed,
                "sizes": sizes,
                "beginning": known,
                "device": learner.device,
                "implementation": "compiled" if learner.compiled else "torch",
                **asdict(fit.recipe),
            }
        )
    )
