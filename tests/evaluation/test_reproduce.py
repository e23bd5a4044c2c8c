"""reproduce, report and check from Python; directories that are incomplete or hostile."""

import json

import pytest
from small_experiments import tiny

from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation import (
    Experiment,
    Interrupted,
    Results,
    Test,
    check_results,
    find_experiment,
    reproduce,
    write_results,
)


def test_one_call_runs_writes_and_gives_the_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = reproduce(tiny(tmp_path), quick=True, processes=1)
    assert str(results.path) == "results-floors"
    assert (results.quick, results.seeds, len(results.records())) == (True, {"floors": 1}, 2)
    names = {path.name for path in results.path.iterdir()}
    forms = {f"floors.{suffix}" for suffix in ("md", "csv", "tex", "svg", "png")}
    assert names == {"manifest.json", "records.jsonl", "models", "report.html", "README.md", *forms}
    assert results.markdown() == (results.path / "floors.md").read_text()
    assert results._repr_markdown_() == results.markdown()
    (results.path / "report.html").unlink()
    assert write_results("results-floors").markdown() == results.markdown()
    assert (results.path / "report.html").exists()
    assert [job.differs for job in check_results("results-floors", processes=1)] == [(), ()]


def test_several_experiments_share_a_directory(tmp_path):
    mine = Experiment.of("distance", {"stay": "stay"}, tests=[Test("n=5", 5, count=2)], name="mine")
    results = reproduce([tiny(tmp_path), mine], out=tmp_path / "out", seeds=1, processes=1)
    assert [table.experiment.name for table in results.tables()] == ["floors", "mine"]
    assert "[mine](mine.md)" in (tmp_path / "out" / "README.md").read_text()
    assert results.experiments()["mine"] == mine
    again = reproduce(mine, out=tmp_path / "out", seeds=3, processes=1)
    assert [(table.experiment.name, len(table.missing)) for table in again.tables()] == [("floors", 0), ("mine", 0)]
    other = Experiment.of("distance", {"majority": "majority"}, name="mine")
    with pytest.raises(GraphFSAError, match="experiments must have different names; got 'mine' twice"):
        reproduce([mine, other], out=tmp_path / "new")
    with pytest.raises(GraphFSAError, match="there must be at least one experiment"):
        reproduce([], out=tmp_path / "new")
    with pytest.raises(GraphFSAError, match=r"what must be a graphfsa\.Experiment; got int"):
        reproduce([3], out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_results_until_an_interruption_are_in_the_error(tmp_path):
    def stop(state):
        if state["done"] == 1 and state["running"] == []:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        reproduce(tiny(tmp_path), out=tmp_path / "out", seeds=2, processes=1, watch=stop)
    (table,) = stopped.value.results.tables()
    assert len(table.missing) == 3
    assert "Jobs that have not been run: 3." in (tmp_path / "out" / "floors.md").read_text()


def test_a_directory_without_a_manifest_can_be_gone_on_with(tmp_path):
    out = tmp_path / "out"
    (out / "models").mkdir(parents=True)
    (out / ".graphfsa-0123456789abcdef.tmp").write_text('{"schema": "graphf')
    assert len(reproduce(tiny(tmp_path), out=out, seeds=1, processes=1).records()) == 2
    other = tmp_path / "other"
    (other / "models").mkdir(parents=True)
    (other / "models" / "mine.json").write_text("{}")
    with pytest.raises(GraphFSAError, match="exists and holds no results"):
        reproduce(tiny(tmp_path), out=other, seeds=1, processes=1)


@pytest.mark.parametrize(
    "name", ["a/../../up", "/tmp/up", "..", "", "C:up", "a\\b", "README", ".x", "a\n", "<b>", "a\0"]
)
def test_names_in_a_manifest_are_plain(tmp_path, name):
    plan = find_experiment(tiny(tmp_path))
    out = Results.create(tmp_path / "out", {"floors": plan}, quick=False).path
    content = json.loads((out / "manifest.json").read_text())
    content["tables"] = {name: plan.digest}
    content["own"] = {name: content["own"]["floors"]}
    (out / "manifest.json").write_text(json.dumps(content))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FormatError, match="the name of a table becomes the name of files"):
        write_results(out)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_name_in_a_manifest_is_no_path_of_a_definition(tmp_path):
    path = tiny(tmp_path)
    out = Results.create(tmp_path / "out", {"floors": find_experiment(path)}, quick=False).path
    content = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({**content, "tables": {path: "0"}, "own": {}}))
    with pytest.raises(GraphFSAError, match="unknown table"):
        write_results(out)
