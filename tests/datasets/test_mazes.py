"""Mazes and middles against plain definitions that share nothing with the package."""

import networkx as nx
import numpy as np
import pytest

from graphfsa.datasets import MazePixels, MidPoint, PathFinding
from graphfsa.graphs import to_networkx

CELLS = {5: 7, 9: 31, 59: 1681}


def picture(example, side):
    """The letters of a maze: # wall, . free, S start, E end."""
    letters = {"wall": "#", "free": ".", "start": "S", "end": "E"}
    cells = [letters[name] for name in example.input_names]
    return ["".join(cells[row * side : (row + 1) * side]) for row in range(side)]


def free_cells(rows):
    """The free cells of a picture, joined to those above, below and beside them."""
    free = {(r, c) for r, row in enumerate(rows) for c, letter in enumerate(row) if letter != "#"}
    graph = nx.Graph()
    graph.add_nodes_from(free)
    graph.add_edges_from(((r, c), other) for r, c in free for other in ((r + 1, c), (r, c + 1)) if other in free)
    return graph


@pytest.mark.parametrize(("side", "count"), [(5, 20), (9, 30), (59, 2)])
def test_a_maze_in_pixels_is_a_spanning_tree_of_its_rooms(side, count):
    for example in MazePixels().generate(side * side, count, np.random.default_rng(side)):
        rows = picture(example, side)
        graph = free_cells(rows)
        assert nx.is_tree(graph)
        assert len(graph) == CELLS[side]
        assert all(rows[r][c] != "#" for r in range(1, side, 2) for c in range(1, side, 2))
        assert all(rows[r][c] == "#" for r in range(0, side, 2) for c in range(0, side, 2))
        border = rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows)
        assert set(border) == {"#"}


@pytest.mark.parametrize(("side", "count"), [(5, 20), (9, 30), (59, 2)])
def test_the_solution_is_the_only_path(side, count):
    for example in MazePixels().generate(side * side, count, np.random.default_rng(side)):
        rows = picture(example, side)
        ends = {rows[r][c]: (r, c) for r in range(side) for c in range(side) if rows[r][c] in "SE"}
        (path,) = nx.all_simple_paths(free_cells(rows), ends["S"], ends["E"])
        on = {divmod(node, side) for node, name in enumerate(example.label_names) if name == "on"}
        assert on == set(path)


def test_mazes_differ_and_reach_every_kind_of_room():
    rows = [tuple(picture(example, 9)) for example in MazePixels().generate(81, 50, np.random.default_rng(0))]
    assert len(set(rows)) == 50
    ends = {sum(degree == 1 for _, degree in free_cells(each).degree) for each in rows}
    assert len(ends) > 3


@pytest.mark.parametrize("size", [2, 3, 7, 8, 30, 31, 1681])
def test_the_cells_of_a_maze_are_a_tree_of_any_size(size):
    for example in PathFinding(colours=2, trees="maze").generate(size, 5, np.random.default_rng(size)):
        graph = to_networkx(example.graph)
        assert nx.is_tree(graph)
        assert max(degree for _, degree in graph.degree) <= 4
        ends = [example.input_names.index(name) for name in ("first", "second")]
        on = {node for node, name in enumerate(example.label_names) if name == "on"}
        assert on == set(nx.shortest_path(graph, *ends))


def test_rooms_and_doors_of_a_whole_maze_take_turns():
    """In a whole maze every door joins two rooms, so it has two neighbours: the tree splits into 16 rooms, 15 doors."""
    for example in PathFinding(colours=2, trees="maze").generate(31, 20, np.random.default_rng(0)):
        graph = to_networkx(example.graph)
        sides = sorted(nx.bipartite.sets(graph), key=len)
        assert [len(side) for side in sides] == [15, 16]
        assert {graph.degree[node] for node in sides[0]} == {2}


def test_the_middle_is_that_of_the_path():
    for size in (2, 3, 10, 25):
        for example in MidPoint().generate(size, 20, np.random.default_rng(size)):
            graph = to_networkx(example.graph)
            path = nx.shortest_path(graph, *(n for n, name in enumerate(example.input_names) if name == "marked"))
            middle = {path[(len(path) - 1) // 2], path[len(path) // 2]}
            assert {node for node, name in enumerate(example.label_names) if name == "yes"} == middle
