"""Traces: each step is an example, read as it was run, and every mistake is named with its line and place."""

import json
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from graphfsa import families, library, run
from graphfsa.cli import build_app
from graphfsa.datasets import Task, _traces, contradictions, from_traces, read_jsonl, write_jsonl
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.graphs import Graph
from strategies import any_graphs, cases

GOOD = {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "trace": [["ill", "well", "well"], ["ill", "ill", "well"]]}
LABELLED = {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "inputs": ["a", "b", "b"], "labels": ["a", "a", "b"]}
LONG = GOOD | {"trace": [*GOOD["trace"], ["ill"] * 3, ["ill"] * 3]}
PATH = families.path(3)
NAMES = ("ill", "well")
FUZZ = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def file(tmp_path):
    return tmp_path / "data.jsonl"


def written(path, *lines):
    """A file with these lines: objects, or text as it is."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def line_of(graph, rows, names, mask):
    """A graph and its trace as a user would write them."""
    arcs = np.stack((graph.indices, graph.targets()), axis=1).tolist()
    line = {"num_nodes": graph.num_nodes, "edges": arcs, "directed": True, "mask": mask.tolist()}
    slots = {} if graph.slots is None else {"slots": graph.slots.tolist()}
    return line | slots | {"trace": [[names[state] for state in row] for row in rows.tolist()]}


def describe(*arguments):
    result = CliRunner().invoke(build_app(), ["data", "describe", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_the_example_of_the_documentation(file):
    data = read_jsonl(written(file, GOOD, "", LONG | {"mask": [True, False, True]}))
    examples = data.examples
    assert examples.task == Task("your data", "evolution", NAMES, NAMES)
    assert examples.inputs.reshape(-1, 3).tolist() == [[0, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert examples.labels.reshape(-1, 3).tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert examples.mask.reshape(-1, 3).tolist() == [[True] * 3] + [[True, False, True]] * 3
    assert examples.steps.tolist() == [1] * 4
    assert examples.graphs.graphs() == [PATH] * 4
    assert (data.lines.tolist(), data.rows.tolist(), data.traced) == ([1, 3, 3, 3], [0, 0, 1, 2], True)
    assert [data.where(place) for place in (0, 3)] == ["line 1, step 0", "line 3, step 2"]
    assert read_jsonl(file, steps=1).examples.digest == examples.digest
    masks = [[True] * 3, [True, False, True]]
    traces = [[[0, 1, 1], [0, 0, 1]], [[0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]]
    assert from_traces([PATH, PATH], traces, NAMES, masks=masks).digest == examples.digest
    write_jsonl(file, examples)
    assert read_jsonl(file, steps=1).examples.digest == examples.digest


def test_lines_without_a_trace_are_as_before(file):
    data = read_jsonl(written(file, LABELLED, LABELLED))
    assert (data.lines.tolist(), data.rows.tolist(), data.traced) == ([1, 2], [0, 0], False)
    assert (data.rows.dtype, data.lines.dtype) == (np.int64, np.int64)
    assert data.where(1) == "line 2"


@given(
    cases(any_graphs(), num_states=3), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 2**32 - 1)
)
@FUZZ
def test_what_an_automaton_did_is_read_back(file, case, lengths, seed):
    fsa, graph, first = case
    assume(graph.num_nodes)
    rng = np.random.default_rng(seed)
    names = ("s0", "s1", "s2")
    starts = [first, *(rng.integers(0, fsa.num_states, graph.num_nodes) for _ in lengths[1:])]
    rows = [run(fsa, graph, start, steps, record="all").states for start, steps in zip(starts, lengths, strict=True)]
    graphs = [Graph.from_edges(0, []), *[graph] * len(lengths)]
    rows = [np.empty((3, 0), np.uint8), *rows]
    masks = [rng.random(part.num_nodes) < 0.7 for part in graphs]
    examples = from_traces(graphs, rows, names[: fsa.num_states], masks=masks)
    assert examples.accuracy(fsa) == 1.0 or not examples.mask.any()
    lines = [line_of(part, trace, names, mask) for part, trace, mask in zip(graphs, rows, masks, strict=True)]
    data = read_jsonl(written(file, *lines))
    read = data.examples
    # Plainly: one pair of rows after the other.
    places = [(k, t) for k, trace in enumerate(rows) for t in range(len(trace) - 1)]
    assert list(zip(data.lines - 1, data.rows, strict=True)) == places
    for found, known in ((examples, names), (read, read.task.classes)):
        assert len(found) == len(places)
        for example, (k, t) in zip(found, places, strict=True):
            assert example.graph == graphs[k]
            assert [known[state] for state in example.inputs] == [names[state] for state in rows[k][t]]
            assert [known[state] for state in example.labels] == [names[state] for state in rows[k][t + 1]]
            assert example.mask.tolist() == masks[k].tolist()
            assert example.steps == 1
    if read.task.classes == examples.task.classes:
        assert read.digest == examples.digest
        assert not contradictions(read)


BAD_TRACES = [
    ({"trace": None}, "field 'trace' must be a list; got None"),
    ({"trace": {}}, "field 'trace' must be a list; got {}"),
    ({"trace": []}, "field 'trace' must have at least 2 rows; got 0"),
    ({"trace": [["ill"] * 3]}, "field 'trace' must have at least 2 rows; got 1"),
    ({"trace": ["ill", "ill"]}, "trace[0] must be a list; got str"),
    ({"trace": [["ill"] * 3, None]}, "trace[1] must be a list; got NoneType"),
    ({"trace": [["ill"] * 3, ["ill"] * 2]}, "trace[1] must have one entry per node, 3; got 2"),
    ({"trace": [["ill"] * 4, ["ill"] * 2]}, "trace[0] must have one entry per node, 3; got 4"),
    ({"trace": [["ill"] * 3, ["ill", "ill", None]]}, "trace[1][2] must be a string, a number, true or false; got null"),
    ({"trace": [["ill"] * 3, ["ill", ["ill"], "ill"]]}, "trace[1][1] must be a string, a number, true or false; got a"),
    ({"trace": [["ill"] * 3, ["ill", 1, "ill"]]}, "trace[1][1] must be a string ('ill') as the states before it; got"),
    ({"trace": [["ill"] * 3, ["x" * 1001] * 3]}, "trace[1][0] must have at most 1000 characters"),
    ({"trace": [["\udc00"] * 3, ["ill"] * 3]}, "not JSON that can be read: a string has half of a surrogate pair"),
    ({"num_nodes": 2}, "trace[0] must have one entry per node, 2; got 3"),
    ({"num_nodes": 10**7}, "trace[0] must have one entry per node, 10000000; got 3"),
    ({"mask": [True]}, "field 'mask' must have one entry per node, 3; got 1"),
    ({"mask": [True, 0, True]}, "mask[1] must be true or false; got int"),
    ({"mask": [GOOD["trace"][0]] * 3}, "mask[0] must be true or false; got list"),
    ({"edges": [[0, 3]]}, "edges[0] must hold integers"),
    ({"steps": 1}, "field 'steps' must not be given with a trace"),
    ({"inputs": ["ill"] * 3}, "field 'inputs' must not be given with a trace"),
    ({"labels": None}, "field 'labels' must not be given with a trace"),
    ({"traces": []}, "unknown field 'traces'; the fields are num_nodes"),
]


@pytest.mark.parametrize(("change", "words"), BAD_TRACES, ids=range(len(BAD_TRACES)))
def test_a_bad_trace_is_named(file, change, words):
    with pytest.raises(FormatError) as error:
        read_jsonl(written(file, GOOD, "", GOOD | change))
    assert str(error.value).startswith(f"{file}: line 3: {words}")
    assert len(str(error.value)) < 400 + len(str(file))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([GOOD, LABELLED], "line 2: field 'trace' must be given for all graphs or for none; line 1 has one"),
        (["", LABELLED, GOOD], "line 3: field 'trace' must be given for all graphs or for none; line 2 has none"),
        ([GOOD, {"num_nodes": 0, "edges": []}], "line 2: field 'inputs' is missing; a line has inputs and labels, or"),
        ([{"trace": [[], []], "edges": []}], "line 1: field 'num_nodes' is missing"),
        ([{"trace": [[], []], "num_nodes": 0, "edges": []}], "at least one graph must have nodes"),
        ([GOOD | {"trace": [[1, 2, 3], [1, 2, 3]]}, GOOD], "line 2: trace[0][0] must be a number (1) as the states"),
    ],
)
def test_lines_that_do_not_fit_together(file, lines, words):
    with pytest.raises(FormatError) as error:
        read_jsonl(written(file, *lines))
    assert str(error.value).startswith(f"{file}: {words}")


def test_steps_other_than_one_are_refused(file):
    for steps in (0, 2):
        with pytest.raises(FormatError, match=f"line 1: field 'trace' .* must be 1 or not given, got {steps}"):
            read_jsonl(written(file, GOOD), steps=steps)
    for steps in (True, -1, "1", 1.0):
        with pytest.raises(GraphFSAError, match="steps must be an integer"):
            read_jsonl(file, steps=steps)


def test_more_than_256_states(file):
    line = {"num_nodes": 256, "edges": [], "trace": [list(range(256))] * 2}
    assert len(read_jsonl(written(file, line)).examples.task.classes) == 256
    one = {"num_nodes": 1, "edges": [], "trace": [[0], [1], [256]]}
    with pytest.raises(FormatError, match=r"line 2: trace\[2\]\[0\] must be one of at most 256 different states; 256 "):
        read_jsonl(written(file, line, one))


def test_traces_that_would_fill_the_memory_are_refused(file, monkeypatch):
    """A short file may ask for very much: every row repeats all arcs."""
    wide = {"num_nodes": 1, "edges": [[0, 0]] * 20_000, "directed": True, "trace": [[0]] * 20_000}
    with pytest.raises(LimitError, match=f"line 1: nodes and arcs, counted once .* {_traces.MAX_TOTAL} in all; got"):
        read_jsonl(written(file, wide))
    graph = Graph.from_edges(1, np.zeros((20_000, 2), int), directed=True)
    with pytest.raises(LimitError, match="traces: nodes and arcs"):
        from_traces([graph], [np.zeros((20_000, 1), int)], ["a"])
    monkeypatch.setattr(_traces, "MAX_TOTAL", 14)  # A path of three nodes has four arcs, and there are two.
    assert len(read_jsonl(written(file, GOOD, GOOD)).examples) == 2
    with pytest.raises(LimitError, match="line 3: nodes and arcs"):
        read_jsonl(written(file, GOOD, GOOD, GOOD))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("ill"),
    lambda inner: st.lists(inner, max_size=4),
)
NEARLY = st.lists(st.lists(st.sampled_from(["ill", "well", 1, None, []]), min_size=2, max_size=3), max_size=3)


@given(st.sampled_from([*GOOD, "slots", "mask", "steps", "directed", "inputs"]), JSON | NEARLY)
@FUZZ
def test_any_value_in_any_field_only_raises_our_errors(file, field, value):
    try:
        data = read_jsonl(written(file, GOOD | {field: value}))
    except GraphFSAError as error:
        assert f"{file}: line 1: " in str(error)
    else:
        assert len(data.examples) == len(data.lines) == len(data.rows) > 0


@given(st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=3)), max_size=3), st.integers(0, 10**6))
@FUZZ
def test_mutated_and_truncated_files_only_raise_our_errors(file, places, end):
    content = bytearray(f"{json.dumps(LONG)}\n{json.dumps(GOOD)}\n".encode())
    for place, piece in places:
        content[place % len(content) : place % len(content) + len(piece)] = piece
    file.write_bytes(content[: max(1, end % (2 * len(content)))])
    try:
        data = read_jsonl(file)
    except GraphFSAError as error:
        assert str(file) in str(error)
    else:
        assert len(data.examples) == len(data.lines) == len(data.rows) > 0


ROWS = [[0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    ("graphs", "traces", "names", "masks", "words"),
    [
        ([], [], NAMES, None, "at least one graph must be given"),
        ([PATH], [], NAMES, None, "traces must have one entry per graph, 1; got 0"),
        ([PATH, "x"], [ROWS, ROWS], NAMES, None, "graph 1 must be a graphfsa.Graph; got str"),
        ([PATH], [ROWS], NAMES, [[True] * 3] * 2, "masks must have one entry per graph, 1; got 2"),
        ([PATH], [ROWS], NAMES, [[1, 1, 1]], "graph 0: mask must be booleans, one per node, 3; got int64"),
        ([PATH], [ROWS], NAMES, [[True]], "graph 0: mask must be booleans, one per node, 3; got bool of shape [1]"),
        ([PATH], [[[0, 1], [0]]], NAMES, None, "graph 0: trace must be an array; its rows differ in length"),
        ([PATH], [[[0, 1], [0, 1]]], NAMES, None, "graph 0: trace must be integers [steps + 1, 3]; got int64 of"),
        ([PATH], [[0, 1, 1]], NAMES, None, "graph 0: trace must be integers [steps + 1, 3]"),
        ([PATH], [np.ones((2, 3))], NAMES, None, "graph 0: trace must be integers [steps + 1, 3]; got float64"),
        ([PATH], [np.ones((2, 3), bool)], NAMES, None, "graph 0: trace must be integers [steps + 1, 3]; got bool"),
        ([PATH], [[["a"] * 3] * 2], NAMES, None, "graph 0: trace must be integers [steps + 1, 3]; got <U1"),
        ([PATH], [[[10**30] * 3] * 2], NAMES, None, "graph 0: trace must be integers [steps + 1, 3]; got object"),
        ([PATH], [[[0, 1, 1]]], NAMES, None, "graph 0: trace must have at least 2 rows; got 1"),
        (
            [PATH] * 2,
            [ROWS, [[0, 1, 1], [0, 2, 1]]],
            NAMES,
            None,
            "graph 1: trace[1][1] must be a state, 0 .. 1; got 2",
        ),
        ([PATH], [[[0, 1, -1], [0, 1, 1]]], NAMES, None, "graph 0: trace[0][2] must be a state, 0 .. 1; got -1"),
        ([PATH], [ROWS], ["a", "a"], None, "inputs of a task must be 1 to 256 distinct names"),
        ([PATH], [ROWS], [0, 1], None, "the names of a task, its inputs and its classes must be strings"),
        ([PATH, families.ring(3)], [ROWS] * 2, NAMES, None, "graphs with and without neighbour slots"),
    ],
)
def test_bad_traces_from_python(graphs, traces, names, masks, words):
    with pytest.raises(GraphFSAError) as error:
        from_traces(graphs, traces, names, masks=masks)
    assert str(error.value).startswith(words)


def test_many_steps_are_quick_and_the_trace_is_not_kept():
    board = families.moore(200, 200, torus=True)
    states = run(library.life_like(), board, np.arange(40_000) % 7 % 2, 20, record="all").states.copy()
    start = time.perf_counter()
    examples = from_traces([board], [states], ["dead", "alive"])
    assert time.perf_counter() - start < 10
    states[:] = 0
    assert examples.inputs.any()
    assert len(examples) == 20
    assert examples.accuracy(library.life_like()) == 1.0


def test_a_file_with_traces_is_described(file):
    odd = GOOD | {"trace": [["ill"] * 3, ["ill", "well", "well"], ["well", "ill", "well"]]}
    code, out, _ = describe(written(file, GOOD, "", odd), "--json")
    facts = json.loads(out)
    assert code == 0
    assert [facts[key] for key in ("kind", "traces", "graphs", "distinct_graphs")] == ["evolution", 2, 3, 3]
    assert facts["contradicting_nodes"] == 2
    assert facts["contradictions"] == [
        {"lines": [3, 3], "steps": [0, 0], "nodes": [0, 2], "labels": ["ill", "well"]},
        {"lines": [1, 3], "steps": [0, 1], "nodes": [0, 0], "labels": ["ill", "well"]},
    ]
    code, out, _ = describe(file)
    assert code == 0
    assert "can tell node 0 of line 1, step 0 (label ill) from node 0 of line 3, step 1 (label well)" in out
    code, _, err = describe(file, "--steps", 3)
    assert code == 2
    assert "line 1: field 'trace'" in err
    assert describe(written(file, GOOD, GOOD | {"trace": 1}))[0] == 2
