"""The numbers that the paper publishes, as data.

Florian Grötschla, Joël Mathys, Christoffer Raun and Roger Wattenhofer: GraphFSA: A Finite State Automaton Framework
for Algorithmic Learning on Graphs, ECAI 2024. The file ``paper/published.csv`` holds every cell of its tables: mean and
standard deviation over 10 runs. Its curves (WireWorld, Life, hexagonal Life) are pictures, without numbers.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).parent / "paper" / "published.csv"
_VALIDATION = "ValAcc"


@dataclass(frozen=True)
class Published:
    """One published cell: mean and standard deviation, as rounded there."""

    mean: float
    std: float


@lru_cache(maxsize=1)
def _cells() -> dict[tuple[str, str], dict[tuple[str, str], Published]]:
    found: dict[tuple[str, str], dict[tuple[str, str], Published]] = {}
    with _FILE.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            table = found.setdefault((line["table"], line["experiment"]), {})
            column = "validation" if line["column"] == _VALIDATION else line["column"]
            table[line["model"], column] = Published(float(line["mean"]), float(line["std"]))
    return found


def published_tables() -> list[tuple[str, str]]:
    """The tables of the paper: label, and number of the experiment where there are several."""
    return list(_cells())


def published(table: str, experiment: str = "") -> dict[tuple[str, str], Published]:
    """The cells of one table, by model and column.

    Args:
        table: Label of the table in the paper, such as ``tab:prefixsum-result``.
        experiment: Number of the experiment, in the table that has several.

    Returns:
        Published cells; none if the paper has no such table.

    Example:
        >>> published("tab:prefixsum-result")["Diff-FSA", "n=100"]
        Published(mean=0.61, std=0.2)
    """
    return _cells().get((table, experiment), {})
