"""Objects of files are checked field by field, and errors say which field, what must hold and what was got."""

import pytest

from graphfsa.errors import FormatError
from graphfsa.fields import Field, read_fields

FIELDS = {
    "name": Field(str, most=4),
    "size": Field(int, 1, least=1, most=9),
    "share": Field(float, 0.5, least=0, most=1),
    "quick": Field(bool, False),
    "kind": Field((str, None), None, choices=("tree", "path", None)),
    "sizes": Field(list, [], most=3, items=Field(int, least=0)),
    "options": Field(dict, {}, items=Field((int, str))),
    "anything": Field(object, None),
}


def read(**data):
    return read_fields(data, FIELDS, "m.json")


def test_values_and_defaults():
    assert read(name="abcd") == {
        "name": "abcd",
        "size": 1,
        "share": 0.5,
        "quick": False,
        "kind": None,
        "sizes": [],
        "options": {},
        "anything": None,
    }
    given = {
        "name": "",
        "size": 9,
        "share": 1,
        "quick": True,
        "kind": "tree",
        "sizes": [0, 5],
        "options": {"a": 1, "b": "x"},
        "anything": [None],
    }
    assert read(**given) == given
    assert list(read(**given)) == list(FIELDS)


def test_defaults_are_not_shared():
    read(name="a")["sizes"].append(1)
    assert read(name="a")["sizes"] == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "m.json: must be an object; got a list"),
        (None, "m.json: must be an object; got null"),
        ("x", "m.json: must be an object; got a string"),
        ({}, "m.json: field 'name' is missing; it must be a string of at most 4 characters"),
        ({"name": "a", "nane": 1}, "m.json: unknown field 'nane'; valid fields: anything, kind, name, options, "),
        ({"name": 3}, "m.json: field 'name' must be a string of at most 4 characters; got 3"),
        ({"name": "abcde"}, "m.json: field 'name' must be a string of at most 4 characters; got 'abcde'"),
        ({"name": "a", "size": 0}, "field 'size' must be an integer from 1 to 9; got 0"),
        ({"name": "a", "size": True}, "field 'size' must be an integer from 1 to 9; got True"),
        ({"name": "a", "size": 1.0}, "field 'size' must be an integer from 1 to 9; got 1.0"),
        ({"name": "a", "size": None}, "field 'size' must be an integer from 1 to 9; got None"),
        ({"name": "a", "share": 1.5}, "field 'share' must be a number from 0 to 1; got 1.5"),
        ({"name": "a", "share": 10**400}, "field 'share' must be a number from 0 to 1; got 1000000"),
        ({"name": "a", "share": float("nan")}, "field 'share' must be a number from 0 to 1; got nan"),
        ({"name": "a", "share": "x"}, "field 'share' must be a number from 0 to 1; got 'x'"),
        ({"name": "a", "quick": 1}, "field 'quick' must be true or false; got 1"),
        ({"name": "a", "kind": "grid"}, "field 'kind' must be one of 'tree', 'path', None; got 'grid'"),
        ({"name": "a", "sizes": [1] * 4}, "field 'sizes' must be a list of at most 3 items; got [1, 1, 1, 1]"),
        ({"name": "a", "sizes": [1, -1]}, "field 'sizes[1]' must be an integer >= 0; got -1"),
        ({"name": "a", "options": {"b": []}}, "field 'options.b' must be an integer or a string; got []"),
    ],
)
def test_what_a_wrong_object_is_told(data, words):
    with pytest.raises(FormatError) as caught:
        read_fields(data, FIELDS, "m.json")
    assert words in str(caught.value)
    assert str(caught.value).startswith("m.json: ")


def test_the_message_about_a_huge_value_is_short():
    with pytest.raises(FormatError) as caught:
        read(name="x" * 10**6)
    assert len(str(caught.value)) < 200


def test_schemas_and_other_fields():
    fields = {"a": Field(int)}
    assert read_fields({"schema": "s/1", "a": 1}, fields, "here", schema="s/1") == {"a": 1}
    with pytest.raises(FormatError, match=r"here: field 'schema' must be 's/1'; got 's/2'"):
        read_fields({"schema": "s/2", "a": 1}, fields, "here", schema="s/1")
    with pytest.raises(FormatError, match=r"here: must be an object with the schema 's/1'; got a list"):
        read_fields([], fields, "here", schema="s/1")
    with pytest.raises(FormatError, match=r"unknown field 'b'; valid fields: a, c"):
        read_fields({"a": 1, "b": 2, "c": 3}, fields, "here", also=("c",))
    assert read_fields({"a": 1, "c": 3}, fields, "here", also=("c",)) == {"a": 1}
    assert read_fields({"a": 1, "b": 2}, fields, "here", unknown=True) == {"a": 1}
