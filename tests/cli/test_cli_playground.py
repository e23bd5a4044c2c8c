import pytest

from graphfsa import play


def test_a_page_is_exported(cli, tmp_path):
    out = tmp_path / "p.html"
    facts = cli("playground", "--export", out, "--json").json
    assert facts == {"out": str(out), "bytes": out.stat().st_size, "fragment": 0}
    assert out.read_text(encoding="utf-8") == play().html


def test_a_page_begins_with_a_model(cli, tmp_path):
    out = tmp_path / "p.html"
    common = ["--graph", "moore-torus:8x8", "--seed", 3, "--title", "Eight by eight"]
    facts = cli("playground", "life", *common, "--export", out, "--json").json
    wanted = play("life", "moore-torus:8x8", seed=3, title="Eight by eight")
    assert out.read_text(encoding="utf-8") == wanted.html
    assert facts["fragment"] == len(wanted.fragment)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["life"], "give --graph"),
        (["--graph", "tree:5"], "go with a model"),
        (["--states", "random"], "go with a model"),
        (["rule30", "--graph", "tree:5"], "neighbour slots"),
        (["lief", "--graph", "tree:5"], "life"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(cli, tmp_path, arguments, words):
    answer = cli("playground", *arguments, "--export", tmp_path / "p.html")
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") <= 2
    assert list(tmp_path.iterdir()) == []


def test_a_page_never_takes_the_place_of_an_input_or_of_something_else(cli, tmp_path):
    graph = tmp_path / "g.html"
    graph.write_text("not a graph")
    assert cli("playground", "life", "--graph", graph, "--export", graph).code == 2
    assert graph.read_text() == "not a graph"
    assert cli("playground", "--export", tmp_path / "p.txt").code == 2
    assert cli("playground", "--export", tmp_path / "no" / "p.html").code == 2
