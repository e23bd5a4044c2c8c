"""graphfsa report: one page that holds everything and loads nothing."""

import base64
import html
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest

from graphfsa import GraphFSA, library, load
from graphfsa.datasets import as_dataset
from graphfsa.evaluation.proving import report_proof
from graphfsa.learners import Model
from graphfsa.views.proof_section import _words as explained
from graphfsa.views.proof_section import proof_section


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
        "What it does, in words", "Diagram", more, "Verification", "Why it is right", "Coverage", "A run",
        "Where this is from",
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
    page = out.read_text()
    assert re.search(r"wrong; stopped at the \d+(st|nd|rd|th) graph of those with up to", page)
    assert '<p class="verdict wrong">Wrong: see below' in page


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


def _section(page, title):
    return re.search(rf"<section><h2>{re.escape(title)}</h2>(.*?)</section>", page, re.DOTALL)[1]


def test_a_proof_is_told_and_its_certificate_can_be_taken_from_the_page(cli, tmp_path):
    out = tmp_path / "r.html"
    facts = cli("report", "path-finding", "--out", out, "--sizes", 9, "--max-nodes", 3, "--json").json
    assert facts["proof"] == "proved"
    told = _section(out.read_text(), "Why it is right")
    assert "A neighbour that sends <code>one</code> and receives <code>one</code>" in told
    assert "after at most n steps" in told
    assert "graphfsa check proof.json path-finding" in told
    assert '<p class="verdict right">Proved right on all trees.</p>' in out.read_text()
    data = re.search(r'href="data:application/json;base64,([^"]*)"', told)[1]
    (tmp_path / "proof.json").write_bytes(base64.b64decode(data))
    assert cli("check", tmp_path / "proof.json", "path-finding").code == 0


def test_a_wrong_model_shows_its_smallest_graph_and_claims_nothing(cli, tmp_path):
    fsa = library.path_finding()
    fsa.with_entry("marked", int(fsa.aggregation.encode([3], [], 4)), "off").save(tmp_path / "m.json")
    out = tmp_path / "r.html"
    arguments = ("--task", "path-finding", "--out", out, "--sizes", 9, "--max-nodes", 3, "--json")
    assert cli("report", tmp_path / "m.json", *arguments).json["proof"] == "refuted"
    page = out.read_text()
    assert "Why it is right" not in page
    assert "Wrong: see below" in page.partition("<section>")[0]
    assert "see the next section" in _section(page, "Verification")
    told = _section(page, "Where it is wrong")
    assert "node 0 (input <code>marked</code>)" in told
    assert "<iframe" in told
    rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", told)]
    assert rows[0][:4] == ["node", "neighbours", "input", "right"]
    assert next(row[0] for row in rows[1:] if row[-1] == "wrong") == "0"


def test_a_file_that_says_proved_is_not_believed(cli, tmp_path):
    answer = cli("learn", "--task", "root-value", "--out", tmp_path / "m.json", "--seed", 0, "--json")
    assert answer.json["verdict"] == "proved"
    model = json.loads((tmp_path / "m.json").read_text())
    assert model["verdict"] == "proved"
    wrong = load(tmp_path / "m.json")
    fsa = wrong.automaton
    first = wrong.task.reading(fsa).starting[1]
    for value in range(fsa.num_values):
        fsa = fsa.with_entry(first, value, first)
    replace(wrong, body=fsa).save(tmp_path / "w.json")
    assert json.loads((tmp_path / "w.json").read_text())["verdict"] == "proved"
    out = tmp_path / "r.html"
    facts = cli("report", tmp_path / "w.json", "--out", out, "--sizes", 9, "--max-nodes", 3, "--json").json
    assert facts["proof"] == "refuted"
    assert "Why it is right" not in out.read_text()


def test_names_in_a_proof_are_escaped():
    text = explained("starts in `<b>x</b>` & `y`")
    assert text == "starts in <code>&lt;b&gt;x&lt;/b&gt;</code> &amp; <code>y</code>"
    hostile = GraphFSA(
        ["off", "on", "node", "marked", "<img src=x>"],
        library.path_finding().aggregation,
        _with_a_state_more(library.path_finding()),
        starting_states=["node", "marked"],
        final_states=["off", "on"],
    )
    section = proof_section(report_proof(Model.of(hostile, "path-finding"), as_dataset("path-finding")), "m.json")
    assert section.title == "Where it is wrong"
    assert "<img src=x>" not in section.body


def _with_a_state_more(fsa):
    """The table of an automaton with one more state, to which the state 'on' never goes and 'marked' always does."""
    aggregation, names = fsa.aggregation, range(5)
    table = np.zeros((5, aggregation.num_values(5)), int)
    table[:] = np.array(names)[:, None]
    table[3] = 4
    return table


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
