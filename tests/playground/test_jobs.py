"""One job after the other, in a process: how they go, how they are ended, and that nothing is left."""

import os
import signal
import time

import pytest
from serving import listed, long_learning

from graphfsa.errors import LimitError
from graphfsa.playground.scenes import read_scene
from graphfsa.playground.server import jobs
from graphfsa.playground.server.jobs import MAX_RECORDS, MAX_WAITING, STOP, Job, JobQueue

RULES = "states: 0, 1\nstarting states: 0, 1\naggregation: counting bound=1\n\n0 stays\n\n1 stays\n"
QUICK = {"do": "compare", "model": {"rules": RULES}, "other": {"rules": RULES}, "graph_class": "tree", "max_nodes": 3}
LONG = {"task": None, "learner": "exact", "seed": 0, **long_learning()}
PATIENCE = 90


@pytest.fixture(scope="module")
def queue():
    started = JobQueue(60)
    yield started
    started.close()


def until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def children():
    """The processes of ours that work on jobs."""
    lines = listed("-o", "pid,args", "--ppid", str(os.getpid())).splitlines()
    return {int(line.split()[0]) for line in lines if "spawn_main" in line}


def test_jobs_run_in_turn_and_wait_for_each_other(queue):
    first, second = queue.submit(LONG), queue.submit(QUICK)
    until(lambda: first.records)
    assert (first.state, second.state, queue.before(second)) == ("running", "waiting", 1)
    assert "doing" in first.records[0]
    assert queue.cancel(first.number)
    until(lambda: second.state == "done")
    assert second.result["equivalent"]
    assert not queue.cancel(first.number)
    assert not queue.cancel(second.number)
    assert queue.find(999) is None


@pytest.mark.parametrize("learner", ["exact", "diff-fsa"])
def test_learning_that_is_stopped_keeps_the_best_so_far_and_its_process(queue, monkeypatch, learner):
    monkeypatch.setattr(jobs, "GRACE", PATIENCE)
    before = children()
    job = queue.submit({**LONG, "learner": learner})
    until(lambda: job.records)
    assert queue.cancel(job.number)
    until(lambda: job.state != "running")
    assert (job.state, job.error, job.result["interrupted"]) == ("done", None, True)
    assert read_scene(job.result["scene"]).graph.num_nodes == 24
    assert children() == before


def test_who_does_not_wait_for_the_best_so_far_ends_it_at_once(queue, monkeypatch):
    def give(worker, message):  # The word to stop is not passed on.
        if message != STOP:
            jobs.send(worker._connection, message)

    monkeypatch.setattr(jobs._Worker, "give", give)
    for grace, times in ((0.1, 1), (PATIENCE, 2)):
        monkeypatch.setattr(jobs, "GRACE", grace)
        job = queue.submit(LONG)
        until(lambda job=job: job.records)
        for _ in range(times):
            assert queue.cancel(job.number)
        until(lambda job=job: job.state != "running")
        assert (job.state, job.result) == ("cancelled", None)


def test_a_signal_from_a_terminal_does_not_disturb_a_job(queue):
    job = queue.submit(LONG)
    until(lambda: job.records)
    (process,) = children()
    os.kill(process, signal.SIGINT)
    seen = len(job.records)
    until(lambda: len(job.records) > seen)
    assert job.state == "running"
    queue.cancel(job.number)
    until(lambda: job.state != "running")
    assert job.result["interrupted"]


def test_a_job_that_waits_can_be_taken_back(queue):
    first, second, third = queue.submit(LONG), queue.submit(LONG), queue.submit(QUICK)
    assert queue.cancel(second.number)
    assert (second.state, len(second.records)) == ("cancelled", 0)
    until(lambda: first.records)
    queue.cancel(first.number)
    until(lambda: third.state == "done")


def test_too_many_are_refused(queue):
    first = queue.submit(LONG)
    until(lambda: first.state == "running")
    waiting = [queue.submit(QUICK) for _ in range(MAX_WAITING)]
    with pytest.raises(LimitError, match="at most 8 jobs may wait"):
        queue.submit(QUICK)
    for job in (first, *waiting):
        queue.cancel(job.number)


def test_what_fails_says_why_and_the_next_one_runs(queue):
    wrong = queue.submit({**QUICK, "model": {"rules": "nonsense"}})
    unknown = queue.submit({"do": "no such thing"})
    last = queue.submit(QUICK)
    until(lambda: last.state == "done")
    assert (wrong.state, unknown.state) == ("failed", "failed")
    assert wrong.error.startswith("model: rules: a line 'states: NAME")
    assert unknown.error == "this failed within graphfsa (KeyError); the terminal says more"


def test_a_process_that_dies_is_replaced(queue):
    job = queue.submit(LONG)
    until(lambda: job.records)
    (process,) = children()
    os.kill(process, signal.SIGKILL)
    until(lambda: job.state == "failed")
    assert job.error == "the process that worked on this has died; perhaps there was too little memory"
    after = queue.submit(QUICK)
    until(lambda: after.state == "done")


def test_a_job_has_a_time_limit_and_nothing_is_left_in_the_end():
    before = children()
    queue = JobQueue(0.3)
    job = queue.submit(LONG)
    until(lambda: job.state == "failed")
    assert job.error == "this took longer than 0.3 seconds and was ended"
    other = queue.submit(LONG)
    until(lambda: other.state != "waiting")
    queue.close()
    assert other.state in ("cancelled", "failed")
    assert children() == before


def test_records_and_results_do_not_pile_up(monkeypatch):
    job = Job(1, {})
    for number in range(MAX_RECORDS + 10):
        job.add({"doing": str(number)})
    assert (len(job.records), job.forgotten, job.records[0]) == (MAX_RECORDS, 10, {"doing": "10"})
    monkeypatch.setattr(jobs, "MAX_KEPT", 2)
    monkeypatch.setattr(jobs, "_Worker", Idle)
    queue = JobQueue(1)
    for number in range(1, 6):
        queue.submit({})
        until(lambda number=number: queue.find(number).state == "done")
    assert [queue.find(number) is None for number in range(1, 6)] == [True, True, False, False, False]
    assert queue.written(queue.find(5).ticket) == "page"
    assert queue.written("x") is None
    queue.close()


class Idle:
    """A process that is none."""

    def __init__(self, files):
        assert files == []

    def give(self, request):
        pass

    def hear(self):
        return {"result": {"page": "page"}}

    def is_alive(self):
        return True

    def stop(self):
        pass


def test_without_a_process_a_job_fails_and_the_next_one_may_have_one(monkeypatch):
    worker, refused = jobs._Worker, []

    def start(files):
        if len(refused) < 2:
            refused.append(files)
            raise OSError(24, "Too many open files")
        return worker(files)

    monkeypatch.setattr(jobs, "_Worker", start)
    queue = JobQueue(60)
    try:
        first = queue.submit(QUICK)
        until(lambda: first.state == "failed")
        assert first.error == "no process can be started for this: Too many open files"
        second = queue.submit(QUICK)
        until(lambda: second.state == "done")
        assert second.request == {}
    finally:
        queue.close()


def test_a_process_that_died_between_two_jobs_is_replaced(queue):
    first = queue.submit(QUICK)
    until(lambda: first.state == "done")
    for process in children():
        os.kill(process, signal.SIGKILL)
    until(lambda: not children())
    second = queue.submit(QUICK)
    until(lambda: second.state in ("done", "failed"))
    assert second.error is None
