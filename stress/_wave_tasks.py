"""Statements about waves, and automata that make them true; written by hand, for tests of proofs."""

from __future__ import annotations

from typing import Any

from graphfsa import GraphFSA, library
from graphfsa.aggregations import CountingAggregation, LettersAggregation, Sum
from graphfsa.datasets import Distance, WaveSpecification


class Modulo(WaveSpecification):
    """The distance from one root, modulo a number."""

    inputs, sources, one_source = ("node", "root"), {"root": 0}, True

    def __init__(self, modulus: int, graph_class: str = "connected") -> None:
        self.classes, self.period, self.graph_class = tuple(f"d{k}" for k in range(modulus)), modulus, graph_class

    def join(self, given: str, colours: frozenset[Any]) -> Any:
        return 0

    def label(self, distance: int, colour: Any) -> str:
        return self.classes[distance]


class Nearest(WaveSpecification):
    """Which of two kinds of sources is nearest; ties are a class of their own, or go to the first."""

    inputs, classes, sources = ("node", "srcA", "srcB"), ("A", "B", "tie"), {"srcA": "A", "srcB": "B"}

    def __init__(self, ties: bool = True, graph_class: str = "connected") -> None:
        self._ties, self.graph_class = ties, graph_class

    def join(self, given: str, colours: frozenset[Any]) -> Any:
        return min(colours) if len(colours) == 1 or not self._ties else "tie"

    def label(self, distance: int, colour: Any) -> str:
        return colour


class RootBit(WaveSpecification):
    """The bit of one root."""

    inputs, classes, sources, one_source = ("node", "root0", "root1"), ("0", "1"), {"root0": 0, "root1": 1}, True

    def __init__(self, graph_class: str = "connected") -> None:
        self.graph_class = graph_class

    def join(self, given: str, colours: frozenset[Any]) -> Any:
        return min(colours) if len(colours) == 1 else None

    def label(self, distance: int, colour: Any) -> str:
        return str(colour)


class FromLeaves(WaveSpecification):
    """The distance from the nearest node with at most one neighbour, modulo 2."""

    inputs, classes, leaf, period = ("node",), ("even", "odd"), 0, 2

    def __init__(self, graph_class: str = "connected") -> None:
        self.graph_class = graph_class

    def join(self, given: str, colours: frozenset[Any]) -> Any:
        return 0

    def label(self, distance: int, colour: Any) -> str:
        return self.classes[distance]


class Reached(WaveSpecification):
    """Which nodes of a directed graph a source reaches."""

    inputs, classes, sources, graph_class = ("node", "source"), ("yes",), {"source": 0}, "directed"

    def join(self, given: str, colours: frozenset[Any]) -> Any:
        return 0

    def label(self, distance: int, colour: Any) -> str:
        return "yes"


def counter(modulus: int, bound: int = 1, wait: int = 0) -> GraphFSA:
    """Distance modulo a number: a node takes the number after the first one that it sees. The root may wait a while."""
    names = [f"d{k}" for k in range(modulus)]
    waits = [f"wait{k}" for k in range(wait)]

    def move(state: str, counts: Any) -> str:
        if state == "root" or state in waits:
            line = ["root", *waits, "d0"]
            return line[line.index(state) + 1]
        return next((names[(k + 1) % modulus] for k in range(modulus) if state == "node" and counts[names[k]]), state)

    states = [*names, "node", "root", *waits]
    return GraphFSA.from_rule(
        states, CountingAggregation(bound=bound), move, starting_states=["node", "root"], final_states=names
    )


def lettered(modulus: int) -> GraphFSA:
    """The same with letters: one sum that tells which answers are there."""
    names = [f"d{k}" for k in range(modulus)]
    sums = tuple(Sum("count", 1, tuple(int(k == m) for m in range(modulus))) for k in range(modulus))

    def move(state: str, seen: Any) -> str:
        if state == "root":
            return "d0"
        return next((names[(k + 1) % modulus] for k in range(modulus) if state == "node" and seen[k]), state)

    return GraphFSA.from_rule(
        [*names, "node", "root"], LettersAggregation(sums), move, starting_states=["node", "root"], final_states=names
    )


def nearest(ties: bool = True) -> GraphFSA:
    """A node takes the answer that it sees; of several the tie, or the first."""

    def move(state: str, counts: Any) -> str:
        if state.startswith("src"):
            return state[-1]
        seen = [name for name in ("A", "B", "tie") if state == "node" and counts[name]]
        return state if not seen else seen[0] if len(seen) == 1 or not ties else "tie"

    names = ["A", "B", "tie", "node", "srcA", "srcB"]
    return GraphFSA.from_rule(
        names, CountingAggregation(bound=1), move, starting_states=names[3:], final_states=names[:3]
    )


def from_leaves() -> GraphFSA:
    """Nodes with at most one neighbour answer; others take the other answer than they see."""

    def move(state: str, counts: Any) -> str:
        if state != "node":
            return state
        if sum(counts[k] for k in range(3)) <= 1:
            return "even"
        return "odd" if counts["even"] else "even" if counts["odd"] else state

    names = ["even", "odd", "node"]
    return GraphFSA.from_rule(
        names, CountingAggregation(bound=2), move, starting_states=["node"], final_states=names[:2]
    )


def reached() -> GraphFSA:
    """Whoever sees one who was reached is reached."""

    def move(state: str, counts: Any) -> str:
        return "yes" if state != "node" or counts["yes"] else state

    names = ["yes", "node", "source"]
    return GraphFSA.from_rule(
        names, CountingAggregation(bound=1), move, starting_states=names[1:], final_states=names[:1]
    )


def misled_from_afar() -> GraphFSA:
    """Wrong on directed graphs: a root that waits is misled if it sees a node at distance 2 that has its answer."""
    fsa = counter(3, wait=3)

    def move(state: str, counts: Any) -> str:
        waiting = ["root", "wait0", "wait1", "wait2"]
        if state == "node" and any(counts[name] for name in waiting):
            return "d1"
        if state in waiting:
            return "d1" if counts["d2"] else [*waiting, "d0"][waiting.index(state) + 1]
        return next((f"d{(k + 1) % 3}" for k in range(3) if state == "node" and counts[f"d{k}"]), state)

    names, starts = fsa.state_names, ("node", "root")
    return GraphFSA.from_rule(names, fsa.aggregation, move, starting_states=starts, final_states=names[:3])


def misled_by_nobody() -> GraphFSA:
    """Wrong on directed graphs: a node without neighbours becomes idle, and whoever sees that becomes idle too."""

    def move(state: str, counts: Any) -> str:
        if state == "node" and (counts["idle"] or not any(counts[k] for k in range(4))):
            return "idle"
        return "yes" if state == "source" or (state == "node" and counts["yes"]) else state

    names = ["yes", "node", "source", "idle"]
    return GraphFSA.from_rule(
        names, CountingAggregation(bound=1), move, starting_states=names[1:3], final_states=names[:1]
    )


IN_STEP = """
states: even, odd, node, root
starting states: node, root
final states: even, odd
aggregation: counting bound=1
even stays
odd stays
node -> root
root -> even if some neighbour is odd or node
root -> odd if some neighbour is even
root -> even if no neighbour is root
root stays otherwise
"""
"""A learned automaton: all nodes change in the first step, wherever the root is."""

TRUE: dict[str, tuple[GraphFSA, WaveSpecification]] = {
    "distance": (counter(2), Modulo(2)),
    "modulo 3": (counter(3), Modulo(3)),
    "modulo 5": (counter(5), Modulo(5)),
    "modulo 3, counting to 2": (counter(3, bound=2), Modulo(3)),
    "modulo 3, letters": (lettered(3), Modulo(3)),
    "modulo 2, late": (counter(2, wait=3), Modulo(2)),
    "distance, in step": (GraphFSA.from_rules(IN_STEP), Distance().specifications()[0]),
    "nearest, ties": (nearest(), Nearest()),
    "nearest, first": (nearest(False), Nearest(False)),
    "root bit": (library.root_value(), RootBit()),
    "from leaves": (from_leaves(), FromLeaves()),
    "modulo 3 on trees": (counter(3), Modulo(3, "tree")),
    "nearest on trees": (nearest(), Nearest(graph_class="tree")),
    "nearest on paths": (nearest(), Nearest(graph_class="path")),
    "root bit on paths": (library.root_value(), RootBit("path")),
    "from leaves on trees": (from_leaves(), FromLeaves("tree")),
    "from leaves on paths": (from_leaves(), FromLeaves("path")),
    "reached": (reached(), Reached()),
    "modulo 3, directed": (counter(3), Modulo(3, "directed")),
    "nearest, directed": (nearest(), Nearest(graph_class="directed")),
    "root bit, directed": (library.root_value(), RootBit("directed")),
}
"""Automata that are right, with what they are right about."""
