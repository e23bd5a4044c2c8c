"""What there is to say about a benchmark of GRAB: facts, a table for people, and the data card."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graphfsa import __version__
from graphfsa.automaton import GraphFSA
from graphfsa.datasets._examples import Examples, visited
from graphfsa.datasets._hygiene import overlap
from graphfsa.escaping import markdown_name

_IDLE = {
    "counting": ("slots", "thresholds", "letters"),
    "positional": ("bound", "thresholds", "letters"),
    "average-threshold": ("bound", "slots", "letters"),
    "letters": ("slots", "thresholds"),
}
"""Choices that an aggregation has no use for."""


def benchmark_facts(
    digest: str,
    seed: int,
    truth: GraphFSA,
    splits: Iterable[tuple[str, Examples]],
    acceptance: Mapping[str, Any],
    notes: list[str],
) -> dict[str, Any]:
    """Coverage of the truth table, acceptance, class balance, masked nodes, sizes and overlaps, as JSON values."""
    found: dict[str, Any] = {}
    train = None
    for name, examples in splits:
        train = examples if name == "train" else train
        counted = np.bincount(examples.labels[examples.mask], minlength=len(examples.task.classes))
        shares = (counted / max(1, counted.sum())).tolist()
        rate = acceptance.get(name)
        found[name] = {
            "graphs": len(examples),
            "nodes": examples.graphs.graph.num_nodes,
            "sizes": np.unique(examples.sizes).tolist(),
            "steps": np.unique(examples.steps).tolist(),
            "acceptance": float(rate) if isinstance(rate, int | float) and 0 <= rate <= 1 else None,
            "classes": dict(zip(examples.task.classes, shares, strict=True)),
            "masked": float(1 - examples.mask.mean()) if len(examples.mask) else 0.0,
            "entries": int(np.delete(visited(truth, examples), truth.final_states, axis=0).sum()),
            "overlap": 0 if train is None or train is examples else int(overlap(train, examples).sum()),
            "digest": examples.digest,
        }
    total = truth.num_values * (truth.num_states - len(truth.final_states))
    return {
        "digest": digest,
        "seed": seed,
        "truth": truth.digest,
        "entries": total,
        "splits": found,
        "notes": notes,
    }


def described(facts: Mapping[str, Any]) -> str:
    """The facts as text for people."""
    rows = {"digest": facts["digest"], "seed": facts["seed"], "entries of the truth": f"{facts['entries']} not final"}
    width = max(map(len, rows))
    lines = [f"{name:<{width}}  {value}" for name, value in rows.items()]
    head = f"{'split':<12}{'graphs':>8}{'nodes':>10}{'kept':>8}{'masked':>8}{'entries':>9}{'overlap':>9}  classes"
    lines += ["", head]
    for name, split in facts["splits"].items():
        numbers = f"{split['graphs']:>8}{_span(split['sizes']):>10}{_kept(split):>8}{split['masked']:>8.1%}"
        lines.append(f"{name:<12}{numbers}{split['entries']:>9}{split['overlap']:>9}  {_balance(split)}")
    return "\n".join([*lines, *(f"note: {note}" for note in facts["notes"])])


def data_card(facts: Mapping[str, Any], config: Mapping[str, Any], truth: GraphFSA) -> str:
    """The data card of a benchmark, in Markdown: every choice, versions, digests, splits, and how to load it."""
    own = {name: value for name, value in config["grab"].items() if name not in _IDLE[config["grab"]["aggregation"]]}
    choices = {**own, **{name: value for name, value in config.items() if name not in ("grab", "parts")}}
    choices["seed"] = facts["seed"]
    choices.pop("keep")  # That of each split holds.
    versions = {"graphfsa": __version__, "python": platform.python_version(), "numpy": np.__version__}
    first = next(iter(facts["splits"]))
    return "\n".join(
        [
            "# A benchmark of GRAB",
            "",
            f"A random automaton labels graphs of the family {markdown_name(choices['family'])}: given the starting "
            "state of each node, a learner is to say in which final state the node ends. Nodes that end in none are "
            "masked and do not count.",
            "",
            "## Choices",
            "",
            *_table(["choice", "value"], [[name, _cell(value)] for name, value in choices.items()]),
            "",
            "## Splits",
            "",
            *_table(
                ["split", "family", "sizes", "steps", "graphs", "nodes", "kept at", "of those drawn", "masked nodes",
                 "classes", "entries visited", "also in train"],
                [_row(name, split, config) for name, split in facts["splits"].items()],
            ),
            "",
            "*kept at*: the percentage of nodes that must end in a final state. *of those drawn*: how many graphs did. "
            "*classes*: share of each among the nodes that count. *entries visited*: entries of the truth, out of "
            f"{facts['entries']}, that the roll-outs use. *also in train*: graphs that are isomorphic, with their "
            "inputs, to a training graph.",
            "",
            *[f"Note: {markdown_name(note)}\n" for note in facts["notes"]],
            "## The truth",
            "",
            f"{truth.num_states} states ({markdown_name(', '.join(truth.state_names))}) and {truth.num_values} values; "
            f"`manifest.json` holds its table. A node sees {markdown_name(_sight(truth))}.",
            "",
            "## Digests (SHA-256)",
            "",
            *_table(
                ["what", "digest"],
                [["benchmark", f"`{facts['digest']}`"], ["truth", f"`{facts['truth']}`"]]
                + [[f"split {name}", f"`{split['digest']}`"] for name, split in facts["splits"].items()],
            ),
            "",
            "Made with " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
            "",
            "## Load it",
            "",
            "```python",
            "import graphfsa as gf",
            "",
            f'examples = gf.datasets.load_data("DIRECTORY").split("{first}")',
            f'data = gf.datasets.load_torch("DIRECTORY", "{first}")  # a torch data set',
            f'graphs = gf.datasets.load_pyg("DIRECTORY", "{first}")  # a list of torch_geometric.data.Data',
            "```",
            "",
        ]
    )  # fmt: skip


def _sight(truth: GraphFSA) -> str:
    """The aggregation in words, with what was not chosen but follows."""
    config = truth.aggregation.config()
    if config["name"] == "positional":
        return f"who is in each of {config['num_slots']} slots, or that nobody is there (positional)"
    if config["name"] == "average-threshold":
        return f"for each state, which of the shares {_cell(config['thresholds'])} its neighbours reach"
    if config["name"] == "letters":
        return (
            f"how many neighbours show each of {len(config['sums'])} letters, counted to {config['sums'][0]['limit']}"
        )
    return f"for each state, how many neighbours are in it, counted to {config['bound']}"


def _row(name: str, split: Mapping[str, Any], config: Mapping[str, Any]) -> list[str]:
    part = config["parts"][name]
    return [
        name,
        markdown_name(part["family"] or config["grab"]["family"]),
        _span(split["sizes"]),
        _span(split["steps"]),
        f"{split['graphs']:,}",
        f"{split['nodes']:,}",
        f"{part['keep']} %",
        _kept(split),
        f"{split['masked']:.1%}",
        _balance(split),
        str(split["entries"]),
        str(split["overlap"]),
    ]


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _cell(value: Any) -> str:
    return markdown_name(", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))  # pyright: ignore[reportUnknownArgumentType]


def _span(numbers: list[int]) -> str:
    return "-".join(str(number) for number in sorted({numbers[0], numbers[-1]}))


def _kept(split: Mapping[str, Any]) -> str:
    return "-" if split["acceptance"] is None else f"{split['acceptance']:.1%}"


def _balance(split: Mapping[str, Any]) -> str:
    return ", ".join(f"{label} {share:.0%}" for label, share in split["classes"].items())
