"""graphfsa report: one page that holds everything and loads nothing."""

import base64
import html
import json
import re
import zlib

import pytest

from graphfsa import GraphFSA, library


@pytest.mark.parametrize("task", ["distance", "life", "elementary"])
def test_a_report_holds_everything_and_loads_nothing(cli, tmp_path, task):
    out = tmp_path / "r.html"
    model = {"life": "life", "elementary": "rule42"}.get(task, task)
    sizes = "9,16" if task == "distance" else "9"
    answer = cli("report", model, "--task", task, "--out", out, "--max-nodes", 3, "--sizes", sizes, "--json")
    assert answer.code == 0, answer.err
    facts = json.loads(answer.out)
    page = out.read_text()
    times = [10, 17] if task == "distance" else [1, 2, 5, 10, 20, 50, 100]
    assert [row["accuracy"] for row in facts["accuracy"]] == [1.0] * len(times)
    assert [row["steps"] for row in facts["accuracy"]] == times
    assert facts["verified"] is (None if task == "life" else True)  # Boards are too large to try all of them.
    assert facts["automaton"] in page
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    more = "Accuracy by size of the graphs" if task == "distance" else "Accuracy after more steps"
    assert titles == [
        "What it does, in words", "Diagram", more, "Verification", "Coverage", "A run", "Where this is from",
    ]  # fmt: skip
    outside = re.sub(r'src="data:[^"]*"', "", page)
    assert not re.search(r'(src|href)\s*=\s*["\']?(https?:)?//', outside)
    assert "<script" not in page.partition("<iframe")[0]


def test_the_run_ends_where_it_is_at_rest(cli, tmp_path):
    out = tmp_path / "r.html"
    assert cli("report", "path-finding", "--task", "path-finding", "--out", out, "--sizes", 9).code == 0
    data = re.search(r'id="data"[^>]*>([^<]*)<', html.unescape(out.read_text()))[1]
    packed = zlib.decompress(base64.b64decode(data))
    run = json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])
    assert run["times"] == list(range(run["stable_at"] + 2))  # One step more shows that it rests.


def test_a_wrong_model_is_called_wrong(cli, tmp_path):
    right = library.distance()
    right.with_entry(2, int(right.aggregation.encode([0], [], 4)), 2).save(tmp_path / "m.json")
    out = tmp_path / "r.html"
    facts = json.loads(
        cli("report", tmp_path / "m.json", "--task", "distance", "--out", out, "--sizes", 9, "--json").out
    )
    assert facts["verified"] is False
    assert "WRONG" in out.read_text()


def test_one_size_has_no_curve_and_the_title_no_directories(cli, tmp_path):
    library.distance().save(tmp_path / "m.json")
    out = tmp_path / "r.html"
    assert cli("report", tmp_path / "m.json", "--task", "distance", "--out", out, "--sizes", 9).code == 0
    page = out.read_text()
    assert "<h1>m.json: an automaton for distance</h1>" in page
    assert len(re.findall('<div class="picture">', page)) == 1  # The coverage; one number needs no picture.


def test_names_with_markup_are_shown_as_they_are(cli, tmp_path):
    def move(state, counts):
        if state == "root":
            return "even"
        near = [name for name in ("even", "odd") if counts[name]]
        return {"even": "odd", "odd": "even"}[near[0]] if state == "node" and near else state

    names = ["even", "odd", "node", "root", "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>']
    aggregation = library.distance().aggregation
    GraphFSA.from_rule(
        names, aggregation, move, starting_states=["node", "root"], final_states=["even", "odd"]
    ).save(tmp_path / "m.json")  # fmt: skip
    out = tmp_path / "r.html"
    assert cli("report", tmp_path / "m.json", "--task", "distance", "--out", out, "--sizes", 9).code == 0
    before = out.read_text().partition("<iframe")[0]
    assert "<script>alert" not in before
    assert "<img src=x" not in before
    assert "&lt;script&gt;alert(1)" in before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("distance", "--task", "distance", "--out", "r.txt"), ".html"),
        (("distance", "--task", "prefix-sum", "--out", "r.html"), "prefix-sum has the classes 0, 1"),
        (("nobody", "--task", "distance", "--out", "r.html"), "nobody"),
        (("distance", "--task", "nothing", "--out", "r.html"), "unknown"),
        (("distance", "--task", "distance", "--out", "r.html", "--sizes", "9,0"), "at least 1"),
    ],
)
def test_what_cannot_be_is_refused(cli, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    answer = cli("report", *arguments)
    assert (answer.code, words in answer.err) == (2, True)
    assert list(tmp_path.iterdir()) == []
