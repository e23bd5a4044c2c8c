"""A plug-in for ``graphfsa --plugin``: says when learning begins, and takes memory away once libraries are loaded.

While they load, OpenBLAS gets its buffers and numba its compiler, no limit holds: they answer a lack of memory by
trying for ever or by aborting, and the interpreter itself may get lost in the midst of an exception.
"""

from __future__ import annotations

import contextlib
import os
import resource
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

MARK, MEMORY, LIBRARIES, WORKERS = "TORTURE_MARK", "TORTURE_MEMORY", "TORTURE_LIBRARIES", "TORTURE_WORKERS"
"""Variables: a file to make when learning begins; bytes of memory to leave; what to load before; only in workers."""


def _mark_learning(file: Path) -> None:
    learners = import_module("graphfsa.learners")
    fit_model = learners.fit_model

    def marked(*arguments: Any, **options: Any) -> Any:
        watch = options.pop("watch", None)

        def told(record: Any) -> None:  # The first word from a learner: it has begun.
            with contextlib.suppress(OSError):
                file.touch(exist_ok=False)
            if watch is not None:
                watch(record)

        return fit_model(*arguments, watch=told, **options)

    setattr(learners, "fit_model", marked)  # noqa: B010 - the module declares no such assignment.


def _limit_memory(room: int) -> None:
    for name in os.environ.get(LIBRARIES, "").split():
        import_module(name)
    _warm_up()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _warm_up() -> None:
    """Let libraries have what they always need."""
    numpy, algebra, numba = (import_module(name) for name in ("numpy", "scipy.linalg", "numba"))
    square = numpy.random.default_rng(0).random((64, 64))
    algebra.eigh(square @ square.T)
    numba.njit(lambda values: values.sum())(square)


if MARK in os.environ:
    _mark_learning(Path(os.environ[MARK]))
if MEMORY in os.environ and (WORKERS not in os.environ or parent_process() is not None):
    _limit_memory(int(os.environ[MEMORY]))
