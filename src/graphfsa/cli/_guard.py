"""What every command is wrapped in: errors become messages and exit codes, signals end work cleanly."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import typer
from typer.models import OptionInfo

from graphfsa.errors import GraphFSAError

_MAX_MESSAGE = 1500
_FAILURES = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)
"""Faults of the machine, not of the input."""
_ENDING = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_Command = TypeVar("_Command", bound=Callable[..., None])
_received: list[int] = []


class Terminated(KeyboardInterrupt):
    """The program was asked to end by a signal; handled as Ctrl-C is, so that the best so far is written."""


def exit_code() -> int:
    """The exit code of interrupted work: 128 and the number of the signal, 130 for Ctrl-C."""
    return 128 + (_received[-1] if _received else signal.SIGINT)


def guarded(command: _Command) -> _Command:
    """Turn what goes wrong into a message and an exit code, never a traceback."""

    @wraps(command)
    def safe(*args: Any, **kwargs: Any) -> None:
        try:
            with _signals():
                command(*args, **kwargs)
                sys.stdout.flush()
        except GraphFSAError as error:
            failed = isinstance(error.__cause__, OSError) and error.__cause__.errno in _FAILURES
            _fail(_with_flag(str(error), command), 1 if failed else 2)
        except KeyboardInterrupt:
            _fail("interrupted", exit_code())
        except MemoryError:
            _fail("not enough memory; choose a smaller graph, fewer states or a shorter recording", 1)
        except BrokenPipeError:
            # The reader of our output went away; say nothing more, not even when the interpreter flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except OSError as error:
            _fail(f"{error.filename or 'input or output'}: {error.strerror or error}", 1)

    return safe  # pyright: ignore[reportReturnType]


@contextmanager
def _signals() -> Generator[None]:
    """While a command runs, SIGTERM and SIGHUP end its work as Ctrl-C does."""

    def end(number: int, _frame: Any) -> None:
        _received.append(number)
        if len(_received) == 1:  # What is asked for again is already under way: the best so far is being written.
            raise Terminated

    _received.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[Any, Any] = {}
    for name in _ENDING:
        number = getattr(signal, name)
        # A shell that starts us with nohup wants a hang-up to be ignored.
        if signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Generator[None]:
    """Signals that come now are only noted: what took long is being written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGINT", *_ENDING)]
    before = {number: signal.signal(number, lambda got, _frame: _received.append(got)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _with_flag(message: str, command: Callable[..., None]) -> str:
    """A message about an argument, named as on the command line: ``max_nodes must`` as ``--max-nodes must``."""
    first = re.match(r"[a-z_]+(?= )", message)
    parameter = signature(command).parameters.get(first[0]) if first else None
    if first is None or parameter is None or not isinstance(parameter.default, OptionInfo):
        return message
    return f"--{first[0].replace('_', '-')}{message[first.end() :]}"


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split())
    typer.echo(f"error: {line if len(line) <= _MAX_MESSAGE else line[:_MAX_MESSAGE] + ' ...'}", err=True)
    raise typer.Exit(code) from None
