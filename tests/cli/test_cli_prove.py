"""graphfsa prove: verdicts, certificates and players, from the command line."""

from graphfsa import CountingAggregation, GraphFSA, library


def test_a_specification_of_ones_own_in_a_file(cli, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from graphfsa import TreeSpecification\n"
        "class Inner(TreeSpecification):\n"
        "    inputs, classes, messages = ('node',), ('leaf', 'inner'), ('hello',)\n"
        "    bounds = {'hello': 2}\n"
        "    def send(self, given, counts): return 'hello'\n"
        "    def label(self, given, counts): return 'leaf' if counts['hello'] < 2 else 'inner'\n"
    )
    rule = lambda state, counts: state if state != "node" else "inner" if sum(counts.values()) > 1 else "leaf"  # noqa: E731
    fsa = GraphFSA.from_rule(
        ["leaf", "inner", "node"], CountingAggregation(2), rule, starting_states=["node"], final_states=[0, 1]
    )
    fsa.save(tmp_path / "m.json")
    spec = f"{tmp_path / 'mine.py'}:Inner"
    answer = cli("prove", tmp_path / "m.json", "--spec", spec, "--out", tmp_path / "c.json", "--json")
    assert (answer.code, answer.json["verdict"]) == (0, "proved")
    assert cli("check", tmp_path / "c.json", tmp_path / "m.json", "--spec", spec).code == 0
    answer = cli("check", tmp_path / "c.json", tmp_path / "m.json")
    assert answer.code == 2
    assert "spec must be given" in answer.err
    for bad, words in [
        ("mine.py", "file.py:Class"),
        (f"{tmp_path / 'mine.py'}:Outer", "has no specification 'Outer'"),
        (f"{tmp_path / 'mine.py'}:TreeSpecification", "must define label, send"),
    ]:
        answer = cli("prove", tmp_path / "m.json", "--spec", bad)
        assert answer.code == 2
        assert words in answer.err


def test_the_command_line_tells_what_is_wrong(cli, tmp_path):
    fsa = library.path_finding()
    table = fsa.transition_table.copy()
    table[fsa.state_names.index("marked")] = fsa.state_names.index("off")
    wrong = GraphFSA(
        fsa.state_names, fsa.aggregation, table, starting_states=fsa.starting_states, final_states=fsa.final_states
    )
    wrong.save(tmp_path / "m.json")
    options = ("--task", "path-finding", "--player", tmp_path / "p.html", "--out", tmp_path / "c.json")
    answer = cli("prove", tmp_path / "m.json", *options)
    assert answer.code == 1
    assert "refuted" in answer.out
    assert "<- wrong" in answer.out
    assert (tmp_path / "p.html").read_text().startswith("<!DOCTYPE html>")
    assert not (tmp_path / "c.json").exists()
    assert cli("prove", tmp_path / "m.json", "--task", "path-finding", "--out", tmp_path / "m.json").code == 2
