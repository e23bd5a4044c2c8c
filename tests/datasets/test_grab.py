import json

import numpy as np
import pytest

from graphfsa.datasets import (
    Grab,
    describe_grab,
    generate_grab,
    grab,
    grab_config,
    grab_config_names,
    grab_facts,
    load_data,
    overlap,
    save_data,
    visited,
)
from graphfsa.errors import FormatError, GraphFSAError


def save(data, path):
    return save_data(path, data.splits, config=data.config.config(), seed=data.seed, truth=data.config.grab.automaton())


@pytest.mark.parametrize("name", ["paper-1", "paper-2", "paper-3", "paper-4", "paper-5", "grid", "regular", "complete"])
def test_every_split_is_what_the_configuration_says(name):
    config = grab_config(name)
    data = generate_grab(config, 0)
    truth = config.grab.automaton()
    assert data.splits.keys() == config.parts.keys()
    for split, part in config.parts.items():
        examples = data.splits[split]
        assert len(examples) == part.count
        assert set(examples.sizes.tolist()) == set(part.sizes)
        assert (examples.steps == part.steps).all()
        assert examples.accuracy(truth) == 1.0
        shares = [graph.mean() for graph in examples.graphs.split(examples.mask)]
        assert min(shares) >= part.keep / 100
        assert 0 < data.acceptance[split] <= 1
        last = examples.graphs.split(examples.inputs == config.grab.num_starting - 1)
        assert all(graph.any() for graph in last)
    if data.divided:
        assert not any(overlap(data.splits["train"], data.splits[split]).any() for split in ("validation", "ood"))


def test_all_names():
    assert {"paper-1", "paper-5", "tree", "grid", "complete", "regular", "erdos-renyi", "path", "cycle"} <= set(
        grab_config_names()
    )
    with pytest.raises(GraphFSAError, match="paper-1"):
        grab_config("paper-6")
    truths = {grab_config(f"paper-{k}").grab.automaton().digest for k in range(1, 6)}
    assert len(truths) == 5


def test_truths_are_as_drawn():
    dense, sparse = (Grab(truth=kind, num_states=6, truth_seed=3).automaton() for kind in ("dense", "sparse"))
    for truth in (dense, sparse):
        assert truth.final_states == (0, 1)
        assert truth.starting_states == (2, 3)
        assert truth.state_names == ("f0", "f1", "s0", "s1", "m0", "m1")
    assert all(len(np.unique(row)) == 6 for row in dense.transition_table[2:])
    assert all(len(np.unique(row)) == 3 for row in sparse.transition_table[2:])
    stays = (sparse.transition_table[2:] == np.arange(2, 6)[:, None]).mean()
    assert 0.1 < stays < 0.3


def test_a_truth_that_never_ends_is_an_error_that_helps():
    with pytest.raises(
        GraphFSAError, match=r"truth 11 can't fill a split of 100 graphs of 50 nodes.*truth-seed.*sparse"
    ):
        Grab(truth_seed=11, keep=70).generate(50, 100, np.random.default_rng(1), steps=60)


def test_covering_visits_what_can_be_found():
    config = grab_config("paper-3")
    plain, covering = generate_grab(config, 0), generate_grab(config, 0, training="covering")
    grab = config.grab
    before, after = (visited(grab.automaton(), data.splits["train"])[2:] for data in (plain, covering))
    assert before.sum() < after.sum() == after.size - len(covering.unseen)
    assert covering.unseen == []
    assert covering.splits["train"].accuracy(grab.automaton()) == 1.0
    assert not overlap(covering.splits["train"], covering.splits["validation"]).any()


def test_storage_round_trip_is_exact_and_repeatable(tmp_path):
    data = generate_grab(grab_config("paper-1"), 7)
    digests = {save(data, tmp_path / name).manifest["digest"] for name in ("a", "b", "a")}
    assert len(digests) == 1
    stored = load_data(tmp_path / "a")
    assert stored.truth == data.config.grab.automaton()
    assert stored.names == list(data.splits)
    for name, examples in data.splits.items():
        assert stored.split(name).digest == examples.digest
    with pytest.raises(GraphFSAError, match="train"):
        stored.split("nothing")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_other_data_are_not_overwritten(tmp_path):
    save(generate_grab(grab_config("paper-1"), 0), tmp_path / "d")
    before = {path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()}
    with pytest.raises(GraphFSAError, match="holds something else"):
        save(generate_grab(grab_config("paper-1"), 1), tmp_path / "d")
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()}
    (tmp_path / "mine").mkdir()
    with pytest.raises(GraphFSAError, match="holds something else"):
        save(generate_grab(grab_config("paper-1"), 0), tmp_path / "mine")
    with pytest.raises(GraphFSAError, match="no directory"):
        save(generate_grab(grab_config("paper-1"), 0), tmp_path / "no" / "where")


def test_the_digest_is_the_same_on_every_machine(tmp_path):
    stored = save(generate_grab(grab_config("paper-1"), 0), tmp_path / "d")
    assert stored.manifest["splits"]["train"]["digest"].startswith("05398dd2f0668b90")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.update(schema="x"), "schema"),
        (lambda m: m.pop("splits"), "splits"),
        (lambda m: m["splits"]["train"].update(file="../x"), "file beside the manifest"),
        (lambda m: m["task"].pop("kind"), "task"),
        (lambda m: m["task"].update(kind="x"), "task"),
        (lambda m: m.update(digest="abc"), "digest"),
        (lambda m: m["splits"]["train"].update(file=""), "file beside the manifest"),
    ],
)
def test_damaged_manifests_are_refused(tmp_path, change, words):
    save(generate_grab(grab_config("paper-1"), 0), tmp_path / "d")
    path = tmp_path / "d" / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
    with pytest.raises(FormatError, match=words):
        load_data(tmp_path / "d")


def test_damaged_splits_are_refused(tmp_path):
    stored = save(generate_grab(grab_config("paper-1"), 0), tmp_path / "d")
    path = tmp_path / "d" / stored.manifest["splits"]["train"]["file"]
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(FormatError):
        load_data(tmp_path / "d").split("train")
    path.write_bytes(b"nothing")
    with pytest.raises(FormatError, match="not a split"):
        load_data(tmp_path / "d").split("train")
    path.unlink()
    with pytest.raises(GraphFSAError):
        load_data(tmp_path / "d").split("train")


def test_one_call_makes_a_benchmark(tmp_path):
    told = []
    data = grab("paper-1", seed=7, out=tmp_path / "d", progress=told.append)
    stored = load_data(tmp_path / "d")
    assert told == list(data.splits) == stored.names
    assert data.digest == stored.manifest["digest"]
    assert (data.truth, data.notes) == (stored.truth, stored.manifest["notes"])
    assert data.facts() == grab_facts(tmp_path / "d")
    assert data.describe() == describe_grab(tmp_path / "d")
    assert data.describe().splitlines()[4].split()[:4] == ["split", "graphs", "nodes", "kept"]
    assert {name: part.digest for name, part in data.splits.items()} == {
        name: part.digest for name, part in generate_grab(grab_config("paper-1"), 7).splits.items()
    }


def test_options_of_the_truth_are_keywords():
    data = grab(family="path", num_states=5, truth_seed=9)
    assert data.config.grab == Grab(family="path", num_states=5, truth_seed=9)
    assert data.truth.num_states == 5
    covering = grab("paper-3", covering=True)
    assert covering.covering
    assert covering.digest != grab("paper-3").digest
    assert len(covering.splits["train"]) > 1000
    assert grab(grab_config("paper-1")).digest == grab("paper-1").digest


@pytest.mark.parametrize(
    ("config", "options", "words"),
    [
        (None, {}, "give either the name of a configuration or a family"),
        ("paper-1", {"family": "path"}, "give either the name of a configuration or a family"),
        ("paper-1", {"keep": 101}, "keep must be an integer from 0 to 100; got 101"),
        ("paper-1", {"states": 3}, "unknown option 'states' of grab; valid options: family, num_states"),
        ("paper-1", {"num_states": 2.5}, "option num_states must be an int; got float"),
        ("paper-1", {"seed": -1}, "seed must be an integer >= 0; got -1"),
        ("paper-7", {}, "unknown GRAB configuration 'paper-7'"),
    ],
)
def test_bad_requests_are_refused(config, options, words):
    with pytest.raises(GraphFSAError) as error:
        grab(config, **options)
    assert words in str(error.value)
