"""graphfsa grab: the benchmark generator."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import guarded, parse_options, print_json, print_rows
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.datasets import Examples
    from graphfsa.datasets._grab_configs import GrabConfig


def register(app: typer.Typer) -> None:
    """Add the commands."""
    grab = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    grab.command("generate")(generate_command)
    grab.command("describe")(describe_command)
    app.add_typer(grab, name="grab", help="GRAB, the benchmark generator: a random automaton labels random graphs.")


@guarded
def generate_command(
    config: str = typer.Argument(None, help="paper-1 to paper-5, or the name of a family; or give --family."),
    family: str = typer.Option(None, help="Family of the graphs."),
    option: list[str] = typer.Option(
        [],
        help="An option of the truth, as key=value: num-states, num-starting, num-final, bound, truth, truth-seed, ...",
    ),
    covering: bool = typer.Option(
        False, help="Add small graphs to train until all entries that can be found are visited."
    ),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs and starting states."),
    out: str = typer.Option(..., help="The directory to make."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Draw a truth and all splits, and write them to a directory."""
    from graphfsa.datasets._grab_configs import generate_grab
    from graphfsa.datasets._storage import save_data

    chosen = _config(config, family, option)
    data = generate_grab(chosen, seed, covering=covering, progress=lambda name: _say(f"drawing {name}"))
    truth = chosen.grab.automaton()
    notes = [] if data.divided else ["the domain is too small to be divided: validation shares graphs with train"]
    for state, value in data.unseen or ():
        what = truth.aggregation.decode(value, truth.state_names)
        notes.append(f"no graph was found in which a node in {truth.state_names[state]} sees: {what}")
    stored = save_data(
        out,
        data.splits,
        config={**chosen.config(), "covering": covering},
        seed=seed,
        facts={name: {"acceptance": rate} for name, rate in data.acceptance.items()},
        truth=truth,
        notes=notes,
    )
    facts: dict[str, Any] = {
        "out": out,
        "digest": stored.manifest["digest"],
        "truth": truth.digest,
        "graphs": {name: len(examples) for name, examples in data.splits.items()},
        "acceptance": data.acceptance,
        "notes": notes,
    }
    if as_json:
        print_json(facts)
        return
    print_rows({"digest": facts["digest"], "truth": facts["truth"], "out": out})
    for name, count in facts["graphs"].items():
        typer.echo(f"  {name:<12} {count:>6} graphs, {data.acceptance[name]:.1%} of those drawn")
    for note in notes:
        typer.echo(f"note: {note}", err=True)


@guarded
def describe_command(
    directory: str = typer.Argument(help="A directory made by 'grab generate'."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Describe a benchmark: coverage of the truth table, acceptance, class balance, sizes, overlaps of the splits."""
    import numpy as np

    from graphfsa.datasets._covering import visited
    from graphfsa.datasets._hygiene import overlap
    from graphfsa.datasets._storage import load_data

    stored = load_data(directory)
    truth = stored.truth
    if truth is None:
        raise GraphFSAError(f"{directory}: the manifest must hold the truth; it is not a benchmark of GRAB")
    train = stored.split("train")
    splits: dict[str, Any] = {}
    for name in stored.names:
        examples = stored.split(name)
        splits[name] = {
            "graphs": len(examples),
            "sizes": sorted({int(size) for size in examples.sizes}),
            "acceptance": _rate(stored.manifest["splits"][name].get("acceptance")),
            "classes": _balance(examples),
            "entries": int(np.delete(visited(truth, examples), truth.final_states, axis=0).sum()),
            "overlap": 0 if name == "train" else int(overlap(train, examples).sum()),
        }
    total = truth.num_values * (truth.num_states - len(truth.final_states))
    facts = {"digest": stored.manifest["digest"], "seed": stored.manifest["seed"], "entries": total, "splits": splits}
    if as_json:
        print_json(facts)
        return
    print_rows(
        {"digest": facts["digest"], "seed": facts["seed"], "entries of the truth": f"{total} that are not final"}
    )
    typer.echo(f"\n{'split':<12}{'graphs':>8}{'nodes':>8}{'kept':>8}{'entries':>9}{'overlap':>9}  classes")
    for name, split in splits.items():
        balance = ", ".join(f"{label} {share:.0%}" for label, share in split["classes"].items())
        kept = "-" if split["acceptance"] is None else f"{split['acceptance']:.1%}"
        sizes = "-".join(str(size) for size in sorted({split["sizes"][0], split["sizes"][-1]}))
        line = f"{name:<12}{split['graphs']:>8}{sizes:>8}{kept:>8}{split['entries']:>9}{split['overlap']:>9}  {balance}"
        typer.echo(line)
    for note in stored.manifest["notes"]:
        typer.echo(f"note: {note}")


def _config(config: str | None, family: str | None, options: list[str]) -> GrabConfig:
    from graphfsa.datasets._grab_configs import grab_config
    from graphfsa.datasets.grab import Grab

    if (config is None) == (family is None):
        raise GraphFSAError("give either the name of a configuration or --family")
    base = grab_config(config or family or "")
    if not options:
        return base
    for fixed, instead in (("keep", "it belongs to each split"), ("family", "give --family")):
        if any(text.startswith(f"{fixed}=") for text in options):
            raise GraphFSAError(f"--option {fixed} can't be set here: {instead}")
    merged = {**base.grab.options(), **{key.replace("-", "_"): value for key, value in parse_options(options).items()}}
    return replace(base, grab=Grab.from_options({key: _text(value) for key, value in merged.items()}))


def _rate(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _balance(examples: Examples) -> dict[str, float]:
    import numpy as np

    counted = np.bincount(examples.labels[examples.mask], minlength=len(examples.task.classes))
    return {
        name: float(count / max(1, counted.sum())) for name, count in zip(examples.task.classes, counted, strict=True)
    }


def _say(text: str) -> None:
    if sys.stderr.isatty():
        typer.echo(text, err=True)
