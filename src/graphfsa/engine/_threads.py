"""Runs a kernel on several ranges at once. Kernels release the interpreter lock, so plain threads use all cores.

Each range writes only its own part of the result, so the result is the same for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from graphfsa.errors import GraphFSAError

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = Lock()
# A forked child inherits the pools without their threads.
os.register_at_fork(after_in_child=_pools.clear)


def default_threads() -> int:
    """Number of threads to use when nobody says: the cores this process may use, or ``GRAPHFSA_THREADS``."""
    given = os.environ.get("GRAPHFSA_THREADS")
    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_threads(int(given) if given.isascii() and given.isdigit() else given)


def check_threads(threads: Any) -> int:
    """Raise unless this is a sensible number of threads."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise GraphFSAError(f"threads must be a whole number in 1 .. 1024; got {threads!r}")
    return threads


def run_ranges(kernel: Callable[..., int], size: int, threads: int, *arguments: Any) -> int:
    """Call ``kernel(begin, end, *arguments)`` on ranges that cover ``0 .. size - 1``; add up what the calls return."""
    parts = max(1, min(threads, size))
    if parts == 1:
        return int(kernel(0, size, *arguments))
    with _lock:
        if parts not in _pools:
            _pools[parts] = ThreadPoolExecutor(parts - 1, "graphfsa")
        pool = _pools[parts]
    cuts = [size * part // parts for part in range(parts + 1)]
    others = [pool.submit(kernel, cuts[part], cuts[part + 1], *arguments) for part in range(1, parts)]
    total = int(kernel(cuts[0], cuts[1], *arguments))
    return total + sum(int(other.result()) for other in others)
