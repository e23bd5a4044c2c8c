"""The step that a user would write with other libraries, as well as those libraries allow."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs import Graph, to_networkx

Step = Callable[[], Any]


def packed_steps(
    fsa: GraphFSA, graph: Graph, states: Array, bound: int, threads: int, names: tuple[str, ...]
) -> dict[str, Step]:
    """The whole step with SciPy, GraphBLAS and torch, each by one product of the adjacency matrix with packed states.

    A state is a one in its own field of a 64-bit word, so one product counts all states; NumPy unpacks the counts. Rows
    are shared by the threads. Libraries that are not installed are left out.
    """
    field = 64 // fsa.num_states
    assert int(graph.degrees.max(initial=0)) < 1 << field, "the counts must fit"
    words = np.int64(1) << (field * np.arange(fsa.num_states, dtype=np.int64))
    cuts = [graph.num_nodes * part // threads for part in range(threads + 1)]
    pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def move(begin: int, end: int, sums: Array) -> Array:
        values: Any = 0
        for state in range(fsa.num_states):
            counts = sums >> np.int64(field * state) & np.int64((1 << field) - 1)
            values = values + np.minimum(counts, bound) * (bound + 1) ** state
        return fsa.transition_table[states[begin:end], values]

    def shared(part: Callable[[int, int], Any]) -> list[Any]:
        ranges = list(pairwise(cuts))
        return list(pool.map(lambda ends: part(*ends), ranges)) if pool else [part(*ends) for ends in ranges]

    products = {"SciPy": _scipy_product, "GraphBLAS": _graphblas_product, "torch": _torch_product}
    found: dict[str, Step] = {}
    for name in names:
        try:
            product = products[name](graph, cuts, threads, shared)
        except ImportError:
            continue

        def step(product: Callable[[Array], Array] = product) -> Any:
            sums = product(words[states])
            return shared(lambda begin, end: move(begin, end, sums[begin:end]))

        found[name] = step
    return found


def _scipy_product(graph: Graph, cuts: list[int], threads: int, shared: Any) -> Callable[[Array], Array]:
    from scipy.sparse import csr_array

    shape = (graph.num_nodes, graph.num_nodes)
    matrix: Any = csr_array((np.ones(graph.num_arcs, np.int64), graph.indices, graph.indptr), shape=shape)
    rows = {begin: matrix[begin:end] if threads > 1 else matrix for begin, end in pairwise(cuts)}
    return lambda packed: np.concatenate(shared(lambda begin, _end: rows[begin] @ packed))


def _graphblas_product(graph: Graph, cuts: list[int], threads: int, shared: Any) -> Callable[[Array], Array]:
    gb: Any = import_module("graphblas")
    from scipy.sparse import csr_array

    shape = (graph.num_nodes, graph.num_nodes)
    matrix = gb.io.from_scipy_sparse(
        csr_array((np.ones(graph.num_arcs, bool), graph.indices, graph.indptr), shape=shape)
    )

    def product(packed: Array) -> Array:
        gb.ss.config["nthreads"] = threads
        return gb.semiring.plus_second(matrix @ gb.Vector.from_dense(packed)).new().to_dense(fill_value=0)

    return product


def _torch_product(graph: Graph, cuts: list[int], threads: int, shared: Any) -> Callable[[Array], Array]:
    torch: Any = import_module("torch")
    sources = torch.from_numpy(graph.indices.astype(np.int64))
    targets = torch.from_numpy(graph.targets().astype(np.int64))

    def product(packed: Array) -> Array:
        torch.set_num_threads(threads)
        sums = torch.zeros(graph.num_nodes, dtype=torch.int64)
        return sums.index_add_(0, targets, torch.from_numpy(packed)[sources]).numpy()

    return product


def _csr(
    begin: int, end: int, indptr: Any, indices: Any, bits: Any, states: Any, table: Any, adds: Any, masks: Any,
    following: Any, following_bits: Any,
) -> int:  # fmt: skip
    changed = 0
    for node in range(begin, end):
        once, twice, thrice = np.uint8(0), np.uint8(0), np.uint8(0)
        for arc in range(indptr[node], indptr[node + 1]):
            bit = bits[indices[arc]]
            if len(adds) > 2:
                thrice |= twice & bit
            if len(adds) > 1:
                twice |= once & bit
            once |= bit
        value = adds[0][once]
        if len(adds) > 1:
            value += adds[1][twice]
        if len(adds) > 2:
            value += adds[2][thrice]
        state = table[states[node], value]
        changed += state != states[node]
        following[node], following_bits[node] = state, masks[state]
    return changed


def _bfs(indptr: Any, indices: Any, distance: Any, queue: Any) -> int:
    distance[:] = -1
    distance[0], queue[0], begin, end = 0, 0, 0, 1
    while begin < end:
        node = queue[begin]
        begin += 1
        for arc in range(indptr[node], indptr[node + 1]):
            seer = indices[arc]
            if distance[seer] < 0:
                distance[seer] = distance[node] + 1
                queue[end] = seer
                end += 1
    return end


def _read(begin: int, end: int, words: Any) -> int:
    total = np.uint64(0)
    part = words[begin:end]
    for place in range(len(part)):
        total ^= part[place]
    return int(total >> np.uint64(63))


@cache
def _plain(function: Callable[..., int]) -> Any:
    import numba

    return numba.njit(nogil=True, error_model="numpy")(function)


def csr_step(fsa: GraphFSA, graph: Graph, states: Array, bound: int, threads: int) -> Step:
    """A plain loop over the neighbour lists, compiled: states as bits, what was seen 1, 2 and 3 times in registers.

    At most three times, and eight states. The number of planes is known to the compiler.
    """
    masks = (1 << np.arange(fsa.num_states)).astype(np.uint8)
    sets = np.arange(1 << fsa.num_states)[:, None] >> np.arange(fsa.num_states) & 1
    adds = (sets @ (bound + 1) ** np.arange(fsa.num_states),) * bound
    following, bits = np.empty((2, len(states)), np.uint8)
    given = (graph.indptr, graph.indices, masks[states], states, fsa.transition_table, adds, masks, following, bits)

    def step() -> Array:
        run_ranges(_plain(_csr), len(states), threads, *given)
        return following

    return step


def breadth_first(graph: Graph) -> Step:
    """A plain breadth-first search from node 0, compiled; gives the distances."""
    distance, queue = np.empty((2, graph.num_nodes), np.int32)

    def search() -> Array:
        _plain(_bfs)(graph.indptr, graph.indices, distance, queue)
        return distance

    return search


def reading(size: int, threads: int) -> Step:
    """Read this number of bytes once."""
    words = np.ones(size // 8, np.uint64)
    return lambda: run_ranges(_plain(_read), len(words), threads, words)


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
