"""One page about a model: rules, diagram, accuracy, verification, proof, coverage, and a run to play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.analysis import Verification, coverage, verify
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, Example, Examples, as_dataset, as_labelled, is_task
from graphfsa.engine import Trajectory, run
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation.proving import report_proof
from graphfsa.evaluation.scoring import evaluate
from graphfsa.files import PathLike
from graphfsa.learners import Model, as_model, versions

_LARGE = 1000
_PLAYED = 30
_MOST_PLAYED = 200
_STEPS = 20
_TIMES = (1, 2, 5, 10, 20, 50, 100)


def report(
    model: Any,
    out: PathLike,
    data: Any = None,
    *,
    sizes: Sequence[int] | None = None,
    max_nodes: int = 6,
    seed: int = 0,
    name: str | None = None,
) -> dict[str, Any]:
    """Write one HTML page about an automaton, which needs no network.

    Args:
        model: A model, an automaton, the name of a library automaton, or a file.
        out: The .html file.
        data: The task that it is for, by default the model's own; or labelled graphs of any kind.
        sizes: With a task: sizes to test on; by default those of its test split, and 1000.
        max_nodes: With a task: verify on all graphs of up to this number of nodes.
        seed: With a task: seed of the graphs.
        name: What to call the model; by default its file or its task.

    Returns:
        What is on the page, as JSON values: ``accuracy`` (rows), ``verified``, ``proof`` (the verdict), and
        where it is from.
    """
    from graphfsa.views import write_model_page

    if Path(out).suffix.lower() != ".html":
        raise FormatError(f"{out}: the file must end in .html")
    known = as_model(model)
    called = name or (str(model) if isinstance(model, str) else known.task.name)
    if data is None or is_task(data):
        dataset = known.load_dataset() if data is None else as_dataset(data)
        page = _of_task(known, dataset, sizes, max_nodes, seed)
    else:
        if sizes is not None:
            raise GraphFSAError("sizes goes with a task; labelled graphs are as they are")
        given = as_labelled(data)
        page = _of_data(known, given if isinstance(given, Examples) else known.labelled(given))
    return write_model_page(known, out, title=called, **page)


def _of_task(
    model: Model, dataset: Dataset, sizes: Sequence[int] | None, max_nodes: int, seed: int
) -> dict[str, Any]:  # fmt: skip
    dataset.task.check_automaton(model.automaton)
    evolves = dataset.task.kind == "evolution"
    usual = [size for size, _ in dataset.splits["test"].parts] + ([] if evolves else [_LARGE])
    chosen = usual if sizes is None else list(sizes)
    scores = evaluate(model, dataset, sizes=chosen, steps=_TIMES if evolves else None, seed=seed + 1)
    (rng,) = np.random.default_rng(seed + 2).spawn(1)
    size = dataset.splits["test"].parts[0][0] if evolves else _PLAYED
    example = next(iter(dataset.generate(size, 1, rng)))
    return {
        "task": dataset.name,
        "rows": list(scores.rows),
        "verification": _verified(model, dataset, max_nodes),
        "proof": report_proof(model, dataset),
        "coverage": coverage(model, dataset, seed=seed),
        "trajectory": played(model.automaton, dataset.task, example),
        "facts": {"seed": seed, "versions": versions()},
    }


def _of_data(model: Model, examples: Examples) -> dict[str, Any]:
    small = [example for example in examples if example.graph.num_nodes <= _MOST_PLAYED]
    shown = max(small, key=lambda example: example.graph.num_nodes, default=None)
    return {
        "task": examples.task.name,
        "rows": list(evaluate(model, examples).rows),
        "verification": verify(model, examples),
        "proof": None,
        "coverage": coverage(model, examples),
        "trajectory": None if shown is None else played(model.automaton, examples.task, shown),
        "facts": {"versions": versions()},
    }


def _verified(model: Model, dataset: Dataset, max_nodes: int) -> Verification | str:
    try:
        return verify(model, dataset, max_nodes)
    except GraphFSAError as error:
        return str(error)


def played(fsa: GraphFSA, task: Any, example: Example) -> Trajectory:
    """A run of an example with all its frames, which ends one step after the states are at rest."""
    steps = max(example.steps, _STEPS) if task.kind == "evolution" else example.steps
    whole = run(fsa, example.graph, task.starting_states(fsa, example.inputs), steps, record="all")
    assert whole.times is not None and whole.states is not None
    if whole.period != 1 or whole.stable_at is None or whole.stable_at + 1 >= steps:
        return whole
    end = whole.stable_at + 1
    return replace(whole, steps=end, times=whole.times[: end + 1], states=whole.states[: end + 1])
