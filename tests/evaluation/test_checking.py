"""Jobs that are run again: what is the same is said to be, and what is not is named."""

import json
import shutil

import pytest
from small_experiments import tiny

from graphfsa.errors import GraphFSAError
from graphfsa.evaluation import Results, check_results, find_experiment, run_experiments


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check")
    experiment = find_experiment(tiny(folder))
    return run_experiments({experiment.name: experiment}, folder / "out", seeds=2, processes=1)


@pytest.fixture
def changed(done, tmp_path):
    """A copy of the results with one thing in one record changed."""

    def change(*path, value):
        lines = [json.loads(line) for line in (done.path / "records.jsonl").read_text().splitlines()]
        place = lines[2]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        (tmp_path / "manifest.json").write_bytes((done.path / "manifest.json").read_bytes())
        (tmp_path / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return Results(tmp_path)

    return change


def test_the_same_again(done):
    before = sorted((path.name, path.stat().st_mtime_ns) for path in done.path.rglob("*"))
    checked = check_results(done, sample=100, processes=1)
    assert [job.id for job in checked] == list(done.records())
    assert all(job.differs == () and job.versions == {} for job in checked)
    assert sorted((path.name, path.stat().st_mtime_ns) for path in done.path.rglob("*")) == before
    some = [[job.id for job in check_results(done, sample=2, seed=seed, processes=1)] for seed in (0, 0, 1)]
    assert some[0] == some[1]
    assert len({tuple(names) for names in some}) > 1


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("results", "n=10", "accuracy"), 0.125, "accuracy at n=10: 0.125 then,"),
        (("results", "n=30"), {"accuracy": 1, "reference": 1}, "accuracy at n=30: 1 then, None now"),
        (("digests", "train"), "0" * 64, "graphs of train"),
        (("model", "automaton"), "0" * 64, "the model"),
        (("model",), None, "the model"),
    ],
)
def test_what_differs_is_named(changed, path, value, words):
    checked = check_results(changed(*path, value=value), sample=100, processes=1)
    assert [bool(job.differs) for job in checked] == [False, False, True, False]
    assert len(checked[2].differs) == 1
    assert words in checked[2].differs[0]


def test_other_versions_are_named(changed):
    checked = check_results(changed("versions", "numpy", value="0.1"), sample=100, processes=1)
    assert checked[2].versions["numpy"][0] == "0.1"
    assert checked[2].differs == ()


def test_files_of_models_are_compared_where_they_are_kept(done, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(done.path, copy)
    files = [copy / "models" / record["model"]["file"] for record in done.records().values()]
    files[0].unlink()
    files[1].write_text("{}")
    checked = check_results(Results(copy), sample=100, processes=1)
    assert [job.differs for job in checked] == [
        (), (f"the file models/{files[1].name}, which is not the one that was written",), (), ()
    ]  # fmt: skip


def test_nothing_to_run(tmp_path, done):
    experiment = find_experiment(tiny(tmp_path))
    empty = Results.create(tmp_path / "out", {experiment.name: experiment}, quick=False)
    with pytest.raises(GraphFSAError, match="has no job that was done"):
        check_results(empty)
    for bad in (0, True, 1.5):
        with pytest.raises(GraphFSAError, match="sample must be an integer from 1 to 10000"):
            check_results(done, sample=bad)
