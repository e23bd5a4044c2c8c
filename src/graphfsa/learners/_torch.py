"""torch, imported when it is needed: without it everything else works."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from graphfsa.errors import GraphFSAError, MissingExtraError


@lru_cache(maxsize=1)
def torch() -> Any:
    """The library; an error that says what to install if there is none."""
    try:
        import torch as library
    except ImportError:
        raise MissingExtraError("torch", "train") from None
    return library


def find_device(name: str) -> Any:
    """A device by name; raises if this machine does not have it."""
    library = torch()
    if not re.fullmatch(r"cpu|mps|(cuda|xpu)(:[0-9]{1,3})?", name):
        raise GraphFSAError(f"device must be cpu, cuda, cuda:K, xpu, xpu:K or mps; got {name!r}")
    try:
        device = library.device(name)
        library.zeros(1, device=device)
    except Exception as error:  # Each kind of device fails in its own way.
        reason = str(error).strip().partition("\n")[0][:200]
        raise GraphFSAError(f"device must be one that torch has here, such as cpu; got {name!r}: {reason}") from None
    return device


@contextmanager
def steady() -> Generator[None]:
    """One thread, so that sums do not depend on how many there are; numbers very close to 0 are 0, which is faster."""
    library = torch()
    threads = library.get_num_threads()
    library.set_num_threads(1)
    library.set_flush_denormal(True)
    try:
        with library.inference_mode(False), library.enable_grad():
            yield
    finally:
        library.set_flush_denormal(False)
        library.set_num_threads(threads)
