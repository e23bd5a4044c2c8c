"""What the page may ask for: which functions, and within which limits.

Names are those of a list, and automata and graphs are data: no request can name a file, or a class that is in one.
"""

from __future__ import annotations

from functools import lru_cache
from inspect import getdoc
from typing import Any

from graphfsa.datasets import dataset_class, dataset_names
from graphfsa.errors import GraphFSAError
from graphfsa.fields import Field, read_fields

MAX_EXAMPLES = 2000
MAX_NODES = 12
LEARNERS = ("exact", "diff-fsa")
_LEFT_OUT = ("maze-pixels", "noisy-distance")
"""Tasks that neither learner solves in the time for a job; and one that is distance, but for numbers at its nodes."""
_NEEDS = {
    "grab": "Exact search takes about half a minute and 1.5 GB of memory for this, Diff-FSA two minutes.",
    "hex-life": "Exact search takes seconds for this, Diff-FSA longer than a job may take.",
}
"""What a task needs that does not take a few seconds, as measured with two cores."""
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
    "compare": {"model": _MODEL, "other": _MODEL, "task": _TASK, "graph_class": _CLASS, "max_nodes": _SIZE},
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
    """What the page says of each task that it offers: all that can be learned with the usual options."""
    found: dict[str, dict[str, Any]] = {}
    for name in dataset_names():
        if name in _LEFT_OUT:
            continue
        dataset = dataset_class(name)()
        task = dataset.task
        found[name] = {
            "about": (getdoc(dataset) or "").partition("\n")[0].replace("``", ""),
            "needs": _NEEDS.get(name),
            "inputs": list(task.inputs),
            "classes": list(task.classes),
            "kind": task.kind,
            "graphs": dataset.graph_class,
            "provable": bool(dataset.specifications()),
        }
    return found
