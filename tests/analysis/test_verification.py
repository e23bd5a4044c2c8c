"""Verification of whole classes of graphs: what is right passes, what is wrong is shown, and files can be redone."""

import json

import networkx as nx
import numpy as np
import pytest

from graphfsa import GraphFSA, library, run
from graphfsa.analysis import instances
from graphfsa.analysis.verification import load_certificate, recheck, save_certificate, verify
from graphfsa.datasets import dataset_class
from graphfsa.errors import FormatError, GraphFSAError, LimitError, UnknownNameError
from graphfsa.graphs import to_networkx


def task(name, **options):
    return dataset_class(name).from_options(options)


def changed(fsa, state, value, target):
    """The automaton with one entry of its table changed; in path-finding (2, 9) is a node that sees one node alone."""
    table = fsa.transition_table.copy()
    assert table[state, value] != target
    table[state, value] = target
    return GraphFSA(
        fsa.state_names,
        fsa.aggregation,
        table,
        starting_states=fsa.starting_states,
        final_states=fsa.final_states,
    )


@pytest.mark.parametrize(
    ("name", "options", "max_nodes", "graphs", "instances"),
    [
        # Trees of 2 to 9 nodes with every pair of marks.
        ("path-finding", {}, 9, 94, 1 + 3 + 2 * 6 + 3 * 10 + 6 * 15 + 11 * 21 + 23 * 28 + 47 * 36),
        ("path-finding", {"colours": "2"}, 5, 7, 2 + 6 + 2 * 12 + 3 * 20),
        ("distance", {}, 6, 143, 1 + 2 + 2 * 3 + 6 * 4 + 21 * 5 + 112 * 6),
        ("distance", {"graphs": "tree"}, 6, 14, 1 + 2 + 3 + 8 + 15 + 36),
        ("root-value", {}, 30, 30, 2 + 29 * 4),
        ("prefix-sum", {}, 6, 6, 2 + 2 * (4 + 8 + 16 + 32 + 64)),
        ("elementary", {"rule": "110"}, 8, 8, 2**9 - 2),
        ("elementary", {"rule": "110", "ring": "true"}, 8, 8, 2**9 - 2),
        ("life", {}, 9, 4, 16 + 64 + 256 + 512),
        ("wireworld", {}, 6, 2, 4**4 + 4**6),
        ("grab", {"family": "cycle"}, 5, 3, 8 + 16 + 32),
    ],
)
def test_what_is_right_is_verified_on_everything(name, options, max_nodes, graphs, instances):
    dataset = task(name, **options)
    calls = []
    found = verify(dataset.automaton(), dataset, max_nodes, progress=lambda *call: calls.append(call))
    assert found.verified
    assert found.counterexample is None
    assert (found.graphs, found.instances) == (graphs, instances)
    assert sum(count.instances for count in found.sizes) == instances
    assert [count.size for count in found.sizes] == sorted(count.size for count in found.sizes)
    assert calls[-1] == (instances, instances)


@pytest.mark.slow
def test_path_finding_up_to_sixteen_nodes():
    assert verify(library.path_finding(), task("path-finding"), 16).verified


def test_a_changed_entry_is_found_and_the_counterexample_is_wrong_and_smallest():
    """Every entry that small trees use is changed in turn; the others must stay verified."""
    dataset, right = task("path-finding"), library.path_finding()
    examples = dataset.generate_split(dataset.splits["train"], np.random.default_rng(0))
    start = dataset.task.starting_states(right, examples.inputs)
    used = run(right, examples.graphs.graph, start, 20, entries=True).entries
    found_wrong = 0
    for state, value in np.argwhere(used > 0):
        if state in right.final_states:
            continue
        for target in set(range(right.num_states)) - {int(right.transition_table[state, value])}:
            wrong = changed(right, state, value, target)
            found = verify(wrong, dataset, 6)
            if found.verified:
                continue
            found_wrong += 1
            example = found.counterexample
            names = example.inputs
            first, second = (node for node, name in enumerate(names) if name == "marked")
            on = nx.shortest_path(to_networkx(example.graph), first, second)
            assert [node for node, name in enumerate(example.labels) if name == "on"] == sorted(on)
            states = [wrong.state_names.index(name) for name in names]
            last = run(wrong, example.graph, states, example.steps).last
            answers = [wrong.state_names[state] if state < 2 else None for state in last]
            assert tuple(answers) == example.predictions != example.labels
            size = example.graph.num_nodes
            assert size == found.sizes[-1].size
            assert size == 2 or verify(wrong, dataset, size - 1).verified
            assert found.instances == sum(count.instances for count in found.sizes)
    assert found_wrong > 20


def test_the_first_wrong_instance_is_shown():
    """Rule 42 with 111 -> 1 is wrong first on the row 1 1 1."""
    wrong = library.elementary(42 | 128)
    found = verify(wrong, task("elementary"), 6)
    example = found.counterexample
    assert (example.inputs, example.labels, example.predictions) == (("1",) * 3, ("1", "0", "0"), ("1", "1", "0"))
    assert found.instances == 2 + 4 + 8
    assert (found.graphs, example.steps) == (3, 1)


def test_one_step_stands_for_all():
    """An automaton that is verified after one step is right after many."""
    dataset = task("elementary", rule="30", ring="true")
    assert verify(library.elementary(30), dataset, 7).verified
    for steps in (2, 5, 50):
        assert dataset.generate(7, 50, np.random.default_rng(0), steps=steps).accuracy(library.elementary(30)) == 1


def test_another_class_of_graphs():
    dataset = task("distance")
    assert verify(library.distance(), dataset, 12, graph_class="cycle").graphs == 10
    assert verify(library.path_finding(), task("path-finding"), 20, graph_class="path").verified
    assert verify(library.elementary(42), task("elementary"), 6, graph_class="ring").verified


def test_portions_do_not_change_the_result(monkeypatch):
    dataset = task("path-finding")
    whole = verify(library.path_finding(), dataset, 7)
    wrong = changed(library.path_finding(), 2, 9, 1)
    first = verify(wrong, dataset, 7)
    assert not first.verified
    for nodes in (1, 20, 300):
        monkeypatch.setattr(instances, "CHUNK_NODES", nodes)
        part = verify(library.path_finding(), dataset, 7)
        assert (part.sizes, part.verified) == (whole.sizes, True)
        again = verify(wrong, dataset, 7)
        assert (again.sizes, again.counterexample) == (first.sizes, first.counterexample)


@pytest.mark.parametrize(
    ("name", "max_nodes", "options", "kind", "words"),
    [
        ("path-finding", 1, {}, GraphFSAError, "no instances"),
        ("life", 3, {}, GraphFSAError, "no instances"),
        ("path-finding", 0, {}, GraphFSAError, "an integer >= 1; got 0"),
        ("path-finding", -5, {}, GraphFSAError, "got -5"),
        ("path-finding", "9", {}, GraphFSAError, "got '9'"),
        ("path-finding", 10**30, {}, LimitError, "at most 16"),
        ("distance", 9, {}, LimitError, "at most 8"),
        ("life", 10**9, {}, LimitError, "at most 23"),
        ("elementary", 10**9, {}, LimitError, "at most 22"),
        ("prefix-sum", 10**9, {}, LimitError, "at most 21"),
        ("root-value", 10**9, {}, LimitError, "above 1,073,741,824. Choose max_nodes of at most"),
        ("path-finding", 5, {"graph_class": "wheel"}, UnknownNameError, "connected, cycle"),
        ("path-finding", 5, {"graph_class": "connected"}, GraphFSAError, "defined on trees"),
        ("root-value", 5, {"graph_class": "tree"}, GraphFSAError, "defined on paths"),
        ("life", 5, {"graph_class": "tree"}, GraphFSAError, "defined on boards"),
        ("elementary", 5, {"graph_class": "path"}, GraphFSAError, "left and a right slot"),
    ],
)
def test_what_can_not_be_verified_is_refused(name, max_nodes, options, kind, words):
    dataset = task(name)
    with pytest.raises(kind) as caught:
        verify(dataset.automaton(), dataset, max_nodes, **options)
    assert words in str(caught.value)


def test_an_automaton_of_another_task_is_refused():
    with pytest.raises(GraphFSAError, match=r"path-finding has the classes off, on, .* its final states are 0, 1"):
        verify(library.root_value(), task("path-finding"), 4)


def certified(tmp_path):
    dataset, fsa = task("path-finding", colours="2"), library.path_finding(colours=2)
    file = tmp_path / "c.json"
    save_certificate(verify(fsa, dataset, 5), fsa, file, dataset)
    return file, dataset, fsa


def test_a_certificate_can_be_redone(tmp_path):
    file, dataset, fsa = certified(tmp_path)
    said = load_certificate(file)
    assert (said.dataset, said.max_nodes, said.graph_class) == (dataset, 5, "tree")
    result = recheck(file, fsa)
    assert (result.agrees, result.differences) == (True, ())
    content = json.loads(file.read_text())
    assert (content["schema"], content["kind"], content["task"]) == (
        "graphfsa.certificate/1",
        "verification",
        "path-finding",
    )
    assert content["instances"] == 2 + 6 + 24 + 60
    again = tmp_path / "again.json"
    save_certificate(verify(fsa, dataset, 5), fsa, again, dataset)
    assert again.read_bytes() == file.read_bytes()


def test_a_certificate_does_not_hold_for_a_wrong_automaton(tmp_path):
    file, _, fsa = certified(tmp_path)
    result = recheck(file, changed(fsa, 2, 9, 1))
    assert not result.agrees
    assert any("automaton" in words for words in result.differences)
    assert any("result" in words for words in result.differences)


def test_only_what_is_right_is_certified(tmp_path):
    dataset, wrong = task("path-finding"), changed(library.path_finding(), 2, 9, 1)
    with pytest.raises(GraphFSAError, match="counterexample"):
        save_certificate(verify(wrong, dataset, 5), wrong, tmp_path / "c.json", dataset)
    assert not (tmp_path / "c.json").exists()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda c: c.update(digest="0" * 64), "digest of what was checked"),
        (lambda c: c.update(automaton="0" * 64), "digest of the automaton"),
        (lambda c: c.update(max_nodes=4), "counts of the sizes"),
        (lambda c: c["options"].update(trees="deep"), None),
    ],
)
def test_a_certificate_that_says_something_else_is_noticed(tmp_path, change, what):
    file, _, fsa = certified(tmp_path)
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    result = recheck(file, fsa)
    # How trees are drawn is no part of what was checked: all of them were.
    assert result.agrees == (what is None)
    assert what is None or any(what in words for words in result.differences)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.update(schema="x"), "schema"),
        (lambda c: c.update(kind="proof"), "kind"),
        (lambda c: c.update(task="nothing"), "unknown data set"),
        (lambda c: c.update(options={"colour": "1"}), "unknown option"),
        (lambda c: c.update(options={"colours": [1]}), "option colours must be an int"),
        (lambda c: c.update(options=[]), "'options' must be an object"),
        (lambda c: c.update(max_nodes="5"), "'max_nodes' must be an integer >= 1; got '5'"),
        (lambda c: c.update(max_nodes=True), "'max_nodes'"),
        (lambda c: c.update(instances=7), "'instances' must be the sum"),
        (lambda c: c.update(sizes=[1, 2]), r"sizes\[0\]"),
        (lambda c: c["sizes"][1].update(graphs="x"), r"sizes\[1\]"),
        (lambda c: c.pop("digest"), "'digest'"),
    ],
)
def test_corrupt_certificates_are_refused(tmp_path, change, words):
    file, _, _ = certified(tmp_path)
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    with pytest.raises(FormatError, match=words):
        load_certificate(file)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "\x00", '{"schema": NaN}'])
def test_files_that_are_no_certificates_are_refused(tmp_path, text):
    file = tmp_path / "c.json"
    file.write_text(text)
    with pytest.raises(GraphFSAError, match=r"c\.json"):
        load_certificate(file)
    with pytest.raises(GraphFSAError, match="nowhere"):
        load_certificate(tmp_path / "nowhere.json")
