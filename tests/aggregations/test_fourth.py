"""A fourth aggregation is one new file in the room: found, built, saved, loaded and run, without another line."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

import graphfsa.aggregations as room
from graphfsa import Graph, GraphFSA, families, run
from graphfsa.aggregations import aggregation_class, aggregation_names
from graphfsa.engine._reference import reference_run
from graphfsa.errors import UnknownNameError

SOURCE = '''
"""Parity aggregation: the sum of the neighbours' states modulo a number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.aggregations._base import Aggregation, check_value
from graphfsa.errors import AutomatonError

OFFSET = 0


def _compiled_encode(states, sources, slots, begin, end, parameters, scratch):
    total = OFFSET
    for arc in range(begin, end):
        total += np.int64(states[sources[arc]])
    return total % parameters[0]


@dataclass(frozen=True)
class ParityAggregation(Aggregation):
    name = "neighbour-parity"

    modulus: int = 2

    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self):
        if self.modulus < 2:
            raise AutomatonError(f"modulus must be at least 2; got {self.modulus}")

    def num_values(self, num_states):
        return self.modulus

    def encode(self, states, slots, num_states):
        return (OFFSET + sum(int(state) for state in states)) % self.modulus

    def digits(self, value, num_states):
        check_value(value, self.modulus)
        return (value,)

    def observation(self, value, state_names):
        return value

    def decode(self, value, state_names):
        return f"sum {self.digits(value, len(state_names))[0]} modulo {self.modulus}"

    def parameters(self, num_states):
        return np.array([self.modulus], np.int64)
'''


@pytest.fixture
def parity(tmp_path):
    """The module ``neighbour_parity`` in a directory that is part of the room for one test."""
    (tmp_path / "neighbour_parity.py").write_text(SOURCE)
    room.__path__.append(str(tmp_path))
    importlib.invalidate_caches()
    try:
        yield "neighbour-parity"
    finally:
        room.__path__.remove(str(tmp_path))
        sys.modules.pop("graphfsa.aggregations.neighbour_parity", None)
        vars(room).pop("neighbour_parity", None)


def move(state, total):
    """Take the sum modulo three, but never stay."""
    return total if total != int(state) else (total + 1) % 3


def test_it_is_found_by_name(parity):
    assert aggregation_names() == ["average-threshold", "counting", "neighbour-parity", "positional"]
    assert aggregation_class("neighbour_parity")().name == parity


def test_it_is_gone_when_its_file_is():
    assert "neighbour-parity" not in aggregation_names()
    with pytest.raises(UnknownNameError):
        aggregation_class("neighbour-parity")


def test_an_automaton_with_it_is_built_saved_and_loaded(parity, tmp_path):
    fsa = GraphFSA.from_rule(["0", "1", "2"], aggregation_class(parity)(modulus=3), move)
    assert fsa.transition_table.tolist() == [[1, 1, 2], [0, 2, 2], [0, 1, 0]]
    fsa.save(tmp_path / "fourth.json")
    loaded = GraphFSA.load(tmp_path / "fourth.json")
    assert loaded == fsa
    assert loaded.aggregation.modulus == 3
    assert "sum 2 modulo 3" in loaded._repr_html_()


def test_its_rules_are_written_and_read_without_a_word_from_it(parity):
    """It says nothing about what may be asked, so rules name its values as ``decode`` does."""
    fsa = GraphFSA.from_rule(["0", "1", "2"], aggregation_class(parity)(modulus=3), move)
    rules = fsa.rules()
    assert '0 -> 2 if neighbourhood is "sum 2 modulo 3"\n0 -> 1 otherwise\n' in str(rules)
    assert GraphFSA.from_rules(str(rules)) == fsa
    space = {}
    exec(rules.python(), space)
    table = [[int(space["step"](str(state), value)) for value in range(3)] for state in range(3)]
    assert table == fsa.transition_table.tolist()


def test_it_runs_on_every_path(parity):
    fsa = GraphFSA.from_rule(["0", "1", "2"], aggregation_class(parity)(modulus=3), move)
    rng = np.random.default_rng(0)
    for graph in (Graph.from_edges(60, rng.integers(0, 60, (150, 2)), directed=True), families.moore(6, 7, torus=True)):
        states = rng.integers(0, 3, graph.num_nodes)
        frames = reference_run(fsa, graph, states.tolist(), 7)
        for path in ("auto", "event", "dense"):
            assert run(fsa, graph, states, 7, path=path, record="all").states.tolist() == frames, path
        for path in ("lattice", "bits"):
            with pytest.raises(ValueError, match="can't run"):
                run(fsa, graph, states, 7, path=path)


def test_it_runs_on_a_large_graph_with_threads(parity):
    fsa = GraphFSA.from_rule(["0", "1", "2"], aggregation_class(parity)(modulus=3), move)
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(40_000, rng.integers(0, 40_000, (60_000, 2)))
    expected = states = rng.integers(0, 3, 40_000)
    targets = graph.targets()
    for _ in range(3):
        sums = np.bincount(targets, weights=expected[graph.indices], minlength=40_000).astype(int) % 3
        expected = fsa.transition_table[expected, sums].astype(int)
    assert np.array_equal(run(fsa, graph, states, 3, threads=3).last, expected)


SCRIPT = """
import sys
import graphfsa.aggregations as room
room.__path__.append(sys.argv[1])
from graphfsa import Graph, GraphFSA, run
from graphfsa.aggregations import aggregation_class
fsa = GraphFSA.from_rule(["0", "1"], aggregation_class("neighbour-parity")(), lambda state, total: total)
print(run(fsa, Graph.from_edges(3, [(0, 1), (1, 2)]), [1, 0, 0], 1, path="dense").last.tolist())
"""


def test_a_changed_file_is_compiled_anew(tmp_path):
    """Compiled code is kept on disk: it must not be used again when a number in the file has changed."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    plugin = tmp_path / "plugins" / "neighbour_parity.py"
    plugin.parent.mkdir()
    found = []
    for offset in (0, 1):
        plugin.write_text(SOURCE.replace("OFFSET = 0", f"OFFSET = {offset}"))
        command = [sys.executable, "-B", "-c", SCRIPT, str(plugin.parent)]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.strip())
    assert found == ["[0, 1, 0]", "[1, 0, 1]"]
