"""Where the graphs of a command come from: a data set by name, or a file of the user's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphfsa.cli._common import find_dataset, parse_sizes
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.datasets import Examples, Task, UserData


@dataclass(frozen=True)
class Source:
    """Either a task, whose graphs are drawn, or a file.

    Attributes:
        task: Name of a data set.
        option: Options of the data set, as key=value.
        sizes: Numbers of nodes, as written on the command line.
        count: Number of graphs.
        data: Path of a ``.jsonl`` file.
        steps: Steps after which labels hold.
        seed: Seed of the graphs that are drawn.
        split: The split to draw: ``learn`` (``train`` where there is none) or ``train``.
    """

    task: str | None = None
    option: list[str] = field(default_factory=list[str])
    sizes: str | None = None
    count: int | None = None
    data: str | None = None
    steps: int | None = None
    seed: int = 0
    split: str = "learn"

    def check(self) -> None:
        """Raise unless it is one of both."""
        if (self.task is None) == (self.data is None):
            raise GraphFSAError("give either --task NAME or --data FILE.jsonl")
        if self.data is not None and (self.sizes is not None or self.count is not None or self.option):
            raise GraphFSAError("--sizes, --count and --option go with --task; a file holds the graphs that it holds")

    def training(self) -> tuple[Examples, UserData | None]:
        """The training graphs, and the file that they are from, if they are."""
        self.check()
        if self.data is not None:
            return read_examples(self.data, self.steps)
        import numpy as np

        from graphfsa.datasets._zones import draw_training

        assert self.task is not None
        dataset = find_dataset(self.task, self.option)
        chosen = None if self.sizes is None else parse_sizes(self.sizes, "--sizes")
        rng = np.random.default_rng(self.seed)
        train = draw_training(dataset, rng, sizes=chosen, count=self.count, steps=self.steps, split=self.split)
        return train, None

    def validation(self) -> Examples | None:
        """Graphs of the validation split, in other numbers if other sizes or counts are asked for; None for a file.

        They are from the training zone: who chooses by them must not have seen test graphs.
        """
        if self.task is None:
            return None
        from dataclasses import replace

        import numpy as np

        from graphfsa.datasets._zones import draw_split

        dataset = find_dataset(self.task, self.option)
        split = dataset.splits["validation"]
        sizes = None if self.sizes is None else parse_sizes(self.sizes, "--sizes")
        if sizes is not None or self.count is not None:
            total = sum(number for _, number in split.parts) if self.count is None else max(1, self.count // 10)
            split = split.resized(sizes, total)
        if self.steps is not None:
            split = replace(split, steps=self.steps)
        return draw_split(dataset, split, np.random.default_rng([self.seed, 1]), "train")


def read_examples(path: str, steps: int | None) -> tuple[Examples, UserData]:
    """The labelled graphs of a file, and the file."""
    from graphfsa.datasets import read_jsonl

    read = read_jsonl(path, steps=steps)
    return read.examples, read


def read_validation(path: str, steps: int | None, task: Task) -> Examples:
    """Validation graphs of a file; its inputs and classes are those of the training graphs with the same names."""
    from graphfsa.datasets._names import renamed

    held = read_examples(path, steps)[0]
    for what, own, known in (
        ("inputs", held.task.inputs, task.inputs),
        ("classes", held.task.classes, task.classes),
        ("kind", (held.task.kind,), (task.kind,)),
    ):
        strange = sorted(set(own) - set(known))
        if strange:
            raise GraphFSAError(f"{path}: the {what} {', '.join(strange)} must be among those of the training graphs")
    return renamed(held, task)
