"""Soft tables as people see them and as files: nothing that is not one is read."""

import json
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

from graphfsa import AverageThresholdAggregation, CountingAggregation, PositionalAggregation, library
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.learners.diff_fsa import SoftTable
from strategies import SEEDS, average_threshold

EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)
SCHEMA = "graphfsa.soft/1"


def soft_model(aggregation, num_states, seed=0, names=None):
    rng = np.random.default_rng(seed)
    num_values = aggregation.num_values(num_states)
    probabilities = rng.dirichlet(np.full(num_states, 0.5), (num_states, num_values)).astype(np.float32)
    names = names or tuple(f"s{state}" for state in range(num_states))
    return SoftTable(names, aggregation, probabilities, rng.random(num_values) < 0.7)


@st.composite
def soft_models(draw):
    num_states = draw(st.integers(1, 4))
    aggregation = draw(
        st.one_of(
            st.builds(CountingAggregation, st.integers(1, 3)),
            st.builds(PositionalAggregation, st.integers(1, 2)),
            average_threshold(num_states),
        )
    )
    return soft_model(aggregation, num_states, draw(SEEDS))


def certain(successors, num_states):
    """One-hot probabilities of a discrete table."""
    return np.eye(num_states, dtype=np.float32)[successors]


def same(one, other):
    return (
        one.state_names == other.state_names
        and one.aggregation == other.aggregation
        and one.probabilities.dtype == other.probabilities.dtype
        and one.trained.dtype == other.trained.dtype
        and np.array_equal(one.probabilities, other.probabilities)
        and np.array_equal(one.trained, other.trained)
    )


# ---- what it tells


def test_a_certain_table_has_no_entropy_and_is_its_own_discrete_table():
    fsa = library.distance()
    table = np.asarray(fsa.transition_table)
    model = SoftTable(
        tuple(fsa.state_names), fsa.aggregation, certain(table, len(table)), np.ones(table.shape[1], bool)
    )
    assert (model.entropy == 0).all()
    assert not np.signbit(model.entropy).any()
    assert (model.table == table).all()
    assert model.table.dtype == np.int16
    assert model.undecided() == []


@pytest.mark.parametrize("num_states", [1, 2, 3, 5, 8])
def test_a_uniform_table_has_as_many_bits_as_its_number_of_states(num_states):
    aggregation = AverageThresholdAggregation({0: 0.5})
    uniform = np.full((num_states, 2, num_states), 1 / num_states, np.float32)
    model = SoftTable(tuple("abcdefgh"[:num_states]), aggregation, uniform, np.ones(2, bool))
    assert model.entropy.shape == (num_states, 2)
    assert model.entropy.dtype == np.float32
    assert np.allclose(model.entropy, math.log2(num_states), rtol=1e-6, atol=0)


@EXAMPLES
@given(soft_models())
def test_entropy_and_likeliest_successors_are_their_definitions(model):
    for state in range(len(model.state_names)):
        for value in range(len(model.trained)):
            chances = model.probabilities[state, value].astype(np.float64)
            bits = -sum(p * math.log2(p) for p in chances if p > 0)
            assert model.entropy[state, value] == pytest.approx(bits, abs=1e-5)
            assert chances[model.table[state, value]] == chances.max()


def test_undecided_entries_come_in_order_with_what_they_may_become():
    probabilities = certain(np.zeros((3, 2), int), 3)
    probabilities[0, 1] = [0.5, 0.25, 0.25]  # 1.5 bits
    probabilities[1, 0] = [0.0, 0.5, 0.5]  # 1 bit
    probabilities[1, 1] = [0.991, 0.009, 0.0]  # 0.07 bits
    probabilities[2, 0] = [0.5, 0.0, 0.5]  # 1 bit
    probabilities[2, 1] = [0.495, 0.5, 0.005]  # a little more than 1 bit
    model = SoftTable(("r", "a", "b"), AverageThresholdAggregation({1: 0.5}), probabilities, np.array([True, True]))
    few, many = "< 0.5 a", ">= 0.5 a"
    wanted = [
        ("r", many, {"r": 0.5, "a": 0.25, "b": 0.25}),
        ("b", many, {"r": 0.495, "a": 0.5}),  # What is less likely than 0.01 is left out.
        ("a", few, {"a": 0.5, "b": 0.5}),
        ("b", few, {"r": 0.5, "b": 0.5}),
    ]
    assert model.undecided() == wanted
    assert model.undecided(1.02) == wanted[:2]
    assert model.undecided(0.05) == [*wanted, ("a", many, {"r": 0.991})]
    assert model.undecided(1.6) == []
    # Entries that the training graphs never show are not undecided: nobody has asked.
    untrained = SoftTable(model.state_names, model.aggregation, probabilities, np.array([True, False]))
    assert untrained.undecided() == wanted[2:]


@EXAMPLES
@given(soft_models(), st.floats(0.1, 2.0))
def test_undecided_entries_are_all_trained_ones_with_enough_bits(model, least):
    entropy = model.entropy
    found = model.undecided(least)
    enough = (entropy >= np.float32(least)) & model.trained
    assert len(found) == enough.sum()
    names = {
        (state, model.aggregation.decode(value, model.state_names)): entropy[k, value]
        for k, state in enumerate(model.state_names)
        for value in range(len(model.trained))
    }
    bits = [names[state, seen] for state, seen, _ in found]
    assert bits == sorted(bits, reverse=True)
    assert sorted(bits) == sorted(entropy[enough].tolist())


# ---- files


@EXAMPLES
@given(model=soft_models())
def test_what_is_saved_is_what_is_loaded(model, tmp_path_factory):
    file = tmp_path_factory.mktemp("soft") / "soft.safetensors"
    model.save(file)
    again = SoftTable.load(file)
    assert same(model, again)
    again.save(file)
    assert same(model, SoftTable.load(file))


def test_names_in_any_script_survive(tmp_path):
    model = soft_model(PositionalAggregation(2), 3, names=("größe", "状態", 'a "b", c'))
    model.save(tmp_path / "soft.safetensors")
    assert same(model, SoftTable.load(tmp_path / "soft.safetensors"))


def written(tmp_path, about=None, **arrays):
    """A file like that of ``save``, with some parts changed; None leaves a part out."""
    model = soft_model(AverageThresholdAggregation({1: 0.5}), 2)
    texts = {
        "schema": SCHEMA,
        "states": json.dumps(["a", "b"]),
        "aggregation": json.dumps(model.aggregation.config()),
        **(about or {}),
    }
    tensors = {"probabilities": model.probabilities, "trained": model.trained.astype(np.uint8), **arrays}
    content = save(
        {name: array for name, array in tensors.items() if array is not None},
        {name: text for name, text in texts.items() if text is not None},
    )
    file = tmp_path / "soft.safetensors"
    file.write_bytes(content)
    return file


def test_the_file_that_the_next_tests_change_is_good(tmp_path):
    assert SoftTable.load(written(tmp_path)).state_names == ("a", "b")


ABOUT = {
    "no schema": {"schema": None},
    "another schema": {"schema": "graphfsa.soft/2"},
    "schema of a checkpoint": {"schema": "graphfsa.diff-fsa.checkpoint/1"},
    "no states": {"states": None},
    "states are not JSON": {"states": "a, b"},
    "states are a text": {"states": '"ab"'},
    "states are a number": {"states": "2"},
    "states are null": {"states": "null"},
    "states are numbers": {"states": "[1, 2]"},
    "states are lists": {"states": '[["a"], ["b"]]'},
    "states are repeated": {"states": '["a", "a"]'},
    "states are too few": {"states": '["a"]'},
    "states are too many": {"states": '["a", "b", "c"]'},
    "no states at all": {"states": "[]"},
    "states are nested deeply": {"states": "[" * 100_000},
    "no aggregation": {"aggregation": None},
    "aggregation is not JSON": {"aggregation": "counting"},
    "aggregation is a list": {"aggregation": "[1, 2]"},
    "aggregation is a number": {"aggregation": "1"},
    "aggregation has no name": {"aggregation": '{"bound": 1}'},
    "aggregation is unknown": {"aggregation": '{"name": "adding"}'},
    "aggregation has an unknown field": {"aggregation": '{"name": "counting", "limit": 1}'},
    "aggregation is of another size": {"aggregation": '{"name": "counting", "bound": 1}'},
    "aggregation watches a state that is not there": {
        "aggregation": '{"name": "average-threshold", "thresholds": {"2": [0.5]}}'
    },
    "aggregation has far too many values": {"aggregation": '{"name": "counting", "bound": 1' + "0" * 4000 + "}"},
    "aggregation has a bad bound": {"aggregation": '{"name": "counting", "bound": NaN}'},
    "aggregation is nested deeply": {"aggregation": "[" * 100_000},
}


@pytest.mark.parametrize("case", ABOUT)
def test_texts_that_do_not_belong_to_a_soft_table_are_refused(tmp_path, case):
    file = written(tmp_path, ABOUT[case])
    with pytest.raises(FormatError) as caught:
        SoftTable.load(file)
    assert str(file) in str(caught.value)
    assert len(str(caught.value)) < 1000


GOOD = np.array([[[0.25, 0.75], [1, 0]], [[0, 1], [0.5, 0.5]]], np.float32)


def changed(place, entry):
    table = GOOD.copy()
    table[place] = entry
    return {"probabilities": table}


ARRAYS = {
    "no probabilities": {"probabilities": None},
    "no trained": {"trained": None},
    "sums too large": changed((1, 1), [0.51, 0.5]),
    "sums too small": changed((0, 0), [0.25, 0.74]),
    "sums of nothing": changed((0, 0), [0, 0]),
    "negative": changed((0, 1), [1.5, -0.5]),
    "not a number": changed((1, 0), [np.nan, 1]),
    "infinite": changed((1, 0), [np.inf, 0]),
    "infinite in both directions": changed((1, 0), [np.inf, -np.inf]),
    "two dimensions": {"probabilities": GOOD[0]},
    "values missing": {"probabilities": GOOD[:, :1]},
    "a state missing": {"probabilities": GOOD[:1]},
    "empty": {"probabilities": np.zeros((2, 0, 2), np.float32)},
    "trained too long": {"trained": np.ones(3, np.uint8)},
    "trained for each entry": {"trained": np.ones((2, 2), np.uint8)},
    "complex": {"probabilities": GOOD.astype(np.complex64)},
    "whole numbers": {"probabilities": certain(np.zeros((2, 2), int), 2).astype(np.int32)},
    "truth values": {"probabilities": certain(np.zeros((2, 2), int), 2).astype(bool)},
}


def test_the_probabilities_that_the_next_test_changes_are_good(tmp_path):
    assert (SoftTable.load(written(tmp_path, probabilities=GOOD)).probabilities == GOOD).all()


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_are_no_probabilities_are_refused(tmp_path, case):
    file = written(tmp_path, **ARRAYS[case])
    with pytest.raises(FormatError) as caught:
        SoftTable.load(file)
    assert str(file) in str(caught.value)


def test_the_same_table_is_the_same_file(tmp_path):
    for place in range(6):
        soft_model(CountingAggregation(1), 3).save(tmp_path / f"{place}.safetensors")
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_rounding_does_not_make_a_table_wrong(tmp_path):
    """Softmax in single precision sums up to 1 but for a little."""
    logits = np.random.default_rng(0).normal(0, 5, (2, 2, 2)).astype(np.float32)
    rounded = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True) * np.float32(1 + 1e-6)
    assert (SoftTable.load(written(tmp_path, probabilities=rounded)).probabilities == rounded).all()


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"\x00" * 8, b"\xff" * 64, b"PK\x03\x04" + b"\0" * 60, json.dumps({"schema": SCHEMA}).encode()],
    ids=["nothing", "JSON", "zeros", "ones", "zip", "schema alone"],
)
def test_foreign_files_are_refused(tmp_path, content):
    file = tmp_path / "soft.safetensors"
    file.write_bytes(content)
    with pytest.raises(FormatError, match="not a safetensors file"):
        SoftTable.load(file)


def test_files_of_other_kinds_of_tensors_are_refused(tmp_path):
    file = tmp_path / "other.safetensors"
    file.write_bytes(save({"states": np.zeros(3, np.uint8)}))
    with pytest.raises(FormatError, match=r"the schema must be 'graphfsa.soft/1'; got 'None'"):
        SoftTable.load(file)


def test_an_automaton_is_not_a_soft_table(tmp_path):
    library.distance().save(tmp_path / "distance.json")
    with pytest.raises(FormatError):
        SoftTable.load(tmp_path / "distance.json")


def test_a_file_that_is_not_there_and_a_directory_are_named(tmp_path):
    with pytest.raises(GraphFSAError, match="nowhere"):
        SoftTable.load(tmp_path / "nowhere")
    with pytest.raises(GraphFSAError, match="a directory"):
        SoftTable.load(tmp_path)


def test_every_truncation_is_refused(tmp_path):
    file = written(tmp_path)
    content = file.read_bytes()
    for length in range(len(content)):
        file.write_bytes(content[:length])
        with pytest.raises(FormatError):
            SoftTable.load(file)


def load_or_refuse(file):
    """A model that keeps all promises, or None if the file was refused as malformed; nothing else may happen."""
    try:
        model = SoftTable.load(file)
    except FormatError:
        return None
    states, values = len(model.state_names), model.aggregation.num_values(len(model.state_names))
    assert model.probabilities.shape == (states, values, states)
    assert model.probabilities.dtype == np.float32
    assert model.trained.shape == (values,)
    assert model.trained.dtype == bool
    assert (model.probabilities >= 0).all()
    assert np.allclose(model.probabilities.sum(axis=2), 1, rtol=0, atol=1.1e-3)
    assert np.isfinite(model.entropy).all()
    model.undecided()
    return model


def test_files_with_any_one_byte_changed_are_refused_or_still_soft_tables(tmp_path):
    file = written(tmp_path)
    content = file.read_bytes()
    rng = random.Random(0)
    outcomes = []
    for place in range(len(content)):
        mutated = bytearray(content)
        mutated[place] ^= rng.randrange(1, 256)
        file.write_bytes(mutated)
        outcomes.append(load_or_refuse(file) is None)
    assert 0 < sum(outcomes) < len(outcomes)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    model=soft_models(),
    flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8),
    cut=st.none() | st.floats(0, 1),
)
def test_files_with_several_bytes_changed_are_refused_or_still_soft_tables(model, flips, cut, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "mutated.safetensors"
    model.save(file)
    content = bytearray(file.read_bytes())
    for place, byte in flips:
        content[int(place * len(content))] = byte
    file.write_bytes(content[: int(cut * len(content))] if cut is not None else content)
    load_or_refuse(file)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.sampled_from(["0", "1"]), inner, max_size=3)
    ),
    max_leaves=8,
)
CONFIGS = st.fixed_dictionaries(
    {"name": st.sampled_from(["counting", "positional", "average-threshold"])},
    optional={"bound": JSON, "num_slots": JSON, "thresholds": JSON},
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(states=JSON | st.lists(st.text(max_size=3), max_size=3), aggregation=JSON | CONFIGS)
def test_texts_of_any_content_are_refused_or_make_a_soft_table(states, aggregation, tmp_path_factory):
    about = {"states": json.dumps(states), "aggregation": json.dumps(aggregation)}
    load_or_refuse(written(tmp_path_factory.getbasetemp(), about))


def test_the_file_is_a_plain_safetensors_file(tmp_path):
    model = soft_model(CountingAggregation(1), 2)
    model.save(tmp_path / "soft.safetensors")
    content = (tmp_path / "soft.safetensors").read_bytes()
    arrays = load(content)
    assert sorted(arrays) == ["probabilities", "trained"]
    assert (arrays["probabilities"] == model.probabilities).all()
    assert arrays["trained"].tolist() == model.trained.tolist()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert header["__metadata__"]["schema"] == SCHEMA
