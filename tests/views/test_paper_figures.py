import json

import pytest

import graphfsa as gf
from graphfsa.errors import GraphFSAError
from graphfsa.learners import as_model, load
from graphfsa.views import diagram, paper_figures

FIGURES = ["distance-complete", "distance-root", "distance-other", "expressiveness", "rule-30", "wireworld", "hex-life"]


@pytest.fixture
def known(monkeypatch):
    """Automata as they would be learned, without the learning."""
    found = {
        "distance": gf.learn("distance", "exact", states=4, bound=1),
        "rule-30": as_model(gf.library.elementary(30)),
        "wireworld": as_model("wireworld"),
        "hex-life": as_model(gf.library.hex_life()),
    }
    facts = {name: {"digest": model.automaton.digest} for name, model in found.items()}
    monkeypatch.setattr(paper_figures, "_learned", lambda name, _subject, _seed: (found[name], facts[name]))
    return found


def test_every_figure_has_its_files_and_its_model(known, tmp_path):
    told = []
    manifest = paper_figures.reproduce_figures(tmp_path / "f", seed=3, watch=told.append)
    assert list(manifest["figures"]) == FIGURES
    assert manifest == json.loads((tmp_path / "f" / "manifest.json").read_text())
    assert manifest["command"] == "graphfsa reproduce figures --seed 3"
    for name, picture in manifest["figures"].items():
        assert picture["files"] == [f"{name}.svg", f"{name}.png"]
        assert (tmp_path / "f" / f"{name}.svg").read_text().rstrip().endswith("</svg>")
        assert (tmp_path / "f" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert picture["caption"]
    for name, model in known.items():
        assert load(tmp_path / "f" / f"{name}.json").automaton == model.automaton
        assert manifest["models"][name]["digest"] == model.automaton.digest
    assert {manifest["figures"][name]["model"] for name in FIGURES[:3]} == {known["distance"].automaton.digest}
    assert manifest["figures"]["expressiveness"]["model"] is None
    assert [line for line in told if line.startswith("drawing")] == [f"drawing {name}" for name in FIGURES]


def test_diagrams_have_the_vectors_of_the_paper(known, tmp_path):
    paper_figures.reproduce_figures(tmp_path)
    complete, other = ((tmp_path / f"distance-{part}.svg").read_text() for part in ("complete", "other"))
    for text in (complete, other):
        assert "[f0,f1,s0,s1]; *: any." in text
        assert all(f">{name}<" in text for name in ("f0", "f1", "s0"))
    fsa = known["distance"].automaton
    arrows = gf.analysis.transitions(fsa).arrows
    for arrow in arrows:
        for vector in gf.analysis.transitions(fsa).vectors(arrow):
            assert f">{vector}<" in complete or vector in complete
    # A node that sees an odd one and waiting ones becomes even.
    assert "[0,1," in other


def test_the_circuit_is_read_right():
    fsa = gf.library.wireworld()
    graph, states = paper_figures._circuit(fsa)
    assert graph.num_nodes == len(states) == 7 * 13
    names = [fsa.state_names[state] for state in states.tolist()]
    assert (names.count("head"), names.count("tail")) == (2, 2)
    last = gf.run(fsa, graph, states, 14).last.reshape(7, 13)
    ends = [fsa.state_names[state] for state in (last[1, 9], last[5, 9])]
    assert ends != ["conductor", "conductor"]
    assert set(last[5, 7:12].tolist()) == {fsa.index("conductor")}


def test_an_automaton_that_is_wrong_is_not_drawn(monkeypatch, tmp_path):
    wrong = as_model("distance")
    monkeypatch.setattr(paper_figures, "learn", lambda *_given, **_options: wrong)
    seeds = []

    class Poor:
        accuracy = 0.75

    monkeypatch.setattr(paper_figures, "evaluate", lambda *_given, **_options: seeds.append(1) or Poor())
    with pytest.raises(GraphFSAError, match=r"with the seeds 7 to 11; the last one had 75.0% of the nodes right"):
        paper_figures.reproduce_figures(tmp_path, seed=7)
    assert len(seeds) == 5
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.slow
def test_figures_of_automata_that_diff_fsa_learns(tmp_path):
    pytest.importorskip("torch")
    manifest = paper_figures.reproduce_figures(tmp_path)
    assert all(model["accuracy"] == 1.0 for model in manifest["models"].values())
    assert all(model["learner"]["name"] == "diff-fsa" for model in manifest["models"].values())


# ---- labels of diagrams


@pytest.mark.parametrize("write", ["svg", "dot", "tikz", "mermaid"])
def test_every_format_has_the_vectors(write):
    text = getattr(diagram(gf.library.distance(), labels="values"), write)()
    plain = text.replace("#91;", "[").replace("#93;", "]").replace("#42;", "*").replace("{[}", "[").replace("{]}", "]")
    assert "*,0,0,*" in plain.replace("{", "").replace("}", "") or "0,0" in plain


def test_labels_interrupt_their_own_arrow_only():
    for fsa in (gf.library.distance(), gf.library.prefix_sum(), gf.library.wireworld()):
        scene = diagram(fsa, labels="values", layout="own").scene
        guards = [label for label in scene.labels if label.kind == "guard"]
        for place, label in enumerate(guards):
            assert not any(label.box.overlaps(other.box) for other in guards[:place])
            assert not any(label.box.overlaps(node.box) for node in scene.nodes)


def test_too_many_vectors_are_counted():
    rng = gf.datasets.Grab(num_states=5, bound=2, truth_seed=1).automaton()
    shown = diagram(rng, labels="values")
    assert "too many here" in shown.svg()
    assert "without a short condition" not in shown.svg()


def test_other_labels_are_refused():
    with pytest.raises(GraphFSAError, match="labels"):
        diagram(gf.library.distance(), labels="vectors")
