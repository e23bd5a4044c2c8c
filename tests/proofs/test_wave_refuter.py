import pytest

from graphfsa import library, run
from graphfsa.analysis import verify
from graphfsa.datasets import Distance, RootValue
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.proofs._wave_refuter import WaveRefuter, refute_connected
from graphfsa.proofs._waves import prove_waves
from stress._wave_tasks import TRUE, counter


@pytest.mark.parametrize("name", TRUE)
def test_what_is_right_is_not_refuted(name):
    assert refute_connected(*TRUE[name], max_nodes=4) is None


def test_the_smallest_wrong_instance_is_that_of_verification():
    for state, value, after in (("node", 1, "even"), ("root", 4, "odd"), ("node", 5, "node"), ("node", 3, "even")):
        fsa = library.distance().with_entry(state, value, after)
        found, known = refute_connected(fsa, Distance()), verify(fsa, Distance(), 6).counterexample
        assert (found is None) == (known is None)
        if found is not None:
            assert found.graph.num_nodes == known.graph.num_nodes
            assert found.labels != found.predictions
            last = run(fsa, found.graph, list(found.inputs), found.steps).last
            said = [fsa.state_names[state] for state in last]
            names = ("even", "odd")
            assert [name if name in names else None for name in said] == list(found.predictions)


def test_a_slow_automaton_is_not_refuted():
    # Verification counts the steps of the data set; a statement about waves only asks for the end.
    slow = counter(2, wait=3)
    assert refute_connected(slow, TRUE["distance"][1], 5) is None
    slower = library.distance().with_entry("node", 6, "root")
    assert refute_connected(slower, Distance(), 6) is None
    assert not verify(slower, Distance(), 6).verified


def test_late_errors_are_found_on_long_graphs():
    # Early answers of some nodes at distance 1 meet others at distance 3: 8 nodes are needed.
    fsa, spec = TRUE["modulo 3, counting to 2"]
    value = fsa.aggregation.encode([fsa.index("node"), fsa.index("root")], [], fsa.num_states)
    wrong = fsa.with_entry("node", value, "d1")
    found = refute_connected(wrong, spec, 5)
    assert found.graph.num_nodes >= 8
    assert not prove_waves(wrong, spec).proved


def test_nodes_that_nobody_reaches_must_not_answer():
    fsa, spec = TRUE["reached"]
    found = refute_connected(fsa.with_entry("node", 2, "yes"), spec)
    assert (found.graph.num_nodes, found.labels, found.predictions) == (1, (None,), ("yes",))


def test_a_refuter_is_made_once_for_many():
    fsa, spec = TRUE["nearest, ties"]
    refuter = WaveRefuter(spec, 3)
    assert refuter.refute(fsa) is None
    assert refuter.refute(fsa.with_entry("srcA", 0, "B")).graph.num_nodes == 1


def test_data_sets_without_waves_are_refused():
    with pytest.raises(GraphFSAError, match="must have a wave specification; root-value has none"):
        refute_connected(library.root_value(), RootValue())


def test_sizes_that_were_not_looked_at_do_not_count(monkeypatch):
    refuter = WaveRefuter(Distance().specifications()[0], 4, long=False)
    assert refuter.refute(library.distance()) is None
    assert refuter.looked_at == 4
    look = WaveRefuter._first_wrong

    def tired(self, fsa, part):
        if part.inputs.shape[1] == 3:
            raise LimitError("a run does not repeat")
        return look(self, fsa, part)

    monkeypatch.setattr(WaveRefuter, "_first_wrong", tired)
    assert refuter.refute(library.distance()) is None
    assert refuter.looked_at == 2
