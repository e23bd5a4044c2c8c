import json

import pytest

from graphfsa.datasets import dataset_names

SIZES = {"life": "16", "hex-life": "16", "wireworld": "16", "brians-brain": "16"}


def test_list_and_describe(cli):
    listed = cli("data", "list", "--json").json
    assert set(listed) == set(dataset_names())
    assert all(name in cli("data", "list").out for name in listed)
    for name in listed:
        facts = cli("data", "describe", name, "--json").json
        assert {"inputs", "classes", "options", "splits"} <= facts.keys()
        assert cli("data", "describe", name).code == 0


@pytest.mark.parametrize("name", dataset_names())
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
    options = ["--option", "aggregation=positional", "--option", "truth=sparse"]
    facts = cli("grab", "generate", "ring", *options, "--out", tmp_path / "d", "--json").json
    assert facts["graphs"]["ood"] == 100


def test_grab_options_and_covering(cli, tmp_path):
    options = ["--option", "num-states=5", "--option", "truth-seed=9"]
    facts = cli("grab", "generate", "--family", "path", *options, "--covering", "--out", tmp_path / "d", "--json").json
    assert facts["graphs"]["train"] >= 1000
    assert json.loads((tmp_path / "d" / "manifest.json").read_text())["config"]["grab"]["num_states"] == 5


BAD = [
    (["data", "describe", "nothing"], "prefix-sum"),
    (["data", "export", "life", "--size", "7", "--out", "x.jsonl"], "try 6 (2 x 3) or 8 (2 x 4)"),
    (["data", "export", "life", "--size", "x", "--out", "x.jsonl"], "2..10"),
    (["data", "export", "life", "--size", "9..2", "--out", "x.jsonl"], "must rise"),
    (["data", "export", "life", "--split", "all", "--out", "x.jsonl"], "train, validation, test"),
    (["data", "export", "life", "--option", "torus", "--out", "x.jsonl"], "key=value"),
    (["data", "export", "life", "--out", "x.txt"], ".jsonl"),
    (["data", "export", "path-finding", "--size", "1", "--out", "x.jsonl"], "at least 2 nodes"),
    (["grab", "generate", "paper-9", "--out", "d"], "paper-1"),
    (["grab", "generate", "--out", "d"], "--family"),
    (["grab", "generate", "paper-1", "--family", "path", "--out", "d"], "either"),
    (["grab", "generate", "regular", "--option", "family=grid", "--out", "d"], "--family"),
    (["grab", "generate", "regular", "--option", "keep=300", "--out", "d"], "belongs to each split"),
    (["grab", "generate", "paper-1", "--option", "num-states=1000000000", "--out", "d"], "1 to 256 states"),
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
