"""Random automata, graphs and starts, as the page takes them, with what the package makes of them."""

import numpy as np

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphFSA,
    Lattice,
    LettersAggregation,
    PositionalAggregation,
    StochasticFSA,
    run,
)
from graphfsa.aggregations import Sum
from graphfsa.engine.coins import thresholds
from graphfsa.engine.reference import reference_random_step, reference_run
from graphfsa.playground.scenes import world_of

LEVELS = [(0.5,), (1.0,), (1 / 3, 2 / 3), (0.1,), (0.25, 0.5, 1.0), (0.3, 0.7)]


def random_sum(rng, num_states):
    kind = ("count", "modulo", "highest")[rng.integers(3)]
    limit = int(rng.integers(2 if kind == "modulo" else 1, 5))
    most = limit - (kind == "modulo")
    return Sum(kind, limit, tuple(rng.integers(0, rng.integers(1, most + 1) + 1, num_states).tolist()))


def random_aggregation(rng, num_states, num_slots):
    kind = rng.integers(4 if num_slots else 3)
    if kind == 0:
        return CountingAggregation(int(rng.integers(1, {1: 9, 2: 9, 3: 5, 4: 3}.get(num_states, 2))))
    if kind == 1:
        watched = rng.choice(num_states, rng.integers(1, min(3, num_states) + 1), replace=False).tolist()
        chosen = {state: LEVELS[rng.integers(len(LEVELS))] for state in watched}
        return AverageThresholdAggregation(chosen if rng.random() < 0.7 or num_states > 3 else LEVELS[0])
    if kind == 2:
        return LettersAggregation(tuple(random_sum(rng, num_states) for _ in range(rng.integers(0, 4))))
    spare = int(rng.random() < 0.3 and (num_states + 1) ** (num_slots + 1) < 5000)
    return PositionalAggregation(num_slots + spare)


def random_graph(rng):
    """Lattices of all kinds, directed and undirected graphs, with slots too; empty, isolated nodes, loops, hubs."""
    kind = rng.integers(4)
    if kind == 0:
        shape = ("line", "von-neumann", "moore", "hex")[rng.integers(4)]
        torus = bool(rng.random() < 0.5)
        height = 1 if shape == "line" else int(rng.integers(1, 7))
        height += shape == "hex" and torus and height % 2
        return Graph.from_lattice(Lattice(shape, height, int(rng.integers(1, 8)), torus, bool(rng.random() < 0.5)))
    num_nodes = int(rng.integers(0, 13))
    if num_nodes == 0:
        return Graph.from_edges(0, [])
    if kind == 1:
        slots = int(rng.integers(1, 4))
        chosen = rng.integers(-1, num_nodes, num_nodes * slots)
        arcs = [(int(u), place // slots, place % slots) for place, u in enumerate(chosen) if u >= 0]
        return Graph.from_edges(num_nodes, [arc[:2] for arc in arcs], directed=True, slots=[arc[2] for arc in arcs])
    edges = rng.integers(0, num_nodes, (int(rng.integers(0, 3 * num_nodes)), 2))
    edges[rng.random(len(edges)) < 0.2, 0] = 0
    return Graph.from_edges(num_nodes, edges, directed=kind == 2)


def random_fsa(rng, num_slots, coins=False):
    num_states = int(rng.choice([1, 2, 2, 3, 4, 5]))
    aggregation = random_aggregation(rng, num_states, num_slots)
    while num_states * aggregation.num_values(num_states) > 4000:
        aggregation = random_aggregation(rng, num_states, 0)
    shape = (num_states, aggregation.num_values(num_states))
    names = [f"s{state}" for state in range(num_states)]
    if coins:
        weights = rng.random((*shape, num_states)) * (rng.random((*shape, num_states)) < 0.6)
        weights += np.eye(num_states)[rng.integers(0, num_states, shape)]
        return StochasticFSA(names, aggregation, weights / weights.sum(axis=2, keepdims=True))
    table = rng.integers(0, num_states, shape, dtype=np.uint8)
    table = np.where(rng.random(shape) < rng.choice([0.0, 0.5, 0.97]), np.arange(num_states)[:, None], table)
    return GraphFSA(names, aggregation, table)


def as_case(fsa, graph, states, steps, seed):
    world = world_of(graph)
    plain = {"names": fsa.state_names, "starting": fsa.starting_states, "final": fsa.final_states}
    plain |= {"aggregation": fsa.aggregation.config(), "table": fsa.transition_table.reshape(-1).tolist()}
    plain["outcomes"] = thresholds(fsa.outcomes).tolist() if isinstance(fsa, StochasticFSA) else None
    return {"fsa": plain, "graph": world, "states": states.tolist(), "steps": steps, "seed": seed}


def random_cases(count, seed, coins=0.2, plain=False):
    """Cases, and the digests of the states that they end in; by the plain reference, or by ``run``."""
    rng = np.random.default_rng(seed)
    cases, digests = [], []
    for _ in range(count):
        graph = random_graph(rng)
        random = bool(rng.random() < coins)
        fsa = random_fsa(rng, graph.num_slots, random)
        states = rng.integers(0, fsa.num_states, graph.num_nodes, dtype=np.uint8)
        steps, own = int(rng.integers(0, 9)), int(rng.choice([0, 1, 2**40 + 5, rng.integers(0, 2**53)]))
        cases.append(as_case(fsa, graph, states, steps, own))
        digests.append(_digest(fsa, graph, states, steps, own, plain))
    return cases, digests


def _digest(fsa, graph, states, steps, seed, plain):
    from hashlib import sha256

    if not plain:
        return run(fsa, graph, states, steps, seed=seed).digest
    last = states.tolist()
    if isinstance(fsa, GraphFSA):
        last = reference_run(fsa, graph, last, steps)[-1]
    else:
        for step in range(steps):
            last = reference_random_step(fsa, graph, last, seed=seed, step=step)
    return sha256(bytes(last)).hexdigest()
