"""The search among letters against plain references: roll-outs, clauses, exhausted rungs, and what is written."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_problems import batches, task_of

import graphfsa as gf
from graphfsa import CountingAggregation, LettersAggregation
from graphfsa.datasets import Examples
from graphfsa.errors import GraphFSAError
from graphfsa.search.budget import Budget
from graphfsa.search.colours import Reduction, reduction_of, refine_once, ripe_steps
from graphfsa.search.letters.candidates import Candidate
from graphfsa.search.letters.climb import LetterClimb
from graphfsa.search.letters.components import Component, addition, embeds, num_letters, num_values, reduction, sums_of
from graphfsa.search.letters.data import LetterData, RollOuts
from graphfsa.search.letters.kernels import Proposal
from graphfsa.search.letters.ladder import letter_ladder
from graphfsa.search.letters.rungs import LetterLimits, LetterRung, Moves, letter_rungs
from graphfsa.search.letters.search import LetterSearch
from strategies import SEEDS

EXAMPLES = settings(max_examples=80, deadline=None, derandomize=True)
PARTS = [
    Component("count", 1),
    Component("count", 2),
    Component("count", 3),
    Component("modulo", 2),
    Component("modulo", 3),
    Component("modulo", 3, weighted=True),
    Component("count", 2, weighted=True),
    Component("highest", 2),
    Component("highest", 3),
]
PRODUCTS = st.lists(st.sampled_from(PARTS), max_size=3).map(tuple)
FEW = st.lists(st.sampled_from([part for part in PARTS if part.size < 4]), max_size=2).map(tuple)


def plenty():
    return Budget(10**6)


@st.composite
def cases(
    draw,
    products=PRODUCTS,
    max_graphs=4,
    max_nodes=5,
    max_steps=4,
    max_extra=2,
    max_named=5,
    kinds=("classes", "classes", "evolution"),
):
    """Data, a rung, and random values for all of its unknowns; the labels are those of the unknowns or random."""
    rng = np.random.default_rng(draw(SEEDS))
    kind = draw(st.sampled_from(kinds))
    classes = draw(st.integers(1, min(3, max_named - 1)))
    inputs = classes if kind == "evolution" else draw(st.integers(1, min(3, max_named - classes)))
    batch = draw(batches(CountingAggregation(1), max_graphs, max_nodes))
    nodes = batch.graph.num_nodes
    steps = rng.integers(0 if draw(st.booleans()) else max_steps, max_steps + 1, len(batch))
    components = draw(products)
    extra = 0 if kind == "evolution" else draw(st.integers(0, max_extra))
    moves = draw(st.sampled_from(list(Moves)))
    starting = inputs if kind == "evolution" else draw(st.integers(1, inputs))
    rung = LetterRung(components, starting, extra, moves, 0 if kind == "evolution" else classes, inputs)
    given = rng.integers(0, inputs, nodes)
    labels = rng.integers(0, classes, nodes)
    mask = rng.random(nodes) < draw(st.sampled_from([0.3, 1.0]))
    examples = Examples(task_of(kind, inputs, classes), batch, given, labels, steps=steps, mask=mask)
    if draw(st.booleans()):
        table, letters, starts = random_unknowns(rung, rng, undefined=0)
        last = np.concatenate(
            [frames[-1] for frames in roll_out(examples, rung, table, letters, starts)] or [np.zeros(0, int)]
        )
        answered = (last < classes) & mask
        examples = Examples(
            examples.task, batch, given, np.where(answered, last, 0).astype(int), steps=steps, mask=answered
        )
    return LetterData(examples), rung, rng


def random_unknowns(rung, rng, undefined=0.1):
    """A table whose final rows stay, letters and starts that the rung allows."""
    states = rung.num_states
    table = np.array(
        [rng.choice(rung.successors(s) if s >= rung.num_final else [s], rung.num_values) for s in range(states)]
    )
    table[rung.num_final :][rng.random(table[rung.num_final :].shape) < undefined] = states
    letters = rng.integers(0, rung.num_letters + 1, states)
    if not rung.num_final:
        return table, letters, np.arange(rung.num_inputs)
    return table, letters, rung.num_final + rng.integers(0, rung.num_starting, rung.num_inputs)


def roll_out(examples, rung, table, letters, starts):
    """The states of each graph at each step, in plain Python; nobody moves from a state that is undefined."""
    seen_as = LettersAggregation(sums_of(rung.components, list(letters)))
    states_of = []
    for example in examples:
        sources = [
            example.graph.indices[slice(*example.graph.indptr[v : v + 2])].tolist()
            for v in range(example.graph.num_nodes)
        ]
        states = [int(starts[number]) for number in example.inputs]
        frames = [list(states)]
        for _ in range(example.steps):
            values = [
                seen_as.encode([min(states[u], rung.num_states - 1) for u in near], [], rung.num_states)
                for near in sources
            ]
            states = [s if s == rung.num_states else int(table[s, z]) for s, z in zip(states, values, strict=True)]
            frames.append(list(states))
        states_of.append(frames)
    return states_of


def wrong_graphs(data, rung, table, letters, starts):
    """Graphs with a node that is wrong in the end, or that an undefined entry concerns."""
    wrong = []
    for number, (example, frames) in enumerate(
        zip(data.examples, roll_out(data.examples, rung, table, letters, starts), strict=True)
    ):
        last = np.array(frames[-1], int)
        bad = (example.mask & (last != example.labels)).any() or (last == rung.num_states).any()
        if bad:
            wrong.append(number)
    return wrong


def proposal_of(rung, table, letters, starts):
    return Proposal(
        table.astype(np.int64), np.ascontiguousarray(addition(rung.components)[:, letters]), starts.astype(np.int64)
    )


def roll_outs_of(data, rung, ripe=None):
    nodes = len(data.examples.inputs)
    unknowns = rung.num_states * (rung.num_values + 1) + rung.num_inputs
    return RollOuts(data, np.zeros(nodes, np.int64) if ripe is None else ripe, unknowns)


@given(PRODUCTS, SEEDS)
@EXAMPLES
def test_addition_is_that_of_the_sums(components, seed):
    """Neighbour by neighbour, the table of a product of components says what the aggregation says."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(0, num_letters(components) + 1, 4).tolist()
    aggregation = LettersAggregation(sums_of(components, letters))
    table = addition(components)
    assert table.shape == (num_values(components), num_letters(components) + 1)
    assert aggregation.num_values(4) == num_values(components)
    assert reduction_of(aggregation) == reduction(components)
    states, value = [], 0
    for state in rng.integers(0, 4, 6).tolist():
        states.append(state)
        value = int(table[value, letters[state]])
        assert value == aggregation.encode(states, [], 4)


@EXAMPLES
@given(cases())
def test_uses_are_those_of_a_plain_roll_out(case):
    data, rung, rng = case
    table, letters, starts = random_unknowns(rung, rng, undefined=0)
    uses = roll_outs_of(data, rung).uses(proposal_of(rung, table, letters, starts), plenty())
    seen_as = LettersAggregation(sums_of(rung.components, letters.tolist()))
    users, shown = np.zeros(table.shape, int), np.zeros(rung.num_states, bool)
    wrong = []
    for example, frames in zip(data.examples, roll_out(data.examples, rung, table, letters, starts), strict=True):
        entries = set()
        for states in frames[:-1]:
            for node, state in enumerate(states):
                if state >= rung.num_final:
                    near = [states[u] for u in example.graph.indices[slice(*example.graph.indptr[node : node + 2])]]
                    shown[near] = True
                    entries.add((state, seen_as.encode(near, [], rung.num_states)))
        for entry in entries:
            users[entry] += 1
        wrong.append(int((example.mask & (np.array(frames[-1], int) != example.labels)).sum()))
    assert uses.users.tolist() == users.tolist()
    assert uses.shown.tolist() == shown.tolist()
    assert uses.wrong.tolist() == wrong


@EXAMPLES
@given(cases())
def test_wrong_graphs_are_explained_by_what_they_follow_from(case):
    """Whatever the other unknowns are, a graph stays wrong as long as those in its clause keep their values."""
    data, rung, rng = case
    table, letters, starts = random_unknowns(rung, rng)
    lemmas = roll_outs_of(data, rung).lemmas(proposal_of(rung, table, letters, starts), plenty())
    wrong = wrong_graphs(data, rung, table, letters, starts)
    if not lemmas:
        assert not wrong
        return
    first = rung.num_states * rung.num_values
    for unknowns in lemmas:
        assert len(set(unknowns.tolist())) == len(unknowns)
        assert not any(unknown < rung.num_final * rung.num_values for unknown in unknowns)
        common = None
        for _ in range(4):
            new_table, new_letters, new_starts = random_unknowns(rung, rng)
            new = np.r_[new_table.ravel(), new_letters, new_starts]
            new[unknowns] = np.r_[table.ravel(), letters, starts][unknowns]
            parts = (
                new[:first].reshape(table.shape),
                new[first : first + rung.num_states],
                new[first + rung.num_states :],
            )
            bad = set(entered_wrongly(data, rung, *parts))
            common = bad if common is None else common & bad
        assert common, "some graph is wrong in every case"


def entered_wrongly(data, rung, table, letters, starts):
    """Graphs with a node that ends wrong, enters another final state than its own, or needs what is undefined."""
    found = []
    for number, (example, frames) in enumerate(
        zip(data.examples, roll_out(data.examples, rung, table, letters, starts), strict=True)
    ):
        targets = np.where(example.mask, example.labels, -1)
        for states in frames:
            now = np.array(states, int)
            answers = (now < rung.num_final) & (targets >= 0) & (now != targets)
            if answers.any() or (now == rung.num_states).any():
                found.append(number)
                break
        else:
            if ((targets >= 0) & (np.array(frames[-1], int) != targets)).any():
                found.append(number)
    return found


@EXAMPLES
@given(cases(products=FEW, max_graphs=3, max_nodes=3, max_steps=3, max_extra=1, max_named=3))
def test_what_colours_refute_fits_nothing(case):
    """A node that is final before it is ripe looks like one with another label: some graph is wrong."""
    data, rung, rng = case
    ripe = data.ripe(reduction(rung.components))
    for _ in range(10):
        table, letters, starts = random_unknowns(rung, rng, undefined=0)
        fits = not wrong_graphs(data, rung, table, letters, starts)
        lemmas = roll_outs_of(data, rung, ripe).lemmas(proposal_of(rung, table, letters, starts), plenty())
        assert bool(lemmas) == (not fits)
        if fits:
            assert not data.is_hopeless(reduction(rung.components))


def every_fit(data, rung, limit=40_000):
    """Whether any table, letters and starts fit, by trying all of them."""
    rows = [rung.successors(s) for s in range(rung.num_final, rung.num_states) for _ in range(rung.num_values)]
    in_time = bool((data.examples.steps > 0).all())
    starts = []
    for number in range(rung.num_inputs):
        usual = list(range(rung.num_final, rung.num_final + rung.num_starting)) if rung.num_final else [number]
        labels = data.labels_of(number)
        starts.append(usual + (labels if rung.num_final and in_time and len(labels) == 1 else []))
    letters = [range(rung.num_letters + 1)] * rung.num_states
    total = np.prod([float(len(options)) for options in (*rows, *letters, *starts)])
    if total > limit:
        return None
    roll_outs = roll_outs_of(data, rung)
    for chosen in product(*rows, *letters, *starts):
        table = np.empty((rung.num_states, rung.num_values), int)
        table[: rung.num_final] = np.arange(rung.num_final)[:, None]
        table[rung.num_final :] = np.array(chosen[: len(rows)]).reshape(-1, rung.num_values)
        shown = np.array(chosen[len(rows) : len(rows) + rung.num_states])
        begin = np.array(chosen[len(rows) + rung.num_states :])
        if not roll_outs.lemmas(proposal_of(rung, table, shown, begin), plenty()):
            return True
    return False


TINY = cases(
    products=st.sampled_from([(), (PARTS[0],), (PARTS[3],), (PARTS[0], PARTS[0]), (PARTS[1],)]),
    max_graphs=4,
    max_nodes=3,
    max_steps=3,
    max_extra=2,
    max_named=3,
)


@settings(EXAMPLES, max_examples=150)
@given(TINY)
def test_rungs_are_exhausted_exactly_if_nothing_fits(case):
    data, rung, _ = case
    truth = every_fit(data, rung)
    assume(truth is not None)
    for whole in (True, False):
        search = LetterSearch(data, rung)
        outcome = search.advance(plenty(), 10**9, 10**6, whole=whole)
        assert outcome == ("found" if truth else "exhausted")
        assert search.impossible == (not truth)
        if truth:
            candidate = search.candidate(plenty())
            assert candidate.wrong == 0
            assert data.examples.accuracy(candidate.automaton(data.examples.task)) in (
                1,
                0 if not data.examples.mask.any() else 1,
            )


@settings(EXAMPLES, max_examples=40)
@given(TINY)
def test_the_fewest_entries_are_found_and_others_differ(case):
    data, rung, _ = case
    search = LetterSearch(data, rung)
    budget = plenty()
    most, fewest = rung.num_entries, None
    while search.advance(budget, 10**9, 10**6, most=most) == "found":
        candidate = search.candidate(budget)
        assert candidate.used <= most
        fewest, most = candidate, candidate.used - 1
        if most < 0:
            break
    if fewest is None:
        return
    again = LetterSearch(data, rung)
    found = set()
    for _ in range(5):
        if again.advance(budget, 10**9, 10**6, most=fewest.used, other=True) != "found":
            break
        candidate = again.candidate(budget)
        assert candidate.used == fewest.used
        key = (candidate.table.tobytes(), candidate.letters.tobytes(), candidate.starts.tobytes())
        assert key not in found
        found.add(key)
        again.forbid(candidate)
    assert found


@EXAMPLES
@given(cases())
def test_what_is_written_answers_as_what_was_found(case):
    """Inputs that share a start, that start in a final state, states that are left out: the answers are the same."""
    data, rung, rng = case
    table, letters, starts = random_unknowns(rung, rng, undefined=0)
    examples = data.examples
    if rung.num_final and (examples.steps > 0).all():
        final = rng.random(rung.num_inputs) < 0.3
        starts = np.where(final, rng.integers(0, rung.num_final, rung.num_inputs), starts)
    candidate = Candidate(rung, table, letters, starts, np.ones_like(table))
    fsa = candidate.automaton(examples.task)
    examples.task.check_automaton(fsa)
    last = np.concatenate([frames[-1] for frames in roll_out(examples, rung, table, letters, starts)])
    answers = np.where(last < max(rung.num_final, 0 if rung.num_final else rung.num_states), last, -1)
    assert examples.predict(fsa).tolist() == answers.tolist()


@EXAMPLES
@given(cases(), st.integers(0, 3))
def test_counting_less_far_changes_no_answer(case, _):
    data, rung, rng = case
    table, letters, starts = random_unknowns(rung, rng, undefined=0)
    uses = roll_outs_of(data, rung).uses(proposal_of(rung, table, letters, starts), plenty())
    part = np.where(uses.users > 0, table, -1)
    part[: rung.num_final] = table[: rung.num_final]
    candidate = Candidate(rung, part, letters, starts, uses.users)
    coarse = candidate.coarser()
    assert coarse.rung.num_values <= rung.num_values
    task = data.examples.task
    assert (
        data.examples.predict(coarse.automaton(task)).tolist()
        == data.examples.predict(candidate.automaton(task)).tolist()
    )


def test_components_that_are_part_of_others():
    one, two, three = PARTS[:3]
    assert one.is_part_of(two)
    assert not two.is_part_of(one)
    assert one.is_part_of(Component("highest", 2))
    assert not Component("highest", 2).is_part_of(one)
    assert two.is_part_of(Component("count", 2, weighted=True))
    assert not Component("count", 2, weighted=True).is_part_of(two)
    assert Component("modulo", 2).is_part_of(Component("modulo", 4))
    assert not Component("modulo", 4).is_part_of(Component("modulo", 2))
    assert not Component("modulo", 2).is_part_of(three)
    assert embeds((one, two), (two, one))
    assert not embeds((two, two), (two, one))


@settings(EXAMPLES, max_examples=60)
@given(cases(products=FEW, max_nodes=4), st.integers(0, 20))
def test_what_a_rung_covers_fits_it_too(case, seed):
    data, rung, _ = case
    others = [
        replace(rung, components=(*rung.components, PARTS[seed % 2])),
        replace(rung, num_extra=rung.num_extra + 1),
    ]
    others += [replace(rung, moves=moves) for moves in Moves if moves >= rung.moves]
    small = LetterSearch(data, rung)
    assume(small.advance(Budget(2), 10**9, 10**5) == "found")
    for other in others:
        assert other.covers(rung)
        assert LetterSearch(data, other).advance(Budget(20), 10**9, 10**6) == "found"


def test_the_ladder_is_in_the_order_of_its_bits():
    rungs = letter_rungs(LetterLimits(num_final=3, num_inputs=4, steady=1, bounds=2, modulo=True, max_extra=2))
    assert len(set(rungs)) == len(rungs)
    bits = [rung.bits for rung in rungs]
    assert np.allclose(bits, sorted(bits))
    for rung in rungs:
        assert rung.covers(rung)
        assert rung.num_entries == (rung.num_states - 3) * rung.num_values


@pytest.mark.parametrize("index", [0, 1, 2])
@pytest.mark.parametrize("period", [1, 2, 3])
def test_reductions_see_what_sums_see(index, period):
    seen = Reduction(index, period)(np.arange(12)).tolist()
    for number, kept in enumerate(seen):
        assert kept == (number if number < index else index + (number - index) % period)


@EXAMPLES
@given(cases(kinds=("classes",)))
def test_colours_of_counting_are_those_of_its_reduction(case):
    data, _, _ = case
    graphs, inputs = data.examples.graphs, data.examples.inputs.astype(np.uint64)
    for bound in (1, 2):
        counting = refine_once(graphs, inputs, CountingAggregation(bound))
        assert counting.tolist() == refine_once(graphs, inputs, Reduction(bound, 1)).tolist()
        ripe = ripe_steps(graphs, data.examples.inputs, data.target, 4, CountingAggregation(bound))
        assert ripe.tolist() == ripe_steps(graphs, data.examples.inputs, data.target, 4, Reduction(bound, 1)).tolist()


@settings(EXAMPLES, max_examples=25)
@given(cases(products=FEW, max_graphs=6, kinds=("classes",)))
def test_the_climb_finds_what_one_rung_finds(case):
    """If a rung of the ladder fits, the climb fits too; whatever it finds fits, the shortest first, each time alike."""
    data, _, _ = case
    assume(data.examples.mask.any())
    rungs = letter_ladder(data)[:60]
    climbs = [LetterClimb(data, rungs, (), Budget(2), lambda _: None) for _ in range(2)]
    found = [climb.run() for climb in climbs]
    task = data.examples.task
    assert [c.automaton(task).digest for c in found[0]] == [c.automaton(task).digest for c in found[1]]
    assert climbs[0].budget.spent == climbs[1].budget.spent
    for candidate in found[0]:
        assert data.examples.accuracy(candidate.automaton(task)) == 1
    if climbs[0].exhausted and not found[0]:
        for rung in rungs[:10]:
            assert LetterSearch(data, rung).advance(Budget(5), 10**9, 10**6) != "found"


@settings(EXAMPLES, max_examples=40)
@given(cases(products=FEW, max_graphs=6, kinds=("classes",)))
def test_what_fits_is_judged_and_what_is_wrong_is_learned_from(case):
    """Begun with one graph, the climb ends with what fits all that it was told; what it refutes, all graphs refute."""
    everything = case[0].examples
    assume(len(everything) > 1 and (everything.steps > 0).all() and everything.mask.any())
    told = [0]

    def judge(fsa):
        wrong = np.flatnonzero(everything.wrong(everything.predict(fsa)))
        if not len(wrong):
            return None
        told.append(int(everything.graphs.owners[wrong[0]]))
        return everything.select(told[-1:])

    first = everything.select([0])
    climb = LetterClimb(LetterData(first), letter_ladder(LetterData(first))[:40], (), Budget(2), lambda _: None, judge)
    found = climb.run()
    assert len(set(told)) == len(told)
    for candidate in found[:1]:
        assert everything.accuracy(candidate.automaton(everything.task)) == 1
    whole = LetterData(everything)
    for rung in [rung for rung in climb.rungs if climb.refuted.get(rung, -1) >= rung.num_entries][:10]:
        assert LetterSearch(whole, rung).advance(Budget(5), 10**9, 10**6) != "found"


def test_graphs_on_which_it_is_right_teach_nothing():
    """Otherwise a judge that is never content would keep the search for ever where it is."""
    task = gf.datasets.RootValue()
    train, more = task.generate(3, 4, np.random.default_rng(0)), task.generate(4, 3, np.random.default_rng(1))
    learner = gf.ExactLearner(budget=1)
    alone = learner.fit(Examples.concatenate([train, more]), judge=lambda fsa: None)
    model = learner.fit(Examples.concatenate([train, more]), judge=lambda fsa: more)
    assert (model.verdict, model.automaton) == ("exact", alone.automaton)
    assert model.provenance.graphs == len(train) + len(more)
    with pytest.raises(GraphFSAError, match="must return labelled graphs, Examples, or None; got 5"):
        learner.fit(train, judge=lambda fsa: 5)
