"""The page as a widget of a notebook: what is edited there comes back as Python objects."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph
from graphfsa.playground._linking import static_text
from graphfsa.playground.scenes import SceneParts, read_scene


@lru_cache(maxsize=1)
def widget_class() -> Any:
    """The class of widgets; it exists only where anywidget is installed."""
    try:
        anywidget: Any = import_module("anywidget")
        traitlets: Any = import_module("traitlets")
    except ImportError:
        raise GraphFSAError("notebook widgets need anywidget: pip install 'graphfsa[notebook]'") from None

    class PlaygroundWidget(anywidget.AnyWidget):
        """A playground in a notebook.

        Attributes:
            page: The page.
            wanted: The scene that Python asked for last.
            found: The scene that is on the page, once it has been paused or changed.
        """

        _esm = static_text("widget.js")
        page = traitlets.Unicode().tag(sync=True)
        wanted = traitlets.Dict().tag(sync=True)
        found = traitlets.Dict().tag(sync=True)

        @property
        def parts(self) -> SceneParts:
            """What is on the page: automaton, graph, states, step."""
            return read_scene(self.found or self.wanted)

        @property
        def automaton(self) -> GraphFSA | StochasticFSA:
            """The automaton as it is on the page now."""
            return self.parts.automaton

        @property
        def graph(self) -> Graph:
            """The graph as it is on the page now."""
            return self.parts.graph

        @property
        def states(self) -> Array:
            """The state of each node on the page, uint8 [num_nodes]."""
            return self.parts.states

        @property
        def time(self) -> int:
            """The step that the page shows."""
            return self.parts.time

    return PlaygroundWidget
