"""Models as files: JSON for automata, safetensors for networks; both remember the task and where they come from."""

from __future__ import annotations

import platform
from dataclasses import asdict
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA, library
from graphfsa.automaton.serialize import automaton_config, automaton_from_config, json_text
from graphfsa.datasets import Discretiser, Task, dataset_names
from graphfsa.errors import FormatError, GraphFSAError, UnknownNameError
from graphfsa.fields import Field, read_fields
from graphfsa.files import PathLike, atomic_write, is_file, read_json
from graphfsa.learners._model import Model
from graphfsa.learners._provenance import DatasetReference, Provenance

SCHEMA = "graphfsa.model/1"
MAX_USED = 100_000
"""Entries that training graphs use which are written to a file, at most."""
MAX_JSON_BYTES = 2**28
VERDICTS = ("proved", "exact", "best-effort", "given", "undecided")
_LIBRARIES = ("numpy", "numba", "torch", "python-sat")


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions of everything that a result depends on."""
    from graphfsa import __version__

    found = {"graphfsa": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def save_model(model: Model, path: Path) -> None:
    """Write a model to a file, atomically."""
    if model.body is None:
        raise GraphFSAError(f"there is nothing to save: the verdict is {model.verdict}")
    if model.is_automaton:
        _check_suffix(path, ".json", "an automaton")
        atomic_write(path, _json(model))
        return
    from graphfsa.learners._neural import Network, save_network

    if not isinstance(model.body, Network):
        raise GraphFSAError(
            f"{type(model.body).__name__} can't be saved here: only automata and networks that extend NeuralLearner can"
        )
    _check_suffix(path, ".safetensors", "a network")
    save_network(model, path)


def load(path: PathLike) -> Model:
    """Read a model: what ``Model.save`` or ``GraphFSA.save`` wrote, or a ``.rules`` file.

    Nothing that a file names is run: an aggregation, task or learner of one's own must be imported first.

    Raises:
        FormatError: The file is damaged, or not a model.
        GraphFSAError: The file can't be read, or needs a class that is not known here.
    """
    name = str(path)
    if name.lower().endswith(".safetensors"):
        from graphfsa.learners._neural import load_network

        return load_network(path)
    if name.lower().endswith(".rules"):
        return Model.of(GraphFSA.load(path))
    try:
        data = read_json(path, limit=MAX_JSON_BYTES)
    except GraphFSAError as error:
        if Path(name).suffix.lower() == ".json":
            raise
        hint = "a model is a .json, .rules or .safetensors file"
        if name in library.library_names():
            hint = "load reads files; as_model and the functions that take a model take library names"
        raise type(error)(f"{error}; {hint}") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        return Model.of(GraphFSA.load(path))
    return _from_json(data, name)


def find_any_automaton(text: str) -> GraphFSA | StochasticFSA:
    """The automaton, with or without coins, of a file or of the library.

    Raises:
        GraphFSAError: There is none; a model that is a network is named.
    """
    if text.lower().endswith(".safetensors"):
        return load(text).automaton
    return library.find_any_automaton(text)


def find_model(text: str) -> Model:
    """A model from a file, or from the name of a library automaton; that of a data set has this data set's task."""
    if text.lower().endswith((".json", ".rules", ".safetensors")):
        return load(text)
    try:
        fsa = library.library_automaton(text)
    except UnknownNameError as error:
        if is_file(text):
            return load(text)
        raise GraphFSAError(f"{error}; or the path of a .json, .rules or .safetensors file") from None
    if text in dataset_names():
        try:
            return Model.of(fsa, text)
        except GraphFSAError:
            pass  # The data set has another task by default than the automaton of its name.
    return Model.of(fsa)


# ---- provenance, as JSON values


def about_model(model: Model) -> dict[str, Any]:
    """Everything but the automaton or the weights, as JSON values."""
    return {
        "verdict": model.verdict,
        "task": model.task.config(),
        "dataset": None if model.dataset is None else asdict(model.dataset),
        "provenance": None if model.provenance is None else asdict(model.provenance),
    }


ABOUT = {
    "verdict": Field(str, choices=VERDICTS),
    "task": Field(dict),
    "dataset": Field((dict, None)),
    "provenance": Field((dict, None)),
}
_NAMES = Field(list, items=Field(str))
_TASK = {"name": Field(str), "kind": Field(str), "inputs": _NAMES, "classes": _NAMES}
_DRAWN = {
    "split": Field(str, "learn"),
    "sizes": Field((list, None), None, least=1, items=Field(int, least=0)),
    "count": Field((int, None), None, least=0),
    "steps": Field((int, None), None, least=0),
}
_DATASET = {"name": Field(str, least=1), "options": Field(dict), "drawn": Field(dict)}
_PROVENANCE = {
    "learner": Field(str),
    "options": Field(dict),
    "seed": Field(int, least=0),
    "data": Field(str),
    "graphs": Field(int, least=0),
    "train_accuracy": Field(float, least=0, most=1),
    "validation": Field((str, None)),
    "validation_accuracy": Field((float, None), least=0, most=1),
    "seconds": Field(float, least=0),
    "interrupted": Field(bool),
    "details": Field(dict),
    "versions": Field(dict, items=Field(str)),
}


def read_about(data: Any, source: str) -> dict[str, Any]:
    """What ``about_model`` returned, as arguments of ``Model``."""
    about = read_fields(data, ABOUT, source)
    dataset, provenance = about["dataset"], about["provenance"]
    if dataset is not None:
        dataset = read_fields(dataset, _DATASET, f"{source}: dataset")
        if dataset["drawn"]:
            dataset["drawn"] = read_fields(dataset["drawn"], _DRAWN, f"{source}: dataset.drawn")
        dataset = DatasetReference(**dataset)
    if provenance is not None:
        provenance = Provenance(**read_fields(provenance, _PROVENANCE, f"{source}: provenance"))
    try:
        task = Task.from_config(read_fields(about["task"], _TASK, f"{source}: task"))
    except FormatError:
        raise
    except GraphFSAError as error:
        raise FormatError(f"{source}: {error}") from None
    return {"task": task, "verdict": about["verdict"], "dataset": dataset, "provenance": provenance}


# ---- automata


def _json(model: Model) -> str:
    content = {"schema": SCHEMA, **about_model(model), "automaton": automaton_config(model.automaton)}
    if model.discretiser is not None:
        content["discretiser"] = model.discretiser.config()
    return json_text({**content, "used": _used_list(model.used)})


def _from_json(data: dict[str, Any], source: str) -> Model:
    own = {
        "used": Field((list, None), most=MAX_USED),
        "automaton": Field(dict),
        "discretiser": Field((dict, None), None),
    }
    fields = read_fields(data, own, source, schema=SCHEMA, also=ABOUT)
    fsa = automaton_from_config(fields["automaton"], source)
    about = read_about({name: data[name] for name in ABOUT if name in data}, source)
    if fields["discretiser"] is not None:
        about["discretiser"] = Discretiser.from_config(fields["discretiser"], f"{source}: discretiser")
    try:
        return Model(body=fsa, used=_used_table(fields["used"], fsa, source), **about)
    except FormatError:
        raise
    except GraphFSAError as error:
        raise FormatError(f"{source}: {error}") from None


def _used_list(used: Array | None) -> list[int] | None:
    """The places of the used entries in the table, row by row; None if they are too many or not known."""
    if used is None or used.sum() > MAX_USED:
        return None
    return np.flatnonzero(used).tolist()


def _used_table(places: list[Any] | None, fsa: GraphFSA, source: str) -> Array | None:
    if places is None:
        return None
    size = fsa.transition_table.size
    if not all(type(place) is int and 0 <= place < size for place in places):
        raise FormatError(f"{source}: field 'used' must hold integers from 0 to {size - 1}")
    used = np.zeros(size, bool)
    used[places] = True
    used = used.reshape(fsa.transition_table.shape)
    used.setflags(write=False)
    return used


def _check_suffix(path: Path, suffix: str, what: str) -> None:
    if path.suffix.lower() != suffix:
        raise FormatError(f"{path}: the file of {what} must end in {suffix}")
