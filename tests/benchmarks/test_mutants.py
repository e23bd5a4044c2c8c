"""The benchmark of mutants: what is changed, and that a wrong proof would be noticed."""

import json

import numpy as np

from benchmarks import mutants
from benchmarks.__main__ import main
from graphfsa.automaton import library
from graphfsa.proofs import Proof


def test_one_used_entry_is_changed_and_in_every_other_one_a_second():
    fsa = library.find_automaton("distance")
    used = np.zeros(fsa.transition_table.shape, bool)
    used[2:, 3:9] = True
    several = list(mutants.mutants(fsa, used, 60, np.random.default_rng(0)))
    differ = [mutant.transition_table != fsa.transition_table for mutant in several]
    assert all((one & used).any() for one in differ)
    assert {int(one.sum()) for one in differ[::2]} == {1}
    assert {int(one.sum()) for one in differ[1::2]} <= {1, 2}
    assert max(int(one.sum()) for one in differ) == 2
    assert not any(one[list(fsa.final_states)].any() for one in differ)


def test_proofs_of_wrong_automata_are_counted(tmp_path, monkeypatch, capsys):
    true = mutants.prove

    def gullible(fsa, dataset, graph_class):
        found = true("distance", dataset, graph_class=graph_class)
        return Proof("proved", found.statement, fsa.digest, found.source, certificate=found.certificate)

    tasks = {"trees": ("distance", {"graphs": "tree"}, "tree", 4, 20)}
    monkeypatch.setattr(mutants, "_TASKS", tasks)
    out = tmp_path / "mutants.jsonl"
    assert main(["mutants", "--quick", "--json", "--out", str(out)]) == 0
    honest = json.loads(capsys.readouterr().out)["rows"]
    assert honest[0]["figure"] == 0
    assert honest[3]["figure"] > 10
    monkeypatch.setattr(mutants, "prove", gullible)
    assert main(["mutants", "--quick", "--json", "--out", str(tmp_path / "more.jsonl")]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["figure"] > 10
