"""The runner: every job once, whatever happens in between, and nothing of another run is mixed in."""

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_experiments import record, tiny

from graphfsa.automaton import GraphFSA
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation import Results, find_experiment, make_tables, planned, run_experiments
from graphfsa.evaluation.jobs import job_id
from graphfsa.evaluation.runner import TimeLeft
from graphfsa.plugins import load_file


def experiments(*paths):
    return {found.name: found for found in map(find_experiment, paths)}


def lines(folder):
    return (folder / "records.jsonl").read_text().splitlines()


def test_jobs_leave_records_and_models_and_are_not_repeated(tmp_path):
    plan = experiments(tiny(tmp_path))
    out = tmp_path / "out"
    states = []
    results = run_experiments(plan, out, seeds=2, processes=2, watch=lambda state: states.append(dict(state)))
    assert states[-1] == {"total": 4, "done": 4, "failed": 0, "running": [], "left": 0}
    assert states[0]["left"] is None
    records = results.records()
    assert len(records) == len(lines(out)) == 4
    for name, found in records.items():
        assert found["status"] == "done"
        assert found["versions"]["numpy"]
        assert found["digests"].keys() == {"train", "validation", "n=10", "n=20"}
        assert 0 < found["results"]["n=10"]["accuracy"] < 1
        assert found["seconds"].keys() == {"fit", "fit_cpu", "all", "all_cpu"}
        file = out / "models" / found["model"]["file"]
        assert file.stem == name
        assert GraphFSA.load(file).digest == found["model"]["automaton"]
    by_seed = {}
    for found in records.values():
        by_seed.setdefault(found["config"]["seed"], []).append(found["digests"])
    for digests in by_seed.values():
        assert digests[0] == digests[1]
    assert by_seed[0][0] != by_seed[1][0]

    before = lines(out)
    run_experiments(plan, out, seeds=2, processes=2)
    assert lines(out) == before
    run_experiments(plan, out, seeds=3, processes=2)
    assert lines(out)[:4] == before
    assert len(lines(out)) == 6


def test_the_time_left_is_what_such_jobs_took(tmp_path):
    plan = experiments(tiny(tmp_path))
    jobs = list(planned(plan, 3, quick=False).values())  # majority, stay; with three seeds
    clock = TimeLeft(jobs, [], processes=2)
    assert clock.seconds() is None
    took = {"majority": 10.0, "stay": 2.0}
    seconds = [took[job.config["learner"]] for job in jobs]

    def ended(place, **more):
        clock.ended(record(jobs[place], 0.5, seconds={"all": seconds[place]}, **more))

    ended(0)
    assert clock.seconds() == pytest.approx(5 * 10 / 2)  # All that is known is one job.
    ended(1)
    assert clock.seconds() == pytest.approx((10 + 2) * 2 / 2)
    ended(2, status="failed", error="out of luck")
    assert clock.seconds() == pytest.approx((10 + 2 * 2) / 2)
    ended(3)
    ended(4)
    assert clock.seconds() == pytest.approx(2)  # The last one has a process for itself.
    ended(5)
    assert clock.seconds() == 0


def test_an_interruption_loses_nothing_that_is_done(tmp_path):
    plan = experiments(tiny(tmp_path))

    def stop(state):
        if state["done"] == 1 and state["running"] == []:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiments(plan, tmp_path / "out", seeds=2, processes=1, watch=stop)
    assert multiprocessing.active_children() == []
    first = lines(tmp_path / "out")
    assert len(first) == 1
    run_experiments(plan, tmp_path / "out", seeds=2, processes=2)
    assert lines(tmp_path / "out")[:1] == first
    assert len(lines(tmp_path / "out")) == 4


def test_a_job_that_fails_is_recorded_and_the_rest_goes_on(tmp_path):
    more = '\n[[learners]]\ncolumn = "too few"\nlearner = "exact"\noptions = { states = 4 }\n'
    plan = experiments(tiny(tmp_path, more=more))
    results = run_experiments(plan, tmp_path / "out", seeds=1, processes=1)
    failed = [found for found in results.records().values() if found["status"] == "failed"]
    assert [found["config"]["learner"] for found in failed] == ["exact"]
    assert "need at least 5 states; got states=4" in failed[0]["error"]
    assert "Traceback" in failed[0]["trace"]
    (table,) = make_tables(plan["floors"], results.records())
    assert list(table.failed) == ["too few, seed 0"]
    assert len(table.cells) == 4
    run_experiments(plan, tmp_path / "out", seeds=1, processes=1)  # Tried again, and recorded again.
    assert len(lines(tmp_path / "out")) == 4
    assert len(results.records()) == 3


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_process_that_dies_takes_one_job_with_it(tmp_path):
    plan = experiments(tiny(tmp_path))
    killed = []

    def kill(state):
        if state["running"] and not killed:
            killed.append(state["running"][0].id)
            for child in multiprocessing.active_children():
                os.kill(child.pid, signal.SIGKILL)
            time.sleep(0.1)

    records = run_experiments(plan, tmp_path / "out", seeds=2, processes=1, watch=kill).records()
    assert [name for name, found in records.items() if found["status"] == "failed"] == killed
    assert records[killed[0]]["error"] == "the process was killed by signal 9"
    assert len(records) == 4


@pytest.mark.skipif(os.name == "nt", reason="locks of directories")
def test_two_runs_in_one_directory_are_refused(tmp_path):
    plan = experiments(tiny(tmp_path))
    results = Results.create(tmp_path / "out", plan, quick=False)
    with results.alone(), pytest.raises(GraphFSAError, match="another run is at work in"):
        run_experiments(plan, tmp_path / "out", seeds=1, processes=1)
    assert results.records() == {}
    run_experiments(plan, tmp_path / "out", seeds=1, processes=1)
    assert len(results.records()) == 2


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at /proc")
def test_processes_end_with_a_parent_that_is_killed(tmp_path):
    code = (
        "import sys\nfrom graphfsa.evaluation import find_experiment, run_experiments\n"
        "if __name__ == '__main__':\n"
        "    plan = {'floors': find_experiment(sys.argv[1])}\n"
        "    run_experiments(plan, sys.argv[2], seeds=500, processes=1)\n"
    )
    (tmp_path / "main.py").write_text(code)
    out = tmp_path / "out"
    parent = subprocess.Popen([sys.executable, tmp_path / "main.py", tiny(tmp_path), out])
    limit = time.monotonic() + 60
    while time.monotonic() < limit and not (out / "records.jsonl").exists():
        time.sleep(0.05)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    assert children
    parent.kill()
    parent.wait()
    while time.monotonic() < limit and any(_runs(child) for child in children):
        time.sleep(0.05)
    assert not any(_runs(child) for child in children)


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_directories_of_another_kind_are_refused_before_anything_is_run(tmp_path):
    plan = experiments(tiny(tmp_path))
    out = tmp_path / "out"
    Results.create(out, plan, quick=False)
    before = (out / "manifest.json").read_text()
    with pytest.raises(GraphFSAError, match="holds results of a full run, and this is a quick run"):
        run_experiments(plan, out, seeds=1, quick=True)
    other = experiments(tiny(tmp_path, steps=31))
    with pytest.raises(GraphFSAError, match="another definition of floors; choose another directory"):
        run_experiments(other, out, seeds=1)
    assert (out / "manifest.json").read_text() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(GraphFSAError, match="exists and holds no results"):
        run_experiments(plan, tmp_path / "mine", seeds=1)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    (out / "manifest.json").write_text(before.replace("results/1", "results/2"))
    with pytest.raises(FormatError, match=r"'schema' must be 'graphfsa.results/1'; got 'graphfsa.results/2'"):
        run_experiments(plan, out, seeds=1)
    with pytest.raises(GraphFSAError, match="holds no results: there is no manifest"):
        Results(tmp_path / "mine")


@pytest.mark.parametrize(("what", "value"), [("seeds", 0), ("seeds", 10**9), ("processes", 0), ("seeds", 1.5)])
def test_bad_numbers(tmp_path, what, value):
    with pytest.raises(GraphFSAError, match=f"{what} must be an integer from 1 to 10000; got"):
        run_experiments(experiments(tiny(tmp_path)), tmp_path / "out", **{what: value})
    assert not (tmp_path / "out").exists()


@pytest.fixture
def results(tmp_path):
    plan = experiments(tiny(tmp_path))
    return Results.create(tmp_path / "out", plan, quick=False), list(planned(plan, 2, quick=False).values())


def test_a_line_that_was_cut_off_is_dropped(results):
    folder, jobs = results
    folder.add(record(jobs[0], 0.5))
    file = folder.path / "records.jsonl"
    with file.open("ab") as target:
        target.write(b'{"schema": "graphfsa.rec')
    assert list(folder.records()) == [jobs[0].id]
    folder.add(record(jobs[1], 0.75, note="é" * 70_000))
    with file.open("ab") as target:
        target.write(b"x" * 200_000)
    assert list(folder.records()) == [jobs[0].id, jobs[1].id]
    folder.add(record(jobs[0], 0.9))
    assert folder.records()[jobs[0].id]["results"]["n=10"]["accuracy"] == 0.9
    assert len(file.read_bytes().splitlines()) == 3


def test_a_full_disk_loses_no_finished_job(results, monkeypatch):
    folder, jobs = results
    folder.add(record(jobs[0], 0.5))
    before = (folder.path / "records.jsonl").read_bytes()

    def full(_file):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(GraphFSAError, match="No space left on device"):
            folder.add(record(jobs[1], 0.5))
    assert (folder.path / "records.jsonl").read_bytes() == before
    folder.add(record(jobs[1], 0.5))
    assert len(folder.records()) == 2


CONFIG = {
    "data": {"dataset": "root-value"},
    "train": {},
    "tests": [{"name": "n=10", "size": 10}],
    "learner": "stay",
    "options": {},
    "seed": 0,
    "quick": False,
}
DONE = (
    f'{{"schema": "graphfsa.record/1", "id": "{job_id(CONFIG)}", "status": "done", '
    f'"config": {json.dumps(CONFIG)}, "seconds": {{"all": 1}}, '
    '"versions": {}, "fit": {}, "model": null, "results": {"n=10": {"accuracy": 1, "reference": 1}}}'
)
SHA = "0" * 64


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "line 1: must be an object with the schema 'graphfsa.record/1'; got a list"),
        ('{"schema": "graphfsa.record/0"}', "got 'graphfsa.record/0'"),
        (DONE.replace('"done"', '"over"'), "'status' must be one of 'done', 'failed'; got 'over'"),
        ('{"schema": "graphfsa.record/1", "status": "failed"}', "field 'id' is missing"),
        (DONE.replace('"seed": 0', '"seed": 1'), "id must be '.*', which stands for config; got"),
        (
            DONE.replace('"accuracy": 1', '"accuracy": 5'),
            "'accuracy' must be a number from 0 to 1; got 5",
        ),
        (
            DONE.replace('"fit": {}', '"fit": {"history": [3, null]}'),
            r"fit: field 'history\[0\]' must be an object",
        ),
        (
            DONE.replace('"model": null', f'"model": {{"file": "../x.json", "sha256": "{SHA}"}}'),
            "must be named after the job; got '../x.json'",
        ),
        (DONE.replace('"seed": 0', '"seed": "0"'), "config: field 'seed' must be an integer >= 0; got '0'"),
        (
            DONE.replace('"accuracy": 1', '"accuracy": null'),
            "results: 'n=10': field 'accuracy' must be a number",
        ),
        (DONE.replace('{"all": 1}', "{}"), "seconds: field 'all' is missing"),
        (DONE.replace('"versions": {}', '"versions": {"a": [1]}'), r"'versions.a' must be a string"),
        (DONE.replace('{"all": 1}', '{"all": 1, "all_cpu": "x"}'), "'all_cpu' must be a number"),
        (DONE.replace('"versions": {}', r'"versions": {"a": "\ud800"}'), "half of a surrogate pair"),
        (
            DONE.replace('"model": null', '"model": {"file": "x", "sha256": "<script>"}'),
            "'sha256' must be a SHA-256, 64 hexadecimal digits; got '<script>'",
        ),
        (DONE.replace('"fit": {}', '"fit": {"history": [{"epoch": [1]}]}'), r"'history\[0\].epoch' must be"),
        (DONE.replace('"name": "n=10"', '"nom": 1'), "config: test 1: unknown field 'nom'"),
        (DONE.replace('"model": null', '"model": 3'), "field 'model' must be an object or null; got 3"),
        (DONE.replace('"done"', '"failed"'), "field 'error' is missing"),
    ],
)
def test_damaged_records_are_named(results, line, words):
    folder, _ = results
    (folder.path / "records.jsonl").write_text(line + "\n")
    with pytest.raises(FormatError, match=words):
        folder.records()


def test_a_whole_record_is_read(results):
    folder, _ = results
    (folder.path / "records.jsonl").write_text(DONE + "\n")
    assert list(folder.records()) == [job_id(CONFIG)]


def test_a_record_without_a_model_has_none(results):
    folder, _ = results
    (folder.path / "records.jsonl").write_text(DONE.replace('"model": null, ', "") + "\n")
    assert folder.records()[job_id(CONFIG)]["model"] is None


def test_the_manifest_names_the_tables(results):
    folder, _ = results
    content = json.loads((folder.path / "manifest.json").read_text())
    assert content["quick"] is False
    assert list(content["tables"]) == ["floors"]
    assert Path(folder.models).is_dir()
    assert folder.experiments()["floors"].digest == content["tables"]["floors"]
    for name, value in (("tables", {"floors": 5}), ("own", []), ("quick", 1)):
        (folder.path / "manifest.json").write_text(json.dumps({**content, name: value}))
        with pytest.raises(FormatError, match=name):
            Results(folder.path)


def test_graphs_that_cannot_be_drawn_are_found_before_anything_is_run(tmp_path):
    cases = [
        ("size = 20", "size = 0", "floors: test 'n=20': a path with a root must have at least 1 node; got 0"),
        ("size = 20", "size = 10000000000000", "test 'n=20': 8 graphs of 10000000000000 nodes"),
        ("steps = 30", "steps = 99999999999", "test 'n=20' must have at most 1,000,000 steps; got 99999999999"),
        (
            "size = 20\ncount = 8\nsteps = 30",
            "size = 9999\ncount = 99\nsteps = 999999",
            "nodes x steps must be at most",
        ),
        ("[data]", "[[blocks]]\ncount = 100000000000\n[data]", "100000000000 graphs of 1 nodes"),
    ]
    for before, after, words in cases:
        path = Path(tiny(tmp_path))
        path.write_text(path.read_text().replace(before, after))
        with pytest.raises(GraphFSAError, match=words):
            run_experiments(experiments(str(path)), tmp_path / "out", seeds=1, processes=1)
        assert not (tmp_path / "out").exists()


OWN = """
from dataclasses import dataclass
from graphfsa.learners import Learner

@dataclass(frozen=True)
class Forgetful(Learner):
    def fit(self, train, validation=None, *, seed=0, watch=None):
        print("noise")
"""


def test_learners_of_ones_own_are_found_and_must_return_a_model(tmp_path, capfd):
    (tmp_path / "forgetful.py").write_text(OWN)
    path = Path(tiny(tmp_path))
    path.write_text(path.read_text().replace('learner = "stay"', 'learner = "forgetful.py:Forgetful"'))
    load_file(tmp_path / "forgetful.py")
    records = run_experiments(experiments(str(path)), tmp_path / "out", seeds=1, processes=1).records()
    (failed,) = (found for found in records.values() if found["status"] == "failed")
    assert failed["error"] == "GraphFSAError: forgetful: fit must return a model, with a method predict; got None"
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "noise\n")  # What a learner prints is not a result.


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from graphfsa.evaluation import find_experiment, run_experiments\n"
        f"found = find_experiment({tiny(tmp_path)!r})\n"
        f"run_experiments({{found.name: found}}, {str(tmp_path / 'out')!r}, seeds=1, processes=1)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert "must be a file, and do its work under `if __name__ == '__main__':`" in done.stderr
    assert not (tmp_path / "out" / "records.jsonl").exists()
