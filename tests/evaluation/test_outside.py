"""The outside scoreboard: its definitions, its own training graphs, its pages, and a run of a small part of it."""

import json

import numpy as np
import pytest

from graphfsa import CountingAggregation, run
from graphfsa.datasets import Elementary, Life, PrefixSum
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation import (
    Experiment,
    Results,
    Test,
    Train,
    check_results,
    reproduce,
    run_experiments,
    write_results,
)
from graphfsa.evaluation._job import draw_graphs
from graphfsa.evaluation.files import check_code
from graphfsa.evaluation.outside import (
    fitting_rules,
    is_outside,
    make_sheets,
    outside_experiments,
    outside_tables,
    read_outside_table,
    same_map,
)
from graphfsa.evaluation.outside.judging import judged
from graphfsa.graphs import families
from strategies import random_automaton

SMALL = {
    "title": "A",
    "about": "B",
    "tests": [{"name": "n=5", "size": 5}],
    "learners": [{"column": "stay", "learner": "stay"}],
    "lines": [{"label": "one", "data": {"dataset": "distance"}}],
}


def job_of(name, seed=0, quick=False):
    """The job of the first learner of an experiment."""
    return next(iter(outside_experiments()[name].jobs(seed, quick=quick)))[1]


# Definitions.


def test_every_table_is_measured_or_says_why_not():
    tables = {table.name: table for table in outside_tables()}
    assert len(tables) == 7
    for table in tables.values():
        assert bool(table.lines) != bool(table.rows)
        assert table.sources or table.name == "open"
        for experiment in (line.experiment for line in table.lines):
            check_code(experiment)
    assert len(outside_experiments()) == sum(len(table.lines) for table in tables.values())
    differs = [line.differs for table in tables.values() if table.layout == "rows" for line in table.lines]
    assert all(differs)


def test_a_line_is_there_for_each_choice_of_values():
    content = {**SMALL, "each": {"rule": [30, 90], "t": [1, 2]}}
    data = {"dataset": "elementary", "options": {"rule": "{rule}", "ring": True}, "steps": "{t}"}
    content["lines"] = [{"label": "rule {rule}, t={t}", "data": data}]
    lines = read_outside_table("x", content, "x.toml").lines
    assert [(line.label, line.experiment.data.options["rule"], line.experiment.data.steps) for line in lines] == [
        ("rule 30, t=1", 30, 1),
        ("rule 30, t=2", 30, 2),
        ("rule 90, t=1", 90, 1),
        ("rule 90, t=2", 90, 2),
    ]


def test_published_cells_are_those_of_the_paper():
    (table,) = (table for table in outside_tables() if table.name == "recurrent-gnn")
    line = next(line for line in table.lines if line.label == "PrefixSum")
    assert line.published == {"n=10": "0.97 ± 0.04 of the nodes", "n=100": "0.84 ± 0.14 of the nodes"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": [["a", "b"]], "head": ["a"]}, r"x\.toml: row 1 must have 1 cells; got 2"),
        ({"lines": [{"label": "one"}]}, "line 1: field 'data' is missing|data"),
        ({"layout": "pyramid"}, "layout"),
        ({"lines": [{"label": "../up", "data": {"dataset": "distance"}}]}, "becomes the name of files"),
        ({"prize": 1}, "prize"),
        (
            {"lines": [{"label": "one", "data": {"dataset": "distance"}, "train": {"split": "every"}}]},
            "the split every needs sizes",
        ),
    ],
)
def test_a_wrong_definition_is_refused(change, words):
    with pytest.raises(FormatError, match=words):
        read_outside_table("x", {**SMALL, **change}, "x.toml")


# Training graphs.


def test_prefix_sums_are_learned_and_chosen_from_32_bits_alone():
    graphs = draw_graphs(job_of("prefix-sums, 32 bits", quick=True))
    assert set(graphs.train.sizes) == set(graphs.validation.sizes) == {32}
    assert (len(graphs.train), len(graphs.validation)) == (40, 4)
    for part in (graphs.train, *(test.examples[0] for test in graphs.tests)):
        for example in part:
            bits = [int(name[-1]) for name in example.input_names]
            assert [int(name) for name in example.label_names] == [sum(bits[: k + 1]) % 2 for k in range(len(bits))]


def test_mazes_are_learned_from_nine_by_nine_alone():
    for name, size in (("mazes, pixels with walls", 81), ("mazes, graph of free cells", 31)):
        graphs = draw_graphs(job_of(name, quick=True))
        assert set(graphs.train.sizes) == set(graphs.validation.sizes) == {size}


@pytest.mark.parametrize("name", ["torus", "bounded"])
def test_life_is_learned_from_every_board_of_three_by_three(name):
    graphs = draw_graphs(job_of(f"life, {name}", quick=True))
    boards = {tuple(example.inputs.tolist()) for example in graphs.train}
    assert len(graphs.train) == len(boards) == 512
    assert graphs.validation.digest == graphs.train.digest
    for example in list(graphs.train)[::37]:
        for cell, after in enumerate(example.labels.tolist()):
            around = int(example.inputs[example.graph.neighbours(cell)].sum())
            assert after == (around == 3 or (around == 2 and example.inputs[cell] == 1))
    # Every number of live neighbours is seen by a dead and by a live cell.
    seen = {(e.inputs[4], int(e.inputs[e.graph.neighbours(4)].sum())) for e in graphs.train}
    assert len(seen) == 18
    assert Life(torus=name == "torus").every_graph(9).graphs()[0] == next(iter(graphs.train)).graph


def test_a_pair_is_one_ring_and_nothing_else():
    graphs = draw_graphs(job_of("elementary-pairs, rule 110, t=3"))
    assert (len(graphs.train), graphs.train.sizes.tolist(), graphs.train.steps.tolist()) == (1, [1000], [3])
    assert graphs.validation.digest == graphs.train.digest


def test_graphs_alone_have_a_tenth_for_validation():
    train = Train("alone", (6, 8), 41)
    plan = Experiment.of("distance", {"stay": "stay"}, tests=[Test("n=5", 5, count=2)], train=train)
    graphs = draw_graphs(next(iter(plan.jobs(0)))[1])
    assert sorted(graphs.train.sizes.tolist()) == [6] * 21 + [8] * 20
    assert sorted(graphs.validation.sizes.tolist()) == [6, 6, 8, 8]
    with pytest.raises(GraphFSAError, match="the split alone needs sizes"):
        Experiment.of("distance", {"stay": "stay"}, train=Train("alone"))


# Rules and pairs.


def after(rule, row, steps, *, ring):
    """A row some steps later, cell by cell; without a ring it loses a cell at each side in each step."""
    for _ in range(steps):
        places = range(len(row)) if ring else range(1, len(row) - 1)
        row = [rule >> (4 * row[k - 1] + 2 * row[k] + row[(k + 1) % len(row)]) & 1 for k in places]
    return row


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_rules_with_the_same_map_do_the_same_to_every_window(steps):
    windows = [[number >> k & 1 for k in range(2 * steps + 1)] for number in range(2 ** (2 * steps + 1))]
    maps = {rule: [after(rule, window, steps, ring=False) for window in windows] for rule in range(256)}
    for rule in (0, 15, 30, 54, 90, 105, 110, 150, 184, 255):
        assert same_map(rule, steps) == [other for other in maps if maps[other] == maps[rule] and other != rule]


def test_known_maps():
    assert all(same_map(rule, 1) == [] for rule in range(256))
    assert same_map(150, 2) == [105]  # Both are linear up to a complement, which two steps undo.
    with pytest.raises(GraphFSAError, match="steps must be"):
        same_map(30, 10)
    with pytest.raises(GraphFSAError, match="rule must be"):
        same_map(256, 1)


@pytest.mark.parametrize(("rule", "steps"), [(30, 1), (150, 2), (110, 5), (0, 3)])
def test_rules_that_fit_a_pair(rule, steps):
    examples = Elementary(rule, ring=True).generate(40, 1, np.random.default_rng(rule), steps=steps)
    row, later = examples.inputs.tolist(), examples.labels.tolist()
    assert fitting_rules(examples) == [each for each in range(256) if after(each, row, steps, ring=True) == later]


# Runs and pages.


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """Quick results of four lines."""
    names = (
        "life, torus",
        "elementary-pairs, rule 110, t=2",
        "elementary-pairs, rule 150, t=2",
        "prefix-sums, 32 bits",
    )
    chosen = {name: outside_experiments()[name] for name in names}
    folder = tmp_path_factory.mktemp("outside") / "out"
    return run_experiments(chosen, folder, seeds=1, quick=True, processes=1)


def test_the_pages_say_what_was_measured(some):
    assert is_outside(some)
    write_results(some)
    text = (some.path / "README.md").read_text(encoding="utf-8")
    assert "| 1.00 / 1.00 (1/1) |" in text
    assert "proved 1/1" in text
    assert "not determined: 105 does the same" in text
    assert "deep-thinking networks: about 97 %" in text
    assert "Quick run" in text
    page = (some.path / "report.html").read_text(encoding="utf-8")
    assert "not determined: 105 does the same" in page
    assert "Jobs that have not been run" not in text
    names = {path.name for path in some.path.iterdir()}
    assert names == {"manifest.json", "records.jsonl", "models", "README.md", "report.html"}


def test_a_cell_is_what_the_record_says(some):
    sheet = next(sheet for sheet in make_sheets(some) if sheet.table.name == "prefix-sums")
    (stay,) = (r for r in some.records().values() if r["config"]["learner"] == "stay" and "prefix" in str(r["config"]))
    column = sheet.head.index("stay")
    for row in sheet.rows:
        result = stay["results"][row[1]]
        assert row[column] == f"{result['accuracy']:.2f} / {result['perfect']:.2f} (0/1)"


def test_what_was_run_can_be_checked_and_goes_on(some):
    assert [job.differs for job in check_results(some, sample=2, processes=1)] == [(), ()]
    again = run_experiments(some.experiments(), some.path, seeds=1, quick=True, processes=1)
    assert len((again.path / "records.jsonl").read_text().splitlines()) == len(again.records())


def test_a_proof_is_found_from_the_file_and_not_believed(some, tmp_path):
    record = next(r for r in some.records().values() if (r["model"] or {}).get("automaton") and "prefix" in str(r))
    assert judged(record, some.models) == "proved"
    assert judged({**record, "fit": {"verdict": "proved"}}, tmp_path) == "no file"
    assert judged({**record, "model": None}, some.models) == "no automaton"
    wrong = json.loads((some.models / record["model"]["file"]).read_text())
    (tmp_path / record["model"]["file"]).write_text(json.dumps(wrong))
    other = {**record, "model": {**record["model"], "automaton": "0" * 64}}
    assert judged(other, tmp_path) == "another file"


def test_a_wrong_automaton_is_refuted(some, tmp_path):
    record = next(r for r in some.records().values() if r["config"]["learner"] == "exact" and "prefix" in str(r))
    fsa = PrefixSum().automaton()
    table = fsa.transition_table.copy()
    table[fsa.state_names.index("root1")] = fsa.state_names.index("0")
    broken = type(fsa)(
        fsa.state_names,
        fsa.aggregation,
        table,
        starting_states=fsa.starting_states,
        final_states=fsa.final_states,
    )
    broken.save(tmp_path / record["model"]["file"])
    facts = {**record["model"], "automaton": broken.digest}
    assert judged({**record, "model": facts}, tmp_path).startswith("refuted by a path of ")


def test_the_scoreboard_has_a_directory_of_its_own(some, tmp_path):
    plan = Experiment.of("distance", {"stay": "stay"}, tests=[Test("n=5", 5, count=2)], name="mine")
    with pytest.raises(GraphFSAError, match="outside has a directory of its own"):
        reproduce(plan, out=some.path, quick=True)
    run_experiments({"mine": plan}, tmp_path / "mine", seeds=1, quick=True, processes=1)
    with pytest.raises(GraphFSAError, match="outside has a directory of its own"):
        reproduce("outside", out=tmp_path / "mine", quick=True)
    assert not is_outside(Results(tmp_path / "mine"))


def test_hostile_records_do_not_reach_the_pages(some, tmp_path):
    """A record whose error has markup in it, in a copy of the directory, is shown as text."""
    copy = tmp_path / "copy"
    (copy / "models").mkdir(parents=True)
    (copy / "manifest.json").write_bytes((some.path / "manifest.json").read_bytes())
    lines = (some.path / "records.jsonl").read_text().splitlines()
    failed = json.loads(lines[0])
    failed = {k: failed[k] for k in ("schema", "id", "config", "seconds", "versions")} | {"status": "failed"}
    failed["error"] = "<script>alert(1)</script> | [x](javascript:y)\n# up"
    (copy / "records.jsonl").write_text("\n".join([json.dumps(failed), *lines[1:]]) + "\n")
    write_results(copy)
    page = (copy / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    text = (copy / "README.md").read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "\n# up" not in text


def test_no_automaton_chooses_among_nodes_that_look_alike():
    """The reason that the scoreboard gives for MIS: on a cycle all nodes stay alike, whatever the automaton."""
    for seed in range(20):
        fsa = random_automaton(5, CountingAggregation(bound=2), seed)
        states = run(fsa, families.cycle(7), np.zeros(7, np.uint8), steps=30).last
        assert len(set(states.tolist())) == 1
