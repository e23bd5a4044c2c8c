"""Runs and jobs on a cluster that is started here: the same results, whoever is killed, and nothing stays behind."""

import operator
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from graphfsa import CountingAggregation, families, grab, run, simulate
from graphfsa.engine.cluster import Cluster
from graphfsa.errors import ClusterError, LostClusterError
from strategies import random_automaton

pytest.importorskip("ray", reason="runs on a cluster need ray: pip install 'graphfsa[cluster]'")
psutil = pytest.importorskip("psutil")

WALK = ["run", "random-walk.json", "--graph", "cycle:2000", "--states", "random", "--steps", "1000000000"]


def alive(processes):
    return [process for process in processes if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


def started(before):
    return [each for each in psutil.Process().children(recursive=True) if each not in before]


def same(left, right):
    return (left.digest, left.steps, left.stable_at, left.period) == (
        right.digest,
        right.steps,
        right.stable_at,
        right.period,
    )


def double(number):
    """No worker can import it."""
    return 2 * number


def test_a_local_cluster():
    """One cluster for all that is looked at, as it takes seconds to start."""
    before = psutil.Process().children(recursive=True)
    graph = families.moore(64, 40, torus=True)
    fsa = random_automaton(3, CountingAggregation(bound=1), 5)
    states = np.random.default_rng(1).integers(0, 3, graph.num_nodes)
    killed = []
    with Cluster("local:2", minutes=1e-9) as cluster:

        def kill(step):
            if step > 100 and not killed:
                killed.append(cluster.processes()[1])
                os.kill(killed[0], signal.SIGKILL)

        assert same(
            run("distance", "path:300", "root:0", "stable", cluster=cluster),
            run("distance", "path:300", "root:0", "stable"),
        )
        spread = run(fsa, graph, states, 1000, cluster=cluster, progress=kill)
        assert same(spread, run(fsa, graph, states, 1000))
        assert killed
        assert cluster.facts is not None
        assert cluster.facts["workers_lost"] == 1
        assert cluster.facts["workers"] == 2
        ill = ("sir", "erdos-renyi:200,mean-degree=4", "ill:0,1,2", 20)
        assert same(run(*ill, seed=3, cluster=cluster), run(*ill, seed=3))
        assert (
            simulate(*ill, replicates=9, seed=3, cluster=cluster).digest == simulate(*ill, replicates=9, seed=3).digest
        )
        moved = ("majority", "cycle:30", "random", 200)
        chosen = {"replicates": 3, "scheduler": "central"}
        assert simulate(*moved, **chosen, cluster=cluster).digest == simulate(*moved, **chosen).digest
        sizes = {"sizes": (6,), "count": 20, "validation_count": 10, "ood_count": 10, "test_sizes": ()}
        assert grab("paper-1", **sizes, cluster=cluster).digest == grab("paper-1", **sizes).digest
        assert dict(cluster.spread(operator.mul, range(5), 2)) == {0: 0, 1: 2, 2: 4, 3: 6, 4: 8}
        [(_, lost)] = cluster.spread(signal.raise_signal, [signal.SIGKILL])
        assert isinstance(lost, LostClusterError)
        [(_, failed)] = cluster.spread(double, [1])
        assert "No module named" in str(failed)
        ours = started(before)
        assert len(ours) > 4
        listening = [
            each.laddr.ip for process in ours for each in process.net_connections("tcp") if each.status == "LISTEN"
        ]
        assert listening
        assert {address.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert alive(ours) == []
    assert started(before) == []


def test_clusters_that_are_not_there():
    with pytest.raises(ClusterError, match=r"there is no cluster at 127\.0\.0\.1:1"):
        Cluster("127.0.0.1:1").open()
    with pytest.raises(ClusterError, match="belongs to no cluster"):
        Cluster("auto").open()


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [("interrupt", 130), ("terminate", 143), ("head", 1)])
def test_how_a_run_ends(how, code, tmp_path):
    fsa = random_automaton(4, CountingAggregation(bound=1), 5)
    fsa.save(tmp_path / "random-walk.json")
    command = [sys.executable, "-m", "graphfsa", *WALK, "--cluster", "local:2"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        ours = psutil.Process(process.pid)
        until = time.monotonic() + 300
        while not any("Worker.step" in " ".join(each.cmdline()) for each in ours.children(recursive=True)):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        others = ours.children(recursive=True)
        if how == "interrupt":
            os.killpg(process.pid, signal.SIGINT)
        elif how == "terminate":
            process.terminate()
        else:
            next(each for each in others if "gcs_server" in each.name()).kill()
        _, errors = process.communicate(timeout=200)
    assert process.returncode == code
    assert len(errors.splitlines()) == 1
    assert errors.startswith("error: ")
    assert alive(others) == []
    assert not list(Path("/tmp").glob(f"graphfsa-*/session_*_{process.pid}"))
