"""How much memory this process may still use, so that what would not fit is refused before it is begun."""

from __future__ import annotations

import os
from pathlib import Path

from graphfsa.errors import LimitError

ON_DISK = "keep its arcs on disk: see 'graphfsa graph pack'"
"""What to do with a graph that does not fit, for messages."""
_GROUP = Path("/sys/fs/cgroup")
"""Where Linux says how much a container may use; version 2 of control groups."""


def free_memory() -> int:
    """Bytes that this process may still use: what the machine, its container and ``ulimit -v`` leave."""
    found = [_of_machine(), _of_group(), _of_process()]
    return max(0, min(amount for amount in found if amount is not None))


def check_memory(what: str, needed: float, advice: str) -> None:
    """Raise if something would need more memory than there is.

    Args:
        what: What it is, for the message: ``"a path of 5 nodes"``.
        needed: Bytes at its peak.
        advice: What to do instead.

    Raises:
        LimitError: It would not fit.
    """
    if needed < 2**20:  # Not worth a look at the system.
        return
    free = free_memory()
    if needed > free:
        raise LimitError(
            f"{what} would take {needed / 2**30:,.1f} GiB of memory, and {free / 2**30:,.1f} are free; {advice}"
        )


def _of_machine() -> int | None:
    """What Linux could give without writing to a swap file; elsewhere all the memory there is."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 2**62


def _of_group() -> int | None:
    try:
        limit = int((_GROUP / "memory.max").read_text(encoding="ascii"))
        return limit - int((_GROUP / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # There is no such file, or it says "max".
        return None


def _of_process() -> int | None:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return limit - pages * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
