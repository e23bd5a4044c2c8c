"""What does not fit in memory is refused before it is begun, and the message says what to do."""

import resource
import subprocess
import sys

import numpy as np
import pytest

from graphfsa import Graph, families
from graphfsa.errors import LimitError
from graphfsa.memory import check_memory, free_memory


def test_there_is_some_memory():
    assert 2**20 < free_memory() < 2**62
    check_memory("a list", 2**21, "choose a shorter one")
    check_memory("a small list", 5, "choose a shorter one")


@pytest.mark.parametrize(
    "build",
    [
        lambda: families.path(10**6),
        lambda: families.erdos_renyi(10**6, mean_degree=3, rng=np.random.default_rng(0)),
        lambda: families.random_regular(10**6, 3, np.random.default_rng(0)),
        lambda: Graph.from_edges(10**6, np.zeros((10**6, 2), int)),
        lambda: families.moore(1000, 1000).indptr,
    ],
)
def test_a_graph_that_does_not_fit(monkeypatch, build):
    monkeypatch.setattr("graphfsa.memory.free_memory", lambda: 2**20)
    with pytest.raises(LimitError, match=r"would take .* GiB of memory, and 0\.0 are free; "):
        build()


def test_a_limit_of_the_shell_is_known():
    def small():
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))

    command = [sys.executable, "-m", "graphfsa", "graph", "pack", "path:300000000", "--out", "never.gfsa"]
    done = subprocess.run(command, preexec_fn=small, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: a path with 599999998 arcs would take ")
    assert "choose fewer nodes, or keep its arcs on disk" in done.stderr
