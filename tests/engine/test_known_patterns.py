"""Automata whose behaviour everybody knows, against formulas written without the package."""

from itertools import product

import numpy as np
import pytest

from graphfsa import GraphBatch, families, library, run
from graphfsa.engine.kernels import KERNELS
from graphfsa.errors import GraphFSAError
from oracles import around, life_step

STEPS = 8
SIZES = range(1, 9)
INPUTS = [np.array(list(product((0, 1), repeat=n)), np.uint8) for n in SIZES]


def wolfram(rule, left, own, right):
    return (rule >> (4 * left + 2 * own + right) & 1).astype(np.uint8)


def united(family):
    """Every input of every size at once: a union of rings or rows, and the states of its nodes."""
    batch = GraphBatch.of([family(n) for n in SIZES for _ in range(2**n)])
    return batch.graph, np.concatenate([inputs.reshape(-1) for inputs in INPUTS])


def every_kernel(fsa, graph, states, steps, **options):
    """The trajectories of every kernel that can run this."""
    found = {}
    for kernel in KERNELS:
        try:
            found[kernel] = run(fsa, graph, states, steps, kernel=kernel, **options)
        except GraphFSAError as error:
            assert kernel in ("lattice", "bits", "numpy")
            assert "can't run" in str(error)
    return found


@pytest.fixture(scope="module")
def rings():
    return united(families.ring)


@pytest.fixture(scope="module")
def rows():
    return united(families.row)


@pytest.mark.parametrize("block", range(8))
def test_all_elementary_rules_on_all_small_rings(rings, block):
    graph, states = rings
    for rule in range(32 * block, 32 * block + 32):
        expected = []
        for inputs in INPUTS:
            frames = [inputs]
            for _ in range(STEPS):
                now = frames[-1].astype(int)
                frames.append(wolfram(rule, np.roll(now, 1, axis=1), now, np.roll(now, -1, axis=1)))
            expected.append(np.stack(frames).reshape(STEPS + 1, -1))
        trajectory = run(library.elementary(rule), graph, states, STEPS, record="all")
        assert np.array_equal(trajectory.states, np.concatenate(expected, axis=1)), rule


@pytest.mark.parametrize("n", SIZES)
def test_rings_as_lattices(n):
    """The union above is a plain graph; here the ring itself runs, on every kernel, from one input per rule."""
    graph = families.ring(n)
    for rule in range(256):
        start = sum(bit << place for place, bit in enumerate(INPUTS[n - 1][rule % 2**n]))
        number = start
        for _ in range(STEPS):
            bits = [number >> place & 1 for place in range(n)]
            number = sum(
                (rule >> (4 * bits[place - 1] + 2 * bits[place] + bits[(place + 1) % n]) & 1) << place
                for place in range(n)
            )
        states = [start >> place & 1 for place in range(n)]
        fsa = library.elementary(rule)
        for kernel in ("event", "dense", "lattice"):
            last = run(fsa, graph, states, STEPS, kernel=kernel).last
            assert sum(int(bit) << place for place, bit in enumerate(last)) == number, (rule, kernel)


@pytest.mark.parametrize("boundary", ["zero", "one", "copy"])
def test_all_elementary_rules_on_all_small_rows(rows, boundary):
    graph, states = rows
    mode = {"zero": {"constant_values": 0}, "one": {"constant_values": 1}, "copy": {"mode": "edge"}}[boundary]
    for rule in range(256):
        expected = []
        for inputs in INPUTS:
            now = inputs
            for _ in range(STEPS):
                wide = np.pad(now, ((0, 0), (1, 1)), **mode).astype(int)
                now = wolfram(rule, wide[:, :-2], wide[:, 1:-1], wide[:, 2:])
            expected.append(now.reshape(-1))
        last = run(library.elementary(rule, boundary=boundary), graph, states, STEPS).last
        assert np.array_equal(last, np.concatenate(expected)), rule


@pytest.mark.parametrize("boundary", ["zero", "one", "copy"])
def test_rows_as_lattices(boundary):
    fsa = library.elementary(90, boundary=boundary)
    states = np.random.default_rng(0).integers(0, 2, 300)
    now = states
    beyond = {"zero": lambda end: 0, "one": lambda end: 1, "copy": int}[boundary]
    for _ in range(50):
        wide = np.r_[beyond(now[0]), now, beyond(now[-1])]
        now = wide[:-2] ^ wide[2:]  # Rule 90 is the exclusive or of both sides.
    found = every_kernel(fsa, families.row(300), states, 50)
    assert set(found) == {"auto", "event", "dense", "numpy", "lattice"}
    for kernel, trajectory in found.items():
        assert np.array_equal(trajectory.last, now), kernel


def test_rule_30_from_one_cell():
    """The middle column of rule 30 begins 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1 (OEIS A051023)."""
    states = np.zeros(101, int)
    states[50] = 1
    frames = run(library.elementary(30), families.ring(101), states, 15, record="all").states
    assert frames[:, 50].tolist() == [1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1]


def board(picture, height=None, width=None, top=0, left=0):
    """A board of zeros and ones from lines with an ``O`` for each live cell."""
    lines = picture.strip("\n").splitlines()
    cells = np.zeros((height or len(lines), width or max(map(len, lines))), int)
    for row, line in enumerate(lines):
        for column, mark in enumerate(line):
            cells[top + row, left + column] = mark == "O"
    return cells


def life(cells, steps, torus=True, **options):
    graph = families.moore(*cells.shape, torus=torus)
    found = every_kernel(library.life_like(), graph, cells.reshape(-1), steps, **options)
    assert set(found) == set(KERNELS)
    return found


GLIDER = """
.O.
..O
OOO
"""


@pytest.mark.parametrize(("height", "width"), [(8, 8), (20, 63), (64, 65), (17, 128)])
def test_a_glider_moves_one_down_and_one_right_in_four_steps(height, width):
    start = np.roll(board(GLIDER, height, width), (height - 2, width - 2), axis=(0, 1))  # It crosses both seams.
    for moves in (1, 2, 5):
        expected = np.roll(start, (moves, moves), axis=(0, 1))
        for kernel, trajectory in life(start, 4 * moves).items():
            assert np.array_equal(trajectory.last.reshape(height, width), expected), kernel


PULSAR = """
..OOO...OOO..
.............
O....O.O....O
O....O.O....O
O....O.O....O
..OOO...OOO..
.............
..OOO...OOO..
O....O.O....O
O....O.O....O
O....O.O....O
.............
..OOO...OOO..
"""


@pytest.mark.parametrize("torus", [True, False])
def test_a_pulsar_has_period_three(torus):
    start = board(PULSAR, 17, 17, top=2, left=2)
    for trajectory in life(start, "stable", torus=torus).values():
        assert (trajectory.stable_at, trajectory.period) == (0, 3)
    assert [life(start, k, torus)["auto"].last.sum() for k in range(4)] == [48, 56, 72, 48]


@pytest.mark.parametrize(
    ("picture", "period"),
    [("OO\nOO", 1), (".OO.\nO..O\n.OO.", 1), ("OOO", 2), (".OOO\nOOO.", 2), ("OO..\nOO..\n..OO\n..OO", 2)],
)
def test_still_lifes_and_oscillators(picture, period):
    for trajectory in life(board(picture, 20, 20, 8, 8), "stable").values():
        assert (trajectory.stable_at, trajectory.period) == (0, period)


def test_the_r_pentomino_settles():
    """It settles after 1103 steps into 116 cells, if the field is large enough."""
    start = board(".OO\nOO.\n.O.", 600, 600, 300, 300)
    graph = families.moore(600, 600)
    populations = {k: run(library.life_like(), graph, start.reshape(-1), k).last.sum() for k in (1000, 1103, 1105)}
    assert populations[1000] != 116
    assert populations[1103] == populations[1105] == 116


GOSPER_GUN = """
........................O...........
......................O.O...........
............OO......OO............OO
...........O...O....OO............OO
OO........O.....O...OO..............
OO........O...O.OO....O.O...........
..........O.....O.......O...........
...........O...O....................
............OO......................
"""


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_gosper_gun_emits_a_glider_every_thirty_steps(kernel):
    """In a bounded field that no glider leaves during the test."""
    start = board(GOSPER_GUN, 100, 120, top=5, left=5)
    graph = families.moore(100, 120)
    frames = run(library.life_like(), graph, start.reshape(-1), 240, record=30, kernel=kernel).states
    assert frames.sum(axis=1).tolist() == [36 + 5 * k for k in range(9)]
    gun = frames.reshape(9, 100, 120)[:, 5:14, 5:41]
    assert all(np.array_equal(gun[k, :, :22], gun[0, :, :22]) for k in range(9))
    assert run(library.life_like(), graph, start.reshape(-1), 15, kernel=kernel).last.sum() != 36


@pytest.mark.parametrize("rule", ["B36/S23", "B2/S", "B/S012345678", "B1357/S1357", "B8/S8", "B0/S8", "B45678/S2345"])
@pytest.mark.parametrize("torus", [True, False])
def test_life_like_rules_against_numpy(rule, torus):
    born, survive = ([int(digit) for digit in part[1:]] for part in rule.split("/"))
    rng = np.random.default_rng(1)
    for width in (63, 64, 65, 130):
        start = rng.integers(0, 2, (30, width))
        expected = start
        for _ in range(6):
            expected = life_step(expected, born, survive, torus)
        graph = families.moore(30, width, torus=torus)
        for kernel, trajectory in every_kernel(library.life_like(rule), graph, start.reshape(-1), 6).items():
            assert np.array_equal(trajectory.last.reshape(30, width), expected), kernel


def hex_neighbours(row, column):
    """In cube coordinates, where the six directions are plain; odd rows are shifted right."""
    q = column - (row - (row & 1)) // 2
    for dq, dr in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)):
        r = row + dr
        yield r, q + dq + (r - (r & 1)) // 2


@pytest.mark.parametrize("torus", [True, False])
def test_hexagonal_life_against_cube_coordinates(torus):
    height, width = 12, 67
    start = np.random.default_rng(2).integers(0, 2, (height, width))
    expected = start
    for _ in range(10):
        following = np.zeros_like(expected)
        for row, column in np.ndindex(height, width):
            live = 0
            for r, c in hex_neighbours(row, column):
                if torus:
                    live += expected[r % height, c % width]
                elif 0 <= r < height and 0 <= c < width:
                    live += expected[r, c]
            following[row, column] = live == 3 or (expected[row, column] and live in (2, 4))
        expected = following
    assert 0 < expected.sum() < expected.size
    found = every_kernel(library.hex_life(), families.hexagonal(height, width, torus=torus), start.reshape(-1), 10)
    assert set(found) == set(KERNELS)
    for kernel, trajectory in found.items():
        assert np.array_equal(trajectory.last.reshape(height, width), expected), kernel


EMPTY, HEAD, TAIL, CONDUCTOR = range(4)


def circuit(picture):
    """A WireWorld board: ``#`` conductor, ``@`` head, ``~`` tail."""
    return np.array([[" @~#".index(mark) for mark in line] for line in picture.strip("\n").splitlines()])


def wireworld(cells, steps):
    found = every_kernel(library.wireworld(), families.moore(*cells.shape), cells.reshape(-1), steps, record="all")
    assert set(found) == set(KERNELS)
    assert len({trajectory.states.tobytes() for trajectory in found.values()}) == 1
    return found["auto"].states.reshape(-1, *cells.shape)


def test_an_electron_runs_along_a_wire():
    frames = wireworld(circuit("~@##########"), 10)
    for step, frame in enumerate(frames):
        assert np.flatnonzero(frame[0] == HEAD).tolist() == [step + 1]
        assert np.flatnonzero(frame[0] == TAIL).tolist() == [step]


def test_an_electron_goes_round_a_loop():
    frames = wireworld(circuit(" @## \n~   #\n ### "), 40)  # The corners are diagonal steps: eight cells in all.
    assert ((frames == HEAD).sum(axis=(1, 2)) == 1).all()
    assert [step for step in range(1, 41) if np.array_equal(frames[step], frames[0])] == [8, 16, 24, 32, 40]


CONDUCTING = """
       ##
~@###### #######
       ##
"""
BLOCKING = """
       ##
~@##### ########
       ##
"""


@pytest.mark.parametrize(("picture", "passes"), [(CONDUCTING, True), (BLOCKING, False)])
def test_a_diode_lets_electrons_pass_one_way_only(picture, passes):
    width = max(map(len, picture.strip("\n").splitlines()))
    cells = circuit("\n".join(line.ljust(width) for line in picture.strip("\n").splitlines()))
    frames = wireworld(cells, 20)
    reached = (frames[:, 1, -1] == HEAD).any()
    assert reached == passes
    assert not (frames[-1] == HEAD).any()  # It has left the wire, or died at the diode.


def test_brians_brain_against_numpy():
    start = np.random.default_rng(3).integers(0, 3, (40, 66))
    for torus in (True, False):
        expected = start
        for _ in range(12):
            firing = around((expected == 1).astype(int), torus).sum(axis=0)
            expected = np.select([expected == 1, expected == 2, firing == 2], [2, 0, 1], 0)
        assert (expected == 1).any()
        graph = families.moore(40, 66, torus=torus)
        for kernel, trajectory in every_kernel(library.brians_brain(), graph, start.reshape(-1), 12).items():
            assert np.array_equal(trajectory.last.reshape(40, 66), expected), kernel
