"""graphfsa learn: from labelled graphs to an automaton, or to the reason why there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_output,
    find_dataset,
    guarded,
    is_same_file,
    parse_sizes,
    print_json,
    print_rows,
)
from graphfsa.cli._instances import instance_facts, print_instance
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.datasets import Examples, UserData
    from graphfsa.learners.exact import Learned

_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn")(learn_command)


@guarded
def learn_command(
    task: str = typer.Option(None, help="Name of a data set: see 'graphfsa data list'."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    sizes: str = typer.Option(None, help="With --task: number of nodes, N, A..B or N,N,N [default: up to 10]."),
    count: int = typer.Option(None, min=1, help="With --task: number of graphs in all [default: the data set's own]."),
    data: str = typer.Option(None, help="Instead of --task: a .jsonl file of labelled graphs."),
    steps: int = typer.Option(None, min=0, help="Labels are states after so many steps."),
    learner: str = typer.Option("exact", help="The learner."),
    states: str = typer.Option(None, help="States at most, K or A..B [default: two more than classes and inputs]."),
    bound: str = typer.Option(None, help="How far to count at most, B or A..B [default: 3; evolutions: the degree]."),
    aggregation: str = typer.Option("auto", help="counting, positional, average-threshold, or auto."),
    merge: str = typer.Option("auto", help="Input classes that may start alike: auto, none, or a=b,c=d."),
    tolerance: float = typer.Option(0.0, help="Share of nodes whose labels may be wrong."),
    budget: float = typer.Option(60.0, help="Seconds to search."),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs that are drawn, and of the search."),
    out: str = typer.Option(..., help="The .json file to write the automaton to."),
    certificate: str = typer.Option(
        None, help="Where to write a proof of impossibility [default: beside --out, as NAME.impossible.json]."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Find the simplest automaton that gives every node its label, or prove that there is none.

    Verdicts: exact (all labels are right), best-effort (as many as could be, with --tolerance), impossible (nothing of
    this size fits, and a small set of graphs that shows it is written), undecided (the budget is spent). Exit code 0
    for exact and best-effort, 1 for the others. Ctrl-C writes the best automaton so far.
    """
    from graphfsa.learners import learner_class
    from graphfsa.learners.exact import ExactLearner

    kind = learner_class(learner)
    assert issubclass(kind, ExactLearner), "the options and verdicts of this command are those of the exact learner"
    check_output(out, (".json",))
    proof = certificate or str(Path(out).with_suffix(".impossible.json"))
    check_output(proof, (".json",))
    if Path(out).resolve() == Path(proof).resolve():
        raise GraphFSAError(f"--out and --certificate must be two files; got {out!r} for both")
    if data is not None and (is_same_file(out, data) or is_same_file(proof, data)):
        raise GraphFSAError(f"{data!r} is the data and would be overwritten; choose another file")
    groups = merge if merge in ("auto", "none") else tuple(tuple(group.split("=")) for group in merge.split(","))
    chosen = kind(
        states=_range("--states", states),
        bound=_range("--bound", bound),
        aggregation=aggregation,
        merge=groups,
        tolerance=tolerance,
        budget=budget,
    )
    train, read = _train(task, option, sizes, count, data, steps, seed)
    with _status() as watch:
        found = chosen.fit(train, seed=seed, watch=watch)
    facts = _facts(found, train, read, seed)
    facts["model"] = _save(found, out)
    facts["certificate"] = _save_proof(found, proof)
    for path, written in ((out, facts["model"]), (proof, facts["certificate"])):
        if written is None and Path(path).exists():
            typer.echo(f"note: {path} is from an earlier run and was not touched", err=True)
    print_json(facts) if as_json else _print(found, facts, out)
    if found.interrupted:
        raise typer.Exit(130)
    if found.verdict in ("impossible", "undecided"):
        raise typer.Exit(1)


def _train(
    task: str | None,
    option: list[str],
    sizes: str | None,
    count: int | None,
    data: str | None,
    steps: int | None,
    seed: int,
) -> tuple[Examples, UserData | None]:
    """The training graphs, and the file that they are from, if they are."""
    from graphfsa.datasets import read_jsonl

    if (task is None) == (data is None):
        raise GraphFSAError("give either --task NAME or --data FILE.jsonl")
    if data is not None:
        if sizes is not None or count is not None or option:
            raise GraphFSAError("--sizes, --count and --option go with --task; a file holds the graphs that it holds")
        read = read_jsonl(data, steps=steps)
        return read.examples, read
    assert task is not None
    return training_examples(task, option, sizes, count, steps, seed), None


def training_examples(
    task: str, option: list[str], sizes: str | None, count: int | None, steps: int | None, seed: int
) -> Examples:
    """Graphs of the training zone: the split ``learn`` of the data set, or ``train`` if it has none."""
    import numpy as np

    from graphfsa.datasets._zones import draw_training

    dataset = find_dataset(task, option)
    chosen = None if sizes is None else parse_sizes(sizes, "--sizes")
    return draw_training(dataset, np.random.default_rng(seed), sizes=chosen, count=count, steps=steps)


def _range(name: str, text: str | None) -> Any:
    if text is None:
        return None
    words = text.split("..")
    if len(words) > 2 or not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise GraphFSAError(f"{name} must look like 4 or 4..6, with numbers below 10^9; got {text!r}")
    return int(words[0]) if len(words) == 1 else (int(words[0]), int(words[1]))


@contextmanager
def _status() -> Generator[Callable[[str], None]]:
    """What is being tried, on standard error, if somebody is watching."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        job = bar.add_task("looking at the data", total=None)
        yield lambda text: bar.update(job, description=text)


def _facts(found: Learned, train: Examples, read: UserData | None, seed: int) -> dict[str, Any]:
    from dataclasses import asdict

    from graphfsa import __version__
    from graphfsa.analysis.coverage import coverage

    fsa = found.found
    seen = None if fsa is None else coverage(fsa, train)
    suspects: list[dict[str, Any]] = []
    for suspect in found.suspects:
        where: dict[str, Any] = {} if read is None else {"line": int(read.lines[suspect.graph])}
        suspects.append({**where, **asdict(suspect)})
    return {
        "verdict": found.verdict,
        "train_accuracy": found.train_accuracy,
        "states": None if fsa is None else fsa.num_states,
        "bound": None if fsa is None else getattr(fsa.aggregation, "bound", None),
        "aggregation": None if fsa is None else fsa.aggregation.config(),
        "automaton": None if fsa is None else fsa.digest,
        "seconds": round(found.seconds, 3),
        "entries": None if seen is None else seen.num_possible,
        "unseen_entries": None if seen is None else seen.num_unseen,
        "graphs": len(train),
        "data_digest": train.digest,
        "seed": seed,
        "version": __version__,
        "interrupted": found.interrupted,
        "tried": [asdict(tried) for tried in found.tried],
        "suspects": suspects,
        "impossibility": None if found.impossibility is None else _proof_facts(found),
        "contradictions": _contradictions(found, train, read),
    }


def _contradictions(found: Learned, train: Examples, read: UserData | None) -> list[str]:
    """Where the data contradict themselves, in words; only looked for if nothing at all fits them."""
    from graphfsa.datasets import contradictions

    if found.impossibility is None or found.impossibility.aggregation is not None:
        return []
    words: list[str] = []
    for clash in contradictions(train, limit=_SHOWN):
        sides = [
            f"node {node} of {f'graph {graph}' if read is None else read.where(graph)} is {train.task.classes[label]}"
            for graph, node, label in zip(clash.graphs, clash.nodes, clash.labels, strict=True)
        ]
        words.append(f"{sides[0]}, but {sides[1]}, and no automaton can tell them apart")
    return words


def _proof_facts(found: Learned) -> dict[str, Any]:
    proof = found.impossibility
    assert proof is not None
    return {
        "states": proof.num_states,
        "aggregation": None if proof.aggregation is None else proof.aggregation.config(),
        "minimal": proof.minimal,
        "graphs": [instance_facts(example, proof.examples.task) for example in proof.examples],
    }


def _save(found: Learned, out: str) -> str | None:
    if found.found is None:
        return None
    found.found.save(out)
    return out


def _save_proof(found: Learned, path: str) -> str | None:
    from graphfsa.analysis.impossibility import save_impossibility

    if found.impossibility is None:
        return None
    save_impossibility(found.impossibility, path)
    return path


def _print(found: Learned, facts: dict[str, Any], out: str) -> None:
    rows: dict[str, Any] = {"verdict": found.verdict + (" (interrupted)" if found.interrupted else "")}
    if found.found is not None:
        fsa = found.found
        rows["automaton"] = f"{fsa.num_states} states ({', '.join(fsa.state_names)}), {fsa.aggregation}"
        rows["training"] = f"{facts['train_accuracy']:.4%} of the nodes of {facts['graphs']:,} graphs"
        rows["entries"] = f"{facts['entries'] - facts['unseen_entries']} of {facts['entries']} used by the data"
        if facts["unseen_entries"]:
            rows["entries"] += " ('graphfsa coverage' lists the others, 'suggest' tells whether they matter)"
        rows["written to"] = out
    rows["seconds"] = facts["seconds"]
    print_rows(rows)
    if found.verdict != "exact":
        for tried in found.tried[:_SHOWN]:
            typer.echo(f"  {tried.size}: {tried.outcome}{f' by {tried.by}' if tried.by else ''}, {tried.seconds:.1f} s")
    if found.suspects:
        typer.echo(f"\nlabels that the automaton does not give ({len(found.suspects)}):")
        for suspect in facts["suspects"][:_SHOWN]:
            where = f"line {suspect['line']}" if "line" in suspect else f"graph {suspect['graph']}"
            answer = suspect["answer"] if suspect["answer"] is not None else "nothing"
            typer.echo(f"  {where}, node {suspect['node']}: the data say {suspect['label']}, it says {answer}")
        if len(found.suspects) > _SHOWN:
            typer.echo(f"  and {len(found.suspects) - _SHOWN} more")
    for clash in facts["contradictions"]:
        typer.echo(f"contradiction: {clash}")
    if found.impossibility is not None:
        _print_proof(found, facts)


def _print_proof(found: Learned, facts: dict[str, Any]) -> None:
    from graphfsa.analysis.impossibility import check_impossibility
    from graphfsa.errors import LimitError

    proof = found.impossibility
    assert proof is not None
    size = "whatever its number of states" if proof.num_states is None else f"with {proof.num_states} states"
    bound = getattr(proof.aggregation, "bound", None)
    how = "" if proof.aggregation is None else f" and {proof.aggregation.name} aggregation"
    how += "" if bound is None else f" with bound {bound}"
    number = len(proof.examples)
    what = "this graph" if number == 1 else f"these {number} graphs"
    typer.echo(f"\nno automaton {size}{how} fits {what}, written to {facts['certificate']}:")
    for example in list(proof.examples)[:_SHOWN]:
        print_instance(instance_facts(example, proof.examples.task))
    try:
        check = check_impossibility(proof)
        typer.echo(
            f"checked apart from the search: {check.reason if check.holds else 'NOT confirmed: ' + check.reason}"
        )
    except LimitError as error:
        typer.echo(f"not checked apart from the search: {error}")
