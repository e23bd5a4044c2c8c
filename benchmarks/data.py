"""How long it takes to make data."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._report import in_turns, provenance, row, say
from graphfsa.datasets import dataset_class, generate_grab, grab_config


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    size = 10**5 if quick else 10**6
    path_finding, life = dataset_class("path-finding")(), dataset_class("life")()
    say("GRAB, Life boards and one large tree")
    calls: dict[str, Any] = {
        "grab": lambda: generate_grab(grab_config("paper-1"), seed),
        "life": lambda: life.generate(16, 10_000, np.random.default_rng(seed)),
        "tree": lambda: path_finding.generate(size, 1, np.random.default_rng(seed)),
    }
    seconds = in_turns(calls, 3 if quick else 9)
    rows = [
        row("GRAB paper-1: 1000 + 100 + 100 trees of 6 nodes, 4 x 100 larger ones", seconds["grab"], "s", "<= 1.5"),
        row("10,000 Life boards of 4 x 4, 2 steps", seconds["life"], "s", "<= 0.5"),
        row(f"one PathFinding tree of {size:,} nodes", seconds["tree"], "s", "<= 5"),
    ]
    return {"title": "python -m benchmarks data", "rows": rows, "provenance": provenance(seed, quick, ("scipy",))}
