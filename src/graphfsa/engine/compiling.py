"""Compiles kernels once and keeps them on disk, under names made from their content.

A kernel is a plain function whose globals may include other kernels and, for kernels that work with any aggregation,
the name ``encode_node``. The cache of the compiler looks only at the file of the outermost function; naming each
compiled function after a hash of its code and of everything it calls keeps stale machine code from ever being used.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Any

from graphfsa.interrupts import deferred_signals

# Kernels release the interpreter lock and are run by our own threads; the compiler's thread pool is never started.
_OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True, "nogil": True, "error_model": "numpy", "boundscheck": False}
_INTERNAL: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Helpers are called by kernels alone, so they need no way in from Python; making one takes time."""
_UNCOUNTED: dict[str, Any] = {"_nrt": False}
"""Functions of the package allocate nothing. Counting the references to their arguments costs more than their work."""
_INNER = ("encode_first", "encode_second")
"""Names by which a function that is made of others calls them; see ``graphfsa.engine.encoding``."""
_NAMING = b"3"
"""How helpers are named; code that was kept under another naming is not used."""


compiled_here: list[str] = []
"""The kernels that this process compiled, as it did not find them on disk."""


@deferred_signals()  # An import that was interrupted leaves half a compiler, and the best so far needs a whole one.
def compile_kernel(kernel: Callable[..., Any], **bindings: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel.

    Args:
        kernel: A module-level function in the subset of Python that numba compiles.
        bindings: Functions to compile as well and to make known to the kernel, and to the bindings after them, under
            the given names.

    Kernels may also call ``prefetch(array, place)``, which asks for a place of an array that will be needed soon.
    """
    # Or a file .numba_config.yaml in the working directory could say where compiled code, which is run, is kept.
    os.environ.setdefault("NUMBA_CACHE_DIR", "")
    import numba

    assert isinstance(kernel, FunctionType)
    fingerprint = _fingerprint(kernel, *bindings.values())
    helpers: dict[str, Any] = {"prefetch": _prefetch()}
    for name, function in bindings.items():
        assert isinstance(function, FunctionType)
        helpers[name] = _helper(function, helpers, fingerprint)
    known = {**kernel.__globals__, **helpers}
    unique = FunctionType(kernel.__code__, known, kernel.__name__, kernel.__defaults__)
    unique.__module__ = kernel.__module__
    unique.__qualname__ = f"{kernel.__name__}_{fingerprint}"
    try:
        compiled: Any = numba.njit(cache=True, **_OPTIONS)(unique)
    except (RuntimeError, OSError):  # No directory to keep compiled code in: compile anew in every process.
        return _uninterrupted(numba.njit(**_OPTIONS)(unique))
    # Kept code that is damaged is compiled again; code that can't be kept (a full disk) is used all the same.
    for name in ("load_overload", "save_overload"):
        setattr(compiled._cache, name, _forgiving(getattr(compiled._cache, name)))
    return _uninterrupted(compiled)


def _helper(function: FunctionType, known: dict[str, Any], fingerprint: str) -> Any:
    """A compiled function for kernels, and before it those that it calls and that were made for it alone."""
    import numba

    inner = {
        name: _helper(function.__globals__[name], known, fingerprint)
        for name in _INNER
        if name in function.__code__.co_names and isinstance(function.__globals__.get(name), FunctionType)
    }
    knowing = FunctionType(function.__code__, {**function.__globals__, **known, **inner}, function.__name__)
    # Symbols are named after functions and numbered in each process. Two kernels that were compiled by different
    # processes and kept may have helpers of one name and number; loaded together, one would call the other's.
    knowing.__qualname__ = f"{function.__name__}_{fingerprint}"
    uncounted = _UNCOUNTED if function.__module__.startswith("graphfsa.") else {}
    return numba.njit(**{**_OPTIONS, **_INTERNAL, **uncounted})(knowing)


@cache
def _prefetch() -> Any:
    """An instruction of the processor, for kernels that wait for memory."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def prefetch(_typing: Any, array: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            parts = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = builder.bitcast(builder.gep(parts.data, [arguments[1]]), cgutils.voidptr_t)
            number = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
            call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(call, [address, number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(array, types.intp), generate

    return intrinsic(prefetch)


def _uninterrupted(compiled: Any) -> Any:
    """Keep signals until a kernel is compiled: callbacks of the compiler print exceptions and forget them."""
    compile_for = compiled._compile_for_args

    @wraps(compile_for)
    def compile_all(*arguments: Any, **options: Any) -> Any:
        with deferred_signals():
            loaded = sum(compiled.stats.cache_hits.values())
            found = compile_for(*arguments, **options)
        if sum(compiled.stats.cache_hits.values()) == loaded:
            compiled_here.append(compiled.py_func.__name__)
        return found

    compiled._compile_for_args = compile_all
    return compiled


def _forgiving(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def attempt(*arguments: Any, **options: Any) -> Any:
        try:
            return method(*arguments, **options)
        except Exception:
            return None

    return attempt


def _fingerprint(*functions: Callable[..., Any]) -> str:
    hasher = sha256(_NAMING)
    for function in functions:
        assert isinstance(function, FunctionType)
        _add_code(hasher, function.__code__, function.__globals__)
    return hasher.hexdigest()[:16]


def _add_code(hasher: Any, code: CodeType, known: dict[str, Any]) -> None:
    hasher.update(code.co_code)
    hasher.update(repr((code.co_names, code.co_varnames, code.co_name)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(hasher, constant, known)
        else:
            hasher.update(repr(constant).encode())
    # The compiler takes globals for constants: another value is another kernel.
    for name in code.co_names:
        value = known.get(name)
        if isinstance(value, FunctionType):
            _add_code(hasher, value.__code__, value.__globals__)
        elif value is not None and not isinstance(value, ModuleType | type):
            hasher.update(repr(value).encode())
