"""What is measured for the recurrent GNN: how far it reaches, and how many graphs it is trained on in a second.

Seconds are those of the processor: all contenders have one thread, and a machine that is busy with other work would
make all of them look slow beside a figure that was measured on an idle one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np

from benchmarks._learn_published import Trained, published_accuracies
from benchmarks._report import in_turns, row, say
from graphfsa.datasets import Examples, dataset_class, draw
from graphfsa.learners._neural._training import Training
from graphfsa.learners._torch import steady, torch
from graphfsa.learners.recurrent_gnn import RecurrentGNN

_NODES, _STEPS = 10, 10
_BATCHES = (32, 128)
_OF_ONE = 32
"""Graphs of an epoch with one graph in an update, which is slow."""
_ACCURACY_RUNS = 3
_TASKS = ("prefix-sum", "root-value", "path-finding", "distance")
_AUTHORS_DISTANCE = {"sizes": [4, 4, 10, 10, 20, 30], "count": 300, "split": "train"}
"""The graphs that the authors' scripts train the recurrent GNN on for Distance: larger than those of the paper."""


def rows(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """All figures."""
    yield from _speed(seeds, quick)
    chosen = [Trained(task, RecurrentGNN()) for task in _TASKS]
    chosen.append(Trained("distance", RecurrentGNN(), train=_AUTHORS_DISTANCE, note=" from graphs of up to 30 nodes"))
    tuned = [Trained(task, RecurrentGNN("tuned"), train={"split": "learn"}) for task in _TASKS]
    for name, those in (("paper", chosen), ("tuned", tuned)):
        for trained in those[: 1 if quick else None]:
            short = replace(trained, learner=RecurrentGNN(name, epochs=1)) if quick else trained
            runs = seeds[: 1 if quick else _ACCURACY_RUNS]
            yield from published_accuracies(short, f"preset {name}", "Recurrent GNN", runs)


def _speed(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """Graphs that are trained on in a second, beside a plain one made with PyG."""
    number = 64 if quick else 256
    say("updates of the recurrent GNN")
    task = dataset_class("path-finding")()
    trees = draw(task, _NODES, number, np.random.default_rng(seeds[0]), "train", steps=_STEPS)
    contenders: dict[str, tuple[Callable[[], Any], int]] = {
        f"ours, batch {batch}": (_epoch(trees, batch), number) for batch in _BATCHES
    }
    few = trees.select(np.arange(min(number, _OF_ONE)))
    for batch, part in ((_BATCHES[0], trees), (1, few)):
        peer = _plain(part, batch)
        if peer is not None:
            contenders[f"plain PyG, batch {batch}"] = peer, len(part)
    with steady():
        calls = {name: call for name, (call, _) in contenders.items()}
        times = in_turns(calls, turns=3 if quick else 11, seconds=120, clock=process_time)
    rates = {name: count / times[name] for name, (_, count) in contenders.items()}
    what = f"recurrent GNN, trees of {_NODES} nodes, {_STEPS} steps: graphs trained on in a second of one core"
    for batch in _BATCHES:
        rate = rates[f"ours, batch {batch}"]
        yield row(f"{what}, batch {batch}", rate, "graphs/s")
        for other in (_BATCHES[0], 1):
            name = f"plain PyG, batch {other}"
            if name in rates:
                target = ">= 1" if batch == other else ""
                yield row(f"  times a plain one made with PyG, batch {other}", rate / rates[name], "x", target)
            else:
                yield row("  beside a plain one made with PyG: not installed", 0, "")
    for name, rate in rates.items():
        if name.startswith("plain"):
            yield row(f"{name}: graphs in a second of one core", rate, "graphs/s")


def _epoch(trees: Examples, batch: int) -> Callable[[], Any]:
    """One epoch of our training, with everything that belongs to it."""
    learner = RecurrentGNN(batch=batch, training_steps="data")
    training = Training(learner, trees, None, 0, None)
    return lambda: training._epoch(1)


def _plain(trees: Examples, batch: int) -> Callable[[], Any] | None:
    """One epoch of the same network as one would write it with PyG; None if PyG is not installed."""
    try:
        from torch_geometric.data import Data
        from torch_geometric.loader import DataLoader
    except ImportError:
        return None
    library: Any = torch()
    graphs = [
        Data(
            x=library.nn.functional.one_hot(library.as_tensor(example.inputs.astype(np.int64)), len(trees.task.inputs)),
            edge_index=library.as_tensor(np.stack((example.graph.indices, example.graph.targets())).astype(np.int64)),
            y=library.as_tensor(example.labels.astype(np.int64)),
        )
        for example in trees
    ]
    loader: Any = DataLoader(graphs, batch_size=batch, shuffle=True)
    model = _plain_network(len(trees.task.inputs), len(trees.task.classes), RecurrentGNN())
    optimizer = library.optim.Adam(model.parameters(), lr=RecurrentGNN().schedule(trees.task).rate)

    def epoch() -> None:
        for graph in loader:
            optimizer.zero_grad()
            scores = model(graph.x.float(), graph.edge_index)
            library.nn.functional.cross_entropy(scores, graph.y).backward()
            library.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

    return epoch


def _plain_network(inputs: int, classes: int, options: RecurrentGNN) -> Any:
    """The recurrent GNN as modules: an edge MLP for each arc, sums by PyG, and torch's GRU cell."""
    from torch import cat, nn
    from torch_geometric.nn import MessagePassing

    wide, inner = options.hidden, options.hidden * options.factor

    def mlp(wide_in: int, within: int, wide_out: int, *last: nn.Module) -> nn.Module:
        first = (nn.Linear(wide_in, within), nn.ReLU(), nn.Dropout(options.dropout))
        return nn.Sequential(*first, nn.Linear(within, within), nn.ReLU(), nn.Linear(within, wide_out), *last)

    class Plain(MessagePassing):
        def __init__(self) -> None:
            super().__init__(aggr="add")
            self.encoder, self.decoder = mlp(inputs, inner, wide, nn.ReLU()), mlp(wide, inner, classes)
            self.skip = mlp(wide + inputs, inner, wide, nn.ReLU())
            self.edge = mlp(2 * wide, 2 * inner, wide, nn.ReLU())
            self.gates = nn.GRUCell(wide, wide)

        def forward(self, x: Any, edge_index: Any) -> Any:
            hidden = self.encoder(x)
            for _ in range(_STEPS):
                hidden = self.skip(cat((hidden, x), 1))
                hidden = self.gates(self.propagate(edge_index, x=hidden), hidden)
            return self.decoder(hidden)

        def message(self, x_i: Any, x_j: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
            return self.edge(cat((x_j, x_i), 1))

    return Plain()
