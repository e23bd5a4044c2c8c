"""The step that a user would write with other libraries, as well as those libraries allow."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.graphs import Graph, to_networkx


def scipy_step(fsa: GraphFSA, graph: Graph, states: Array, bound: int) -> dict[str, Callable[[], Array]]:
    """The bare product of the adjacency matrix with one-hot states, and the whole step around it."""
    from scipy.sparse import csr_array

    shape = (graph.num_nodes, graph.num_nodes)
    ones = np.ones(graph.num_arcs, np.float32)
    matrix: Any = csr_array((ones, graph.indices, graph.indptr), shape=shape)
    weights = ((bound + 1) ** np.arange(fsa.num_states)).astype(np.float32)
    onehot = np.eye(fsa.num_states, dtype=np.float32)[states]

    def step() -> Array:
        counts = matrix @ np.eye(fsa.num_states, dtype=np.float32)[states]
        values = (np.minimum(counts, bound) @ weights).astype(np.int64)
        return fsa.transition_table[states, values]

    return {"product": lambda: matrix @ onehot, "step": step}


def torch_step(fsa: GraphFSA, graph: Graph, states: Array, bound: int) -> Callable[[], Any] | None:
    """The same step by scattering one-hot states along the arcs; None without torch."""
    try:
        import torch
    except ImportError:
        return None
    sources = torch.from_numpy(graph.indices.astype(np.int64))
    targets = torch.from_numpy(graph.targets().astype(np.int64))
    table = torch.from_numpy(fsa.transition_table.astype(np.int64))
    weights = torch.tensor([(bound + 1) ** m for m in range(fsa.num_states)])
    current = torch.from_numpy(states.astype(np.int64))

    def step() -> Any:
        onehot = torch.nn.functional.one_hot(current, fsa.num_states).to(torch.float32)
        counts = torch.zeros_like(onehot).index_add_(0, targets, onehot[sources])
        values = (counts.clamp(max=bound).to(torch.int64) * weights).sum(1)
        return table[current, values]

    return step


def numpy_life(cells: Array) -> Array:
    """One step of Life on a torus by rolling the array."""
    around = sum(np.roll(cells, (dr, dc), (0, 1)) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc)
    return ((around == 3) | (cells & (around == 2))).astype(np.uint8)


def lifelib_seconds(cells: Array, generations: int) -> Callable[[], float] | None:
    """A function that takes the time lifelib needs for the soup on the infinite plane; None if lifelib can't run.

    Each call starts from a fresh tree: lifelib remembers what it has computed, and would answer a second time at once.
    """
    try:
        import lifelib  # pyright: ignore[reportMissingImports]

        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            session = lifelib.load_rules("b3s23")
    except (
        Exception
    ):  # It compiles itself on first use and can fail in many ways: then there is nothing to compare with.
        return None

    def seconds() -> float:
        pattern = session.lifetree(n_layers=1, memory=4000).pattern()
        pattern[0 : cells.shape[1], 0 : cells.shape[0]] = cells.astype(bool)
        started = perf_counter()
        pattern.advance(generations)
        return perf_counter() - started

    return seconds


def ndlib_epidemic(graph: Graph, infect: float, recover: float, ill: int, seed: int) -> Callable[[], int] | None:
    """A function that runs NDlib's SIR model until nobody is ill and returns its steps; None without NDlib."""
    try:
        configurations: Any = import_module("ndlib.models.ModelConfig")
        epidemics: Any = import_module("ndlib.models.epidemics")
    except ImportError:
        return None
    model = epidemics.SIRModel(to_networkx(graph), seed=seed)
    configuration = configurations.Configuration()
    configuration.add_model_parameter("beta", infect)
    configuration.add_model_parameter("gamma", recover)
    configuration.add_model_initial_configuration("Infected", list(range(ill)))
    model.set_initial_status(configuration)

    def steps() -> int:
        model.reset()
        made = 0
        while model.iteration(node_status=False)["node_count"][1]:  # The first one only says how it begins.
            made += 1
        return made

    return steps


def eon_epidemics(graph: Graph, infect: float, ill: int, seed: int) -> Callable[[], tuple[int, int]] | None:
    """A function that makes one run of EoN's discrete SIR and returns final size and peak; None without EoN."""
    try:
        eon: Any = import_module("EoN")
    except ImportError:
        return None
    network, rng = to_networkx(graph), np.random.default_rng(seed)

    def once() -> tuple[int, int]:
        _, _, infected, recovered = eon.basic_discrete_SIR(network, infect, list(range(ill)), rng=rng)
        return int(recovered[-1]), int(infected.max())

    return once
