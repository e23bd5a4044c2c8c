"""Random graphs, lattices, automata and states for the tests, as hypothesis strategies."""

from functools import lru_cache

import numpy as np
from hypothesis import strategies as st

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphFSA,
    Lattice,
    LettersAggregation,
    PositionalAggregation,
    RelationsAggregation,
    WeightedSumAggregation,
)
from graphfsa.aggregations import Sum

STATE_NUMBERS = (2, 3, 4, 2, 8, 17, 5, 1)
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def plain_graphs(draw, max_nodes=9):
    """Directed or undirected, with isolated nodes, self-loops and repeated edges; sometimes empty."""
    num_nodes = draw(st.integers(0, max_nodes))
    if num_nodes == 0:
        return Graph.from_edges(0, [])
    node = st.integers(0, num_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=2 * num_nodes))
    edges += draw(st.lists(st.sampled_from(edges), max_size=5)) if edges else []
    return Graph.from_edges(num_nodes, edges, directed=draw(st.booleans()))


@st.composite
def scattered_graphs(draw, max_nodes=60):
    """Like plain graphs, but larger and drawn from a seed; a few nodes are hubs."""
    rng = np.random.default_rng(draw(SEEDS))
    num_nodes = draw(st.integers(1, max_nodes))
    num_edges = draw(st.integers(0, 3 * num_nodes))
    edges = rng.integers(0, num_nodes, (num_edges, 2))
    edges[rng.random(num_edges) < 0.2, 0] = 0
    return Graph.from_edges(num_nodes, edges, directed=draw(st.booleans()))


@st.composite
def slotted_graphs(draw, max_nodes=9, num_slots=None):
    """Directed graphs with at most one arc per node and slot; the highest slots may be unused."""
    num_nodes = draw(st.integers(0, max_nodes))
    num_slots = draw(st.integers(1, 3)) if num_slots is None else num_slots
    source = st.integers(-2, num_nodes - 1)  # Below 0: nobody is there.
    chosen = draw(st.lists(source, min_size=num_nodes * num_slots, max_size=num_nodes * num_slots))
    arcs = [(u, place // num_slots, place % num_slots) for place, u in enumerate(chosen) if u >= 0]
    return Graph.from_edges(num_nodes, [arc[:2] for arc in arcs], directed=True, slots=[arc[2] for arc in arcs])


@st.composite
def kind_graphs(draw, max_nodes=9, names=("b", "a", "c d")):
    """Graphs whose arcs are of kinds, which arcs of a node share; arcs repeat, and some kinds are not used."""
    num_nodes = draw(st.integers(0, max_nodes))
    if num_nodes == 0:
        return Graph.from_edges(0, [])
    kinds = names[: draw(st.integers(1, len(names)))]
    node, kind = st.integers(0, num_nodes - 1), st.integers(0, len(kinds) - 1)
    edges = draw(st.lists(st.tuples(node, node, kind), max_size=3 * num_nodes))
    pairs, slots = [edge[:2] for edge in edges], [edge[2] for edge in edges]
    return Graph.from_edges(num_nodes, pairs, directed=draw(st.booleans()), slots=slots, kinds=kinds)


@st.composite
def lattices(draw, slotted=None, max_height=6, wide=True):
    """Lattices of every kind; widths are small or lie around the 64 cells of a machine word."""
    kind = draw(st.sampled_from(["line", "von-neumann", "moore", "hex"]))
    torus = draw(st.booleans())
    widths = st.integers(1, 6) | st.integers(63, 66) if wide else st.integers(1, 6)
    height = 1 if kind == "line" else draw(st.integers(1, max_height))
    if kind == "hex" and torus and height % 2:
        height += 1
    slots = draw(st.booleans()) if slotted is None else slotted
    return Graph.from_lattice(Lattice(kind, height, draw(widths), torus, slots))


def random_automaton(num_states, aggregation, seed, stay=0.0, finals=0):
    """An automaton with a random table; an entry keeps its state with chance ``stay``, final rows always do."""
    rng = np.random.default_rng(seed)
    num_values = aggregation.num_values(num_states)
    table = rng.integers(0, num_states, (num_states, num_values), dtype=np.uint8)
    own = np.arange(num_states, dtype=np.uint8)[:, None]
    if stay:
        table = np.where(rng.random(table.shape, dtype=np.float32) < stay, own, table)
    final = sorted(rng.choice(num_states, finals, replace=False).tolist())
    table[final] = own[final]
    names = [f"s{state}" for state in range(num_states)]
    return GraphFSA(names, aggregation, table, final_states=final)


# Tables of 17 states have millions of entries: a few are made and used again.
_large_automaton = lru_cache(maxsize=12)(random_automaton)


@st.composite
def counting(draw, num_states):
    """A counting aggregation whose table stays small."""
    bounds = {1: 9, 2: 9, 3: 9, 4: 5, 5: 4, 8: 2}
    return CountingAggregation(bound=draw(st.integers(1, bounds.get(num_states, 1))))


LEVELS = st.sampled_from([(0.5,), (1.0,), (1 / 3, 2 / 3), (0.1,), (0.25, 0.5, 1.0), (0.3, 0.7)])


@st.composite
def average_threshold(draw, num_states):
    """An average-threshold aggregation over all states or over a few."""
    if num_states <= 4 and draw(st.booleans()):
        return AverageThresholdAggregation(draw(LEVELS))
    watched = draw(st.sets(st.integers(0, num_states - 1), min_size=1, max_size=min(3, num_states)))
    return AverageThresholdAggregation({state: draw(LEVELS) for state in watched})


@st.composite
def sums(draw, num_states):
    """A sum of letters; many are about a few states that count once, as people write them."""
    kind = draw(st.sampled_from(["count", "count", "modulo", "highest"]))
    limit = draw(st.integers(2 if kind == "modulo" else 1, 4))
    most = 1 if draw(st.booleans()) else limit - (kind == "modulo")
    return Sum(kind, limit, tuple(draw(st.lists(st.integers(0, most), max_size=num_states))))


@st.composite
def letters(draw, num_states, max_sums=3):
    """A letters aggregation; sometimes two sums follow from each other, or there are none."""
    some = draw(st.lists(sums(num_states), max_size=max_sums))
    return LettersAggregation(tuple(some))


@st.composite
def weighted_sum(draw, num_states):
    """Weights of both signs, some 0, and a few thresholds around them."""
    weights = draw(st.lists(st.integers(-3, 4), max_size=num_states))
    thresholds = sorted(draw(st.sets(st.integers(-5, 8), min_size=1, max_size=3)))
    return WeightedSumAggregation(tuple(weights), tuple(thresholds))


@st.composite
def relations(draw, num_states, kinds=("b", "a", "c d")):
    """Kinds with bounds of their own, of which one may be 0; few where there are many states."""
    most = {1: 3, 2: 3, 3: 2, 4: 1, 5: 1}.get(num_states, 0)
    chosen = list(kinds)[: draw(st.integers(1, len(kinds)))]
    if most == 0 or (most == 1 and num_states == 5):
        bounds = [0] * len(chosen)
        bounds[draw(st.integers(0, len(chosen) - 1))] = 1
    else:
        bounds = draw(st.lists(st.integers(0, most), min_size=len(chosen), max_size=len(chosen)).filter(any))
    return RelationsAggregation(tuple(chosen), tuple(bounds))


KINDS = ("positional", "counting", "average", "letters", "weighted")


@st.composite
def automata(draw, num_slots=None, num_states=None, kinds=KINDS, finals=None):
    """A random automaton; positional only if ``num_slots`` is given. Often most entries keep their state."""
    kinds = [kind for kind in kinds if kind != "positional" or num_slots is not None]
    states = draw(st.sampled_from(STATE_NUMBERS)) if num_states is None else num_states
    kind = draw(st.sampled_from(kinds))
    if kind == "positional":
        spare = draw(st.integers(0, 1))
        slots = num_slots + spare if (states + 1) ** (num_slots + spare) <= 2**18 else num_slots
        while states > 1 and (states + 1) ** slots > 2**19:
            states -= 1
        aggregation = PositionalAggregation(num_slots=slots)
    else:
        makers = {
            "counting": counting,
            "average": average_threshold,
            "letters": letters,
            "weighted": weighted_sum,
        }
        aggregation = draw(makers[kind](states))
    stay = draw(st.sampled_from([0.0, 0.5, 0.9, 0.98]))
    finals = draw(st.integers(0, min(2, states))) if finals is None else finals
    large = states * aggregation.num_values(states) > 2**16
    seed = draw(st.integers(0, 2) if large else SEEDS)
    return (_large_automaton if large else random_automaton)(states, aggregation, seed, stay, finals)


@st.composite
def states_for(draw, fsa, graph):
    """Random states; often all but a few nodes are in one state."""
    rng = np.random.default_rng(draw(SEEDS))
    states = rng.integers(0, fsa.num_states, graph.num_nodes)
    if draw(st.booleans()):
        states[rng.random(graph.num_nodes) < 0.8] = draw(st.integers(0, fsa.num_states - 1))
    return states


@st.composite
def cases(draw, graphs, **options):
    """An automaton, a graph that it can run on, and states for them."""
    graph = draw(graphs)
    fsa = draw(automata(num_slots=None if graph.slots is None else graph.num_slots, **options))
    return fsa, graph, draw(states_for(fsa, graph))


def any_graphs(wide=False):
    """Small graphs of every sort."""
    return st.one_of(plain_graphs(), slotted_graphs(), lattices(max_height=4, wide=wide))
