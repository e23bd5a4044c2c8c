"""What is said about work while it goes on."""

from time import sleep

from graphfsa.cli import _progress
from graphfsa.cli._progress import learning_progress, shortened


def test_the_last_part_of_a_long_line_is_kept():
    assert shortened("short: enough", 20) == "short: enough"
    assert shortened("checking what was learned: contracts", 20) == "contracts"
    assert shortened("x" * 30, 20) == "x" * 17 + "..."


def test_without_a_terminal_there_is_a_line_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_EVERY", 0.05)
    with learning_progress() as watch:
        watch({"updates": 5, "accuracy": 0.5, "best_accuracy": 0.75})
        sleep(0.3)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1].startswith("update 5, now 50.00% right, best 75.00% (")
    sleep(0.1)
    assert capsys.readouterr().err == ""


def test_quick_work_says_nothing(capsys):
    with learning_progress() as watch:
        watch({"doing": "something"})
    assert capsys.readouterr().err == ""
