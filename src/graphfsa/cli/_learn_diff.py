"""What ``graphfsa learn --learner diff`` does: trains, keeps its state, and says how it went."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_output,
    find_automaton,
    is_same_file,
    parse_choices,
    print_rows,
    training_progress,
)
from graphfsa.cli._learned import common_facts, common_rows
from graphfsa.cli._source import Source, read_validation
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.datasets import Examples
    from graphfsa.learners.diff_fsa import DiffFSA, SoftModel, Trained

_UNDECIDED = 0.5
_SHOWN = 5


def learn_by_descent(
    source: Source, size: dict[str, Any], given: dict[str, Any], out: str, *, quiet: bool
) -> dict[str, Any]:
    """Train, write the automaton, and return the facts.

    Args:
        source: Where the graphs come from.
        size: States, bound and aggregation.
        given: Options of this learner that were given.
        out: Where to write the automaton.
        quiet: Whether not to print anything about it.
    """
    from graphfsa.learners.diff_fsa import DiffFSA

    soft, validation = given.pop("soft", None), given.pop("validation", None)
    checkpoint, resume, initial = (given.pop(name, None) for name in ("checkpoint", "resume", "initial"))
    choices = parse_choices(given.pop("choose", []))
    for name in ("restarts", "epochs", "updates"):
        if name in given:
            if name in choices:
                raise GraphFSAError(f"--choose {name}=... and --{name} are the same; give one")
            choices[name] = given.pop(name)
    learner = DiffFSA(given.pop("preset", "strong"), **size, **given, **choices)
    _check(source, learner, soft, validation, checkpoint)
    begin = None if initial is None else find_automaton(initial)
    train, _ = source.training()
    held = source.validation() if validation is None else read_validation(validation, source.steps, train.task)
    with _progress() as watch:
        found = learner.fit(
            train, held, seed=source.seed, initial=begin, watch=watch, checkpoint=checkpoint, resume=bool(resume)
        )
    facts = _facts(found, learner, train, held, source.seed)
    found.automaton.save(out)
    facts |= {"model": out, "soft": soft, "checkpoint": checkpoint}
    if soft is not None:
        found.soft.save(soft)
    if not quiet:
        _print(found, facts, out)
    return facts


def _check(
    source: Source, learner: DiffFSA, soft: str | None, validation: str | None, checkpoint: str | None
) -> None:  # fmt: skip
    """Raise for what can't work, before anything is drawn or trained."""
    source.check()
    if soft is not None and checkpoint is not None and Path(soft).resolve().parent == Path(checkpoint).resolve():
        raise GraphFSAError("--soft must not be in the directory of the checkpoint; choose another place")
    if validation is not None and source.data is None:
        raise GraphFSAError("--validation goes with --data; a task has validation graphs of its own")
    if soft is not None:
        check_output(soft, (".safetensors",))
    if soft is not None and source.data is not None and is_same_file(soft, source.data):
        raise GraphFSAError(f"{source.data!r} is the data and would be overwritten; choose another file")
    learner.check_torch()


@contextmanager
def _progress() -> Generator[Callable[[dict[str, Any]], None]]:
    """Loss, accuracy, tables without an error and entropy, if somebody is watching."""
    with training_progress() as update:

        def show(record: dict[str, Any]) -> None:
            text = (
                f"update {record['updates']}, {record['states']} states: loss {record['loss']:.3f}, "
                f"{record['accuracy']:.2%} right, {record['solved']} without an error, {record['entropy']:.2f} bits"
            )
            update(text, record["updates"], record["of"])

        yield show


def _facts(
    found: Trained, learner: DiffFSA, train: Examples, held: Examples | None, seed: int
) -> dict[str, Any]:  # fmt: skip
    from importlib.metadata import version

    return {
        **common_facts(found, train, seed),
        "possible": found.possible,
        "validation_accuracy": found.validation_accuracy,
        "validation_digest": None if held is None else held.digest,
        "learner": "diff-fsa",
        "preset": learner.preset,
        "recipe": asdict(learner.recipe_for(train.task)),
        "torch": version("torch"),
        "updates": found.updates,
        "solved": found.solved,
        "loss": found.history[-1]["loss"] if found.history else None,
        "changed_entries": found.changed,
        **undecided_facts(found.soft),
    }


def undecided_facts(soft: SoftModel) -> dict[str, Any]:
    """How undecided a soft table is, in bits per entry, and where."""
    return {
        "entropy": round(float(soft.entropy[:, soft.trained].mean()), 6) if soft.trained.any() else 0.0,
        "undecided": [{"state": s, "value": v, "probabilities": p} for s, v, p in soft.undecided(_UNDECIDED)],
    }


def undecided_rows(facts: dict[str, Any], limit: int = _SHOWN) -> None:
    """Print where a soft table is undecided."""
    typer.echo(f"{len(facts['undecided'])} entries have {_UNDECIDED} bits or more")
    for entry in facts["undecided"][:limit]:
        chances = ", ".join(f"{name} {chance:.2f}" for name, chance in entry["probabilities"].items())
        typer.echo(f"  {entry['state']} that sees {entry['value']}: {chances}")


def _print(found: Trained, facts: dict[str, Any], out: str) -> None:
    rows = common_rows(found.automaton, facts, out)
    if facts["validation_accuracy"] is not None:
        rows["validation"] = f"{facts['validation_accuracy']:.4%} of the nodes"
    rows["updates"] = f"{found.updates} ({facts['preset']}), {found.solved} tables without an error"
    rows["soft table"] = (
        f"{facts['entropy']:.2f} bits per entry; {facts['changed_entries']} entries were changed to make it exact "
        "and simple" if facts["changed_entries"] else f"{facts['entropy']:.2f} bits per entry"
    )  # fmt: skip
    rows["seconds"] = facts["seconds"]
    print_rows(rows)
    if not found.possible:
        typer.echo(
            "no automaton of these sizes can be exact: nodes that look the same for ever have different labels "
            "('graphfsa learn --learner exact' shows which)"
        )
    if found.verdict != "exact" and facts["undecided"]:
        undecided_rows(facts)
