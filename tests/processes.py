"""Processes that tests start."""

import signal


def listen_to_interruptions():
    """A parent that was started in the background may have passed on that they are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
