"""Who moves when: every scheduler and fault is the same compiled as node by node, and does what it says."""

from dataclasses import is_dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import graphfsa as gf
from graphfsa import CountingAggregation, Graph, GraphFSA, StochasticFSA, families, run
from graphfsa.engine import PlainStepper, moves_of, neighbourhood_values, reference_run
from graphfsa.engine.coins import below, coin, key_of, waiting
from graphfsa.engine.faults import Byzantine, Crash, Edges, Fault, Lost, Transient, fault_names, find_faults
from graphfsa.engine.faults.edges import edge_numbers
from graphfsa.engine.scheduled import Schedule
from graphfsa.engine.schedulers import (
    BlockSequential,
    Central,
    Clocks,
    Distributed,
    Given,
    LocallyCentral,
    Moment,
    RandomSequential,
    RoundRobin,
    Scheduler,
    Synchronous,
    find_scheduler,
    scheduler_names,
)
from graphfsa.errors import GraphFSAError, LimitError, StateError, UnknownNameError
from graphfsa.plugins import find_plugin, module_names

NAMES = module_names("graphfsa.engine.schedulers")
FAULTS = module_names("graphfsa.engine.faults")
every = pytest.mark.parametrize("name", NAMES)
every_fault = pytest.mark.parametrize("name", FAULTS)


def rng(seed=0):
    return np.random.default_rng(seed)


def random_automaton(seed, num_states, coins):
    source, aggregation = rng(seed), CountingAggregation(bound=1)
    names = [f"s{state}" for state in range(num_states)]
    shape = (num_states, aggregation.num_values(num_states))
    if not coins:
        return GraphFSA(names, aggregation, source.integers(0, num_states, shape))
    rows = source.dirichlet(np.full(num_states, 0.5), 6)
    rows[: min(3, num_states)] = np.eye(num_states)[source.permutation(num_states)[:3]]
    return StochasticFSA(names, aggregation, rows[source.integers(0, len(rows), shape)])


@st.composite
def graphs(draw):
    """Directed or not, with loops, repeated arcs, isolated nodes and hubs; sometimes more nodes than a block has."""
    num_nodes = draw(st.sampled_from([0, 1, 2, 5, 9, 70, 130]))
    if not num_nodes:
        return Graph.from_edges(0, [])
    seed, directed = draw(st.integers(0, 10**6)), draw(st.booleans())
    source = rng(seed)
    edges = source.integers(0, num_nodes, (draw(st.integers(0, 2 * num_nodes)), 2))
    if draw(st.booleans()):
        edges = np.r_[edges, [(0, node) for node in range(num_nodes)]]
    return Graph.from_edges(num_nodes, edges, directed=directed)


@st.composite
def schedulers_for(draw, graph):
    """Any built-in scheduler with options that fit."""
    n = graph.num_nodes
    source = rng(draw(st.integers(0, 10**6)))
    blocks = [part.tolist() for part in np.array_split(source.permutation(n), 3)]
    some = [source.choice(n, source.integers(0, n + 1), replace=False).tolist() for _ in range(4)]
    return draw(
        st.sampled_from(
            [
                Synchronous(),
                RandomSequential(),
                RoundRobin(),
                RoundRobin(order=source.permutation(n).tolist()),
                Central(),
                Distributed(p=float(source.random()) or 1.0),
                Distributed(p=1e-9),
                LocallyCentral(),
                LocallyCentral(p=0.2),
                BlockSequential(2),
                BlockSequential(blocks),
                Clocks(),
                Clocks(rates=(source.random(n) + 0.01).tolist()),
                Given([*some, range(n)], repeat=True),
            ]
        )
    )


@st.composite
def faults_for(draw, graph, num_states):
    """Up to three faults, in any order."""
    n = graph.num_nodes
    source = rng(draw(st.integers(0, 10**6)))
    start, share = int(source.integers(0, 6)), float(source.random())
    stop = draw(st.sampled_from([None, start + 3]))
    known = [
        Transient(share=share, at=sorted(source.integers(0, 12, 2).tolist())),
        Transient(nodes=range(n), at=3, states=[num_states - 1]),
        Crash(share=share, at=start),
        Crash(rate=0.1),
        Byzantine(share=share, start=start, stop=stop),
        Byzantine(nodes=range(min(n, 2)), rate=0.5),
        Lost(q=share, start=start, stop=stop),
        Lost(q=0.3),
        Edges(p=share, start=start, stop=stop),
        Edges(p=0.8),
    ]
    if graph.num_arcs:
        target = int(np.flatnonzero(graph.degrees)[0])
        arc = (int(graph.neighbours(target)[0]), target, start, start + 4)
        known.append(Edges(away=[arc, (*arc[:2], start + 2, start + 9)]))
    return draw(st.lists(st.sampled_from(known), max_size=3))


def facts(stepper):
    return stepper.time, stepper.moves, stepper.rounds, stepper.clock, stepper.at_rest(), stepper.states.tolist()


@given(st.data(), st.integers(0, 2**40), st.integers(1, 4), st.booleans())
@settings(max_examples=150, deadline=None)
def test_compiled_runs_are_those_of_the_reference(data, seed, num_states, coins):
    graph = data.draw(graphs())
    fsa = random_automaton(seed, num_states, coins)
    scheduler = data.draw(schedulers_for(graph))
    faults = data.draw(faults_for(graph, num_states))
    start = rng(seed).integers(0, num_states, graph.num_nodes)
    schedule = Schedule.of(scheduler, faults, fsa, graph)
    fast = schedule.stepper(fsa, graph, start, seed, 2, changes=True)
    plain = PlainStepper(fsa, graph, start, schedule.scheduler, schedule.faults, seed, 2, changes=True)
    assert fast.kernel == "scheduled"
    for step in range(1, 14):
        assert fast.advance(step) == plain.advance(step)
        assert facts(fast) == facts(plain), step
    times, nodes, states = fast.logged_changes()
    replayed = start.copy()
    replayed[nodes] = states
    assert replayed.tolist() == fast.states.tolist()
    assert (np.diff(times) >= 0).all()


@given(st.integers(0, 2**20), st.integers(1, 300))
@settings(max_examples=60, deadline=None)
def test_the_set_of_enabled_nodes_is_what_the_table_says(seed, num_nodes):
    """After many moves of one node each, at every level of the counts."""
    graph = families.erdos_renyi(num_nodes, mean_degree=2.0 if num_nodes > 2 else 0.0, rng=rng(seed))
    fsa = random_automaton(seed, 3, coins=False)
    start = rng(seed).integers(0, 3, num_nodes)
    schedule = Schedule.of(Central(), (), fsa, graph)
    stepper = schedule.stepper(fsa, graph, start, seed)
    for step in (1, 2, 50, 200):
        stepper.advance(step)
        states = stepper.states[None]
        following = fsa.transition_table[states[0], neighbourhood_values(fsa, graph, states)[0]]
        enabled = np.flatnonzero(following != states[0])
        plain = PlainStepper(fsa, graph, stepper.states, schedule.scheduler, (), seed)
        assert plain.enabled() == enabled.tolist()
        assert stepper.at_rest() == (len(enabled) == 0)


# ---- each scheduler


@every
def test_a_scheduler_is_one_file_with_one_class(name):
    kind = find_plugin(Scheduler, name)
    assert is_dataclass(kind)
    assert kind.name == name
    assert kind() == kind()
    assert hash(kind()) == hash(kind())
    assert find_scheduler(str(kind())) == kind()


@every
def test_a_scheduler_chooses_nodes_of_the_graph_none_twice(name):
    graph = families.erdos_renyi(20, p=0.2, rng=rng(1))
    scheduler = Given([[0, 3], [5]]) if name == "given" else find_scheduler(name)
    scheduler.check(graph)
    for step in range(2):
        for enabled in ([], [4], [0, 4, 7], list(range(20))):
            chosen = list(scheduler.choose(Moment(graph, step, enabled, (np.uint64(0), *key_of(3)))))
            assert len(set(chosen)) == len(chosen)
            assert set(chosen) <= set(range(20))


@every
def test_what_the_words_say_is_read_back(name):
    options = {
        "distributed": Distributed(p=0.25),
        "locally-central": LocallyCentral(p=0.5),
        "block-sequential": BlockSequential([[0, 1], [2, 3]]),
        "round-robin": RoundRobin(order=[2, 0, 1]),
        "clocks": Clocks(rates=(1.0, 2.5)),
        "given": Given([[0, 1], [2, 0]], repeat=False),
    }
    scheduler = options.get(name, find_scheduler(name))
    assert find_scheduler(str(scheduler)) == scheduler


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_synchronous_scheduler_is_none(seed, coins):
    graph = families.erdos_renyi(40, p=0.1, rng=rng(seed))
    fsa, start = random_automaton(seed, 3, coins), rng(seed).integers(0, 3, 40)
    plain = run(fsa, graph, start, 9, seed=seed, record="all")
    found = run(fsa, graph, start, 9, seed=seed, record="all", scheduler="synchronous")
    for step in range(10):
        assert (plain.at(step) == found.at(step)).all()
    assert (run(fsa, graph, start, 9, seed=seed, scheduler=BlockSequential(1)).last == plain.last).all()
    if not coins:
        assert found.last.tolist() == reference_run(fsa, graph, start.tolist(), 9)[-1]


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_turns_in_another_order_are_turns_on_a_permuted_graph(seed):
    source = rng(seed)
    edges = source.integers(0, 15, (25, 2))
    fsa, start, order = random_automaton(seed, 3, coins=False), source.integers(0, 3, 15), source.permutation(15)
    place = np.argsort(order)
    found = run(fsa, Graph.from_edges(15, edges), start, 40, scheduler=RoundRobin(order.tolist()))
    moved = run(fsa, Graph.from_edges(15, place[edges]), start[order], 40, scheduler="round-robin")
    assert (found.last[order] == moved.last).all()
    assert (found.moves, found.rounds) == (moved.moves, moved.rounds)
    blocks = run(fsa, Graph.from_edges(15, place[edges]), start[order], 40, scheduler=BlockSequential(15))
    assert (blocks.last == moved.last).all()


def test_a_run_can_be_played_again():
    graph = families.erdos_renyi(60, mean_degree=3, rng=rng(2))
    fsa, start = random_automaton(7, 3, coins=False), rng(2).integers(0, 3, 60)
    for scheduler in ("central", "distributed:p=0.2", "locally-central", "clocks"):
        found = run(fsa, graph, start, 80, seed=4, scheduler=scheduler, record="changes")
        again = run(fsa, graph, start, 80, scheduler=Given(moves_of(found.changes)), record="all")
        for step in (0, 1, 17, 80):
            assert (again.at(step) == found.at(step)).all()
        assert again.moves == found.moves


def test_rounds_of_a_run_that_can_be_counted_by_hand():
    """Waves run from the root along a path: only one node is enabled at any time, so every move is a round."""
    path = families.path(6)
    found = run("distance", path, "root:0", "stable", scheduler="central")
    assert (found.steps, found.moves, found.rounds, found.stable_at) == (6, 6, 6, 6)
    # All six are enabled at first; in turns, one round is one pass.
    flips = GraphFSA(["a", "b"], CountingAggregation(bound=1), [[1] * 4, [0] * 4])
    found = run(flips, path, "a", 18, scheduler="round-robin")
    assert (found.moves, found.rounds, found.stable_at) == (18, 3, None)
    # In the first round nodes 0 and 1 move, and with this node 2 is not enabled any more, which ends the round.
    copies = GraphFSA.from_rule(["a", "b"], CountingAggregation(bound=2), lambda _, seen: "b" if seen["b"] else "a")
    found = run(copies, families.star(3), [1, 0, 0], 2, scheduler=Given([[1], [0]]))
    assert (found.moves, found.rounds) == (1, 0)


def test_a_node_that_is_disabled_is_owed_nothing():
    """Two neighbours alike: either may move, and then the other need not."""
    differ = GraphFSA.from_rule(
        ["a", "b"], CountingAggregation(bound=1), lambda state, seen: "b" if state == "a" and seen["a"] else state
    )
    found = run(differ, families.path(2), "a", "stable", scheduler="central", seed=1)
    assert (found.steps, found.moves, found.rounds) == (1, 1, 1)


def test_random_choices_are_even():
    n, steps = 20, 40_000
    flips = GraphFSA(["a", "b"], CountingAggregation(bound=1), [[1] * 4, [0] * 4])
    for scheduler in ("random-sequential", "central", "clocks"):
        found = run(flips, families.cycle(n), "a", steps, scheduler=scheduler, record="changes", seed=5)
        seen = np.bincount(found.changes.nodes, minlength=n)
        assert stats.chisquare(seen).pvalue > 1e-4, scheduler
        pairs = found.changes.nodes[::2] * n + found.changes.nodes[1::2]
        assert stats.chisquare(np.bincount(pairs, minlength=n * n)).pvalue > 1e-4, scheduler


def test_the_distributed_daemon_moves_each_with_its_probability():
    flips = GraphFSA(["a", "b"], CountingAggregation(bound=1), [[1] * 4, [0] * 4])
    found = run(flips, families.cycle(30), "a", 4000, scheduler="distributed:p=0.3", record="changes", seed=2)
    sizes = np.bincount(found.changes.times, minlength=4001)[1:]
    wanted = stats.binom.pmf(np.arange(31), 30, 0.3) * 4000
    wanted[1] += wanted[0]
    wanted[0] = 0
    likely = wanted > 5
    seen = np.bincount(sizes, minlength=31)
    statistic = ((seen[likely] - wanted[likely]) ** 2 / wanted[likely]).sum()
    assert seen[0] == 0
    assert stats.chi2.sf(statistic, likely.sum() - 1) > 1e-4


def test_clocks_ring_at_their_rates():
    rates = [0.5, 1.0, 3.0, 2.0, 0.1]
    flips = GraphFSA(["a", "b"], CountingAggregation(bound=1), [[1] * 4, [0] * 4])
    found = run(flips, families.path(5), "a", 50_000, scheduler=Clocks(rates), record="changes", seed=8)
    seen = np.bincount(found.changes.nodes, minlength=5)
    assert stats.chisquare(seen, np.array(rates) / sum(rates) * 50_000).pvalue > 1e-4
    assert found.clock == pytest.approx(50_000 / sum(rates), rel=0.02)
    times = [run(flips, families.path(5), "a", steps, scheduler=Clocks(2.0), seed=8).clock for steps in range(800)]
    waits = np.diff(times)
    assert stats.kstest(waits, stats.expon(scale=0.1).cdf).pvalue > 1e-4


def test_no_two_neighbours_move_at_once():
    graph = families.erdos_renyi(50, p=0.1, rng=rng(3))
    flips = GraphFSA(["a", "b"], CountingAggregation(bound=1), [[1] * 4, [0] * 4])
    found = run(flips, graph, "a", 60, scheduler="locally-central", record="changes")
    near = set(zip(graph.indices.tolist(), graph.targets().tolist(), strict=True))
    for moving in moves_of(found.changes):
        assert moving
        assert not any((u, v) in near for u in moving for v in moving if u != v)


def test_waiting_times_are_logarithms():
    numbers = [0, 1, 2, 2**20, 2**52 - 1, 2**52, 3 * 2**51, 2**53 - 1, *rng().integers(0, 2**53, 500).tolist()]
    for number in numbers:
        assert waiting(np.uint64(number)) == pytest.approx(-np.log((number + 1) / 2**53), rel=1e-14, abs=1e-16)
    assert [below(number, 7) for number in (0, 2**53 - 1, 2**52)] == [0, 6, 3]
    assert below(2**53 - 1, 2**31 - 1) == 2**31 - 2


# ---- each fault


@every_fault
def test_a_fault_is_one_file_with_one_class(name):
    kind = find_plugin(Fault, name)
    assert is_dataclass(kind)
    assert kind.name == name


@pytest.mark.parametrize(
    "fault",
    [
        Transient(share=0.1, at=[3, 5], states=["ill", "well"]),
        Crash(share=0.1, at=5),
        Crash(rate=0.01),
        Byzantine(nodes=[0, 3], stop=9),
        Lost(q=0.25),
        Edges(p=0.5, start=2),
        Edges(away=[(0, 1, 2, 5), (1, 2, 0, 3)]),
    ],
)
def test_the_words_for_a_fault_are_read_back(fault):
    assert find_faults(str(fault)) == (fault,)


@pytest.mark.parametrize(
    "faults",
    [
        [Transient(share=0.0, at=[0, 5])],
        [Crash(share=0.0)],
        [Crash(rate=0.0)],
        [Byzantine(share=0.0)],
        [Byzantine(nodes=[])],
        [Lost(q=0.0)],
        [Edges(p=1.0)],
        [Edges(away=[])],
        ["lost:q=0", "crash:share=0", "edges:p=1"],
    ],
)
def test_faults_that_never_happen_are_none(faults):
    graph = families.erdos_renyi(40, p=0.1, rng=rng(1))
    fsa, start = random_automaton(1, 3, coins=True), rng(1).integers(0, 3, 40)
    for scheduler in ("synchronous", "central", "clocks"):
        found = run(fsa, graph, start, "stable", scheduler=scheduler, faults=faults, seed=2, max_steps=200)
        none = run(fsa, graph, start, "stable", scheduler=scheduler, seed=2, max_steps=200)
        assert found.digest == none.digest
        assert (found.moves, found.rounds, found.clock) == (none.moves, none.rounds, none.clock)


def test_crashed_nodes_stop_and_the_others_go_on():
    found = run("distance", families.path(9), "root:0", "stable", scheduler="central", faults=Crash(nodes=[4]))
    assert found.last.tolist()[4:] == [2] * 5
    assert found.moves == 4
    assert found.stable_at == 4


def test_crashes_come_at_their_rate():
    flips = GraphFSA(["a", "b"], CountingAggregation(bound=1), [[1] * 4, [0] * 4])
    found = run(flips, families.path(20_000), "a", 60, faults=[Crash(rate=0.05)], record="changes", seed=3)
    lifetimes = np.zeros(20_000, int)
    np.maximum.at(lifetimes, found.changes.nodes, found.changes.times)
    wanted = np.append(stats.geom.pmf(np.arange(1, 61), 0.05), 0.95**60) * 20_000
    assert stats.chisquare(np.bincount(lifetimes, minlength=61), wanted).pvalue > 1e-4


def test_a_transient_fault_hits_a_share_even_of_final_states_and_is_repaired():
    graph = families.random_tree(200, rng=rng(4))
    start = [int(node == 0) + 2 for node in range(200)]
    right = run("distance", graph, start, "stable")
    found = run("distance", graph, start, 50, scheduler="synchronous", faults="transient:share=0.1,at=45", record="all")
    assert (found.at(45) == right.last).all()
    assert 1 <= (found.at(46) != right.last).sum() <= 20
    rumour = GraphFSA.from_rule(
        ["new", "told"], CountingAggregation(bound=1), lambda state, seen: "told" if seen["told"] else state
    )
    hit = Transient(nodes=[3, 20, 40], at=3, states=["new"])
    healed = run(rumour, families.path(50), "told", "stable", faults=hit)
    assert healed.last.tolist() == [1] * 50
    assert healed.stable_at == 4


def test_byzantine_nodes_show_any_state():
    quiet = GraphFSA(["a", "b", "c"], CountingAggregation(bound=1), np.repeat([[0], [1], [2]], 8, axis=1))
    found = run(quiet, families.path(3), "a", 6000, faults=Byzantine(nodes=[1]), record="all", seed=6)
    assert set(found.states[:, [0, 2]].reshape(-1).tolist()) == {0}
    assert stats.chisquare(np.bincount(found.states[1:, 1], minlength=3)).pvalue > 1e-4
    pairs = np.bincount(found.states[1:-1:2, 1] * 3 + found.states[2::2, 1], minlength=9)
    assert stats.chisquare(pairs).pvalue > 1e-4
    assert found.moves == 0


def test_messages_are_lost_with_their_probability():
    sees = GraphFSA.from_rule(
        ["no", "yes"], CountingAggregation(bound=1), lambda _, seen: "yes" if seen["no"] else "no"
    )
    pairs = Graph.from_edges(40_000, [(2 * k, 2 * k + 1) for k in range(20_000)], directed=True)
    found = run(sees, pairs, "no", 1, faults=Lost(q=0.3), seed=1)
    assert stats.binomtest(int(found.last[1::2].sum()), 20_000, 0.7).pvalue > 1e-4
    assert not found.last[::2].any()


def test_edges_come_and_go_in_both_directions_at_once():
    sees = GraphFSA.from_rule(
        ["no", "yes"],
        CountingAggregation(bound=1),
        lambda _, seen: "yes" if any(seen[name] for name in ("no", "yes")) else "no",
    )
    pairs = Graph.from_edges(40_000, [(2 * k, 2 * k + 1) for k in range(20_000)])
    found = run(sees, pairs, "no", 1, faults=Edges(p=0.3), seed=1)
    assert (found.last[::2] == found.last[1::2]).all()
    assert stats.binomtest(int(found.last[::2].sum()), 20_000, 0.3).pvalue > 1e-4
    away = run(sees, families.path(3), "no", 8, faults="edges:away=0+1+2+5", record="all")
    assert [away.at(step)[0] for step in range(9)] == [0, 1, 1, 0, 0, 0, 1, 1, 1]
    assert [away.at(step)[2] for step in range(9)] == [0, 1, 1, 1, 1, 1, 1, 1, 1]


@given(graphs())
@settings(max_examples=40, deadline=None)
def test_the_two_arcs_of_an_edge_have_one_number(graph):
    numbers = edge_numbers(graph).tolist()
    ends = {}
    for number, *arc in zip(numbers, graph.indices.tolist(), graph.targets().tolist(), strict=True):
        ends.setdefault(number, []).append(tuple(arc))
    for arcs in ends.values():
        assert len(arcs) == (2 if graph.symmetric and arcs[0][0] != arcs[0][1] else 1)
        assert all(arc in (arcs[0], arcs[0][::-1]) for arc in arcs)


def test_coins_of_different_faults_are_different():
    source = [
        np.array(
            [
                int(coin(np.uint64(2 + place), np.uint64(node), np.uint64(0), np.uint64(0), *key_of(1)))
                for node in range(500)
            ]
        )
        for place in range(3)
    ]
    assert all(abs(np.corrcoef(one, other)[0, 1]) < 0.2 for one, other in pairwise(source))


# ---- schedulers and faults of one's own, and what can't be


def test_plug_ins_without_a_compiled_form_are_run_by_the_specification():
    class LastFirst(Scheduler):
        def choose(self, moment):
            return moment.enabled[-1:]

    class Reset(Fault):
        def strike(self, world, source):
            if world.step == 2:
                world.states[0] = 0

        def end(self):
            return 3

    found = run("majority", families.path(5), [1, 1, 1, 0, 0], 3, scheduler=LastFirst())
    assert found.kernel == "plain"
    assert run("core", families.path(5), "in", "stable", scheduler="last-first").moves > 0
    hit = run("majority", families.path(5), [1] * 5, 3, scheduler="central", faults=[Reset()], record="all")
    assert hit.kernel == "plain"
    assert hit.at(2).tolist() == [1] * 5

    class Other(Central):
        def choose(self, moment):
            return moment.enabled[:1]

    assert run("core", families.path(5), "in", "stable", scheduler=Other()).kernel == "plain"


def test_runs_of_an_ensemble_are_runs():
    """The same whatever the threads, and however many there are; each as ``run`` makes the first."""
    options = {"scheduler": "clocks", "faults": ["lost:q=0.1,stop=40", "crash:rate=0.005"], "seed": 3}
    fsa, graph = random_automaton(5, 3, coins=True), families.erdos_renyi(30, p=0.1, rng=rng(1))
    some = gf.simulate(fsa, graph, "random", 100, replicates=4, every=40, threads=1, **options)
    more = gf.simulate(fsa, graph, "random", 100, replicates=9, every=40, threads=3, **options)
    for name in ("counts", "last", "moves", "rounds", "clock", "rest"):
        assert (getattr(some, name) == getattr(more, name)[:4]).all(), name
    first = run(fsa, graph, "random", 100, **options)
    assert (first.last == some.last[0]).all()
    assert (first.moves, first.rounds, first.clock) == (some.moves[0, -1], some.rounds[0, -1], some.clock[0, -1])
    plain = gf.simulate(fsa, graph, "random", 20, replicates=3, seed=3)
    again = gf.simulate(fsa, graph, "random", 20, replicates=3, seed=3, scheduler="synchronous")
    assert plain.digest == again.digest
    assert (plain.rest == again.rest).all()
    with pytest.raises(StateError, match="moves are counted with a scheduler"):
        plain.to_rest("moves")
    with pytest.raises(StateError, match="a clock needs the scheduler 'clocks'"):
        again.to_rest("clock")


def test_frames_and_changes_agree():
    graph, start = families.erdos_renyi(30, p=0.1, rng=rng(5)), rng(5).integers(0, 3, 30)
    fsa = random_automaton(3, 3, coins=True)
    options = {"scheduler": "distributed:p=0.4", "faults": ["transient:share=0.3,at=5+6", "byzantine:nodes=1+2"]}
    frames = run(fsa, graph, start, 20, seed=1, record="all", **options)
    changes = run(fsa, graph, start, 20, seed=1, record="changes", **options)
    thinned = run(fsa, graph, start, 20, seed=1, record=6, **options)
    for step in range(21):
        assert (frames.at(step) == changes.at(step)).all(), step
    assert thinned.times.tolist() == [0, 6, 12, 18, 20]
    assert (thinned.states == frames.states[thinned.times]).all()


def test_a_run_at_rest_jumps_to_its_end():
    found = run("distance", families.path(9), "root:0", 10**12, scheduler="central")
    assert (found.steps, found.stable_at, found.period, found.moves) == (10**12, 9, 1, 9)
    assert (found.at(10**11) == found.last).all()
    waits = run(
        "distance", families.path(9), "root:0", "stable", scheduler="central", faults="transient:share=1,at=500"
    )
    assert waits.stable_at >= 501


def test_names_list_the_valid_ones():
    assert {*NAMES} <= set(scheduler_names())
    assert {*FAULTS} <= set(fault_names())
    assert gf.schedulers.Central is Central
    assert gf.faults.Lost is Lost


PATH = "path:5"


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"scheduler": "centrl"}, UnknownNameError, "did you mean 'central'"),
        ({"scheduler": "distributed:0.3"}, GraphFSAError, "distributed:KEY=VALUE"),
        ({"scheduler": "distributed:q=0.3"}, UnknownNameError, "valid names: p"),
        ({"scheduler": "central:p=0.3"}, UnknownNameError, "it defines none"),
        ({"scheduler": "distributed:p=1.5"}, GraphFSAError, "p must be a probability, from 0 to 1; got 1.5"),
        ({"scheduler": "distributed:p=0"}, GraphFSAError, "starve"),
        ({"scheduler": "distributed:p=x"}, GraphFSAError, "p must be a number"),
        ({"scheduler": "distributed:p=0.1,p=0.2"}, GraphFSAError, "more than once"),
        ({"scheduler": 3}, GraphFSAError, "scheduler must be a name"),
        ({"scheduler": "block-sequential:blocks=0"}, GraphFSAError, "blocks must be an integer >= 1"),
        ({"scheduler": f"block-sequential:blocks={10**30}"}, GraphFSAError, "blocks must be an integer from 1 to 5"),
        ({"scheduler": "block-sequential:blocks=1e400"}, GraphFSAError, "blocks must be an integer"),
        ({"scheduler": "distributed:p=NaN"}, GraphFSAError, "p must be a number"),
        ({"scheduler": "given"}, StateError, "has 0 steps; got steps=9"),
        ({"faults": f"transient:share=0.1,at={2**70}"}, GraphFSAError, "at: a step must be an integer from 0"),
        ({"faults": f"crash:share=0.1,at={2**70}"}, GraphFSAError, "at must be an integer from 0"),
        ({"faults": f"lost:q=0.1,stop={2**70}"}, GraphFSAError, "stop must be an integer from 1"),
        ({"faults": f"edges:away=0+1+0+{2**70}"}, GraphFSAError, "an end must be an integer from 1"),
        ({"faults": "transient:share=0.1,states=1e400"}, GraphFSAError, "state"),
        ({"faults": "crash:nodes=a"}, GraphFSAError, "got 'a'"),
        ({"scheduler": "block-sequential:blocks=0+1/2+3"}, GraphFSAError, "starve; node 4 is in none"),
        ({"scheduler": "block-sequential:blocks=0+1/1+2+3+4"}, GraphFSAError, "more than once"),
        ({"scheduler": "block-sequential:blocks=0+1/2+3+4+5"}, GraphFSAError, "got 5"),
        ({"scheduler": "round-robin:order=0+1+2+3"}, GraphFSAError, "starve; node 4 is missing"),
        ({"scheduler": "clocks:rates=-1"}, GraphFSAError, "no node starves"),
        ({"scheduler": "clocks:rates=0"}, GraphFSAError, "no node starves"),
        ({"scheduler": "clocks:rates=1+2"}, GraphFSAError, "one per node, 5; got 2"),
        ({"scheduler": "clocks:rates=1e308+1e308+1+1+1"}, GraphFSAError, "< 1e+100; got 1e+308"),
        ({"scheduler": "clocks:rates=1e-320"}, GraphFSAError, ">= 1e-100"),
        ({"scheduler": Given([[0], [1]])}, StateError, "has 2 steps; got steps=9"),
        ({"scheduler": Given([[0], [1]], repeat=True)}, GraphFSAError, "starve; node 2 is missing"),
        ({"scheduler": Given([[0, 0]])}, GraphFSAError, "more than once"),
        ({"scheduler": "central", "kernel": "dense"}, StateError, "no choice of a kernel"),
        ({"scheduler": "central", "entries": True}, StateError, "count no entries"),
        ({"faults": "crash"}, GraphFSAError, "share="),
        ({"faults": "crsh:share=1"}, UnknownNameError, "did you mean 'crash'"),
        ({"faults": "crash:share=2"}, GraphFSAError, "share must be a probability"),
        ({"faults": "crash:rate=0.1,at=3"}, GraphFSAError, "rate goes without"),
        ({"faults": "crash:nodes=7"}, GraphFSAError, "got 7"),
        ({"faults": "lost:q=-0.1"}, GraphFSAError, "q must be a number >= 0"),
        ({"faults": "lost:q=0.1,start=5,stop=5"}, GraphFSAError, "stop must be an integer from 6 to"),
        ({"faults": "transient:share=0.1,states=red"}, GraphFSAError, "red"),
        ({"faults": "transient:share=0.1,at=-1"}, GraphFSAError, "at: a step must be an integer"),
        ({"faults": "byzantine:nodes=0+0"}, GraphFSAError, "more than once"),
        ({"faults": "edges:away=0+3+1+2"}, GraphFSAError, "no edge between 0 and 3"),
        ({"faults": "edges:p=0.5,away=0+1+1+2"}, GraphFSAError, "either p="),
        ({"faults": "edges:away=0+1"}, GraphFSAError, "first step, end"),
        ({"faults": [Lost()] * 2000}, GraphFSAError, "at most 1,000 faults"),
    ],
)
def test_what_is_wrong_is_said(options, kind, words):
    with pytest.raises(kind) as error:
        run("distance", PATH, "root:0", 9, **options)
    assert words in str(error.value)


def test_what_does_not_fit_is_refused():
    with pytest.raises(LimitError, match="takes about 119 GiB"):
        Schedule.of("central", (), gf.library.life_like(), families.moore(40_000, 40_000))
    with pytest.raises(LimitError, match="GiB"):
        run("distance", "path:1000", "root:0", 10**8, scheduler="random-sequential", record="all")


def test_until_rest_is_a_run_of_so_many_steps():
    """The same counts as with the number of steps given; a wave takes longer than the first try."""
    graph = families.path(90)
    for options in ({}, {"every": 7}, {"scheduler": "distributed:p=0.5"}):
        found = gf.simulate("distance", graph, "root:0", "stable", replicates=3, seed=4, **options)
        last = int(found.times[-1])
        assert last == found.rest.max() > 64
        again = gf.simulate("distance", graph, "root:0", last, replicates=3, seed=4, **options)
        assert found.digest == again.digest
        assert found.times.tolist() == again.times.tolist()
        if "scheduler" in options:
            assert np.array_equal(found.moves, again.moves)
            assert np.array_equal(found.rounds, again.rounds)


def test_options_may_be_numbers_of_numpy():
    fsa, graph = gf.library.majority(), families.path(4)
    for plain, same in (
        (BlockSequential(2), BlockSequential(np.int64(2))),
        (Clocks(3), Clocks(np.int64(3))),
        (Given([[0], [1]]), Given([np.int64(0), np.int32(1)])),
    ):
        first, second = (run(fsa, graph, [0, 1, 1, 0], 2, scheduler=each, record="all") for each in (plain, same))
        assert first.states.tolist() == second.states.tolist()
    assert find_faults(Transient(share=1, at=np.int64(3)))[0].at == (3,)
