"""How many configurations are explored in a second, with each scheduler, and how long questions take."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from benchmarks._report import in_turns, provenance, row, say
from graphfsa import Graph, GraphFSA, ask, families, library
from graphfsa.engine.exploring import SCHEDULERS, explore
from graphfsa.graphs.automorphisms import automorphisms

_TOKEN = {"eventually_always": "exactly one node can move", "graphs": "ring", "start": "exactly one root-*"}


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything, on one core: exploration has one thread."""
    turns = 1 if quick else 3
    rows: list[dict[str, Any]] = []
    size = 6 if quick else 9
    rng = np.random.default_rng(seed)
    problems: list[tuple[str, GraphFSA, Graph]] = [
        (f"unison, cycle of {size}", library.unison(), families.cycle(size)),
        (f"path-finding, tree of {size}", library.path_finding(), families.random_tree(size, rng=rng)),
    ]
    for name, fsa, graph in problems:
        say(name)
        rows.append(row(name, fsa.num_states**graph.num_nodes, "configurations"))
        for scheduler in SCHEDULERS:
            target = ">= 1e6" if scheduler in ("synchronous", "central") else ""
            rows += _exploration(fsa, graph, scheduler, target, turns)
    say("questions")
    for states, scheduler in ((5, "central"), (4, "central"), (5, "distributed")):
        nodes = 4 if quick else 6
        about: dict[str, Any] = {**_TOKEN, "max_nodes": nodes, "scheduler": scheduler}
        began = process_time()
        verdict = "heals" if ask(library.dijkstra_ring(states), **about) else "refuted"
        rows.append(row(f"rings up to {nodes}, {states} numbers, {scheduler}: {verdict}", process_time() - began, "s"))
    return {"title": "python -m benchmarks explore", "rows": rows, "provenance": provenance(seed, quick, ())}


def _exploration(fsa: GraphFSA, graph: Graph, scheduler: str, target: str, turns: int) -> list[dict[str, Any]]:
    """Speeds of one scheduler: all configurations one by one, and up to symmetry."""
    every = np.arange(fsa.num_states**graph.num_nodes)
    group = automorphisms(graph)
    calls = {
        "plain": lambda: explore(fsa, graph, [every], scheduler),
        "symmetric": lambda: explore(fsa, graph, [every], scheduler, group),
    }
    seconds = in_turns(calls, turns, seconds=1, clock=process_time)
    plain, few = calls["plain"](), calls["symmetric"]()
    return [
        row(f"  {scheduler}: looked at", len(plain) / seconds["plain"], "configurations/s"),
        row("    successors", len(plain.targets) / seconds["plain"], "/s", target),
        row(f"    up to {len(group)} symmetries, {len(few):,} looked at", len(few) / seconds["symmetric"], "/s"),
        row("    which are", len(plain) / seconds["symmetric"], "configurations/s", target),
    ]
