"""Notebooks show objects as small tables: escaped, bounded, and without anything slow."""

import numpy as np
import pytest

import graphfsa as gf
from graphfsa.datasets import Examples, Task, dataset_class
from graphfsa.graphs import GraphBatch
from graphfsa.html import facts_html
from graphfsa.views.diagrams import diagram

BAD = '<script>alert("x")</script>'


def objects():
    path = gf.families.path(3)
    task = Task(BAD, "classes", (BAD, "b"), ("even", "o" * 300))
    mine = Examples(task, GraphBatch.of([path]), [1, 0, 0], [0, 1, 0], steps=5, mask=[True, True, False])
    drawn = dataset_class("root-value")().generate(3, 20, np.random.default_rng(0))
    found = gf.ExactLearner().fit(drawn)
    return {
        "graph": (path, ["nodes", "3", "1 to 2 each"]),
        "empty graph": (gf.Graph.from_edges(0, []), ["nodes"]),
        "lattice": (gf.families.hexagonal(4, 5), ["hex 4 x 5", "20"]),
        "huge lattice": (gf.families.moore(40_000, 40_000), ["1,600,000,000"]),
        "trajectory": (
            gf.run(gf.library.distance(), path, ["root", "node", "node"], 4),
            ["from step 3 on", "even: 2, odd: 1", "<img"],
        ),
        "blinker": (
            gf.run(gf.library.life_like(), gf.families.moore(5, 5), [int(11 <= c <= 13) for c in range(25)], 7),
            ["every 2 steps from step 0 on", "<img"],
        ),
        "examples": (mine, ["&lt;script&gt;", "even: 1", "do not count", "…"]),
        "coverage": (gf.analysis.coverage(found.automaton, drawn), ["seen", "unseen", "wrong nodes"]),
        "learned": (found, ["exact", "GraphFSA: "]),
    }


def test_objects_show_themselves():
    for name, (shown, words) in objects().items():
        html = shown._repr_html_()
        assert "<script" not in html, name
        assert [word for word in words if word not in html] == [], name
        assert len(html) < (30_000 if "<img" in words else 10_000), name  # A picture takes more than a table.


def test_a_large_automaton_with_long_names_stays_small():
    names = [f"{'<b>' * 60}{k}" for k in range(256)]
    fsa = gf.GraphFSA(names, gf.AverageThresholdAggregation({0: (0.5,)}), np.zeros((256, 2), int))
    html = fsa._repr_html_()
    assert "<b>" not in html
    assert "<p>232 more states</p>" in html
    assert len(html) < 20_000


def test_rules_and_diagrams_show_themselves():
    assert gf.library.distance().rules()._repr_markdown_().count("\n") > 5
    assert diagram(gf.library.distance())._repr_svg_().startswith("<svg")


@pytest.mark.parametrize(
    ("value", "words"), [(True, "yes"), (1234567, "1,234,567"), (0.123456, "0.1235"), ([], "none"), ("<", "&lt;")]
)
def test_values_are_written_for_people(value, words):
    assert f">{words}<" in facts_html("t", {"v": value, "nothing": None})
