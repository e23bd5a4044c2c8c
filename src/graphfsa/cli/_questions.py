"""Answers to questions about every run, for people and for machines."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from graphfsa.cli._common import print_rows, say
from graphfsa.cli._instances import amount, edges_text, graph_facts

if TYPE_CHECKING:
    from graphfsa.analysis.questions import Answer, Run

_MOST_STEPS = 40


def run_facts(run: Run) -> dict[str, Any]:
    """A run as JSON values: the graph, the states before and after each step by name, and who moved."""
    return {
        **graph_facts(run.graph),
        "states": run.names,
        "moves": [list(movers) for movers in run.moves],
        "loop": run.loop,
        "shortest": run.shortest,
    }


def answer_facts(found: Answer, player: str | None) -> dict[str, Any]:
    """An answer as JSON values."""
    return {
        "holds": found.holds,
        "question": found.question,
        "start": found.start,
        "scheduler": found.scheduler,
        "fair": found.fair,
        "coins": found.coins,
        "graph_class": found.graph_class,
        "graphs": found.graphs,
        "configurations": found.configurations,
        "explored": found.explored,
        "sizes": [asdict(size) for size in found.sizes],
        "sample": None if found.sample is None else asdict(found.sample),
        "counterexample": None if found.counterexample is None else run_facts(found.counterexample),
        "trap": found.trap,
        "broken": found.broken,
        "worst": None if found.worst is None else run_facts(found.worst),
        "player": player,
        "seconds": round(found.seconds, 6),
    }


def print_answer(found: Answer, player: str | None) -> None:
    """An answer as a few rows, a table of sizes, and a run."""
    verdict = {True: "yes", False: "no, there is a counterexample", None: "not decided: runs were drawn"}
    rows = {
        "holds": verdict[found.holds],
        "question": found.question,
        "from": found.start,
        "scheduler": f"{found.scheduler}, weakly fair" if found.fair else found.scheduler,
        "graphs": f"{found.graphs:,} of the class {found.graph_class}",
    }
    if found.sample is None:
        alike = "" if found.explored == found.configurations else f", {found.explored:,} up to symmetry"
        rows["configurations"] = f"{found.configurations:,}{alike}"
    if found.holds and found.coins:
        rows["with coins"] = "surely" if found.question.startswith("always") else "with probability 1"
    rows["seconds"] = f"{found.seconds:.3g}"
    if player is not None:
        rows["player"] = player
    print_rows(rows)
    if found.sample is not None:
        _print_sample(found)
    elif found.holds and not found.question.startswith("always"):
        _print_sizes(found)
    if found.counterexample is not None:
        _print_run(found.counterexample)
        if found.trap is not None:
            trap = amount(found.trap, "configuration")
            say(f"whatever the coins say, the scheduler can keep to {trap} like these for ever")
        if found.broken:
            say("it holds at the end of this run, but it can be broken at any time")
    elif found.worst is not None:
        say()
        say("the run that takes longest:")
        _print_run(found.worst)


def _print_sample(found: Answer) -> None:
    sample = found.sample
    assert sample is not None
    say()
    say(
        f"it held in {sample.held:,} of {sample.runs:,} runs of {amount(sample.steps, 'step')}; with confidence "
        f"{sample.confidence:.4g} it does in at least {sample.at_least:.3%} of all such runs. This is no proof."
    )


def _print_sizes(found: Answer) -> None:
    say()
    names = ("nodes", "graphs", "steps", "moves", "rounds", "mean steps", "from the worst start")
    table = [names]
    for size in found.sizes:
        worst = (size.worst_steps, size.worst_moves, size.worst_rounds)
        means = (size.mean_steps, size.slowest_mean)
        cells = [f"{size.size}", f"{size.graphs:,}", *("-" if number is None else f"{number:,}" for number in worst)]
        table.append((*cells, *("-" if number is None else f"{number:.4g}" for number in means)))  # type: ignore[arg-type]
    widths = [max(len(row[place]) for row in table) for place in range(len(names))]
    for row in table:
        say("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)))
    say("steps, moves and rounds: at most (-: no limit, or too much to find out); means: all moves equally likely")


def _print_run(run: Run) -> None:
    """Who moves in which states, one line for each step."""
    say()
    say(f"{amount(run.graph.num_nodes, 'node')}, edges {edges_text(graph_facts(run.graph))}")
    rows = run.names
    widths = [
        max(len(row[node]) for row in [*rows, [str(k) for k in range(len(rows[0]))]]) for node in range(len(rows[0]))
    ]
    place = len(str(run.steps))
    say(
        f"{'step':>{max(4, place)}}  "
        + "  ".join(f"{node:<{width}}" for node, width in enumerate(widths))
        + "  moves next"
    )
    for step, row in enumerate(rows):
        if step == _MOST_STEPS and run.steps > _MOST_STEPS:
            say(f"... {run.steps - step:,} more steps (--json and --player have all of them)")
            break
        movers = ", ".join(map(str, run.moves[step])) if step < run.steps else _ending(run)
        cells = "  ".join(f"{name:<{width}}" for name, width in zip(row, widths, strict=True))
        say(f"{step:>{max(4, place)}}  {cells}  {movers}".rstrip())


def _ending(run: Run) -> str:
    if run.loop is None:
        return ""
    return "nobody can" if run.loop == run.steps else f"as at step {run.loop}, and so on for ever"
