"""What is proved, as sentences; the same for the prover, the checkers and explanations."""

from __future__ import annotations

from graphfsa.datasets import EvolutionSpecification, Specification

_GRAPHS = {"connected": "connected graph", "directed": "directed graph"}


def claim_of(spec: Specification) -> str:
    """What is claimed, as a sentence."""
    if isinstance(spec, EvolutionSpecification):
        return f"on every {spec.graph_class} it moves as {spec.name} does, for any number of steps"
    return f"{where(spec.graph_class, spec.name)}, every node reaches its class and stays there"


def where(graph_class: str, name: str) -> str:
    """On which graphs."""
    return f"on every {_GRAPHS.get(graph_class, graph_class)} that is an instance of {name}"


def steps_of(changes: int | None) -> str:
    """From which step on all nodes of a tree are right, if none of them changes its state more often than that."""
    if changes is None:
        return "after some number of steps; no bound is known"
    return f"after at most {times(changes)} steps, where n is the number of nodes"


def times(changes: int) -> str:
    """A number of steps for each of n nodes: ``n``, ``2 n``."""
    return "n" if changes == 1 else f"{changes:,} n"
