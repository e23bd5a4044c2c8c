import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from graphfsa import AverageThresholdAggregation, CountingAggregation, GraphFSA, library


@pytest.mark.parametrize(
    ("suffix", "begin"),
    [
        (".svg", b"<svg"),
        (".png", b"\x89PNG"),
        (".pdf", b"%PDF"),
        (".dot", b"digraph"),
        (".tex", b"% Needs"),
        (".mmd", b"flowchart"),
    ],
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


def test_entries_that_graphs_never_use_are_left_free_as_in_the_rules(cli, tmp_path):
    """An automaton that does something odd where no tree leads it: neither the diagram nor the rules speak of it."""
    fsa = library.distance()
    table = fsa.transition_table.copy()
    table[2, fsa.aggregation.encode([0, 1, 3], [], 4)] = 2
    GraphFSA(fsa.state_names, fsa.aggregation, table, starting_states=[2, 3], final_states=[0, 1]).save(
        tmp_path / "m.json"
    )
    data = tmp_path / "mine.jsonl"
    graph = {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "inputs": ["root", "node", "node"], "steps": 3}
    data.write_text(json.dumps({**graph, "labels": ["even", "odd", "even"]}) + "\n")
    out = tmp_path / "x.svg"
    whole = cli("draw", tmp_path / "m.json", "--out", out, "--json").json
    assert whole["free_entries"] == 0
    assert "never used" not in out.read_text()
    for source in (("--task", "distance"), ("--data", data)):
        drawn = cli("draw", tmp_path / "m.json", "--out", out, *source, "--json").json
        said = cli("rules", tmp_path / "m.json", *source, "--json").json
        assert drawn["free_entries"] == said["free_entries"] > 0
        words = re.sub("</tspan><tspan[^>]*>", " ", out.read_text())  # Where lines are broken depends on the layout.
        assert f"{drawn['free_entries']} of 32 entries are never used by these graphs" in words
        assert drawn["states"] == list(fsa.state_names)
        assert {arrow["next"]: arrow["if"] for arrow in drawn["arrows"] if arrow["state"] == "node"} == {
            rule["next"]: [rule["if"] or "otherwise"] for rule in said["rules"] if rule["state"] == "node"
        }
    everything = cli("draw", tmp_path / "m.json", "--out", out, "--complete", "--json").json
    assert everything == whole


def test_own_colours(cli, tmp_path):
    out = tmp_path / "x.svg"
    assert cli("draw", "life", "--out", out, "--colours", "alive=#d00,dead=gold").code == 0
    states = [node[0].attrib["fill"] for node in groups(out, "state")]
    assert states == ["#ffd700", "#dd0000"]


def groups(path, kind):
    root = ET.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    return [group.findall(f"{space}rect") for group in root.iter(f"{space}g") if group.get("class") == kind]


def test_partial_on_the_graphs_of_the_task_that_a_library_automaton_is_for(cli, tmp_path):
    given, own = (
        cli("draw", "distance", "--partial", "node", *task, "--out", tmp_path / "x.svg", "--json").json
        for task in (("--task", "distance"), ())
    )
    assert given["arrows"] == own["arrows"]


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
        (("nobody", "--out", tmp_path / "x.gif"), "must end in .svg, .png, .pdf, .dot, .tex or .mmd"),
        (("nobody", "--out", tmp_path / "no" / "x.svg"), "there is no directory"),
        (("nobody", "--out", tmp_path), "must end in"),
        ((tmp_path / "m.dot", "--out", tmp_path / "m.dot"), "would overwrite the model"),
        (("life", "--out", out, "--layout", "neato"), "unknown layout 'neato'"),
        (("rule110", "--out", out, "--partial", "0"), "--partial needs graphs"),
        (("distance", "--out", out, "--partial", "root", "--task", "distance", "--data", "x"), "not both"),
        (("distance", "--out", out, "--complete", "--task", "distance"), "--complete goes without --task and --data"),
        (("distance", "--out", out, "--complete", "--partial", "root"), "--complete goes without --partial"),
        (("life", "--out", out, "--colours", "alive"), "colours must look like STATE=COLOUR,STATE=COLOUR; got 'alive'"),
        (("life", "--out", out, "--colours", "alife=red"), "unknown state 'alife' (did you mean 'alive'?)"),
        (("life", "--out", out, "--colours", "alive=reddish"), "the colour of state 'alive' must be #rgb, #rrggbb or"),
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


def test_value_vectors_at_arrows(cli, tmp_path):
    told = cli("draw", "distance", "--labels", "values", "--out", tmp_path / "d.svg", "--json").json
    text = (tmp_path / "d.svg").read_text()
    assert [arrow["vectors"] for arrow in told["arrows"] if arrow["state"] == "root"] == [["[*,*,*,*]"]]
    for arrow in told["arrows"]:
        assert all(vector in text for vector in arrow["vectors"])
    refused = cli("draw", "distance", "--labels", "x", "--out", tmp_path / "e.svg")
    assert refused.code == 2
    assert "words" in refused.err
    assert not (tmp_path / "e.svg").exists()


def test_automata_that_move_at_random(cli, tmp_path):
    assert cli("draw", "sir", "--out", tmp_path / "sir.svg").code == 0
    assert "0.1" in (tmp_path / "sir.svg").read_text()
    answer = cli("draw", "sir", "--out", tmp_path / "no.svg", "--partial", "ill")
    assert (answer.code, "go with automata without probabilities" in answer.err) == (2, True)
    assert not (tmp_path / "no.svg").exists()
