"""Who moves when: one file for each scheduler, and what a scheduler is."""

from __future__ import annotations

from typing import Any

from graphfsa.engine._described import built
from graphfsa.engine.schedulers._base import Moment, Scheduler
from graphfsa.engine.schedulers.block_sequential import BlockSequential
from graphfsa.engine.schedulers.central import Central
from graphfsa.engine.schedulers.clocks import Clocks
from graphfsa.engine.schedulers.distributed import Distributed
from graphfsa.engine.schedulers.given import Given
from graphfsa.engine.schedulers.locally_central import LocallyCentral
from graphfsa.engine.schedulers.random_sequential import RandomSequential
from graphfsa.engine.schedulers.round_robin import RoundRobin
from graphfsa.engine.schedulers.synchronous import Synchronous
from graphfsa.plugins import plugin_names

__all__ = [
    "BlockSequential",
    "Central",
    "Clocks",
    "Distributed",
    "Given",
    "LocallyCentral",
    "Moment",
    "RandomSequential",
    "RoundRobin",
    "Scheduler",
    "Synchronous",
    "find_scheduler",
    "scheduler_names",
]


def find_scheduler(given: Any) -> Scheduler:
    """The scheduler that is meant: an object, or ``NAME``, or ``NAME:KEY=VALUE,...``.

    Example:
        >>> find_scheduler("distributed:p=0.3")
        Distributed(p=0.3)
        >>> str(BlockSequential([[0, 1], [2]]))
        'block-sequential:blocks=0+1/2'
    """
    return built(Scheduler, given)


def scheduler_names() -> list[str]:
    """The names of all schedulers, sorted."""
    return plugin_names(Scheduler)
