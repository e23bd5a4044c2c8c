import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from graphfsa import AverageThresholdAggregation, CountingAggregation, GraphFSA, library


@pytest.mark.parametrize(
    ("suffix", "begin"),
    [(".svg", b"<svg"), (".png", b"\x89PNG"), (".dot", b"digraph"), (".tex", b"% Needs"), (".mmd", b"flowchart")],
)
def test_the_suffix_is_the_format(cli, tmp_path, suffix, begin):
    out = tmp_path / f"x{suffix}"
    answer = cli("draw", "distance", "--out", out)
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert out.read_bytes().startswith(begin)


def test_the_figures_of_the_paper(cli, tmp_path):
    """The complete diagram of Distance, and the partial ones of both starting states."""
    out = tmp_path / "x.svg"
    facts = cli("draw", "distance", "--out", out, "--json").json
    assert facts["states"] == ["even", "odd", "node", "root"]
    assert (facts["start"], facts["file"]) == (None, str(out))
    assert {(arrow["state"], arrow["next"], arrow["count"]) for arrow in facts["arrows"]} == {
        ("node", "even", None),
        ("node", "odd", None),
        ("node", "node", None),
        ("root", "even", None),
    }
    facts = cli("draw", "distance", "--partial", "root", "--task", "distance", "--out", out, "--json").json
    assert (facts["start"], facts["states"]) == ("root", ["even", "root"])
    (arrow,) = facts["arrows"]
    assert arrow["count"] == facts["nodes"] == facts["graphs"]
    facts = cli("draw", "distance", "--partial", "node", "--task", "distance", "--out", out, "--json").json
    assert {arrow["next"]: arrow["if"] for arrow in facts["arrows"]} == {
        "even": ["some neighbour is odd"],
        "odd": ["some neighbour is even"],
        "node": ["otherwise"],
    }
    ET.parse(out)


def test_partial_on_a_file_of_ones_own(cli, tmp_path):
    data = tmp_path / "mine.jsonl"
    graph = {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "inputs": ["root", "node", "node"], "steps": 3}
    data.write_text(json.dumps({**graph, "labels": ["even", "odd", "even"]}) + "\n")
    facts = cli("draw", "distance", "--partial", "node", "--data", data, "--out", tmp_path / "x.svg", "--json").json
    assert {arrow["next"]: arrow["count"] for arrow in facts["arrows"]} == {"node": 3, "odd": 1, "even": 1}


def test_what_has_no_short_condition_is_said(cli, tmp_path):
    table = np.random.default_rng(0).integers(0, 6, (6, 64))
    GraphFSA([f"s{k}" for k in range(6)], CountingAggregation(bound=1), table).save(tmp_path / "m.json")
    answer = cli("draw", tmp_path / "m.json", "--out", tmp_path / "x.svg")
    assert answer.code == 0
    assert "arrows have no short condition; 'graphfsa rules'" in answer.err


def test_bad_requests_are_one_line_and_write_nothing(cli, tmp_path):
    library.distance().save(tmp_path / "m.dot")
    names = [f"s{k}" for k in range(30)]
    GraphFSA(names, AverageThresholdAggregation({0: (0.5,)}), [[k, k] for k in range(30)]).save(tmp_path / "l.json")
    out = tmp_path / "x.svg"
    for arguments, words in [
        (("nobody", "--out", out), "unknown automaton 'nobody'"),
        (("nobody", "--out", tmp_path / "x.pdf"), "must end in .svg or .png or .dot or .tex or .mmd"),
        (("nobody", "--out", tmp_path / "no" / "x.svg"), "there is no directory"),
        (("nobody", "--out", tmp_path), "must end in"),
        ((tmp_path / "m.dot", "--out", tmp_path / "m.dot"), "would overwrite the model"),
        (("life", "--out", out, "--layout", "neato"), "unknown layout 'neato'"),
        (("life", "--out", out, "--task", "distance"), "go with --partial"),
        (("distance", "--out", out, "--partial", "root"), "--partial needs graphs"),
        (("distance", "--out", out, "--partial", "root", "--task", "distance", "--data", "x"), "give either"),
        (("distance", "--out", out, "--partial", "leaf", "--task", "distance"), "must be one of even, odd, node, root"),
        (("distance", "--out", out, "--partial", "even", "--task", "distance"), "no node of these graphs starts in"),
        (("distance", "--out", out, "--partial", "root", "--task", "distanc"), "did you mean 'distance'?"),
        (("distance", "--out", out, "--option", "a=b"), "--option goes with --task"),
        (("distance", "--out", out, "--steps", 3), "--steps goes with --data"),
        ((tmp_path / "l.json", "--out", out), "30 states can't be read; the limit is 24 states. Draw only"),
    ]:
        answer = cli("draw", *arguments)
        assert (answer.code, answer.out) == (2, ""), arguments
        assert words in answer.err
        assert answer.err.count("\n") == 1
    assert not out.exists()
