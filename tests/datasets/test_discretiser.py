"""Thresholds as trees: what they answer, what they look like, their files, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphfsa import Graph
from graphfsa.datasets import Cut, Discretiser, node_features
from graphfsa.errors import FormatError, GraphFSAError

NUMBERS = st.floats(-100, 100) | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0])


@st.composite
def trees(draw, num_features, num_classes, depth=4):
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.integers(0, num_classes - 1))
    low, high = draw(trees(num_features, num_classes, depth - 1)), draw(trees(num_features, num_classes, depth - 1))
    at = draw(st.floats(-1e300, 1e300))
    return Cut(draw(st.integers(0, num_features - 1)), at, low, high, (at, float(np.nextafter(at, np.inf))))


def leaves(tree):
    return {tree} if isinstance(tree, int) else leaves(tree.low) | leaves(tree.high)


def numbered(tree, numbers):
    if isinstance(tree, int):
        return numbers[tree]
    return Cut(tree.feature, tree.at, numbered(tree.low, numbers), numbered(tree.high, numbers), tree.gap)


@st.composite
def discretisers(draw):
    num_features, num_given = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    found = [draw(trees(num_features, 5)) for _ in range(num_given)]
    used = sorted(set().union(*map(leaves, found)))
    numbers = {leaf: place for place, leaf in enumerate(used)}
    return Discretiser(
        tuple("xyz"[:num_features]),
        tuple(f"class {place}" for place in range(len(used))),
        tuple(numbered(tree, numbers) for tree in found),
        tuple(f"input {place}" for place in range(num_given)),
    )


def plain_class(tree, row):
    while isinstance(tree, Cut):
        tree = tree.high if row[tree.feature] > tree.at else tree.low
    return tree


@given(discretisers(), st.data())
def test_classes_are_those_of_the_plain_walk_down_the_tree(discretiser, data):
    count = data.draw(st.integers(0, 6))
    # Numbers on the thresholds themselves, too.
    number = NUMBERS | st.sampled_from([cut.at for cut in discretiser.cuts] or [0.0])
    rows = data.draw(st.lists(st.lists(number, min_size=len(discretiser.features), max_size=len(discretiser.features)),
                              min_size=count, max_size=count))  # fmt: skip
    inputs = data.draw(
        st.lists(st.integers(0, len(discretiser.given) - 1), min_size=count, max_size=count).map(np.array)
    )
    found = discretiser.classes(np.array(rows).reshape(count, -1) if count else [], inputs.astype(int))
    expected = [plain_class(discretiser.trees[one], row) for one, row in zip(inputs, rows, strict=True)]
    assert found.tolist() == expected
    assert found.dtype == np.uint8


@given(discretisers())
def test_a_file_gives_back_the_same(discretiser):
    assert Discretiser.from_config(json.loads(json.dumps(discretiser.config()))) == discretiser


@given(discretisers())
def test_words_name_each_class_once(discretiser):
    lines = str(discretiser).split("\n")
    assert [line.split(" if ")[0] for line in lines] == list(discretiser.names)


def test_words_join_what_is_said_about_a_feature():
    band = Cut(0, 0.2, 0, Cut(0, 0.8, 1, 0, (0.79, 0.81)), (0.19, 0.21))
    assert str(Discretiser(("x",), ("out", "in"), (band,))) == "out if x <= 0.2 or x > 0.8\nin if 0.2 < x <= 0.8"
    two = Discretiser(("x",), ("ill", "weak", "strong"), (0, Cut(0, 1 / 3, 1, 2, (0.3, 0.4))), ("ill", "well"))
    assert str(two).split("\n")[1] == "weak if the input is well and x <= 0.33"
    assert two.gaps() == ["x: 0.33, from 0.3 to below 0.4"]


HALF = Cut(0, 0.5, 0, 1, (0.4, 0.6))
WRONG = [
    ((("x",), ("a", "b"), (0,)), "no leaf of the discretiser is the input class 'b'"),
    ((("x",), ("a", "a"), (HALF,)), "distinct names"),
    (((), ("a", "b"), (HALF,)), "features of a discretiser must be 1 to"),
    ((("x",), ("a", "b"), (HALF, HALF)), "a tree for each input, 1; got 2"),
    ((("x",), ("a", "b"), (Cut(1, 0.5, 0, 1, (0.4, 0.6)),)), "feature of a cut must be an integer from 0 to 0; got 1"),
    ((("x",), ("a", "b"), (Cut(0, 0.7, 0, 1, (0.4, 0.6)),)), "within its gap, at least 0.4 and below 0.6; got 0.7"),
    ((("x",), ("a", "b"), (Cut(0, float("nan"), 0, 1, (0.4, 0.6)),)), "finite number within its gap"),
    ((("x",), ("a", "b"), (Cut(0, 0.5, 0, 2, (0.4, 0.6)),)), "leaf of a discretiser must be an integer from 0 to 1"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_what_is_no_discretiser_is_refused(arguments, words):
    with pytest.raises(GraphFSAError, match=words):
        Discretiser(*arguments)


def test_deep_trees_are_refused_and_do_not_overflow():
    tree, config = 0, 0
    for _ in range(5000):
        tree = Cut(0, 0.5, tree, 1, (0.4, 0.6))
        config = {"feature": 0, "cut": 0.5, "gap": [0.4, 0.6], "low": config, "high": 1}
    with pytest.raises(GraphFSAError, match="at most 32 cuts above each other"):
        Discretiser(("x",), ("a", "b"), (tree,))
    with pytest.raises(FormatError, match="at most 32 cuts above each other"):
        Discretiser.from_config({"features": ["x"], "inputs": ["node"], "classes": ["a", "b"], "trees": [config]})


BROKEN = [
    ({"trees": [0.5]}, "must be the number of an input class, or a cut"),
    ({"trees": [{"feature": 0, "cut": 0.5, "low": 0, "high": 1}]}, "field 'gap' is missing"),
    ({"trees": [{"feature": 0, "cut": "0.5", "gap": [0, 1], "low": 0, "high": 1}]}, "'cut' must be a number"),
    ({"trees": [{"feature": -1, "cut": 0.5, "gap": [0, 1], "low": 0, "high": 1}]}, "'feature' must be an integer >= 0"),
    ({"features": ["x", "x"]}, "distinct names"),
    ({"features": ["x\x1b[31m"]}, "m.json: discretiser: the name of a feature must be printable"),
    ({"more": 1}, "unknown field 'more'"),
]


@pytest.mark.parametrize(("change", "words"), BROKEN)
def test_a_broken_file_is_named(change, words):
    good = Discretiser(("x",), ("a", "b"), (HALF,)).config()
    with pytest.raises(FormatError, match=words) as found:
        Discretiser.from_config({**good, **change}, "m.json: discretiser")
    assert str(found.value).startswith("m.json: discretiser")


PATH = Graph.from_edges(3, [(0, 1), (1, 2)])


@pytest.mark.parametrize(
    "features",
    [
        [[1, 2], [3, 4], [5, 6]],
        {0: [1, 2], 1: (3, 4), 2: {"y": 6, "x": 5}},
        np.array([[1, 2], [3, 4], [5, 6]], np.int8),
    ],
)
def test_features_are_read_from_what_people_write(features):
    assert node_features(("x", "y"), PATH, features).tolist() == [[1, 2], [3, 4], [5, 6]]


def test_a_dict_may_leave_nodes_to_the_default():
    assert node_features(("x",), PATH, {1: 0.9}, 0.1).tolist() == [[0.1], [0.9], [0.1]]


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ([[1, 2], [3, 4]], "one row per node, 3; got 2"),
        ([1, 2, 3], r"2 numbers for each node \(x, y\); got shape \[3\]"),
        ([[1, 2, 3]] * 3, r"2 numbers for each node .* got shape \[3, 3\]"),
        ([[1, float("nan")]] * 3, "feature 'y' of node 0 must be a finite number; got nan"),
        ([[1, 2], [1, 2], [float("inf"), 2]], "feature 'x' of node 2 must be a finite number; got inf"),
        ([["a", "b"]] * 3, "features must be numbers; got something else"),
        ([[1, 2], [1], [1, 2]], "no array of numbers"),
        ({0: [1, 2], 1: [3, 4]}, "node 2 has none"),
        ({0: [1], 1: [3, 4], 2: [5, 6]}, "features of node 0 must be 2 numbers"),
        ({0: {"x": 1}, 1: [3, 4], 2: [5, 6]}, "features of node 0 must be x, y"),
        ({7: [1, 2]}, "features: .*7"),
    ],
)
def test_features_that_are_none_are_named(features, words):
    with pytest.raises(GraphFSAError, match=words):
        node_features(("x", "y"), PATH, features)
