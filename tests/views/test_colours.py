"""Colours of states: a palette, the user's own, and the form in which commands take them."""

import pytest

from graphfsa import CountingAggregation, GraphFSA, library
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.views.colours import PALETTE, palette, parse_colours, state_colours


def test_every_state_has_a_colour_of_its_own():
    for count in (1, 2, 9, 10, 100):
        colours = palette(count)
        assert len(colours) == len(set(colours)) == count
        assert all(len(colour) == 7 and colour == colour.lower() for colour in colours)
    assert state_colours(library.wireworld()) == list(PALETTE[:4])


def test_own_colours_are_those_of_named_states_and_the_others_stay():
    fsa = library.wireworld()
    first, second, *rest = fsa.state_names
    assert state_colours(fsa, {second: "#D00"}) == [PALETTE[0], "#dd0000", *PALETTE[2:4]]
    assert state_colours(fsa, {first: "SteelBlue", rest[0]: "#123456"})[::2] == ["#4682b4", "#123456"]


@pytest.mark.parametrize("colour", ["", "#12", "#12345g", "no-colour", "#1234567", "rgb(1,2,3)", None, 3, "C0", "0.5"])
def test_what_is_no_colour_is_refused(colour):
    with pytest.raises(GraphFSAError, match="the colour of state 'alive' must be #rgb, #rrggbb or a CSS name"):
        state_colours(library.life_like(), {"alive": colour})


def test_an_unknown_state_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="alive"):
        state_colours(library.life_like(), {"alife": "#d00"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ill=#d00", {"ill": "#d00"}),
        ("ill=#d00,well=#0a0", {"ill": "#d00", "well": "#0a0"}),
        (" ill = red , well=green", {"ill": "red", "well": "green"}),
        ("a,b=red,c=d=blue", {"a,b": "red", "c=d": "blue"}),
        ("x=>1=red", {"x=>1": "red"}),
    ],
)
def test_the_form_of_commands(text, found):
    assert parse_colours(text) == found


@pytest.mark.parametrize("text", ["", "ill", "ill=", "=red", "ill=red,", "ill=red,well", ",", "ill=red,,well=green,"])
def test_other_forms_are_refused(text):
    with pytest.raises(GraphFSAError, match="STATE=COLOUR"):
        parse_colours(text)


def test_a_state_is_named_once():
    with pytest.raises(GraphFSAError, match="'ill' comes 2 times"):
        parse_colours("ill=red,ill=green")


def test_names_may_be_anything():
    fsa = GraphFSA.from_rule(["a=b", "c,d"], CountingAggregation(1), lambda state, seen: state)
    assert state_colours(fsa, parse_colours("a=b=#111,c,d=#222")) == ["#111111", "#222222"]
