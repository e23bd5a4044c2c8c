import pytest

from graphfsa import CountingAggregation, GraphFSA, library


def test_the_text_is_an_automaton_for_every_command(cli, tmp_path):
    answer = cli("rules", "path-finding", "--out", tmp_path / "pf.rules")
    assert (answer.code, answer.out) == (0, "")
    assert GraphFSA.load(tmp_path / "pf.rules") == library.path_finding()
    read, known = (cli("info", name, "--json").json for name in (tmp_path / "pf.rules", "path-finding"))
    assert {**read, "task": "path-finding"} == known
    assert cli("rules", tmp_path / "pf.rules").out == (tmp_path / "pf.rules").read_text()


@pytest.mark.parametrize(
    ("form", "suffix", "words"),
    [
        ("text", ".rules", "dead -> alive if exactly 3 neighbours are alive\n"),
        ("markdown", ".md", "  1. → `alive` if exactly 3 neighbours are `alive`\n"),
        ("latex", ".tex", "\\textsf{alive} & \\text{if exactly 3 neighbours are \\textsf{alive}}"),
        ("python", ".py", "if count('alive') == 3:"),
    ],
)
def test_formats_by_name_and_by_suffix(cli, tmp_path, form, suffix, words):
    printed = cli("rules", "life", "--format", form)
    assert printed.code == 0
    assert words in printed.out
    path = tmp_path / f"life{suffix}"
    assert cli("rules", "life", "--out", path).code == 0
    assert path.read_text() == printed.out


def test_json_has_the_rules_and_the_text(cli):
    facts = cli("rules", "life", "--json").json
    assert facts["digest"] == library.life_like().digest
    assert (facts["entries"], facts["free_entries"], facts["format"], facts["file"]) == (50, 0, "text", None)
    assert facts["rules"][0] == {"state": "dead", "next": "alive", "if": "exactly 3 neighbours are alive"}
    assert GraphFSA.from_rules(facts["text"]) == library.life_like()


def test_what_data_never_use_may_differ(cli, tmp_path):
    """An automaton that does something odd where no tree leads it: the rules do not speak of it."""
    fsa = library.distance()
    table = fsa.transition_table.copy()
    both = fsa.aggregation.encode([0, 1, 3], [], 4)
    table[2, both] = 2
    GraphFSA(fsa.state_names, fsa.aggregation, table, starting_states=[2, 3], final_states=[0, 1]).save(
        tmp_path / "m.json"
    )
    whole, seen = (cli("rules", tmp_path / "m.json", "--json", *more).json for more in ((), ("--task", "distance")))
    assert whole["free_entries"] == 0
    assert len(seen["rules"]) < len(whole["rules"])
    assert seen["free_entries"] > 0
    assert "are never used by the training graphs" in seen["text"]


def test_bad_requests_are_one_line_and_write_nothing(cli, tmp_path):
    (tmp_path / "bad.rules").write_text("states: a\naggregation: counting bound=1\na goes\n")
    (tmp_path / "latin.rules").write_bytes(b"states: \xff")
    large = GraphFSA([f"s{k}" for k in range(9)], CountingAggregation(bound=2), [[0] * 3**9] * 9)
    large.save(tmp_path / "large.json")
    out = tmp_path / "x.md"
    for arguments, words in [
        (("nobody",), "unknown automaton 'nobody'"),
        (("life", "--format", "html"), "unknown format 'html'"),
        (("life", "--out", tmp_path / "x.pdf"), "must end in .rules, .txt, .md, .tex or .py"),
        (("life", "--format", "python", "--out", out), "must end in .py"),
        (("life", "--out", tmp_path / "no" / "x.md"), "there is no directory"),
        (("life", "--task", "distance", "--data", "x.jsonl"), "not both"),
        (("life", "--task", "life", "--complete"), "--complete goes without --task and --data"),
        (("life", "--option", "a=b"), "--option goes with --task"),
        (("life", "--steps", 3), "--steps goes with --data"),
        ((tmp_path / "bad.rules",), "line 3: expected '->' or 'stays'; got 'goes'"),
        ((tmp_path / "latin.rules",), "must be UTF-8 text; byte 8 is not"),
        ((tmp_path / "bad.rules", "--out", tmp_path / "bad.rules"), "would overwrite the model"),
        ((tmp_path / "large.json", "--out", out), "at most 65,536 entries"),
    ]:
        answer = cli("rules", *arguments)
        assert answer.code == 2
        assert words in answer.err
        assert answer.err.count("\n") == 1
    assert not out.exists()


def test_names_that_are_markup_are_printed_safely(cli, tmp_path):
    names = ["<b>if</b>", 'say "stays"', "😀" * 200]
    fsa = GraphFSA.from_rule(
        names, CountingAggregation(bound=1), lambda state, seen: names[0] if seen[names[2]] else state
    )
    fsa.save(tmp_path / "m.json")
    assert cli("rules", tmp_path / "m.json", "--out", tmp_path / "m.rules").code == 0
    assert GraphFSA.load(tmp_path / "m.rules") == fsa
