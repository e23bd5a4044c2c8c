"""How long diagrams, rules and animations take, and how large pages are: with structure in the table, and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks._report import in_turns, provenance, row, say
from benchmarks.engine import random_automaton
from graphfsa.aggregations import CountingAggregation
from graphfsa.automaton import GraphFSA, library
from graphfsa.automaton.states import random_states
from graphfsa.engine import run
from graphfsa.graphs import Graph, families
from graphfsa.views.diagrams import diagram
from graphfsa.views.rollouts import Rollout

Rows = Iterator[dict[str, Any]]


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything; Graphviz is not used."""
    rng = np.random.default_rng(seed)
    turns = 1 if quick else 5
    wall, busy = perf_counter(), process_time()
    with TemporaryDirectory() as directory:
        parts = (
            _diagrams(4 if quick else 8, turns, rng),
            _rules(4 if quick else 6, turns, rng),
            _animations(8 if quick else 64, 20 if quick else 200, turns, rng, Path(directory)),
            _pages(30 if quick else 1000, 20 if quick else 200, turns, rng, Path(directory)),
        )
        rows = [line for part in parts for line in part]
    # On a machine that others use, seconds say little unless this is near 1.
    share = (process_time() - busy) / (perf_counter() - wall)
    rows.append(row("share of the time in which this process had a processor", min(1.0, share), "x"))
    about = provenance(seed, quick, ("matplotlib", "pillow"))
    return {"title": "python -m benchmarks views", "rows": rows, "provenance": about}


def ruled_automaton(num_states: int, bound: int, rules: int, rng: np.random.Generator) -> GraphFSA:
    """A random automaton that has structure: the table of a list of random rules for each state.

    Args:
        num_states: Number of states.
        bound: Up to where neighbours are counted.
        rules: Rules of each state: go to another state if at least this number of neighbours are in some states.
        rng: Source of randomness.
    """
    names = [f"s{m}" for m in range(num_states)]
    lists = {
        name: [
            (rng.choice(names, rng.integers(1, 4), replace=False), rng.integers(1, bound + 1), str(rng.choice(names)))
            for _ in range(rules)
        ]
        for name in names
    }

    def move(state: str, seen: Any) -> str:
        fitting = (to for among, least, to in lists[state] if sum(seen[str(name)] for name in among) >= least)
        return next(fitting, state)

    return GraphFSA.from_rule(names, CountingAggregation(bound=bound), move)


def _diagrams(num_states: int, turns: int, rng: np.random.Generator) -> Rows:
    say(f"diagrams of {num_states} states")
    automata = {
        "rules": ruled_automaton(num_states, 2, 4, rng),
        "random, b = 1": random_automaton(num_states, 1, rng),
        "random, b = 2": random_automaton(num_states, 2, rng),
    }
    calls: dict[str, Any] = {name: lambda f=fsa: diagram(f, layout="own").svg() for name, fsa in automata.items()}
    seconds = in_turns(calls, turns)
    what = f"diagram, |M| = {num_states}, b = 2, a table made of 4 rules for each state"
    yield row(f"{what}, without Graphviz", seconds["rules"], "s", "< 1")
    yield row("  a uniform random table, b = 1", seconds["random, b = 1"], "s", "< 1")
    yield row("  a uniform random table, b = 2", seconds["random, b = 2"], "s", "< 1")


def _rules(num_states: int, turns: int, rng: np.random.Generator) -> Rows:
    say(f"rules of {num_states} states")
    automata = {
        "few": ruled_automaton(num_states, 2, 4, rng),
        "many": ruled_automaton(num_states, 2, 16, rng),
        "random": random_automaton(num_states, 2, rng),
    }
    calls: dict[str, Any] = {name: fsa.rules for name, fsa in automata.items()}
    seconds = in_turns(calls, turns, 40)
    size = automata["few"].transition_table.size
    what = f"rules, |M| = {num_states}, b = 2 ({size:,} entries)"
    yield row(f"{what}, a table made of 4 rules for each state", seconds["few"], "s", "< 5")
    yield row("  a table made of 16 rules for each state", seconds["many"], "s", "< 5")
    yield row("  a uniform random table", seconds["random"], "s", "< 5")


def _animations(side: int, frames: int, turns: int, rng: np.random.Generator, directory: Path) -> Rows:
    say(f"animations of a torus of {side} x {side}")
    torus = families.moore(side, side, torus=True)
    automata = {"Life": library.life_like(), "random": random_automaton(6, 2, rng)}
    calls: dict[str, Any] = {
        name: _drawing(fsa, torus, frames - 1, directory / f"{name}.gif", rng) for name, fsa in automata.items()
    }
    seconds = in_turns(calls, turns, 60)
    bytes_of = {name: (directory / f"{name}.gif").stat().st_size for name in automata}
    what = f"GIF of {frames} frames of a {side} x {side} torus"
    yield row(f"{what}, Life from a soup, run included", seconds["Life"], "s", "< 10")
    yield row("  its size", bytes_of["Life"] / 10**6, "MB")
    yield row("  a uniform random table, |M| = 6, b = 2", seconds["random"], "s", "< 10")
    yield row("  its size", bytes_of["random"] / 10**6, "MB")


def _pages(size: int, steps: int, turns: int, rng: np.random.Generator, directory: Path) -> Rows:
    say(f"pages of {size:,} nodes")
    graph = families.erdos_renyi(size, mean_degree=8, rng=rng)
    automata = {
        "brain": library.brians_brain(),
        "small": random_automaton(4, 2, rng),
        "large": random_automaton(8, 2, rng),
    }
    calls: dict[str, Any] = {
        name: _drawing(fsa, graph, steps, directory / f"{name}.html", rng) for name, fsa in automata.items()
    }
    seconds = in_turns(calls, turns, 60)
    bytes_of = {name: (directory / f"{name}.html").stat().st_size for name in automata}
    what = f"HTML page of {size:,} nodes (Erdos-Renyi, mean degree 8), {steps} steps"
    yield row(f"{what}, Brian's Brain", bytes_of["brain"] / 10**6, "MB", "< 3")
    yield row("  time, run included", seconds["brain"], "s")
    yield row("  a uniform random table, |M| = 4, b = 2", bytes_of["small"] / 10**6, "MB", "< 3")
    yield row("  time, run included", seconds["small"], "s")
    yield row("  a uniform random table, |M| = 8, b = 2", bytes_of["large"] / 10**6, "MB", "< 3")
    yield row("  time, run included", seconds["large"], "s")


def _drawing(fsa: GraphFSA, graph: Graph, steps: int, path: Path, rng: np.random.Generator) -> Callable[[], None]:
    """What runs an automaton from states that are the same each time, and draws every step."""
    start = random_states(fsa, graph.num_nodes, rng)
    return lambda: Rollout(run(fsa, graph, start, steps, record="all")).save(path)
