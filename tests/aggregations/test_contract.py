"""What every aggregation must satisfy. A new one is found here by itself."""

import json
from inspect import isabstract

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import Aggregation, Graph, GraphFSA, run
from graphfsa.aggregations import aggregation_class, aggregation_config, aggregation_from_config, aggregation_names
from graphfsa.engine import encoder_of
from graphfsa.engine.reference import reference_run, reference_values
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError, UnknownNameError
from graphfsa.plugins import module_names
from own_aggregations import OWN

NAMES = [*module_names("graphfsa.aggregations"), *(kind.name for kind in OWN)]
EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)
every = pytest.mark.parametrize("name", NAMES)
SIZES = (1, 2, 3, 4)


def names_of(num_states):
    return [f"s{state}" for state in range(num_states)]


@st.composite
def neighbourhoods(draw, aggregation, num_states):
    """Neighbour states and slots that the aggregation may see; no two neighbours share a slot that is no kind."""
    state = st.integers(0, num_states - 1)
    if not aggregation.uses_slots:
        return draw(st.lists(state, max_size=12)), []
    num_slots = next(k for k in range(1, 257) if allows(aggregation, k) and not allows(aggregation, k + 1))
    slots = draw(st.lists(st.integers(0, num_slots - 1), unique=not aggregation.uses_kinds, max_size=12))
    return [draw(state) for _ in slots], slots


def allows(aggregation, num_slots):
    """Whether a graph that uses the slots below a number is accepted."""
    if num_slots > 256:
        return False
    graph = Graph.from_edges(2, [(0, 1)], directed=True, slots=[num_slots - 1])
    try:
        aggregation.check_graph(graph)
    except AutomatonError:
        return False
    return True


def test_the_three_of_the_paper_are_here_letters_and_those_of_ones_own():
    built_in = {"average-threshold", "counting", "letters", "positional", "product", "relations", "weighted-sum"}
    assert built_in <= set(NAMES) <= set(aggregation_names())


def test_an_unknown_name_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match=r"unknown aggregation 'countin' \(did you mean 'counting'\?\); valid"):
        aggregation_class("countin")
    for name in ("_base", "__init__", "", "../errors"):
        with pytest.raises(UnknownNameError):
            aggregation_class(name)


def test_dashes_and_underscores_are_the_same():
    assert aggregation_class("average_threshold") is aggregation_class("average-threshold")


@every
def test_it_can_be_built_without_arguments(name):
    kind = aggregation_class(name)
    assert not isabstract(kind)
    aggregation = kind()
    assert isinstance(aggregation, Aggregation)
    assert aggregation.name == name
    assert aggregation == kind()
    assert hash(aggregation) == hash(kind())


@every
def test_it_is_frozen(name):
    aggregation = aggregation_class(name)()
    for field in aggregation.config().keys() - {"name"}:
        with pytest.raises(AttributeError):
            setattr(aggregation, field, 3)


@every
def test_its_config_survives_json(name):
    aggregation = aggregation_class(name)()
    config = aggregation.config()
    assert config["name"] == name
    for written in (config, aggregation_config(aggregation)):
        assert aggregation_from_config(json.loads(json.dumps(written))) == aggregation


@every
def test_an_unknown_field_is_refused(name):
    with pytest.raises(FormatError, match="aggregation fields do not fit"):
        aggregation_from_config({"name": name, "colour": "red"})


@every
@pytest.mark.parametrize("num_states", SIZES)
def test_values_are_told_apart(name, num_states):
    aggregation = aggregation_class(name)()
    num_values = aggregation.num_values(num_states)
    assert type(num_values) is int
    digits = {aggregation.digits(value, num_states) for value in range(num_values)}
    words = {aggregation.decode(value, names_of(num_states)) for value in range(num_values)}
    assert len(digits) == len(words) == num_values
    for value in (-1, num_values):
        for method in (
            lambda v: aggregation.digits(v, num_states),
            lambda v: aggregation.decode(v, names_of(num_states)),
        ):
            with pytest.raises(AutomatonError, match=rf"value must be in 0 \.\. {num_values - 1}; got {value}"):
                method(value)


@every
@pytest.mark.parametrize("num_states", SIZES)
def test_every_digit_of_a_value_has_a_label(name, num_states):
    aggregation = aggregation_class(name)()
    labels = aggregation.digit_labels(names_of(num_states))
    for value in range(aggregation.num_values(num_states)):
        digits = aggregation.digits(value, num_states)
        assert len(digits) == len(labels)
        assert all(digit < len(words) for digit, (_, words) in zip(digits, labels, strict=True))
    assert all(len(set(words)) == len(words) for _, words in labels)


@every
@pytest.mark.parametrize("num_states", SIZES)
def test_what_rules_can_ask_tells_values_apart(name, num_states):
    """Otherwise there would be tables without rules."""
    aggregation = aggregation_class(name)()
    features = aggregation.features(names_of(num_states))
    rows = [part.digits for part in features.parts] + [share.digits for share in features.shares]
    rows += [tally.digits for tally in features.sums]
    rows += [grade.digits for grade in features.grades]
    rows += [counts for census in features.censuses for counts in census.counts]
    assert len(set(zip(*map(np.ndarray.tolist, rows), strict=True))) == aggregation.num_values(num_states)
    assert all(digits.max() < len(part.labels) for part in features.parts for digits in [part.digits])
    assert len({part.name for part in features.parts}) == len(features.parts)


@every
@pytest.mark.parametrize("num_states", [64, 256])
def test_the_number_of_values_is_exact_however_large(name, num_states):
    """Sizes are computed before anything is allocated, so they must not wrap around."""
    aggregation = aggregation_class(name)()
    num_values = aggregation.num_values(num_states)
    assert type(num_values) is int
    assert len(aggregation.digits(num_values - 1, num_states)) > 0


@every
@EXAMPLES
@given(st.data(), st.integers(1, 5))
def test_encode_is_in_range_and_does_not_depend_on_order(name, data, num_states):
    aggregation = aggregation_class(name)()
    states, slots = data.draw(neighbourhoods(aggregation, num_states))
    value = aggregation.encode(states, slots, num_states)
    assert type(value) is int
    assert 0 <= value < aggregation.num_values(num_states)
    order = data.draw(st.permutations(range(len(states))))
    mixed = [states[place] for place in order], [slots[place] for place in order] if slots else []
    assert aggregation.encode(*mixed, num_states) == value


@every
@EXAMPLES
@given(st.data(), st.integers(1, 5))
def test_one_more_neighbour_gives_the_value_of_the_larger_neighbourhood(name, data, num_states):
    aggregation = aggregation_class(name)()
    states, slots = data.draw(neighbourhoods(aggregation, num_states))
    before = aggregation.encode(states, slots, num_states)
    state, slot = data.draw(st.integers(0, num_states - 1)), data.draw(st.integers(0, 3))
    after = aggregation.with_neighbour(before, state, slot, num_states)
    if type(aggregation).with_neighbour is Aggregation.with_neighbour:
        assert after is None
    elif not aggregation.uses_slots:
        assert after in (None, aggregation.encode([*states, state], [], num_states))
    elif (slot in slots and not aggregation.uses_kinds) or not allows(aggregation, slot + 1):
        assert after is None
    else:
        assert after == aggregation.encode([*states, state], [*slots, slot], num_states)


@every
@EXAMPLES
@given(st.data(), st.integers(1, 5))
def test_no_value_of_a_neighbourhood_is_called_impossible(name, data, num_states):
    aggregation = aggregation_class(name)()
    states, slots = data.draw(neighbourhoods(aggregation, num_states))
    value = aggregation.encode(states, slots, num_states)
    more = data.draw(st.sets(st.integers(0, num_states - 1)))
    for given_states in (sorted(set(states)), sorted({*states, *more}), range(num_states)):
        possible = aggregation.possible_values(given_states, num_states)
        assert possible.dtype == bool
        assert possible.shape == (aggregation.num_values(num_states),)
        assert possible[value]
        assert possible[aggregation.encode([], [], num_states)]


@every
@EXAMPLES
@given(st.data(), st.integers(1, 5))
def test_fewer_states_see_the_same_under_other_numbers(name, data, num_states):
    aggregation = aggregation_class(name)()
    kept = data.draw(st.permutations(range(num_states)))[: data.draw(st.integers(1, num_states))]
    found = aggregation.restricted(kept, num_states)
    if found is None:
        return
    smaller, values = found
    assert values.shape == (smaller.num_values(len(kept)),)
    states, slots = data.draw(neighbourhoods(smaller, len(kept)))
    larger = aggregation.encode([kept[state] for state in states], slots, num_states)
    assert values[smaller.encode(states, slots, len(kept))] == larger


@every
def test_states_that_are_none_are_refused(name):
    aggregation = aggregation_class(name)()
    for states in ([3], [0, -1]):
        with pytest.raises(AutomatonError, match=r"state must be in 0 \.\. 2; got "):
            aggregation.possible_values(states, 3)


@every
@EXAMPLES
@given(st.data(), st.integers(1, 5))
def test_what_kernels_call_equals_encode_as_plain_python(name, data, num_states):
    """The arcs of the node in question lie between those of others; the scratch array holds rubbish."""
    aggregation = aggregation_class(name)()
    states, slots = data.draw(neighbourhoods(aggregation, num_states))
    num_others = data.draw(st.integers(0, 2))
    node = len(states) + num_others
    arcs = [(source, node) for source in range(len(states))]
    others = [(other, other) for other in range(node + 2) if other != node]
    uses = [*slots, *[0] * len(others)] if aggregation.uses_slots else None
    graph = Graph.from_edges(node + 2, arcs + others, directed=True, slots=uses, kinds=aggregation.seen_kinds)
    encoder = encoder_of(aggregation, num_states, graph)
    value = encoder.function(
        np.array([*states, *[0] * (num_others + 2)], np.uint8),
        graph.indices,
        np.empty(0, np.uint8) if graph.slots is None else graph.slots,
        int(graph.indptr[node]),
        int(graph.indptr[node + 1]),
        encoder.parameters,
        np.full(num_states, 12345),
    )
    assert value == aggregation.encode(states, slots, num_states)


@every
@pytest.mark.parametrize("num_states", SIZES)
def test_parameters_are_an_array_of_numbers(name, num_states):
    parameters = aggregation_class(name)().parameters(num_states)
    assert parameters.dtype in (np.int64, np.float64)
    assert parameters.ndim == 1


@every
@pytest.mark.parametrize("num_states", SIZES)
def test_a_rule_is_asked_once_for_every_state_and_value(name, num_states):
    aggregation = aggregation_class(name)()
    asked = []
    table = GraphFSA.from_rule(
        names_of(num_states), aggregation, lambda state, seen: asked.append((state, seen)) or state
    ).transition_table
    assert len(asked) == table.size
    for value in range(aggregation.num_values(num_states)):
        expected = repr(aggregation.observation(value, names_of(num_states)))
        group = asked[value * num_states : (value + 1) * num_states]
        assert [state for state, _ in group] == names_of(num_states)
        assert {repr(seen) for _, seen in group} == {expected}
    assert (table == np.arange(num_states)[:, None]).all()


@every
def test_observations_are_told_apart(name):
    aggregation = aggregation_class(name)()
    seen = [repr(aggregation.observation(value, names_of(3))) for value in range(aggregation.num_values(3))]
    assert len(set(seen)) == len(seen)


@every
def test_slots_are_needed_exactly_where_they_are_used(name):
    aggregation = aggregation_class(name)()
    plain = Graph.from_edges(2, [(0, 1)])
    slotted = Graph.from_edges(2, [(0, 1)], directed=True, slots=[0])
    aggregation.check_graph(slotted)
    if aggregation.uses_slots:
        with pytest.raises(AutomatonError, match=f"{name} aggregation needs a graph with neighbour slots"):
            aggregation.check_graph(plain)
    else:
        aggregation.check_graph(plain)
    aggregation.check_graph(Graph.from_edges(3, []))


@every
@pytest.mark.parametrize("num_states", [2, 3])
def test_the_engine_runs_it(name, num_states):
    """Values by the interpreter are those of the kernels, on a graph with repeated arcs, loops and isolated nodes."""
    aggregation = aggregation_class(name)()
    rng = np.random.default_rng(0)
    if aggregation.uses_slots:
        targets = np.arange(40)
        arcs = np.c_[rng.integers(0, 50, 40), targets]
        if aggregation.uses_kinds:
            arcs = rng.integers(0, 40, (90, 2))
        kinds = aggregation.seen_kinds
        slots = rng.integers(0, 1 if kinds is None else len(kinds), len(arcs))
        graph = Graph.from_edges(50, arcs, directed=True, slots=slots, kinds=kinds)
    else:
        graph = Graph.from_edges(50, rng.integers(0, 40, (90, 2)), directed=True)
    table = rng.integers(0, num_states, (num_states, aggregation.num_values(num_states)))
    fsa = GraphFSA(names_of(num_states), aggregation, table)
    states = rng.integers(0, num_states, 50)
    frames = reference_run(fsa, graph, states.tolist(), 6)
    assert len(set(reference_values(fsa, graph, frames[0]))) > 1
    for kernel in ("event", "dense", "auto"):
        trajectory = run(fsa, graph, states, 6, kernel=kernel, record="all")
        assert trajectory.states.tolist() == frames, kernel


@pytest.mark.parametrize("config", [{}, {"name": None}, {"name": 3}, {"name": ["counting"]}, {"bound": 1}])
def test_a_config_without_a_name_is_refused(config):
    with pytest.raises(FormatError, match="aggregation must have a name; got "):
        aggregation_from_config(config)


@every
@given(
    st.dictionaries(
        st.sampled_from(["bound", "num_slots", "thresholds", "sums", "kinds", "weights", "parts", "x"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
        ),
        max_size=2,
    )
)
@settings(max_examples=400, deadline=None, derandomize=True)
def test_any_config_is_accepted_or_refused_by_our_own_error(name, fields):
    try:
        aggregation = aggregation_from_config({"name": name, **fields})
    except GraphFSAError:
        return
    assert aggregation_from_config(json.loads(json.dumps(aggregation.config()))) == aggregation
