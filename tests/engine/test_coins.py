"""Runs with coins: the same as node by node, whatever the threads, and distributed as theory says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from graphfsa import CountingAggregation, Graph, StochasticFSA, families, library, run, simulate
from graphfsa.analysis import chain, mean_field
from graphfsa.automaton.library import colouring, sir, sis
from graphfsa.engine import reference_random_step
from graphfsa.engine.coins import coin, key_of, philox
from graphfsa.errors import AutomatonError, GraphFSAError, LimitError, StateError

STATES = ["a", "b", "c"]


def rng(seed=0):
    return np.random.default_rng(seed)


def random_automaton(seed, num_states=3):
    """Some outcomes are sure, some are not; some never happen."""
    source = rng(seed)
    aggregation = CountingAggregation(bound=1)
    rows = source.dirichlet(np.full(num_states, 0.5), 7)
    rows[:3] = np.eye(num_states)[source.integers(0, num_states, 3)]
    places = source.integers(0, len(rows), (num_states, aggregation.num_values(num_states)))
    return StochasticFSA(STATES[:num_states], aggregation, rows[places])


def graphs():
    """Empty, isolated nodes, self-loops and repeated arcs, a hub, directed, random."""
    yield Graph.from_edges(0, [])
    yield Graph.from_edges(3, [])
    yield Graph.from_arcs(3, [0, 0, 1, 2, 2], [0, 1, 1, 1, 1]) if hasattr(Graph, "from_arcs") else families.path(3)
    yield families.star(40)
    yield families.erdos_renyi(30, p=0.2, rng=rng(1))
    yield families.path(1)


def test_the_generator_gives_the_published_numbers():
    """Known answers of philox4x32-10, from the library of its authors."""
    ones = 2**32 - 1
    for given_numbers, wanted in (
        ([0] * 6, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ([ones] * 6, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0],
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ):
        assert tuple(int(number) for number in philox(*map(np.uint64, given_numbers))) == wanted


def test_coins_are_uniform_and_depend_on_everything():
    nodes = np.arange(100_000, dtype=np.uint64)
    u = np.uint64
    numbers = coin(u(0), nodes, u(5), u(1), *key_of(3)) / 2**53
    assert stats.kstest(numbers, "uniform").pvalue > 1e-4
    others = [(1, 5, 1, 3), (0, 6, 1, 3), (0, 5 + 2**32, 1, 3), (0, 5, 2, 3), (0, 5, 1, 4), (0, 5, 1, 3 + 2**64)]
    for purpose, step, replicate, seed in others:
        other = coin(u(purpose), nodes, u(step), u(replicate), *key_of(seed)) / 2**53
        assert abs(np.corrcoef(numbers, other)[0, 1]) < 0.02
        assert (numbers != other).mean() > 0.99


@pytest.mark.parametrize("threads", [1, 3])
def test_steps_are_those_of_the_reference(threads):
    for place, graph in enumerate(graphs()):
        fsa, source = random_automaton(place), rng(place)
        start = source.integers(0, 3, graph.num_nodes)
        found = run(fsa, graph, start, 12, seed=place, record="all", threads=threads)
        states = start.tolist()
        for step in range(12):
            assert found.at(step).tolist() == states, f"graph {place}, step {step}"
            states = reference_random_step(fsa, graph, states, seed=place, step=step)
        assert found.last.tolist() == states


@given(st.integers(0, 2**40), st.integers(1, 3), st.integers(0, 25))
@settings(max_examples=40, deadline=None)
def test_replicates_are_those_of_the_reference(seed, num_states, num_nodes):
    fsa = random_automaton(seed, num_states)
    graph = families.erdos_renyi(num_nodes, p=0.3, rng=rng(seed))
    start = rng(seed).integers(0, num_states, num_nodes)
    found = simulate(fsa, graph, start, 4, replicates=3, seed=seed)
    for replicate in range(3):
        states = start.tolist()
        for step in range(4):
            assert found.counts[replicate, step].tolist() == np.bincount(states, minlength=num_states).tolist()
            states = reference_random_step(fsa, graph, states, seed=seed, step=step, replicate=replicate)
        assert found.last[replicate].tolist() == states


@pytest.mark.parametrize("busy", [0, 0.5, 2])
@pytest.mark.parametrize("threads", [1, 3])
def test_nodes_without_a_mark_would_have_stayed(monkeypatch, busy, threads):
    """Marks never, as it is, and always; few nodes move, and only some arcs go both ways."""
    monkeypatch.setattr("graphfsa.engine._random._BUSY", busy)
    monkeypatch.setattr("graphfsa.engine._random._FEW", 0)
    noisy = StochasticFSA.of(library.majority(), noise=0.02)
    for place, fsa in enumerate([sir(0.3, 0.3), sis(0.2, 0.4), noisy, random_automaton(5), library.mis()]):
        for directed in (False, True):
            source = rng(place)
            edges = source.integers(0, 60, (100, 2)).tolist()
            graph = Graph.from_edges(60, edges, directed=directed)
            start = np.where(source.random(60) < 0.1, fsa.num_states - 2, 0)
            found = simulate(fsa, graph, start, 25, replicates=3, seed=place, threads=threads)
            for replicate in range(3):
                states = start.tolist()
                for step in range(25):
                    seen = found.counts[replicate, step].tolist()
                    assert seen == np.bincount(states, minlength=fsa.num_states).tolist(), f"{place}, step {step}"
                    states = reference_random_step(fsa, graph, states, seed=place, step=step, replicate=replicate)
                assert found.last[replicate].tolist() == states


def test_sure_automata_run_as_without_coins():
    graph = families.erdos_renyi(200, mean_degree=4, rng=rng())
    start = [int(node == 0) + 2 for node in range(200)]
    plain = run("distance", graph, start, "stable")
    sure = run(StochasticFSA.of(library.distance()), graph, start, "stable", seed=9)
    assert (sure.last == plain.last).all()
    assert sure.stable_at == plain.stable_at
    assert (sure.period, sure.kernel) == (1, "coins")


def test_results_do_not_depend_on_threads_or_on_the_number_of_runs():
    graph = families.erdos_renyi(5000, mean_degree=6, rng=rng())
    arguments = (sir(0.2, 0.1), graph, "ill:0,1,2,3", 40)
    some = simulate(*arguments, replicates=5, seed=4, threads=1)
    assert simulate(*arguments, replicates=5, seed=4, threads=4).digest == some.digest
    more = simulate(*arguments, replicates=9, seed=4)
    assert (more.counts[:5] == some.counts).all()
    single = run(*arguments, seed=4)
    assert (single.last == some.last[0]).all()
    assert simulate(*arguments, replicates=5, seed=5).digest != some.digest


def test_runs_are_distributed_as_the_exact_chain():
    """The number of ill nodes, and the time until there is none, on a small graph."""
    graph = Graph.from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    fsa = sir(0.4, 0.3)
    start = [1, 0, 0, 0, 0]
    exact = chain(fsa, graph, start)
    found = simulate(fsa, graph, start, 60, replicates=20_000, seed=11)
    for step in (1, 2, 5, 60):
        ever = (exact.configurations != 0).sum(axis=1)
        wanted = np.bincount(ever, weights=exact.distribution(step), minlength=6) * 20_000
        seen = np.bincount(5 - found.counts[:, step, 0], minlength=6)
        likely = wanted > 5
        assert wanted[~likely].sum() < 30
        rest = wanted[~likely].sum() + 1e-9
        statistic = ((seen[likely] - wanted[likely]) ** 2 / wanted[likely]).sum()
        statistic += (seen[~likely].sum() - rest) ** 2 / max(rest, 1)
        assert stats.chi2.sf(statistic, likely.sum()) > 1e-4, step
    assert (found.rest >= 0).mean() > 0.999
    assert found.rest[found.rest >= 0].mean() == pytest.approx(exact.expected_steps(), rel=0.03)


def test_the_exact_chain_of_a_known_process():
    """Two neighbours of one colour, each draws one of k anew: they differ with probability 1 - 1/k in each step."""
    for k in (2, 3, 4):
        exact = chain(colouring(k), families.path(2), [0, 0])
        assert exact.expected_steps() == pytest.approx(k / (k - 1))
        assert exact.absorption().sum() == pytest.approx(1)
        assert np.allclose(exact.absorption()[exact.resting], 1 / (k * (k - 1)))
    odd = chain(colouring(2), families.cycle(3), [0, 0, 0])
    assert not odd.resting.any()
    assert odd.expected_steps() == float("inf")
    alone = chain(colouring(3), Graph.from_edges(1, []), [0])
    assert (len(alone), alone.expected_steps(), alone.absorption().tolist()) == (1, 0.0, [1.0])


def test_the_long_run_of_a_coin_that_turns_over():
    names, aggregation = ["up", "down"], CountingAggregation(bound=1)
    fsa = StochasticFSA.from_rule(names, aggregation, lambda state, _: {"down": 0.2} if state == "up" else {"up": 0.6})
    exact = chain(fsa, Graph.from_edges(1, []), ["up"])
    assert exact.stationary().tolist() == pytest.approx([0.75, 0.25])
    assert exact.shares(200).tolist() == pytest.approx([0.75, 0.25])
    with pytest.raises(GraphFSAError, match="depends on chance: 2 sets"):
        chain(colouring(2), families.path(2), [0, 0]).stationary()


def test_a_mean_field_is_right_where_neighbours_do_not_depend_on_each_other():
    graph = families.erdos_renyi(20_000, mean_degree=12, rng=rng(3))
    start = np.zeros(20_000, int)
    start[:400] = 1
    found = simulate(sis(0.05, 0.2), graph, start, 60, replicates=4, seed=1)
    field = mean_field(sis(0.05, 0.2), graph, {"well": 0.98, "ill": 0.02}, 60)
    assert np.allclose(field.sum(axis=1), 1)
    assert abs(field[1, 1] - found.mean("ill")[1]) < 0.002
    assert abs(field[60, 1] - found.mean("ill")[60]) < 0.03
    alone = mean_field(sis(0.5, 0.2), {0: 1.0}, [0.5, 0.5], 3)
    assert alone[:, 1].tolist() == pytest.approx([0.5, 0.4, 0.32, 0.256])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: run("sir", "path:5", "ill:0", 5, record="changes"), "record frames only"),
        (lambda: run("sir", "path:5", "ill:0", 5, kernel="dense"), "no choice of a kernel"),
        (lambda: simulate("sir", "path:5", "ill:0", -1), "steps must be"),
        (lambda: simulate("sir", "path:5", "ill:0", 5, replicates=0), "replicates must be"),
        (lambda: simulate("sir", "path:5", "sick:0", 5), "sick"),
        (lambda: simulate("sir", "path:1000", "ill:0", 10**6, replicates=10**4), "GiB"),
        (lambda: chain("colouring", families.moore(4, 4), [0] * 16), "exact answer looks at"),
        (lambda: mean_field("sir", {3: 0.5}, [1, 0, 0], 5), "the shares of the degrees"),
        (lambda: mean_field("sir", {3: 1.0}, [1, 1, 0], 5), "shares must be 3 numbers"),
        (lambda: mean_field("rule30", {2: 1.0}, [0.5, 0.5], 5), "one more neighbour"),
    ],
)
def test_what_can_not_be_done_is_said(call, words):
    with pytest.raises((AutomatonError, GraphFSAError, LimitError, StateError)) as error:
        call()
    assert words in str(error.value)


def test_runs_say_in_one_line_what_became_of_them():
    blinker = run("life", "moore:5x5", {11: "alive", 12: "alive", 13: "alive"}, "stable", default="dead")
    assert repr(blinker) == "Trajectory(25 nodes, 0 steps, period 2 from step 0 on; in the end: 22 dead, 3 alive)"
    spread = run("distance", "path:4", "root:0", 2)
    assert repr(spread) == "Trajectory(4 nodes, 2 steps; in the end: 1 even, 1 odd, 2 node)"
    assert repr(run("life", families.path(0), [], 3)).endswith("in the end: no node)")
    found = simulate("sir", "tree:9", "ill:0", 30, replicates=7, seed=1)
    resting = int((found.rest >= 0).sum())
    assert repr(found) == f"Ensemble(7 runs of 30 steps on 9 nodes, counted 31 times; {resting} at rest)"
