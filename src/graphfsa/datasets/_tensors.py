"""Labelled graphs for PyTorch: a data set of tensors, and both kinds of loaders of data on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graphfsa.datasets._convert import to_pyg_data
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._storage import load_data
from graphfsa.files import PathLike
from graphfsa.graphs.convert import to_tensor


class TensorGraphs:
    """Labelled graphs as dictionaries of tensors: a data set for ``torch.utils.data``.

    The entries of a graph:

    - ``edge_index``, int64 [2, arcs]: the node that is seen and the node that sees it;
    - ``slot``, int64 [arcs]: where it sees it, if the graphs have slots;
    - ``x`` and ``y``, int64 [nodes]: the numbers of the input class and of the class;
    - ``mask``, bool [nodes]: which nodes count;
    - ``steps``, int64 []: the number of steps after which the labels hold.

    ``collate`` unites graphs: ``DataLoader(data, batch_size=32, collate_fn=data.collate)``.

    Args:
        examples: The graphs; one that occurs several times is given once.
    """

    def __init__(self, examples: Examples) -> None:
        self.examples = examples
        self._graphs = examples.graphs.graphs()
        columns = (examples.inputs, examples.labels, examples.mask)
        self._columns = [examples.graphs.split(column) for column in columns]

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, place: int) -> dict[str, Any]:
        place = range(len(self))[place]
        graph = self._graphs[place]
        inputs, labels, mask = (column[place] for column in self._columns)
        arrays = {
            "edge_index": np.stack((graph.indices, graph.targets())).astype(np.int64),
            "x": inputs.astype(np.int64),
            "y": labels.astype(np.int64),
            "mask": mask.copy(),
            "steps": np.array(self.examples.steps[place]),
        }
        if self.examples.graphs.graph.slots is not None:
            slots = np.empty(0) if graph.slots is None else graph.slots
            arrays["slot"] = slots.astype(np.int64)
        return {name: to_tensor(array) for name, array in arrays.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[place] for place in range(len(self)))

    @staticmethod
    def collate(graphs: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Several graphs as one disjoint union, with ``batch``, int64 [nodes]: the number of each node's graph.

        ``steps`` becomes int64 [graphs].
        """
        sizes = np.array([len(graph["x"]) for graph in graphs], np.int64)
        first = np.cumsum(sizes) - sizes
        united: dict[str, Any] = {"batch": to_tensor(np.repeat(np.arange(len(sizes)), sizes))}
        for name in graphs[0]:
            parts = [np.asarray(graph[name]) for graph in graphs]
            if name == "edge_index":
                parts = [part + offset for part, offset in zip(parts, first, strict=True)]
            united[name] = to_tensor(np.stack(parts) if name == "steps" else np.concatenate(parts, axis=-1))
        return united


def load_torch(directory: PathLike, split: str) -> TensorGraphs:
    """A split of data on disk as a data set for ``torch.utils.data``: see :class:`TensorGraphs`.

    Args:
        directory: A directory made by ``graphfsa grab generate`` or :func:`save_data`.
        split: Name of the split.
    """
    return TensorGraphs(load_data(directory).split(split))


def load_pyg(directory: PathLike, split: str) -> list[Any]:
    """A split of data on disk as a list of PyTorch Geometric ``Data``: see :func:`to_pyg_data`.

    Args:
        directory: A directory made by ``graphfsa grab generate`` or :func:`save_data`.
        split: Name of the split.

    Raises:
        MissingExtraError: PyTorch Geometric is not installed.
    """
    return to_pyg_data(load_data(directory).split(split))
