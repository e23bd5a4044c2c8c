"""Is an automaton right on every connected graph? A proof by waves.

A source is the beginning of a wave that runs one edge a step. For every class of nodes and every clock, the time since
the wave arrived, the prover finds a set of states: the smallest sets that contain the starting states and are closed
under every step with every neighbourhood that nodes of these classes can have. No node of any graph leaves its set. If
late sets hold the right answer only, the automaton is right on all graphs.

The sets are a certificate: ``_wave_checker`` checks them without any code of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import WaveSpecification, WaveTable
from graphfsa.errors import LimitError
from graphfsa.proofs._wave_model import NodeClass, WaveModel, Window
from graphfsa.proofs._wave_search import WaveSearch

KIND = "waves"
WINDOWS = (Window(1, 1, 2), Window(1, 2, 5), Window(2, 2, 5, 2, 2), Window(3, 6, 24))
"""What is told apart, tried one after the other."""


@dataclass(frozen=True)
class WaveProof:
    """What came of an attempt.

    Attributes:
        verdict: ``proved`` or ``undecided``.
        reason: Why, in words.
        lag: If it was proved: a node at distance d from the nearest source has its answer from step d + lag on.
        certificate: If it was proved: the closed sets, as JSON values.
        seconds: How long it took.
    """

    verdict: Literal["proved", "undecided"]
    reason: str
    lag: int | None
    certificate: dict[str, Any] | None
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether there is a proof."""
        return self.verdict == "proved"


def prove_waves(fsa: GraphFSA, spec: WaveSpecification, *, windows: Sequence[Window] = WINDOWS) -> WaveProof:
    """Try to prove that an automaton does what a specification says on every graph of its class.

    Args:
        fsa: The automaton; its starting and final states have the names of the specification's inputs and classes.
        spec: The statement.
        windows: What is told apart, tried one after the other.

    Raises:
        GraphFSAError: The automaton has no states for an input or a class.
        LimitError: There are too many classes of nodes or neighbourhoods even for the first window.

    Example:
        >>> from graphfsa import library
        >>> from graphfsa.datasets import Distance
        >>> found = prove_waves(library.distance(), Distance().specifications()[0])
        >>> found.verdict, found.lag
        ('proved', 1)
    """
    began = perf_counter()
    table = spec.table
    reading = table.task.reading(fsa)
    reason = _refusal(fsa)
    for number, window in enumerate(windows if not reason else ()):
        try:
            searches = [WaveSearch(fsa, reading, WaveModel(table, window, source)) for source in _sources(table)]
            reason = next(filter(None, (search.problem() for search in searches)), "")
        except LimitError as error:
            if not number:
                raise
            reason += f"; with more told apart, {error}"
            break
        if not reason:
            lag = max(search.lag for search in searches)
            certificate = _certificate(fsa, table, window, lag, searches)
            return WaveProof("proved", _claim(table, lag), lag, certificate, perf_counter() - began)
    return WaveProof("undecided", reason, None, None, perf_counter() - began)


def closed_sets(
    fsa: GraphFSA, spec: WaveSpecification, window: Window
) -> dict[int | None, dict[NodeClass, list[set[int]]]]:
    """The smallest closed sets by class and clock, right or wrong, for each input of the source if there is one.

    Raises:
        LimitError: There are too many classes of nodes or neighbourhoods.
    """
    table = spec.table
    reading = table.task.reading(fsa)
    found: dict[int | None, dict[NodeClass, list[set[int]]]] = {}
    for source in _sources(table):
        search = WaveSearch(fsa, reading, WaveModel(table, window, source))
        search.close()
        found[source] = search.sets
    return found


def _refusal(fsa: GraphFSA) -> str:
    """Why waves can't be about an automaton, if that is so."""
    aggregation = fsa.aggregation
    if aggregation.uses_slots:
        return f"proofs by waves are about neighbours without slots; {aggregation.name} aggregation tells them apart"
    nothing = aggregation.encode([], [], fsa.num_states)
    if aggregation.with_neighbour(nothing, 0, 0, fsa.num_states) is None:
        return (
            f"with {aggregation.name} aggregation the value of a neighbourhood does not say what it becomes with one "
            "more neighbour, so that neighbourhoods of every size can't be listed"
        )
    return ""


def _sources(table: WaveTable) -> list[int | None]:
    """What is looked at by itself: if there is one source, each input that it can have."""
    return [given for given, colour in enumerate(table.sources) if colour is not None] if table.one_source else [None]


def _claim(table: WaveTable, lag: int) -> str:
    kinds = {"connected": "connected graph", "tree": "tree", "path": "path", "directed": "directed graph"}
    words = f"on every {kinds[table.graph_class]} that is an instance of {table.name}, every node has its class"
    late = f"from step d + {lag} on, where d is its distance from the nearest source"
    return f"{words} {late}" + ("; a node that no source reaches never answers" * (table.graph_class == "directed"))


def _certificate(
    fsa: GraphFSA, table: WaveTable, window: Window, lag: int, searches: Sequence[WaveSearch]
) -> dict[str, Any]:
    return {
        "task": table.name,
        "graph_class": table.graph_class,
        "specification": table.digest,
        "automaton": fsa.digest,
        **window._asdict(),
        "lag": lag,
        "sets": [row for search in searches for row in search.rows()],
    }
