"""How well a model does on graphs of a task that it has not seen, or on labelled graphs of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from graphfsa.analysis.stability import later, settled
from graphfsa.checks import check_integer, check_seed, is_integer
from graphfsa.datasets import Dataset, Examples, as_dataset, as_labelled, draw, is_task
from graphfsa.errors import GraphFSAError
from graphfsa.html import rows_html
from graphfsa.learners import Model, as_model

_COUNT = 100
_NODES = 10_000


@dataclass(frozen=True)
class Row:
    """How well a model does on graphs of one size.

    Attributes:
        size: Number of nodes of each graph.
        steps: Number of steps.
        graphs: Number of graphs.
        accuracy: Share of the nodes that count that get their label; strict: a node without an answer is wrong.
        perfect: Share of the graphs without a wrong node.
        beyond: Number of steps beyond those of the labels, if some were made.
        settled: Share of the graphs in which no node will ever change again; None for a network.
    """

    size: int
    steps: int
    graphs: int
    accuracy: float
    perfect: float
    beyond: int | None = None
    settled: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """How well a model does.

    Attributes:
        rows: One for each size and number of steps.
        digest: Digest of all graphs.
        model: Digest of the model; None if it has none.
        seed: Seed of the graphs; None for labelled graphs of one's own.
    """

    rows: tuple[Row, ...]
    digest: str
    model: str | None
    seed: int | None

    @property
    def accuracy(self) -> float:
        """The lowest accuracy of all rows."""
        return min(row.accuracy for row in self.rows)

    def __str__(self) -> str:
        """The rows as lines of text."""
        rows = self.as_dicts()
        lines = ["  ".join(f"{name:>8}" for name in rows[0])] if rows else []
        # Rounded down: only what has no wrong node is shown as 1.
        cell = {float: lambda value: f"{int(value * 10**4) / 10**4:>8.4f}", int: lambda value: f"{value:>8}"}
        return "\n".join([*lines, *("  ".join(cell[type(value)](value) for value in row.values()) for row in rows)])

    def as_dicts(self) -> list[dict[str, Any]]:
        """The rows as JSON values, without what was not asked for."""
        return [{name: value for name, value in asdict(row).items() if value is not None} for row in self.rows]

    def _repr_html_(self) -> str:
        """The rows as a table, for notebooks."""
        return rows_html("Evaluation, strict", self.as_dicts())


def evaluate(
    model: Any,
    data: Any = None,
    *,
    sizes: int | Sequence[int] | None = None,
    count: int | None = None,
    steps: int | Sequence[int] | None = None,
    beyond: Sequence[int] | None = None,
    seed: int = 0,
) -> Evaluation:
    """Score a model on test graphs of a task, or on labelled graphs; strict: a node without an answer is wrong.

    Graphs of a task are drawn from the test zone: no training graph is isomorphic to one of them.

    Args:
        model: A model, an automaton, the name of a library automaton, or a file.
        data: A task, by default the model's own; or labelled graphs of any kind.
        sizes: With a task: one number of nodes or several; by default those of its test split.
        count: With a task: graphs of each size; by default 100, fewer above 100 nodes, at least 10.
        steps: Steps after which labels hold: one number or, with a task, several; by default the data's own.
        beyond: Also after each of these numbers of further steps.
        seed: With a task: seed of the graphs.

    Example:
        >>> evaluate("path-finding", sizes=[10, 20], count=20).accuracy
        1.0
    """
    known = as_model(model)
    further = None if beyond is None else _integers("beyond", beyond)
    dataset: Dataset | None = None
    if data is None or is_task(data):
        dataset = known.load_dataset() if data is None else as_dataset(data)
        check_fit(known, dataset.task)
        parts = list(_drawn(dataset, sizes, count, steps, check_seed(seed)))
    else:
        if sizes is not None or count is not None:
            raise GraphFSAError("sizes and count go with a task; labelled graphs are as they are")
        given = as_labelled(data, steps=_one_number(steps))
        parts = list(by_size(given if isinstance(given, Examples) else known.labelled(given)))
    rows = [row for part in parts for row in _rows(known, part, further, dataset)]
    digest = Examples.concatenate(parts).digest
    return Evaluation(tuple(rows), digest, getattr(known.body, "digest", None), None if dataset is None else seed)


def usual_count(size: int) -> int:
    """How many graphs of a size are scored by default: fewer of the large ones."""
    return min(_COUNT, max(10, _NODES // max(size, 1)))


def by_size(examples: Examples) -> Iterator[Examples]:
    """Labelled graphs, those of one size and number of steps together."""
    pairs, place = np.unique(np.stack((examples.sizes, examples.steps)), axis=1, return_inverse=True)
    for number in range(pairs.shape[1]):
        yield examples.select(np.flatnonzero(place.reshape(-1) == number))


def check_fit(model: Model, task: Any) -> None:
    """Raise unless a model can be asked about a task: inputs and classes are matched by their names."""
    if model.is_automaton:
        task.check_automaton(model.automaton)
        return
    known = model.task
    if known.kind == task.kind and set(task.inputs) <= set(known.inputs) and set(task.classes) <= set(known.classes):
        return
    of_model, of_task = (
        f"{one.name} ({one.kind}; inputs {', '.join(one.inputs)}; classes {', '.join(one.classes)})"
        for one in (known, task)
    )
    raise GraphFSAError(f"the model was trained for {of_model}; it can't be asked about {of_task}")


def score_row(model: Model, examples: Examples) -> Row:
    """How well a model does on graphs of one size and number of steps."""
    score = model.score(examples)
    return Row(int(examples.sizes[0]), int(examples.steps[0]), len(examples), score.accuracy, score.perfect)


def _rows(model: Model, examples: Examples, beyond: list[int] | None, dataset: Dataset | None) -> Iterator[Row]:
    if beyond is None:
        yield score_row(model, examples)
        return
    for number in beyond:
        there = later(examples, number, dataset)
        row = score_row(model, there)
        # A network has no states that could stay the same for ever.
        share = float(settled(model.automaton, there).mean()) if model.is_automaton else None
        yield Row(row.size, row.steps, row.graphs, row.accuracy, row.perfect, number, share)


def _drawn(
    dataset: Dataset, sizes: int | Sequence[int] | None, count: int | None, steps: Any, seed: int
) -> Iterator[Examples]:
    """Test graphs of each size; each number of steps gets the same graphs."""
    split = dataset.splits["test"]
    chosen = [size for size, _ in split.parts] if sizes is None else _integers("sizes", sizes)
    own = split.steps if sizes is None else None
    numbers: list[Any] = [own] if steps is None else _integers("steps", steps)
    for place, size in enumerate(chosen):
        amount = usual_count(size) if count is None else check_integer("count", count, 1)
        for number in numbers:
            rng = np.random.default_rng(seed).spawn(len(chosen))[place]
            yield draw(dataset, size, amount, rng, "test", steps=number)


def _integers(name: str, given: Any) -> list[int]:
    """One integer or several, as a list."""
    several = [given] if is_integer(given) or isinstance(given, str) or not isinstance(given, Iterable) else given
    return [check_integer(name, number) for number in several]


def _one_number(steps: Any) -> int | None:
    if steps is None:
        return None
    numbers = _integers("steps", steps)
    if len(numbers) != 1:
        raise GraphFSAError(f"steps must be one number with labelled graphs; got {numbers}")
    return numbers[0]
