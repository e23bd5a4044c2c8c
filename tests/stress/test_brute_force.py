"""The brute force of the soundness campaign against what is known, and that the campaign notices wrong claims."""

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest

from graphfsa import CountingAggregation, GraphFSA, PositionalAggregation, library
from graphfsa.analysis import verify
from graphfsa.graphs import Graph
from stress import _soundness_automata, _soundness_data, _soundness_tables, soundness
from stress._brute_force import (
    Machine,
    TooManyError,
    Wanted,
    canonical,
    coarsest,
    completions,
    every_directed,
    every_graph,
    instances,
    occurring,
    plain,
    smallest_difference,
    some_table_fits,
    undirected,
)

PAIR, POINT = undirected(2, [(0, 1)]), undirected(1, [])


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("tree", [1, 1, 1, 2, 3]),
        ("connected", [1, 1, 2, 6, 21]),
        ("path", [1, 1, 1, 1, 1]),
        ("cycle", [0, 0, 1, 1, 1]),
        ("row", [1, 1, 1, 1, 1]),
        ("ring", [1, 1, 1, 1, 1]),
    ],
)
def test_every_graph_once(kind, counts):
    assert [len(every_graph(kind, size)) for size in range(1, 6)] == counts


def test_directed_graphs_rows_and_rings():
    assert len(every_directed(2, 0)) == 2**4
    assert len(every_directed(2, 2)) == 3**4
    assert every_graph("row", 3) == ((((1, 1),), ((0, 0), (2, 1)), ((1, 0),)),)
    assert every_graph("ring", 1) == ((((0, 0), (0, 1)),),)
    assert len(list(instances("path", 3, 2))) == 2 + 4 + 8


def test_numberings_do_not_matter():
    path, turned = undirected(3, [(0, 1), (1, 2)]), undirected(3, [(2, 0), (0, 1)])
    assert canonical(path) == canonical(turned)
    assert canonical(path, [0, 1, 0]) == canonical(turned, [1, 0, 0]) != canonical(turned, [0, 1, 0])
    assert plain(Graph.from_edges(2, [(1, 1), (0, 1)], directed=True)) == ((), ((0, -1), (1, -1)))


def test_distances_by_hand():
    machine = Machine.of(library.distance())
    even, odd, node, root = map(library.distance().state_names.index, ("even", "odd", "node", "root"))
    path = undirected(4, [(0, 1), (1, 2), (2, 3)])
    assert machine.run(path, (root, node, node, node), 4) == (even, odd, even, odd)
    assert machine.history(POINT, (node,)) == [(node,)]
    assert machine.answers((even, node, odd, root)) == (0, None, 1, None)


def test_all_tables_are_tried():
    """Entries are decided when they are needed; one after the other, all tables give the same answer."""
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(60):
        targets = rng.integers(0, 2, 4).tolist()
        path = undirected(3, [(0, 1), (1, 2)])
        graphs = [Wanted(POINT, (2,), (targets[0],), 2), Wanted(path, (2, 2, 2), tuple(targets[1:]), 2)]
        literally = False
        for following in product(range(3), repeat=8):
            whole = {(2, value): state for value, state in enumerate(following)}
            machine = Machine(CountingAggregation(1), 3, whole, (2,), (0, 1))
            literally |= all(machine.run(g.arcs, g.start, g.steps) == g.targets for g in graphs)
            if literally:
                break
        assert some_table_fits(Machine(CountingAggregation(1), 3, {}, (2,), (0, 1)), graphs, 10**6) == literally
        outcomes.add(literally)
    assert outcomes == {True, False}


def test_tables_are_forgotten_again():
    machine = Machine(CountingAggregation(1), 3, {}, (2,), (0, 1))
    assert len(list(completions(machine, [Wanted(PAIR, (2, 2), (0, 0), 1)], 100))) == 1
    assert machine.table == {}
    with pytest.raises(TooManyError):
        list(completions(machine, [Wanted(PAIR, (2, 2), (None, None), 9)], 1))


def test_where_tables_differ():
    """A pair says nothing about a point; a point and a pair say everything about both."""
    point, pair = Wanted(POINT, (2,), (0,), 1), Wanted(PAIR, (2, 2), (1, 1), 1)
    asked = [(point, (0,)), (pair, (1, 1))]
    for data, size in (([], 1), ([pair], 1), ([point], 2), ([point, pair], None)):
        machine = Machine(CountingAggregation(1), 3, {}, (2,), (0, 1))
        assert smallest_difference(machine, data, asked, 10**6) == size


def test_states_that_nobody_can_tell_apart():
    """``wait`` and ``wait too`` are one, ``no`` can't occur."""
    twins = GraphFSA.from_rule(
        ["no", "yes", "start", "wait", "wait too"],
        CountingAggregation(1),
        lambda state, seen: {"start": "wait" if seen["yes"] else "wait too"}.get(state, "yes"),
        starting_states=["start", "yes"],
        final_states=["yes"],
    )
    machine = Machine.of(twins)
    states = occurring(machine, 5, 0)
    assert states == (1, 2, 3, 4)
    assert sorted(map(sorted, coarsest(machine, states, 5, 0))) == [[1], [2], [3, 4]]
    left = GraphFSA.from_rule(
        ["yes", "a", "b"],
        PositionalAggregation(2),
        lambda s, seen: "yes" if seen[0] == "b" else s,
        final_states=["yes"],
    )
    assert len(coarsest(Machine.of(left), (0, 1, 2), 0, 2)) == 3


def test_the_campaign_is_the_same_each_time(tmp_path):
    rngs = [np.random.default_rng(3) for _ in range(2)]
    kinds = [list(islice(soundness.cases(rng, tmp_path), 6)) for rng in rngs]
    assert kinds[0] == kinds[1]
    assert kinds[0][0] == "verify counting"
    assert rngs[0].bit_generator.state == rngs[1].bit_generator.state


CHECKS = [
    (soundness, soundness.check_verify, "verify"),
    (soundness, soundness.check_verify_data, "verify"),
    (_soundness_automata, _soundness_automata.check_compare, "compare"),
    (_soundness_automata, _soundness_automata.check_minimise, "minimise"),
    (_soundness_data, _soundness_data.check_coverage, "coverage"),
    (_soundness_data, _soundness_data.check_suggestions, "suggest"),
    (_soundness_tables, _soundness_tables.check_learning, "check_impossibility"),
]
LIES = {
    "verify": lambda found: replace(found, verified=not found.verified),
    "compare": lambda found: replace(found, equivalent=not found.equivalent),
    "minimise": lambda found: replace(found, mapping=(-1,) * len(found.mapping)),
    "coverage": lambda found: replace(found, wrong=found.wrong + 1),
    "suggest": lambda found: replace(found, determined=not found.determined),
    "check_impossibility": lambda found: replace(found, holds=not found.holds),
}


@pytest.mark.parametrize(("module", "check", "function"), CHECKS)
def test_each_check_passes_and_notices_a_lie(module, check, function, tmp_path, monkeypatch):
    check(np.random.default_rng(1), "counting", tmp_path)
    honest = getattr(module, function)
    monkeypatch.setattr(module, function, lambda *given, **options: LIES[function](honest(*given, **options)))
    with pytest.raises(AssertionError, match=r"(fsa|learner|a): "):
        check(np.random.default_rng(1), "counting", tmp_path)


def test_what_is_said_can_be_run_again(tmp_path, monkeypatch):
    """The message has the table of the automaton."""
    monkeypatch.setattr(soundness, "verify", lambda *given: replace(verify(*given), verified=False))
    with pytest.raises(AssertionError, match=r"fsa: \['.*CountingAggregation\(bound=\d\) \[\["):
        for seed in range(20):
            soundness.check_verify(np.random.default_rng(seed), "counting", tmp_path)
