"""People's own learners and data sets in experiments: scripts, files, names, shells, and their worker processes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_experiments import tiny

from graphfsa.datasets import Dataset, dataset_class
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation import Experiment, Results, Test, check_results, find_experiment, reproduce, write_results
from graphfsa.learners import Learner, learner_class
from graphfsa.plugins import load_file

PROGRAM = (Path(__file__).parents[2] / "examples" / "benchmark_own_learner.py").read_text(encoding="utf-8")


def run_script(folder, text, name="script.py"):
    (folder / name).write_text(text)
    source = Path(__file__).parents[2] / "src"
    paths = os.pathsep.join([str(source), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, folder / name],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
    )


def test_a_short_program_benchmarks_a_torch_learner_with_grab(tmp_path):
    pytest.importorskip("torch")
    done = run_script(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert lines[0] == "|  | my network | majority | stay |"
    rows = [line.strip("| ").split(" | ") for line in lines[2:7]]
    assert [row[0].removesuffix(" §") for row in rows] == ["validation", "n=10", "n=20", "n=50", "n=100"]
    assert all(re.fullmatch(r"0\.\d\d ± 0\.\d\d \(0/2\)", cell) for row in rows for cell in row[1:])
    names = {path.name for path in (tmp_path / "mine").iterdir()}
    assert {f"experiment.{suffix}" for suffix in ("md", "csv", "tex", "svg", "png")} | {"report.html"} <= names
    records = Results(tmp_path / "mine").records().values()
    assert {record["status"] for record in records} == {"done"}
    references = {record["config"]["learner"].partition("@")[0] for record in records}
    assert references == {"script.py:FromInput", "majority", "stay"}


FILE = """
from dataclasses import dataclass

import numpy as np

from graphfsa.datasets.root_value import RootValue
from graphfsa.learners import Learner


class Always:
    def __init__(self, answer):
        self.answer = answer

    def predict(self, graph, inputs, *, steps):
        return np.full(graph.num_nodes, self.answer)


@dataclass(frozen=True)
class Stubborn(Learner):
    answer: int = 0

    def fit(self, train, validation=None, *, seed=0):
        return Always(self.answer)


@dataclass(frozen=True)
class Roots(RootValue):
    name = "roots"
"""


@pytest.fixture
def own(tmp_path):
    """An experiment with a learner and a data set in a file beside it, in a directory that is not the working one."""
    (tmp_path / "things.py").write_text(FILE)
    path = Path(tiny(tmp_path, published=""))
    text = path.read_text().replace('dataset = "root-value"', 'dataset = "things.py:Roots"')
    path.write_text(text.replace('learner = "stay"', 'learner = "things.py:Stubborn"\noptions = { answer = 1 }'))
    return path


@pytest.fixture
def loaded(own, tmp_path):
    load_file(tmp_path / "things.py")
    return own


def test_an_experiment_or_results_run_no_file_that_they_name(tmp_path):
    (tmp_path / "evil.py").write_text(FILE + f"\nopen({str(tmp_path / 'was run')!r}, 'w')\n")
    path = Path(tiny(tmp_path, published=""))
    path.write_text(path.read_text().replace('learner = "stay"', 'learner = "evil.py:Stubborn"'))
    words = "the learner Stubborn is not known here; it was defined in evil.py, which has not been loaded"
    for where in (tmp_path, tmp_path.parent):
        done = run_script(where, f"import graphfsa\ngraphfsa.reproduce({str(path)!r}, out='out')\n")
        assert words in done.stderr
    command = [sys.executable, "-m", "graphfsa", "--plugin", str(tmp_path / "evil.py")]
    command += ["reproduce", str(path), "--seeds", "1", "--out", str(tmp_path / "out")]
    assert not (tmp_path / "was run").exists()
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == 0
    (tmp_path / "was run").unlink()
    # A stranger's results, and even their directory as the working one.
    check = f"import graphfsa\nprint(graphfsa.evaluation.check_results({str(tmp_path / 'out')!r}, processes=1))\n"
    done = run_script(tmp_path, "if __name__ == '__main__':\n    " + check.replace("\n", "\n    ").rstrip() + "\n")
    assert done.returncode == 0, done.stderr
    assert "is not known here" in done.stdout
    assert not (tmp_path / "was run").exists()


def test_files_are_kept_beside_the_experiment(loaded, tmp_path):
    own = loaded
    results = reproduce(str(own), out=tmp_path / "out", seeds=1, processes=1)
    records = list(results.records().values())
    assert [record["status"] for record in records] == ["done", "done"]
    assert {record["config"]["data"]["dataset"].partition("@")[0] for record in records} == {"things.py:Roots"}
    assert "things.py:Stubborn@" in records[1]["config"]["learner"]
    assert records[1]["model"] is None  # It has no way to be saved.
    assert str(tmp_path) not in (tmp_path / "out" / "manifest.json").read_text()
    assert [job.differs for job in check_results(tmp_path / "out", processes=1)] == [(), ()]


def test_pages_are_written_without_running_anybodys_code(loaded, tmp_path):
    before = reproduce(str(loaded), out=tmp_path / "out", seeds=1, processes=1).markdown()
    (tmp_path / "things.py").write_text("raise SystemExit('must not be run')")
    (tmp_path / "out" / "floors.md").unlink()
    assert write_results(tmp_path / "out").markdown() == before == (tmp_path / "out" / "floors.md").read_text()


def test_code_that_has_changed_is_run_again(loaded, tmp_path):
    own = loaded
    first = reproduce(str(own), out=tmp_path / "out", seeds=1, processes=1)
    (tmp_path / "things.py").write_text(FILE + "\n# Better now.\n")
    script = "import things\nfrom graphfsa.evaluation import reproduce\nif __name__ == '__main__':\n"
    script += f"    reproduce({str(own)!r}, out='out', seeds=1, processes=1)\n"
    done = run_script(tmp_path, script)  # Another process: this one has loaded the file.
    assert done.returncode == 0, done.stderr
    assert len(first.records()) == 4
    assert len({record["config"]["learner"] for record in first.records().values()}) == 3
    assert [table.seeds for table in Results(tmp_path / "out").tables()] == [1]
    failed = [job.differs[0] for job in check_results(tmp_path / "out", processes=1, sample=100) if job.differs]
    assert len(failed) == 2
    assert all("has changed: these results are of code whose SHA-256 begins with" in words for words in failed)


def test_classes_of_a_running_script_are_found_by_name(tmp_path):
    path = tiny(tmp_path, published="").replace(str(tmp_path), ".")
    text = (tmp_path / "floors.toml").read_text()
    text = text.replace('dataset = "root-value"', 'dataset = "roots"').replace('"stay"', '"stubborn"')
    (tmp_path / "floors.toml").write_text(text)
    script = FILE + "\nfrom graphfsa.evaluation import reproduce\nif __name__ == '__main__':\n"
    script += f"    print(reproduce({path!r}, out='out', seeds=1, processes=1).markdown())\n"
    done = run_script(tmp_path, script)
    assert done.returncode == 0, done.stderr
    assert "| stubborn |" in done.stdout
    assert {record["status"] for record in Results(tmp_path / "out").records().values()} == {"done"}


def test_classes_that_no_other_process_can_find_are_run_in_this_one(tmp_path):
    class Constant:
        def predict(self, graph, inputs, *, steps):
            return np.zeros(graph.num_nodes, int)

    class Inside(Learner):
        def fit(self, train, validation=None, *, seed=0):
            return Constant()

    experiment = Experiment.of("root-value", {"mine": Inside(), "stay": "stay"}, tests=[Test("n=10", 10, count=5)])
    watched = []
    results = reproduce(experiment, out=tmp_path / "out", seeds=2, processes=1, watch=lambda s: watched.append(dict(s)))
    assert [record["status"] for record in results.records().values()] == ["done"] * 4
    assert (watched[-1]["done"], watched[-1]["running"]) == (4, [])
    assert [column.name for column in results.tables()[0].columns] == ["mine", "stay"]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ("np.zeros(3, int)", r"an integer for each of the \d+ nodes, from -1"),
        ("np.full(graph.num_nodes, 7)", r"to 1; got array\(\[7"),
        ("np.full(graph.num_nodes, 0.5)", "predict must return an integer"),
        ("'no idea'", "got 'no idea'"),
    ],
)
def test_answers_that_are_no_classes_are_refused(tmp_path, answers, words):
    (tmp_path / "odd.py").write_text(FILE.replace("np.full(graph.num_nodes, self.answer)", answers))
    load_file(tmp_path / "odd.py")
    path = Path(tiny(tmp_path, published=""))
    path.write_text(path.read_text().replace('"stay"\n', '"odd.py:Stubborn"\n').replace("count = 8", "count = 2"))
    results = reproduce(str(path), out=tmp_path / "out", seeds=1, processes=1)
    (failed,) = (found for found in results.records().values() if found["status"] == "failed")
    with pytest.raises(GraphFSAError, match=words):
        raise GraphFSAError(failed["error"])


def test_a_class_that_was_not_loaded_is_named(loaded):
    own = loaded
    text = own.read_text()
    for wrong, words in (
        ("nothing.py:Stubborn", "learner 2: the learner Stubborn is not known here; it was defined in nothing.py"),
        ("things.py:Stuborn", "learner 2: the learner Stuborn is not known here; it was defined in things.py"),
        ("things.py:Always", "learner 2: the learner Always is not known here; it was defined in things.py"),
    ):
        own.write_text(text.replace("things.py:Stubborn", wrong))
        with pytest.raises(FormatError, match=words):
            find_experiment(str(own))


def test_experiments_of_objects():
    life = Experiment.of(dataset_class("elementary")(rule=110), {"a": "exact", "b": "stay"}, name="rule 110")
    assert (life.data.dataset, life.data.options, life.files) == ("elementary", {"rule": 110}, {})
    assert [each.focus for each in life.learners] == [True, False]
    assert life.tests
    with_options = Experiment.of("distance", {"a": learner_class("exact")(states=5, bound=1)})
    assert with_options.learners[0].options == {"states": 5, "bound": 1}
    grab = Experiment.of("star", {"a": "stay"}, focus=())
    assert (grab.data.grab, grab.learners[0].focus) == ("star", False)
    assert [test.name for test in grab.tests] == ["validation", "n=10", "n=20", "n=50", "n=100"]
    for data, learners, words in (
        ("sudoku", {"a": "stay"}, "data: unknown data set 'sudoku'"),
        ("distance", {"a": "sty"}, "learner 'a': unknown learner 'sty'"),
        ("distance", {"a": 3}, "learner 'a' must be a graphfsa.Learner or the name of one; got 3"),
        ("distance", {}, "there must be learners"),
        (Dataset, {"a": "stay"}, "data must be a graphfsa.Dataset or the name of one"),
    ):
        with pytest.raises(GraphFSAError, match=words):
            Experiment.of(data, learners)
    with pytest.raises(GraphFSAError, match=r"a test must be a graphfsa.Test; got str"):
        Experiment.of("distance", {"a": "stay"}, tests=["n=10"])
    with pytest.raises(GraphFSAError, match="the name of a table becomes the name of files"):
        Experiment.of("distance", {"a": "stay"}, name="../up")
