"""Certificates in words: nothing of them is left out, and nothing else is said."""

import re

import pytest

from graphfsa import library
from graphfsa.errors import GraphFSAError
from graphfsa.learners import as_model
from graphfsa.proofs import explain, prove
from graphfsa.proofs._contract_words import contract_points
from graphfsa.proofs._lists import listed
from graphfsa.proofs._wave_words import wave_points
from graphfsa.proofs.tree_certificate import Facts

TREES = ["path-finding", "prefix-sum", "root-value"]


def _named(point):
    """The pairs of messages at the head of a sentence."""
    head = point.partition(" starts in ")[0]
    pairs = set()
    for clause in re.findall(r"sends (.*?) and receives ((?:`[^`]*`(?:, | or )?)+)", head):
        sends, is_sent = (re.findall("`([^`]*)`", part) for part in clause)
        pairs |= {(one, two) for one in sends for two in is_sent}
    return pairs


@pytest.mark.parametrize("name", TREES)
def test_every_contract_is_in_one_sentence(name):
    proof = prove(name)
    messages = [str(message) for message in proof.statement.table.messages]
    points = [point for part in explain(proof, name) for point in part.points]
    (contracts,) = proof.certificate["rounds"]
    named = [_named(point) for point in points]
    assert set.union(*named) == {(messages[c["sends"]], messages[c["is_sent"]]) for c in contracts}
    assert sum(map(len, named)) == len(contracts)
    for contract in contracts:  # Every state in which the neighbour can be is in the sentence of its contract.
        pair = messages[contract["sends"]], messages[contract["is_sent"]]
        (point,) = (point for point in points if pair in _named(point))
        states = {place[-1][0] for place in (*contract["begins"], *contract["recurs"])}
        states |= {after[0] for _, after in contract["moves"]}
        tail = point.partition(" starts in ")[2]
        assert {as_model(name).automaton.state_names[state] for state in states} <= set(re.findall("`([^`]*)`", tail))


def test_a_contract_reads_as_it_is():
    names = ["a", "b", "c"]
    still = Facts(frozenset({((0, 1),)}), {}, frozenset({((0, 1),)}))
    turns = Facts(
        frozenset({((0, 1),), ((0, 2),)}),
        {((0, 1),): frozenset({((1, 2),)}), ((0, 2),): frozenset({((0, 1),)})},
        frozenset({((1, 2),)}),
    )
    points = contract_points({(0, 0): still, (0, 1): turns, (1, 1): still, (1, 0): still}, names, ["x", "y"])
    assert points == [
        "A neighbour that sends `x` and receives `x`, or sends `y` and receives `x` or `y`, starts in `a` and "
        "never changes.",
        "A neighbour that sends `x` and receives `y` starts in `a`, may change from `a` to `b` (while the node is "
        "in `b`), and ends in `b`.",
    ]


def test_waves_say_where_a_node_is_before_and_after():
    words = prove("distance").words("distance")
    assert "`root` at distance 0 (class `even`) is in `root` at step 0, and in `even` from step 1 on." in words
    assert "at distance 1, 3, 5, ... (class `odd`) is in `node` up to step d, and in `odd` from step d + 1 on." in words
    assert "From step d + 1 on" in words


def test_waves_keep_every_state_of_every_class():
    proof = prove("distance")
    table, facts = proof.statement.table, proof.certificate
    sets = [list(row) for row in facts["sets"]]
    sets[-1][-1] = [[2], [2, 3], [0], [0]]  # A state that only nodes with some neighbours have is told of all.
    point = wave_points(facts | {"sets": sets}, library.distance().state_names, table)[-1]
    assert "is in `node` up to step d - 1, in `node` or `root` at step d, and in `even` from step d + 1 on." in point


def test_boards_count_all_cases():
    proof = prove("life")
    points = [point for part in explain(proof, "life") for point in part.points]
    counts = [int(re.search(r"(\d+) cases", point)[1]) for point in points]
    assert sum(counts) == proof.certificate["moves"]
    for point, count in zip(points, counts, strict=True):
        assert sum(map(int, re.findall(r"in (\d+)", point))) == count


def test_what_is_wrong_is_named():
    fsa = library.path_finding()
    wrong = fsa.with_entry("marked", 0, "off")
    for value in range(1, fsa.num_values):
        wrong = wrong.with_entry("marked", value, "off")
    proof = prove(wrong, "path-finding")
    assert proof.verdict == "refuted"
    example, words = proof.counterexample, proof.words(wrong)
    node = next(k for k, (a, b) in enumerate(zip(example.labels, example.predictions, strict=True)) if a != b)
    assert f"node {node} (input `{example.inputs[node]}`)" in words
    assert "This is false" in words
    assert "at most" not in words
    with pytest.raises(GraphFSAError, match="digests differ"):
        proof.words(fsa)


def test_long_lists_are_cut():
    assert listed(list("abc"), "and") == "a, b and c"
    assert listed(list("abcdefghijklmnopqrst"), "or").endswith("k, l and 8 more")


def test_long_conditions_are_told_by_their_exceptions():
    moves = {((0, beside),): frozenset({((1, beside),)}) for beside in (1, 2, 3)}
    facts = Facts(frozenset({((0, 0),)}), moves, frozenset({((1, 1),)}))
    (point,) = contract_points({(0, 0): facts}, ["a", "b", "c", "d"], ["x"])
    assert "from `a` to `b` (unless the node is in `a`)" in point
