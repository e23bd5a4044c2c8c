"""Every error that GraphFSA raises on purpose.

::

    GraphFSAError (ValueError)
    ├── GraphError          a graph, its slots or a family's sizes
    ├── AutomatonError      states, tables, aggregations
    ├── StateError          starting states that do not fit graph or automaton
    ├── FormatError         a file whose content is malformed: says where
    ├── LimitError          a request that would not fit in memory: says what to choose instead
    ├── DrawError           too few random graphs are such as they must be
    ├── UnknownNameError    a name that is not registered: lists the valid ones
    ├── ClusterError        a cluster that can't be reached, or does not fit
    │   └── LostClusterError    one that was there and is gone: the command line exits with 1
    ├── NotLoadedError      a class of one's own whose file has not been loaded: names the file
    └── MissingExtraError   an optional library is needed: says what to install

Each message says what must hold and what was got. The command line prints it and exits with 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from shlex import quote


class GraphFSAError(ValueError):
    """The root of all errors raised on purpose."""


class GraphError(GraphFSAError):
    """A graph, its neighbour slots or the size of a family is not valid."""


class AutomatonError(GraphFSAError):
    """An automaton or an aggregation is not valid."""


class StateError(GraphFSAError):
    """States do not fit the graph or the automaton."""


class FormatError(GraphFSAError):
    """A file is malformed; the message names the file, the place and the field."""


class LimitError(GraphFSAError):
    """A request is too large; the message says how large and what to choose instead."""


class DrawError(GraphFSAError):
    """Too few random graphs are such as they must be; the message says of how many."""


class UnknownNameError(GraphFSAError):
    """A name is not known.

    Args:
        kind: What the name should have been, for example ``"automaton"``.
        name: The name that was given.
        valid: Every name that would have been accepted.
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        names = sorted(valid)
        close = get_close_matches(name, names, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        super().__init__(
            f"unknown {kind} {name!r}{hint}; {'valid names: ' + ', '.join(names) if names else 'it defines none'}"
        )


class ClusterError(GraphFSAError):
    """A cluster can't be reached, or is of another version."""


class LostClusterError(ClusterError):
    """A cluster, or too many of its workers, were there and are gone."""


class MissingExtraError(GraphFSAError):
    """An optional library is not installed.

    Args:
        library: The library that could not be imported.
        extra: The extra of GraphFSA that brings it.
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"this needs {library}, which is not installed; run: pip install 'graphfsa[{extra}]'")


class NotLoadedError(GraphFSAError):
    """A file refers to a class of one's own, and the Python file that defines it has not been loaded.

    Args:
        what: What is not known, and where it was defined.
        file: The Python file.
    """

    def __init__(self, what: str, file: str) -> None:
        super().__init__(f"{what}. If you trust that file, import it, or type: {plugin_command(file, 'COMMAND ...')}")
        self.what = what
        self.file = file


def plugin_command(file: str, command: str) -> str:
    """The command that loads a Python file first."""
    return f"graphfsa --plugin {quote(file)} {command}"
