"""Stop, as the process for jobs hears of it: what Ctrl-C is to a command, so that learning keeps the best so far."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from graphfsa.interrupts import would_be_lost

_AGAIN = 0.02
"""Seconds until a signal is sent again that came where its exception would be lost."""


class Stopping:
    """Turns the server's word into a ``KeyboardInterrupt`` in the main thread, while there is something to keep.

    A signal that nobody has asked for, such as that of a terminal, does nothing: the server ends this process then.
    """

    def __init__(self) -> None:
        self._asked = self._open = False

    def begin(self) -> None:
        """Hear signals from now on. For the main thread."""
        signal.signal(signal.SIGINT, self._heard)

    def forget(self) -> None:
        """Another job begins."""
        self._asked = False

    def ask(self) -> None:
        """End what is at work. For another thread."""
        self._asked = True
        if hasattr(signal, "pthread_kill"):  # Solvers in C notice a signal, too, in the thread that they run in.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()

    @contextmanager
    def interruptible(self) -> Generator[None]:
        """Around what returns the best so far when it is interrupted."""
        self._open = True
        try:
            if self._asked:
                raise KeyboardInterrupt
            yield
        finally:
            self._open = False

    def _heard(self, _number: int, frame: FrameType | None) -> None:
        if not (self._asked and self._open):
            return
        if would_be_lost(frame):
            threading.Timer(_AGAIN, self.ask).start()
            return
        self._asked = False  # Once: the best so far is being made ready.
        raise KeyboardInterrupt
