"""What goes wrong: one file for each fault, and what a fault is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphfsa.engine._described import built
from graphfsa.engine.faults._base import Fault, Harm, Source, World
from graphfsa.engine.faults.byzantine import Byzantine
from graphfsa.engine.faults.crash import Crash
from graphfsa.engine.faults.edges import Edges
from graphfsa.engine.faults.lost import Lost
from graphfsa.engine.faults.transient import Transient
from graphfsa.errors import GraphFSAError
from graphfsa.plugins import plugin_names

__all__ = [
    "Byzantine",
    "Crash",
    "Edges",
    "Fault",
    "Harm",
    "Lost",
    "Source",
    "Transient",
    "World",
    "fault_names",
    "find_faults",
]
MAX_FAULTS = 1000


def find_faults(given: Any) -> tuple[Fault, ...]:
    """The faults that are meant: one or a list, each an object, or ``NAME:KEY=VALUE,...``.

    Example:
        >>> find_faults(["crash:share=0.1,at=5", Lost(q=0.05)])[0]
        Crash(share=0.1, nodes=None, at=5, rate=None)
    """
    several = isinstance(given, Iterable) and not isinstance(given, str)
    faults = tuple(built(Fault, each) for each in (given if several else [given]))  # pyright: ignore[reportUnknownVariableType]
    if len(faults) > MAX_FAULTS:
        raise GraphFSAError(f"a run may have at most {MAX_FAULTS:,} faults; got {len(faults):,}")
    return faults


def fault_names() -> list[str]:
    """The names of all faults, sorted."""
    return plugin_names(Fault)
