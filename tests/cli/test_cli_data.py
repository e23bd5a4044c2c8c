import json

import numpy as np
import pytest

from graphfsa.datasets import Distance, dataset_names, describe_data, export_data, to_networkx_graphs
from graphfsa.errors import GraphFSAError
from graphfsa.plugins import module_names

SIZES = {"life": "16", "hex-life": "16", "wireworld": "16", "brians-brain": "16", "maze-pixels": "25"}


def test_list_and_describe(cli):
    listed = cli("data", "list", "--json").json
    assert set(listed) == set(dataset_names())
    assert all(name in cli("data", "list").out for name in listed)
    for name in listed:
        facts = cli("data", "describe", name, "--json").json
        assert {"inputs", "classes", "options", "splits"} <= facts.keys()
        assert cli("data", "describe", name).code == 0


@pytest.mark.parametrize("name", module_names("graphfsa.datasets"))
def test_export_of_each_task(cli, tmp_path, name):
    out = tmp_path / "x.jsonl"
    arguments = [
        "data",
        "export",
        name,
        "--split",
        "train",
        "--size",
        SIZES.get(name, "2..10"),
        "--count",
        100,
        "--seed",
        0,
    ]
    facts = cli(*arguments, "--out", out, "--json").json
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == facts["graphs"] == 100
    for line in lines:
        assert len(line["inputs"]) == len(line["labels"]) == line["num_nodes"]
    first = out.read_bytes()
    assert cli(*arguments, "--out", out, "--json").json["digest"] == facts["digest"]
    assert out.read_bytes() == first


def test_shared_sizes_are_said(cli, tmp_path):
    answer = cli(
        "data", "export", "root-value", "--size", "3,500", "--count", 5, "--out", tmp_path / "x.jsonl", "--json"
    )
    assert answer.json["shared_sizes"] == [3, 500]
    assert "too few graphs of 3, 500 nodes" in answer.err


def test_grab_twice_gives_one_digest_and_is_described(cli, tmp_path):
    one, two = (
        cli("grab", "generate", "paper-1", "--seed", 0, "--out", tmp_path / "d", "--json").json for _ in range(2)
    )
    assert one["digest"] == two["digest"]
    facts = cli("grab", "describe", tmp_path / "d", "--json").json
    assert facts["digest"] == one["digest"]
    assert facts["entries"] == 32
    assert all(split["overlap"] == 0 for split in facts["splits"].values())
    assert all(0 < split["entries"] <= 32 for split in facts["splits"].values())
    assert facts["splits"]["n=100"]["sizes"] == [100]
    for split in facts["splits"].values():
        assert abs(sum(split["classes"].values()) - 1) < 1e-9
    words = cli("grab", "describe", tmp_path / "d").out
    assert "overlap" in words
    assert "validation" in words


def test_grab_positional(cli, tmp_path):
    options = ["--aggregation", "positional", "--truth", "sparse"]
    facts = cli("grab", "generate", "ring", *options, "--out", tmp_path / "d", "--json").json
    assert facts["graphs"]["ood"] == 100


def test_grab_options_and_covering(cli, tmp_path):
    options = ["--states", 5, "--truth-seed", 9]
    facts = cli("grab", "generate", "--family", "path", *options, "--covering", "--out", tmp_path / "d", "--json").json
    assert facts["graphs"]["train"] >= 1000
    assert json.loads((tmp_path / "d" / "manifest.json").read_text())["config"]["grab"]["num_states"] == 5


BAD = [
    (["data", "describe", "nothing"], "prefix-sum"),
    (["data", "export", "life", "--size", "7", "--out", "x.jsonl"], "try 6 (2 x 3) or 8 (2 x 4)"),
    (["data", "export", "life", "--size", "x", "--out", "x.jsonl"], "2..10"),
    (["data", "export", "life", "--size", "9..2", "--out", "x.jsonl"], "must go up"),
    (["data", "export", "life", "--split", "all", "--out", "x.jsonl"], "train, validation, test"),
    (["data", "export", "life", "--option", "torus", "--out", "x.jsonl"], "key=value"),
    (["data", "export", "life", "--out", "x.txt"], ".jsonl"),
    (["data", "export", "path-finding", "--size", "1", "--out", "x.jsonl"], "at least 2 nodes"),
    (["grab", "generate", "paper-9", "--out", "d"], "paper-1"),
    (["grab", "generate", "--out", "d"], "--family"),
    (["grab", "generate", "paper-1", "--family", "path", "--out", "d"], "either"),
    (["grab", "generate", "--family", "regular:degree=x", "--out", "d"], "degree must be an integer"),
    (["grab", "generate", "regular", "--keep", "300", "--out", "d"], "--keep must be an integer from 0 to 100"),
    (["grab", "generate", "regular", "--slots", "3", "--out", "d"], "--slots go with the aggregation positional"),
    (["grab", "generate", "tree", "--sizes", "a", "--out", "d"], "--sizes must look like"),
    (["grab", "generate", "tree", "--test-steps", "1,2,3", "--out", "d"], "one for each of the 4 sizes"),
    (["grab", "generate", "paper-1", "--states", "1000000000", "--out", "d"], "1 to 256 states"),
    (["grab", "generate", "grid", "--aggregation", "positional", "--covering", "--out", "d"], "at most 1024 entries"),
    (["data", "export", "root-value", "--count", "1000000000", "--out", "x.jsonl"], "at most 134217728"),
    (["data", "export", "grab", "--size", "6", "--count", 10**22, "--out", "x.jsonl"], "at most 134217728"),
    (["data", "export", "life", "--size", "999950884", "--count", "1", "--out", "x.jsonl"], "at most 134217728"),
    (["grab", "describe", "nowhere"], "nowhere"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: value if isinstance(value, str) else None)
def test_bad_input_is_said_and_exits_with_2(cli, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    answer = cli(*arguments)
    assert answer.code == 2
    assert words in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_ones_own_is_checked(cli, tmp_path):
    file = tmp_path / "mine.jsonl"
    graph = {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "inputs": ["root", "other", "other"]}
    lines = [{**graph, "labels": [0, 1, 0]}, {**graph, "labels": [0, 1, 1]}, {**graph, "labels": [0, 1, 0]}]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    facts = cli("data", "describe", file, "--json").json
    assert (facts["graphs"], facts["distinct_graphs"], facts["contradicting_nodes"]) == (3, 2, 1)
    assert facts["contradictions"] == [{"lines": [1, 2], "nodes": [2, 2], "labels": ["0", "1"]}]
    assert "node 2 of line 1" in cli("data", "describe", file).out
    file.write_text(json.dumps({**graph, "labels": [0, 1]}))
    answer = cli("data", "describe", file)
    assert answer.code == 2
    assert "line 1" in answer.err
    assert "labels" in answer.err


def test_names_do_not_reach_the_terminal_raw(cli, tmp_path):
    file = tmp_path / "mine.jsonl"
    graph = {"num_nodes": 2, "edges": [[0, 1]], "inputs": ["\x1b[31mred", "\u202eabc"], "labels": ["a\rb", "\x07"]}
    file.write_text("\n".join(json.dumps(line) for line in (graph, {**graph, "labels": ["\x07", "a\rb"]})))
    out = cli("data", "describe", file).out
    assert "no automaton can tell" in out
    assert all(letter.isprintable() for letter in out.replace("\n", ""))
    assert "\\x1b[31mred" in out
    assert "a\\rb" in out
    assert json.loads(cli("data", "describe", file, "--json").out)["inputs"] == ["\x1b[31mred", "\u202eabc"]


TASK = """
from graphfsa.datasets import CustomTask


class Ends(CustomTask):
    \"\"\"Is a node an end?\"\"\"

    inputs = ("node",)
    classes = ("inner", "end")
    graphs = "path"

    def label(self, graph, inputs):
        return ["end" if len(graph.neighbours(node)) < 2 else "inner" for node in graph.nodes]
"""


def test_a_task_of_ones_own(cli, tmp_path):
    (tmp_path / "mine.py").write_text(TASK)
    name = f"{tmp_path / 'mine.py'}:Ends"
    facts = cli("data", "describe", name, "--json").json
    assert (facts["name"], facts["classes"]) == ("ends", ["inner", "end"])
    assert "Is a node an end?" in cli("data", "describe", name).out
    out = tmp_path / "x.jsonl"
    assert cli("data", "export", name, "--size", "4", "--count", 3, "--out", out, "--json").json["graphs"] == 3
    assert json.loads(out.read_text().splitlines()[0])["labels"] == ["end", "inner", "inner", "end"]


def test_the_functions_behind_the_commands(cli, tmp_path):
    one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    shell = cli("data", "export", "distance", "--size", "4,5", "--count", 9, "--seed", 3, "--out", one, "--json").json
    facts = export_data(Distance, two, sizes=[4, 5], count=9, seed=3)
    assert {**facts, "out": None} == {**shell, "out": None}
    assert one.read_bytes() == two.read_bytes()
    assert describe_data(one) == cli("data", "describe", one, "--json").json
    assert describe_data("distance") == cli("data", "describe", "distance", "--json").json
    graphs = to_networkx_graphs(Distance().generate(4, 5, np.random.default_rng(0)))
    assert describe_data(graphs)["graphs"] == 5
    with pytest.raises(GraphFSAError, match="split must be one of train, validation, test, learn; got 'all'"):
        export_data("distance", two, split="all")
