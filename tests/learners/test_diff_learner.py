"""Diff-FSA: what it finds, that it is the same every time, what is known beforehand, and going on after an end."""

import contextlib
import json
import sys

import numpy as np
import pytest

from graphfsa import (
    CountingAggregation,
    DiffFSA,
    GraphFSA,
    GraphFSAError,
    LettersAggregation,
    PositionalAggregation,
    library,
)
from graphfsa.aggregations import Sum
from graphfsa.datasets import Examples, Task, dataset_class, draw, draw_training, generate_grab, grab_config
from graphfsa.errors import FormatError, LimitError, MissingExtraError, UnknownNameError
from graphfsa.files import read_tensors, write_tensors
from graphfsa.graphs import Graph, GraphBatch
from graphfsa.learners import _torch, learner_class
from graphfsa.learners.diff_fsa import _fit
from graphfsa.learners.diff_fsa._checkpoint import SCHEMA
from graphfsa.learners.diff_fsa._training import Training

SHORT = {"updates": 40, "repair": 200, "harvest": 100}


def graphs_of(name, seed=0, count=400, steps=None, **options):
    return draw_training(dataset_class(name)(**options), np.random.default_rng(seed), count=count, steps=steps)


@pytest.fixture(scope="module")
def distance():
    return graphs_of("distance")


@pytest.mark.parametrize(
    ("name", "steps", "tests"),
    [
        ("distance", None, [(50, None)]),
        ("root-value", None, [(50, None)]),
        ("life", 2, [(100, 1), (100, 50)]),
        ("hex-life", 2, [(100, 1), (100, 50)]),
        ("wireworld", 1, [(100, 50)]),
        ("elementary", 2, [(10, 50)]),
    ],
)
def test_tasks_are_learned_exactly(name, steps, tests):
    dataset = dataset_class(name)()
    train = graphs_of(name, count=2000, steps=steps)
    found = DiffFSA().fit(train, seed=3)
    assert found.verdict == "exact"
    assert found.provenance.train_accuracy == train.accuracy(found.automaton) == 1
    for size, after in tests:
        assert draw(dataset, size, 20, np.random.default_rng(1), "test", steps=after).accuracy(found.automaton) == 1


@pytest.mark.slow
def test_prefix_sum_with_validation():
    dataset = dataset_class("prefix-sum")()
    train = draw_training(dataset, np.random.default_rng(5))
    held = dataset.generate(7, 20, np.random.default_rng(6))
    found = DiffFSA().fit(train, held, seed=5)
    assert (found.verdict, found.provenance.validation_accuracy, found.provenance.details["solved"] > 0) == (
        "exact",
        1.0,
        True,
    )
    assert dataset.generate(60, 20, np.random.default_rng(7)).accuracy(found.automaton) == 1
    graph = next(iter(held))
    assert np.array_equal(found.predict(graph.graph, graph.inputs, steps=graph.steps), graph.labels)


def test_grab_with_the_published_sizes():
    data = generate_grab(grab_config("paper-3"), 0)
    found = DiffFSA(states=(5, 5), bound=2).fit(data.splits["train"], data.splits["validation"], seed=0)
    assert (found.verdict, found.automaton.num_states) == ("exact", 5)
    assert data.splits["n=100"].accuracy(found.automaton) > 0.9


def test_the_published_training_learns_distance():
    dataset = dataset_class("distance")()
    train = draw_training(dataset, np.random.default_rng(0), split="train")
    found = DiffFSA("paper").fit(train, dataset.generate(7, 20, np.random.default_rng(1)))
    assert found.automaton.aggregation == CountingAggregation(1)
    assert found.automaton.num_states == 4
    assert dataset.generate(40, 20, np.random.default_rng(2)).accuracy(found.automaton, steps=80) == 1
    assert found.history[0]["validation_loss"] >= 0


def test_a_seed_gives_one_automaton_whatever_the_number_of_threads(distance):
    import torch

    before = torch.get_num_threads()
    digests, histories = set(), []
    try:
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            found = DiffFSA(**SHORT).fit(distance, seed=9)
            digests.add(found.automaton.digest)
            histories.append([{**record, "seconds": 0} for record in found.history])
        assert torch.get_num_threads() == 5
    finally:
        torch.set_num_threads(before)
    assert len(digests) == 1
    assert histories[0] == histories[1] == histories[2]
    assert [{**r, "seconds": 0} for r in DiffFSA(**SHORT).fit(distance, seed=10).history] != histories[0]


def test_both_implementations_learn_alike():
    train = graphs_of("distance", count=20)
    options = {"updates": 5, "check": 5, "restarts": 4, "repair": 0, "batch": 4, "simplify": False}
    one, other = (DiffFSA(implementation=name, **options).fit(train) for name in ("compiled", "torch"))
    assert one.history[0]["loss"] == pytest.approx(other.history[0]["loss"], abs=1e-3)


@pytest.mark.parametrize("kind", ["average-threshold", "positional", "counting"])
def test_every_aggregation_can_be_trained(kind):
    """Each node shall tell what is on its left: only a node with slots can; the others do as well as they can."""
    rng = np.random.default_rng(0)
    rows = [Graph([0, 1, 3, 5, 6], [1, 0, 2, 1, 3, 2], [1, 0, 1, 0, 1, 0])] * 30
    inputs = rng.integers(0, 2, (30, 4))
    labels = np.concatenate([np.zeros((30, 1), int), inputs[:, :-1]], axis=1)
    task = Task("left", "classes", ("0", "1"), ("a", "b"))
    train = Examples(task, GraphBatch.of(rows), inputs.ravel(), labels.ravel(), steps=2)
    found = DiffFSA(aggregation=kind, states=4, updates=60, repair=100).fit(train)
    assert (found.verdict == "exact") == (kind == "positional")
    if kind == "positional":
        assert found.automaton.aggregation == PositionalAggregation(2)


def test_letters_are_trained_and_refined_with_the_states_in_any_order(distance):
    seen = LettersAggregation((Sum("count", 1, (1, 0, 0, 1)), Sum("count", 1, (0, 1))))
    found = DiffFSA(states=4, aggregation=seen, restarts=8).fit(distance, seed=1)
    assert found.verdict == "exact"
    assert found.automaton.aggregation == seen
    order = [3, 1, 0, 2]
    moved, values = seen.restricted(order, 4)
    table = np.argsort(order)[found.automaton.transition_table[order][:, values]]
    names = [found.automaton.state_names[state] for state in order]
    turned = GraphFSA(names, moved, table, starting_states=["node", "root"], final_states=["even", "odd"])
    again = DiffFSA(**SHORT).fit(distance, initial=turned)
    assert (again.verdict, again.automaton.aggregation) == ("exact", seen)


def test_an_automaton_to_begin_with_is_refined(distance):
    right = library.distance()
    wrong = right.with_entry(2, int(right.aggregation.encode([0], [], 4)), 2)
    assert distance.accuracy(wrong) < 1
    found = DiffFSA(restarts=4).fit(distance, initial=wrong, seed=1)
    assert found.verdict == "exact"
    assert found.automaton.state_names == right.state_names
    kept = DiffFSA(**SHORT).fit(distance, initial=right)
    assert (kept.verdict, kept.history[0]["solved"] >= 1) == ("exact", True)


def test_what_is_known_stays_as_it_is(distance):
    learner = DiffFSA(states=4, bound=1, harvest=2)
    free = learner.fit(distance, seed=2).automaton.transition_table
    known = np.full((4, 16), -1)
    known[2, 0] = (free[2, 0] + 1) % 4  # What a node without neighbours does: no training graph tells.
    known[3] = 0  # The root is even, whatever it sees.
    found = learner.fit(distance, known=known, seed=2)
    table = found.automaton.transition_table
    assert found.verdict == "exact"
    assert (table[known >= 0] == known[known >= 0]).all()
    assert found.soft.probabilities[3, :, 0].min() > 0.999


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (np.full((4, 3), -1), "shape"),
        (np.full((4, 16), 4), "successors in 0 .. 3"),
        (np.full((4, 16), 0.5), "successors"),
        (np.full((4, 16), 1), "final"),
    ],
)
def test_impossible_knowledge_is_refused(distance, known, words):
    with pytest.raises(GraphFSAError, match=words):
        DiffFSA(states=4, bound=1).fit(distance, known=known)


def test_an_automaton_for_another_task_is_refused(distance):
    with pytest.raises(GraphFSAError, match="distance has the classes even, odd"):
        DiffFSA().fit(distance, initial=library.prefix_sum())
    with pytest.raises(GraphFSAError, match="validation graphs must be of the task distance"):
        DiffFSA().fit(distance, graphs_of("root-value", count=20))


def test_states_in_another_order_are_put_in_ours(distance):
    """Starting states first, final ones last: the same automaton, numbered differently."""
    order = [2, 3, 0, 1]
    plain = library.distance()
    _, values = plain.aggregation.restricted(order, 4)
    table = np.argsort(order)[plain.transition_table[order][:, values]]
    names = [plain.state_names[k] for k in order]
    turned = GraphFSA(names, plain.aggregation, table, starting_states=[0, 1], final_states=[2, 3])
    assert distance.accuracy(turned) == 1
    found = DiffFSA(**SHORT).fit(distance, initial=turned)
    assert found.automaton.state_names == plain.state_names
    assert found.history[0]["solved"] >= 1


# ---- checkpoints


class Stopped(Exception):
    pass


def stop_after(looks):
    seen = []

    def watch(record):
        seen.append(record)
        if len(seen) == looks:
            raise Stopped

    return watch


@pytest.mark.parametrize("preset", ["strong", "paper"])
@pytest.mark.parametrize("looks", [1, 2, 4])
def test_a_training_that_was_stopped_goes_on_as_if_nothing_had_happened(tmp_path, preset, looks):
    train = graphs_of("distance", count=120)
    held = graphs_of("distance", seed=4, count=20)
    options = {"updates": 100, "repair": 300, "harvest": 100} if preset == "strong" else {"epochs": 5, "noise": 1.0}
    learner = DiffFSA(preset, **options)
    whole = learner.fit(train, held, seed=8, checkpoint=tmp_path / "whole")
    with pytest.raises(Stopped):
        learner.fit(train, held, seed=8, checkpoint=tmp_path / "part", watch=stop_after(looks))
    again = learner.fit(train, held, seed=8, checkpoint=tmp_path / "part", resume=True)
    assert again.automaton.digest == whole.automaton.digest
    assert np.array_equal(again.soft.probabilities, whole.soft.probabilities)
    assert [again.provenance.details[name] for name in ("updates", "solved")] == [
        whole.provenance.details[name] for name in ("updates", "solved")
    ]
    plain = [{**record, "seconds": 0} for record in whole.history]
    assert [{**record, "seconds": 0} for record in again.history] == plain
    written = [json.loads(line) for line in (tmp_path / "part" / "history.jsonl").read_text().splitlines()]
    assert [{**record, "seconds": 0} for record in written] == plain


def test_a_training_that_is_done_can_be_resumed(tmp_path, distance):
    done = DiffFSA(**SHORT).fit(distance, checkpoint=tmp_path)
    again = DiffFSA(**SHORT).fit(distance, checkpoint=tmp_path, resume=True)
    assert again.automaton.digest == done.automaton.digest


def test_checkpoints_of_others_and_damaged_ones_are_refused(tmp_path, distance):
    learner = DiffFSA(**SHORT)
    learner.fit(distance, checkpoint=tmp_path)
    file = tmp_path / "checkpoint.safetensors"
    content = file.read_bytes()
    with pytest.raises(GraphFSAError, match="holds a training already"):
        learner.fit(distance, checkpoint=tmp_path)
    with pytest.raises(GraphFSAError, match="seed was 0"):
        learner.fit(distance, seed=1, checkpoint=tmp_path, resume=True)
    with pytest.raises(GraphFSAError, match="training graphs was"):
        learner.fit(graphs_of("distance", seed=1), checkpoint=tmp_path, resume=True)
    with pytest.raises(GraphFSAError, match=r"rate was 0\.15"):
        DiffFSA(**SHORT, rate=0.2).fit(distance, checkpoint=tmp_path, resume=True)
    for damaged in (b"", content[:100], content[:-7], b"x" * 200):
        file.write_bytes(damaged)
        with pytest.raises(FormatError, match=r"checkpoint\.safetensors"):
            learner.fit(distance, checkpoint=tmp_path, resume=True)
    found = DiffFSA(**SHORT).fit(distance)
    found.soft.save(file)
    with pytest.raises(FormatError, match="schema"):
        learner.fit(distance, checkpoint=tmp_path, resume=True)
    with pytest.raises(GraphFSAError, match="directory"):
        learner.fit(distance, checkpoint=file)
    with pytest.raises(GraphFSAError, match="which directory"):
        learner.fit(distance, resume=True)


def test_a_flipped_byte_in_a_checkpoint_never_ends_in_another_error(tmp_path):
    train = graphs_of("distance", count=60)
    learner = DiffFSA(updates=20, repair=0, restarts=2, batch=2)
    learner.fit(train, checkpoint=tmp_path)
    file = tmp_path / "checkpoint.safetensors"
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    rng = np.random.default_rng(0)
    for place in [*range(8), *rng.integers(8, 8 + length, 60).tolist()]:
        file.write_bytes(content[:place] + bytes([content[place] ^ (1 << int(rng.integers(8)))]) + content[place + 1 :])
        with contextlib.suppress(GraphFSAError):
            learner.fit(train, checkpoint=tmp_path, resume=True)


# ---- being stopped, and what can't be


def test_an_interruption_keeps_the_best_so_far(distance):
    def interrupt(record):
        if record["updates"] == 20:
            raise KeyboardInterrupt

    found = DiffFSA(**SHORT).fit(distance, watch=interrupt)
    assert (found.provenance.interrupted, found.provenance.details["updates"]) == (True, 20)
    assert found.provenance.train_accuracy > 0.5


def test_an_interruption_before_anything_was_looked_at(distance, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Training, "update", interrupt)
    found = DiffFSA(**SHORT).fit(distance)
    assert (found.provenance.interrupted, found.provenance.details["updates"], found.automaton.num_states) == (
        True,
        0,
        4,
    )


def test_a_loss_that_is_not_a_number_ends_the_training(distance, monkeypatch, tmp_path):
    loss = Training.loss

    def broken(self, soft, chosen, steps):
        return loss(self, soft, chosen, steps) * (float("nan") if self.updates == 30 else 1)

    monkeypatch.setattr(Training, "loss", broken)
    with pytest.raises(GraphFSAError, match=r"not a number any more in update 31; the last good state is in"):
        DiffFSA(**SHORT).fit(distance, checkpoint=tmp_path)
    monkeypatch.undo()
    assert DiffFSA(**SHORT).fit(distance, checkpoint=tmp_path, resume=True).provenance.details["updates"] == 40


def test_tables_too_large_to_train_are_refused_before_they_are_made(distance):
    with pytest.raises(LimitError, match=r"soft tables of 9 states .* GiB"):
        DiffFSA(states=(9, 9), bound=(3, 3), restarts=4096).fit(distance)
    with pytest.raises(LimitError):
        DiffFSA(states=(40, 40), bound=(3, 3)).fit(distance)


def test_without_torch_one_line_says_what_to_install(distance, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    _torch.torch.cache_clear()
    try:
        with pytest.raises(MissingExtraError, match=r"pip install 'graphfsa\[train\]'"):
            DiffFSA().fit(distance)
    finally:
        monkeypatch.undo()
        _torch.torch.cache_clear()


def test_bad_options_are_refused_when_the_learner_is_made():
    for options, words in [
        ({"states": 0}, "states"),
        ({"implementation": "fast"}, "implementation"),
        ({"device": "cuda", "implementation": "compiled"}, "device must be cpu"),
        ({"speed": 3}, "option of Diff-FSA"),
    ]:
        with pytest.raises(GraphFSAError, match=words):
            DiffFSA(**options)
    with pytest.raises(GraphFSAError, match="device must be"):
        DiffFSA(device="warp").check_libraries()


def test_a_checkpoint_with_other_content_is_refused(tmp_path):
    """Everything that a damaged file could bring into the training is looked at."""
    train = graphs_of("distance", count=60)
    learner = DiffFSA(updates=20, repair=0, restarts=2, batch=2)
    learner.fit(train, checkpoint=tmp_path)
    file = tmp_path / "checkpoint.safetensors"
    arrays, about = read_tensors(file, SCHEMA)
    state = json.loads(about["state"])

    def refused(changes=(), **fields):
        content = json.loads(json.dumps(state))
        for path, value in fields.items():
            place = content
            *way, last = path.split("__")
            for name in way:
                place = place[name]
            place[last] = value
        write_tensors(file, {**arrays, **dict(changes)}, {"schema": SCHEMA, "state": json.dumps(content)})
        with pytest.raises(FormatError):
            learner.fit(train, checkpoint=tmp_path, resume=True)

    refused(training__rate="abc")
    refused(training__generator={"bit_generator": "MT19937"})
    refused(course__history=None)
    refused(course__history=[1])
    refused(course__first="x")
    refused(course__seconds="x")
    refused(course__best_size=-5)
    refused(course__size=99)
    refused(keys__best="x")
    for name, array in {
        "best.table": arrays["best.table"] + 99,
        "best.values": arrays["best.values"] + 1000,
        "best.soft": arrays["best.soft"][:1],
        "logits": arrays["logits"] * np.float32("nan"),
        "errors": arrays["errors"][:1],
    }.items():
        refused({name: array})
    write_tensors(file, arrays, about)
    learner.fit(train, checkpoint=tmp_path, resume=True)


def test_labels_that_nothing_can_tell_apart_are_said(distance):
    """After no step at all, nobody knows how far the root is."""
    early = Examples(distance.task, distance.graphs, distance.inputs, distance.labels, steps=0)
    found = DiffFSA(**SHORT).fit(early)
    assert (found.verdict, found.provenance.details["possible"]) == ("best-effort", False)
    assert DiffFSA(**SHORT).fit(distance).provenance.details["possible"]


def test_gradients_are_switched_on_where_they_were_off(distance):
    import torch

    with torch.no_grad():
        DiffFSA(updates=1, restarts=2, repair=0).fit(distance)
    with torch.inference_mode():
        DiffFSA(updates=1, restarts=2, repair=0).fit(distance)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"train": None}, "train must be a graphfsa.Examples"),
        ({"validation": "x"}, "validation must be a graphfsa.Examples"),
        ({"initial": "distance"}, "initial must be a graphfsa.GraphFSA"),
        ({"known": [[1], [1, 2]]}, "different lengths"),
    ],
)
def test_things_of_another_kind_are_refused(distance, arguments, words):
    with pytest.raises(GraphFSAError, match=words):
        DiffFSA().fit(**{"train": distance, **arguments})


def test_nothing_to_learn_from_is_said(distance):
    empty = Examples(distance.task, GraphBatch.of([Graph([0], [])]), [], [], steps=0)
    with pytest.raises(GraphFSAError, match="nothing to learn from"):
        DiffFSA().fit(empty)
    with pytest.raises(GraphFSAError, match="seed"):
        DiffFSA().fit(distance, seed=-1)


def test_a_name_may_be_shortened_while_it_is_clear():
    assert learner_class("diff").name == "diff-fsa"
    assert learner_class("diff") is DiffFSA
    for name in ("", "d", "exacts"):
        if name == "d":
            assert learner_class(name).name == "diff-fsa"
            continue
        with pytest.raises(UnknownNameError):
            learner_class(name)


def test_sizes_that_cannot_tell_labels_apart_are_not_trained():
    """PathFinding needs to count to two, and one-step pairs of WireWorld to three."""
    for name, bound in (("path-finding", 2), ("wireworld", 3)):
        fit = _fit.Fit(DiffFSA(), graphs_of(name, count=600), None, 0, None, None, print, None)
        assert fit.sizes[0].aggregation == CountingAggregation(bound)
