"""Networks and floors: what they compute, that files keep it, and that the same seed gives the same."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_networks import doubles, plain_loss, plain_scores

from graphfsa import CountingAggregation, Graph, GraphFSA, GraphFSAError
from graphfsa.datasets import Examples, Task, dataset_class, draw
from graphfsa.errors import FormatError, LimitError, UnknownNameError
from graphfsa.files import read_tensors, write_tensors
from graphfsa.graphs import GraphBatch, families
from graphfsa.learners import Model, Schedule, learner_class, load
from graphfsa.learners._floor import frequencies
from graphfsa.learners._neural import Network
from graphfsa.learners._neural._batches import Arcs, Batches
from graphfsa.learners._neural._rollout import Run, scores_of
from graphfsa.learners._neural._views import Views
from graphfsa.learners._neural._weights import Weights
from graphfsa.learners.gnca import GNCA
from graphfsa.learners.majority import Majority
from graphfsa.learners.recurrent_gnn import RecurrentGNN
from graphfsa.learners.stay import Stay
from strategies import SEEDS, plain_graphs, scattered_graphs

torch = pytest.importorskip("torch")

CLASSES = Task("three", "classes", ("a", "b", "c"), ("x", "y"))
EVOLUTION = Task("two", "evolution", ("off", "on"), ("off", "on"))
NETWORKS = [RecurrentGNN(hidden=5, factor=2, dropout=0.0), GNCA(hidden=6)]
SMALL = [RecurrentGNN(epochs=2), GNCA(epochs=2, hidden=16)]
GRAPHS = plain_graphs(max_nodes=7) | scattered_graphs(max_nodes=25)


def untrained(learner, task, seed=0):
    """A network with first weights, larger than usual: so that differences are."""
    weights = learner.first_weights(task, np.random.default_rng(seed))
    return Network(learner, task, {name: 2 * array for name, array in weights.items()})


def scores(model, graph, inputs, steps):
    """The scores of the fast network, one graph alone; of all states for a GNCA."""
    examples = Examples(model.task, GraphBatch.of([graph]), inputs, np.zeros(len(inputs), int), steps=steps)
    with torch.inference_mode():
        batch = Batches(examples).take(np.array([0]))
        return scores_of(model.learner, Weights(model.weights), batch, model.task).numpy()


@pytest.mark.parametrize("task", [CLASSES, EVOLUTION], ids=["classes", "evolution"])
@pytest.mark.parametrize("learner", NETWORKS, ids=["recurrent", "gnca"])
@settings(max_examples=15, deadline=None)
@given(graph=GRAPHS.filter(lambda graph: graph.num_nodes > 0), seed=SEEDS, steps=st.integers(0, 4))
def test_a_network_is_what_its_definition_says(learner, task, graph, seed, steps):
    model = untrained(learner, task, seed)
    inputs = np.random.default_rng(seed).integers(0, len(task.inputs), graph.num_nodes)
    wanted = plain_scores(model, graph, inputs, steps).detach().numpy()
    assert scores(model, graph, inputs, steps) == pytest.approx(wanted, abs=2e-3, rel=2e-3)
    wanted = wanted[:, : len(task.classes)]
    answer = model.predict(graph, inputs, steps=steps)
    assert answer.dtype == np.int16
    ranked = np.sort(np.maximum(wanted, -1e9), 1)
    clear = ranked[:, -1] - ranked[:, -2] > 1e-2
    assert np.array_equal(answer[clear], wanted.argmax(1)[clear])
    if steps == 0 and task is CLASSES and isinstance(learner, GNCA):
        assert (answer == -1).all()


@pytest.mark.parametrize("learner", NETWORKS, ids=["recurrent", "gnca"])
@settings(max_examples=15, deadline=None)
@given(graphs=st.lists(GRAPHS, min_size=1, max_size=6), seed=SEEDS)
def test_many_graphs_at_once_are_each_graph_alone(learner, graphs, seed):
    model = untrained(learner, CLASSES, seed)
    rng = np.random.default_rng(seed)
    union = GraphBatch.of(graphs)
    nodes = union.graph.num_nodes
    inputs = rng.integers(0, 3, nodes)
    steps = rng.integers(0, 6, len(graphs))
    examples = Examples(CLASSES, union, inputs, np.zeros(nodes, int), steps=steps)
    chosen = rng.permutation(len(graphs))[: rng.integers(1, len(graphs) + 1)]
    with torch.inference_mode():
        batch = Batches(examples).take(chosen, extra=1)
        together = scores_of(learner, Weights(model.weights), batch, CLASSES).numpy()
    place = {node: row for row, node in enumerate(batch.nodes.tolist())}
    for graph in chosen.tolist():
        begin, end = union.offsets[graph : graph + 2].tolist()
        alone = scores(model, graphs[graph], inputs[begin:end], int(steps[graph]) + 1)
        rows = [place[node] for node in range(begin, end)]
        assert together[rows] == pytest.approx(alone, abs=1e-4, rel=1e-4)
    assert sorted(place) == sorted(
        node for graph in chosen for node in range(union.offsets[graph], union.offsets[graph + 1])
    )


@settings(max_examples=30, deadline=None)
@given(graphs=st.lists(GRAPHS, min_size=1, max_size=6), seed=SEEDS)
def test_a_step_is_made_once_for_all_nodes_that_have_seen_the_same(graphs, seed):
    """What a node has seen as a nested tuple, and one row for each of those."""
    rng = np.random.default_rng(seed)
    union = GraphBatch.of(graphs)
    inputs = rng.integers(0, 2, union.graph.num_nodes)
    examples = Examples(CLASSES, union, inputs, np.zeros_like(inputs), steps=rng.integers(0, 5, len(graphs)))
    batch = Batches(examples).take(rng.permutation(len(graphs)))
    views = Views(batch)
    sources, targets = batch.arcs.sources.tolist(), batch.arcs.targets.tolist()
    seen = batch.inputs.tolist()
    state = views.inputs
    for stage in batch.stages:
        for _ in range(stage.steps):
            around = [[] for _ in range(stage.num_nodes)]
            for source, target in zip(sources[: stage.num_arcs], targets[: stage.num_arcs], strict=True):
                around[target].append(seen[source])
            seen = [hash((own, tuple(sorted(near)))) for own, near in zip(seen, around, strict=False)]
            arcs = views.step(stage.num_nodes)
            assert arcs.num_nodes == len(set(seen))
            totals = arcs.total(torch.sin(state[:, None].double())[arcs.sources])
            state = 3 * arcs.of_own(state) + totals[:, 0]
        rows = views.rows().tolist()
        assert len(set(zip(rows, seen, strict=True))) == len(set(rows)) == len(set(seen))
    plain = [batch.inputs.double()]
    for stage in batch.stages:
        for _ in range(stage.steps):
            now = plain[-1][: stage.num_nodes]
            arcs = batch.arcs.first(stage.num_nodes, stage.num_arcs)
            plain.append(3 * now + arcs.total_seen(torch.sin(now[:, None]))[:, 0])
    assert state[views.rows()].tolist() == pytest.approx(plain[-1].tolist())


@pytest.mark.parametrize("learner", NETWORKS, ids=["recurrent", "gnca"])
@settings(max_examples=15, deadline=None)
@given(graph=GRAPHS, seed=SEEDS, at_once=st.sampled_from([1, 3, 10, 40]))
def test_a_graph_in_pieces_is_the_graph(learner, graph, seed, at_once):
    model = untrained(learner, CLASSES, seed)
    inputs = np.random.default_rng(seed).integers(0, 3, graph.num_nodes)
    wanted = scores(model, graph, inputs, 3)
    with torch.inference_mode():
        run = Run(learner, Weights(model.weights), CLASSES, Arcs.of(graph), torch.as_tensor(inputs), at_once)
        for _ in range(3):
            run.step()
        assert learner.scores(run._weights, run._state, CLASSES).numpy() == pytest.approx(wanted, abs=1e-4, rel=1e-4)
        assert run.answers().shape == (graph.num_nodes,)


@pytest.mark.parametrize("learner", NETWORKS, ids=["recurrent", "gnca"])
def test_several_times_are_answered_from_one_run(learner):
    model = untrained(learner, CLASSES)
    graph = families.parse_family("tree:40", np.random.default_rng(0))
    inputs = np.random.default_rng(1).integers(0, 3, 40)
    times = [4, 0, 9, 4, 1]
    several = model.predict_at(graph, inputs, times)
    assert several.shape == (5, 40)
    assert several.dtype == np.int16
    for row, steps in zip(several, times, strict=True):
        assert np.array_equal(row, model.predict(graph, inputs, steps=steps))
    assert model.predict_at(graph, inputs, []).shape == (0, 40)
    assert model.predict(Graph.from_edges(0, []), [], steps=2).shape == (0,)


def test_a_network_at_rest_takes_no_further_steps(monkeypatch):
    model = untrained(GNCA(hidden=4), CLASSES)
    still = replace(model, weights={name: np.zeros_like(array) for name, array in model.weights.items()})
    graph, inputs = Graph.from_edges(3, [(0, 1), (1, 2)]), [0, 1, 2]
    steps, step = [], GNCA.step
    monkeypatch.setattr(GNCA, "step", lambda *arguments: steps.append(1) or step(*arguments))
    found = still.predict_at(graph, inputs, [0, 10**6, 10**9])
    assert len(steps) == 3
    assert (found[0] == -1).all()
    assert np.array_equal(found[1], found[2])
    assert np.array_equal(found[1], still.predict(graph, inputs, steps=1))


@pytest.mark.parametrize("learner", NETWORKS, ids=["recurrent", "gnca"])
@pytest.mark.parametrize(
    ("inputs", "steps", "words"),
    [
        ([0, 1], 1, "inputs must have one entry per node"),
        ([0, 1, 3], 1, "input of node 2 must be in 0 .. 2; got 3"),
        ([0, 1, -1], 1, "input of node 2 must be in 0 .. 2; got -1"),
        ([0.5, 1.0, 2.0], 1, "input of node 0 must be an integer; got 0.5"),
        ([0, 1, 2], -1, "steps must be an integer from 0 to"),
        ([0, 1, 2], True, "steps must be an integer"),
    ],
)
def test_wrong_questions_are_refused(learner, inputs, steps, words):
    model = Model(CLASSES, untrained(learner, CLASSES))
    with pytest.raises(GraphFSAError, match=words):
        model.predict(Graph.from_edges(3, [(0, 1)]), inputs, steps=steps)


# ---- training


def same_weights(first, second):
    one, two = first.network.weights, second.network.weights
    return set(one) == set(two) and all(np.array_equal(array, two[name]) for name, array in one.items())


def root_value(count=10, sizes=range(1, 7), seed=0):
    dataset = dataset_class("root-value")()
    rngs = np.random.default_rng(seed).spawn(len(sizes))
    return Examples.concatenate([dataset.generate(n, count, rng) for n, rng in zip(sizes, rngs, strict=True)])


@pytest.mark.parametrize("learner", SMALL, ids=["recurrent", "gnca"])
def test_the_same_seed_gives_the_same_weights_whatever_the_number_of_threads(learner):
    examples = root_value()
    before = torch.get_num_threads()
    state = torch.get_rng_state()
    try:
        found = []
        for threads, seed in ((1, 3), (2, 3), (2, 4)):
            torch.set_num_threads(threads)
            torch.manual_seed(threads)
            found.append(learner.fit(examples, examples, seed=seed))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
        torch.set_rng_state(state)
    assert same_weights(found[0], found[1])
    assert found[0].history == found[1].history
    assert not same_weights(found[0], found[2])


def test_training_leaves_the_global_randomness_alone():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    SMALL[0].fit(root_value(), seed=1)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("learner", SMALL, ids=["recurrent", "gnca"])
def test_what_a_model_says_about_its_training(learner):
    train, held = root_value(), root_value(seed=1)
    seen = []
    model = learner.fit(train, held, seed=0, watch=seen.append)
    assert model.provenance.details["epochs"] == len(model.history) == 2
    assert model.provenance.details["updates"] == 2 * 2
    assert [set(record) for record in model.history] == [
        {"epoch", "loss", "validation_loss", "validation_accuracy", "rate"}
    ] * 2
    assert all(type(value) in (int, float) for record in model.history for value in record.values())
    assert seen[-1]["updates"] == seen[-1]["of"] == 4
    assert model.provenance.seconds > 0
    assert not model.provenance.interrupted
    assert model.provenance.train_accuracy == pytest.approx(model.accuracy(train))
    assert model.provenance.validation_accuracy == pytest.approx(model.accuracy(held))
    alone = learner.fit(train, seed=0)
    assert alone.provenance.validation_accuracy is None
    assert alone.history[0]["validation_loss"] is None


def test_the_best_epoch_is_kept_and_stop_ends_it():
    train, held = root_value(), root_value(seed=1)
    model = RecurrentGNN(epochs=100, stop=3, rate=0.05, training_steps="data").fit(train, held, seed=0)
    losses = [record["validation_loss"] for record in model.history]
    best = int(np.argmin(losses))
    assert len(losses) == min(100, best + 1 + 3)
    accuracies = [record["validation_accuracy"] for record in model.history]
    assert model.provenance.validation_accuracy == pytest.approx(accuracies[best])
    assert RecurrentGNN(updates=3, batch=16).fit(train, seed=0).provenance.details["updates"] == 3


def test_nodes_that_do_not_count_do_not_matter_and_occurrences_do():
    examples = root_value(sizes=[4])
    mask = np.random.default_rng(0).random(len(examples.labels)) < 0.6
    base = {"steps": examples.steps, "mask": mask}
    changed = np.where(mask, examples.labels, 1 - examples.labels)
    parts = (examples.task, examples.graphs, examples.inputs)
    first = SMALL[0].fit(Examples(*parts, examples.labels, **base), seed=0)
    second = SMALL[0].fit(Examples(*parts, changed, **base), seed=0)
    assert same_weights(first, second)
    often = Examples(*parts, examples.labels, **base, counts=np.r_[5, np.ones(len(examples) - 1, int)])
    third = SMALL[0].fit(often, seed=0)
    assert not same_weights(first, third)


@pytest.mark.parametrize("training_steps", ["data", 3])
def test_the_loss_is_the_mean_over_nodes_that_count_after_the_steps_of_training(training_steps):
    examples, held = root_value(sizes=[2, 5]), root_value(sizes=[3], seed=1)
    options = {"training_steps": training_steps, "dropout": 0.0}
    learner = RecurrentGNN(epochs=1, rate=1e-9, batch=len(examples), **options)
    model = learner.fit(examples, held, seed=0)
    for name, part in (("loss", examples), ("validation_loss", held)):
        losses = []
        for example in part:
            steps = example.steps if training_steps == "data" else training_steps
            rows = plain_scores(model.network, example.graph, example.inputs, steps)
            losses.append(plain_loss(model.network, rows, example.labels).detach())
        assert model.history[0][name] == pytest.approx(float(torch.cat(losses).mean()), rel=1e-4)


@pytest.mark.parametrize("task", [CLASSES, EVOLUTION], ids=["classes", "evolution"])
@pytest.mark.parametrize("learner", NETWORKS, ids=["recurrent", "gnca"])
@settings(max_examples=10, deadline=None)
@given(graph=plain_graphs(max_nodes=6).filter(lambda graph: graph.num_nodes > 0), seed=SEEDS, steps=st.integers(1, 3))
def test_gradients_are_those_of_the_definition(learner, task, graph, seed, steps):
    network = untrained(learner, task, seed)
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, len(task.inputs), graph.num_nodes)
    labels = rng.integers(0, len(task.classes), graph.num_nodes)
    examples = Examples(task, GraphBatch.of([graph]), inputs, labels, steps=steps)
    weights, plain = Weights(network.weights, np.random.default_rng(0)), doubles(network)
    batch = Batches(examples).take(np.array([0]))
    losses = learner.losses(scores_of(learner, weights, batch, task), batch.labels, task)
    wanted = plain_loss(network, plain_scores(network, graph, inputs, steps, plain), labels)
    assert losses.detach().numpy() == pytest.approx(wanted.detach().numpy(), abs=1e-3, rel=1e-3)
    losses.mean().backward()
    wanted.mean().backward()
    for name, tensor in weights.tensors.items():
        exact = 0 * plain[name] if plain[name].grad is None else plain[name].grad
        assert (tensor.grad if tensor.grad is not None else torch.zeros_like(tensor)).numpy() == pytest.approx(
            exact.detach().numpy(), abs=2e-3, rel=2e-2
        ), name


def test_the_networks_have_the_published_widths():
    for options, inputs in ((CLASSES, 3), (EVOLUTION, 1)):
        shapes = RecurrentGNN().shapes(options)
        mlps = {"encoder": inputs, "skip": 16 + inputs, "edge": 32, "decoder": 16}
        for name, wide in mlps.items():
            inner, last = 128 if name == "edge" else 64, 2 if name == "decoder" else 16
            assert [shapes[f"{name}.{k}.weight"] for k in range(3)] == [(inner, wide), (inner, inner), (last, inner)]
        assert {shape for name, shape in shapes.items() if name.startswith("gates")} == {(48, 16), (48,)}
    for task, states in ((CLASSES, 5), (EVOLUTION, 2)):
        shapes = GNCA().shapes(task)
        assert [shapes[f"own.{k}.weight"] for k in range(3)] == [(256, states), (256, 256), (256, 256)]
        assert shapes["message.weight"] == (256, 256)
        assert [shapes[f"next.{k}.weight"] for k in range(3)] == [(256, 512), (256, 256), (states, 256)]


def test_dropout_is_once_in_each_mlp_after_the_first_relu(monkeypatch):
    seen = []
    monkeypatch.setattr(Weights, "dropout", lambda self, values, chance: seen.append((values, chance)) or values)
    learner = RecurrentGNN(dropout=0.25)
    weights = Weights(learner.first_weights(CLASSES, np.random.default_rng(0)), np.random.default_rng(0))
    path = GraphBatch.of([families.parse_family("path:4", np.random.default_rng(0))])
    batch = Batches(Examples(CLASSES, path, [0, 1, 2, 0], [0, 1, 0, 1], steps=2)).take(np.array([0]))
    scores_of(learner, weights, batch, CLASSES)
    shapes = [tuple(values.shape) for values, _ in seen]
    assert shapes == [(4, 64), (4, 64), (6, 128), (4, 64), (6, 128), (4, 64)]
    assert {chance for _, chance in seen} == {0.25}
    assert all((values >= 0).all() and (values == 0).any() for values, _ in seen)


def test_dropout_keeps_the_mean_and_is_off_without_noise():
    values = torch.ones(400, 50)
    dropped = Weights({}, np.random.default_rng(0)).dropout(values, 0.25)
    assert float((dropped == 0).float().mean()) == pytest.approx(0.25, abs=0.02)
    assert sorted(set(dropped.flatten().tolist())) == pytest.approx([0, 4 / 3])
    assert Weights({}).dropout(values, 0.25) is values


def test_an_evolution_is_trained_with_the_steps_of_its_data():
    rows = dataset_class("elementary")().generate(4, 40, np.random.default_rng(0), steps=1)
    schedules = SMALL[0].fit(rows, seed=0).provenance.details["schedule"]
    assert (schedules["training_steps"], schedules["offset"]) == ("data", 0)
    for option in ({"offset": 5}, {"training_steps": 3}):
        with pytest.raises(GraphFSAError, match=f"{next(iter(option))} has no meaning where labels are states"):
            replace(SMALL[0], **option).fit(rows, seed=0)


def test_presets_are_those_of_the_authors_scripts_by_kind_of_task():
    paper = RecurrentGNN().presets["paper"]
    common = {"rate": 0.001, "batch": 32, "clip": 1.0, "updates": 0, "stop": 0, "offset": 0}
    wanted = {
        "classes": {"epochs": 20, "patience": 5, "training_steps": 8, **common},
        "evolution": {"epochs": 50, "patience": 2, "training_steps": "data", **common},
    }
    assert {kind: asdict(schedule) for kind, schedule in paper.items()} == wanted
    for kind in (RecurrentGNN, GNCA):
        assert asdict(kind().schedule(CLASSES)) == wanted["classes"]
        assert asdict(kind(epochs=5).schedule(EVOLUTION)) == {**wanted["evolution"], "epochs": 5}
        assert (kind().split, kind("tuned").split) == ("train", "learn")
        assert asdict(kind("tuned").schedule(CLASSES)) != wanted["classes"]
    with pytest.raises(UnknownNameError, match=r"unknown preset 'papers' .*valid names: paper, tuned"):
        RecurrentGNN("papers")


def test_a_class_may_have_other_presets(monkeypatch):
    monkeypatch.setattr(RecurrentGNN, "presets", {"short": {"classes": Schedule(epochs=1, patience=1)}})
    assert RecurrentGNN("short").fit(root_value(), seed=0).provenance.details["epochs"] == 1
    with pytest.raises(GraphFSAError, match="preset 'short' of recurrent-gnn is for classes; got evolution"):
        RecurrentGNN("short").schedule(EVOLUTION)
    with pytest.raises(UnknownNameError, match=r"unknown preset 'paper'.*valid names: short"):
        RecurrentGNN()


def test_the_rate_falls_on_plateaus_of_the_validation_loss():
    train, held = root_value(), root_value(seed=1)
    model = RecurrentGNN(epochs=40, patience=1, rate=0.05).fit(train, held, seed=0)
    rate, lowest, flat = 0.05, np.inf, 0
    for record in model.history:
        assert record["rate"] == pytest.approx(rate)
        flat = 0 if record["validation_loss"] < lowest else flat + 1
        lowest = min(lowest, record["validation_loss"])
        if flat > 1:
            rate, flat = 0.8 * rate, 0
    assert rate < 0.05
    assert len(model.history) == 40


def test_a_recurrent_network_learns_what_floors_cannot():
    dataset = dataset_class("root-value")()
    train, held = root_value(30), root_value(10, seed=1)
    model = RecurrentGNN(epochs=30, rate=0.005).fit(train, held, seed=0)
    assert model.provenance.validation_accuracy == 1
    test = draw(dataset, 8, 50, np.random.default_rng(2), "test")
    floors = [floor().fit(train).accuracy(test) for floor in (Majority, Stay)]
    assert model.accuracy(test) > 0.8 > 0.75 > max(floors)


@pytest.mark.parametrize("rounds", [1, 4])
def test_ctrl_c_returns_the_best_so_far(rounds):
    def interrupt(record):
        if record["epoch"] == rounds:
            raise KeyboardInterrupt

    train = root_value()
    model = RecurrentGNN(epochs=50).fit(train, train, seed=0, watch=interrupt)
    assert model.provenance.interrupted
    assert model.provenance.details["epochs"] in (rounds - 1, rounds)
    whole = RecurrentGNN(epochs=max(1, model.provenance.details["epochs"])).fit(train, train, seed=0)
    if model.provenance.details["epochs"]:
        assert same_weights(model, whole)


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (RecurrentGNN, {"rate": 0}, "rate must be a number > 0"),
        (RecurrentGNN, {"rate": float("nan")}, "rate must be a number > 0"),
        (RecurrentGNN, {"rate": "fast"}, "rate must be a number > 0 and < 1000; got 'fast'"),
        (RecurrentGNN, {"dropout": 1}, "dropout must be a number >= 0 and < 1; got 1"),
        (RecurrentGNN, {"hidden": 0}, "hidden must be an integer from 1 to 4096; got 0"),
        (RecurrentGNN, {"hidden": 2.5}, "hidden must be an integer"),
        (RecurrentGNN, {"factor": True}, "factor must be an integer"),
        (RecurrentGNN, {"batch": 0}, "batch must be an integer from 1 to"),
        (RecurrentGNN, {"clip": -1}, "clip must be a number >= 0"),
        (GNCA, {"epochs": 0}, "epochs must be an integer from 1 to"),
        (GNCA, {"updates": -1}, "updates must be an integer from 0 to"),
        (GNCA, {"patience": -1}, "patience must be an integer from 0 to"),
        (GNCA, {"stop": 2.5}, "stop must be an integer from 0 to"),
        (
            GNCA,
            {"training_steps": "all"},
            "training_steps must be an integer from 1 to 1000000000 or 'data'; got 'all'",
        ),
        (GNCA, {"offset": -1}, "offset must be an integer from 0 to"),
        (GNCA, {"hidden": 10**6}, "hidden must be an integer from 1 to 4096"),
    ],
)
def test_options_that_make_no_sense_are_refused_at_once(kind, options, words):
    with pytest.raises(GraphFSAError, match=words):
        kind(**options)


@pytest.mark.parametrize("kind", [RecurrentGNN, GNCA, Majority, Stay])
def test_data_that_make_no_sense_are_refused(kind):
    examples = root_value(sizes=[3])
    nothing = Examples(examples.task, examples.graphs, examples.inputs, examples.labels, steps=2,
                       mask=np.zeros(len(examples.labels), bool))  # fmt: skip
    other = dataset_class("distance")().generate(3, 5, np.random.default_rng(0))
    with pytest.raises(GraphFSAError, match="nothing to learn from: no node of the training graphs counts"):
        kind().fit(nothing)
    with pytest.raises(GraphFSAError, match="no node of the validation graphs counts"):
        kind().fit(examples, nothing)
    with pytest.raises(GraphFSAError, match="validation graphs must be of the task root-value; got distance"):
        kind().fit(examples, other)
    with pytest.raises(GraphFSAError, match=r"train must be a graphfsa\.Examples"):
        kind().fit([1, 2])
    with pytest.raises(GraphFSAError, match="seed must be"):
        kind().fit(examples, seed=-1)


def test_steps_that_do_not_fit_in_memory_are_refused_before_they_are_made():
    examples = root_value(sizes=[4])
    long = Examples(examples.task, examples.graphs, examples.inputs, examples.labels, steps=10**9)
    with pytest.raises(LimitError, match="Choose a smaller batch, fewer steps or smaller graphs"):
        RecurrentGNN(training_steps="data").fit(long)
    with pytest.raises(LimitError, match="Choose a smaller batch, fewer steps or smaller graphs"):
        RecurrentGNN(offset=10**9).fit(examples)


def test_a_loss_that_is_no_number_is_said(monkeypatch):
    monkeypatch.setattr(RecurrentGNN, "losses", lambda self, scores, labels, task: scores[:, 0] * float("nan"))
    with pytest.raises(GraphFSAError, match=r"not a number any more in update 1; choose a rate below 0\.001"):
        RecurrentGNN().fit(root_value(), seed=0)


# ---- files


@pytest.mark.parametrize("learner", SMALL, ids=["recurrent", "gnca"])
def test_a_file_keeps_everything(learner, tmp_path):
    path = tmp_path / "net.safetensors"
    model = replace(learner, rate=np.float64(0.01), batch=np.int64(8)).fit(root_value(), root_value(seed=1), seed=0)
    model.save(path)
    read = load(path)
    weights = model.network.weights
    assert set(read.network.weights) == set(weights)
    assert all(np.array_equal(array, read.network.weights[name]) for name, array in weights.items())
    for name in ("task", "history", "verdict", "provenance", "dataset"):
        assert getattr(read, name) == getattr(model, name)
    assert read.network.learner == model.network.learner
    graph = families.parse_family("path:9", np.random.default_rng(0))
    assert np.array_equal(read.predict(graph, [1] + [0] * 8, steps=5), model.predict(graph, [1] + [0] * 8, steps=5))
    assert read.digest == model.digest != learner.fit(root_value(), seed=1).digest


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "net.safetensors"
    RecurrentGNN(epochs=1).fit(root_value(), seed=0).save(path)
    return path, *read_tensors(path, "graphfsa.network/2")


def changed(about, **fields):
    return json.dumps({**json.loads(about["about"]), **fields})


DAMAGES = {
    "no schema": lambda tensors, about: about.pop("schema"),
    "another schema": lambda tensors, about: about.update(schema="graphfsa.soft/1"),
    "a learner that is no network": lambda tensors, about: about.update(learner="majority"),
    "no learner": lambda tensors, about: about.update(learner="dream"),
    "a learner in a file": lambda tensors, about: about.update(learner="evil.py:Learner"),
    "another learner": lambda tensors, about: about.update(learner="gnca"),
    "no task": lambda tensors, about: about.update(about=changed(about, task=None)),
    "a task that is none": lambda tensors, about: about.update(about=changed(about, task=[1])),
    "a task of many": lambda tensors, about: about.update(
        about=changed(about, task={"name": "t", "kind": "classes", "inputs": "abc", "classes": ["x", "y"]})
    ),
    "no JSON": lambda tensors, about: about.update(options="{"),
    "an unknown option": lambda tensors, about: about.update(options='{"speed": 3}'),
    "an option out of range": lambda tensors, about: about.update(
        options=about["options"].replace('"hidden": 16', '"hidden": -16')
    ),
    "another width": lambda tensors, about: about.update(
        options=about["options"].replace('"hidden": 16', '"hidden": 8')
    ),
    "a history of numbers": lambda tensors, about: about.update(history="[1, 2]"),
    "no provenance": lambda tensors, about: about.update(about=changed(about, provenance={})),
    "a weight too few": lambda tensors, about: tensors.pop("edge.2.bias"),
    "a weight too many": lambda tensors, about: tensors.update(extra=np.zeros(3, np.float32)),
    "another type": lambda tensors, about: tensors.update({"edge.2.bias": np.zeros(16)}),
    "not a number": lambda tensors, about: tensors.update({"edge.2.bias": np.full(16, np.nan, np.float32)}),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_refused(damage, kept, tmp_path):
    _, tensors, about = kept
    tensors, about = dict(tensors), dict(about)
    damage(tensors, about)
    write_tensors(tmp_path / "bad.safetensors", tensors, about)
    with pytest.raises(FormatError, match=r"bad\.safetensors: "):
        load(tmp_path / "bad.safetensors")


def test_a_network_of_an_earlier_version_is_refused_with_what_to_do(kept, tmp_path):
    _, tensors, about = kept
    write_tensors(tmp_path / "old.safetensors", tensors, {**about, "schema": "graphfsa.network/1"})
    with pytest.raises(FormatError, match=r"old\.safetensors: a network of an earlier version.*train it again"):
        load(tmp_path / "old.safetensors")


def test_half_a_file_and_no_file_are_refused(kept, tmp_path):
    whole = kept[0].read_bytes()
    for size in (0, 5, 200, len(whole) - 1):
        (tmp_path / "half.safetensors").write_bytes(whole[:size])
        with pytest.raises(FormatError, match="not a safetensors file"):
            load(tmp_path / "half.safetensors")
    with pytest.raises(GraphFSAError, match="cannot read"):
        load(tmp_path / "none.safetensors")


# ---- floors


@settings(max_examples=40, deadline=None)
@given(graph=GRAPHS.filter(lambda graph: graph.num_nodes > 0), seed=SEEDS, evolution=st.booleans())
def test_floors_are_exactly_what_they_say(graph, seed, evolution):
    task = EVOLUTION if evolution else CLASSES
    rng = np.random.default_rng(seed)
    nodes = graph.num_nodes
    inputs, labels = rng.integers(0, len(task.inputs), nodes), rng.integers(0, len(task.classes), nodes)
    mask = rng.random(nodes) < 0.7
    mask[0] = True
    count = int(rng.integers(1, 4))
    examples = Examples(task, GraphBatch.of([graph]), inputs, labels, steps=3, mask=mask, counts=[count])
    number = [[count * int((mask & (inputs == k) & (labels == c)).sum()) for c in range(len(task.classes))]
              for k in range(len(task.inputs))]  # fmt: skip
    assert frequencies(examples).tolist() == number
    overall = [sum(row[c] for row in number) for c in range(len(task.classes))]
    most = overall.index(max(overall))
    majority, stay = Majority().fit(examples), Stay().fit(examples, examples)
    assert majority.predict(graph, inputs, steps=3).tolist() == [most] * nodes
    if evolution:
        wanted = inputs
    else:
        each = [row.index(max(row)) if sum(row) else most for row in number]
        wanted = np.array(each)[inputs]
        assert majority.predict(graph, inputs, steps=0).tolist() == [-1] * nodes
    assert stay.predict(graph, inputs, steps=3).tolist() == wanted.tolist()
    assert (
        stay.provenance.train_accuracy
        == stay.provenance.validation_accuracy
        == pytest.approx((wanted == labels)[mask].mean())
    )
    assert majority.provenance.train_accuracy == pytest.approx((labels == most)[mask].mean())
    assert majority.provenance.validation_accuracy is None
    for model in (majority, stay):
        assert isinstance(model.automaton, GraphFSA)
        assert model.is_automaton
        assert model.found
        assert model.automaton.aggregation == CountingAggregation(1)
        assert model.automaton.num_states == (2 if evolution else 5)
        assert model.verdict == ("exact" if model.provenance.train_accuracy == 1 else "best-effort")


def test_the_scores_of_a_model_are_strict_and_by_the_steps_of_each_graph():
    examples = root_value(sizes=[2, 4])
    model = Majority().fit(examples)
    given_answers = model.answers(examples)
    assert np.array_equal(given_answers, examples.predict(model.automaton))
    assert model.accuracy(examples) == examples.accuracy(model.automaton)
    assert model.accuracy(examples, steps=0) == 0
    some = np.where(examples.sizes == 2, 0, 1)
    assert model.accuracy(examples, steps=some) == examples.accuracy(model.automaton, steps=some)


def test_floors_of_too_many_states_are_refused():
    many = Task("many", "classes", tuple(map(str, range(30))), ("x", "y"))
    examples = Examples(many, GraphBatch.of([Graph.from_edges(2, [(0, 1)])]), [0, 1], [0, 1], steps=1)
    with pytest.raises(LimitError, match="at most 20 states here; it needs 32"):
        Majority().fit(examples)


def test_names_lead_to_baselines():
    assert learner_class("recurrent") is RecurrentGNN
    assert learner_class("gnca") is GNCA
    assert learner_class("major") is Majority
    assert learner_class("stay") is Stay
