"""graphfsa demo: the main job. An automaton is learned from small graphs, checked, shown and written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, generators, guarded
from graphfsa.cli._source import Source
from graphfsa.cli.report import make_report
from graphfsa.errors import GraphFSAError
from graphfsa.files import atomic_write

if TYPE_CHECKING:
    from graphfsa.automaton import GraphFSA
    from graphfsa.datasets import Examples

_SIZES = ((10, 100), (20, 100), (100, 100), (1000, 10))
_FILES = (
    "path-finding.json",
    "certificate.json",
    "impossible.json",
    "path-finding.png",
    "impossible.png",
    "report.md",
    "report.html",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo_command)


@guarded
def demo_command(
    out: str = typer.Option("demo", help="Directory for what is written; made if it is not there."),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs."),
) -> None:
    """Learn PathFinding from trees of at most 10 nodes, show that it is exact at 1000, verify it, print its table."""
    from graphfsa.datasets import dataset_class

    files = _files(out)
    report: list[str] = []

    def say(text: str = "") -> None:
        typer.echo(text)
        report.append(text)

    say("# Which nodes of a tree lie on the path between two marked ones?\n")
    train = Source("path-finding", seed=seed).training()[0]
    fsa = _learn(say, train, seed)
    _extrapolate(say, fsa, seed)
    _verify(say, fsa, files["certificate.json"])
    say("\nIts table: what a node does, by how many of its neighbours are off, on, node, marked (a dot stays).\n")
    _table(say, fsa)
    _impossible(say, train, files, seed)
    _picture(fsa, files["path-finding.png"], seed)
    fsa.save(files["path-finding.json"])
    make_report(fsa, dataset_class("path-finding")(), "path-finding.json", str(files["report.html"]), seed)
    say(f"\nWritten to {out}: " + ", ".join(_FILES) + ".")
    say(f"Open {files['report.html']} in a browser: rules, diagram, accuracy, and a run to play.")
    atomic_write(files["report.md"], "\n".join(report) + "\n")


def _files(out: str) -> dict[str, Path]:
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GraphFSAError(f"cannot make the directory {out!r}: {error.strerror}") from None
    files = {name: Path(out) / name for name in _FILES}
    for path in files.values():
        check_output(str(path), (path.suffix,))
    return files


def _learn(say: Any, train: Examples, seed: int) -> GraphFSA:
    from graphfsa.learners.exact import ExactLearner

    say(f"Learning from {len(train):,} labelled trees of 2 to 10 nodes (the first time, kernels are compiled) ...")
    found = ExactLearner(states=4, bound=2).fit(train, seed=seed)
    fsa = found.automaton
    right = f"{found.train_accuracy:.2%} of the labels are right"
    say(f"{found.verdict}: {right}. {fsa.num_states} states, {fsa.aggregation}, {found.seconds:.1f} s.")
    say(f"data {train.digest[:12]}, automaton {fsa.digest[:12]}, seed {seed}")
    return fsa


def _extrapolate(say: Any, fsa: GraphFSA, seed: int) -> None:
    from graphfsa.datasets import dataset_class, draw

    say("\nOn trees it has never seen (strict: a node without an answer is wrong):\n")
    say("| nodes | graphs | accuracy |\n|---:|---:|---:|")
    dataset = dataset_class("path-finding")()
    for (size, count), rng in zip(_SIZES, generators(seed + 1, len(_SIZES)), strict=True):
        test = draw(dataset, size, count, rng, "test")
        say(f"| {size} | {count} | {test.accuracy(fsa):.4f} |")


def _verify(say: Any, fsa: GraphFSA, path: Path) -> None:
    from graphfsa.analysis.verification import save_certificate, verify
    from graphfsa.datasets import dataset_class

    dataset = dataset_class("path-finding")()
    found = verify(fsa, dataset, 8)
    if found.counterexample is not None:
        say(f"\nNOT verified: it is wrong on a tree of {found.counterexample.graph.num_nodes} nodes.")
        return
    save_certificate(found, fsa, dataset, path)
    say(f"\nVerified on all {found.graphs} trees of up to 8 nodes with all {found.instances:,} pairs of marks.")


def _table(say: Any, fsa: GraphFSA) -> None:
    from graphfsa.views.tables import compact_table

    say("```\n" + compact_table(fsa) + "\n```")


def _impossible(say: Any, train: Examples, files: dict[str, Path], seed: int) -> None:
    from graphfsa.analysis.impossibility import check_impossibility, save_impossibility
    from graphfsa.learners.exact import ExactLearner
    from graphfsa.views.graphs import draw_examples

    proof = ExactLearner(states=4, bound=1).fit(train, seed=seed).impossibility
    if proof is None:
        return
    save_impossibility(proof, files["impossible.json"])
    draw_examples(proof.examples, files["impossible.png"], title="What no automaton that counts to 1 can label")
    check = check_impossibility(proof)
    shown = ", ".join(str(size) for size in proof.examples.sizes.tolist())
    say(f"\nWith bound 1 it is impossible, whatever the number of states; trees that show it have {shown} nodes:")
    say(f"{check.reason}." if check.holds else f"NOT confirmed: {check.reason}.")


def _picture(fsa: GraphFSA, path: Path, seed: int) -> None:
    from graphfsa import run
    from graphfsa.datasets import dataset_class
    from graphfsa.views.rollout import draw_rollout

    dataset = dataset_class("path-finding")()
    (rng,) = generators(seed + 3, 1)
    example = next(iter(dataset.generate(60, 1, rng)))
    start = dataset.task.starting_states(fsa, example.inputs)
    last = run(fsa, example.graph, start, "stable").stable_at or 1
    frames = run(fsa, example.graph, start, last, record=max(1, -(-last // 5)))
    title = "The learned automaton finds the path between two marked nodes"
    draw_rollout(fsa, example.graph, frames, path, title=title)
