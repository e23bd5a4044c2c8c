"""ES modules as one script: what a page needs that must load nothing.

In the directory the modules are plain: browsers and editors read them as they are, and there is no build. In the page
each becomes a function that is called once, in the order in which they need each other, so that their private names
stay apart. This knows the two forms that the modules use: ``import { a, b } from "./c.js";`` and ``export`` before a
``const``, ``let``, ``class`` or (async) ``function``.
"""

from __future__ import annotations

import re
from importlib.resources import files

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z0-9]+\.js)";\n', re.M)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|class|const|let)) ([\w$]+)", re.M)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.M)
STATIC = "graphfsa.playground"


def static_text(name: str) -> str:
    """The text of a file of the page: a module, the style sheet or the body."""
    return files(STATIC).joinpath("static", name).read_text(encoding="utf-8")


def linked(entry: str) -> str:
    """A module and all that it needs as one script in strict mode, with no name of its own outside."""
    order: list[str] = []
    _visit(entry, order, [])
    body = "\n".join(_wrapped(name) for name in order)
    return f'(() => {{\n"use strict";\n{body}\n}})();'


def _visit(name: str, order: list[str], above: list[str]) -> None:
    if name in above:
        raise AssertionError(f"modules need each other in a circle: {' -> '.join([*above, name])}")
    if name in order:
        return
    for match in _IMPORT.finditer(static_text(name)):
        _visit(match[2], order, [*above, name])
    order.append(name)


def _wrapped(name: str) -> str:
    text = static_text(name)
    text = _IMPORT.sub(lambda match: f"const {{{_renamed(match[1])}}} = {_variable(match[2])};\n", text)
    exported = [match[2] for match in _EXPORT.finditer(text)]
    text = _EXPORT.sub(r"\1 \2", text)
    if (other := _OTHER.search(text)) is not None:
        raise AssertionError(f"{name}: imports and exports must have one of two forms; got {other[0]!r}")
    return f"const {_variable(name)} = (() => {{\n{text.strip()}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _renamed(names: str) -> str:
    """``a as b`` of an import, as a pattern has it."""
    return re.sub(r"(\w+) as (\w+)", r"\1: \2", names)


def _variable(name: str) -> str:
    return f"module_{name.removesuffix('.js')}"
