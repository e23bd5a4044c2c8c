"""The exact learner with letters: what it returns, which options choose what, and that the load does not matter."""

import threading

import numpy as np
import pytest

from graphfsa import CountingAggregation, LettersAggregation, PositionalAggregation
from graphfsa.datasets import Split, dataset_class
from graphfsa.errors import GraphFSAError
from graphfsa.learners.exact import ExactLearner
from graphfsa.search.budget import UNIT, Budget
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.proof import once
from graphfsa.search.restarts import annealed, random_table
from graphfsa.search.searches import evaluate


def data(name, parts=tuple((size, 25) for size in range(2, 7)), seed=0, steps=None, **options):
    return dataset_class(name)(**options).generate_split(Split(parts, steps), np.random.default_rng(seed))


@pytest.mark.parametrize("name", ["distance", "root-value", "prefix-sum", "path-finding"])
def test_what_is_learned_with_letters(name):
    examples = data(name, tuple((size, 60) for size in range(1 if name != "path-finding" else 2, 9)))
    learned = ExactLearner().fit(examples)
    fsa, task = learned.automaton, examples.task
    assert learned.verdict == "exact"
    assert isinstance(fsa.aggregation, LettersAggregation)
    assert fsa.state_names[: fsa.num_states] == tuple(
        task.state_names(fsa.num_states - len(task.inputs) - len(task.classes))
    )
    assert len(fsa.starting_states) == len(task.inputs)
    assert len(fsa.final_states) == len(task.classes)
    assert learned.candidates[0] == fsa
    assert len({other.digest for other in learned.candidates}) == len(learned.candidates)
    assert all(examples.accuracy(other) == 1 for other in learned.candidates)
    assert "fits" in {tried.outcome for tried in learned.attempts}
    assert data(name, ((60, 10),), seed=5).accuracy(fsa) == 1


def test_who_says_a_size_gets_automata_that_count():
    examples = data("distance")
    for options in ({"states": 4}, {"bound": 1}, {"aggregation": "counting"}):
        assert isinstance(ExactLearner(**options).fit(examples).automaton.aggregation, CountingAggregation)
    letters = ExactLearner(aggregation="letters", states=4, bound=1).fit(examples)
    assert isinstance(letters.automaton.aggregation, LettersAggregation)
    assert letters.automaton.num_states == 4
    assert max([1, *(part.limit for part in letters.automaton.aggregation.sums if part.kind == "count")]) == 1
    rows = data("elementary", ((8, 60),), steps=1, rule=30)
    assert isinstance(ExactLearner().fit(rows).automaton.aggregation, PositionalAggregation)


def test_letters_alone_that_do_not_suffice_are_undecided():
    examples = data("path-finding")
    learned = ExactLearner(aggregation="letters", bound=1, budget=2).fit(examples)
    assert learned.verdict == "undecided"
    assert {tried.outcome for tried in learned.attempts} <= {"impossible", "open"}


def test_a_busy_machine_gives_the_same_answer():
    examples = data("path-finding", ((5, 100), (6, 100)))
    learner, stop = ExactLearner(budget=1), threading.Event()
    alone = learner.fit(examples)
    other = threading.Thread(target=lambda: [sum(range(1000)) for _ in iter(stop.is_set, True)])
    other.start()
    try:
        busy = learner.fit(examples)
    finally:
        stop.set()
        other.join()
    assert busy.automaton.digest == alone.automaton.digest
    assert busy.provenance.details == alone.provenance.details
    assert [other.digest for other in busy.candidates] == [other.digest for other in alone.candidates]
    assert [(tried.size, tried.outcome) for tried in busy.attempts] == [
        (tried.size, tried.outcome) for tried in alone.attempts
    ]


def test_a_time_limit_ends_the_search():
    learned = ExactLearner(seconds=0.01).fit(data("path-finding"))
    assert learned.provenance.seconds < 20
    for seconds in (0, -1, True, "1"):
        with pytest.raises(GraphFSAError, match="seconds must be"):
            ExactLearner(seconds=seconds)


def test_budgets_are_spent_in_parts():
    whole = Budget(10)
    part = whole.part(4)
    part.spend(3 * UNIT)
    assert (whole.spent, part.left, part.over) == (3, 1, False)
    part.spend(UNIT)
    assert part.over
    assert not whole.over
    assert whole.part(100).left == 6
    whole.spend(6 * UNIT)
    assert whole.part(1).over
    assert Budget(10, seconds=0).over


@pytest.mark.parametrize("truth_seed", range(3))
def test_annealing_fits_what_leaves_many_tables(truth_seed):
    grab = dataset_class("grab")(num_states=5, truth_seed=truth_seed, keep=30)
    examples = once(grab.generate(5, 60, np.random.default_rng(truth_seed), steps=8))
    problems = [Problem.of(examples, Shape(2, 2, extra, CountingAggregation(1))) for extra in (1, 3)]
    first, second = (annealed(problems, 1, Budget(20), lambda _: None) for _ in range(2))
    assert first is not None
    assert not evaluate(*first)[0].any()
    assert (first[1] == second[1]).all()
    table = random_table(problems[0].shape, np.random.default_rng(0))
    assert (table[:2] == [[0], [1]]).all()
    assert (table[2:] >= 2).all()
