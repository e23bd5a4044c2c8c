"""What every command is wrapped in: errors become messages and exit codes, signals end work cleanly."""

from __future__ import annotations

import errno
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from types import FrameType
from typing import Any, TypeVar

import typer
from typer.models import OptionInfo

from graphfsa.cli._common import say
from graphfsa.errors import GraphFSAError, LostClusterError, NotLoadedError, plugin_command
from graphfsa.interrupts import ENDING, deferred_signals, would_be_lost

_MAX_MESSAGE = 1500
_NO_MEMORY = "not enough memory; choose a smaller graph, fewer states or a shorter recording"
_FAILURES = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)
"""Faults of the machine, not of the input."""
_Command = TypeVar("_Command", bound=Callable[..., None])
_received: list[int] = []
_AGAIN = 0.02
"""Seconds until a signal is sent again that came where its exception would be lost."""


def exit_code() -> int:
    """The exit code of interrupted work: 128 and the number of the signal, 130 for Ctrl-C."""
    return 128 + (_received[0] if _received else signal.SIGINT)


def guarded(command: _Command) -> _Command:
    """Turn what goes wrong into a message and an exit code, never a traceback."""

    @wraps(command)
    def safe(*args: Any, **kwargs: Any) -> None:
        try:
            with _signals():
                command(*args, **kwargs)
                sys.stdout.flush()
        except NotLoadedError as error:
            command_line = plugin_command(error.file, shlex.join(sys.argv[1:]))
            _fail(f"{error.what}. If you trust that file, type: {command_line}", 2)
        except GraphFSAError as error:
            failed = isinstance(error.__cause__, OSError) and error.__cause__.errno in _FAILURES
            failed |= isinstance(error, LostClusterError)
            _fail(_with_flag(str(error), command), 1 if failed else 2)
        except KeyboardInterrupt:
            _fail("interrupted", exit_code())
        except MemoryError:
            _fail(_NO_MEMORY, 1)
        except (ImportError, SystemError, RuntimeError) as error:
            # Where a class names its attributes, Python 3.11 makes a RuntimeError of whatever is raised.
            if isinstance(error.__cause__, KeyboardInterrupt):
                _fail("interrupted", exit_code())
            if not _is_lack_of_memory(error):
                raise
            _fail(_NO_MEMORY, 1)
        except BrokenPipeError:
            # The reader of our output went away; say nothing more, not even when the interpreter flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except OSError as error:
            _fail(f"{error.filename or 'input or output'}: {error.strerror or error}", 1)
        except BaseException as error:
            # What libraries in Rust raise where they expect memory, and nothing can be caught by name.
            if type(error).__name__ != "PanicException":
                raise
            _fail(_NO_MEMORY, 1)

    return safe  # pyright: ignore[reportReturnType]


def _is_lack_of_memory(error: Exception) -> bool:
    """Whether a library got no memory, and says so in its own way: to load, to begin a thread, for a tensor."""
    words = ("failed to map", "can't start new thread", "allocate memory", "bad allocation", "bad_alloc")
    return isinstance(error, SystemError) or any(word in str(error) for word in words)


@contextmanager
def _signals() -> Generator[None]:
    """While a command runs, SIGTERM and SIGHUP end its work as Ctrl-C does; Ctrl-C again ends it at once."""

    def end(number: int, frame: FrameType | None) -> None:
        if would_be_lost(frame):
            threading.Timer(_AGAIN, signal.raise_signal, [number]).start()
            return
        _received.append(number)
        # What is asked for again is already under way: the best so far is being written.
        if len(_received) == 1 or number == signal.SIGINT:
            raise KeyboardInterrupt

    _received.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[Any, Any] = {}
    for number in ENDING:
        # A shell that starts us with nohup wants a hang-up to be ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def ending_once() -> Generator[None]:
    """Around the whole program: a signal that is sent again while it ends does not change its exit code."""

    def end(number: int, _frame: FrameType | None) -> None:
        if not _received:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    ours: list[Any] = []
    if threading.current_thread() is threading.main_thread():
        ours += [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_IGN if _received else signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Generator[None]:
    """Signals that come now are only noted: what took long is being written."""
    with deferred_signals() as received:
        yield
        _received.extend(received)
        received.clear()


def _with_flag(message: str, command: Callable[..., None]) -> str:
    """A message about an argument, named as on the command line: ``max_nodes must`` as ``--max-nodes must``."""
    first = re.match(r"[a-z_]+(?= )", message)
    parameter = signature(command).parameters.get(first[0]) if first else None
    if first is None or parameter is None or not isinstance(parameter.default, OptionInfo):
        return message
    declared = [name for name in parameter.default.param_decls or () if name.startswith("--")]
    return f"{declared[0] if declared else '--' + first[0].replace('_', '-')}{message[first.end() :]}"


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split())
    say(f"error: {line if len(line) <= _MAX_MESSAGE else line[:_MAX_MESSAGE] + ' ...'}", err=True)
    raise typer.Exit(code) from None
