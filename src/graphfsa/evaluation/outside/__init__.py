"""The outside scoreboard: tasks and numbers that others have published, and what automata do on them.

One declarative file for each table. The tables with ``lines`` are measured: each line is an experiment, run and
recorded like those of the paper. Those with ``rows`` say what can't be measured here, and why.
"""

from __future__ import annotations

from graphfsa.evaluation.outside.definitions import (
    Line,
    OutsideTable,
    is_outside,
    outside_experiments,
    outside_tables,
    read_outside_table,
)
from graphfsa.evaluation.outside.pairs import fitting_rules, same_map
from graphfsa.evaluation.outside.sheets import Sheet, make_sheets, sheet_markdown, write_sheets

__all__ = [
    "Line",
    "OutsideTable",
    "Sheet",
    "fitting_rules",
    "is_outside",
    "make_sheets",
    "outside_experiments",
    "outside_tables",
    "read_outside_table",
    "same_map",
    "sheet_markdown",
    "write_sheets",
]
