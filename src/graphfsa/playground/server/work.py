"""What the process for jobs does: it calls the public functions, and says in JSON how it goes and what came of it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic
from typing import Any

import numpy as np

from graphfsa.analysis import Difference, compare, suggest, verify
from graphfsa.analysis.verification import Counterexample
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Example, Examples, as_dataset, read_jsonl
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation import report
from graphfsa.files import atomic_write
from graphfsa.interrupts import deferred_signals, ignore_signals
from graphfsa.learners import Model, SoftTable, learn
from graphfsa.playground.scenes import read_automaton, scene, world_of
from graphfsa.playground.server.jobs import STOP, receive, send
from graphfsa.playground.server.stopping import Stopping
from graphfsa.plugins import load_file
from graphfsa.processes import end_with_parent
from graphfsa.proofs import prove

_EVERY = 0.12
"""Seconds between two records, at least."""
_SHOWN_NODES, _SHOWN_CELLS = 24, 576
"""Size of the graph, or of the board, on which one looks at what was learned."""
_MAX_COLUMNS = 60
_MAX_ATTEMPTS = 40
Tell = Callable[[dict[str, Any]], None]
_stopping = Stopping()


def serve(connection: Connection, files: list[str]) -> None:
    """Work on the requests that come, until the server closes the connection or ends."""
    requests: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
    # Threads that begin now stay deaf to signals, which are for the main thread.
    Thread(target=end_with_parent, daemon=True).start()
    Thread(target=_listen, args=(connection, requests), daemon=True).start()
    ignore_signals()  # The server is interrupted, and ends us.
    _stopping.begin()
    os.dup2(2, 1)
    for file in files:
        with suppress(Exception, SystemExit):  # What needs it will fail, and say why.
            load_file(file)
    with suppress(OSError):
        while (request := requests.get()) is not None:
            _stopping.forget()
            _say(connection, _answered(request, _calm(lambda record: _say(connection, {"record": record}))))


def _listen(connection: Connection, requests: SimpleQueue[dict[str, Any] | None]) -> None:
    """What comes from the server: requests, and the word to stop, which can't wait for the one at work."""
    with suppress(EOFError, OSError):
        while True:
            message = receive(connection)
            if message == STOP:
                _stopping.ask()
            else:
                requests.put(message)
    requests.put(None)


def _say(connection: Connection, message: dict[str, Any]) -> None:
    """Send a message, whole."""
    with deferred_signals():
        send(connection, message)


def _answered(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """What came of a request: a result, an error in words, or nothing if it was stopped before there was anything."""
    try:
        return {"result": _ANSWERS[request["do"]](request, tell)}
    except KeyboardInterrupt:
        return {"stopped": True}
    except GraphFSAError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "there is too little memory for this"}
    except ConnectionError:  # The server has ended.
        raise
    except Exception as error:
        print(f"error: {request['do']} failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return {"error": f"this failed within graphfsa ({type(error).__name__}); the terminal says more"}


def _calm(tell: Tell) -> Tell:
    """Passes records on, but for those that come too soon after another of their kind."""
    last: dict[bool, float] = {}

    def pass_on(record: dict[str, Any]) -> None:
        plain, now = "loss" not in record, monotonic()
        if now - last.get(plain, -1.0) >= _EVERY:
            last[plain] = now
            tell(_plain(record))

    return pass_on


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """A record as JSON values, its soft table as what is drawn of it."""
    kept = {name: value for name, value in record.items() if isinstance(value, str | int | float)}
    soft = record.get("soft")
    return {**kept, "soft": _soft(soft)} if isinstance(soft, SoftTable) else kept


def _soft(soft: SoftTable) -> dict[str, Any]:
    """The columns of a soft table that are trained, the first of them."""
    values = np.flatnonzero(soft.trained)
    shown = values[:_MAX_COLUMNS].tolist()
    return {
        "names": list(soft.state_names),
        "values": [soft.aggregation.decode(value, soft.state_names) for value in shown],
        "probabilities": np.round(soft.probabilities[:, shown].astype(float), 3).tolist(),
        "columns": len(values),
    }


# ---- what was sent


def _automaton(given: dict[str, Any]) -> GraphFSA:
    fsa = read_automaton(given, "model")
    if not isinstance(fsa, GraphFSA):
        raise GraphFSAError("this needs an automaton without coins; this one moves at random")
    return fsa


def _model(request: dict[str, Any]) -> Model:
    return Model.of(_automaton(request["model"]), request.get("task"))


def _examples(given: list[dict[str, Any]]) -> Examples:
    """Labelled graphs, through the reader of files: the page says what a line says."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "examples.jsonl"
        atomic_write(path, "".join(json.dumps(line) + "\n" for line in given))
        try:
            return read_jsonl(path).examples
        except GraphFSAError as error:
            raise type(error)(str(error).replace(f"{path}: line", "example").replace(f"{path}: ", "")) from None


def _data(request: dict[str, Any]) -> Any:
    return request["task"] if request.get("examples") is None else _examples(request["examples"])


# ---- answers


def _learn(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    data = _data(request)
    with _stopping.interruptible():
        model = learn(data, request["learner"], seed=request["seed"], watch=tell)
    known = model.provenance
    facts: dict[str, Any] = {
        "verdict": model.verdict,
        "interrupted": model.interrupted,
        "task": request["task"],
        "inputs": list(model.task.inputs),
        "classes": list(model.task.classes),
        "kind": model.task.kind,
        "graphs": None if known is None else known.graphs,
        "accuracy": None if known is None else known.train_accuracy,
        "seconds": None if known is None else known.seconds,
        "claim": None if model.proof is None else str(model.proof),
        "attempts": [[each.size, each.outcome, round(each.seconds, 2)] for each in model.attempts[:_MAX_ATTEMPTS]],
        "conflict": None,
    }
    if model.impossibility is not None:
        facts["conflict"] = [_example(example) for example in list(model.impossibility.examples)[:4]]
    if not model.found:
        return facts
    fsa, shown = model.automaton, _shown(data, request["seed"])
    states = model.task.starting_states(fsa, _matched(model, shown))
    made = scene(fsa, shown.graph, states, title=f"Learned: {request['task'] or 'from your examples'}")
    return facts | {"scene": made, "model": _file(model)}


def _shown(data: Any, seed: int) -> Example:
    """A graph to look at: one that the task draws, or the largest of the examples."""
    if isinstance(data, Examples):
        return max(data, key=lambda example: example.graph.num_nodes)
    (rng,) = np.random.default_rng(seed).spawn(1)
    dataset = as_dataset(data)
    return next(iter(dataset.generate(_SHOWN_CELLS if dataset.graph_class is None else _SHOWN_NODES, 1, rng)))


def _matched(model: Model, example: Example) -> Any:
    """The inputs of an example, as the task of the model numbers them."""
    return [model.task.inputs.index(name) for name in example.input_names]


def _file(model: Model) -> str:
    """The model's file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return path.read_text(encoding="utf-8")


def _verify(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    model, began = _model(request), monotonic()

    def progress(done: int, total: int) -> None:
        tell({"doing": f"{done:,} of {total:,} instances"})

    by_task = request.get("examples") is None
    more: dict[str, Any] = {"max_nodes": request["max_nodes"], "progress": progress} if by_task else {}
    found = verify(model, None if by_task else _data(request), **more)
    return {
        "verified": found.verified,
        "graphs": found.graphs,
        "instances": found.instances,
        "graph_class": found.graph_class,
        "max_nodes": found.max_nodes,
        "seconds": round(monotonic() - began, 3),
        "wrong": None if found.counterexample is None else _wrong(model, found.counterexample),
    }


def _prove(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    model = _model(request)
    found = prove(model, watch=lambda doing: tell({"doing": doing}))
    return {
        "verdict": found.verdict,
        "claim": found.claim,
        "steps": found.steps,
        "reason": found.reason,
        "words": found.words(model).splitlines(),
        "seconds": round(found.seconds, 3),
        "wrong": None if found.counterexample is None else _wrong(model, found.counterexample),
    }


def _wrong(model: Model, found: Counterexample) -> dict[str, Any]:
    """A graph on which an automaton is wrong, as a world, and what is wrong where."""
    fsa, names = model.automaton, model.task.inputs
    states = model.task.starting_states(fsa, np.array([names.index(name) for name in found.inputs]))
    rows = {name: list(getattr(found, name)) for name in ("inputs", "labels", "predictions")}
    return {"scene": scene(fsa, found.graph, states, title="Counterexample"), "steps": found.steps, **rows}


def _suggest(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    fsa, examples = _automaton(request["model"]), _examples(request["examples"])

    def progress(done: int) -> None:
        tell({"doing": f"{done:,} graphs are settled"})

    found = suggest(fsa, examples, max_nodes=request["max_nodes"], progress=progress)
    asked = [
        {
            "world": world_of(each.graph),
            "inputs": [found.task.inputs[number] for number in each.inputs],
            "answers": [[None if k < 0 else found.task.classes[k] for k in side] for side in each.answers],
            "steps": each.steps,
        }
        for each in found.suggestions
    ]
    facts = {"determined": found.determined, "checked": found.checked, "max_nodes": found.max_nodes}
    names = {"inputs": list(found.task.inputs), "classes": list(found.task.classes), "kind": found.task.kind}
    return {**facts, **names, "question": asked[0] if asked else None}


def _compare(request: dict[str, Any], _tell: Tell) -> dict[str, Any]:
    first, second = _automaton(request["model"]), _automaton(request["other"])
    found = compare(first, second, graph_class=request["graph_class"], max_nodes=request["max_nodes"])
    facts: dict[str, Any] = {
        "equivalent": found.equivalent,
        "by": found.by,
        "checked": found.checked,
        "graph_class": found.graph_class,
    }
    differs = found.distinguishing
    if differs is None:
        return {**facts, "difference": None}
    states = np.array(first.starting_states)[list(differs.inputs)]
    facts["admitted"] = None if request["task"] is None else _admits(request["task"], first, differs)
    return {**facts, "difference": {"scene": scene(first, differs.graph, states), "steps": differs.steps}}


def _admits(task: str, fsa: GraphFSA, differs: Difference) -> bool:
    """Whether a task has an instance that begins as the automaton does where it differs from another one."""
    dataset = as_dataset(task)
    names = [fsa.state_names[fsa.starting_states[number]].removesuffix(" (start)") for number in differs.inputs]
    try:
        inputs = [dataset.task.inputs.index(name) for name in names]
        return bool((dataset.instances(differs.graph) == inputs).all(axis=1).any())
    except (GraphFSAError, ValueError):  # It is not defined on such a graph, or has no such input.
        return False


def _report(request: dict[str, Any], _tell: Tell) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        data = None if request.get("examples") is None else _data(request)
        facts = report(_model(request), path, data, name=request["title"] or request["task"] or "automaton")
        return {"verified": facts.get("verified"), "proof": facts.get("proof"), "page": path.read_text("utf-8")}


def _example(example: Example) -> dict[str, Any]:
    return {"world": world_of(example.graph), "inputs": example.input_names, "labels": example.label_names}


_ANSWERS: dict[str, Callable[[dict[str, Any], Tell], dict[str, Any]]] = {
    "learn": _learn,
    "verify": _verify,
    "prove": _prove,
    "suggest": _suggest,
    "compare": _compare,
    "report": _report,
}
