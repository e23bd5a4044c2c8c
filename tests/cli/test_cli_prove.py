"""graphfsa prove: verdicts, certificates and players, from the command line."""

from graphfsa import CountingAggregation, GraphFSA, library, prove


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
    assert "m.json is wrong on this tree" in (tmp_path / "p.html").read_text()
    assert cli("prove", tmp_path / "m.json", "--task", "path-finding", "--out", tmp_path / "m.json").code == 2


DONE = """
import numpy as np
import graphfsa as gf


class Done(gf.TreeSpecification):
    inputs, classes, messages = ("a",), ("done",), ("m",)

    def send(self, given, counts):
        return "m"

    def label(self, given, counts):
        return "done"


class Exits(Done):
    def send(self, given, counts):
        raise SystemExit(0)


class Array(Done):
    def label(self, given, counts):
        return np.array(["done", "done"])


class Fails(Done):
    def __init__(self):
        raise RuntimeError("no")


class Property(Done):
    @property
    def inputs(self):
        raise ZeroDivisionError("x")
"""


def _done(tmp_path):
    (tmp_path / "done.py").write_text(DONE)
    fsa = GraphFSA(["a", "done"], CountingAggregation(1), [[1] * 4] * 2, starting_states=["a"], final_states=["done"])
    fsa.save(tmp_path / "m.json")
    return tmp_path / "m.json"


def test_whatever_fails_in_a_specification_is_one_message(cli, tmp_path):
    model = _done(tmp_path)
    for name, words in [
        ("Exits", "Exits: send('a', {'m': 0}) failed: SystemExit: 0"),
        ("Array", "Array: label('a', {'m': 0}) must be one of 'done' or None"),
        ("Fails", "Fails() failed: RuntimeError: no"),
        ("Property", "Property: inputs failed: ZeroDivisionError: x"),
    ]:
        answer = cli("prove", model, "--spec", f"{tmp_path / 'done.py'}:{name}")
        assert answer.code == 2, name
        assert words in answer.err


def test_a_statement_that_was_compared_with_nothing_says_so(cli, tmp_path):
    answer = cli("prove", _done(tmp_path), "--spec", f"{tmp_path / 'done.py'}:Done")
    assert answer.code == 0
    assert "Done, not compared with any task" in answer.out
    assert "compared with the labels of distance" in cli("prove", "distance").out


def test_a_model_without_a_task_needs_a_statement(cli, tmp_path):
    answer = cli("prove", _done(tmp_path))
    assert answer.code == 2
    assert "give --task NAME or --spec FILE.py:Class" in answer.err


def test_boards_have_no_number_of_nodes_and_say_everything_once(cli):
    answer = cli("prove", "life")
    assert answer.code == 0
    assert "checked nodes" not in answer.out
    assert answer.out.count("step") == 1


def test_undecided_says_what_to_try(cli, tmp_path):
    text = (
        "states: even, odd, root, node, odd_soon, even_soon\nstarting states: root, node\nfinal states: even, odd\n"
        "aggregation: counting bound=1\n\nroot -> even\nnode -> odd_soon if some neighbour is even\n"
        "node -> even_soon if some neighbour is odd\nnode stays otherwise\nodd_soon -> odd\neven_soon -> even\n"
        "even stays\nodd stays\n"
    )
    GraphFSA.from_rules(text).save(tmp_path / "slow.json")
    answer = cli("prove", tmp_path / "slow.json", "--task", "distance", "--max-nodes", 4)
    assert answer.code == 1
    assert "--family tree" in answer.out
    assert "prove-your-automaton" in answer.out
    assert "clock" not in answer.out


def test_a_proof_is_short_to_look_at():
    assert len(repr(prove("path-finding"))) < 250


def test_no_player_of_what_is_right(cli, tmp_path):
    answer = cli("prove", "root-value", "--player", tmp_path / "p.html")
    assert answer.code == 0
    assert "no player: nothing is wrong" in answer.out
    assert not (tmp_path / "p.html").exists()


def test_the_command_that_loads_a_file_of_ones_own_is_printed_in_full(shell, tmp_path):
    (tmp_path / "near.py").write_text(
        "INPUTS, CLASSES = ('node', 'mark'), ('near', 'far')\n"
        "def label(graph, inputs):\n"
        "    seen = [{inputs[n], *(inputs[m] for m in graph.neighbours(n))} for n in graph.nodes]\n"
        "    return ['near' if 'mark' in part else 'far' for part in seen]\n"
    )
    source = f"{tmp_path / 'near.py'}:label"
    sizes = ("--sizes", "2..4", "--count", 40, "--until", "exact")
    learned = shell("learn", "--oracle", source, *sizes, "--out", "m.json", cwd=tmp_path)
    assert f"graphfsa --plugin {tmp_path / 'near.py'} evaluate m.json" in learned.out
    refused = shell("prove", "m.json", cwd=tmp_path)
    assert refused.code == 2
    assert "If you trust that file, type: graphfsa --plugin near.py prove m.json" in refused.err
