"""What there is to say about data, and graphs of a data set as a file: what ``graphfsa data`` prints and writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.checks import check_choice, check_seed
from graphfsa.datasets._base import Dataset, as_dataset
from graphfsa.datasets._convert import as_examples
from graphfsa.datasets._drawing import divided, draw_split, zone_of
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._features import check_features_of
from graphfsa.datasets._hygiene import Contradiction, contradictions, deduplicate
from graphfsa.datasets._jsonl import UserData, read_jsonl, write_jsonl
from graphfsa.files import PathLike

_SPLITS = ("train", "validation", "test", "learn")
"""The order in which splits get their randomness."""
_CLASHES = 20


def describe_data(given: Any, options: Mapping[str, Any] | None = None, *, steps: int | None = None) -> dict[str, Any]:
    """What there is to say about a data set, or about labelled graphs of one's own, as JSON values.

    Of a data set: kind, inputs, classes, options and splits. Of labelled graphs: how many there are and of which sizes,
    their inputs and classes, and nodes that no automaton can tell apart though their labels differ.

    Args:
        given: A data set by name, as ``file.py:Class``, as a class or itself; or a .jsonl file, or whatever else
            :func:`as_examples` takes.
        options: Options of the data set.
        steps: For labelled graphs: their labels are states after this number of steps.

    Example:
        >>> describe_data("path-finding")["inputs"]
        ['node', 'marked']
    """
    if isinstance(given, str | Path) and Path(given).suffix.lower() == ".jsonl":
        data = read_jsonl(given, steps=steps)
        return {"file": str(given), **_facts(data.examples, data)}
    if isinstance(given, str | Dataset) or (isinstance(given, type) and issubclass(given, Dataset)):
        return _dataset_facts(as_dataset(given, options))
    return _facts(as_examples(given, steps=steps))


def export_data(
    given: str | Dataset | type[Dataset],
    out: PathLike,
    options: Mapping[str, Any] | None = None,
    *,
    split: str = "train",
    sizes: Sequence[int] | None = None,
    count: int | None = None,
    steps: int | None = None,
    seed: int = 0,
    inputs: str = "classes",
) -> dict[str, Any]:
    """Draw labelled graphs of a data set and write them as JSON lines.

    Args:
        given: A data set by name, as ``file.py:Class``, as a class or itself.
        out: The .jsonl file to write.
        options: Options of the data set.
        split: ``train``, ``validation``, ``test`` or ``learn``: graphs of ``validation`` and ``test`` are kept apart
            from one another and from all others.
        sizes: Numbers of nodes; by default those of the split.
        count: Number of graphs in all; by default that of the split.
        steps: Steps after which the labels hold; by default the data set's own number.
        seed: Seed.
        inputs: ``"continuous"``: write the features of the nodes in place of the inputs that they tell.

    Returns:
        ``graphs``, ``nodes``, ``digest``, ``out``, and ``shared_sizes``: sizes with too few graphs to keep splits
        apart.
    """
    dataset = as_dataset(given, options)
    check_choice("split", split, list(dataset.splits))
    check_choice("inputs", inputs, ("classes", "continuous"))
    measures = check_features_of(dataset) if inputs == "continuous" else None
    wanted = dataset.splits[split].resized(sizes, count)
    if sizes is not None or steps is not None:
        wanted = replace(wanted, steps=steps)
    order = [*_SPLITS, *(name for name in dataset.splits if name not in _SPLITS)]
    rng = np.random.default_rng(check_seed(seed)).spawn(len(order))[order.index(split)]
    examples = draw_split(dataset, wanted, rng, zone_of(split))
    written = examples
    if measures is not None:
        written = measures.measured(examples, np.random.default_rng([seed, order.index(split), 2]))
    write_jsonl(out, written)
    return {
        "graphs": len(examples),
        "nodes": examples.graphs.graph.num_nodes,
        "digest": written.digest,
        "out": str(out),
        "shared_sizes": [size for size, _ in wanted.parts if not divided(dataset, size)],
    }


def _dataset_facts(dataset: Dataset) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "kind": dataset.task.kind,
        "inputs": list(dataset.task.inputs),
        "classes": list(dataset.task.classes),
        "options": dataset.options(),
        "splits": {split: [list(part) for part in dataset.splits[split].parts] for split in dataset.splits},
    }


def _facts(examples: Examples, data: UserData | None = None) -> dict[str, Any]:
    task = examples.task
    clashes = contradictions(examples, limit=_CLASHES)
    labels = np.bincount(examples.labels[examples.mask], minlength=len(task.classes)).tolist()
    facts = {
        "kind": task.kind,
        **({"traces": len(np.unique(data.lines))} if data is not None and data.traced else {}),
        "graphs": len(examples),
        "distinct_graphs": len(deduplicate(examples)),
        "smallest": int(examples.sizes.min(initial=examples.graphs.graph.num_nodes)),
        "largest": int(examples.sizes.max(initial=0)),
        "inputs": list(task.inputs),
        "classes": dict(zip(task.classes, labels, strict=True)),
        "masked_nodes": int((~examples.mask).sum()),
        "digest": examples.digest,
        "contradicting_nodes": clashes.total,
        "contradictions": [_clash(examples, data, clash) for clash in clashes],
    }
    if data is None or data.measured is None:
        return facts
    # What the features tell apart is not known here.
    facts |= {"features": list(data.measured.names), "digest": data.measured.digest, "contradictions": []}
    return {name: fact for name, fact in facts.items() if name not in ("distinct_graphs", "contradicting_nodes")}


def _clash(examples: Examples, data: UserData | None, clash: Contradiction) -> dict[str, Any]:
    """A contradiction as JSON values; ``steps`` are the rows of the traces at which the nodes look the same."""
    graphs = list(clash.graphs)
    return {
        **({"graphs": graphs} if data is None else {"lines": data.lines[graphs].tolist()}),
        **({"steps": data.rows[graphs].tolist()} if data is not None and data.traced else {}),
        "nodes": list(clash.nodes),
        "labels": [examples.task.classes[label] for label in clash.labels],
    }
