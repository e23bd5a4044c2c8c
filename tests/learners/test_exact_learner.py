"""The exact learner as a whole: verdicts, proofs, wrong labels, interruptions, and refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import problems, task_of

from graphfsa import CountingAggregation, Graph, LettersAggregation, PositionalAggregation
from graphfsa.aggregations import Sum
from graphfsa.datasets import Examples, Split, Task, dataset_class
from graphfsa.errors import AutomatonError, GraphFSAError
from graphfsa.graphs import GraphBatch
from graphfsa.learners.exact import ExactLearner
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.sat import SatSearch
from graphfsa.search.searches import LazySearch
from strategies import SEEDS

EXAMPLES = settings(max_examples=40, deadline=None, derandomize=True)
QUICK = ExactLearner(budget=60)
PAIR = Graph.from_edges(2, [(0, 1)])


def data(name, parts=tuple((size, 25) for size in range(2, 7)), seed=0, steps=None, **options):
    return dataset_class(name)(**options).generate_split(Split(parts, steps), np.random.default_rng(seed))


def examples_of(graphs, inputs, labels, *, steps=3, num_inputs=2, num_classes=2, kind="classes", **columns):
    task = task_of(kind, num_inputs, num_classes)
    return Examples(task, GraphBatch.of(graphs), inputs, labels, steps=steps, **columns)


def with_noise(examples, share, seed):
    """Flips some labels; returns the data and which nodes were flipped."""
    flipped = np.random.default_rng(seed).random(len(examples.labels)) < share
    flipped &= examples.mask
    labels = np.where(flipped, (examples.labels + 1) % len(examples.task.classes), examples.labels)
    return Examples(
        examples.task, examples.graphs, examples.inputs, labels, steps=examples.steps, mask=examples.mask
    ), flipped


def nodes_of(learned, examples):
    return {int(examples.graphs.offsets[suspect.graph]) + suspect.node for suspect in learned.suspects}


def consistent(learned, examples):
    """What every result must satisfy, whatever the verdict."""
    if not learned.found:
        assert learned.provenance.train_accuracy == 0
        assert not learned.suspects
        with pytest.raises(GraphFSAError, match=learned.verdict):
            _ = learned.automaton
    else:
        assert learned.provenance.train_accuracy == examples.accuracy(learned.automaton)
        wrong = np.flatnonzero(examples.mask & (examples.predict(learned.automaton) != examples.labels))
        assert nodes_of(learned, examples) == set(wrong[:1000].tolist())
    assert (learned.verdict == "exact") == (learned.provenance.train_accuracy == 1)
    assert (learned.verdict == "impossible") == (learned.impossibility is not None)
    if any(tried.outcome == "fits" for tried in learned.attempts):
        assert learned.verdict == "exact"
    return learned


@EXAMPLES
@given(problems(max_named=4, max_extra=1, max_graphs=6), st.integers(0, 3))
def test_data_of_a_small_automaton_are_explained(case, seed):
    problem, table = case
    examples = problem.examples
    if not examples.mask.any():
        with pytest.raises(GraphFSAError, match="nothing to learn"):
            QUICK.fit(examples)
        return
    kind = problem.shape.aggregation
    if examples.graphs.graph.slots is None and kind.uses_slots:
        return
    learner = ExactLearner(
        aggregation=kind.name, states=problem.shape.num_states, bound=getattr(kind, "bound", None), budget=60
    )
    learned = consistent(learner.fit(examples, seed=seed), examples)
    if table is not None:
        assert learned.verdict == "exact"
        examples.task.check_automaton(learned.automaton)
    else:
        assert learned.verdict in ("exact", "impossible")
    if learned.verdict == "exact":
        assert learner.fit(examples, seed=seed).automaton.digest == learned.automaton.digest


@pytest.mark.parametrize("truth_seed", range(6))
@pytest.mark.parametrize("aggregation", ["counting", "average-threshold"])
def test_grab(truth_seed, aggregation):
    grab = dataset_class("grab")(truth="sparse", num_states=5, truth_seed=truth_seed, aggregation=aggregation, keep=20)
    examples = grab.generate(5, 60, np.random.default_rng(truth_seed), steps=8)
    learned = consistent(ExactLearner(states=5, bound=1, aggregation=aggregation, budget=60).fit(examples), examples)
    assert learned.verdict == "exact"


LETTERS = LettersAggregation((Sum("count", 2, (0, 0, 1, 1)), Sum("count", 2, (0, 1))))


def test_letters_say_enough_for_paths_with_a_small_table():
    """How many neighbours have no answer yet, and how many are on the path: 36 entries where counting has 324."""
    examples = data("path-finding")
    learned = consistent(ExactLearner(states=4, aggregation=LETTERS, budget=60).fit(examples), examples)
    assert (learned.verdict, learned.automaton.transition_table.size) == ("exact", 36)


def test_letters_of_states_that_there_are_not_are_refused():
    later = LettersAggregation((Sum("count", 2, (0, 0, 0, 0, 0, 1)),))
    with pytest.raises(AutomatonError, match=r"only states 0 \.\. 4 can show a letter, as there are 5 states; state 5"):
        ExactLearner(states=5, aggregation=later).fit(data("path-finding"))
    learned = ExactLearner(aggregation=later, budget=2).fit(data("path-finding"))
    assert [attempt.size for attempt in learned.attempts] == ["6 states"]


@pytest.mark.parametrize("letters", [(0, 0, 0, 1), (1, 1), (), (0, 0, 1, 1)])
def test_inputs_that_show_different_letters_are_not_taken_together(letters):
    """Two inputs, told apart by nothing but where they are numbered; then the others would move up."""
    graph = Graph.from_edges(2, [(0, 1)])
    task = Task("seen", "classes", ("a", "b"), ("no", "yes"))
    shown = (*letters, 0, 0, 0, 0)
    inputs = np.array([0, 0, 0, 1, 1, 0, 1, 1])
    labels = np.array([shown[2 + other] for pair in inputs.reshape(-1, 2) for other in pair[::-1]])
    examples = Examples(task, GraphBatch.of([graph] * 4), inputs, labels, steps=1)
    aggregation = LettersAggregation((Sum("count", 1, letters),))
    learned = consistent(ExactLearner(states=4, aggregation=aggregation, budget=60).fit(examples), examples)
    assert learned.verdict == "exact"


@pytest.mark.parametrize("name", ["distance", "root-value", "prefix-sum", "path-finding"])
@pytest.mark.parametrize("merge", ["auto", "none"])
def test_tasks_of_the_paper(name, merge):
    examples = data(name)
    learner = ExactLearner(merge=merge, budget=60)
    learned = consistent(learner.fit(examples, seed=3), examples)
    assert learned.verdict == "exact"
    assert learner.fit(examples, seed=3).automaton == learned.automaton
    assert learner.fit(examples.select(np.arange(len(examples))[::-1]), seed=3).verdict == "exact"
    if name != "path-finding":
        assert data(name, ((30, 20),), seed=9).accuracy(learned.automaton) == 1


@pytest.mark.parametrize("states", [4, None])
def test_a_bound_of_one_is_too_small_for_paths(states):
    examples = data("path-finding")
    learned = consistent(ExactLearner(states=states, bound=1, budget=60).fit(examples), examples)
    assert learned.verdict == "impossible"
    assert learned.impossibility.num_states is None
    assert learned.impossibility.aggregation == CountingAggregation(1)
    assert learned.impossibility.minimal
    part = Problem.of(learned.impossibility.examples, Shape(2, 2, 0, CountingAggregation(1)))
    assert len(part.hopeless)
    assert len(part.examples) <= 2
    for graph in range(len(part.examples)) if len(part.examples) > 1 else []:
        assert not len(part.select(np.array([graph])).hopeless)


def fits(problem):
    lazy = LazySearch(problem, 0)
    if lazy.advance(50_000_000) == "paused":
        return SatSearch(problem).advance(10**6) == "found"
    return lazy.outcome == "found"


@pytest.mark.parametrize("truth_seed", [0, 1, 4, 6, 7, 8, 9, 12])
def test_every_graph_of_a_proof_is_needed(truth_seed):
    """Labels of an automaton with an extra state, asked of automata without."""
    grab = dataset_class("grab")(truth="dense", num_states=6, truth_seed=truth_seed, keep=30)
    examples = grab.generate(7, 150, np.random.default_rng(truth_seed), steps=10)
    learned = consistent(ExactLearner(states=4, bound=1, budget=60).fit(examples), examples)
    assert learned.verdict == "impossible"
    proof = learned.impossibility
    assert proof.minimal
    assert proof.num_states == 4
    assert len(proof.examples) > 1
    problem = Problem.of(proof.examples, Shape(2, 2, 0, proof.aggregation))
    assert not fits(problem)
    keys = {(tuple(e.inputs), tuple(e.labels), e.graph.digest) for e in examples}
    for example in proof.examples:
        assert (tuple(example.inputs), tuple(example.labels), example.graph.digest) in keys
    everything = np.arange(len(proof.examples))
    for graph in everything:
        assert fits(problem.select(everything[everything != graph]))


def test_contradictions_need_no_size():
    twice = examples_of([PAIR, PAIR], [0, 1, 0, 1], [0, 1, 1, 1])
    learned = consistent(QUICK.fit(twice), twice)
    assert learned.verdict == "impossible"
    assert learned.impossibility.num_states is learned.impossibility.aggregation is None
    assert len(learned.impossibility.examples) == 2
    # The end of a path learns too late of the mark at the other end.
    path = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
    late = {
        steps: examples_of([path, path], [0, 0, 0, 1, 0, 0, 0, 0], [1] * 4 + [0] * 4, steps=steps)
        for steps in (2, 3, 4)
    }
    learned = consistent(QUICK.fit(late[2]), late[2])
    assert learned.verdict == "impossible"
    assert learned.impossibility.num_states is None
    for steps in (3, 4):
        # From step 3 on it can be known: only the number of states may be too small.
        learned = consistent(QUICK.fit(late[steps]), late[steps])
        assert learned.impossibility is None or learned.impossibility.num_states is not None
    evolution = examples_of([PAIR, PAIR], [0, 1, 0, 1], [0, 1, 1, 1], kind="evolution", steps=1)
    learned = consistent(QUICK.fit(evolution), evolution)
    assert learned.impossibility.num_states is None
    # A label that is alone in contradicting nobody counts for nothing.
    masked = examples_of([PAIR, PAIR], [0, 1, 0, 1], [0, 1, 1, 1], mask=[True, True, False, True])
    assert consistent(QUICK.fit(masked), masked).verdict == "exact"


@pytest.mark.parametrize("share", [0.01, 0.02])
@pytest.mark.parametrize("name", ["distance", "root-value"])
def test_flipped_labels_are_suspects(name, share):
    examples, flipped = with_noise(data(name), share, seed=1)
    assert flipped.any()
    learned = consistent(ExactLearner(tolerance=0.05, budget=60).fit(examples), examples)
    assert learned.verdict == "best-effort"
    # Of two nodes that look the same with different labels either may be called wrong, so only the number is certain.
    assert len(nodes_of(learned, examples)) <= flipped.sum()
    assert data(name, ((20, 30),), seed=7).accuracy(learned.automaton) == 1


def test_tolerance_changes_nothing_where_all_is_well():
    examples = data("distance")
    strict, lenient = (ExactLearner(tolerance=t, budget=60).fit(examples, seed=1) for t in (0.0, 0.1))
    assert strict.automaton == lenient.automaton
    assert lenient.verdict == "exact"


def test_evolutions():
    for name, steps, count in (("life", 1, 100), ("life", 2, 100), ("wireworld", 1, 500), ("brians-brain", 1, 300)):
        examples = data(name, ((16, count),), steps=steps)
        learned = consistent(ExactLearner(budget=60).fit(examples), examples)
        assert learned.verdict == "exact", name
        assert data(name, ((64, 20),), seed=5, steps=3).accuracy(learned.automaton) == 1, name


@pytest.mark.parametrize("first", range(0, 256, 64))
def test_elementary_rules(first):
    for rule in range(first, first + 64):
        examples = data("elementary", ((8, 60),), steps=1, rule=rule)
        learned = ExactLearner(budget=5).fit(examples)
        assert learned.verdict == "exact"
        assert data("elementary", ((16, 10),), seed=2, steps=5, rule=rule).accuracy(learned.automaton) == 1, rule


def test_noisy_evolution_takes_the_majority():
    examples, flipped = with_noise(data("life", ((16, 300),), steps=1), 0.02, seed=3)
    learned = consistent(ExactLearner(tolerance=0.05, budget=60).fit(examples), examples)
    assert learned.verdict == "best-effort"
    assert nodes_of(learned, examples) == set(np.flatnonzero(flipped).tolist())
    assert data("life", ((64, 20),), seed=5, steps=3).accuracy(learned.automaton) == 1


@pytest.mark.parametrize("name", ["distance", "path-finding", "prefix-sum"])
@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_no_time_at_all(name, tolerance):
    examples = with_noise(data(name), 0.02, seed=1)[0] if tolerance else data(name)
    learned = consistent(ExactLearner(budget=0.01, tolerance=tolerance).fit(examples), examples)
    assert learned.verdict in ("exact", "best-effort", "undecided")
    assert learned.provenance.seconds < 10


class Interrupt:
    """Presses the keys when told something for the n-th time, and remembers what it was told."""

    def __init__(self, when):
        self.when, self.told = when, []

    def __call__(self, record):
        self.told.append(record["doing"])
        if len(self.told) == self.when:
            raise KeyboardInterrupt


@pytest.mark.parametrize("when", range(1, 30, 4))
@pytest.mark.parametrize("merge", ["auto", "none"])
def test_interruptions_end_the_search(when, merge):
    examples = data("prefix-sum")
    watch = Interrupt(when)
    learned = consistent(ExactLearner(budget=60, merge=merge).fit(examples, watch=watch), examples)
    assert learned.provenance.interrupted == (len(watch.told) == when)
    if not learned.provenance.interrupted or watch.told[-1].startswith("simplifying"):
        assert learned.verdict == "exact"
    else:
        assert learned.verdict == "undecided"


def test_an_interruption_while_simplifying_keeps_the_automaton():
    examples = data("distance")
    told = []
    QUICK.fit(examples, watch=lambda record: told.append(record["doing"]))
    assert told[-1].startswith("simplifying")
    learned = consistent(QUICK.fit(examples, watch=Interrupt(len(told))), examples)
    assert learned.provenance.interrupted
    assert learned.verdict == "exact"


def test_an_interruption_while_fewest_errors_are_looked_for_keeps_the_best():
    examples = with_noise(data("path-finding", ((4, 20), (5, 20))), 0.05, seed=1)[0]
    learner = ExactLearner(budget=4, tolerance=0.0001)
    told = []
    learner.fit(examples, watch=lambda record: told.append(record["doing"]))
    first = next(place for place, text in enumerate(told) if text.startswith("fewest"))
    if not told[first + 1].startswith("fewest"):
        return
    learned = consistent(learner.fit(examples, watch=Interrupt(first + 2)), examples)
    assert learned.provenance.interrupted
    assert learned.found


def test_an_interruption_while_a_proof_is_made_small():
    examples = data("path-finding")
    learner = ExactLearner(states=4, bound=1, budget=60)
    told = []
    learner.fit(examples, watch=lambda record: told.append(record["doing"]))
    learned = learner.fit(examples, watch=Interrupt(max(1, len(told))))
    assert learned.provenance.interrupted == bool(told)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"states": 0}, "states must be"),
        ({"states": (5, 4)}, "states must be"),
        ({"states": 4.0}, "states must be"),
        ({"states": True}, "states must be"),
        ({"states": ()}, "states must be"),
        ({"states": (4,)}, "states must be"),
        ({"states": (1, 2, 3)}, "states must be"),
        ({"bound": 0}, "bound must be"),
        ({"bound": -1}, "bound must be"),
        ({"bound": "2"}, "bound must be"),
        ({"budget": 0}, "budget must be"),
        ({"budget": -1.0}, "budget must be"),
        ({"budget": float("nan")}, "budget must be"),
        ({"budget": float("inf")}, "budget must be"),
        ({"budget": True}, "budget must be"),
        ({"tolerance": 1}, "tolerance must be"),
        ({"tolerance": -0.1}, "tolerance must be"),
        ({"tolerance": float("nan")}, "tolerance must be"),
        ({"tolerance": True}, "tolerance must be"),
        ({"tolerance": "0.1"}, "tolerance must be"),
        ({"tolerance": None}, "tolerance must be"),
        ({"aggregation": "maximum"}, "unknown aggregation"),
        ({"aggregation": None}, "unknown aggregation"),
        ({"merge": "some"}, "merge must be"),
    ],
    ids=str,
)
def test_bad_options(options, words):
    with pytest.raises(GraphFSAError, match=words):
        ExactLearner(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"states": 3}, "need at least 4 states; got states=3"),
        ({"states": (1, 3)}, "need at least 4 states"),
        ({"merge": (("i0", "nobody"),)}, "unknown input class 'nobody'"),
        ({"aggregation": "positional"}, "needs graphs with neighbour slots"),
    ],
    ids=str,
)
def test_options_that_do_not_fit_the_data(options, words):
    with pytest.raises(GraphFSAError, match=words):
        ExactLearner(**options).fit(examples_of([PAIR], [0, 1], [0, 1]))


@pytest.mark.parametrize("states", [1, 3, (3, 4)])
def test_states_of_an_evolution_are_given(states):
    examples = examples_of([PAIR], [0, 1], [1, 0], kind="evolution", steps=1)
    if states == 3:
        assert ExactLearner(states=states).fit(examples).automaton.num_states == 2
        return
    with pytest.raises(GraphFSAError, match="those of the data, 2"):
        ExactLearner(states=states).fit(examples)


def test_nothing_counts():
    nothing = Graph.from_edges(0, [])
    for examples in (
        examples_of([], [], []),
        examples_of([nothing], [], []),
        examples_of([PAIR], [0, 1], [0, 1], mask=[False, False]),
    ):
        with pytest.raises(GraphFSAError, match="nothing to learn"):
            QUICK.fit(examples)


@pytest.mark.parametrize("kind", ["classes", "evolution"])
def test_graphs_without_nodes_or_labels_do_no_harm(kind):
    nothing, lonely = Graph.from_edges(0, []), Graph.from_edges(1, [])
    graphs = [nothing, PAIR, nothing, lonely, PAIR, nothing]
    examples = examples_of(graphs, [0, 1, 0, 1, 1], [0, 1, 0, 1, 1], kind=kind, mask=[True, True, True, False, False])
    assert consistent(QUICK.fit(examples), examples).verdict == "exact"


def test_no_steps():
    examples = examples_of([PAIR], [0, 1], [0, 1], steps=0)
    assert consistent(QUICK.fit(examples), examples).verdict == "impossible"
    stays = examples_of([PAIR], [0, 1], [0, 1], steps=0, kind="evolution")
    assert consistent(QUICK.fit(stays), stays).verdict == "exact"
    jumps = examples_of([PAIR], [0, 1], [1, 0], steps=0, kind="evolution")
    assert consistent(QUICK.fit(jumps), jumps).verdict == "impossible"
    mixed = examples_of([PAIR, PAIR], [0, 1, 0, 1], [0, 1, 1, 0], steps=[0, 3], kind="evolution")
    assert consistent(QUICK.fit(mixed), mixed).verdict == "exact"


def test_a_proof_without_a_largest_size():
    """The largest tables are left out, so no size that was tried covers all others."""
    stars = [Graph.from_edges(k + 1, [(0, leaf) for leaf in range(1, k + 1)]) for k in (4, 5)]
    examples = examples_of(stars, [0] * 11, [0] * 5 + [1] + [0] * 5, num_inputs=3, num_classes=7)
    learned = consistent(ExactLearner(budget=5, merge="none", aggregation="counting").fit(examples), examples)
    assert learned.verdict == "impossible"
    # Whoever counts modulo two tells four from five.
    assert consistent(ExactLearner(budget=5, merge="none").fit(examples), examples).verdict == "exact"


@pytest.mark.parametrize(
    ("inputs", "classes"),
    [(("a", "b"), ("a", "a (start)")), (("a", "a (start)"), ("a", "b")), (("s0", "s1"), ("s1", "s2"))],
)
def test_names_that_clash_are_told_apart(inputs, classes):
    examples = Examples(Task("t", "classes", inputs, classes), GraphBatch.of([PAIR]), [0, 1], [0, 1], steps=2)
    for states in (4, (6, 6)):
        learned = ExactLearner(budget=5, states=states).fit(examples)
        assert learned.automaton.state_names[:2] == classes
        assert learned.verdict == "exact"


def test_groups_count_with_many_inputs():
    task = Task("t", "classes", tuple(f"i{k}" for k in range(9)), ("a", "b"))
    apart = ExactLearner(merge=(("i0", "i1"),)).apart(task)
    assert (0, 1) not in apart
    assert len(apart) == 35
    with pytest.raises(GraphFSAError, match="nobody"):
        ExactLearner(merge=(("i0", "nobody"),)).apart(task)


def test_seeds_below_zero_are_refused():
    examples = examples_of([PAIR, PAIR], [0, 1, 0, 1], [0, 1, 1, 1])
    with pytest.raises(GraphFSAError, match="seed must be an integer >= 0; got -1"):
        ExactLearner(tolerance=0.3, budget=3).fit(examples, seed=-1)


def test_predictions_of_what_was_learned():
    examples = data("distance")
    learned = QUICK.fit(examples)
    for example in list(examples)[:20]:
        assert learned.predict(example.graph, example.inputs, steps=example.steps).tolist() == example.labels.tolist()
    with pytest.raises(GraphFSAError, match="inputs"):
        learned.predict(PAIR, [0], steps=1)
    with pytest.raises(GraphFSAError, match="input of node 1"):
        learned.predict(PAIR, [0, 2], steps=1)


@settings(EXAMPLES, max_examples=25)
@given(problems(kinds=("counting", "positional"), evolution=False, max_named=5, max_extra=0), SEEDS)
def test_merging_never_loses_a_fit(case, seed):
    """Whatever may start alike: the verdict is the same, and the automaton has a start for each input class."""
    problem, _ = case
    examples = problem.examples
    if not examples.mask.any() or (examples.graphs.graph.slots is None and problem.shape.aggregation.uses_slots):
        return
    options = {"states": problem.shape.num_states, "bound": getattr(problem.shape.aggregation, "bound", None)}
    verdicts = set()
    for merge in ("auto", "none"):
        learned = consistent(ExactLearner(merge=merge, budget=60, **options).fit(examples, seed=seed % 5), examples)
        verdicts.add(learned.verdict)
        if learned.found:
            assert len(learned.automaton.starting_states) == len(examples.task.inputs)
    assert len(verdicts) == 1


def test_names_that_no_state_can_have_are_said_before_the_search():
    task = Task("small", "classes", ("a",), ("x\n", "y"))
    examples = Examples(task, GraphBatch.of([PAIR]), [0, 0], [0, 1], steps=3)
    told = []
    with pytest.raises(GraphFSAError, match="state"):
        ExactLearner().fit(examples, watch=told.append)
    assert not told


def test_graphs_that_do_not_count_are_looked_at_too():
    """A graph without a node that counts uses a slot that the others do not."""
    task = Task("small", "classes", ("i",), ("c",))
    graphs = [Graph([0, 0], []), Graph([0, 2, 3], [1, 1, 0], [0, 1, 0])]
    mask = [True, False, False]
    train = Examples(task, GraphBatch.of(graphs), [0, 0, 0], [0, 0, 0], steps=1, mask=mask)
    assert ExactLearner().fit(train).automaton.aggregation == PositionalAggregation(2)
