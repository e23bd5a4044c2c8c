"""Soft roll-outs: what the engine says of certain tables, what enumeration says of others, and their gradients."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import assume, currently_in_test_context, given, settings
from hypothesis import strategies as st
from small_problems import random_table

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphFSA,
    LettersAggregation,
    PositionalAggregation,
    run,
)
from graphfsa.aggregations import Sum
from graphfsa.errors import AutomatonError, GraphFSAError, LimitError
from graphfsa.graphs import GraphBatch
from graphfsa.learners.diff_fsa._neighbourhoods import Neighbourhoods
from graphfsa.learners.diff_fsa._rollout import Rollout
from graphfsa.search.problem import Shape
from strategies import SEEDS, average_threshold, letters, plain_graphs, scattered_graphs, slotted_graphs

torch = pytest.importorskip("torch")

KINDS = ("counting", "positional", "average", "letters")
AGGREGATES = ("exact", "threshold")
IMPLEMENTATIONS = [pytest.param(True, id="compiled"), pytest.param(False, id="torch")]
THREE = [
    pytest.param(CountingAggregation(2), id="counting"),
    pytest.param(PositionalAggregation(2), id="positional"),
    pytest.param(AverageThresholdAggregation((1 / 3, 1.0)), id="average"),
    pytest.param(LettersAggregation((Sum("count", 2, (1, 1)), Sum("modulo", 2, (0, 1)))), id="letters"),
    pytest.param(LettersAggregation((Sum("count", 3, (0, 2)), Sum("highest", 2, (0, 0, 1)))), id="letters with levels"),
]


@pytest.fixture(autouse=True)
def one_thread():
    """The tensors are tiny, and the machine may be shared."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def examples(count):
    return settings(max_examples=count, deadline=None, derandomize=True)


@st.composite
def aggregations(draw, kind, num_states):
    if kind == "counting":
        return CountingAggregation(draw(st.integers(1, 3)))
    if kind == "letters":
        return draw(letters(num_states))
    return (
        PositionalAggregation(draw(st.integers(2, 3))) if kind == "positional" else draw(average_threshold(num_states))
    )


@st.composite
def situations(draw, kind, max_states=5, max_nodes=7, max_graphs=4, max_steps=4, graphs=None):
    """An aggregation, a number of states, absorbing ones among them, graphs, start, some of the graphs, their steps."""
    num_states = draw(st.integers(1, max_states))
    aggregation = draw(aggregations(kind, num_states))
    if graphs is None:
        graphs = (
            slotted_graphs(max_nodes, num_slots=draw(st.integers(1, aggregation.num_slots)))
            if (kind == "positional")
            else st.one_of(plain_graphs(max_nodes), scattered_graphs(2 * max_nodes))
        )
    batch = GraphBatch.of(draw(st.lists(graphs, max_size=max_graphs)))
    absorbing = draw(st.integers(0, num_states))
    rng = np.random.default_rng(draw(SEEDS))
    start = rng.integers(0, num_states, batch.graph.num_nodes)
    chosen = rng.integers(0, len(batch), rng.integers(0, 5)) if len(batch) else np.zeros(0, np.int64)
    steps = rng.integers(0, max_steps + 1, len(chosen))
    return aggregation, num_states, absorbing, batch, start, chosen, steps


def has_thresholds(aggregation, num_states):
    """Whether it can be aggregated by hard thresholds."""
    return aggregation.uses_slots or aggregation.levels(1, num_states) is not None


def rollout_of(situation, **options):
    aggregation, num_states, absorbing, batch, start, chosen, steps = situation
    if options.get("aggregate") == "threshold" and not has_thresholds(aggregation, num_states):
        assume(False) if currently_in_test_context() else pytest.skip("sums of several states have no thresholds")
    rollout = Rollout(batch, aggregation, num_states, absorbing=absorbing, **options)
    return rollout, rollout.batch(chosen, start, steps)


def random_soft(rollout, rng, restarts, sharp=1.0, dtype=torch.float64):
    """A random table whose entries sum up to 1."""
    states = rollout.num_states
    shape = len(rollout.values), states - rollout.absorbing, states, restarts
    return torch.softmax(torch.as_tensor(rng.normal(0, sharp, shape)), dim=2).to(dtype)


def certain_soft(rollout, tables, dtype):
    """The tables of automata, one for each restart, with probabilities 0 and 1."""
    states, absorbing = rollout.num_states, rollout.absorbing
    successors = np.stack([table[absorbing:, rollout.values].T for table in tables], axis=-1)
    hot = successors[:, :, None] == np.arange(states)[:, None]
    return torch.as_tensor(hot).to(dtype)


# ---- soft is hard where everything is certain


def check_that_certain_tables_run_as_automata(situation, seed, restarts):
    aggregation, num_states, absorbing, batch, start, chosen, steps = situation
    rng = np.random.default_rng(seed)
    shape = Shape(absorbing, num_states - absorbing, 0, aggregation)
    tables = [random_table(shape, rng, rng.choice([0.0, 0.5, 0.9])) for _ in range(restarts)]
    names = [f"s{state}" for state in range(num_states)]
    alone, starts = batch.graphs(), batch.split(start)
    wanted = []
    for table in tables:
        fsa = GraphFSA(names, aggregation, table, final_states=range(absorbing))
        parts = [
            run(fsa, alone[k], starts[k], int(count)).last for k, count in zip(chosen.tolist(), steps, strict=True)
        ]
        wanted.append(np.concatenate([np.zeros(0, np.uint8), *parts]))
    hot = np.stack(wanted, axis=-1)[:, None, :] == np.arange(num_states)[:, None]
    for aggregate in AGGREGATES if has_thresholds(aggregation, num_states) else AGGREGATES[:1]:
        for compiled in (True, False):
            rollout, nodes = rollout_of(situation, aggregate=aggregate, compiled=compiled)
            last = rollout.run(certain_soft(rollout, tables, torch.float32), nodes)
            assert last.shape == hot.shape
            assert (last.numpy() == hot).all(), (aggregate, compiled)


@pytest.mark.parametrize("kind", KINDS)
def test_a_certain_table_runs_as_the_automaton_does(kind):
    """More than 1,000 cases in all, each with both implementations and both ways to aggregate."""

    @examples(340)
    @given(situations(kind), SEEDS, st.integers(1, 3))
    def check(situation, seed, restarts):
        check_that_certain_tables_run_as_automata(situation, seed, restarts)

    check()


def odd_graphs(slotted):
    """No node; isolated nodes only; a self-loop and a repeated arc; a hub that many see and that sees many."""
    if slotted:
        loops = Graph.from_edges(3, [(0, 0), (2, 0), (1, 1), (1, 2)], directed=True, slots=[0, 1, 1, 0])
        hub = Graph.from_edges(9, [(0, k) for k in range(1, 9)], directed=True, slots=[0, 1] * 4)
    else:
        loops = Graph.from_edges(3, [(0, 0), (0, 1), (0, 1), (2, 1)], directed=True)
        hub = Graph.from_edges(9, [(0, k) for k in range(1, 9)])
    return GraphBatch.of([Graph.from_edges(0, []), hub, Graph.from_edges(3, []), loops])


@pytest.mark.parametrize("num_states", range(1, 6))
@pytest.mark.parametrize(
    "aggregation",
    [
        CountingAggregation(3),
        PositionalAggregation(2),
        AverageThresholdAggregation({0: (0.25, 0.5, 1.0)}),
        AverageThresholdAggregation((0.1, 0.7)),
    ],
    ids=["counting", "positional", "watching one state", "watching all"],
)
def test_a_certain_table_runs_as_the_automaton_does_on_odd_graphs(aggregation, num_states):
    batch = odd_graphs(aggregation.uses_slots)
    rng = np.random.default_rng(num_states)
    for absorbing in range(num_states + 1):
        start = rng.integers(0, num_states, batch.graph.num_nodes)
        chosen, steps = np.array([1, 0, 3, 2, 1, 0]), np.array([5, 3, 2, 1, 0, 4])
        situation = aggregation, num_states, absorbing, batch, start, chosen, steps
        check_that_certain_tables_run_as_automata(situation, absorbing, 2)


# ---- against enumeration


def enumerated(situation, rollout, table, through=True):
    """The roll-out by summing over all joint states of the neighbours, in torch so that there are gradients too."""
    aggregation, num_states, absorbing, batch, start, chosen, steps = situation
    graph, row_of = batch.graph, {value: row for row, value in enumerate(rollout.values.tolist())}
    lasts = []
    for which, count in zip(chosen.tolist(), steps.tolist(), strict=True):
        nodes = range(*batch.offsets[which : which + 2].tolist())
        now = {n: torch.eye(num_states, dtype=table.dtype)[start[n]][:, None] for n in nodes}
        for _ in range(count):
            after = {}
            for n in nodes:
                arcs = slice(graph.indptr[n], graph.indptr[n + 1])
                near = graph.indices[arcs].tolist()
                slots = [] if graph.slots is None else graph.slots[arcs].tolist()
                # The table entry that the node expects, [state, successor, restart].
                expected = torch.zeros(table.shape[1:], dtype=table.dtype)
                for joint in product(range(num_states), repeat=len(near)):
                    chance = torch.ones(1, dtype=table.dtype)
                    for source, state in zip(near, joint, strict=True):
                        seen = now[source] if through else now[source].detach()
                        chance = chance * seen[state]
                    expected = expected + chance * table[row_of[aggregation.encode(joint, slots, num_states)]]
                stay = torch.cat([now[n][:absorbing], torch.zeros_like(now[n][absorbing:])])
                after[n] = stay + (now[n][absorbing:, None] * expected).sum(0)
            now = after
        lasts += [now[n].expand(-1, table.shape[3]) for n in nodes]
    return torch.stack(lasts) if lasts else torch.zeros(0, num_states, table.shape[3], dtype=table.dtype)


def tiny(kind, max_steps=3):
    graphs = slotted_graphs(4, num_slots=2) if kind == "positional" else plain_graphs(4)
    return situations(kind, max_states=3, max_graphs=2, max_steps=max_steps, graphs=graphs)


def assume_few_neighbours(situation):
    assume(np.diff(situation[3].graph.indptr).max(initial=0) <= 4)


@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_distributions_and_gradients_are_those_of_enumeration(kind, compiled):
    @examples(25)
    @given(tiny(kind), SEEDS, st.booleans())
    def check(situation, seed, through):
        assume_few_neighbours(situation)
        rollout, nodes = rollout_of(situation, compiled=compiled, through=through)
        rng = np.random.default_rng(seed)
        logits = torch.as_tensor(rng.normal(0, 2, random_soft(rollout, rng, 2).shape)).requires_grad_()
        last = rollout.run(torch.softmax(logits, 2), nodes)
        wanted = enumerated(situation, rollout, torch.softmax(logits, 2), through)
        assert torch.allclose(last, wanted, rtol=0, atol=1e-12)
        weights = torch.as_tensor(rng.normal(0, 1, tuple(last.shape)))
        found, expected = (_gradient((out * weights).sum(), logits) for out in (last, wanted))
        assert torch.allclose(found, expected, rtol=1e-10, atol=1e-12)

    check()


def _gradient(loss, given):
    """Zeros where nothing depends on it, as for a batch of no steps."""
    if not loss.requires_grad:
        return torch.zeros_like(given)
    (gradient,) = torch.autograd.grad(loss, given, allow_unused=True)
    return torch.zeros_like(given) if gradient is None else gradient


@pytest.mark.parametrize("aggregation", THREE)
@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
def test_two_steps_are_the_exact_marginals_of_the_random_process_on_a_simple_graph(aggregation, compiled):
    """After one step from certain states nodes are independent, so nothing is lost: all 3^4 outcomes are summed up."""
    edges, slots = ([(0, 1), (2, 1), (1, 2), (3, 2), (2, 3), (1, 0)], [0, 1, 0, 1, 0, 1])
    if aggregation.uses_slots:
        graph = Graph.from_edges(4, edges, directed=True, slots=slots)
    else:
        graph = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 1)])
    start = np.array([0, 1, 2, 1])
    situation = aggregation, 3, 1, GraphBatch.of([graph]), start, np.array([0]), np.array([2])
    rollout, nodes = rollout_of(situation, compiled=compiled)
    soft = random_soft(rollout, np.random.default_rng(5), 1)
    whole = np.zeros((3, aggregation.num_values(3), 3))  # [state, value, successor]
    whole[0, :, 0] = 1
    whole[1:, rollout.values] = soft[..., 0].numpy().transpose(1, 0, 2)

    def step(states):
        """The distribution of the next state of each node, [node, state]."""
        found = []
        for node in range(4):
            arcs = slice(graph.indptr[node], graph.indptr[node + 1])
            seen = [states[u] for u in graph.indices[arcs]]
            places = [] if graph.slots is None else graph.slots[arcs].tolist()
            found.append(whole[states[node], aggregation.encode(seen, places, 3)])
        return np.array(found)

    first, wanted = step(start.tolist()), np.zeros((4, 3))
    for outcome in product(range(3), repeat=4):
        wanted += np.prod(first[np.arange(4), outcome]) * step(outcome)
    assert np.allclose(wanted.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert np.allclose(rollout.run(soft, nodes)[..., 0].numpy(), wanted, rtol=0, atol=1e-12)


def by_expected_counts(situation, table):
    """The roll-out with hard thresholds, plainly: digits from expected counts, one restart."""
    aggregation, num_states, absorbing, batch, start, chosen, steps = situation
    graph, lasts = batch.graph, [np.zeros((0, num_states))]
    for which, count in zip(chosen.tolist(), steps.tolist(), strict=True):
        nodes = range(*batch.offsets[which : which + 2].tolist())
        now = {n: np.eye(num_states)[start[n]] for n in nodes}
        for _ in range(count):
            after = {}
            for n in nodes:
                arcs = slice(graph.indptr[n], graph.indptr[n + 1])
                near = [now[u] for u in graph.indices[arcs].tolist()]
                expected = sum(near, np.zeros(num_states))
                if aggregation.uses_slots:
                    likeliest = [int(seen.argmax()) for seen in near]
                    value = aggregation.encode(likeliest, graph.slots[arcs].tolist() if near else [], num_states)
                elif isinstance(aggregation, CountingAggregation | LettersAggregation):
                    # A count is taken for the nearest whole number.
                    bound = getattr(aggregation, "bound", len(near))
                    rounded = np.minimum(np.ceil(expected - 0.5), bound).astype(int)
                    value = aggregation.encode(np.repeat(np.arange(num_states), rounded).tolist(), [], num_states)
                else:
                    value, weight, degree = 0, 1, len(near)
                    for state, levels in aggregation.watched(num_states):
                        least = [min(c for c in range(1, degree + 1) if c / degree >= at) for at in levels if degree]
                        value += weight * sum(expected[state] > c - 0.5 for c in least)
                        weight *= len(levels) + 1
                stay = np.where(np.arange(num_states) < absorbing, now[n], 0)
                after[n] = stay + now[n][absorbing:] @ table[value]
            now = after
        lasts.append(np.array([now[n] for n in nodes]).reshape(-1, num_states))
    return np.concatenate(lasts)


@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_hard_thresholds_compare_expected_counts(kind, compiled):
    @examples(40)
    @given(situations(kind, max_nodes=5), SEEDS)
    def check(situation, seed):
        rollout, nodes = rollout_of(situation, aggregate="threshold", compiled=compiled)
        table = random_soft(rollout, np.random.default_rng(seed), 1, sharp=2.0)
        last = rollout.run(table, nodes)[..., 0].numpy()
        assert np.allclose(last, by_expected_counts(situation, table[..., 0].numpy()), rtol=0, atol=1e-12)

    check()


@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
@pytest.mark.parametrize("aggregation", THREE)
def test_hard_thresholds_compare_expected_counts_where_every_node_moves(aggregation, compiled):
    situation = small_situation(aggregation, steps=4, absorbing=0)
    rollout, nodes = rollout_of(situation, aggregate="threshold", compiled=compiled)
    table = random_soft(rollout, np.random.default_rng(6), 30, sharp=2.0)
    last = rollout.run(table, nodes).numpy()
    order = [4, 5, 0, 1, 2, 3]  # The second graph is run first.
    assert nodes.nodes.node.tolist() == order
    for restart in range(30):
        wanted = by_expected_counts(situation, table[..., restart].numpy())
        assert np.allclose(last[..., restart], wanted, rtol=0, atol=1e-12)


# ---- both implementations


@pytest.mark.parametrize("aggregate, through", [("exact", True), ("exact", False), ("threshold", True)])
@pytest.mark.parametrize("kind", KINDS)
def test_compiled_and_torch_agree_in_values_and_gradients(kind, aggregate, through):
    @examples(25)
    @given(situations(kind), SEEDS, st.sampled_from([1, 3, 32]))
    def check(situation, seed, restarts):
        rng, outcomes = np.random.default_rng(seed), []
        for compiled in (True, False):
            rollout, nodes = rollout_of(situation, aggregate=aggregate, through=through, compiled=compiled)
            if not outcomes:
                table = random_soft(rollout, rng, restarts, sharp=1.5)
                weights = torch.as_tensor(rng.normal(0, 1, (len(nodes.start), rollout.num_states, restarts)))
            given = table.clone().requires_grad_()
            last = rollout.run(given, nodes)
            outcomes.append((last.detach(), _gradient((last * weights).sum(), given)))
        for mine, other in zip(*outcomes, strict=True):
            assert (
                (mine - other).abs().max().item() <= 1e-10 * max(1.0, other.abs().max().item())
                if (other.numel())
                else mine.shape == other.shape
            )

    check()


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
@pytest.mark.parametrize("aggregation", THREE)
def test_restarts_do_not_see_each_other(aggregation, compiled, aggregate):
    situation = small_situation(aggregation, steps=4)
    rollout, nodes = rollout_of(situation, aggregate=aggregate, compiled=compiled)
    table = random_soft(rollout, np.random.default_rng(2), 5)
    together = rollout.run(table, nodes)
    for restart in range(5):
        alone = rollout.run(table[..., restart : restart + 1], nodes)
        assert torch.allclose(together[..., restart], alone[..., 0], rtol=1e-13, atol=0)


# ---- gradients by finite differences


def small_situation(aggregation, steps=3, absorbing=1):
    """Two graphs with different steps: a triangle with a tail and a self-loop, and a pair; three states."""
    if aggregation.uses_slots:
        arcs = [(0, 1, 0), (2, 1, 1), (1, 2, 0), (0, 2, 1), (2, 0, 1), (3, 3, 0)]
        first = Graph.from_edges(4, [arc[:2] for arc in arcs], directed=True, slots=[arc[2] for arc in arcs])
        second = Graph.from_edges(2, [(0, 1), (1, 0)], directed=True, slots=[0, 1])
    else:
        first = Graph.from_edges(4, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3)])
        second = Graph.from_edges(2, [(0, 1), (0, 1)])
    start = np.array([1, 2, 2, 1, 2, 0])
    return aggregation, 3, absorbing, GraphBatch.of([first, second]), start, np.array([1, 0]), np.array([2, steps])


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
@pytest.mark.parametrize("aggregation", THREE)
def test_gradients_through_logits_are_finite_differences(aggregation, compiled, aggregate):
    rollout, nodes = rollout_of(small_situation(aggregation), aggregate=aggregate, compiled=compiled)
    rng = np.random.default_rng(11)
    logits = torch.as_tensor(rng.normal(0, 1, random_soft(rollout, rng, 2).shape))
    weights = torch.as_tensor(rng.normal(0, 1, (6, 3, 2)))

    def loss(given):
        return (rollout.run(torch.softmax(given, 2), nodes) * weights).sum()

    free = logits.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(free), free)
    used = gradient.abs().amax(dim=(1, 2, 3)) > 1e-3
    assert used.sum() >= 3, "several rows of the table matter"
    step = 1e-5
    flat = gradient.reshape(-1)
    for place in rng.choice(len(flat), min(len(flat), 40), replace=False).tolist():
        further, back = logits.clone(), logits.clone()
        further.view(-1)[place] += step
        back.view(-1)[place] -= step
        slope = (loss(further) - loss(back)).item() / (2 * step)
        assert flat[place].item() == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
def test_gradcheck_of_all_distributions_with_respect_to_the_table(compiled):
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    situation = CountingAggregation(1), 2, 0, GraphBatch.of([graph]), np.array([0, 1, 1]), np.array([0]), np.array([3])
    rollout, nodes = rollout_of(situation, compiled=compiled)
    table = random_soft(rollout, np.random.default_rng(3), 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda given: rollout.run(given, nodes), (table,))


@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
def test_without_following_neighbours_only_the_first_steps_of_others_are_forgotten(compiled):
    """In one step there is nothing to follow; after two the gradients differ, the distributions do not."""
    outcomes = {}
    for steps in (1, 2):
        for through in (True, False):
            situation = *small_situation(CountingAggregation(1))[:6], np.array([steps, steps])
            rollout, nodes = rollout_of(situation, through=through, compiled=compiled)
            table = random_soft(rollout, np.random.default_rng(4), 1).requires_grad_()
            last = rollout.run(table, nodes)
            weights = torch.as_tensor(np.random.default_rng(5).normal(0, 1, tuple(last.shape)))
            outcomes[steps, through] = last.detach(), torch.autograd.grad((last * weights).sum(), table)[0]
    for steps in (1, 2):
        assert torch.equal(outcomes[steps, True][0], outcomes[steps, False][0])
    assert torch.equal(outcomes[1, True][1], outcomes[1, False][1])
    assert (outcomes[2, True][1] - outcomes[2, False][1]).abs().max() > 1e-3


# ---- long runs


LONG = {
    "star": Graph.from_edges(8, [(0, k) for k in range(1, 8)]),
    "complete": Graph.from_edges(8, [(u, v) for u in range(8) for v in range(u)]),
}


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
@pytest.mark.parametrize("shape", LONG)
def test_distributions_stay_distributions_over_sixty_steps_in_single_precision(shape, compiled, aggregate):
    start = np.array([0, 1, 2, 0, 1, 2, 1, 2])
    situation = CountingAggregation(2), 3, 1, GraphBatch.of([LONG[shape]]), start, np.array([0]), np.array([60])
    rollout, nodes = rollout_of(situation, aggregate=aggregate, compiled=compiled)
    # Half of the tables never enter the absorbing state, or all would end there.
    table = random_soft(rollout, np.random.default_rng(0), 8, sharp=3.0, dtype=torch.float32)
    table[:, :, 0, :4] = 0
    table = (table / table.sum(2, keepdim=True)).requires_grad_()
    last = rollout.run(table, nodes)
    assert last.dtype == torch.float32
    assert last.isfinite().all()
    assert last.min() >= 0
    assert torch.allclose(last.sum(1), torch.ones(8, 8), rtol=0, atol=2e-5)
    assert (last[:, 0, :4] == (torch.as_tensor(start) == 0)[:, None]).all()
    weights = torch.as_tensor(np.random.default_rng(1).normal(0, 1, (8, 3, 8)))
    (gradient,) = torch.autograd.grad((last * weights).sum(), table)
    double = table.detach().double().requires_grad_()
    precise = rollout.run(double / double.sum(2, keepdim=True), nodes)
    (wanted,) = torch.autograd.grad((precise * weights).sum(), double)
    assert torch.allclose(last.double(), precise, rtol=0, atol=1e-3)
    assert gradient.isfinite().all()
    # Gradients that are the same for all successors of an entry mean nothing: entries sum up to 1.
    part = gradient.double() - (gradient.double() * table.detach()).sum(2, keepdim=True)
    assert (part - wanted).abs().max() <= 1e-2 * wanted.abs().max()


# ---- neighbourhoods


def star(leaves):
    return Graph.from_edges(leaves + 1, [(k, 0) for k in range(1, leaves + 1)], directed=True)


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("states, bound", [(4, 2), (2, 1), (3, 3), (1, 2)])
def test_rows_are_the_bounded_counts_that_a_degree_can_show(states, bound, degree):
    layers = Neighbourhoods.of(CountingAggregation(bound), states, star(degree))
    vectors = {
        tuple(min(bound, seen.count(state)) for state in range(states))
        for seen in combinations_with_replacement(range(states), degree)
    }
    vectors.add((0,) * states)  # The leaves.
    wanted = sorted(sum(count * (bound + 1) ** state for state, count in enumerate(vector)) for vector in vectors)
    assert layers.values.tolist() == wanted


def test_numbers_of_rows_that_were_counted_by_hand():
    def rows(aggregation, states, graph):
        return len(Neighbourhoods.of(aggregation, states, graph).values)

    # Nobody; four states in one place; and 4 pairs of equals with 6 of different ones in two places.
    assert rows(CountingAggregation(2), 4, star(1)) == 1 + 4
    assert rows(CountingAggregation(2), 4, star(2)) == 1 + 10
    # Many neighbours show every vector but those whose counts are all below 2, which add up to at most 4.
    assert rows(CountingAggregation(2), 4, star(9)) == 3**4 - 2**4 + 1
    assert rows(CountingAggregation(9), 1, star(5)) == 2
    assert rows(AverageThresholdAggregation(0.5), 2, star(3)) == 1 + 2
    assert rows(AverageThresholdAggregation(0.5), 2, star(4)) == 1 + 3
    assert rows(AverageThresholdAggregation({1: (0.5, 1.0)}), 9, star(4)) == 3
    ring = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0)], directed=True, slots=[0, 0, 0, 1])
    assert rows(PositionalAggregation(2), 3, ring) == 3 + 9
    assert rows(PositionalAggregation(4), 3, ring) == 3 + 9
    assert rows(CountingAggregation(2), 4, Graph.from_edges(0, [])) == 0
    assert rows(PositionalAggregation(2), 4, Graph.from_edges(3, [])) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_all_values_that_the_nodes_can_have(kind):
    @examples(60)
    @given(tiny(kind))
    def check(situation):
        assume_few_neighbours(situation)
        aggregation, num_states, _, batch, *_ = situation
        graph, wanted = batch.graph, set()
        for node in range(graph.num_nodes):
            arcs = slice(graph.indptr[node], graph.indptr[node + 1])
            slots = [] if graph.slots is None else graph.slots[arcs].tolist()
            joint = product(range(num_states), repeat=int(graph.indptr[node + 1] - graph.indptr[node]))
            wanted |= {aggregation.encode(states, slots, num_states) for states in joint}
        assert rollout_of(situation)[0].values.tolist() == sorted(wanted)
        everything = Rollout(batch, aggregation, num_states, aggregate="threshold").values
        assert everything.tolist() == list(range(aggregation.num_values(num_states)))

    check()


def test_degrees_share_their_layers_where_they_see_alike():
    degrees = GraphBatch.of([star(1), star(3), star(6)]).graph
    plan = Neighbourhoods.of(CountingAggregation(2), 3, degrees).plan
    assert plan.degree.tolist() == [0, 1, 3, 6]
    assert plan.layer.tolist() == [0, 0, 0, 0]
    # How many different bounded counts there are after 0, 1, ... neighbours.
    sizes = [
        len({tuple(min(2, seen.count(state)) for state in range(3)) for seen in product(range(3), repeat=degree)})
        for degree in range(7)
    ]
    assert plan.size.tolist() == sizes
    # At one half, a state needs one of one or two neighbours, two of three or four, three of five or six.
    halves = GraphBatch.of([star(k) for k in range(1, 7)]).graph
    plan = Neighbourhoods.of(AverageThresholdAggregation(0.5), 2, halves).plan
    assert plan.degree.tolist() == [0, 1, 2, 3, 4, 5, 6]
    first = plan.layer.tolist()
    assert first[0] == first[1] == first[2]
    assert first[3] == first[4]
    assert first[5] == first[6]
    assert len(set(first)) == 3
    assert len(plan.size) == 3 + 5 + 7


def test_slots_in_which_nobody_is_make_kinds_of_their_own():
    graph = Graph.from_edges(4, [(1, 0), (2, 1), (1, 2), (3, 2)], directed=True, slots=[0, 1, 0, 1])
    layers = Neighbourhoods.of(PositionalAggregation(2), 2, graph)
    assert len(layers.plan.degree) == 4
    assert len(set(layers.plan.kind.tolist())) == 4
    assert layers.plan.degree[layers.plan.kind].tolist() == [1, 1, 2, 0]
    # Digits of base 3: nobody in either slot; nobody or anybody on the left; ...
    assert layers.values.tolist() == list(range(9))
    without = Graph.from_edges(4, [(2, 1), (1, 2), (3, 2)], directed=True, slots=[1, 0, 1])
    layers = Neighbourhoods.of(PositionalAggregation(2), 2, without)
    assert len(layers.plan.degree) == 3
    assert layers.values.tolist() == [0, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    "aggregation, states, graph",
    [
        (CountingAggregation(9), 17, star(40)),
        (CountingAggregation(3), 200, star(2)),
        (CountingAggregation(1), 2, star(3_000_000)),
        (AverageThresholdAggregation((0.1, 0.5, 1.0)), 8, star(300)),
        (
            PositionalAggregation(9),
            4,
            Graph.from_edges(2, [(1, 0)] * 9, directed=True, slots=list(range(9))),
        ),
    ],
)
def test_what_cannot_be_kept_apart_is_refused(aggregation, states, graph):
    with pytest.raises(LimitError, match=r"neighbours|combinations"):
        Rollout(GraphBatch.of([graph]), aggregation, states)


def test_a_hub_of_very_many_neighbours_is_planned_as_others_are():
    """Layers that are alike are made once; they are the same as those that were made one by one."""
    small = Neighbourhoods.of(CountingAggregation(2), 3, star(12)).plan
    large = Neighbourhoods.of(CountingAggregation(2), 3, star(20_000)).plan
    assert large.size[:13].tolist() == small.size.tolist()
    assert (large.size[13:] == small.size[-1]).all()
    assert len(large.size) == 20_001
    assert large.begin.tolist() == [0, *np.cumsum(large.size)[:-1].tolist()]
    assert large.steps_at.tolist() == [3 * begin for begin in large.begin.tolist()]
    assert large.steps[: len(small.steps)].tolist() == small.steps.tolist()
    assert (large.steps[len(small.steps) :].reshape(-1, 3 * small.size[-1]) == small.steps[-3 * small.size[-2] :]).all()


@pytest.mark.parametrize("compiled", IMPLEMENTATIONS)
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_tables_of_another_shape_are_refused(aggregate, compiled):
    situation = small_situation(CountingAggregation(2))
    rollout, nodes = rollout_of(situation, aggregate=aggregate, compiled=compiled)
    rows = len(rollout.values)
    good = (rows, 2, 3, 4)
    assert rollout.run(torch.full(good, 1 / 3), nodes).shape == (6, 3, 4)
    for bad in [(rows + 1, 2, 3, 4), (rows - 1, 2, 3, 4), (rows, 3, 3, 4), (rows, 2, 2, 4), (rows, 2, 3), (*good, 1)]:
        with pytest.raises(GraphFSAError, match="a soft table must have shape") as caught:
            rollout.run(torch.full(bad, 1 / 3), nodes)
        assert str([rows, 2, 3, "restarts"]) in str(caught.value)
        assert str(list(bad)) in str(caught.value)


def test_the_compiled_roll_out_refuses_tables_on_other_devices():
    rollout, nodes = rollout_of(small_situation(CountingAggregation(1)))
    with pytest.raises(GraphFSAError, match="on the CPU; the table is on meta"):
        rollout.run(torch.empty((len(rollout.values), 2, 3, 1), device="meta"), nodes)


def test_slots_that_are_missing_are_noticed_before_anything_is_planned():
    with pytest.raises(AutomatonError, match="slots"):
        Rollout(GraphBatch.of([star(2)]), PositionalAggregation(2), 2)
