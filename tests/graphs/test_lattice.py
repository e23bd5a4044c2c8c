"""Lattices against their definition, cell by cell."""

import numpy as np
import pytest

from graphfsa.errors import GraphError
from graphfsa.graphs import Graph, Lattice

OFFSETS = {
    "line": [(0, -1), (0, 1)],
    "von-neumann": [(-1, 0), (0, -1), (0, 1), (1, 0)],
    "moore": [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)],
}
SIDES = range(1, 6)


def offsets(kind, row):
    if kind != "hex":
        return OFFSETS[kind]
    # Odd rows sit half a cell further right, so the two cells above (or below) are those half a cell to either side.
    shift = row % 2
    return [(-1, shift - 1), (-1, shift), (0, -1), (0, 1), (1, shift - 1), (1, shift)]


def defined(lattice, row, column):
    """The neighbours of a cell by the definition: a list of (slot, cell)."""
    seen = []
    for slot, (dr, dc) in enumerate(offsets(lattice.kind, row)):
        r, c = row + dr, column + dc
        if lattice.torus:
            r, c = r % lattice.height, c % lattice.width
        if 0 <= r < lattice.height and 0 <= c < lattice.width:
            seen.append((slot, r * lattice.width + c))
    return seen


def lattices():
    for kind in ("line", "von-neumann", "moore", "hex"):
        for height in SIDES if kind != "line" else (1,):
            for width in SIDES:
                for torus in (False, True):
                    if not (kind == "hex" and torus and height % 2):
                        yield kind, height, width, torus


@pytest.mark.parametrize("slotted", [False, True])
@pytest.mark.parametrize(("kind", "height", "width", "torus"), list(lattices()))
def test_every_cell_sees_what_the_definition_says(kind, height, width, torus, slotted):
    lattice = Lattice(kind, height, width, torus, slotted)
    graph = Graph.from_lattice(lattice)
    total = 0
    for cell in range(height * width):
        seen = defined(lattice, *divmod(cell, width))
        start, stop = graph.indptr[cell : cell + 2]
        if slotted and total + len(seen):
            got = list(zip(graph.slots[start:stop].tolist(), graph.indices[start:stop].tolist(), strict=True))
            assert sorted(got) == seen
        else:
            assert graph.neighbours(cell).tolist() == sorted({other for _, other in seen} - {cell})
        total += stop - start
    # The number of arcs is known before the arrays are built, and must agree with them.
    assert graph.num_arcs == lattice.num_arcs() == len(graph.indices) == total
    # Canonical: an ordinary graph built from the same arrays is the same.
    assert Graph(graph.indptr, graph.indices, graph.slots) == graph
    assert graph.symmetric == Graph(graph.indptr, graph.indices).symmetric is True
    assert graph.num_slots == Graph(graph.indptr, graph.indices, graph.slots).num_slots


def test_arcs_of_large_lattices_are_counted_without_building_them():
    big = 2**15
    assert Graph.from_lattice(Lattice("moore", big, big, torus=True)).num_arcs == 8 * big**2
    assert Graph.from_lattice(Lattice("von-neumann", big, big)).num_arcs == 4 * big * (big - 1)
    assert Graph.from_lattice(Lattice("moore", 1, 2**30, torus=True)).num_arcs == 2 * 2**30
    assert Graph.from_lattice(Lattice("hex", 2, 2**29, torus=True)).num_arcs == 4 * 2**30


@pytest.mark.parametrize(("height", "near"), [(1, "2"), (3, "2 or 4"), (5, "4 or 6")])
def test_a_hexagonal_torus_has_an_even_height(height, near):
    with pytest.raises(GraphError, match=f"even height.* got {height}, try {near}"):
        Lattice("hex", height, 4, torus=True)
    Lattice("hex", height, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("square", 2, 2), "lattice kind must be one of line, von-neumann, moore, hex; got 'square'"),
        (("moore", 0, 2), "lattice height must be an integer >= 1; got 0"),
        (("moore", 2, 1.5), "lattice width must be an integer >= 1; got 1.5"),
        (("moore", True, 2), "lattice height must be an integer >= 1; got True"),
        (("line", 2, 2), "a line has height 1; got 2"),
        (("moore", 2**16, 2**15), "a lattice must have fewer than 2^31 cells; got 65536 x 32768"),
    ],
)
def test_says_what_must_hold(arguments, message):
    with pytest.raises(GraphError) as error:
        Lattice(*arguments)
    assert message in str(error.value)


def test_arrays_are_read_only_and_typed():
    graph = Graph.from_lattice(Lattice("line", 1, 4, slotted=True))
    assert (graph.indptr.dtype, graph.indices.dtype, graph.slots.dtype) == (np.int64, np.int32, np.uint8)
    assert not any(array.flags.writeable for array in (graph.indptr, graph.indices, graph.slots))
