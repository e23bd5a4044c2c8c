"""Ctrl-C and other signals, around calls into libraries that would lose them or not notice them for minutes."""

from __future__ import annotations

import _weakrefset
import ctypes
import signal
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a program to end."""
_WEAK = (weakref.__file__, _weakrefset.__file__)
_T = TypeVar("_T")


@contextmanager
def deferred_signals() -> Generator[list[int]]:
    """Keep signals that ask the program to end until the block is over, and deliver them then.

    For callbacks of libraries, where an exception would be printed and forgotten, and for writing what took long.

    Yields:
        The numbers of the signals that have come so far; those that are taken out of it are not delivered.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    before: dict[int, Any] = {}
    for number in ENDING:
        if callable(signal.getsignal(number)):  # What is ignored, or left to the system, stays so.
            before[number] = signal.signal(number, lambda got, _frame: received.append(got))
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in dict.fromkeys(received):
        signal.raise_signal(number)


@contextmanager
def blocked_signals() -> Generator[None]:
    """Let processes that are started here begin deaf to signals: to end while they import would look like a crash.

    They call :func:`ignore_signals` when they have begun.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_signals() -> None:
    """Leave signals to the parent, which ends this process: a terminal sends them to both."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def would_be_lost(frame: FrameType | None) -> bool:
    """Whether an exception that is raised here would be printed and forgotten: in a finaliser or a weak reference."""
    while frame is not None:
        code = frame.f_code
        # The import system forgets a lock of a module by a weak reference, too.
        forgetting = code.co_name == "cb" and code.co_filename == "<frozen importlib._bootstrap>"
        if code.co_name == "__del__" or code.co_filename in _WEAK or forgetting:
            return True
        frame = frame.f_back
    return False


def interruptible(function: Callable[[], _T]) -> _T:
    """Call a function of a library that does not look at signals, in a thread, so that Ctrl-C ends the wait for it.

    The library must release the interpreter lock. What it was doing is given up when it returns.
    """
    found: list[_T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(function())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except BaseException:
        identity = ctypes.c_ulong(thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(KeyboardInterrupt))
        raise
    if failed:
        raise failed[0]
    return found[0]
