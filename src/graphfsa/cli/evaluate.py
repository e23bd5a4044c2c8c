"""graphfsa evaluate: how well an automaton or a network does a task, or fits labelled graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_picture,
    find_dataset,
    find_model,
    generators,
    guarded,
    parse_sizes,
    print_json,
    print_rows,
    shown_name,
)
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.automaton import GraphFSA
    from graphfsa.datasets import Dataset, Examples, Task
    from graphfsa.learners import Network

_COUNT = 100
_NODES = 10_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("evaluate")(evaluate_command)


@guarded
def evaluate_command(
    model: str = typer.Argument(
        help="A library name (path-finding, rule110, ...), a .json file, or a network (.safetensors)."
    ),
    task: str = typer.Option(None, help="Name of a data set: see 'graphfsa data list'."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    data: str = typer.Option(None, help="Instead of --task: a .jsonl file of labelled graphs."),
    sizes: str = typer.Option(None, help="Number of nodes: N, A..B or N,N,N [default: those of the test split]."),
    count: int = typer.Option(
        None, min=1, help="Graphs of each size [default: 100, fewer above 100 nodes, at least 10]."
    ),
    steps: str = typer.Option(
        None,
        help="Steps after which labels hold: N, A..B or N,N,N [default: the data set's own]. "
        "With --data: one number, and the labels are states after so many steps.",
    ),
    beyond: str = typer.Option(
        None,
        help="Iteration stability: also after so many further steps, N, A..B or N,N,N, and which graphs settle "
        "(automata only).",
    ),
    seed: int = typer.Option(0, min=0, help="Seed."),
    draw: str = typer.Option(
        None, help="Draw accuracy against size, or with --beyond against further steps, to this .png or .svg file."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Score a model on test graphs of a task, or on a file of yours; strict: a node without an answer is wrong.

    Graphs are those of the test zone, which no training graph is isomorphic to. In a file of yours, inputs and classes
    with the names of starting and final states are taken for them; otherwise the k-th is the k-th.
    """
    from graphfsa.automaton import GraphFSA
    from graphfsa.datasets import Examples
    from graphfsa.datasets._names import matched, matched_names

    if (task is None) == (data is None):
        raise GraphFSAError("give either --task or --data")
    check_picture(draw)
    found = find_model(model)
    further = None if beyond is None else parse_sizes(beyond, "--beyond")
    if draw is not None and further is not None and not isinstance(found, GraphFSA):
        raise GraphFSAError("--draw with --beyond shows which graphs settle, which is for automata; leave out one")
    dataset = None
    if data is None:
        dataset = find_dataset(task, option)
        _check_task(dataset.task, found)
        parts = list(_drawn(dataset, sizes, count, steps, seed))
    else:
        if sizes is not None or count is not None or option:
            raise GraphFSAError("--sizes, --count and --option go with --task; a file holds the graphs that it holds")
        parts = list(_read(data, steps))
    digest = Examples.concatenate(parts).digest
    is_automaton = isinstance(found, GraphFSA)
    if isinstance(found, GraphFSA):
        parts = [matched(part, found) for part in parts]
    else:
        parts = [matched_names(part, found.task.inputs, found.task.classes) for part in parts]
    if data is not None:
        _check_task(parts[0].task, found)
    facts: dict[str, Any] = {
        "model": model,
        "automaton" if is_automaton else "network": found.digest,
        "task": task,
        "data": data,
        "scoring": "strict",
        "seed": seed if data is None else None,
        "digest": digest,
        "results": [row for part in parts for row in _scores(part, found, further, dataset)],
    }
    if draw is not None:
        from graphfsa.views.learning import draw_accuracy, draw_stability

        picture = draw_accuracy if further is None else draw_stability
        picture({shown_name(model): facts["results"]}, draw, title=f"{shown_name(model)} on {task or shown_name(data)}")
    print_json(facts) if as_json else _print(facts)


def _drawn(dataset: Dataset, sizes: str | None, count: int | None, steps: str | None, seed: int) -> Iterator[Examples]:
    """Test graphs of each size; each number of steps gets the same graphs."""
    from graphfsa.datasets import draw

    split = dataset.splits["test"]
    chosen = [size for size, _ in split.parts] if sizes is None else parse_sizes(sizes, "--sizes")
    own = split.steps if sizes is None else None
    numbers = [own] if steps is None else parse_sizes(steps, "--steps")
    for place, size in enumerate(chosen):
        amount = count or usual_count(size)
        for number in numbers:
            rng = generators(seed, len(chosen))[place]
            yield draw(dataset, size, amount, rng, "test", steps=number)


def usual_count(size: int) -> int:
    """How many graphs of a size are scored if nobody says: fewer of the large ones."""
    return min(_COUNT, max(10, _NODES // max(size, 1)))


def _read(path: str, steps: str | None) -> Iterator[Examples]:
    """The graphs of a file, those of one size and number of steps together."""
    import numpy as np

    from graphfsa.datasets import read_jsonl

    if steps is not None and not (steps.isascii() and steps.isdigit() and len(steps) < 10):
        raise GraphFSAError(f"with --data, --steps must be one whole number of at least 0; got {steps!r}")
    examples = read_jsonl(path, steps=None if steps is None else int(steps)).examples
    pairs, place = np.unique(np.stack((examples.sizes, examples.steps)), axis=1, return_inverse=True)
    for number in range(pairs.shape[1]):
        yield examples.select(np.flatnonzero(place.reshape(-1) == number))


def _check_task(task: Task, found: GraphFSA | Network) -> None:
    """Raise unless a model can be asked about a task."""
    from graphfsa.automaton import GraphFSA

    if isinstance(found, GraphFSA):
        task.check_automaton(found)
        return
    known = found.task
    if known.kind != task.kind or len(known.inputs) != len(task.inputs) or len(known.classes) != len(task.classes):
        of_network, of_task = (
            f"{one.name} ({one.kind}; inputs {', '.join(one.inputs)}; classes {', '.join(one.classes)})"
            for one in (known, task)
        )
        raise GraphFSAError(f"the network was trained for {of_network}; it can't be asked about {of_task}")


def _scores(
    examples: Examples, found: GraphFSA | Network, further: list[int] | None, dataset: Dataset | None
) -> Iterator[dict[str, Any]]:
    from graphfsa.analysis.stability import later, settled
    from graphfsa.automaton import GraphFSA

    if further is None:
        yield score(examples, found)
        return
    for number in further:
        there = later(examples, number, dataset)
        row = {**score(there, found), "beyond": number}
        # A network has no states that could stay the same for ever.
        yield {**row, "settled": float(settled(found, there).mean())} if isinstance(found, GraphFSA) else row


def score(examples: Examples, found: GraphFSA | Network) -> dict[str, Any]:
    """How well a model does on graphs of one size."""
    import numpy as np

    from graphfsa.automaton import GraphFSA
    from graphfsa.learners import answers

    given = examples.predict(found) if isinstance(found, GraphFSA) else answers(found, examples)
    wrong = examples.wrong(given)
    counted = int(examples.mask.sum())
    return {
        "size": int(examples.sizes[0]),
        "steps": int(examples.steps[0]),
        "graphs": len(examples),
        "accuracy": float(1 - wrong.sum() / max(1, counted)),
        "perfect": 1 - len(np.unique(examples.graphs.owners[wrong])) / max(1, len(examples)),
    }


def _print(facts: dict[str, Any]) -> None:
    print_rows(
        {
            name: facts[name]
            for name in ("model", "task", "data", "scoring", "seed", "digest")
            if facts[name] is not None
        }
    )
    shown = ["perfect", "accuracy", *(["settled"] if "settled" in facts["results"][0] else [])]
    typer.echo(f"\n{'nodes':>9}{'steps':>9}{'graphs':>9}" + "".join(f"{name:>10}" for name in shown))
    for row in facts["results"]:
        # Rounded down: only what has no wrong node is shown as 1.
        numbers = "".join(f"{int(row[name] * 10**4) / 10**4:>10.4f}" for name in shown)
        typer.echo(f"{row['size']:>9}{row['steps']:>9}{row['graphs']:>9}{numbers}")
