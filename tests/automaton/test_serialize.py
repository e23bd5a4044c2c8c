"""Automata as files: what goes in comes out, and bad files raise only our own error, quickly."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    GraphFSA,
    GraphFSAError,
    library,
)
from graphfsa.automaton.library import library_automaton
from graphfsa.automaton.serialize import (
    MODEL_SCHEMA,
    SCHEMA,
    automaton_config,
    automaton_from_config,
    automaton_from_json,
    automaton_to_json,
    json_text,
)
from graphfsa.errors import FormatError
from strategies import automata

NAMED = [
    "life",
    "hex-life",
    "wireworld",
    "brians-brain",
    "distance",
    "root-value",
    "prefix-sum",
    "path-finding",
    "path-finding-2",
    "random4",
    "rule110",
    "B36/S23",
]
TEXT = automaton_to_json(library.distance())
WATCHING = automaton_to_json(
    GraphFSA.from_rule(["no", "yes"], AverageThresholdAggregation({1: (0.25, 0.5)}), lambda state, _: state)
)


@pytest.mark.parametrize("name", NAMED)
def test_the_library_survives_a_file(name, tmp_path):
    fsa = library_automaton(name)
    fsa.save(tmp_path / "fsa.json")
    loaded = GraphFSA.load(str(tmp_path / "fsa.json"))
    assert loaded == fsa
    assert loaded.transition_table.tolist() == fsa.transition_table.tolist()
    assert loaded.state_names == fsa.state_names
    assert loaded.aggregation == fsa.aggregation
    assert (loaded.starting_states, loaded.final_states) == (fsa.starting_states, fsa.final_states)
    assert not loaded.transition_table.flags.writeable


@settings(max_examples=150, deadline=None, derandomize=True)
@given(automata(num_slots=2, num_states=3))
def test_random_automata_survive_a_file(fsa):
    assert automaton_from_json(json.loads(automaton_to_json(fsa)), "here") == fsa


def test_names_of_every_script_survive_a_file(tmp_path):
    fsa = GraphFSA.from_rule(
        ["schläft", "雪", '"quoted\\', "\U0001f600"], CountingAggregation(), lambda state, _: state
    )
    fsa.save(tmp_path / "fsa.json")
    assert "schläft" in (tmp_path / "fsa.json").read_text(encoding="utf-8")
    assert GraphFSA.load(tmp_path / "fsa.json") == fsa


def test_a_file_is_readable_and_versioned():
    data = json.loads(TEXT)
    assert list(data) == [
        "schema",
        "state_names",
        "starting_states",
        "final_states",
        "aggregation",
        "transition_table",
    ]
    assert data["schema"] == "graphfsa.automaton/1" == SCHEMA
    assert data["aggregation"] == {"name": "counting", "bound": 1}
    assert data["state_names"] == ["even", "odd", "node", "root"]
    assert (data["starting_states"], data["final_states"]) == ([2, 3], [0, 1])
    assert len(data["transition_table"]) == 4
    assert TEXT.endswith("}\n")
    assert len(TEXT.splitlines()) < 60  # One line per row, not per entry.


def test_an_automaton_inside_another_object(tmp_path):
    config = automaton_config(library.distance())
    assert "schema" not in config
    assert automaton_from_config(config, "here") == library.distance()
    text = json_text({"schema": MODEL_SCHEMA, "task": {"inputs": ["node", "root"]}, "automaton": config, "notes": []})
    assert json.loads(text)["automaton"] == config
    assert json.loads(text)["notes"] == []
    assert "\n   [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],\n" in text  # One line per row.
    (tmp_path / "m.json").write_text(text)
    assert GraphFSA.load(tmp_path / "m.json") == library.distance()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({}, "the model must hold an automaton; got None"),
        ({"automaton": None}, "the model must hold an automaton; got None"),
        ({"automaton": {}}, "automaton: field 'state_names' is missing"),
        ({"automaton": {"schema": SCHEMA}}, "automaton: unknown field 'schema'"),
    ],
)
def test_models_without_an_automaton(content, words, tmp_path):
    (tmp_path / "m.json").write_text(json.dumps({"schema": MODEL_SCHEMA, **content}))
    with pytest.raises(FormatError) as caught:
        GraphFSA.load(tmp_path / "m.json")
    assert words in str(caught.value)


def test_the_text_of_json_is_as_python_writes_it():
    content = {"a": {"b": [1, {"c": "é"}], "d": {}}, "e": [], "f": None, "g": ["x", [0.5]]}
    assert json_text(content) == json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    assert json_text({"numbers": [1, 2]}) == '{\n "numbers": [1, 2]\n}\n'  # But for integers, which share a line.


def test_a_file_that_was_written_by_hand():
    data = {
        "schema": SCHEMA,
        "state_names": ["a", "b"],
        "starting_states": ["a"],
        "final_states": ["b"],
        "aggregation": {"name": "average_threshold", "thresholds": {"1": 0.5}},
        "transition_table": [[0, 1], [1, 1]],
    }
    fsa = automaton_from_json(data, "here")
    assert fsa.aggregation == AverageThresholdAggregation({1: 0.5})
    assert (fsa.starting_states, fsa.final_states) == ((0,), (1,))


def test_saving_replaces_a_file_in_one_step(tmp_path, monkeypatch):
    """If the disk fails while the new file is written, the old one is as it was and nothing else is left."""
    file = tmp_path / "fsa.json"
    library.distance().save(file)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(GraphFSAError, match=r"cannot write .*fsa\.json': No space left on device"):
        library.root_value().save(file)
    monkeypatch.undo()
    assert GraphFSA.load(file) == library.distance()
    assert [entry.name for entry in tmp_path.iterdir()] == ["fsa.json"]
    library.root_value().save(file)
    assert GraphFSA.load(file) == library.root_value()
    assert [entry.name for entry in tmp_path.iterdir()] == ["fsa.json"]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(GraphFSAError, match=r"cannot read .*missing"):
        GraphFSA.load(tmp_path / "missing.json")
    with pytest.raises(GraphFSAError, match="it is a directory"):
        GraphFSA.load(tmp_path)
    with pytest.raises(GraphFSAError, match="there is no directory"):
        library.distance().save(tmp_path / "no" / "fsa.json")
    with pytest.raises(GraphFSAError, match="cannot read"):
        GraphFSA.load("a\0b")


def changed(**fields):
    return {**json.loads(TEXT), **fields}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (changed(schema="graphfsa.automaton/2"), "field 'schema' must be 'graphfsa.automaton/1'; got 'graphfsa.auto"),
        (changed(schema=None), "field 'schema' must be 'graphfsa.automaton/1'; got None"),
        ([], "must be an object with the schema 'graphfsa.automaton/1'; got a list"),
        (None, "must be an object with the schema 'graphfsa.automaton/1'; got null"),
        ({"schema": SCHEMA}, "field 'state_names' is missing; it must be a list"),
        (changed(colour="red"), "unknown field 'colour'; valid fields: aggregation, final_states, starting_states, "),
        (changed(state_names="abcd"), "field 'state_names' must be a list; got 'abcd'"),
        (changed(state_names=["a", "a", "b", "c"]), "state names must be distinct; 'a' occurs more than once"),
        (changed(state_names=[1, 2, 3, 4]), "state_names must be a list of strings"),
        (changed(aggregation="counting"), "field 'aggregation' must be an object; got 'counting'"),
        (changed(aggregation={"name": "conting"}), "unknown aggregation 'conting' (did you mean 'counting'?)"),
        (changed(aggregation={"name": "counting", "bound": 0}), "bound must be an integer >= 1; got 0"),
        (changed(aggregation={"name": "counting", "b": 1}), "aggregation fields do not fit"),
        (changed(aggregation={"bound": 1}), "aggregation must have a name; got None"),
        (changed(starting_states=["nobody"]), "starting state must be one of even, odd, node, root; got 'nobody'"),
        (
            changed(starting_states=[[2]]),
            "starting state must be a state name or an integer from 0 to 3; got [2]",
        ),
        (changed(starting_states={}), "field 'starting_states' must be a list of at most 256 items; got {}"),
        (changed(final_states=[2]), "final state 2 (node) must be absorbing"),
        (changed(final_states=None), "field 'final_states' must be a list of at most 256 items; got None"),
        (changed(transition_table=[[0]] * 4), "transition_table[0] must be a list of 16 states; got 1"),
        (
            changed(transition_table=[[0] * 16]),
            "transition_table must have shape [states, values] = [4, 16]; got [1, 16]",
        ),
        (changed(transition_table=[]), "transition_table must have shape [states, values] = [4, 16]; got [0, 16]"),
        (changed(transition_table=7), "field 'transition_table' must be a list of at most 256 items; got 7"),
        (changed(transition_table=[7]), "transition_table[0] must be a list of 16 states; got 7"),
        (changed(transition_table=[[0] * 15 + [4]] * 4), "transition_table[0, 15] must be in 0 .. 3; got 4"),
        (changed(transition_table=[[0] * 15 + [256]] * 4), "transition_table[0][15] must be in 0 .. 255; got 256"),
        (changed(transition_table=[[0] * 15 + [True]] * 4), "transition_table[0][15] must be in 0 .. 255; got True"),
        (changed(transition_table=[[0] * 15 + [1.0]] * 4), "transition_table[0][15] must be in 0 .. 255; got 1.0"),
        (changed(transition_table=[[0] * 15 + [None]] * 4), "transition_table[0][15] must be in 0 .. 255; got None"),
    ],
)
def test_what_a_bad_file_is_told(data, words, tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(data))
    with pytest.raises(FormatError) as caught:
        GraphFSA.load(file)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1, column 1: not JSON"),
        (b"{", "not JSON"),
        (b'{"schema": 1,\n "x": tru}', "line 2, column 7: not JSON"),
        (b"\xff\xfe{}", "must be UTF-8 text; byte 0 is not"),
        (b'{"schema": NaN}', "NaN is not a JSON number"),
        (b'{"schema": ' + b"9" * 5000 + b"}", "not JSON that can be read"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"PK\x03\x04" + bytes(100), "not JSON"),
    ],
)
def test_what_a_broken_file_is_told(content, words, tmp_path):
    file = tmp_path / "broken.json"
    file.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        GraphFSA.load(file)
    assert words in str(caught.value)


def load_or_refuse(file, content):
    """Only our own error may come out."""
    file.write_bytes(content)
    try:
        fsa = GraphFSA.load(file)
    except GraphFSAError:
        fsa = None
    if fsa is not None:
        assert automaton_from_json(json.loads(automaton_to_json(fsa)), "again") == fsa


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from([TEXT, WATCHING]), st.data())
def test_mutated_files_raise_only_our_error(tmp_path_factory, text, data):
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, max(0, len(content) - 1)))
        length = data.draw(st.integers(0, 12))
        content[place : place + length] = data.draw(st.binary(max_size=6) | st.sampled_from([b"9", b"[", b"}", b"1e9"]))
    load_or_refuse(tmp_path_factory.getbasetemp() / "mutated.json", bytes(content))


def test_truncated_files_raise_only_our_error(tmp_path):
    content = TEXT.encode()
    for length in range(len(content)):
        load_or_refuse(tmp_path / "cut.json", content[:length])
        if length < len(content) - 2:
            with pytest.raises(FormatError):
                GraphFSA.load(tmp_path / "cut.json")


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.sampled_from([TEXT, WATCHING]), st.data())
def test_any_value_in_any_field_raises_only_our_error(tmp_path_factory, text, data):
    fields = json.loads(text)
    field = data.draw(st.sampled_from(sorted(fields)))
    value = data.draw(JSON_VALUES)
    if field == "aggregation" and data.draw(st.booleans()):
        part = data.draw(st.sampled_from([*fields["aggregation"], "num_slots"]))
        fields["aggregation"][part] = value
    else:
        fields[field] = value
    load_or_refuse(tmp_path_factory.getbasetemp() / "field.json", json.dumps(fields).encode())


HOSTILE = {
    "a table that no machine holds": changed(aggregation={"name": "counting", "bound": 10**6}),
    "a size of thousands of digits": changed(
        aggregation={"name": "counting", "bound": 10**20}, state_names=[f"s{k}" for k in range(256)]
    ),
    "far too many states": changed(state_names=[f"s{k}" for k in range(20_000)]),
    "far too many states and a huge bound": changed(
        state_names=[f"s{k}" for k in range(20_000)], aggregation={"name": "counting", "bound": 10**4000}
    ),
    "a huge threshold": changed(aggregation={"name": "average-threshold", "thresholds": 10**400}),
    "a threshold that is a text": changed(aggregation={"name": "average-threshold", "thresholds": "half"}),
    "pairs that are none": changed(aggregation={"name": "average-threshold", "thresholds": [[0.5]]}),
    "very many thresholds": changed(
        aggregation={"name": "average-threshold", "thresholds": [(k + 1) / 10**5 for k in range(10**5)]}
    ),
    "a very long name": changed(aggregation={"name": "c" * 10**6}),
    "a very long state": changed(starting_states=["c" * 10**6]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_soon_and_within_memory(name, tmp_path):
    """In a process of its own with at most 1 GiB more than it starts with, as the worst of them would not return."""
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(HOSTILE[name]))
    code = f"""
import resource
from graphfsa import GraphFSA, GraphFSAError, library
library.distance().digest
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, used + 2**30))
try:
    GraphFSA.load({str(file)!r})
except GraphFSAError as error:
    print("refused")
except BaseException as error:
    print(type(error).__name__, error)
"""
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        pytest.fail("it took more than ten seconds")
    assert done.stdout[:100].strip() == "refused", done.stdout[:300] + done.stderr[-300:]
