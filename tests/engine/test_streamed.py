"""Arcs that are streamed: the same states, periods and digests as with arcs in memory."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphFSA,
    LettersAggregation,
    families,
    library,
    run,
)
from graphfsa.aggregations import Sum
from graphfsa.engine import _streamed, reference_run
from graphfsa.errors import FormatError, LimitError
from graphfsa.graphs import open as open_graph
from graphfsa.graphs import pack
from graphfsa.graphs.tiles import SIDE
from strategies import SEEDS, plain_graphs, scattered_graphs

FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    monkeypatch.setattr("os.fsync", lambda _: None)


def counting(num_states, bound, rng):
    aggregation = CountingAggregation(bound=bound)
    table = rng.integers(0, num_states, (num_states, aggregation.num_values(num_states)))
    return GraphFSA([f"s{state}" for state in range(num_states)], aggregation, table)


def letters(num_states, rng):
    weights = tuple(rng.integers(0, 2, num_states).tolist())
    aggregation = LettersAggregation((Sum("count", 2, weights), Sum("highest", 3, tuple([3] * num_states))))
    table = rng.integers(0, num_states, (num_states, aggregation.num_values(num_states)))
    return GraphFSA([f"s{state}" for state in range(num_states)], aggregation, table)


@FEW
@given(plain_graphs() | scattered_graphs(), st.sampled_from([(1, 1), (2, 4), (3, 2), (4, 1), (8, 1)]), SEEDS)
def test_streamed_states_are_those_of_the_reference(tmp_path, graph, shape, seed):
    rng = np.random.default_rng(seed)
    fsa = counting(*shape, rng)
    states = rng.integers(0, fsa.num_states, graph.num_nodes)
    found = run(fsa, pack(graph, tmp_path / "g.gfsa"), states, 5, threads=2)
    assert found.last.tolist() == list(reference_run(fsa, graph, states, 5)[-1])
    assert found.kernel == "streamed"


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("bound", [1, 2, 3])
def test_many_blocks_and_pieces(tmp_path, monkeypatch, threads, bound):
    for module in ("graphfsa.graphs.tiles", "graphfsa.graphs.packing", "graphfsa.graphs.stored"):
        monkeypatch.setattr(f"{module}.PIECE", 5000)
    monkeypatch.setattr(_streamed, "PIECE", 5000)
    rng = np.random.default_rng(bound)
    graph = families.erdos_renyi(3 * SIDE + 77, mean_degree=0.3, rng=rng)
    packed = pack(graph, tmp_path / "g.gfsa")
    for fsa in (counting(3, bound, rng), letters(5, rng)):
        states = rng.integers(0, fsa.num_states, graph.num_nodes)
        assert run(fsa, packed, states, 6, threads=threads).digest == run(fsa, graph, states, 6).digest


def test_until_stable_and_skipped_rows(tmp_path, monkeypatch):
    """A wave on a graph of three blocks: rows that it does not touch are not read."""
    graph = Graph.from_edges(2 * SIDE + 60, [(v, v + 1) for v in range(200)] + [(SIDE + 5, 2 * SIDE)])
    packed = pack(graph, tmp_path / "g.gfsa")
    rows = []
    real = type(packed.tiles).pieces
    monkeypatch.setattr(type(packed.tiles), "pieces", lambda self, block: rows.append(block) or real(self, block))
    start = {0: "root"}
    found = run(library.distance(), packed, start, "stable", default="node")
    expected = run(library.distance(), graph, start, "stable", default="node")
    assert (found.digest, found.stable_at, found.period) == (expected.digest, expected.stable_at, expected.period)
    assert rows.count(0) > 200
    assert rows.count(1) < 10 and rows.count(2) < 10


def test_periods_are_found(tmp_path):
    graph = families.moore(30, 30)
    plain = Graph(graph.indptr, graph.indices)
    states = np.zeros(900, int)
    states[[400, 401, 402]] = 1
    found = run(library.life_like(), pack(plain, tmp_path / "g.gfsa"), states, 10**12)
    assert (found.stable_at, found.period) == (0, 2)


def test_what_does_not_stream_runs_in_memory_or_says_why(tmp_path, monkeypatch):
    graph = families.erdos_renyi(200, mean_degree=4, rng=np.random.default_rng(0))
    packed = pack(graph, tmp_path / "g.gfsa")
    fsa = GraphFSA(["a", "b"], AverageThresholdAggregation((0.5,)), [[0, 1, 0, 1], [1, 0, 1, 0]])
    assert run(fsa, packed, "random", 5).digest == run(fsa, graph, "random", 5).digest
    for options in ({"record": "changes"}, {"entries": True}, {"scheduler": "central"}, {"kernel": "event"}):
        assert run("life", packed, "random", 5, **options).digest == run("life", graph, "random", 5, **options).digest
    again = open_graph(tmp_path / "g.gfsa")
    monkeypatch.setattr("graphfsa.memory.free_memory", lambda: 2**20)
    for options in ({"record": "changes"}, {"entries": True}, {"scheduler": "central"}, {"kernel": "dense"}):
        with pytest.raises(LimitError, match="run streams such a graph if the automaton counts"):
            run("life", again, "random", 5, **options)
    with pytest.raises(LimitError, match="run streams such a graph if the automaton counts"):
        run(fsa, again, "random", 5)


def test_a_damaged_graph_ends_the_run(tmp_path):
    graph = families.erdos_renyi(SIDE + 9, mean_degree=2, rng=np.random.default_rng(0))
    pack(graph, tmp_path / "g.gfsa")
    with (tmp_path / "g.gfsa").open("r+b") as file:
        file.seek(300_000)
        file.write(b"\xff\xff")
    with pytest.raises(FormatError, match="the checksum of arcs 0 to"):
        run("life", open_graph(tmp_path / "g.gfsa"), "random", 5, threads=2)


def test_the_commands_agree_with_memory(tmp_path):
    def command(*arguments):
        words = [sys.executable, "-m", "graphfsa", *arguments]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert command("graph", "pack", "tree:300", "--seed", "3", "--out", "t.gfsa").returncode == 0
    answers = []
    for where in ("t.gfsa", "tree:300"):
        done = command("run", "distance", "--graph", where, "--seed", "3", "--states", "root:0", "--steps", "stable")
        answers.append([line for line in done.stdout.splitlines() if not line.startswith(("kernel", "seconds"))])
    assert answers[0] == answers[1] and len(answers[0]) > 5
    (tmp_path / "t.gfsa").write_bytes(b"\x8aGFSA\r\n\x1a" + bytes(5000))
    done = command("run", "life", "--graph", "t.gfsa", "--steps", "5")
    assert done.returncode == 2 and done.stderr.startswith("error: t.gfsa: field")
    assert "Traceback" not in done.stderr
