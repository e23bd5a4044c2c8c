"""The first thing that processes of ours run: so light that what goes wrong while they import the rest can be said."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def enter(module: str, function: str, *arguments: Any) -> None:
    """Call a function of a module that is imported here, not by whoever starts the process.

    Without this, ``multiprocessing`` imports it, and shows where that failed: for lack of memory, say.

    Args:
        module: Name of the module.
        function: Name of the function.
        arguments: Its arguments.
    """
    try:
        found = getattr(import_module(module), function)
    except (ImportError, MemoryError, SystemError, OSError) as error:
        sys.exit(f"error: a process can't start: {type(error).__name__}: {error}")
    found(*arguments)
