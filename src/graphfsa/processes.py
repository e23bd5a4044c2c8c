"""The first thing that processes of ours run: so light that what goes wrong while they import the rest can be told."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from multiprocessing import current_process, parent_process
from typing import Any

from graphfsa.errors import GraphFSAError

GUARD = (
    "Processes import the script that starts them, so a script must be a file, and do its work under "
    "`if __name__ == '__main__':`"
)
"""How a script that starts processes must look."""


def enter(module: str, function: str, *arguments: Any) -> None:
    """Call a function of a module that is imported here, not by whoever starts the process.

    Without this, ``multiprocessing`` imports it, and shows a traceback if there is too little memory for that.

    Args:
        module: Name of the module.
        function: Name of the function.
        arguments: Its arguments.
    """
    try:
        getattr(import_module(module), function)(*arguments)
    except (ImportError, MemoryError, SystemError, RuntimeError, OSError) as error:
        sys.exit(f"error: a process can't go on: {type(error).__name__}: {error}")


def end_with_parent() -> None:
    """Wait for the parent to end, and end this process then: a parent that is killed can't do it. For a thread."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def check_not_imported() -> None:
    """Raise if a process of ours is importing the script that started it, and the script starts everything again."""
    if getattr(current_process(), "_inheriting", False):  # What multiprocessing itself goes by.
        raise GraphFSAError(GUARD)
