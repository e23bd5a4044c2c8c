"""Processes that tests start."""

import os
import signal
import time
from pathlib import Path


def listen_to_interruptions():
    """A parent that was started in the background may have passed on that they are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def let_work(process, seconds):
    """Wait until a process has used this much processor time, or has ended; a busy machine only makes it later."""
    usage = Path(f"/proc/{process.pid}/stat")
    if not usage.exists():  # Not Linux: time has to do.
        time.sleep(2 * seconds)
        return
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        user, system = usage.read_text().rpartition(")")[2].split()[11:13]
        if (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") >= seconds:
            return
        time.sleep(0.02)
