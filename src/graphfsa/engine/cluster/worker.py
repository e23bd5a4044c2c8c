"""What runs in the processes of a cluster: a worker holds shards of runs, and does jobs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from graphfsa import __version__
from graphfsa.arrays import Array
from graphfsa.engine.cluster.pieces import Piece
from graphfsa.engine.cluster.shard import Shard
from graphfsa.plugins import load_file


class Worker:
    """A process of a cluster; its methods are called from afar.

    Args:
        files: Python files with classes of the user's.
    """

    def __init__(self, files: list[str]) -> None:
        os.dup2(2, 1)  # Standard output is for results, not for what a class of the user's prints.
        for file in files:
            load_file(file)
        self._shards: dict[int, Shard] = {}

    def about(self) -> dict[str, Any]:
        """What this process is: so that nobody works with another version."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return {"version": __version__, "host": os.uname().nodename, "process": os.getpid(), "cores": cores}

    def begin(self, key: int, fsa: Any, piece: Piece, threads: int, seed: int) -> None:
        """Take a piece of a graph."""
        self._shards[key] = Shard(fsa, piece, threads, seed)

    def end(self, key: int) -> None:
        """Give up a piece."""
        self._shards.pop(key, None)

    def load(self, key: int, run: int, states: Array, time: int) -> None:
        """See ``Shard.load``."""
        self._shards[key].load(run, states, time)

    def forget(self, key: int, run: int) -> None:
        """See ``Shard.forget``."""
        self._shards[key].forget(run)

    def set_mark(self, key: int, run: int, states: Array | None) -> None:
        """See ``Shard.set_mark``."""
        self._shards[key].set_mark(run, states)

    def states(self, key: int, run: int) -> Array:
        """See ``Shard.states``."""
        return self._shards[key].states(run)

    def step(self, key: int, run: int, steps: int, *messages: Array) -> Any:
        """See ``Shard.step``."""
        summary, *told = self._shards[key].step(run, steps, *messages)
        return (summary, *told) if told else summary

    def call(self, function: Callable[..., Any], item: Any, *shared: Any) -> Any:
        """Do a job."""
        return function(item, *shared)
