"""graphfsa draw: an automaton as a diagram of states and arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_data_options, check_output, find_data, is_same_file, print_json, say
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.analysis import Transitions
    from graphfsa.learners import Model


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("draw")(draw_command)


@guarded
def draw_command(
    model: str = typer.Argument(help="A library name (life, path-finding, ...), a .json or a .rules file."),
    out: str = typer.Option(help="The file: .svg, .png, .pdf, .dot (Graphviz), .tex (TikZ) or .mmd (Mermaid)."),
    partial: str = typer.Option(None, help="A state: draw only what nodes do that start in it."),
    task: str = typer.Option(
        None,
        help="A data set, or file.py:Class: entries that its training graphs never use are left free "
        "[default: the model's own].",
    ),
    data: str = typer.Option(None, help="The same for the labelled graphs of a .jsonl file."),
    steps: int = typer.Option(None, min=0, help="With --data: its labels are states after this number of steps."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    seed: int = typer.Option(0, min=0, help="Seed of the training graphs."),
    complete: bool = typer.Option(False, "--complete", help="Leave no entry free, whatever graphs use."),
    title: str = typer.Option(None, help="What it shows, for people who can't see it."),
    layout: str = typer.Option("auto", help="own, dot (Graphviz) or auto: Graphviz where it is there and does better."),
    colours: str = typer.Option(None, help="Colours of states: STATE=COLOUR,STATE=COLOUR (#d00, #dd0000 or red)."),
    labels: str = typer.Option("words", help="words: conditions; values: vectors of what is seen, as [0,0,1,*]."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Draw an automaton: every state and transition, or those that nodes use which start in one state.

    All transitions from a state to another are one arrow, with its condition in words; 'graphfsa rules' words them in
    the same way. Graphviz is used if it is installed and does better; it is not needed.
    """
    from graphfsa.analysis import transitions
    from graphfsa.automaton import StochasticFSA
    from graphfsa.checks import check_name
    from graphfsa.learners import as_model, find_any_automaton
    from graphfsa.views import diagram, parse_colours, state_colours
    from graphfsa.views.diagrams import LABELS, LAYOUTS, SUFFIXES, check_states

    check_output(out, SUFFIXES)
    if is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    check_name("layout", layout, LAYOUTS)
    check_name("labels", labels, LABELS)
    check_data_options(task, data, steps, complete)
    shades = None if colours is None else parse_colours(colours)
    fsa = find_any_automaton(model)
    state_colours(fsa, shades)  # What is wrong with them is said before any work is done.
    if isinstance(fsa, StochasticFSA):
        if task or data or partial:
            raise GraphFSAError("--task, --data and --partial go with automata without probabilities")
        check_states(fsa.num_states)
        found = transitions(fsa)
    else:
        found = _transitions(as_model(model), partial, find_data(task, option, data), steps, seed, complete)
    choices: Any = {"layout": layout, "labels": labels}
    diagram(found, title=title, colours=shades, **choices).save(out)
    if found.num_wordless and labels == "words":
        many = f"{found.num_wordless} of {len(found.arrows)} arrows have"
        say(f"note: {many} no short condition; 'graphfsa rules' says when nodes take them", err=True)
    if as_json:
        print_json(_facts(found, out))


def _transitions(
    known: Model, partial: str | None, data: Any, steps: int | None, seed: int, complete: bool
) -> Transitions:
    from graphfsa.analysis import labelled_graphs, transitions, used_entries, used_transitions
    from graphfsa.views.diagrams import check_states

    fsa = known.automaton
    if partial is None:
        check_states(fsa.num_states)
        return transitions(fsa, None if complete else used_entries(known, data, steps=steps, seed=seed))
    if complete:
        raise GraphFSAError("--complete goes without --partial")
    fsa.index(partial)
    if data is None and known.dataset is None:
        raise GraphFSAError("--partial needs graphs to run on: give either --task NAME or --data FILE.jsonl")
    return used_transitions(fsa, labelled_graphs(known, data, steps=steps, seed=seed), partial)


def _facts(found: Transitions, out: str) -> dict[str, Any]:
    names = found.fsa.state_names
    return {
        "states": [names[state] for state in found.states],
        "start": None if found.start is None else names[found.start],
        "nodes": found.num_nodes,
        "graphs": found.num_graphs,
        "entries": found.fsa.transition_table.size,
        "free_entries": found.free or 0,
        "arrows": [
            {
                "state": names[arrow.state],
                "next": names[arrow.successor],
                "if": found.lines(arrow),
                "vectors": [] if arrow.odds else found.vectors(arrow),
                "values": len(arrow.values),
                "of": arrow.of,
                "count": arrow.count,
            }
            for arrow in found.arrows
        ],
        "file": out,
    }
