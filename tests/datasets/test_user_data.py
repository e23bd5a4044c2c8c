"""The user's own graphs: what is read is what was meant, and every mistake is named with its line and field."""

import json
import os
import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphfsa.datasets import (
    Examples,
    Task,
    _jsonl,
    as_examples,
    from_networkx_graphs,
    from_pyg_data,
    read_jsonl,
    to_networkx_graphs,
    to_pyg_data,
    write_jsonl,
)
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch
from strategies import plain_graphs, slotted_graphs

GOOD = {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "inputs": ["root", "other", "other"], "labels": [0, 1, 0]}
ARCS = GOOD | {"directed": True, "slots": [0, 1]}
TASK = Task("your data", "classes", ("other", "root"), ("0", "1", "2"))


def written(path, *lines):
    """A file with these lines: objects, or text as it is."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path):
    return tmp_path / "data.jsonl"


def covering(task, graphs, rng, **options):
    """Random examples in which every input and class occurs."""
    batch = GraphBatch.of([*graphs, Graph.from_edges(256, [])])
    nodes, spare = batch.graph.num_nodes, np.arange(256)
    columns = []
    for names in (task.inputs, task.classes):
        values = rng.integers(0, len(names), nodes)
        values[-256:] = spare % len(names)
        columns.append(values)
    return Examples(task, batch, *columns, **options)


def test_the_example_of_the_documentation(file):
    data = read_jsonl(written(file, GOOD, "", "  \t", GOOD | {"steps": 7, "mask": [True, False, True]}))
    assert data.lines.tolist() == [1, 4]
    assert data.source == str(file)
    examples = data.examples
    assert examples.task == Task("your data", "classes", ("other", "root"), ("0", "1"))
    assert examples.inputs.tolist() == [1, 0, 0] * 2
    assert examples.labels.tolist() == [0, 1, 0] * 2
    assert examples.mask.tolist() == [True] * 3 + [True, False, True]
    assert examples.steps.tolist() == [8, 7]
    assert examples.graphs.graphs() == [Graph.from_edges(3, [(0, 1), (1, 2)])] * 2


def test_directions_slots_and_isolated_nodes(file):
    lone = {"num_nodes": 1, "edges": [], "inputs": ["root"], "labels": [1]}
    empty = {"num_nodes": 0, "edges": [], "inputs": [], "labels": []}
    graphs = read_jsonl(written(file, ARCS, lone, empty)).examples.graphs.graphs()
    assert graphs[0] == Graph.from_edges(3, [(0, 1), (1, 2)], directed=True, slots=[0, 1])
    assert [graph.num_nodes for graph in graphs] == [3, 1, 0]
    looped = GOOD | {"edges": [[1, 1], [0, 1], [0, 1]]}
    graphs = read_jsonl(written(file, looped, looped | {"directed": True})).examples.graphs.graphs()
    assert graphs[0] == Graph.from_edges(3, [(1, 1), (0, 1), (0, 1)])
    assert graphs[1] == Graph.from_edges(3, [(1, 1), (0, 1), (0, 1)], directed=True)


def test_an_evolution_has_one_set_of_states(file):
    line = GOOD | {"inputs": ["b", "b", "c"], "labels": ["a", "b", "b"]}
    examples = read_jsonl(written(file, line, line | {"steps": 2}), steps=5).examples
    assert examples.task == Task("your data", "evolution", ("a", "b", "c"), ("a", "b", "c"))
    assert examples.inputs.tolist() == [1, 1, 2] * 2
    assert examples.labels.tolist() == [0, 1, 1] * 2
    assert examples.steps.tolist() == [5, 2]


def test_names_are_in_order(file):
    inputs = ["b", 10, 9, -1, 2.5, True, "a", "é"]
    line = {"num_nodes": 8, "edges": [], "inputs": inputs, "labels": [10, 9, 0.5, -3, 9, 9, 9, 9]}
    task = read_jsonl(written(file, line)).examples.task
    assert task.inputs == ("True", "-1", "2.5", "9", "10", "a", "b", "é")
    assert task.classes == ("-3", "0.5", "9", "10")


def test_a_byte_order_mark_and_other_line_ends(file):
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n\r\n" + json.dumps(GOOD).encode())
    assert read_jsonl(file).lines.tolist() == [1, 3]


BAD_FIELDS = [
    *[({name: None}, f"line 2: field '{name}' must be") for name in GOOD],
    ({"num_nodes": -1}, "line 2: field 'num_nodes' must be at least 0"),
    ({"num_nodes": True}, "line 2: field 'num_nodes' must be an integer; got True"),
    ({"num_nodes": 3.0}, "line 2: field 'num_nodes' must be an integer; got 3.0"),
    ({"num_nodes": 10**300}, "line 2: field 'num_nodes' must be at least 0 and at most"),
    ({"num_nodes": 4}, "line 2: field 'inputs' must have one entry per node, 4; got 3"),
    ({"labels": [0, 1]}, "line 2: field 'labels' must have one entry per node, 3; got 2"),
    ({"mask": [True]}, "line 2: field 'mask' must have one entry per node, 3; got 1"),
    ({"mask": [True, 1, True]}, "line 2: mask[1] must be true or false; got int"),
    ({"edges": [[0, 1], [1, 3]]}, "line 2: edges[1] must hold integers >= 0 and < 3; got 3"),
    ({"edges": [[0, -1]]}, "line 2: edges[0] must hold"),
    ({"edges": [[0, 1.0]]}, "line 2: edges[0] must hold"),
    ({"edges": [[0, 1, 2]]}, "line 2: edges[0] must be a pair of nodes"),
    ({"edges": [0, 1]}, "line 2: edges[0] must be a pair of nodes"),
    ({"edges": [[0, 10**40]]}, "line 2: edges[0] must hold"),
    ({"labels": [0, "1", 0]}, "line 2: labels[1] must be a number (0) as the labels before it; got '1'"),
    ({"labels": [0, True, 0]}, "line 2: labels[1] must be a number"),
    ({"labels": [0, 1.0, 0]}, "line 2: labels[1] must be written as before, 1; got 1.0"),
    ({"labels": [0, None, 0]}, "line 2: labels[1] must be a string, a number, true or false; got null"),
    ({"inputs": ["root", ["x"], "x"]}, "line 2: inputs[1] must be a string, a number, true or false; got a list"),
    ({"inputs": ["root", {}, "x"]}, "line 2: inputs[1] must be a string, a number, true or false; got an object"),
    ({"inputs": [1, "1", 0]}, "line 2: inputs[1] must not have the name of another of the inputs; '1' and 1 are both"),
    ({"inputs": ["x" * 1001] * 3}, "line 2: inputs[0] must have at most 1000 characters"),
    ({"inputs": ["\ud800"] * 3}, "line 2: not JSON that can be read: a string has half of a surrogate pair"),
    ({"steps": -1}, "line 2: field 'steps' must be an integer from 0 to 2^62 - 1"),
    ({"steps": 2**62}, "line 2: field 'steps' must be an integer from 0 to 2^62 - 1"),
    ({"steps": 1.5}, "line 2: field 'steps' must be an integer; got 1.5"),
    ({"directed": 1}, "line 2: field 'directed' must be true or false; got 1"),
    ({"slots": [0, 1]}, "line 2: field 'slots' belongs to arcs; 'directed' must be true"),
    ({"slots": [0], "directed": True}, "line 2: field 'slots' must have one entry per edge, 2; got 1"),
    ({"slots": [0, 256], "directed": True}, "line 2: slots[1] must hold"),
    ({"slots": [0, 1], "directed": True}, "line 2: field 'slots' must be given for all graphs or for none; line 1"),
    ({"slots": [1, 1], "directed": True, "edges": [[0, 1], [2, 1]]}, "line 2: slots[0] must be used once by node 1"),
    ({"lable": []}, "line 2: unknown field 'lable'; the fields are num_nodes"),
]


@pytest.mark.parametrize(("change", "words"), BAD_FIELDS, ids=[words[8:60] for _, words in BAD_FIELDS])
def test_a_bad_field_is_named(file, change, words):
    with pytest.raises(FormatError) as error:
        read_jsonl(written(file, GOOD, GOOD | change))
    assert str(error.value).startswith(f"{file}: {words}")
    assert len(str(error.value)) < 400 + len(str(file))


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_field_is_named(file, name):
    line = {key: value for key, value in GOOD.items() if key != name}
    with pytest.raises(FormatError, match=f"line 1: field '{name}' is missing"):
        read_jsonl(written(file, line))


TEXT = json.dumps(GOOD)
BAD_LINES = [
    (b"", "must hold at least one graph; it is empty"),
    (b"\n \n\n", "must hold at least one graph; it is empty"),
    (f"{TEXT}\n{TEXT[:-9]}".encode(), "line 2: not JSON"),
    (f"{TEXT}\n{TEXT[:-9]}".encode(), "is it cut off?"),
    (b"\n\n[1, 2]\n", "line 3: must be an object with the fields num_nodes, edges, inputs, labels; got [1, 2]"),
    (b"3\n", "line 1: must be an object"),
    (TEXT.replace("[0, 1, 0]", "[0, NaN, 0]").encode(), "line 1: not JSON that can be read: NaN is not a JSON number"),
    (TEXT.replace("[0, 1, 0]", "[0, 1e999, 0]").encode(), "line 1: not JSON that can be read: 1e999 is too large"),
    (TEXT.replace("[0, 1, 0]", "[0, " + "9" * 5000 + ", 0]").encode(), "line 1: not JSON that can be read"),
    (TEXT.replace("[0, 1, 0]", "[0, " + "9" * 2000 + ", 0]").encode(), "line 1: labels[1] must have at most 1000"),
    (
        TEXT.replace('"edges"', '"labels": [], "edges"').encode(),
        "line 1: not JSON that can be read: a field is given twice",
    ),
    (TEXT.encode() + b"\n" + TEXT.encode().replace(b"root", b"ro\xffot"), "line 2: must be UTF-8 text; byte "),
    (TEXT.encode("utf-16"), "line 1: must be UTF-8 text"),
    (b"[" * 100_000 + b"\n", "line 1: its lists or objects are nested too deeply"),
    (b'{"a":' * 100_000 + b"\n", "line 1: its lists or objects are nested too deeply"),
    (b'{"num_nodes": 0, "edges": [], "inputs": [], "labels": []}', "at least one graph must have nodes"),
    (b"\0\0\0", "line 1: not JSON"),
]


@pytest.mark.parametrize(("content", "words"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_is_named(file, content, words):
    file.write_bytes(content)
    with pytest.raises(FormatError) as error:
        read_jsonl(file)
    assert str(error.value).startswith(f"{file}: ")
    assert words in str(error.value)
    assert len(str(error.value)) < 400 + len(str(file))


@pytest.mark.parametrize("field", ["inputs", "labels"])
def test_more_than_256_classes(file, field):
    line = {"num_nodes": 256, "edges": [], "inputs": [0] * 256, "labels": [0] * 256} | {field: list(range(256))}
    one = {"num_nodes": 1, "edges": [], "inputs": [0], "labels": [0]}
    assert len(read_jsonl(written(file, line, one)).examples) == 2
    with pytest.raises(
        FormatError, match=rf"line 3: {field}\[0\] must be one of at most 256 different {field}; 256 is"
    ):
        read_jsonl(written(file, line, one, one | {field: [256]}))
    with pytest.raises(FormatError, match=r"must be one of at most 256 different states; -1 is one more"):
        read_jsonl(written(file, line, one | {"labels": [-1]}), steps=3)


def test_mixed_kinds_across_lines_and_in_an_evolution(file):
    with pytest.raises(
        FormatError, match=r"line 2: labels\[0\] must be a number \(0\) as the labels before it; got 'x'"
    ):
        read_jsonl(written(file, GOOD, GOOD | {"labels": ["x", "y", "z"]}))
    with pytest.raises(FormatError, match=r"line 1: labels\[0\] must be a string \('root'\) as the states before it"):
        read_jsonl(written(file, GOOD), steps=3)


@pytest.mark.parametrize("steps", [-1, 1.5, "3", True, 2**62])
def test_bad_steps(file, steps):
    with pytest.raises(GraphFSAError, match="steps must be an integer"):
        read_jsonl(written(file, GOOD), steps=steps)


def test_a_line_of_200_megabytes_is_refused_in_little_memory(file):
    with file.open("wb") as out:
        out.write(TEXT.encode() + b"\n")
        out.truncate(200 * 2**20)
    tracemalloc.start()
    with pytest.raises(FormatError, match="line 2: a line must have at most 67108864 bytes"):
        read_jsonl(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * 2**20


def test_files_that_cannot_be_read(tmp_path, file):
    with pytest.raises(GraphFSAError, match="No such file"):
        read_jsonl(file)
    with pytest.raises(GraphFSAError, match="it is a directory"):
        read_jsonl(tmp_path)
    with pytest.raises(GraphFSAError, match="cannot read"):
        read_jsonl("a\0b")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GraphFSAError, match="not a regular file"):
        read_jsonl(tmp_path / "pipe")
    with file.open("wb") as out:
        out.truncate(2**30 + 1)
    with pytest.raises(LimitError, match="must have at most 1073741824 bytes"):
        read_jsonl(file)


PLACES = st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=3)), max_size=3)


@given(PLACES, st.integers(0, 10**6), st.sampled_from([GOOD, ARCS, GOOD | {"mask": [True] * 3, "steps": 4}]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_and_truncated_files_only_raise_our_errors(file, places, end, line):
    content = bytearray(f"{json.dumps(line)}\n{json.dumps(line)}\n".encode())
    for place, piece in places:
        content[place % len(content) : place % len(content) + len(piece)] = piece
    file.write_bytes(content[: max(1, end % (2 * len(content)))])
    try:
        data = read_jsonl(file)
    except GraphFSAError as error:
        assert str(file) in str(error)
    else:
        assert len(data.examples) == len(data.lines) > 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4),
)


@given(st.sampled_from([*GOOD, "slots", "mask", "steps", "directed", "x"]), JSON, st.sampled_from([GOOD, ARCS]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_in_any_field_only_raises_our_errors(file, field, value, line):
    try:
        read_jsonl(written(file, line | {field: value}))
    except GraphFSAError as error:
        assert f"{file}: line 1: " in str(error)


any_graphs = st.lists(plain_graphs(5), max_size=4) | st.lists(slotted_graphs(5), max_size=4)


@given(any_graphs, st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_writing_and_reading_give_the_same_data(file, graphs, seed, masked):
    rng = np.random.default_rng(seed)
    examples = covering(TASK, graphs, rng, steps=rng.integers(0, 50, len(graphs) + 1))
    if masked:
        mask = rng.random(len(examples.inputs)) < 0.5
        examples = Examples(TASK, examples.graphs, examples.inputs, examples.labels, steps=examples.steps, mask=mask)
    write_jsonl(file, examples)
    assert read_jsonl(file).examples.digest == examples.digest


@pytest.mark.parametrize(
    ("inputs", "classes", "kinds"),
    [
        (("9", "10"), ("-1", "0"), (int, int)),
        (("9", "a"), ("no", "yes"), (int, str)),
        (("007", "1.5", "True", 'quo"te', "é"), ("1", "x"), (str, str)),
    ],
)
def test_names_survive(file, inputs, classes, kinds):
    task = Task("your data", "classes", inputs, classes)
    examples = covering(task, [], np.random.default_rng(0), steps=3)
    write_jsonl(file, examples)
    line = json.loads(file.read_text(encoding="utf-8"))
    assert (type(line["inputs"][0]), type(line["labels"][0])) == kinds
    assert read_jsonl(file).examples.digest == examples.digest


def test_evolutions_survive(file):
    task = Task("your data", "evolution", ("0", "1", "x"), ("0", "1", "x"))
    examples = covering(task, [Graph.from_edges(2, [(0, 1)])], np.random.default_rng(0), steps=[3, 4])
    write_jsonl(file, examples)
    assert read_jsonl(file, steps=1).examples.digest == examples.digest


def test_what_is_written(file):
    arcs = Graph.from_edges(3, [(0, 1)], directed=True)
    both = Graph.from_edges(3, [(2, 1), (1, 0), (0, 0)])
    batch = GraphBatch.of([both, arcs])
    options = {"steps": [4, 5], "counts": [2, 1], "mask": [True] * 5 + [False]}
    write_jsonl(file, Examples(TASK, batch, [1, 0, 0] * 2, [2, 1, 0] * 2, **options))
    first = {"num_nodes": 3, "edges": [[0, 0], [0, 1], [1, 2]]}
    rest = {"inputs": ["root", "other", "other"], "labels": [2, 1, 0]}
    second = {"num_nodes": 3, "edges": [[0, 1]], "directed": True}
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines == [first | rest | {"steps": 4}] * 2 + [second | rest | {"mask": [True, True, False], "steps": 5}]
    assert list(lines[2]) == ["num_nodes", "edges", "directed", "inputs", "labels", "mask", "steps"]


def test_writing_is_all_or_nothing(file, monkeypatch):
    examples = covering(TASK, [], np.random.default_rng(0), steps=3)
    file.write_text("old")
    monkeypatch.setattr(_jsonl, "MAX_LINE", 100)
    with pytest.raises(LimitError, match="a line must have at most 100 bytes; graph 0 needs"):
        write_jsonl(file, examples)
    monkeypatch.undo()
    many = Examples(TASK, examples.graphs, examples.inputs, examples.labels, steps=3, counts=[2**61])
    with pytest.raises(LimitError, match="a file must have at most 1073741824 bytes"):
        write_jsonl(file, many)
    assert file.read_text() == "old"
    with pytest.raises(GraphFSAError, match="there is no directory"):
        write_jsonl(file.parent / "no" / "x.jsonl", examples)


def nx_example(**attributes):
    graph = nx.path_graph(["a", "b", "c"])
    for name, values in ({"input": ["root", "x", "x"], "label": [0, np.int64(1), 0]} | attributes).items():
        for node, value in zip("abc", values, strict=True):
            graph.nodes[node][name] = value
    return graph


def test_from_networkx():
    graphs = [nx_example(), nx_example(label=[np.int8(2)] * 3, keep=[True, np.bool_(False), True])]
    graphs[1].graph["steps"] = np.int64(6)
    graphs[0].add_nodes_from("abc", keep=True)
    examples = from_networkx_graphs(iter(graphs), mask="keep")
    assert examples.task == Task("your data", "classes", ("root", "x"), ("0", "1", "2"))
    assert examples.labels.tolist() == [0, 1, 0, 2, 2, 2]
    assert examples.mask.tolist() == [True] * 4 + [False, True]
    assert examples.steps.tolist() == [8, 6]
    assert from_networkx_graphs(graphs, inputs="label", steps=3).task.kind == "evolution"


@given(any_graphs, st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_to_networkx_and_back(graphs, seed):
    rng = np.random.default_rng(seed)
    examples = covering(TASK, graphs, rng, steps=rng.integers(0, 9, len(graphs) + 1))
    assert from_networkx_graphs(to_networkx_graphs(examples), mask="mask").digest == examples.digest


@pytest.mark.parametrize(
    ("graphs", "words"),
    [
        ([], "at least one graph must be given"),
        ([nx.Graph()], "at least one graph must have nodes"),
        ([nx_example(), 3], "graph 1: from_networkx needs a NetworkX graph; got int"),
        ([nx_example(), nx.path_graph(2)], "graph 1: node 0: attribute 'input' is missing"),
        ([nx_example(input=[1, None, 2])], "graph 0: node 'b': attribute 'input' must be a string"),
        ([nx_example(), nx_example(label=[0, "x", 0])], "graph 1: node 'b': attribute 'label' must be a number"),
        ([nx_example(label=[0, float("nan"), 0])], "graph 0: node 'b': attribute 'label' must be a finite number"),
        ([nx_example(input=[0, 10**5000, 0])], "graph 0: node 'b': attribute 'input' must have at most 1000"),
    ],
    ids=range(8),
)
def test_bad_networkx_graphs(graphs, words):
    with pytest.raises(GraphFSAError) as error:
        from_networkx_graphs(graphs)
    assert str(error.value).startswith(words)


def test_networkx_graphs_may_be_labelled_in_part():
    way_out = "; if only some nodes are labelled, give mask="
    part = nx_example(label=[0, None, 1], keep=[True, False, True])
    with pytest.raises(GraphFSAError) as error:
        from_networkx_graphs([part])
    assert str(error.value).endswith(f"must be a string, a number, True or False; got None{way_out}")
    examples = from_networkx_graphs([part], mask="keep")
    assert examples.mask.tolist() == [True, False, True]
    assert examples.labels[examples.mask].tolist() == [0, 1]
    del part.nodes["b"]["label"]
    with pytest.raises(GraphFSAError) as error:
        from_networkx_graphs([part])
    assert str(error.value).endswith(f"attribute 'label' is missing; the node has input, keep{way_out}")
    assert from_networkx_graphs([part], mask="keep").digest == examples.digest
    part.nodes["b"]["keep"] = True
    with pytest.raises(GraphFSAError, match="node 'b': attribute 'label' is missing, and the mask says"):
        from_networkx_graphs([part], mask="keep")
    del part.nodes["a"]["input"]
    with pytest.raises(GraphFSAError, match=r"inputs=NAME\) for another attribute, or as_feature_examples\("):
        from_networkx_graphs([part], mask="keep")


@pytest.mark.parametrize(("count", "words"), [(21, "'label' has 21 different values"), (300, "one of more than 256")])
def test_numbers_to_predict_are_no_labels(count, words):
    graph = nx.path_graph(count)
    nx.set_node_attributes(graph, 0, "input")
    nx.set_node_attributes(graph, {node: node + 0.5 for node in graph}, "label")
    with pytest.raises(GraphFSAError, match="labels are names of classes, not numbers to predict") as error:
        from_networkx_graphs([graph])
    assert words in str(error.value)
    assert "(0.5, 1.5, ...)" in str(error.value)
    assert len(from_networkx_graphs([graph.subgraph(range(20))]).task.classes) == 20


def test_bad_masks_and_steps_in_networkx_graphs():
    with pytest.raises(GraphFSAError, match="graph 0: node 'a': attribute 'mask' is missing"):
        from_networkx_graphs([nx_example()], mask="mask")
    with pytest.raises(GraphFSAError, match="graph 0: node 'b': attribute 'mask' must be True or False; got int"):
        from_networkx_graphs([nx_example(mask=[True, 1, True])], mask="mask")
    graph = nx_example()
    graph.graph["steps"] = "many"
    with pytest.raises(GraphFSAError, match="graph 0: attribute 'steps' must be an integer"):
        from_networkx_graphs([graph])


def test_to_pyg_and_back():
    pytest.importorskip("torch_geometric")
    rng = np.random.default_rng(0)
    graphs = [Graph.from_edges(3, [(0, 1), (1, 2)], directed=True, slots=[0, 1]), Graph.from_edges(2, [])]
    task = Task("your data", "classes", ("0", "1"), ("0", "1", "2"))
    examples = covering(task, graphs, rng, steps=[1, 2, 3])
    data = to_pyg_data(examples)
    assert data[0].x.shape == (3, 1)
    assert data[0].mask.tolist() == [True] * 3
    assert data[0].is_directed()
    assert from_pyg_data(data, mask="mask").digest == examples.digest
    data[0].x, data[0].steps = data[0].x[:, 0], data[0].y.new_tensor([1])
    assert from_pyg_data(data).digest == examples.digest


def test_bad_pyg_data():
    torch = pytest.importorskip("torch")
    data_class = pytest.importorskip("torch_geometric.data").Data
    edges, ones = torch.tensor([[0, 1], [1, 0]]), torch.tensor([1, 1])
    good = data_class(edge_index=edges, x=ones, y=ones)
    assert from_pyg_data([good]).steps.tolist() == [6]
    for bad, words in [
        (data_class(edge_index=edges, x=ones), "graph 1: attribute 'y' is missing"),
        (data_class(edge_index=edges, x=ones / 2, y=ones), "graph 1: attribute 'x' must be one integer per node"),
        (
            data_class(edge_index=edges, x=torch.ones(2, 2).long(), y=ones),
            "graph 1: attribute 'x' must be one integer per node, or one-hot rows",
        ),
        (data_class(edge_index=edges, x=ones, y=ones[:1]), "graph 1: attribute 'y' must have one entry per node, 2"),
        (data_class(edge_index=edges + 1, x=ones, y=ones), "graph 1: edges must be in 0 .. 1"),
        (data_class(x=ones, y=ones), "graph 1: from_pyg needs a Data with edge_index"),
        (data_class(edge_index=edges, x=ones, y=ones, steps=-1), "graph 1: attribute 'steps' must be an integer"),
        (data_class(edge_index=edges, x=ones, y=ones > 0), "graph 1: node 0: attribute 'y' must be a number (1)"),
        ("x", "graph 1: from_pyg needs a Data with edge_index"),
    ]:
        with pytest.raises(GraphFSAError) as error:
            from_pyg_data([good, bad])
        assert str(error.value).startswith(words)
    with pytest.raises(GraphFSAError, match="attribute 'm' must be True or False"):
        from_pyg_data([data_class(edge_index=edges, x=ones, y=ones, m=ones)], mask="m")


def test_as_examples_takes_what_people_have(file):
    graphs = [nx_example(), nx_example()]
    wanted = from_networkx_graphs(graphs)
    assert as_examples(wanted) is wanted
    assert as_examples(graphs).digest == as_examples(iter(graphs)).digest == wanted.digest
    assert as_examples(tuple(wanted)).digest == wanted.digest
    assert as_examples(graphs[0]).digest == wanted.select([0]).digest
    assert as_examples(next(iter(wanted))).digest == wanted.select([0]).digest
    write_jsonl(file, wanted)
    assert as_examples(file).digest == as_examples(str(file)).digest == wanted.digest
    assert as_examples(read_jsonl(file)).digest == wanted.digest
    named = as_examples(graphs, inputs="label", labels="label", steps=2, name="friends")
    assert named.task == Task("friends", "evolution", ("0", "1"), ("0", "1"))
    assert as_examples(file, name="friends").task.name == "friends"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            3,
            "must be Examples, a .jsonl file, NetworkX graphs with node attributes or PyG Data; got int",
        ),
        ([], "at least one graph must be given; got none"),
        ([nx_example(), Graph.from_edges(1, [])], "got graphfsa.Graph, networkx.Graph"),
        ("graphs.json", "a file of labelled graphs must end in .jsonl; got 'graphs.json'"),
        (nx.path_graph(2), "graph 0: node 0: attribute 'input' is missing; the node has no attributes"),
    ],
)
def test_what_can_not_be_labelled_graphs(given, words):
    with pytest.raises(GraphFSAError) as error:
        as_examples(given)
    assert words in str(error.value)


def test_a_missing_attribute_is_said_with_those_that_there_are():
    with pytest.raises(GraphFSAError, match="node 'a': attribute 'colour' is missing; the node has input, label"):
        as_examples(nx_example(), inputs="colour")


def test_one_hot_and_float_features_of_pyg():
    torch = pytest.importorskip("torch")
    data_class = pytest.importorskip("torch_geometric.data").Data
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    classes, labels = torch.tensor([2, 0, 1]), torch.tensor([1, 1, 0])
    plain = as_examples([data_class(edge_index=edges, x=classes, y=labels)])
    for x in (torch.eye(3)[classes], torch.eye(3).long()[classes], classes.float(), classes.double()[:, None]):
        for y in (labels, labels.float(), torch.eye(2)[labels]):
            data = data_class(edge_index=edges, x=x, y=y)
            assert as_examples(data).digest == as_examples([data]).digest == plain.digest
    nothing = torch.tensor([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    for x in (nothing, torch.eye(3) / 2, classes + 0.5, classes / 0.0, torch.zeros(3, 0)):
        with pytest.raises(GraphFSAError, match="graph 0: attribute 'x' must be one integer per node, or one-hot rows"):
            as_examples(data_class(edge_index=edges, x=x, y=labels))
