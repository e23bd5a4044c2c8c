"""The engine of the page makes the steps that ``run`` makes, in a real browser."""

import pytest
from cases import random_cases

from graphfsa import families, library, run
from graphfsa.playground.scenes import scene


def wrong(shared, cases, digests):
    found = shared.do("cases => playground.runMany(cases)", cases)
    assert len(found) == len(digests) > 0
    return [case for case, digest, expected in zip(cases, found, digests, strict=True) if digest != expected]


def test_random_cases_end_as_they_do_in_run(shared):
    assert wrong(shared, *random_cases(2500, seed=1)) == []


def test_random_cases_end_as_the_plain_reference_says(shared):
    assert wrong(shared, *random_cases(600, seed=2, plain=True)) == []


@pytest.mark.slow
def test_a_hundred_thousand_cases(shared):
    for block in range(40):
        assert wrong(shared, *random_cases(2500, seed=1000 + block)) == []


@pytest.mark.parametrize(
    ("fsa", "graph", "steps"),
    [
        (library.life_like(), families.moore(64, 80, torus=True), 200),
        (library.wireworld(), families.moore(40, 33), 60),
        (library.hex_life(), families.hexagonal(20, 31, torus=True), 50),
        (library.elementary(110), families.ring(300), 400),
        (library.elementary(30), families.row(300), 100),
        (library.path_finding(), families.binary_tree(500), 40),
        (library.majority(), families.von_neumann(40, 41, torus=True), 60),
        (library.core(3), families.star(900), 5),
        (library.sis(0.3, 0.2), families.moore(20, 20), 40),
        (library.mis(4), families.cycle(500), 30),
    ],
    ids=lambda value: getattr(value, "num_nodes", None) or "",
)
def test_long_runs_from_a_scene(shared, fsa, graph, steps):
    """Through the same door as people: from JSON with rules in words, sparse steps, and lattices as pictures."""
    import numpy as np

    states = np.random.default_rng(5).integers(0, fsa.num_states, graph.num_nodes).astype(np.uint8)
    found = shared.do("([scene, steps]) => playground.run(scene, steps)", [scene(fsa, graph, states, seed=7), steps])
    assert found == run(fsa, graph, states, steps, seed=7).digest


def test_a_wrong_engine_would_be_noticed(shared):
    cases, digests = random_cases(300, seed=3)
    for case in cases:
        case["steps"] += 1
    assert len(wrong(shared, cases, digests)) > 50
