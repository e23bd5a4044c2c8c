"""Run-length files of Golly and LifeWiki: read as they are, or refused with the line."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import families, library, run
from graphfsa.automaton import patterns
from graphfsa.automaton.patterns import parse_rle, place_pattern, read_rle
from graphfsa.errors import FormatError, GraphFSAError, LimitError

GLIDER = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
GUN = """#N Gosper glider gun
#O Bill Gosper
#C A true period 30 glider gun.
#C The first known gun and the first known finite pattern with unbounded growth.
#C www.conwaylife.com/wiki/index.php?title=Gosper_glider_gun
x = 36, y = 9, rule = B3/S23
24bo11b$22bobo11b$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o14b$2o8b
o3bob2o4bobo11b$10bo5bo7bo11b$11bo3bo20b$12b2o!
"""


@pytest.mark.parametrize(
    "text",
    [
        "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!",
        "x=3,y=3\nbo$2bo$3o!",
        "#C from Golly\n#CXRLE Pos=0,0\nx = 3, y = 3, rule = B3/S23:T100,200\nbo$2bo$3o!\nwhatever comes after",
        "\n  X = 3 , Y = 3 , rule = 23/3\n b o b $\n\t2b o $ 3o\n!",
        "x = 3, y = 3\nbo$\n#C in between\n2bo\n$3o$$!",
        "x = 3, y = 3\r\n.A$2.A$3A!\r\n",
        "\ufeffx = 3, y = 3\n1b1o1b1$2bo$3o!".replace("1$", "$"),
    ],
)
def test_a_glider_in_all_its_forms(tmp_path, text):
    file = tmp_path / "glider.rle"
    file.write_bytes(text.encode())
    found = read_rle(file)
    assert found.dtype == np.uint8
    assert found.tolist() == GLIDER


def test_the_gosper_gun_shoots():
    gun = parse_rle(GUN)
    assert gun.shape == (9, 36)
    assert gun.sum() == 36
    board = families.moore(60, 80)
    start = place_pattern(gun, board, at=(2, 2))
    last = run(library.life_like(), board, start, 60).last
    assert last.sum() == 36 + 2 * 5


def test_many_states():
    assert parse_rle("x = 8, y = 2\n.ABXpApXqA.$yO!").tolist() == [[0, 1, 2, 24, 25, 48, 49, 0], [255] + [0] * 7]


def test_rows_that_are_skipped():
    assert parse_rle("x = 1, y = 4\no3$o!").tolist() == [[1], [0], [0], [1]]
    assert parse_rle("x = 0, y = 0\n!").shape == (0, 0)
    assert parse_rle("x = 2, y = 1000\n!").sum() == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "p: the first line that is no comment must say 'x = WIDTH, y = HEIGHT'"),
        ("#N nothing\n", "p: the first line that is no comment must say"),
        (
            "bo$2bo$3o!",
            "p: line 1: the first line that is no comment must say 'x = WIDTH, y = HEIGHT'; got 'bo$2bo$3o!'",
        ),
        ("#C\nx = 3, z = 3\n3o!", "p: line 2: the first line"),
        ("x = -3, y = 3\n3o!", "p: line 1: the first line"),
        ("x = 3000000000, y = 1\n!", "p: line 1: the first line"),
        ("x = 3, y = 3\nbob$2bo$3o", "p: the pattern must end with '!'"),
        (
            "x = 3, y = 3\nbob$2bo$4o!",
            "p: line 2: there must be 3 rows of 3 cells, as the header says; got 4 cells in row 3",
        ),
        ("x = 3, y = 3\nbob$2bo$\n3o$o!", "p: line 3: there must be 3 rows of 3 cells, as the header says; got row 4"),
        ("x = 3, y = 3\nbob$\n2zo!", "p: line 3: a run must be a count and one of b, o, ., A to X, $ or !; got '2'"),
        ("x = 3, y = 3\nbob$z", "p: line 2: a run must be a count and one of b, o, ., A to X, $ or !; got 'z'"),
        ("x = 3, y = 3\n12\n", "p: line 2: a run must be"),
        ("x = 3, y = 3\npz", "p: line 2: a run must be"),
        ("x = 3, y = 3\n99999999999999999999o!", "p: line 2: a run must be"),
        (
            "x = 3, y = 3\n999999999o!",
            "p: line 2: there must be 3 rows of 3 cells, as the header says; got 999999999 cells",
        ),
        ("x = 3, y = 3\n999999999$999999999$o!", "got row 1999999999"),
        ("x = 1, y = 1\nyX!", "p: line 2: a state must be at most 255, written yO; got yX, state 264"),
        ("x = 1, y = 1\nyP!", "p: line 2: a state must be at most 255, written yO; got yP, state 256"),
    ],
)
def test_damaged_files_are_refused_with_the_line(text, words):
    with pytest.raises(FormatError, match=re.escape(words)):
        parse_rle(text, "p")


def test_a_pattern_that_is_too_large_is_refused_before_it_is_made():
    with pytest.raises(
        LimitError, match="line 1: a pattern must have at most 67,108,864 cells; got 999,999,999 x 999,999,999"
    ):
        parse_rle("x = 999999999, y = 999999999\n!")


def test_files_that_can_not_be_read(tmp_path, monkeypatch):
    file = tmp_path / "p.rle"
    file.write_bytes(b"x = 1, y = 1\n\xff!")
    with pytest.raises(FormatError, match="must be UTF-8 text; byte 13 is not"):
        read_rle(file)
    with pytest.raises(GraphFSAError, match="it is a directory"):
        read_rle(tmp_path)
    monkeypatch.setattr(patterns, "MAX_RLE_BYTES", 10)
    with pytest.raises(LimitError, match="at most 10 bytes"):
        read_rle(file)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.text(alphabet="xy=0123 ,bo$!.ABpqz#\n", max_size=60) | st.text(max_size=20))
def test_any_text_is_read_or_refused(text):
    for whole in (text, "x = 5, y = 5\n" + text):
        try:
            assert parse_rle(whole).dtype == np.uint8
        except GraphFSAError as error:
            assert str(error).startswith("pattern: ")


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_what_is_written_is_read(seed):
    """A plain writer: every cell as a run of one."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, rng.integers(1, 6, 2))
    rows = "$\n".join("".join(".AB"[state] for state in row) for row in cells)
    assert parse_rle(f"x = {cells.shape[1]}, y = {cells.shape[0]}\n{rows}!").tolist() == cells.tolist()
