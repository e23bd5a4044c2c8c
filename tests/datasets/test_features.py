"""Labelled graphs with features: data sets that measure them, files, and NetworkX graphs."""

import json

import networkx as nx
import numpy as np
import pytest

from graphfsa import as_examples
from graphfsa.datasets import (
    FeatureDataset,
    FeatureExamples,
    NoisyDistance,
    ThresholdContagion,
    Voronoi,
    as_feature_examples,
    as_labelled,
    contradictions,
    dataset_class,
    dataset_names,
    describe_data,
    export_data,
    read_jsonl,
    training_data,
    write_jsonl,
)
from graphfsa.errors import FormatError, GraphFSAError

MEASURED = [name for name in dataset_names() if issubclass(dataset_class(name), FeatureDataset)]
LINE = {"num_nodes": 2, "edges": [[0, 1]], "labels": ["even", "odd"], "features": {"x": [0.9, 0.1], "y": [0, -1]}}


def test_three_data_sets_measure_features():
    assert MEASURED == ["noisy-distance", "threshold-contagion", "voronoi"]


@pytest.mark.parametrize("name", MEASURED)
def test_features_follow_the_seed_and_tell_no_inputs(name):
    one, same, other = (training_data(name, inputs="continuous", count=40, seed=seed) for seed in (1, 1, 2))
    assert one.measured.digest == same.measured.digest != other.measured.digest
    assert one.measured.names == dataset_class(name).feature_names
    assert len(one.train.task.inputs) < len(dataset_class(name)().task.inputs)
    assert (one.measured.features >= 0).all()
    assert (one.measured.features <= 1).all()


def test_features_are_on_their_side_of_the_gap():
    rng = np.random.default_rng(0)
    inputs = rng.integers(0, 2, 10_000)
    signal = NoisyDistance(cut=0.4, gap=0.2).measure(inputs, rng)[:, 0]
    assert signal[inputs == 0].max() <= 0.3
    assert signal[inputs == 1].min() >= 0.5
    strength, hue = Voronoi(gap=0.1).measure(inputs * 2, rng).T
    assert strength[inputs == 1].min() >= 0.65
    assert hue[inputs == 1].min() >= 0.55
    assert hue[inputs == 0].min() < 0.1 < 0.9 < hue[inputs == 0].max()
    resistance = ThresholdContagion().measure(inputs, rng)[:, 0]
    assert resistance[inputs == 0].max() <= 0.45 < 0.55 <= resistance[inputs == 1].min()


@pytest.mark.parametrize("name", MEASURED)
def test_a_file_gives_back_the_same_features(name, tmp_path):
    path = tmp_path / "d.jsonl"
    measured = training_data(name, inputs="continuous", count=30).measured
    write_jsonl(path, measured)
    evolves = measured.examples.task.kind == "evolution"
    read = as_labelled(path, steps=1 if evolves else None, name=measured.examples.task.name)
    assert isinstance(read, FeatureExamples)
    assert (read.features == measured.features).all()
    assert read.names == measured.names
    assert read.examples.graphs.graph.digest == measured.examples.graphs.graph.digest
    assert read.examples.steps.tolist() == measured.examples.steps.tolist()


def test_a_line_may_leave_out_the_inputs(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(LINE))
    read = as_feature_examples(path)
    assert read.names == ("x", "y")
    assert read.features.tolist() == [[0.9, 0], [0.1, -1]]
    assert read.examples.task.inputs == ("node",)
    facts = describe_data(path)
    assert facts["features"] == ["x", "y"]
    assert facts["contradictions"] == []


def test_traces_have_the_features_of_each_step(tmp_path):
    path = tmp_path / "d.jsonl"
    trace = [["ill", "well"], ["ill", "well"], ["ill", "ill"]]
    path.write_text(json.dumps({"num_nodes": 2, "edges": [[0, 1]], "trace": trace, "features": {"x": [1, 2]}}))
    read = read_jsonl(path).measured
    assert len(read) == 2
    assert read.features.tolist() == [[1], [2], [1], [2]]


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ({"x": [0.9]}, r"features.x' must be a list of one number per node, 2; got 1"),
        ({"x": [0.9, "a"]}, r"features.x\[1\] must be a finite number; got 'a'"),
        ({"x": [0.9, True]}, r"features.x\[1\] must be a finite number"),
        ({"x": [0.9, 1e999]}, "line 2.*features.x.* must be a finite number|not JSON"),
        ({"x": 0.9}, "must be a list of one number per node"),
        ({"z": [1, 2], "y": [1, 2]}, "must be the same for all graphs, and at least one; line 1 has 'x', 'y'"),
        ({}, "must be the same for all graphs"),
        ([1, 2], "'features' must be an object"),
        (None, "must be the same for all graphs"),
    ],
)
def test_bad_features_are_named_with_their_line(features, words, tmp_path):
    path = tmp_path / "d.jsonl"
    fields = {**LINE, "inputs": ["a", "a"], "features": features}
    if features is None:
        del fields["features"]
    elif isinstance(features, dict) and "x" in features:
        fields["features"] = {**features, "y": [1, 2]}
    path.write_text(json.dumps(LINE) + "\n" + json.dumps(fields))
    with pytest.raises(FormatError, match=words) as found:
        read_jsonl(path)
    assert "line 2" in str(found.value)


def test_nan_is_no_number(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({**LINE, "features": {"x": [float("nan"), 1], "y": [1, 2]}}))
    with pytest.raises(FormatError, match="NaN"):
        read_jsonl(path)


def test_features_are_not_taken_for_inputs(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(LINE))
    with pytest.raises(GraphFSAError, match=r"have features \(x, y\).*--inputs continuous"):
        as_examples(path)
    with pytest.raises(GraphFSAError, match="have no features"):
        as_feature_examples(training_data("distance", count=5).train)
    with pytest.raises(GraphFSAError, match="the nodes of distance have no features"):
        training_data("distance", inputs="continuous")
    with pytest.raises(GraphFSAError, match="inputs must be one of classes, continuous"):
        training_data("distance", inputs="numbers")


def test_networkx_attributes_are_features():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 0.9, 1: np.float32(0.5), 2: 1}, "x")
    nx.set_node_attributes(graph, "even", "label")
    found = as_feature_examples([graph], ["x"])
    assert found.features[:, 0].tolist() == [0.9, 0.5, 1.0]
    assert "input" not in graph.nodes[0]
    graph.nodes[1]["x"] = float("inf")
    with pytest.raises(GraphFSAError, match="graph 0: node 1: attribute 'x' must be a finite number"):
        as_feature_examples([graph], ["x"])
    with pytest.raises(GraphFSAError, match="graph 0: node 0: attribute 'y' must be a finite number; got nothing"):
        as_feature_examples([graph], ["y"])
    with pytest.raises(GraphFSAError, match="features goes with NetworkX graphs"):
        as_feature_examples(training_data("distance", count=5).train, ["x"])


def test_parts_keep_their_features():
    measured = training_data("voronoi", inputs="continuous", count=20).measured
    part = measured.select([3, 0])
    offsets = measured.examples.graphs.offsets
    expected = [measured.features[offsets[graph] : offsets[graph + 1]] for graph in (3, 0)]
    assert (part.features == np.concatenate(expected)).all()
    assert part.examples.digest == measured.examples.select([3, 0]).digest
    with pytest.raises(GraphFSAError, match="one row per node"):
        FeatureExamples(measured.examples, measured.features[1:], measured.names)
    with pytest.raises(GraphFSAError, match="distinct names"):
        FeatureExamples(measured.examples, measured.features, ["x", "x"])
    with pytest.raises(GraphFSAError, match="the name of a feature must be printable"):
        FeatureExamples(measured.examples, measured.features, ["x\x1b[31m"])


@pytest.mark.parametrize("name", ["", " x", "x\ny", "x\x1b[31m"])
def test_names_of_features_can_stand_in_words(name, tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({**LINE, "features": {name: [0.9, 0.1]}}))
    with pytest.raises(FormatError, match="line 1: the name of a feature must be printable"):
        read_jsonl(path)


def test_exported_features_hide_the_inputs(tmp_path):
    path = tmp_path / "d.jsonl"
    export_data("threshold-contagion", path, sizes=[6], count=20, steps=1, inputs="continuous")
    read = read_jsonl(path, steps=1).measured
    assert read.examples.task.inputs == ("ill", "well")
    assert not contradictions(training_data("threshold-contagion", count=20).train)
    with pytest.raises(GraphFSAError, match="have no features"):
        export_data("distance", path, inputs="continuous")


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: NoisyDistance(cut=0.9, gap=0.3), "gap must be less than 0.2"),
        (lambda: NoisyDistance(cut=1.5), "cut must be"),
        (lambda: NoisyDistance(gap=-1), "gap must be"),
        (lambda: Voronoi(sources=0), "sources must be above 0 and below 1"),
    ],
)
def test_gaps_that_leave_no_room_are_refused(build, words):
    with pytest.raises(GraphFSAError, match=words):
        build()
