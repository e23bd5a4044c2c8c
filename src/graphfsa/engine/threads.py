"""Runs a kernel on several ranges at once. Kernels release the interpreter lock, so plain threads use all cores.

Each range writes only its own part of the result, so the result is the same for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from graphfsa.checks import check_integer

_MAX_THREADS = 1024
_pools: list[ThreadPoolExecutor] = []
_lock = Lock()
# A forked child inherits the pool without its threads.
os.register_at_fork(after_in_child=_pools.clear)


def default_threads() -> int:
    """Number of threads to use when nobody says: the cores this process may use, or ``GRAPHFSA_THREADS``."""
    given = os.environ.get("GRAPHFSA_THREADS")
    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_threads(int(given) if given.isascii() and given.isdigit() and len(given) < 9 else given)


def check_threads(threads: Any) -> int:
    """The number of threads that was given, if it is a sensible one."""
    return check_integer("threads", threads, 1, _MAX_THREADS)


def run_ranges(kernel: Callable[..., int], size: int, threads: int, *arguments: Any) -> int:
    """Call ``kernel(begin, end, *arguments)`` on ranges that cover ``0 .. size - 1``; add up what the calls return."""
    parts = max(1, min(threads, size))
    if parts == 1:
        return int(kernel(0, size, *arguments))
    with _lock:
        if not _pools:
            _pools.append(ThreadPoolExecutor(_MAX_THREADS, "graphfsa"))  # Threads are made when they are needed.
        pool = _pools[0]
    cuts = [size * part // parts for part in range(parts + 1)]
    others = [pool.submit(kernel, cuts[part], cuts[part + 1], *arguments) for part in range(1, parts)]
    total = int(kernel(cuts[0], cuts[1], *arguments))
    return total + sum(int(other.result()) for other in others)
