"""Thresholds and automata, found together: exact recovery, gaps, conflicts, files, and what can't be learned."""

import itertools
import json
import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphfsa as gf
from graphfsa.datasets import (
    Cut,
    Discretiser,
    Examples,
    FeatureExamples,
    NoisyDistance,
    Task,
    ThresholdContagion,
    Voronoi,
    training_data,
)
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.graphs import GraphBatch
from graphfsa.search.budget import Budget
from graphfsa.search.colours import Reduction, refine_once
from graphfsa.search.cuts.clauses import between, clause_of, fewest, threshold
from graphfsa.search.cuts.conflicts import FeatureData, Pair
from graphfsa.search.cuts.merging import Grid, merged
from graphfsa.search.cuts.search import CutSearch, cells_of
from graphfsa.search.cuts.widening import mended, widened
from strategies import plain_graphs

TRUE = {"noisy-distance": [(0, 0.65)], "voronoi": [(0, 0.6), (1, 0.5)], "threshold-contagion": [(0, 0.5)]}


# ---- learning


@pytest.fixture(scope="module", params=list(TRUE))
def learned(request):
    return gf.learn(request.param, inputs="continuous", count=300)


def test_cuts_are_recovered_within_the_gap_of_the_data(learned):
    name = learned.dataset.name
    cuts = sorted({(cut.feature, cut.at, cut.gap) for cut in learned.discretiser.cuts})
    assert len(cuts) == len(TRUE[name])
    for (feature, at, (low, high)), (wanted, true) in zip(cuts, TRUE[name], strict=True):
        assert feature == wanted
        assert low <= true < high
        assert abs(at - true) < 0.05, "no number that matters is nearer to the true threshold than this"
        assert at == between(low, high)


def test_it_is_exact_on_graphs_of_a_thousand_nodes(learned):
    assert gf.evaluate(learned, sizes=[10, 1000], count=20).accuracy == 1.0
    assert learned.verdict == ("exact" if learned.task.kind == "evolution" else "proved")


def test_the_ends_of_a_gap_are_numbers_that_must_stay_on_their_sides(learned):
    """Checked apart: with each threshold at an end of its gap all labels are right, and beyond it one is wrong."""
    data = training_data(learned.dataset.name, inputs="continuous", count=300).measured
    known = learned.discretiser

    def right(tree_of):
        trees = tuple(tree_of(tree) for tree in known.trees)
        return replace(learned, discretiser=replace(known, trees=trees)).accuracy(data) == 1

    def at(tree, key, place):
        if isinstance(tree, int):
            return tree
        low, high = at(tree.low, key, place), at(tree.high, key, place)
        if (tree.feature, tree.at) != key:
            return replace(tree, low=low, high=high)
        return Cut(tree.feature, place, low, high, (place, float(np.nextafter(place, np.inf))))

    for cut in known.cuts:
        low, high = cut.gap
        key = cut.feature, cut.at
        assert right(lambda tree, key=key, low=low: at(tree, key, low))
        assert right(lambda tree, key=key, high=high: at(tree, key, float(np.nextafter(high, -np.inf))))
        assert not right(lambda tree, key=key, low=low: at(tree, key, float(np.nextafter(low, -np.inf))))
        assert not right(lambda tree, key=key, high=high: at(tree, key, high))


def test_a_file_remembers_the_cuts(learned, tmp_path):
    learned.save(tmp_path / "m.json")
    read = gf.load(tmp_path / "m.json")
    assert read.discretiser == learned.discretiser
    assert gf.evaluate(read, sizes=[20]).digest == gf.evaluate(learned, sizes=[20]).digest
    assert read.training_graphs().task == read.task
    assert gf.verify(read, max_nodes=4).verified


def test_a_damaged_file_is_named(learned, tmp_path):
    learned.save(tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    data["discretiser"]["classes"][0] = "other"
    (tmp_path / "bad.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match=r"bad.json: the classes of the discretiser must be the inputs of the task"):
        gf.load(tmp_path / "bad.json")


def test_the_same_seed_gives_the_same_model(learned):
    again = gf.learn(learned.dataset.name, inputs="continuous", count=300)
    assert (again.digest, again.discretiser) == (learned.digest, learned.discretiser)


def test_predictions_take_features():
    model = gf.learn("noisy-distance", inputs="continuous", count=100)
    graph = nx.path_graph(["a", "b", "c", "d"])
    expected = {"a": "odd", "b": "even", "c": "odd", "d": "even"}
    assert model.by_node(graph, {"b": 0.95}, default=0.1) == expected
    assert model.by_node(graph, [0.1, 0.95, 0.2, 0.0]) == expected
    assert model.by_node(graph, [[0.1], [0.95], [0.2], [0.0]]) == expected
    assert model.run(graph, [0.1, 0.95, 0.2, 0.0]).last.tolist() == [1, 0, 1, 0]
    with pytest.raises(GraphFSAError, match="one row per node, 4; got 3"):
        model.predict(graph, [0.1, 0.2, 0.3])
    with pytest.raises(GraphFSAError, match="feature 'signal' of node 1 must be a finite number; got nan"):
        model.predict(graph, [0.1, np.nan, 0.3, 0.2])


def test_a_model_with_inputs_beside_features_takes_a_pair():
    model = gf.learn("threshold-contagion", inputs="continuous", count=100)
    graph = nx.star_graph(2)
    answers = model.by_node(graph, (["well", "ill", "well"], [0.9, 0.0, 0.1]), steps=1)
    assert answers == {0: "strong", 1: "ill", 2: "weak"}
    assert model.by_node(graph, (["well", "ill", "well"], [0.2, 0.0, 0.1]), steps=1)[0] == "ill"
    with pytest.raises(GraphFSAError, match="takes a pair: the inputs of the nodes"):
        model.predict(graph, [0.9, 0.0, 0.1], steps=1)


def test_features_that_do_not_matter_are_left_alone():
    measured = training_data("noisy-distance", inputs="continuous", count=150).measured
    noise = np.random.default_rng(0).random((len(measured.features), 3))
    mixed = np.column_stack((noise[:, :2], measured.features, noise[:, 2:]))
    model = gf.learn(FeatureExamples(measured.examples, mixed, ["a", "b", "signal", "c"]), inputs="continuous")
    assert model.verdict == "exact"
    assert [cut.feature for cut in model.discretiser.cuts] == [2]
    assert 0.6 < model.discretiser.cuts[0].at < 0.7
    assert model.discretiser.names == ("low signal", "high signal")


def test_no_cut_is_made_where_none_is_needed():
    graph = nx.path_graph(5)
    nx.set_node_attributes(graph, {node: node / 7 for node in graph}, "x")
    nx.set_node_attributes(graph, {node: "end" if graph.degree(node) == 1 else "inner" for node in graph}, "label")
    model = gf.learn(gf.as_feature_examples([graph], ["x"]), inputs="continuous")
    assert (model.verdict, model.discretiser.cuts, model.discretiser.names) == ("exact", (), ("node",))


def test_data_that_no_cut_separates_are_impossible_and_say_why():
    graph = gf.Graph.from_edges(2, [(0, 1)])
    task = Task("t", "classes", ("node",), ("a", "b"))
    examples = Examples(task, GraphBatch.of([graph, graph]), [0] * 4, [0, 1, 0, 0], steps=6)
    model = gf.learn(FeatureExamples(examples, [0.3, 0.3, 0.1, 0.2], ["x"]), inputs="continuous")
    assert (model.verdict, model.found) == ("impossible", False)
    assert len(model.impossibility.examples) == 1
    assert gf.analysis.check_impossibility(model.impossibility).holds


def test_thresholds_with_no_room_between_numbers_are_found():
    model = gf.learn(NoisyDistance(gap=0.0), inputs="continuous", count=200, seed=1)
    low, high = model.discretiser.cuts[0].gap
    assert model.verdict == "proved"
    assert low <= 0.65 <= high
    assert high - low < 0.02


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"learner": "majority"}, "majority does not learn from features; exact and diff-fsa do"),
        ({"tolerance": 0.1}, "tolerance must be 0 with continuous inputs"),
        ({"inputs": "numbers"}, "inputs must be one of classes, continuous"),
        ({"validation": "v.jsonl"}, "validation does not go with continuous inputs"),
    ],
)
def test_what_does_not_go_with_continuous_inputs(options, words):
    with pytest.raises(GraphFSAError, match=words):
        gf.learn("noisy-distance", **{"inputs": "continuous", "count": 20, **options})


def test_a_spent_budget_leaves_it_undecided():
    model = gf.learn("voronoi", inputs="continuous", count=100, budget=1e-6)
    assert model.verdict == "undecided"


def test_an_interruption_is_told():
    def watch(record):
        if "learning with" in str(record.get("doing")):
            raise KeyboardInterrupt

    model = gf.learn("noisy-distance", inputs="continuous", count=50, watch=watch)
    assert (model.verdict, model.interrupted) == ("undecided", True)


def test_a_model_without_cuts_refuses_features():
    measured = training_data("noisy-distance", inputs="continuous", count=20).measured
    with pytest.raises(GraphFSAError, match="have features"):
        gf.Model.of(gf.library.distance(), "distance").accuracy(measured)
    model = gf.learn("noisy-distance", inputs="continuous", count=100)
    other = training_data("voronoi", inputs="continuous", count=20).measured
    with pytest.raises(GraphFSAError, match="the features must be signal; the data have strength, hue"):
        model.accuracy(other)


def test_slots_are_seen():
    """Each cell takes the side of its left neighbour's number; the first one its own."""
    rng, graph = np.random.default_rng(0), gf.families.row(4)
    values = rng.random((60, 4))
    labels = np.roll(values, 1, axis=1) > 0.5
    labels[:, 0] = values[:, 0] > 0.5
    task = Task("t", "classes", ("node",), ("low", "high"))
    examples = Examples(task, GraphBatch.repeat(graph, 60), [0] * 240, labels.reshape(-1).astype(int), steps=2)
    data = FeatureData(FeatureExamples(examples, values.reshape(-1), ["x"]), Budget(10))
    ((cuts, _),) = next(CutSearch(data, 3).proposals())
    ((_, at),) = cuts
    low, high = values[values <= 0.5].max(), values[values > 0.5].min()
    assert low <= at < high


@pytest.mark.parametrize("name", [pytest.param("noisy-distance", marks=pytest.mark.slow), "threshold-contagion"])
def test_diff_fsa_trains_thresholds_of_its_own(name):
    pytest.importorskip("torch")
    model = gf.learn(name, "diff-fsa", inputs="continuous", sizes=[3, 4], count=120)
    assert model.verdict in ("proved", "exact")
    (cut,) = model.discretiser.cuts
    assert cut.gap[0] <= TRUE[name][0][1] < cut.gap[1]
    assert gf.evaluate(model, sizes=[100], count=5).accuracy == 1.0


# ---- the parts


@st.composite
def measured_graphs(draw):
    """A few graphs with few different numbers, one or two features, random labels."""
    graphs = draw(st.lists(plain_graphs(max_nodes=5), min_size=1, max_size=4))
    batch = GraphBatch.of(graphs)
    count, features = batch.graph.num_nodes, draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    task = Task("t", "classes", ("a", "b"), ("0", "1", "2"))
    examples = Examples(
        task,
        batch,
        rng.integers(0, 2, count),
        rng.integers(0, 3, count) * (rng.random(count) < 0.5),
        mask=rng.random(count) < 0.8,
        steps=rng.integers(0, 5, len(graphs)),
    )
    return FeatureExamples(examples, rng.integers(0, 4, (count, features)) / 4, ["x", "y"][:features])


def plain_conflicts(data, start, bound):
    """Pairs (node that is due, other node) that look the same too long, by plain refinement of everything."""
    found = set()
    colours = np.asarray(start).astype(np.uint64)
    for step in range(int(data.due.max(initial=0)) + 1):
        for one, other in itertools.permutations(range(len(data.due)), 2):
            due = data.due[one] == step and min(data.target[one], data.target[other]) >= 0
            if due and data.target[one] != data.target[other] and colours[one] == colours[other]:
                found.add((one, other))
        colours = refine_once(data.examples.graphs, colours, Reduction(bound, 1))
    return found


@settings(max_examples=60, deadline=None)
@given(measured_graphs(), st.integers(1, 3), st.integers(0, 2**16))
def test_conflicts_are_those_of_plain_refinement(measured, bound, seed):
    data = FeatureData(measured, Budget(10))
    start = np.random.default_rng(seed).integers(0, 2, len(data.due))
    found = data.conflicts(start, bound, 100)
    expected = plain_conflicts(data, start, bound)
    assert bool(found) == bool(expected)
    assert {(pair.first, pair.second) for pair in found} <= expected


@settings(max_examples=40, deadline=None)
@given(measured_graphs(), st.integers(1, 3))
def test_explanations_are_needed_by_every_set_of_cuts(measured, bound):
    """No set of cuts that leaves all gaps of a clause alone tells the pair apart; the pair is apart with all gaps."""
    data = FeatureData(measured, Budget(10))
    pairs = data.conflicts(cells_of(data, ()), bound, 3)
    places = [(j, (a + b) / 2) for j, own in enumerate(data.values) for a, b in itertools.pairwise(own.tolist())]
    for pair in pairs:
        gaps = data.explained(pair, (), bound)
        for number in range(len(places) + 1):
            for cuts in itertools.combinations(places, number):
                hit = any(j == gap[0] and gap[1] <= at < gap[2] for j, at in cuts for gap in gaps)
                alike = (pair.first, pair.second) in plain_conflicts(data, cells_of(data, cuts), bound)
                assert hit or alike
        assert bool(gaps) == (
            (pair.first, pair.second) not in plain_conflicts(data, cells_of(data, tuple(places)), bound)
        )


CLAUSES = st.lists(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=5, unique=True), max_size=6
)


@settings(max_examples=100, deadline=None)
@given(CLAUSES)
def test_as_few_segments_as_brute_force_finds(given_clauses):
    clauses = [clause_of([(j, float(k), float(k + 1)) for j, k in gaps]) for gaps in given_clauses]
    values = [np.arange(9.0)] * 2
    found = fewest(clauses, values, 6)
    places = [(j, k + 0.5) for j in range(2) for k in range(7)]

    def satisfies(cuts):
        return all(any(j == i and a <= at < b for j, at in cuts for i, a, b in clause) for clause in clauses)

    least = next(n for n in range(7) if any(map(satisfies, itertools.combinations(places, n))))
    assert found is not None
    assert len(found) == least
    assert satisfies([(gap[0], threshold(gap, values[gap[0]])) for gap in found])
    assert fewest(clauses, values, least - 1) is None


def test_a_gap_may_be_wider_than_any_number():
    values = np.array([-1.7e308, 1.7e308])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert threshold((0, -1.7e308, 1.7e308), values) == 0


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_threshold_lies_between_two_numbers(one, other):
    low, high = sorted((one, other))
    if low < high:
        assert low <= between(low, high) < high


@settings(max_examples=40, deadline=None)
@given(measured_graphs(), st.integers(1, 3))
def test_proposals_leave_no_conflict_and_fewer_cuts_do(measured, bound):
    del bound
    data = FeatureData(measured, Budget(10))
    search = CutSearch(data, 8)
    for cuts, bound in next(search.proposals(), []):
        assert not plain_conflicts(data, cells_of(data, cuts), bound)
        grid = merged(data, cuts, bound)
        discretiser = grid.discretiser(measured.names, ("a", "b"))
        inputs = discretiser.classes(data.measured.features, data.examples.inputs)
        assert not plain_conflicts(data, inputs, bound)
        # Cells are taken together, never torn apart, and those of two inputs stay two.
        cells = cells_of(data, cuts)
        assert all(len(set(inputs[cells == cell].tolist())) == 1 for cell in set(cells.tolist()))
        assert not set(inputs[data.examples.inputs == 0].tolist()) & set(inputs[data.examples.inputs == 1].tolist())


def test_impossible_only_if_all_numbers_apart_do_not_help():
    graph = gf.Graph.from_edges(1, [])
    task = Task("t", "classes", ("node",), ("a", "b"))
    examples = Examples(task, GraphBatch.of([graph] * 3), [0] * 3, [0, 1, 0], steps=2)
    apart = CutSearch(FeatureData(FeatureExamples(examples, [1, 2, 3], ["x"]), Budget(1)), 3)
    assert [len(cuts) for cuts, _ in next(apart.proposals())] == [2]
    mixed = CutSearch(FeatureData(FeatureExamples(examples, [1, 1, 3], ["x"]), Budget(1)), 3)
    assert list(mixed.proposals()) == []
    assert isinstance(mixed.impossible, Pair)


def test_trees_have_as_few_leaves_as_the_classes_allow():
    grid = Grid.of(((0, 0.5), (1, 0.5)), 1)
    same = Grid(grid.features, grid.thresholds, np.array([[[0, 0], [1, 2]]]))
    found = same.discretiser(("x", "y"), ("node",))
    assert str(found) == "kind 1 if x <= 0.5\nkind 2 if x > 0.5 and y <= 0.5\nkind 3 if x > 0.5 and y > 0.5"
    assert len(found.cuts) == 2


def test_an_automaton_mends_thresholds_and_widens_their_gaps():
    measured = training_data("voronoi", inputs="continuous", count=200).measured
    data = FeatureData(measured, Budget(10))
    fsa = Voronoi().automaton()
    start = Cut(0, 0.5, 0, Cut(1, 0.65, 1, 2, (0.65, 0.66)), (0.5, 0.51))
    wrong = Discretiser(("strength", "hue"), Voronoi().task.inputs, (start,))
    moved, left = mended(data, wrong, fsa)
    assert left == 0
    wide = widened(data, moved, fsa)
    strength, hue = wide.cuts
    assert strength.gap[0] <= 0.55 < 0.65 <= strength.gap[1]
    assert hue.gap[0] <= 0.45 < 0.55 <= hue.gap[1]


def test_three_levels_of_one_feature():
    """Two thresholds of one feature do not pass each other."""
    rng = np.random.default_rng(0)
    values = np.concatenate((rng.uniform(0, 0.28, 60), rng.uniform(0.32, 0.58, 60), rng.uniform(0.62, 1, 60)))
    graphs = GraphBatch.of([gf.Graph.from_edges(1, [])] * 180)
    task = Task("t", "classes", ("node",), ("0", "1", "2"))
    examples = Examples(task, graphs, np.zeros(180, int), np.repeat([0, 1, 2], 60), steps=2)
    model = gf.learn(FeatureExamples(examples, values, ["x"]), inputs="continuous")
    first, second = sorted(cut.at for cut in model.discretiser.cuts)
    assert (model.verdict, round(first, 1), round(second, 1)) == ("exact", 0.3, 0.6)
    assert model.discretiser.names == ("x level 1", "x level 2", "x level 3")


def test_contagion_over_several_steps():
    data = ThresholdContagion()
    drawn = data.generate(8, 150, np.random.default_rng(0), steps=2)
    measured = data.measured(drawn, np.random.default_rng(1))
    model = gf.learn(measured, inputs="continuous")
    assert model.verdict == "exact"
    assert 0.45 <= model.discretiser.cuts[0].at < 0.55
