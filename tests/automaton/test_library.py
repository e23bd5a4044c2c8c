"""The library: names, rule numbers, B/S notation, bounds."""

import pytest

from graphfsa import CountingAggregation, PositionalAggregation, library
from graphfsa.automaton.library import RANDOM, library_automaton, library_names
from graphfsa.errors import AutomatonError, UnknownNameError

PLAIN = [name for name in library_names() if " " not in name and name not in RANDOM]


def test_names():
    assert library_names() == [
        "life",
        "hex-life",
        "wireworld",
        "brians-brain",
        "distance",
        "root-value",
        "prefix-sum",
        "path-finding",
        "path-finding-2",
        "mid-point",
        "threshold",
        "majority",
        "unison",
        "core",
        "dijkstra-ring",
        "cole-vishkin",
        "random4",
        "si",
        "sis",
        "sir",
        "voter",
        "rumour",
        "mis",
        "stone-age-mis",
        "colouring",
        "tree-leader",
        "clique-leader",
        "ring-matching",
        "rule0 .. rule255",
        "B3/S23 (any B/S rule)",
    ]


@pytest.mark.parametrize(
    ("name", "built"),
    [
        ("life", library.life_like()),
        ("hex-life", library.hex_life()),
        ("wireworld", library.wireworld()),
        ("brians-brain", library.brians_brain()),
        ("distance", library.distance()),
        ("root-value", library.root_value()),
        ("prefix-sum", library.prefix_sum()),
        ("path-finding", library.path_finding()),
        ("path-finding-2", library.path_finding(colours=2)),
        ("mid-point", library.mid_point()),
        ("random4", library.random4()),
        ("rule110", library.elementary(110)),
        ("B36/S23", library.life_like("B36/S23")),
        ("b36/s23", library.life_like("B36/S23")),
        ("B/S", library.life_like("B/S")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_name_gives_its_automaton(name, built):
    assert library_automaton(name) == built


def test_the_random_automaton_stays_the_same():
    fsa = library.random4()
    assert fsa.aggregation == CountingAggregation(bound=2)
    assert fsa.transition_table.shape == (4, 81)
    assert fsa.transition_table[:, :6].tolist() == [
        [2, 2, 0, 1, 2, 0],
        [3, 3, 0, 2, 3, 3],
        [2, 2, 1, 0, 3, 3],
        [1, 2, 3, 3, 0, 1],
    ]
    assert fsa.digest == "33e95727416fe90515394e19264f7bbe6bd585ade0f033e0cfe96e9295dac836"


def test_all_named_automata_differ():
    assert len({library_automaton(name) for name in PLAIN}) == len(PLAIN)


@pytest.mark.parametrize(
    "name", ["lief", "Life", "", "rule", "rule1e2", "rule-", "B3", "S23/B3", "B3/S23/", "distance "]
)
def test_an_unknown_name_lists_the_valid_ones(name):
    with pytest.raises(UnknownNameError) as caught:
        library_automaton(name)
    message = str(caught.value)
    assert message.startswith(f"unknown automaton {name!r}")
    assert all(valid in message for valid in library_names())


def test_a_slip_is_guessed():
    with pytest.raises(UnknownNameError, match=r"unknown automaton 'distanc' \(did you mean 'distance'\?\)"):
        library_automaton("distanc")


@pytest.mark.parametrize("rule", [-1, 256, 1000, True, 30.0, "30", None])
def test_rule_numbers_out_of_range(rule):
    with pytest.raises(AutomatonError, match=r"an elementary rule must be an integer from 0 to 255; got "):
        library.elementary(rule)


def test_a_named_rule_out_of_range():
    with pytest.raises(AutomatonError, match=r"an elementary rule must be an integer from 0 to 255; got 256"):
        library_automaton("rule256")


def test_an_unknown_boundary_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match="unknown boundary 'ring'; valid names: copy, one, zero"):
        library.elementary(30, boundary="ring")


def test_all_elementary_rules_differ():
    assert len({library.elementary(rule).digest for rule in range(256)}) == 256


def test_elementary_tables_are_the_rule():
    fsa = library.elementary(110)
    assert fsa.aggregation == PositionalAggregation(num_slots=2)
    assert fsa.state_names == ("0", "1")
    for left in (0, 1):
        for own in (0, 1):
            for right in (0, 1):
                value = fsa.aggregation.encode([left, right], [0, 1], 2)
                assert fsa.transition_table[own, value] == 110 >> (4 * left + 2 * own + right) & 1


@pytest.mark.parametrize(("boundary", "left"), [("zero", (0, 0)), ("one", (1, 1)), ("copy", (0, 1))])
def test_a_missing_cell_is_what_the_boundary_says(boundary, left):
    fsa = library.elementary(240, boundary=boundary)  # Rule 240 copies the left cell.
    alone = fsa.aggregation.encode([0], [1], 2)
    assert (fsa.transition_table[0, alone], fsa.transition_table[1, alone]) == left


@pytest.mark.parametrize(
    ("rule", "bound"),
    [
        ("B3/S23", 4),
        ("B3/S234", 5),
        ("B36/S23", 7),
        ("B/S", 1),
        ("B012345678/S012345678", 1),
        ("B1/S", 2),
        ("B8/S", 8),
        ("B/S01234567", 8),
        ("B12345678/S", 1),
        ("B/S12345678", 1),
        ("B2345678/S", 2),
        ("b3s23", 4),
        (" B3/S23 ", 4),
        ("B33/S2233", 4),
    ],
)
def test_the_bound_is_the_smallest_that_suffices(rule, bound):
    assert library.life_like(rule).aggregation == CountingAggregation(bound=bound)


@pytest.mark.parametrize("rule", ["B3", "3/23", "B9/S23", "B3/S29", "B3/S23x", "", "S23/B3", "B-1/S"])
def test_notation_that_is_refused(rule):
    with pytest.raises(AutomatonError, match="a Life-like rule looks like B3/S23, with digits 0 to 8; got "):
        library.life_like(rule)


def test_tables_of_life():
    fsa = library.life_like()
    assert fsa.state_names == ("dead", "alive")
    for dead in range(9):
        for live in range(9):
            value = fsa.aggregation.encode([0] * dead + [1] * live, [], 2)
            assert fsa.transition_table[0, value] == (live == 3)
            assert fsa.transition_table[1, value] == (live in (2, 3))


@pytest.mark.parametrize(
    ("fsa", "names", "bound"),
    [
        (library.distance(), ["even", "odd", "node", "root"], 1),
        (library.root_value(), ["0", "1", "node", "root0", "root1"], 1),
        (library.prefix_sum(), ["0", "1", "bit0", "bit1", "root0", "root1"], 1),
        (library.path_finding(), ["off", "on", "node", "marked"], 2),
        (library.path_finding(colours=2), ["off", "on", "node", "first", "second"], 2),
    ],
    ids=["distance", "root-value", "prefix-sum", "path-finding", "path-finding-2"],
)
def test_algorithms_start_and_end_in_different_states(fsa, names, bound):
    assert list(fsa.state_names) == names
    assert fsa.aggregation == CountingAggregation(bound=bound)
    assert fsa.final_states == (0, 1)
    assert fsa.starting_states == tuple(range(2, len(names)))


@pytest.mark.parametrize("colours", [0, 3, "1", None])
def test_colours_of_path_finding(colours):
    with pytest.raises(AutomatonError, match="colours must be 1 or 2; got "):
        library.path_finding(colours=colours)
