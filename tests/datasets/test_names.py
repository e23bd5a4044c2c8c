"""An automaton and a task are matched by names, never by positions."""

import numpy as np
import pytest

from graphfsa import CountingAggregation, GraphFSA, library
from graphfsa.datasets import Distance, Examples, Reading, Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch

PAIR = GraphBatch.of([Graph.from_edges(2, [(0, 1)])])


def staying(names, starting=(), final=()):
    """An automaton in which no node ever changes its state."""
    table = np.repeat(np.arange(len(names))[:, None], 2 ** len(names), axis=1)
    return GraphFSA(
        names, CountingAggregation(1), table, starting_states=list(starting) or None, final_states=list(final)
    )


def test_order_does_not_matter():
    task = Task("t", "classes", ("root", "node"), ("odd", "even"))
    assert task.reading(library.distance()) == Reading((3, 2), (1, 0))
    states = task.starting_states(library.distance(), np.array([0, 1, 1]))
    assert states.tolist() == [3, 2, 2]
    assert states.dtype == np.uint8
    assert task.predictions(library.distance(), np.array([0, 1, 2, 3])).tolist() == [1, 0, -1, -1]


def test_data_that_name_fewer_inputs_and_classes():
    task = Task("t", "classes", ("node",), ("even",))
    assert task.reading(library.distance()) == Reading((2,), (0,))
    data = Examples(task, PAIR, [0, 0], [0, 0], steps=1)
    assert data.predict(library.distance()).tolist() == [-1, -1]
    assert task.with_states_of(library.distance()) == Task("t", "classes", ("node", "root"), ("even", "odd"))
    some = Task("t", "evolution", ("tail", "head"), ("tail", "head"))
    assert some.reading(library.wireworld()) == Reading((2, 1), (2, 1))
    assert some.with_states_of(library.wireworld()).classes == ("tail", "head", "empty", "conductor")


@pytest.mark.parametrize(
    ("inputs", "classes"),
    [
        (("a", "b"), ("a", "b")),
        (("a", "a (start)"), ("a", "c")),
        (("a",), ("a", "a (start)")),
        (("", "x"), ("x", "")),
        (("s0", "s1"), ("s1", "s2")),
    ],
)
def test_names_of_learned_automata_where_inputs_and_classes_clash(inputs, classes):
    task = Task("t", "classes", inputs, classes)
    names = task.state_names(2)
    assert len(set(names)) == len(names) == len(inputs) + len(classes) + 2
    finals = range(len(classes))
    fsa = staying(names, range(len(classes), len(classes) + len(inputs)), finals)
    assert task.reading(fsa) == Reading(tuple(fsa.starting_states), tuple(finals))


def test_the_form_with_start_is_read_for_part_of_the_names():
    fsa = staying(["a", "b", "a (start)", "c"], [2, 3], [0, 1])
    assert Task("t", "classes", ("c", "a"), ("b",)).reading(fsa) == Reading((3, 2), (1,))


@pytest.mark.parametrize(
    ("task", "fsa", "words"),
    [
        (
            Task("t", "classes", ("node", "start"), ("even",)),
            library.distance(),
            "t has the inputs node, start, but no starting state of the automaton is called start; "
            "its starting states are node, root",
        ),
        (
            Task("t", "classes", ("node",), ("even", "3")),
            library.distance(),
            "t has the classes even, 3, but no final state of the automaton is called 3; its final",
        ),
        (
            Task("t", "classes", ("dead",), ("alive",)),
            library.life_like(),
            "no final state of the automaton is called alive; it has no final states",
        ),
        (
            Task("t", "evolution", ("off", "on"), ("off", "on")),
            library.life_like(),
            "t has the states off, on, but no state of the automaton is called off or on; its states are dead, alive",
        ),
    ],
)
def test_names_that_do_not_match_are_listed_on_both_sides(task, fsa, words):
    with pytest.raises(GraphFSAError) as error:
        task.check_automaton(fsa)
    assert words in str(error.value)


def test_two_inputs_are_never_one_state():
    fsa = staying(["no", "a (start)"], [1], [0])
    with pytest.raises(GraphFSAError, match="no starting state"):
        Task("t", "classes", ("a", "a (start)"), ("no",)).reading(fsa)


def test_an_explicit_reading_is_by_position():
    data = Examples(Task("t", "classes", ("x", "y"), ("p", "q")), PAIR, [1, 0], [0, 1], steps=3)
    assert data.accuracy(library.distance(), reading=Reading((2, 3), (0, 1))) == 1.0
    assert data.accuracy(library.distance(), reading=Reading((2, 3), (1, 0))) == 0.0


def test_examples_of_another_task_by_name():
    data = Distance().generate(6, 20, np.random.default_rng(0))
    other = Task("other", "classes", ("root", "far", "node"), ("odd", "even", "none"))
    moved = data.matched(other)
    assert moved.task == other
    assert [example.input_names for example in moved] == [example.input_names for example in data]
    assert [example.label_names for example in moved] == [example.label_names for example in data]
    assert moved.matched(other) is moved
    with pytest.raises(GraphFSAError, match="other has the inputs root, far, node, but distance has no far; it has"):
        moved.matched(data.task)
    with pytest.raises(GraphFSAError, match="distance is of the kind classes, and e of the kind evolution"):
        data.matched(Task("e", "evolution", ("node", "root"), ("node", "root")))


def test_names_of_one_example():
    task = Task("t", "classes", ("x", "y"), ("p", "q"))
    (example,) = Examples(task, PAIR, [1, 0], [0, 1], steps=3, mask=[True, False])
    assert (example.input_names, example.label_names, example.task) == (["y", "x"], ["p", None], task)


def test_groups_of_equal_steps():
    dataset, rng = Distance(), np.random.default_rng(0)
    data = Examples.concatenate([dataset.generate(size, 3, rng) for size in (5, 3, 5, 4)])
    groups = list(data.by_steps())
    assert [(steps, len(part), nodes.sum()) for steps, part, nodes in groups] == [(4, 3, 9), (5, 3, 12), (6, 6, 30)]
    for steps, part, nodes in groups:
        assert (part.steps == steps).all()
        assert part.inputs.tolist() == data.inputs[nodes].tolist()
    ((steps, part, nodes),) = data.by_steps(7)
    assert (steps, part is data, nodes.all()) == (7, True, True)


def test_one_score():
    data = Distance().generate(4, 10, np.random.default_rng(0))
    answers = data.labels.astype(np.int16)
    first = int(np.flatnonzero(answers == 0)[0])
    answers[first] = -1
    score = data.score(answers)
    assert (score.accuracy, score.reference, score.perfect) == (1 - 1 / 40, 1.0, 0.9)
    assert (score.nodes, score.graphs) == (40, 10)
    assert data.score(data.predict(library.distance())).accuracy == data.accuracy(library.distance()) == 1.0
    nothing = Examples(data.task, data.graphs, data.inputs, data.labels, steps=1, mask=np.zeros(40, bool))
    assert nothing.score(answers).accuracy == 1.0
