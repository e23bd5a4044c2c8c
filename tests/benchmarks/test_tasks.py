"""The tasks of the benchmarks: what they say, how fast they are drawn, and that their specifications say the same."""

from pathlib import Path
from time import process_time

import networkx as nx
import numpy as np
import pytest

from benchmarks import held_out, tasks
from graphfsa.datasets import TaskGraph, draw_training, oracle_task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, all_graphs, all_inputs, families, to_networkx
from graphfsa.plugins import load_file

# What the others are about is not for the eyes of who tunes a learner, nor are their names.
KNOWN = [pytest.param(kind(), id=kind.name) for kind in tasks.TASKS]
OTHERS = [pytest.param(kind(), id=f"other-{place}") for place, kind in enumerate(held_out.TASKS, start=1)]
SPECIFIED = [case for case in KNOWN + OTHERS if case.values[0].specifications()]
MANY = 3 * 10**4
"""Choices of inputs of one size above which a test is slow."""


def test_there_are_twenty_and_ten():
    assert len({kind.name for kind in (*tasks.TASKS, *held_out.TASKS)}) == 30
    assert (len(tasks.TASKS), len(held_out.TASKS)) == (20, 10)
    assert all(kind.__doc__ for kind in (*tasks.TASKS, *held_out.TASKS))


@pytest.mark.parametrize("task", KNOWN + OTHERS)
def test_graphs_are_drawn_fast_and_cover_all_inputs_and_classes(task):
    began = process_time()
    train = draw_training(task, np.random.default_rng(0))
    size, _ = task.splits["test"].parts[-1]
    large = task.generate(min(size, 1000), 10, np.random.default_rng(0))
    assert process_time() - began < 10
    assert 2900 <= len(train) <= 3000
    assert train.mask.all()
    assert set(train.inputs.tolist()) == set(range(len(task.inputs)))
    assert set(train.labels.tolist()) == set(large.labels.tolist()) == set(range(len(task.classes)))
    shares = np.bincount(train.labels) / len(train.labels)
    assert shares.min() > 0.02


@pytest.mark.parametrize("task", KNOWN + OTHERS)
def test_what_is_drawn_is_admitted_and_has_two_steps_per_node(task):
    drawn = task.generate(10, 20, np.random.default_rng(0))
    assert all(task.admits(TaskGraph.of(one.graph), one.input_names) for one in drawn)
    assert drawn.steps.tolist() == [22] * 20


def check(task, graph, rows):
    """Compare a task with its specification; ``rows`` are input names. Returns how many were admitted."""
    spec, shown = task.specifications()[0], TaskGraph.of(graph)
    fixed = [((key,) if isinstance(key, str) else key, count) for key, count in task.exactly.items()]
    number = 0
    for names in rows:
        admitted = all(sum(name in group for name in names) == count for group, count in fixed)
        admitted = admitted and task.admits(shown, names)
        assert spec.labels(graph, names) == (task.label(shown, names) if admitted else None), names
        number += admitted
    return number


def all_instances(task, size):
    rows = [[task.inputs[k] for k in row] for row in all_inputs(size, len(task.inputs)).tolist()]
    kind = "path" if task.graphs == "path" else "tree"
    return sum(check(task, graph, rows) for graph in all_graphs(kind, size).graphs())


def is_slow(task):
    return len(task.inputs) ** 6 > MANY


@pytest.mark.parametrize("task", SPECIFIED)
def test_specifications_agree_on_all_small_instances(task):
    sizes = range(1, 6 if is_slow(task) else 7)
    assert sum(all_instances(task, size) for size in sizes) > 0


@pytest.mark.slow
@pytest.mark.parametrize("task", [case for case in SPECIFIED if is_slow(case.values[0])])
def test_specifications_agree_on_all_instances_of_six_nodes(task):
    assert all_instances(task, 6) > 0


@pytest.mark.parametrize("task", SPECIFIED)
def test_specifications_agree_on_larger_trees(task):
    for size in (7, 10, 31):
        for one in task.generate(size, 30, np.random.default_rng(size)):
            if one.graph.num_arcs == 2 * (size - 1):
                assert task.specifications()[0].labels(one.graph, one.input_names) == one.label_names


def test_which_have_specifications():
    without = {kind.name for kind in tasks.TASKS if not kind().specifications()}
    assert without == {
        "two-core", "height-parity", "centre", "midpoint"
    }  # fmt: skip


def labels(kind, graph, *inputs):
    return kind().label(TaskGraph.of(graph), list(inputs))


def test_by_hand():
    path = families.path(5)
    assert labels(tasks.VoronoiTies, path, "red", "node", "node", "node", "blue") == [
        "red", "red", "tie", "blue", "blue"
    ]  # fmt: skip
    assert labels(tasks.VoronoiFour, families.path(3), "c3", "node", "c2") == ["c3", "c2", "c2"]
    assert labels(tasks.DistanceMod5, families.path(6), "root", *["node"] * 5) == ["0", "1", "2", "3", "4", "0"]
    assert labels(tasks.MarkInSubtree, path, "node1", "node0", "root0", "node0", "node0") == [
        "yes", "yes", "yes", "no", "no"
    ]  # fmt: skip
    assert labels(tasks.MarkOnTheWay, path, "node0", "node1", "root0", "node0", "node1") == [
        "yes", "yes", "no", "no", "yes"
    ]  # fmt: skip
    assert labels(tasks.CountMarks, path, "root0", "node1", "node0", "node1", "node0") == ["2", "2", "1", "1", "0"]
    assert labels(tasks.HeightParity, path, "node", "root", "node", "node", "node") == [
        "even", "odd", "even", "odd", "even"
    ]  # fmt: skip
    assert labels(tasks.WinLose, path, "root", *["node"] * 4) == ["lose", "win", "lose", "win", "lose"]
    assert labels(tasks.LowestCommonAncestor, path, "node1", "node0", "root0", "node0", "node1") == [
        "no", "no", "yes", "no", "no"
    ]  # fmt: skip
    assert labels(tasks.LowestCommonAncestor, path, "root0", "node1", "node0", "node0", "node1") == [
        "no", "yes", "no", "no", "no"
    ]  # fmt: skip
    assert labels(tasks.LeafDistance, path, *["node"] * 5) == ["even", "odd", "even", "odd", "even"]
    assert labels(tasks.Midpoint, families.path(4), "marked", "node", "node", "marked") == ["no", "yes", "yes", "no"]
    star = families.star(4)
    centre = star.degrees.tolist().index(3)
    names = ["0", "1", "1", "1"]
    for root, value in (("root-and", "0"), ("root-or", "1")):
        given = [root if node == centre else names[node] for node in range(4)]
        assert labels(tasks.AndOrTree, star, *given)[centre] == ("1" if centre == 0 else value)
    given = ["root" if node == centre else "0110"[node] for node in range(4)]
    assert labels(tasks.MajorityOfThree, star, *given)[centre] == ("1" if centre in (0, 3) else "0")


@pytest.mark.parametrize("size", [1, 2, 9, 60])
def test_the_centre_and_the_core_are_those_of_networkx(size):
    for seed in range(5):
        tree = families.random_tree(size, np.random.default_rng(seed))
        wanted = set(nx.center(to_networkx(tree)))
        found = labels(tasks.Centre, tree, *["node"] * size)
        assert {node for node in range(size) if found[node] == "yes"} == wanted
        (one,) = tasks.TwoCore().generate(size, 1, np.random.default_rng(seed))
        core = set(nx.k_core(to_networkx(one.graph), 2))
        assert {node for node in range(size) if one.label_names[node] == "core"} == core


@pytest.mark.parametrize("size", [2, 7, 16, 31, 100, 1681])
def test_mazes_are_trees_with_at_most_four_ways(size):
    (one,) = tasks.Maze().generate(size, 1, np.random.default_rng(size))
    assert nx.is_tree(to_networkx(one.graph))
    assert one.graph.degrees.max() <= 4


def test_trees_of_threes_have_their_sizes():
    with pytest.raises(GraphFSAError, match=r"majority-of-three needs graphs of 4, 7, 10, \.\.\. nodes; got 8"):
        tasks.MajorityOfThree().generate(8, 1, np.random.default_rng(0))
    for graph in (families.path(3), Graph.from_edges(1, [])):
        assert not len(tasks.MajorityOfThree().instances(graph))


def test_the_example_of_an_oracle_says_the_same():
    oracle, task = load_file(Path(__file__).parents[2] / "examples" / "subtree.py"), tasks.MarkInSubtree()
    assert (task.inputs, task.classes) == (oracle.INPUTS, oracle.CLASSES)
    own = oracle_task(oracle.label)(family="tree")
    for size in range(1, 5):
        for graph in map(TaskGraph.of, all_graphs("tree", size).graphs()):
            admitted = [[task.inputs[k] for k in row] for row in own.instances(graph).tolist()]
            assert len(admitted) == task.num_instances(size)
            assert all(oracle.label(graph, names) == task.label(graph, names) for names in admitted)
