"""graphfsa coverage: which entries of an automaton data speak about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_picture, find_data, print_json, print_rows, say, shown_name
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.analysis.coverage import Coverage

_MAX_LINES = 40
_MAX_ENTRIES = 10_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("coverage")(coverage_command)


@guarded
def coverage_command(
    model: str = typer.Argument(help="A library name or a file."),
    data: str = typer.Option(None, help="A .jsonl file of labelled graphs."),
    steps: int = typer.Option(None, min=0, help="With --data: its labels are states after this number of steps."),
    task: str = typer.Option(
        None, help="A data set, or file.py:Class, whose training graphs are drawn [default: the model's own]."
    ),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    seed: int = typer.Option(0, min=0, help="Seed of the training graphs."),
    draw: str = typer.Option(
        None, help="Draw the table (seen, filled in, can't occur) to this .png, .svg or .pdf file."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Say which entries of an automaton's table labelled graphs use, and which of those their labels settle.

    Seen: a roll-out uses the entry. Pinned: each other successor would make a label wrong. Open: another would do as
    well. Unseen: no roll-out uses it, though some graph might. Rows of final states do not count.
    """
    from graphfsa.analysis import coverage
    from graphfsa.learners import as_model

    if data is None and steps is not None:
        raise GraphFSAError("--steps goes with --data")
    check_picture(draw)
    known = as_model(model)
    fsa = known.automaton
    if draw is not None and len(fsa.final_states) == fsa.num_states:
        raise GraphFSAError("there is nothing to draw: all states are final, and no entry of those counts")
    found = coverage(known, find_data(task, option, data), steps=steps, seed=seed)
    facts = found.as_dict()
    if draw is not None:
        from graphfsa.views.entries import draw_coverage

        draw_coverage(found, draw, title=f"What the data say about {shown_name(model)}")
    if as_json:
        entries = _entries(found)
        print_json(facts | {"entries": entries, "entries_left_off": found.num_possible - len(entries)})
        return
    unknown = "not found out: " + ("labels are wrong" if found.wrong else "too much work")
    print_rows({name.replace("_", " "): unknown if number is None else number for name, number in facts.items()})
    _print_unseen(found)


def _entries(found: Coverage) -> list[dict[str, Any]]:
    """Every entry that can be used, in words, with its kind; of used ones nothing more may be known than that."""
    from graphfsa.analysis.coverage import KINDS

    kinds = found.kinds()
    final = set(found.fsa.final_states)
    entries: list[dict[str, Any]] = []
    for state, value in zip(*found.possible.nonzero(), strict=True):
        if len(entries) == _MAX_ENTRIES:
            break
        if int(state) in final:
            continue
        times = int(found.seen[state, value])
        kind = KINDS[kinds[state, value]] if kinds is not None else "seen" if times else "unseen"
        own, neighbours, following = found.words(int(state), int(value))
        entries.append({"state": own, "neighbours": neighbours, "next": following, "kind": kind, "times": times})
    return entries


def _print_unseen(found: Coverage) -> None:
    import numpy as np

    if not found.num_unseen:
        return
    say("\nUnseen: what the automaton does here, no graph has shown.")
    for state, value in np.argwhere(found.unseen)[:_MAX_LINES].tolist():
        own, neighbours, following = found.words(state, value)
        say(f"  {own} with {neighbours} -> {following}")
    if found.num_unseen > _MAX_LINES:
        say(f"  and {found.num_unseen - _MAX_LINES:,} more")
