"""Automata whose states have names that are hard to write down, for tests of rules."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    GraphFSA,
    PositionalAggregation,
    ProductAggregation,
    RelationsAggregation,
)
from graphfsa.automaton.rules._names import KEYWORDS
from strategies import LEVELS, letters, relations, weighted_sum

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True)
NASTY = [
    *("if", "some neighbour is", "->", "a -> b", "a b", '"', "\\", "`", "``x", "|", "$", "\\end{cases}", "<script>"),
    *("😀", "#x", "states:", "one", "missing", "é", "x" * 200, "{}", "%s", "{0}", "'''", '"""', "'", "1", "0", "2+"),
    *("a,b", "node:", "- x", "__", "[a](b)", "a-b", "-a", "]", "stays otherwise", "None", "%", "\\u0041", "a\\", "or"),
]
OTHER_WORDS = [
    *("no", "all", "half", "at", "least", "most", "exactly", "to", "it", "has", "the", "but", "less", "than"),
    *("states", "starting", "final", "aggregation", "count", "highest", "nothing", "modulo", "up", "once", "twice"),
    *("times", "number", "sum", "odd", "even", "that", "<", ";", "a;b", "a < b"),
]
NAMES = (
    st.sampled_from(NASTY + OTHER_WORDS)
    | st.sampled_from(sorted(KEYWORDS))
    | st.text("abcé😀 \"'`\\{}$#-", min_size=1, max_size=5)
)
GOOD_NAMES = NAMES.filter(lambda name: name == name.strip() and name.isprintable())


@st.composite
def aggregations(draw, num_states):
    kind = draw(st.sampled_from(["counting", "positional", "average", "letters", "relations", "weighted", "product"]))
    if kind == "relations":
        kinds = draw(st.lists(GOOD_NAMES, min_size=1, max_size=2 if num_states < 4 else 1, unique=True))
        return draw(relations(num_states, tuple(kinds)))
    if kind == "weighted":
        return draw(weighted_sum(num_states))
    if kind == "product":
        return draw(products(num_states))
    if kind == "counting":
        return CountingAggregation(bound=draw(st.integers(1, 3 if num_states < 4 else 2 if num_states < 5 else 1)))
    if kind == "letters":
        return draw(letters(num_states))
    if kind == "positional":
        return PositionalAggregation(num_slots=draw(st.integers(1, 3 if num_states < 4 else 2)))
    watched = draw(st.sets(st.integers(0, num_states - 1), min_size=1, max_size=3))
    return AverageThresholdAggregation({state: draw(LEVELS | st.just((0.123456789, 1.0))) for state in watched})


@st.composite
def products(draw, num_states):
    """Two weighted sums, or one and anything else; small enough for rules."""
    one = draw(weighted_sum(num_states))
    if num_states == 1 or draw(st.booleans()):
        return ProductAggregation((one, draw(weighted_sum(num_states))))
    others = [
        CountingAggregation(1),
        PositionalAggregation(1),
        AverageThresholdAggregation({0: (0.5,)}),
        RelationsAggregation(("some", "other"), (1, 0)),
        draw(letters(num_states, max_sums=1)),
    ]
    return ProductAggregation((draw(st.sampled_from(others)), one))


@st.composite
def automata(draw, max_states=5):
    """Tables at random, or made of few borders, as those that mean something are."""
    num_states = draw(st.integers(1, max_states))
    names = draw(st.lists(GOOD_NAMES, min_size=num_states, max_size=num_states, unique=True))
    aggregation = draw(aggregations(num_states))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    num_values = aggregation.num_values(num_states)
    table = rng.integers(0, num_states, (num_states, num_values))
    if draw(st.booleans()):
        digits = np.array([aggregation.digits(value, num_states) for value in range(num_values)])
        for state in range(num_states):
            weights = rng.integers(-1, 2, digits.shape[1])
            table[state] = np.where(digits @ weights > rng.integers(-1, 3), state, rng.integers(num_states))
    final = sorted(rng.choice(num_states, rng.integers(0, num_states), replace=False).tolist())
    table[final] = np.array(final, int)[:, None]
    starting = None if draw(st.booleans()) else sorted(draw(st.sets(st.integers(0, num_states - 1))))
    return GraphFSA(names, aggregation, table, starting_states=starting, final_states=final)
