"""What ``graphfsa learn`` says about an automaton that was searched for, or about the proof that there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, is_same_file, print_rows
from graphfsa.cli._instances import instance_facts, print_instance
from graphfsa.cli._learned import common_facts, common_rows
from graphfsa.cli._source import Source
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.datasets import Examples, UserData
    from graphfsa.learners.exact import Learned

_SHOWN = 10


def learn_exactly(
    source: Source, size: dict[str, Any], given: dict[str, Any], out: str, *, quiet: bool
) -> dict[str, Any]:
    """Search, write what was found, and return the facts.

    Args:
        source: Where the graphs come from.
        size: States, bound and aggregation.
        given: Options of this learner that were given.
        out: Where to write the automaton.
        quiet: Whether not to print anything about it.
    """
    from graphfsa.learners.exact import ExactLearner

    proof = given.pop("certificate", None) or str(Path(out).with_suffix(".impossible.json"))
    check_output(proof, (".json",))
    if Path(out).resolve() == Path(proof).resolve():
        raise GraphFSAError(f"--out and --certificate must be two files; got {out!r} for both")
    if source.data is not None and is_same_file(proof, source.data):
        raise GraphFSAError(f"{source.data!r} is the data and would be overwritten; choose another file")
    merge = given.pop("merge", "auto")
    groups = merge if merge in ("auto", "none") else tuple(tuple(group.split("=")) for group in merge.split(","))
    chosen = ExactLearner(**size, merge=groups, **given)
    train, read = source.training()
    with _status() as watch:
        found = chosen.fit(train, seed=source.seed, watch=watch)
    facts = _facts(found, train, read, source.seed)
    facts["model"] = _save(found, out)
    facts["certificate"] = _save_proof(found, proof)
    for path, written in ((out, facts["model"]), (proof, facts["certificate"])):
        if written is None and Path(path).exists():
            typer.echo(f"note: {path} is from an earlier run and was not touched", err=True)
    if not quiet:
        _print(found, facts, out)
    return facts


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

    suspects: list[dict[str, Any]] = []
    for suspect in found.suspects:
        where: dict[str, Any] = {} if read is None else {"line": int(read.lines[suspect.graph])}
        suspects.append({**where, **asdict(suspect)})
    return {
        **common_facts(found, train, seed),
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
    print_rows({**common_rows(found.found, facts, out), "seconds": facts["seconds"]})
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
