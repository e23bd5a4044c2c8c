"""The benchmark of learning until there is a proof: what it keeps, and what it does not run again."""

import json

import pytest

import graphfsa
from benchmarks import _kept, held_out, prove, tasks
from benchmarks.__main__ import main
from graphfsa.datasets import Distance, training_data
from graphfsa.errors import GraphFSAError
from graphfsa.learners import ExactLearner


@pytest.fixture(autouse=True)
def two_tasks(monkeypatch):
    """Two tasks of each set, and nothing to compile."""
    monkeypatch.setattr(tasks, "TASKS", (tasks.DistanceMod3, tasks.WinLose))
    monkeypatch.setattr(held_out, "TASKS", held_out.TASKS[:2])
    monkeypatch.setattr(prove, "warm_up", lambda _make: None)


class Guess:
    """Answers with the most frequent class, and counts how often it is asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, task, *, seed, split, data_only, **options):
        assert options == {"budget": 5.0}
        self.asked.append((task.name, seed))
        model = graphfsa.learn(task, "majority", seed=seed, sizes=[4], count=20)
        return prove.Learned(model, None if data_only else True, lambda: False)


def measured(out, learn, **options):
    return prove.measure(**{"quick": True, "seed": 0, "out": out, "learn": learn, **options})


def test_every_run_is_kept_and_made_once(tmp_path):
    out, guess = tmp_path / "runs.jsonl", Guess()
    report = measured(out, guess)
    assert guess.asked == [("distance-mod3", 0), ("win-lose", 0)]
    assert [line["what"] for line in report["rows"]][::4] == [
        *(f"{name}: exact on larger graphs" for name in ("distance-mod3", "win-lose", "all"))
    ]
    assert [line["figure"] for line in report["rows"]][1::4] == [1, 1, 2]
    runs = [json.loads(line) for line in out.read_text().splitlines()]
    for run in runs:
        assert run["verdict"] in ("proved", "exact", "best-effort")
        assert set(run["accuracy"]) == {"20", "100"}
        assert 0 < run["accuracy"]["20"] < 1
        assert len(run["data"]) == len(run["model"]) == len(run["code"]) == 64
        assert run["versions"]["graphfsa"] == graphfsa.__version__
        assert run["cpu_seconds"] > 0
    assert measured(out, guess)["rows"] == report["rows"]
    assert len(guess.asked) == 2
    measured(out, guess, seed=1, only="win-lose")
    assert guess.asked[2:] == [("win-lose", 1000)]


def test_what_was_cut_off_is_run_again(tmp_path, monkeypatch):
    out, guess = tmp_path / "runs.jsonl", Guess()
    measured(out, guess)
    out.write_bytes(out.read_bytes()[:-10])
    measured(out, guess)
    assert guess.asked[2:] == [("win-lose", 0)]
    assert len(out.read_text().splitlines()) == 2
    monkeypatch.setattr(_kept, "source_digest", lambda: "0" * 64)
    measured(out, guess)
    assert len(guess.asked) == 5


def test_tasks_that_are_held_out_have_numbers(tmp_path):
    out = tmp_path / "runs.jsonl"
    report = measured(out, Guess(), set="held-out")
    written = json.dumps(report) + out.read_text()
    assert "held-out 1: exact" in written
    assert not any(kind.name in written for kind in held_out.TASKS)


def test_data_alone_may_leave_a_question(tmp_path):
    report = measured(tmp_path / "runs.jsonl", Guess(), data_only=True)
    assert [line["figure"] for line in report["rows"]][::4] == [0, 0, 0]
    assert [line["figure"] for line in report["rows"]][1::4] == [1, 1, 2]


def test_an_interrupted_run_is_no_result(tmp_path):
    def interrupted(task, **options):
        learned = Guess()(task, **options)
        object.__setattr__(learned.model.provenance, "interrupted", True)
        return learned

    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path / "runs.jsonl", interrupted)
    assert not (tmp_path / "runs.jsonl").exists()


def test_few_graphs_leave_a_question_and_many_do_not(monkeypatch):
    monkeypatch.setattr(prove, "_ASKED_NODES", 3)
    task = Distance(graphs="tree")
    answers: list[bool | None] = []
    for sizes, count in (([2], 3), ([1, 2, 3, 4, 5], 200)):
        data = training_data(task, sizes=sizes, count=count)
        model = ExactLearner(states=4, bound=1).fit(data.train)
        assert model.verdict == "exact"
        answers.append(prove._determined(model, data, task))
    assert answers == [False, True]


def test_the_command_learns(tmp_path, capsys):
    out = tmp_path / "runs.jsonl"
    assert main(["prove", "--quick", "--only", "1", "--out", str(out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"][0]["figure"] == 1
    assert report["rows"][1]["figure"] == 1
    assert json.loads(out.read_text())["learner"] == "exact"


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("", {"only": "nothing"}, "unknown task 'nothing'; valid names: distance-mod3, win-lose"),
        ("", {"only": "3"}, "unknown task '3'"),
        ("", {"set": "mine"}, "unknown set of tasks 'mine'"),
        ("{}\n", {}, "runs.jsonl: line 1: no run of this benchmark; choose another file"),
        ("nothing\n", {}, "line 1: no run of this benchmark"),
        ("", {"out": "nowhere/runs.jsonl"}, "there is no directory 'nowhere'"),
    ],
)
def test_what_can_not_be_measured_is_said_at_once(tmp_path, content, options, words):
    out, guess = tmp_path / "runs.jsonl", Guess()
    out.write_text(content)
    with pytest.raises(GraphFSAError) as error:
        measured(**{"out": out, "learn": guess, **options})
    assert words in str(error.value)
    assert guess.asked == []


@pytest.mark.parametrize("option", ["--set=tasks", "--only=1", "--out=runs.jsonl", "--data-only"])
def test_its_options_go_with_it(option, capsys):
    with pytest.raises(SystemExit):
        main(["engine", option])
    assert f"{option.split('=')[0]} goes with prove" in capsys.readouterr().err
