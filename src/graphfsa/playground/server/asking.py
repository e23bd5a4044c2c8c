"""What the page may ask for: which functions, and within which limits.

Names are those of a list, and automata and graphs are data: no request can name a file, or a class that is in one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from graphfsa.datasets import FeatureDataset, dataset_class, dataset_names
from graphfsa.errors import GraphFSAError
from graphfsa.fields import Field, read_fields

MAX_EXAMPLES = 2000
MAX_NODES = 12
LEARNERS = ("exact", "diff-fsa")
_MODEL = Field(dict)
_TASK = Field((str, None), None, most=100)
_EXAMPLES = Field((list, None), None, least=1, most=MAX_EXAMPLES, items=Field(dict))
_SIZE = Field(int, 5, least=1, most=MAX_NODES)
_CLASS = Field(str, "tree", choices=("path", "cycle", "tree", "connected", "row", "ring"))
_SEED = Field(int, 0, least=0, most=2**53 - 1)
_FIELDS = {
    "learn": {"task": _TASK, "examples": _EXAMPLES, "learner": Field(str, "exact", choices=LEARNERS), "seed": _SEED},
    "verify": {"model": _MODEL, "task": _TASK, "examples": _EXAMPLES, "max_nodes": _SIZE},
    "prove": {"model": _MODEL, "task": Field(str, most=100)},
    "suggest": {"model": _MODEL, "examples": _EXAMPLES, "max_nodes": _SIZE},
    "compare": {"model": _MODEL, "other": _MODEL, "graph_class": _CLASS, "max_nodes": _SIZE},
    "report": {"model": _MODEL, "task": _TASK, "examples": _EXAMPLES, "title": Field((str, None), None, most=200)},
}  # fmt: skip
KINDS = tuple(_FIELDS)


def read_request(data: Any) -> dict[str, Any]:
    """A request, checked: every field is there and within its limits.

    Raises:
        GraphFSAError: It is something else; the message names the field.
    """
    kind = read_fields(data, {"do": Field(str, choices=KINDS)}, "request", unknown=True)["do"]
    fields = read_fields(data, _FIELDS[kind], "request", also=("do",))
    task, examples = fields.get("task"), fields.get("examples")
    if "task" in fields and "examples" in fields and (task is None) == (examples is None):
        raise GraphFSAError("request: give either a task or examples")
    if kind == "suggest" and examples is None:
        raise GraphFSAError("request: field 'examples' is missing; it must be a list of labelled graphs")
    if task is not None and task not in offered_tasks():
        raise GraphFSAError(f"request: field 'task' must be one of {', '.join(offered_tasks())}; got {task!r}"[:400])
    return {"do": kind, **fields}


@lru_cache(maxsize=1)
def offered_tasks() -> dict[str, dict[str, Any]]:
    """What the page says of each task that it offers: those with inputs and classes whose graphs can be drawn."""
    found: dict[str, dict[str, Any]] = {}
    for name in dataset_names():
        kind = dataset_class(name)
        if issubclass(kind, FeatureDataset) or name == "grab":
            continue
        dataset = kind()
        if dataset.graph_class is None or "learn" not in dataset.splits:
            continue
        task = dataset.task
        found[name] = {
            "inputs": list(task.inputs),
            "classes": list(task.classes),
            "kind": task.kind,
            "graphs": dataset.graph_class,
            "provable": bool(dataset.specifications()),
        }
    return found
