"""``play``: an automaton on a graph, as a page on which both can be changed while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.automaton.states import node_states, parse_states
from graphfsa.checks import check_seed
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import PathLike, atomic_write
from graphfsa.graphs import Graph, as_graph, find_graph
from graphfsa.playground.page import playground_page
from graphfsa.playground.scenes import packed, scene
from graphfsa.playground.widget import widget_class
from graphfsa.views.notebooks import player

_MAX_SEED = 2**53 - 1
"""The largest integer that a page tells from its neighbours."""


@dataclass(frozen=True, eq=False)
class Playground:
    """A page on which an automaton runs on a graph, ready to be saved or shown. Notebooks show it.

    Attributes:
        scene: What is on the page at first, as JSON values; None for its own examples.
        title: Title of the window.
    """

    scene: dict[str, Any] | None = None
    title: str = "Playground"

    @cached_property
    def html(self) -> str:
        """The page: one file that loads nothing."""
        return playground_page(self.title, self.fragment)

    @property
    def fragment(self) -> str | None:
        """What follows the ``#`` in the address of a page that shows this."""
        return None if self.scene is None else packed(self.scene)

    def save(self, path: PathLike) -> None:
        """Write the page to an ``.html`` file, atomically."""
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise FormatError(f"{path}: a playground must be an .html file")
        atomic_write(path, self.html)

    def serve(
        self, *, port: int = 0, browser: bool = True, seconds: float = 600.0, tell: Callable[[str], None] = print
    ) -> None:
        """Show the page with Python behind it, on this machine alone: it learns, proves, asks and compares.

        Returns when it is interrupted (Ctrl-C). Under ``if __name__ == "__main__":`` if it is called in a script.

        Args:
            port: The port; 0 for one that is free.
            browser: Whether to open the page in the browser, if there is a desktop.
            seconds: How long the server may work on one thing.
            tell: Called with the address, which holds the key to the server: it is for you alone.

        Raises:
            GraphFSAError: Starlette or uvicorn is not installed (``pip install 'graphfsa[server]'``), or the port is
                taken.
        """
        try:
            from graphfsa.playground.server.serving import serve_page
        except ImportError as error:
            if error.name is None or error.name.partition(".")[0] not in ("starlette", "uvicorn"):
                raise
            raise GraphFSAError("the server needs Starlette and uvicorn: pip install 'graphfsa[server]'") from None
        page = playground_page(self.title, self.fragment, served=True)
        serve_page(page, port=port, browser=browser, seconds=seconds, tell=tell)

    def widget(self) -> Any:
        """The page as a notebook widget: edits come back as its ``automaton``, ``graph``, ``states`` and ``time``.

        Raises:
            GraphFSAError: anywidget is not installed (``pip install 'graphfsa[notebook]'``), or the page has no
                automaton of its own.
        """
        if self.scene is None:
            raise GraphFSAError("a widget shows an automaton on a graph: gf.play(fsa, graph).widget()")
        return widget_class()(page=self.html, wanted=self.scene)

    def _repr_html_(self) -> str:
        return player(self.html, self.title, width="100%", height=760, style="border: none")


def play(
    fsa: Any = None,
    graph: Any = None,
    states: ArrayLike | str | dict[Any, Any] | None = None,
    *,
    default: str | int | None = None,
    seed: int = 0,
    title: str | None = None,
    out: PathLike | None = None,
) -> Playground:
    """An automaton on a graph as a page: paint states, change rules, run, go back, share.

    Args:
        fsa: An automaton, a model that is one, the name of one in the library, or a file; without it the page begins
            with its own examples. One that moves at random takes the same coins as ``run`` with this seed.
        graph: A graph of ours, NetworkX, SciPy or PyG; ``FAMILY:ARGS`` such as ``moore-torus:64x64``; or a file.
        states: States at step 0, as for ``run``; random ones if not given.
        default: If ``states`` is a dict: the state of the nodes that it leaves out.
        seed: Seed of random graphs and states that are given by name, and of the coins.
        title: What it shows.
        out: An ``.html`` file to write.

    Example:
        >>> import graphfsa as gf
        >>> page = gf.play("life", "moore-torus:16x16", seed=1)
        >>> page.scene["world"]
        {'lattice': {'kind': 'moore', 'height': 16, 'width': 16, 'torus': True, 'slotted': False}}
    """
    if (fsa is None) != (graph is None) or (graph is None and states is not None):
        raise GraphFSAError("play takes an automaton and a graph, or neither: then the page begins with its examples")
    if check_seed(seed) > _MAX_SEED:
        raise GraphFSAError(f"the seed of a page must be at most {_MAX_SEED}; got {seed}")
    found = Playground()
    if fsa is not None:
        automaton = find_any_automaton(fsa)
        for_graph, for_states = np.random.default_rng(seed).spawn(2)
        world = find_graph(graph, for_graph) if isinstance(graph, str | Path) else as_graph(graph)
        automaton.aggregation.check_graph(world)
        begin = _states(automaton, world, states, default, for_states)
        found = Playground(scene(automaton, world, begin, seed=seed, title=title), title or "Playground")
    if out is not None:
        found.save(out)
    return found


def _states(
    fsa: GraphFSA | StochasticFSA, graph: Graph, states: Any, default: str | int | None, rng: np.random.Generator
) -> Array:
    if states is None or isinstance(states, str):
        return parse_states("random" if states is None else states, fsa, graph, rng)
    return node_states(fsa, graph, states, default)
