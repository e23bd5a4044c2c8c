"""The protocols of the library hold what they promise: in every run, on every small graph."""

import pytest

from graphfsa import ask, families, library
from graphfsa.graphs import all_graphs

INDEPENDENT = "no two neighbours both in and every out node has a neighbour in and every node is in or out"
MATCHED = 'every node is "matched left", "matched right" or single and no two neighbours both single'
UNISON = " and ".join(f"every {hour} sees only {(hour + 3) % 4}, {hour} or {(hour + 1) % 4}" for hour in range(4))
SIZES = {"synchronous": 5, "central": 5, "distributed": 4, "locally-central": 5}


@pytest.mark.parametrize("scheduler", SIZES)
def test_clocks_stay_together_and_never_stop(scheduler):
    about = {"graphs": "connected", "max_nodes": SIZES[scheduler], "scheduler": scheduler}
    assert ask("unison", always=f"{UNISON} and somebody can move", **about)


@pytest.mark.parametrize("scheduler", SIZES)
def test_every_clock_shows_every_hour_if_none_is_kept_waiting(scheduler):
    graphs = [*all_graphs("connected", 3).graphs(), *all_graphs("tree", 4).graphs()]
    for node in range(4):

        def late(_graph, states, node=node):
            return states[node % len(states)] == "3"

        assert ask("unison", eventually=late, graphs=graphs, scheduler=scheduler, fair=True)


def test_clocks_do_not_heal():
    # Opposite hours at both ends of a path of two: both wait for the other, for ever.
    found = ask("unison", eventually_always=UNISON, graphs="connected", max_nodes=4, start="every", scheduler="central")
    assert found.holds is False
    assert sorted(found.counterexample.names[0]) == ["0", "2"]


@pytest.mark.parametrize("name", ["mis", "stone-age-mis"])
def test_independent_sets_are_maximal_with_probability_1(name):
    fsa = library.mis(2) if name == "mis" else library.stone_age_mis()
    found = ask(fsa, eventually_always=INDEPENDENT, graphs="connected", max_nodes=4)
    assert found.holds
    assert ask(fsa, always="no two neighbours both in", graphs="connected", max_nodes=4)


def test_luby_needs_all_to_move_together():
    assert (
        ask(library.mis(2), always="no two neighbours both in", graphs="path", max_nodes=2, scheduler="central").holds
        is False
    )


def test_one_leader_on_every_tree_and_on_every_clique():
    elected = "exactly one leader and every node is leader or lost"
    assert ask("tree-leader", eventually_always=elected, graphs="tree", max_nodes=7)
    assert ask("clique-leader", eventually_always=elected, graphs=[families.complete(size) for size in range(1, 6)])


@pytest.mark.parametrize("family", [families.row, families.ring])
def test_matchings_are_maximal(family):
    # The only node of a ring of one is its own neighbour, and points to itself for ever.
    assert ask("ring-matching", eventually_always=MATCHED, graphs=[family(size) for size in (2, 3, 4, 5)])


def test_colours_are_proper_where_there_are_enough():
    for graphs, colours in (("tree", 2), ("cycle", 3)):
        fsa = library.colouring(colours)
        assert ask(
            fsa, eventually_always="no two neighbours alike and stable", graphs=graphs, max_nodes=5, start="every"
        )
    # Four nodes that all see each other need a fourth colour; a cycle of five needs a third.
    assert not ask(library.colouring(3), eventually="stable", graphs="connected", max_nodes=4, start="every")
    assert not ask(library.colouring(2), eventually="stable", graphs="cycle", max_nodes=5, start="every")


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("scheduler", SIZES)
def test_cores_do_not_depend_on_who_moves_when(k, scheduler):
    def core(graph, states):
        inside = set(range(graph.num_nodes))
        while gone := {v for v in inside if sum(u in inside for u in graph.neighbours(v).tolist()) < k}:
            inside -= gone
        return states == tuple("in" if v in inside else "out" for v in range(graph.num_nodes))

    found = ask(library.core(k), eventually_always=core, graphs="connected", max_nodes=5, scheduler=scheduler)
    assert found.holds
