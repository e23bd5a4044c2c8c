"""Classes that people may extend: aggregations, data sets and learners, found by name wherever they are defined.

Built-in ones are the public modules of a room, one class each. One's own are found as soon as they are defined: in a
script, a notebook, a file that is named as ``file.py:Class``, or a package that announces them as an entry point in the
group of the room (``graphfsa.learners``, say).
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

from graphfsa.errors import GraphFSAError, NotLoadedError, UnknownNameError

_P = TypeVar("_P", bound="Plugin")
_files: dict[str, ModuleType] = {}
"""Modules that were loaded from files that users named, by path."""


class Plugin:
    """What is found by its name.

    A class that says what plug-ins of a kind are (a contract) sets ``kind`` and ``room``. Every class that extends it
    is a plug-in as soon as it is defined.
    """

    name: ClassVar[str]
    """What it is called in files and on the command line; by default made of the name of the class."""
    kind: ClassVar[str]
    """What to call such a plug-in in messages: ``learner``."""
    room: ClassVar[str]
    """The package of the built-in ones, and the group of entry points of others."""
    _defined: ClassVar[list[type[Plugin]]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kind" in vars(cls):
            cls._defined = []
            return
        if "name" not in vars(cls):
            cls.name = _dashed(cls.__name__, cls.kind)
        if cls.__module__.startswith(f"{cls.room}."):
            return
        if cls.name.replace("_", "-") in module_names(cls.room):
            raise GraphFSAError(
                f"{cls.__name__} must not be called {cls.name!r}, like a built-in {cls.kind}; give the class another "
                'name, or an attribute name = "..."'
            )
        cls._defined.append(cls)

    @classmethod
    def from_function(cls, function: Callable[..., Any]) -> type[Plugin] | None:
        """The plug-in that a plain function of the user's stands for; by default None: it must be a class."""
        del function
        return None


def plugin_names(contract: type[Plugin]) -> list[str]:
    """Names of all plug-ins of a kind, sorted: built-in ones, announced ones, and those that were defined."""
    return sorted({*module_names(contract.room), *_announced(contract.room), *_own(contract)})


def find_plugin(contract: type[_P], name: str, *, prefix: bool = False) -> type[_P]:
    """The plug-in with a name, or the class that ``file.py:Class`` names.

    Args:
        contract: What the class must extend.
        name: The name; dashes and underscores are the same.
        prefix: Whether a unique prefix of a name will do.

    Raises:
        UnknownNameError: No plug-in has this name; the message lists those that exist.
        GraphFSAError: The file can't be loaded, or has no such class.
    """
    file, colon, class_name = name.rpartition(":")
    if colon and file.endswith(".py"):
        return _class_of(load_file(file), class_name, contract, file)
    wanted = name.replace("_", "-")
    names = [*_own(contract), *module_names(contract.room)]
    if wanted not in names:
        names = plugin_names(contract)
    if prefix and wanted not in names:
        beginning = [known for known in names if wanted and known.startswith(wanted)]
        wanted = beginning[0] if len(beginning) == 1 else wanted
    if wanted in _own(contract):
        return _own(contract)[wanted]
    if wanted in module_names(contract.room):
        module = importlib.import_module(f"{contract.room}.{wanted.replace('-', '_')}")
        return _only_class(module, contract)
    if wanted in _announced(contract.room):
        loaded = _announced(contract.room)[wanted].load()
        return _checked(loaded, contract, f"entry point {wanted} of {contract.room}")
    raise UnknownNameError(contract.kind, name, names)


def known_plugin(contract: type[_P], reference: str) -> type[_P]:
    """The plug-in that a file refers to. A file may come from anywhere, so no ``file.py`` that it names is run.

    Args:
        contract: What the class must extend.
        reference: A name, or ``file.py:Class`` for a class of one's own, which must have been defined before.
    """
    file, colon, class_name = reference.rpartition(":")
    if not (colon and file.endswith(".py")):
        return find_plugin(contract, reference)
    for found in reversed(_buildable(contract)):
        home = plugin_file(found)
        if found.__qualname__ == class_name and home is not None and home.name == Path(file).name:
            return found
    for module in _loaded(Path(file).name):
        if inspect.isfunction(function := vars(module).get(class_name)) and contract.from_function(function):
            return _checked(function, contract, reference)
    raise NotLoadedError(
        f"the {contract.kind} {class_name} is not known here; it was defined in {file}, which has not been loaded", file
    )


def plugin_reference(plugin: type[Plugin]) -> str:
    """How a file refers to a class: by its name, or as ``file.py:Class``, without directories, if it is one's own."""
    file = plugin_file(plugin)
    return (
        plugin.name if file is None or plugin.name in _announced(plugin.room) else f"{file.name}:{plugin.__qualname__}"
    )


def plugin_file(plugin: type[Plugin]) -> Path | None:
    """The file in which a class of one's own is defined; None for built-in ones, and for those typed into a shell."""
    if plugin.__module__.startswith("graphfsa."):
        return None
    try:
        return Path(inspect.getfile(plugin)).resolve()
    except (TypeError, OSError):
        return None


def load_file(path: str | Path) -> ModuleType:
    """Run a Python file, once, for the classes that it defines.

    Raises:
        GraphFSAError: There is no such file, or it fails; the message says where.
    """
    try:
        file = Path(path).resolve()
        found = file.is_file()
    except (OSError, ValueError, RuntimeError):
        file, found = Path(path), False
    if not found:
        raise GraphFSAError(f"there is no file {str(path)!r}")
    running = sys.modules.get("__main__")
    if running is not None and Path(getattr(running, "__file__", None) or "").resolve() == file:
        return running
    if str(file) not in _files:
        _files[str(file)] = _executed(file)
    return _files[str(file)]


def loaded_files() -> list[str]:
    """The files that were loaded so far, for another process to load them too."""
    return list(_files)


def module_names(room: str) -> list[str]:
    """Names of the public modules of a package, with dashes, sorted."""
    package = importlib.import_module(room)
    modules = (module.name for module in pkgutil.iter_modules(package.__path__))
    return sorted(name.replace("_", "-") for name in modules if not name.startswith("_"))


@lru_cache
def _announced(room: str) -> dict[str, EntryPoint]:
    """What installed packages announce for a room, by name; looked up once, since all packages are looked at."""
    return {point.name: point for point in reversed(tuple(entry_points(group=room)))}


def _executed(file: Path) -> ModuleType:
    name = f"graphfsa_file_{file.stem}_{sha256(str(file).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise GraphFSAError(f"{file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        line = next((f", line {tb.lineno}" for tb in _frames(error) if tb.filename == str(file)), "")
        raise GraphFSAError(f"{file}{line}: {type(error).__name__}: {error}") from error
    return module


def _frames(error: BaseException) -> list[Any]:
    from traceback import extract_tb

    return list(reversed(extract_tb(error.__traceback__)))


def _own(contract: type[_P]) -> dict[str, type[_P]]:
    """Classes by name that were defined outside the room and can be built; the last of those with one name."""
    return {found.name.replace("_", "-"): found for found in _buildable(contract)}


def _buildable(contract: type[_P]) -> list[type[_P]]:
    defined: list[Any] = contract._defined  # pyright: ignore[reportPrivateUsage]
    return [found for found in defined if not inspect.isabstract(found) and issubclass(found, contract)]


def _only_class(module: ModuleType, contract: type[_P]) -> type[_P]:
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, contract) and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise GraphFSAError(
            f"module {module.__name__} must define exactly one {contract.kind}; it defines {len(found)}"
        )
    return found[0]


def _class_of(module: ModuleType, class_name: str, contract: type[_P], file: str) -> type[_P]:
    valid = [
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, contract)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
    ]
    if class_name not in vars(module):
        raise UnknownNameError(f"{contract.kind} in {file}", class_name, valid)
    return _checked(vars(module)[class_name], contract, f"{file}:{class_name}")


def _loaded(name: str) -> list[ModuleType]:
    """Modules that were loaded from a file with a name, and the running script if it is one."""
    running = sys.modules.get("__main__")
    modules = [module for path, module in _files.items() if Path(path).name == name]
    is_running = Path(getattr(running, "__file__", None) or "").name == name
    return [*modules, running] if running is not None and is_running else modules


def _checked(found: Any, contract: type[_P], what: str) -> type[_P]:
    if inspect.isfunction(found):
        found = contract.from_function(found) or found
    if not (isinstance(found, type) and issubclass(found, contract)):
        raise GraphFSAError(f"{what} must be a class that extends graphfsa.{contract.__name__}; got {found!r:.100}")
    return found


def _dashed(class_name: str, kind: str) -> str:
    """``MarkedNeighbour`` as ``marked-neighbour``; ``ParityAggregation``, an aggregation, as ``parity``."""
    short = re.sub(f"{kind.replace(' ', '')}$", "", class_name, flags=re.IGNORECASE) or class_name
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+", short)
    return "-".join(parts).lower() or short.lower()
