"""Questions about every run against plain Python, and against what is known of famous protocols."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_questions import Plain, actions, check_run

from graphfsa import CountingAggregation, Graph, GraphFSA, StochasticFSA, ask, families, library, schedulers
from graphfsa.analysis import chain
from graphfsa.analysis.questions import _sampling as sampling
from graphfsa.engine.exploring import SCHEDULERS, encoded, explore
from graphfsa.errors import FormatError, GraphFSAError, LimitError, UnknownNameError
from graphfsa.graphs.automorphisms import automorphisms
from strategies import SEEDS, plain_graphs, slotted_graphs

KINDS = ("always", "eventually", "eventually always")


@st.composite
def problems(draw, random=None, most=4):
    """A graph and an automaton with 2 to 4 states whose entries often stay, so that runs also come to rest.

    Most is drawn from a seed: what hypothesis draws itself is mostly too small to have neighbours that wait.
    """
    rng = np.random.default_rng(draw(SEEDS))
    if draw(st.integers(0, 9)) == 0:
        graph = draw(st.one_of(plain_graphs(most), slotted_graphs(most, 2)))
    else:
        size = int(rng.integers(2, most + 1))
        graph = Graph.from_edges(
            size, rng.integers(0, size, (int(rng.integers(1, 2 * size)), 2)), directed=rng.random() < 0.3
        )
    size = int(rng.integers(2, 5))
    values = 2**size
    stay = np.arange(size)[:, None]
    table = np.where(
        rng.random((size, values)) < rng.choice([0.3, 0.6, 0.9]), rng.integers(0, size, (size, values)), stay
    )
    if rng.random() < 0.6:  # Those that go down come to rest, most of the time.
        table = np.where(rng.random(table.shape) < 0.9, np.minimum(table, stay), table)
    # Some states are left whatever is seen: their nodes can move for ever, and others may wait.
    table = np.where(rng.random((size, 1)) < 0.4, rng.integers(0, size, (size, 1)), table)
    names, aggregation = ["a", "b", "c", "d"][:size], CountingAggregation(bound=1)
    if not (draw(st.booleans()) if random is None else random):
        return graph, GraphFSA(names, aggregation, table, starting_states=[0])
    chances = np.eye(size)[table]
    coins = rng.random((size, values)) < 0.3
    other = np.broadcast_to(np.eye(size)[(stay + 1) % size], chances.shape)
    chances[coins] = 0.5 * chances[coins] + 0.5 * other[coins]
    return graph, StochasticFSA(names, aggregation, chances, starting_states=[0])


def every_state(fsa, graph):
    return list(product(range(fsa.num_states), repeat=graph.num_nodes))


PREDICATES = {
    "exactly one a": lambda states: states.count(0) == 1,
    "some a": lambda states: 0 in states,
    "no b": lambda states: 1 not in states,
    "every node is a": lambda states: not any(states),
    "at most one b and some a": lambda states: states.count(1) <= 1 and 0 in states,
    "an even number of b": lambda states: states.count(1) % 2 == 0,
}
predicates = st.sampled_from(list(PREDICATES))


def asked(fsa, graph, kind, scheduler, predicate="exactly one a", **options):
    return ask(fsa, **{kind.replace(" ", "_"): predicate}, graphs=graph, scheduler=scheduler, **options)


# ---- exploration


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_exploration_finds_what_plain_python_finds(scheduler, data):
    graph, fsa = data.draw(problems())
    starts = data.draw(st.lists(st.sampled_from(every_state(fsa, graph)), min_size=1, max_size=8))
    group = automorphisms(graph) if data.draw(st.booleans()) else None
    space = explore(
        fsa, graph, [encoded(np.array(starts, np.uint8).reshape(len(starts), -1), fsa.num_states)], scheduler, group
    )

    images = np.arange(graph.num_nodes)[None] if group is None else group
    plain = Plain(fsa, graph, [tuple(np.array(s)[image]) for s in starts for image in images], scheduler, all)
    assert space.sizes.sum() == len(plain.after)
    if group is None:
        assert len(space) == len(plain.after)
    number = {
        s: int(space.index[encoded(np.array([s], np.uint8).reshape(1, -1), fsa.num_states)[0]]) for s in plain.after
    }
    assert set(number.values()) == set(range(len(space)))
    for place, row in enumerate(space.states().tolist()):
        found = sorted(
            (tuple(k for k in range(graph.num_nodes) if int(space.movers[action]) >> k & 1),
             sorted(space.targets[space.first_arc[action] : space.first_arc[action + 1]].tolist()))
            for action in range(space.first_action[place], space.first_action[place + 1])
        )  # fmt: skip
        wanted = sorted(
            (tuple(sorted(movers)), sorted(number[target] for target in targets))
            for movers, targets in actions(fsa, graph, tuple(row), scheduler)
        )
        assert found == wanted
        if isinstance(fsa, StochasticFSA):
            for action in range(space.first_action[place], space.first_action[place + 1]):
                arcs = slice(space.first_arc[action], space.first_arc[action + 1])
                assert space.chances[arcs].sum() == pytest.approx(1)


@given(st.one_of(plain_graphs(5), slotted_graphs(5, 2)))
@settings(max_examples=40, deadline=None)
def test_symmetries_are_all_that_there_are(graph):
    slots = [0] * graph.num_arcs if graph.slots is None else graph.slots.tolist()
    arcs = sorted(zip(graph.indices.tolist(), graph.targets().tolist(), slots, strict=True))
    wanted = {p for p in permutations(range(graph.num_nodes)) if sorted((p[u], p[v], k) for u, v, k in arcs) == arcs}
    found = automorphisms(graph)
    assert {tuple(row) for row in found.tolist()} == wanted
    assert found[0].tolist() == list(range(graph.num_nodes))
    # Few of many are still a group.
    some = {tuple(row) for row in automorphisms(graph, limit=4).tolist()}
    assert some <= wanted
    assert {tuple(p[q[k]] for k in range(graph.num_nodes)) for p in some for q in some} == some


# ---- verdicts


@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_verdicts_times_and_runs_are_those_of_plain_python(scheduler, fair, data):
    graph, fsa = data.draw(problems(random=False))
    kind, start = data.draw(st.sampled_from(KINDS)), data.draw(st.sampled_from(["every", "starting"]))
    predicate = data.draw(predicates)
    right = PREDICATES[predicate]
    found = asked(fsa, graph, kind, scheduler, predicate, fair=fair, start=start)
    starts = every_state(fsa, graph) if start == "every" else [(0,) * graph.num_nodes]
    plain = Plain(fsa, graph, starts, scheduler, right)

    assert found.holds is plain.holds(kind, fair)
    assert found.configurations == len(plain.after)
    goal = plain.goal(kind)
    if not found.holds:
        run = found.counterexample
        check_run(run, scheduler, fair)
        frames = [tuple(row) for row in run.states.tolist()]
        assert frames[0] in plain.starts
        if kind == "always":
            assert not right(frames[-1])
            assert run.steps == min(plain.distances(set())[s] for s in plain.after if not right(s))
        else:
            assert not set(frames) & goal
            assert run.loop is not None
            assert run.shortest
            check_shortest(run, plain, goal, fair)
    elif kind != "always":
        region = plain.waiting(goal)
        (size,) = found.sizes
        assert size.worst_steps == plain.worst(region, lambda movers: 1)
        assert size.worst_moves == plain.worst(region, len)
        assert size.worst_rounds == (size.worst_steps if scheduler == "synchronous" else plain.worst_rounds(region))
        check_run(found.worst, scheduler)
        if size.worst_steps is not None:
            assert found.worst.steps == size.worst_steps
        assert tuple(found.worst.states[-1].tolist()) in goal


def check_shortest(run, plain, goal, fair):
    """No way to a loop is shorter, and no loop where the shortest ways end."""
    distance = plain.distances(goal)
    loops = {s: 0 if not plain.after[s] else plain.loop(s, set(distance), fair) for s in distance}
    nearest = min(distance[s] for s, length in loops.items() if length is not None)
    assert run.loop == nearest
    shortest = min(loops[s] for s in distance if distance[s] == nearest and loops[s] is not None)
    assert run.steps - run.loop == shortest


@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_coins_hold_with_probability_1_where_plain_python_says_so(scheduler, fair, data):
    graph, fsa = data.draw(problems(random=True, most=3))
    kind, predicate = data.draw(st.sampled_from(KINDS)), data.draw(predicates)
    found = asked(fsa, graph, kind, scheduler, predicate, start="every", fair=fair)
    plain = Plain(fsa, graph, every_state(fsa, graph), scheduler, PREDICATES[predicate])
    assert found.holds is plain.holds(kind, fair)
    if not found.holds:
        check_run(found.counterexample, scheduler, fair)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_fairness_without_symmetries_and_symmetries_without_fairness_agree_where_all_move(data):
    graph, fsa = data.draw(problems(random=False))
    # All nodes move in each step: every run is fair.
    about, predicate = {"start": "every"}, data.draw(predicates)
    one, two = (
        asked(fsa, graph, "eventually always", "synchronous", predicate, fair=fair, **about) for fair in (False, True)
    )
    assert one.holds is two.holds
    assert one.configurations == two.configurations == two.explored >= one.explored
    assert [size.mean_steps for size in one.sizes] == pytest.approx([size.mean_steps for size in two.sizes])


@pytest.mark.parametrize("graph", [families.cycle(4), families.path(3), families.star(4)])
def test_mean_times_are_those_of_the_markov_chain(graph):
    found = ask("colouring", eventually="stable", graphs=graph, start="every")
    everything = [
        chain("colouring", graph, list(s)).expected_steps() for s in product(range(3), repeat=graph.num_nodes)
    ]
    assert found.sizes[0].mean_steps == pytest.approx(np.mean(everything), rel=1e-6)
    assert found.sizes[0].slowest_mean == pytest.approx(max(everything), rel=1e-6)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_loops_in_large_components_are_fair_but_not_known_to_be_shortest(data):
    graph, fsa = data.draw(problems(random=False))
    scheduler, predicate = data.draw(st.sampled_from(SCHEDULERS)), data.draw(predicates)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphfsa.engine.spaces.MAX_PAIRS", 0)
        found = asked(fsa, graph, "eventually always", scheduler, predicate, start="every", fair=True)
    if found.holds is False:
        run = found.counterexample
        check_run(run, scheduler, fair=True)
        assert run.shortest is (run.steps - run.loop <= 1)
    elif scheduler != "synchronous":
        assert all(size.worst_rounds in (None, 0) for size in found.sizes)


# ---- what is known


ONE_TOKEN = {"eventually_always": "exactly one node can move", "graphs": "ring", "start": "exactly one root-*"}


@pytest.mark.parametrize("scheduler", ["central", "distributed"])
@pytest.mark.parametrize("states", [2, 3, 4])
def test_dijkstras_ring_heals_with_enough_states_and_no_fewer(states, scheduler):
    # One node at a time: n nodes need n - 1 states; if any may move together, n (and at least 2).
    largest = states + 1 if scheduler == "central" else max(2, states)
    fsa = library.dijkstra_ring(states)
    assert ask(fsa, **ONE_TOKEN, max_nodes=largest, scheduler=scheduler).holds
    found = ask(fsa, **ONE_TOKEN, max_nodes=largest + 1, scheduler=scheduler)
    assert found.holds is False
    assert found.counterexample.graph.num_nodes == largest + 1
    check_run(found.counterexample, scheduler)


def test_dijkstras_ring_heals_on_all_rings_up_to_six():
    found = ask("dijkstra-ring", **ONE_TOKEN, max_nodes=6, scheduler="central")
    assert found.holds
    assert found.graphs == 6
    # 6 nodes: one of 6 is the root, and each has one of 5 numbers.
    assert found.sizes[-1].configurations == 6 * 5**6
    assert found.sizes[-1].worst_steps == found.worst.steps


def test_where_the_whole_is_too_large_without_symmetries_one_start_is_enough(monkeypatch):
    monkeypatch.setattr("graphfsa.analysis.questions._judging.MAX_ARCS", 20_000)
    found = ask(library.dijkstra_ring(4), **ONE_TOKEN, max_nodes=6, scheduler="central")
    assert found.holds is False
    check_run(found.counterexample, "central")
    assert found.counterexample.graph.num_nodes == 6
    assert not found.counterexample.shortest
    monkeypatch.setattr("graphfsa.analysis.questions._judging.MAX_ARCS", 5_000)
    with pytest.raises(LimitError, match=r"at most 5,000 are kept. Choose max_nodes of at most 5, or an estimate"):
        ask(library.dijkstra_ring(4), **ONE_TOKEN, max_nodes=6, scheduler="central")
    # It holds up to 5 nodes, whose rounds would take more room.
    found = ask(library.dijkstra_ring(4), **ONE_TOKEN, max_nodes=5, scheduler="central")
    assert found.holds
    assert found.sizes[-1].worst_steps == 24
    assert found.sizes[-1].worst_rounds is None
    assert found.worst is None


def test_fairness_matters_where_a_node_may_wait_for_ever():
    # The first node turns for ever; the second only has to move once.
    fsa = GraphFSA.from_rules(
        "states: a, b, late, done\naggregation: counting bound=1\na -> b\nb -> a\nlate -> done\ndone stays"
    )
    graph = Graph.from_edges(2, [])
    about = {"eventually": "no late", "graphs": graph, "start": "exactly one late", "scheduler": "central"}
    unfair = ask(fsa, **about)
    assert unfair.holds is False
    assert len({node for movers in unfair.counterexample.moves for node in movers}) == 1
    fair = ask(fsa, **about, fair=True)
    assert fair.holds is True
    (size,) = fair.sizes
    assert (size.worst_steps, size.worst_rounds) == (None, 1)
    assert fair.worst is not None


def test_a_round_ends_when_those_that_waited_are_disabled():
    # Who stands first wins, and the other can't move any more; the winner needs two more steps.
    fsa = GraphFSA.from_rules(
        "states: stands, first, second, done\nstarting states: stands\naggregation: counting bound=1\n"
        "stands -> first if every neighbour is stands\nstands stays\nfirst -> second\nsecond -> done\ndone stays"
    )
    (size,) = ask(fsa, eventually="stable", graphs=families.path(2), scheduler="central").sizes
    assert (size.worst_steps, size.worst_moves, size.worst_rounds) == (3, 3, 3)
    (size,) = ask(fsa, eventually="stable", graphs=families.path(2), scheduler="distributed").sizes
    assert (size.worst_steps, size.worst_moves, size.worst_rounds) == (5, 6, 3)


def test_what_can_be_broken_is_not_kept():
    # "a" turns to "b" only if somebody wants it: exactly one a may hold for ever, but nothing keeps it.
    fsa = GraphFSA.from_rules(
        "states: a, b, on, off\naggregation: counting bound=1\na -> b\nb stays\non -> off\noff -> on"
    )
    about = {"graphs": Graph.from_edges(2, []), "start": "exactly one a and exactly one on", "scheduler": "central"}
    found = ask(fsa, eventually_always="exactly one a", **about)
    assert found.holds is False
    # The shortest run goes to "b" and rests on nothing: the other node turns for ever either way.
    assert found.broken is True


def test_functions_are_predicates_and_see_every_configuration():
    seen = set()

    def quiet(graph, states):
        seen.add(states)
        return "ill" not in states

    found = ask("sir", always=quiet, graphs="path", max_nodes=2, start="every")
    assert found.holds is False
    assert len(seen) == 3  # The path of one node: the first counterexample ends it.
    assert found.question == "always quiet"


def test_labels_of_a_task():
    found = ask("path-finding", eventually_always="labels of path-finding", max_nodes=6, scheduler="central")
    assert found.holds
    assert found.graph_class == "tree"
    right = library.path_finding()
    wrong = right.with_entry("node", right.aggregation.encode([right.index("node")], [], right.num_states), "on")
    found = ask(wrong, eventually_always="every node is labelled right", task="path-finding", max_nodes=6)
    assert found.holds is False
    assert found.counterexample.loop == found.counterexample.steps


# ---- sampling


def test_answers_say_in_one_line_what_was_asked():
    asked = {"eventually_always": "exactly one leader", "graphs": "tree", "max_nodes": 3}
    words = "eventually always exactly one leader"
    found = ask("tree-leader", **asked)
    how = f"synchronous, from the starting states; graphs: tree; {found.configurations} configurations"
    assert repr(found) == f"Answer(holds=True: {words}; {how})"
    assert repr(ask("tree-leader", **asked, scheduler="distributed", fair=True)).endswith("; with a counterexample)")
    assert repr(ask("tree-leader", **asked, samples=5)).endswith("; 5 runs drawn)")


def test_samples_are_estimates_and_no_proof():
    about = {"graphs": families.cycle(40), "start": "starting", "scheduler": "central", "steps": 400}
    found = ask("unison", always="every 0 sees only 3, 0 or 1", **about, samples=50)
    assert found.holds is None
    assert not found
    assert (found.sample.runs, found.sample.held) == (50, 50)
    # The rule of three, exactly: 0.01 = p ** 50.
    assert found.sample.at_least == pytest.approx(0.01 ** (1 / 50))
    rare = ask("core", eventually="every node is out", **about, samples=20, seed=3)
    assert rare.sample.held == 0
    assert rare.sample.at_least == 0


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_samples_agree_with_exploration(scheduler):
    about = {
        "eventually_always": "every node is 0",
        "graphs": families.path(5),
        "start": "every",
        "scheduler": scheduler,
    }
    fsa = GraphFSA.from_rules(
        "states: 0, 1\naggregation: counting bound=1\n0 stays\n1 -> 0 if some neighbour is 0\n1 stays otherwise"
    )
    drawn = ask(fsa, **about, samples=500, steps=60, seed=1).sample
    # All but the configuration with no 0 at all heal: 31 of 32.
    assert abs(drawn.held / 500 - 31 / 32) < 0.03
    assert drawn.at_least < 31 / 32


def test_what_is_drawn_of_a_run_does_not_depend_on_the_others():
    """A run that has come to rest with it counts, also if others never rest."""
    names = ["a", "b", "c", "goal", "x", "y"]
    following = dict(zip(names, ["b", "c", "goal", "goal", "y", "x"], strict=True))
    fsa = GraphFSA.from_rule(
        names, CountingAggregation(1), lambda state, _counts: following[state], starting_states=["a", "x"]
    )
    about = {"eventually_always": "every node is goal", "graphs": Graph.from_edges(1, [])}
    assert 60 < ask(fsa, **about, samples=200, steps=3).sample.held < 140


def test_sets_of_enabled_nodes_are_drawn_alike():
    enabled = np.array([[True, False, True]] * 30_000 + [[False] * 3])
    chosen = sampling._chosen("distributed", enabled, None, np.random.default_rng(0))
    kinds, counts = np.unique(chosen[:-1], axis=0, return_counts=True)
    assert kinds.tolist() == [[False, False, True], [True, False, False], [True, False, True]]
    assert (abs(counts - 10_000) < 400).all()
    assert not chosen[-1].any()


def test_runs_are_drawn_in_portions(monkeypatch):
    about = {"always": "stable", "graphs": families.cycle(5), "scheduler": "locally-central", "start": "every"}
    monkeypatch.setattr(sampling, "_ROOM", 200)
    assert ask("unison", **about, samples=50, steps=2).sample.runs == 50


# ---- what is refused

LARGE = {"always": "stable", "graphs": "path", "max_nodes": 14, "start": "every"}


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, GraphFSAError, "ask one of always, eventually and eventually_always; got 0"),
        ({"always": "stable", "eventually": "stable"}, GraphFSAError, "got 2"),
        ({"always": "exactly one leadr"}, FormatError, "must be one of '0', '1', '2', '3'; got 'leadr'"),
        ({"always": 3}, GraphFSAError, "words or a function; got int"),
        ({"always": "stable", "scheduler": "centrl"}, UnknownNameError, "did you mean 'central'"),
        ({"always": "stable", "scheduler": schedulers.Central()}, GraphFSAError, "whatever synchronous, central"),
        ({"always": "stable", "fair": "yes"}, GraphFSAError, "fair must be True or False; got 'yes'"),
        ({"always": "stable", "graphs": "wheel"}, UnknownNameError, "unknown graph class 'wheel'"),
        ({"always": "stable", "max_nodes": 0}, GraphFSAError, "max_nodes must be an integer >= 1"),
        ({"always": "every node is labelled right"}, GraphFSAError, "give a task"),
        ({"always": "stable", "start": "some thing"}, FormatError, "got 'thing'"),
        (LARGE, LimitError, "max_nodes of at most 13"),
        (LARGE, LimitError, "4 states on 14 nodes make 268,435,456 configurations; at most 134,217,728"),
        (LARGE, LimitError, "samples=1000"),
        ({"always": "stable", "graphs": "connected", "max_nodes": 9}, LimitError, "listed up to 8 nodes"),
        ({"always": "stable", "graphs": "cycle", "max_nodes": 2}, GraphFSAError, "no graphs of the class cycle"),
        ({"always": "stable", "graphs": []}, GraphFSAError, "there are no graphs to look at"),
        ({"always": "stable", "start": "at least 7 nodes are 0"}, GraphFSAError, "no configuration of these"),
        ({"always": "stable", "samples": 0}, GraphFSAError, "samples must be"),
        ({"always": "stable", "samples": 10**11}, GraphFSAError, "samples must be an integer from 1 to 10000000"),
        (
            {"always": "stable", "graphs": families.path(5000), "samples": 9, "scheduler": "locally-central"},
            LimitError,
            "at most 4,096 nodes",
        ),
        ({"always": "stable", "samples": 9, "confidence": 1}, GraphFSAError, "confidence must be"),
        ({"always": lambda graph, states: 1, "max_nodes": 1}, GraphFSAError, "must return True or False; got int"),
        ({"always": lambda graph, states: states[9], "max_nodes": 1}, GraphFSAError, "failed: IndexError"),
    ],
)  # fmt: skip
def test_what_is_refused(given, error, words):
    with pytest.raises(error, match=words.replace("[", r"\[")):
        ask("unison", **given)


def test_spaces_that_do_not_fit_are_refused_on_the_way():
    fsa = library.unison(4)
    with pytest.raises(LimitError, match="at most 1,000 are kept"):
        explore(fsa, families.cycle(6), [np.arange(4**6)], "central", max_arcs=1000)
