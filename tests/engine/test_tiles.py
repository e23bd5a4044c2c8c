"""Boards of which only some tiles are computed, against kernels that compute every cell, and against the reference."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, Graph, GraphFSA, families, library, run
from graphfsa.engine import _tile_kernels, _tiles
from graphfsa.engine._bits import BitStepper, outcomes
from graphfsa.engine._circuit_stepper import CircuitStepper, lattice_circuit
from graphfsa.engine._dense import ListStepper
from graphfsa.engine._stepper import Outcome, difference
from graphfsa.engine.reference import reference_run
from graphfsa.graphs import Lattice

SEEDS = st.integers(0, 10**6)


def examples(number):
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    return settings(max_examples=number, deadline=None, derandomize=True, suppress_health_check=checks)


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of a few rows and of one word, so that small boards have many, and threads that share a few of them."""

    def choose(rng):
        monkeypatch.setattr(_tiles, "_TALL", int(rng.choice([2, 4])))
        monkeypatch.setattr(_tiles, "_WIDE", int(rng.choice([1, 2])))
        monkeypatch.setattr(_tiles, "_FEW", int(rng.choice([1, 16])))
        monkeypatch.setattr(_tiles, "_DENSE_STEPS", int(rng.integers(1, 5)))
        monkeypatch.setattr(_tiles, "_SHARED_TILES", 2)

    return choose


@st.composite
def boards(draw):
    """Lattices of every kind with several tiles."""
    kind, torus = draw(st.sampled_from(["line", "von-neumann", "moore", "hex"])), draw(st.booleans())
    height = 1 if kind == "line" else draw(st.integers(1, 24))
    width = draw(st.sampled_from([1, 3, 63, 64, 65, 128, 129, 200, 256, 300]))
    return Lattice(kind, height + (height % 2 if kind == "hex" and torus else 0), width, torus=torus)


def sparse_states(lattice, num_states, rng):
    """State 0 almost everywhere, or nearly anything."""
    states = np.zeros(lattice.num_cells, np.uint8)
    some = rng.integers(0, lattice.num_cells, lattice.num_cells // int(rng.choice([2, 20, 200])) + 2)
    states[some] = rng.integers(0, num_states, len(some))
    return states


def selective(num_states, bound, rng):
    """An automaton in which a state looks at one count at most, and many stay as they are; some are absorbing."""
    values = np.arange((bound + 1) ** num_states)
    table = np.empty((num_states, len(values)), np.uint8)
    for state in range(num_states):
        reached = rng.integers(0, num_states, bound + 1)
        if rng.random() < 0.6:
            reached[:] = state
            reached[rng.integers(bound + 1)] = rng.integers(num_states)
        if state == 0 and rng.random() < 0.7:
            reached[0] = 0
        table[state] = reached[values // (bound + 1) ** rng.integers(0, num_states) % (bound + 1)]
    return GraphFSA([f"s{state}" for state in range(num_states)], CountingAggregation(bound=bound), table)


def steppers(fsa, lattice, threads, quiet=0):
    """Every stepper of bits that applies."""
    found, circuit = outcomes(fsa, lattice), lattice_circuit(fsa, lattice)
    made = [BitStepper(*found, lattice, 1)] if found is not None else []
    made += [CircuitStepper(circuit, lattice, 1, quiet)] if circuit is not None else []
    for stepper in made:
        stepper._threads = threads
    return made


def assert_agree(fsa, lattice, states, steps, threads, quiet=0):
    """Every step of every stepper, and what it says of the step before."""
    graph = Graph.from_lattice(lattice)
    for stepper in steppers(fsa, lattice, threads, quiet):
        plain = ListStepper(fsa, graph, 1)
        plain.load(states)
        stepper.load(states)
        for _ in range(steps):
            expected = plain.advance(1)
            found = stepper.advance(1)
            assert found[0] == expected[0]
            assert found[1] == expected[1] or (quiet and found[1] is Outcome.HANDOVER)
            assert np.array_equal(stepper.states(), plain.states())
            if expected[1] is Outcome.FIXED:
                break
            assert np.array_equal(stepper.previous_states(), plain.previous_states())


@examples(120)
@given(boards(), SEEDS, st.integers(1, 3))
def test_two_states(small_tiles, lattice, seed, threads):
    rng = np.random.default_rng(seed)
    small_tiles(rng)
    born, survive = (rng.choice(9, rng.integers(0, 5), replace=False) for _ in range(2))
    rule = "B3/S23" if rng.random() < 0.4 else f"B{''.join(map(str, born))}/S{''.join(map(str, survive))}"
    assert_agree(library.life_like(rule), lattice, sparse_states(lattice, 2, rng), 25, threads)


@examples(120)
@given(boards(), st.sampled_from([(2, 3), (3, 2), (4, 1), (4, 6), (8, 1), (9, 1), (16, 1)]), SEEDS, st.integers(1, 3))
def test_many_states(small_tiles, lattice, size, seed, threads):
    rng = np.random.default_rng(seed)
    small_tiles(rng)
    fsa = selective(*size, rng)
    assert_agree(fsa, lattice, sparse_states(lattice, size[0], rng), 25, threads, quiet=int(rng.integers(0, 2)))


@examples(40)
@given(boards(), SEEDS)
def test_against_the_reference(small_tiles, lattice, seed):
    rng = np.random.default_rng(seed)
    small_tiles(rng)
    fsa, graph = selective(3, 2, rng), Graph.from_lattice(lattice)
    states = sparse_states(lattice, 3, rng)
    expected = reference_run(fsa, graph, states.tolist(), 4)
    for stepper in steppers(fsa, lattice, 1):
        stepper.load(states)
        for frame in expected:
            assert stepper.states().tolist() == frame
            stepper.advance(1)


@pytest.mark.parametrize("side", [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])
@pytest.mark.parametrize("torus", [True, False])
def test_a_pulse_crosses_the_sides_and_corners_of_tiles(side, torus):
    """A cell turns on beside one that is on, and everything stays on: from the corners of a tile to all neighbours."""
    lattice = Lattice("moore", 512, 1024, torus=torus)
    fsa = library.life_like("B12345678/S012345678")
    row, column = {-1: 64, 0: 80, 1: 63}[side[0]], {-1: 128, 0: 190, 1: 127}[side[1]]
    states = np.zeros((512, 1024), np.uint8)
    states[row, column] = 1
    stepper = BitStepper(*outcomes(fsa, lattice), lattice, 1)
    assert stepper._shape[2:] == (32, 2)
    stepper.load(states.reshape(-1))
    for step in range(1, 12):
        stepper.advance(1)
        states[row - step : row + step + 1, column - step : column + step + 1] = 1
        assert np.array_equal(stepper.states().reshape(512, 1024), states)
    assert stepper._sparse


def test_what_is_computed():
    """A blinker keeps its tile alive, a block does not; a soup is computed as a whole until it is gone."""
    lattice = Lattice("moore", 512, 1024, torus=True)
    blinker = np.zeros((512, 1024), np.uint8)
    blinker[40, 200:203] = 1
    blinker[400:402, 900:902] = 1
    stepper = BitStepper(*outcomes(library.life_like(), lattice), lattice, 1)
    stepper.load(blinker.reshape(-1))
    stepper.advance(50)
    assert stepper._sparse
    assert stepper._lively == 1
    assert stepper.states().reshape(512, 1024).sum() == 7
    stepper.load(np.random.default_rng(0).integers(0, 2, lattice.num_cells).astype(np.uint8))
    stepper.advance(20)
    assert not stepper._sparse
    fading = BitStepper(*outcomes(library.life_like("B/S8"), lattice), lattice, 1)
    states = np.ones((512, 1024), np.uint8)
    states[0] = 0
    fading.load(states.reshape(-1))
    assert fading.advance(1000) == (256, Outcome.FIXED)
    assert not fading.states().any()


def test_birth_from_nothing_is_active_everywhere():
    lattice = Lattice("moore", 256, 512, torus=True)
    stepper = BitStepper(*outcomes(library.life_like("B0/S"), lattice), lattice, 1)
    stepper.load(np.zeros(lattice.num_cells, np.uint8))
    for step in range(1, 80):
        stepper.advance(1)
        assert (stepper.states() == step % 2).all()
    assert not stepper._sparse


def test_a_glider_goes_round_a_torus():
    """It is back after four steps for each cell of a side, and a return to the start is noticed."""
    graph = families.moore(192, 192, torus=True)
    states = np.zeros((192, 192), np.uint8)
    states[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    for threads in (1, 2):
        found = run(library.life_like(), graph, states.reshape(-1), "stable", kernel="bits", threads=threads)
        assert (found.stable_at, found.period) == (0, 4 * 192)


@examples(200)
@given(st.integers(0, 40) | st.integers(4000, 5000), st.data())
def test_differences(size, data):
    left = np.zeros(size, np.uint8)
    right = left.copy()
    places = data.draw(st.sets(st.integers(0, size - 1), max_size=3)) if size else set()
    right[sorted(places)] = 1
    first = data.draw(st.integers(0, max(0, size - 1)))
    found = difference(left, right, first)
    if not places:
        assert found == -1
    elif size > 4096:
        assert found == min((place for place in places if place >= first), default=min(places))
    else:
        assert found == first


def test_runs_of_tiles_end_somewhere(monkeypatch):
    monkeypatch.setattr(_tiles, "_WIDE", 64)
    assert _tile_kernels._RUN <= 64
    rng = np.random.default_rng(3)
    lattice = Lattice("moore", 64, 64 * 70, torus=True)
    assert_agree(library.life_like(), lattice, sparse_states(lattice, 2, rng), 3, 1)
