"""Certificates of impossibility: they survive files, say no more than what is so, and refuse what was tampered with."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from graphfsa import AverageThresholdAggregation, CountingAggregation, Graph, LettersAggregation, PositionalAggregation
from graphfsa.aggregations import Sum
from graphfsa.analysis import impossibility
from graphfsa.analysis.impossibility import Impossibility, check_impossibility, load_impossibility, save_impossibility
from graphfsa.datasets import Examples, Task, contradictions, dataset_class
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.graphs import GraphBatch
from graphfsa.learners.exact import ExactLearner
from learners.small_problems import TooManyError, every_fit, problems, task_of

EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)
TINY = problems(max_extra=1, max_graphs=3, max_nodes=3, max_steps=3, max_named=4)
PAIR = Graph.from_edges(2, [(0, 1)])


def truth(problem):
    try:
        return bool(every_fit(problem))
    except TooManyError:
        assume(False)


def claim_of(problem, sized=True):
    shape = problem.shape
    return Impossibility(problem.examples, shape.aggregation, shape.num_states if sized else None, minimal=False)


def same(one, two):
    assert (one.aggregation, one.num_states, one.minimal) == (two.aggregation, two.num_states, two.minimal)
    assert one.examples.task == two.examples.task
    assert len(one.examples) == len(two.examples)
    for a, b in zip(one.examples, two.examples, strict=True):
        assert a.graph.num_nodes == b.graph.num_nodes
        assert sorted(arcs(a.graph)) == sorted(arcs(b.graph))
        assert (a.inputs.tolist(), a.mask.tolist(), a.steps) == (b.inputs.tolist(), b.mask.tolist(), b.steps)
        assert a.labels[a.mask].tolist() == b.labels[b.mask].tolist()


def arcs(graph):
    slots = [0] * graph.num_arcs if graph.slots is None else graph.slots.tolist()
    return list(zip(graph.indices.tolist(), graph.targets().tolist(), slots, strict=True))


def written(claim, path):
    save_impossibility(claim, path)
    return load_impossibility(path)


def test_automata_that_there_are_not_prove_nothing():
    examples = dataset_class("distance")().generate(3, 2, np.random.default_rng(0))
    seen = LettersAggregation((Sum("count", 1, (0, 0, 0, 0, 0, 1)),))
    check = check_impossibility(Impossibility(examples, seen, 5, minimal=False))
    assert not check.holds
    assert check.reason.startswith("there are no such automata: only states 0 .. 4 can show a letter")


@EXAMPLES
@given(TINY)
def test_the_checker_agrees_with_a_search_over_all_tables(case):
    problem, table = case
    fits = truth(problem)
    check = check_impossibility(claim_of(problem))
    assert check.holds == (not fits)
    assert not (check.holds and table is not None)


@EXAMPLES
@given(problems(max_extra=1, max_graphs=4, max_nodes=5))
def test_what_looks_the_same(case):
    """Whatever the number of states: as colour refinement of the learner says, and contradictions of evolutions."""
    problem, table = case
    check = check_impossibility(claim_of(problem, sized=False))
    if problem.shape.num_final:
        assert check.holds == bool(len(problem.hopeless))
    elif not isinstance(problem.shape.aggregation, CountingAggregation):
        assert check.holds == bool(contradictions(problem.examples))
    assert not (check.holds and table is not None)


@EXAMPLES
@given(TINY)
def test_what_looks_the_same_is_fitted_by_nothing(case):
    problem, _ = case
    if check_impossibility(claim_of(problem, sized=False)).holds:
        assert not truth(problem)


@settings(EXAMPLES, max_examples=60)
@given(TINY)
def test_what_the_learner_says(case):
    """Inputs that may start alike do not make a proof wrong; verdicts are those of a search over all tables."""
    problem, _ = case
    examples, kind = problem.examples, problem.shape.aggregation
    assume(examples.mask.any() and not (kind.uses_slots and examples.graphs.graph.slots is None))
    fits = truth(problem)
    learner = ExactLearner(
        states=problem.shape.num_states,
        bound=None if not isinstance(kind, CountingAggregation) else (kind.bound, kind.bound),
        aggregation=kind.name,
        budget=10,
    )
    learned = learner.fit(examples)
    assert learned.verdict == ("exact" if fits else "impossible")
    if not fits:
        assert check_impossibility(learned.impossibility).holds


@pytest.fixture
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("certificates") / "c.json"


def test_files_give_back_what_was_written(tmp_path):
    number = [0]

    @EXAMPLES
    @given(problems())
    def check(case):
        problem, _ = case
        assume(problem.examples.graphs.graph.num_nodes)
        number[0] += 1
        for claim in (claim_of(problem), claim_of(problem, sized=False), replace(claim_of(problem), minimal=True)):
            same(written(claim, tmp_path / f"{number[0]}.json"), claim)

    check()


def test_names_that_look_like_numbers(file):
    for inputs, classes in [(("0", "1"), ("1", "2")), (("a", "7"), ("", "x")), (("True", "1.5"), ("0", "é"))]:
        examples = Examples(Task("t", "classes", inputs, classes), GraphBatch.of([PAIR]), [0, 1], [1, 0], steps=3)
        claim = Impossibility(examples, None, None, minimal=True)
        same(written(claim, file), claim)


def contradiction():
    examples = Examples(
        task_of("classes", 2, 2), GraphBatch.of([PAIR, PAIR]), [0, 1, 0, 1], [0, 1, 1, 1], steps=[3, 10**15]
    )
    return Impossibility(examples, None, None, minimal=True)


def minimal_proof(aggregation="counting"):
    """Labels of an automaton with more states, asked of automata without them."""
    grab = dataset_class("grab")(
        truth="dense", num_states=6, truth_seed=0, keep=30, family="path", aggregation=aggregation
    )
    examples = grab.generate(5, 100, np.random.default_rng(0), steps=6)
    learned = ExactLearner(states=4, bound=1, aggregation=aggregation, budget=20).fit(examples)
    assert learned.verdict == "impossible"
    return learned.impossibility


@pytest.mark.parametrize("aggregation", ["counting", "average-threshold"])
def test_every_graph_of_a_minimal_proof_is_needed(file, aggregation):
    proof = minimal_proof(aggregation)
    assert proof.minimal
    assert proof.num_states == 4
    assert len(proof.examples) > 1
    loaded = written(proof, file)
    assert check_impossibility(loaded).holds
    places = np.arange(len(proof.examples))
    for graph in places:
        assert not check_impossibility(replace(loaded, examples=loaded.examples.select(places[places != graph]))).holds
    # More states than the proof speaks of are not ruled out: the labels come from an automaton with six.
    assert not check_impossibility(replace(loaded, num_states=6)).holds


def test_a_changed_label_is_noticed(file):
    save_impossibility(contradiction(), file)
    assert check_impossibility(load_impossibility(file)).holds
    data = json.loads(file.read_text())
    data["graphs"][1]["labels"] = data["graphs"][0]["labels"]
    file.write_text(json.dumps(data))
    check = check_impossibility(load_impossibility(file))
    assert not check.holds
    assert "can be told apart" in check.reason
    data["graphs"] = data["graphs"][:1]
    file.write_text(json.dumps(data))
    assert not check_impossibility(load_impossibility(file)).holds


def test_reasons():
    claim = contradiction()
    assert "node 0 of graph 0 must be c0 after 3 steps, but node 0 of graph 1" in check_impossibility(claim).reason
    assert "must say how nodes see" in check_impossibility(replace(claim, num_states=4)).reason
    few = check_impossibility(replace(claim, num_states=3, aggregation=CountingAggregation(1)))
    assert not few.holds
    assert "too few" in few.reason


def test_a_bound_hides_what_lies_beyond_it():
    """Two leaves or three: the same for who counts to 2, not for who counts to 3."""
    stars = [Graph.from_edges(k + 1, [(0, leaf) for leaf in range(1, k + 1)]) for k in (2, 3)]
    mask = np.array([True, False, False, True, False, False, False])
    examples = Examples(
        task_of("classes", 1, 2), GraphBatch.of(stars), [0] * 7, [0, 0, 0, 1, 0, 0, 0], steps=4, mask=mask
    )
    for bound in (1, 2, 3):
        claim = Impossibility(examples, CountingAggregation(bound), None, minimal=True)
        assert check_impossibility(claim).holds == (bound < 3)
    assert not check_impossibility(Impossibility(examples, AverageThresholdAggregation(), None, minimal=True)).holds


def test_who_counts_does_not_see_slots():
    """Left and right of a pair differ for who sees positions, not for who counts."""
    row = Graph.from_edges(2, [(1, 0), (0, 1)], directed=True, slots=[1, 0])
    examples = Examples(task_of("classes", 1, 2), GraphBatch.of([row]), [0, 0], [0, 1], steps=3)
    for aggregation, holds in [(CountingAggregation(2), True), (PositionalAggregation(2), False), (None, False)]:
        assert check_impossibility(Impossibility(examples, aggregation, None, minimal=True)).holds == holds
    learned = ExactLearner(aggregation="counting", budget=5).fit(examples)
    assert learned.verdict == "impossible"
    assert check_impossibility(learned.impossibility).holds


def test_too_many_clauses(monkeypatch):
    monkeypatch.setattr(impossibility, "_MAX_CLAUSES", 10)
    with pytest.raises(LimitError, match="takes more than 10 clauses"):
        check_impossibility(replace(contradiction(), num_states=4, aggregation=CountingAggregation(1)))


def test_interruptions_of_the_solver():
    class Busy:
        def solve(self):
            raise RuntimeError("Caught keyboard interrupt")

    class Broken:
        def solve(self):
            raise RuntimeError("something else")

    with pytest.raises(KeyboardInterrupt):
        impossibility._solved(Busy())
    with pytest.raises(RuntimeError, match="something else"):
        impossibility._solved(Broken())


def without(field):
    return lambda data: data.pop(field)


def with_field(value, *path):
    def change(data):
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without("schema"), "must be a certificate with schema"),
        (with_field("verification", "kind"), "must be a certificate"),
        (with_field("graphfsa.certificate/2", "schema"), "must be a certificate"),
        (without("task"), "'task'"),
        (with_field(7, "task"), "'task'"),
        (with_field("riddle", "task", "kind"), "classes, evolution"),
        (with_field(["a", "a"], "task", "inputs"), "distinct"),
        (with_field([1, 2], "task", "inputs"), "strings"),
        (with_field(["i0"], "task", "inputs"), "inputs must be among i0; got 'i1'"),
        (with_field(["c0"], "task", "classes"), "labels must be among c0; got 'c1'"),
        (with_field(0, "num_states"), "'num_states'"),
        (with_field(257, "num_states"), "'num_states'"),
        (with_field(True, "num_states"), "'num_states'"),
        (with_field(4.0, "num_states"), "'num_states'"),
        (with_field("counting", "aggregation"), "aggregation"),
        (with_field({"name": "guessing"}, "aggregation"), "aggregation"),
        (with_field({"name": "counting", "bound": 0}, "aggregation"), "bound"),
        (with_field({"name": "counting", "limit": 2}, "aggregation"), "aggregation"),
        (with_field([], "aggregation"), "aggregation"),
        (with_field([], "graphs"), "'graphs'"),
        (with_field({}, "graphs"), "'graphs'"),
        (with_field([7], "graphs"), r"graphs\[0\]"),
        (with_field([[0, 5]], "graphs", 1, "edges"), r"graphs\[1\]"),
        (with_field(["c0"], "graphs", 1, "labels"), r"graphs\[1\].*'labels'"),
        (with_field([None, "c0"], "graphs", 1, "labels"), r"graphs\[1\]"),
        (with_field(-1, "graphs", 0, "steps"), "steps"),
        (with_field(10**400, "graphs", 0, "steps"), "steps"),
    ],
)
def test_corrupt_files(file, change, words):
    save_impossibility(contradiction(), file)
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    with pytest.raises(FormatError, match=words) as error:
        load_impossibility(file)
    assert str(file) in str(error.value)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a": 1, "a": 2}', b"NaN"]
)
def test_files_that_are_nothing(file, content):
    file.write_bytes(content)
    with pytest.raises(FormatError, match=str(file)):
        load_impossibility(file)


def test_no_file(tmp_path):
    with pytest.raises(GraphFSAError, match="nowhere"):
        load_impossibility(tmp_path / "nowhere.json")
    with pytest.raises(GraphFSAError, match="directory"):
        load_impossibility(tmp_path)


class Wrapping(CountingAggregation):
    """It extends counting and sees something else: counts begin again at 0 beyond the bound."""

    def encode(self, states, slots, num_states):
        base = self.bound + 1
        return sum(list(states).count(m) % base * base**m for m in range(num_states))


def test_who_extends_counting_may_see_beyond_the_bound():
    """Who counts to 1 can't tell one neighbour from two; who counts modulo 2 can."""
    graphs = GraphBatch.of([Graph.from_edges(1, [(0, 0)] * number, directed=True) for number in (1, 2)])
    examples = Examples(task_of("classes", 1, 2), graphs, [0, 0], [0, 1], steps=1)
    for kind, fits in ((CountingAggregation(1), False), (Wrapping(1), True)):
        assert check_impossibility(Impossibility(examples, kind, None, minimal=True)).holds == (not fits)
        learned = ExactLearner(states=3, bound=1, aggregation=kind, budget=10).fit(examples)
        assert learned.verdict == ("exact" if fits else "impossible")
