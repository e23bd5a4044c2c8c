"""Diagrams show every state and arrow, no label covers another, nothing is cut off, and names are never markup."""

import re
import shutil
import string
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    GraphFSA,
    LettersAggregation,
    PositionalAggregation,
    library,
)
from graphfsa.aggregations import Sum
from graphfsa.analysis import transitions, used_transitions
from graphfsa.automaton.library import RANDOM
from graphfsa.datasets import dataset_class, entry_counts
from graphfsa.errors import FormatError, GraphFSAError, LimitError, UnknownNameError
from graphfsa.views import _diagram_graphviz
from graphfsa.views._diagram_compose import MAX_NAME, ink_on, plan_of, short_names, wording
from graphfsa.views._diagram_graphviz import place_by_graphviz
from graphfsa.views._diagram_layout import in_pill
from graphfsa.views._diagram_scene import SMALL, Box, curve_points, head_of, shaft_of, text_width
from graphfsa.views.colours import PALETTE
from graphfsa.views.diagrams import SUFFIXES, diagram
from graphfsa.views.figures import new_figure
from strategies import SEEDS, random_automaton

SVG = "{http://www.w3.org/2000/svg}"
NASTY = (
    "<script>alert(1)</script>",
    '"]; evil [label="',
    "\\N \\input{x} & &lt; #35; $x$ %",
    "}{~^_`'|",
    "😀" * 200,
    "a" * 199 + "1",
    "a" * 199 + "2",
    "]]> --> click s0 end",
)


def nasty_automaton():
    table = np.repeat(np.arange(8)[:, None], 256, axis=1)
    table[1:, 1:128] = (np.arange(1, 8)[:, None] + 1) % 8
    table[2, 128:] = 0
    return GraphFSA(NASTY, CountingAggregation(bound=1), table, starting_states=[1, 4], final_states=[0])


def check(scene):
    """No label comes near another, a state or a head, no arrow near another state, and all is in the picture."""
    guards = [label.box for label in scene.labels if label.kind == "guard"]
    for place, label in enumerate(scene.labels):
        assert not any(label.box.overlaps(other.box, 3) for other in scene.labels[:place])
        assert not any(label.box.overlaps(node.box, 2.5) for node in scene.nodes)
    for place, box in enumerate(guards):  # Two words of one line are closer, and so are two lines of one label.
        wide = Box(box.x, box.y, box.width + 2 * SMALL * 0.6, box.height)
        tall = Box(box.x, box.y, box.width, box.height + 2 * SMALL * 0.4)
        assert not any(wide.overlaps(other) or tall.overlaps(other) for other in guards[:place])
    boxes = [label.box for label in scene.labels]
    for arrow in scene.arrows:
        x, y = head_of(arrow.points).mean(axis=0)
        assert not any(abs(x - b.x) < b.width / 2 and abs(y - b.y) < b.height / 2 for b in boxes)
    for place, node in enumerate(scene.nodes):
        assert not any(node.box.overlaps(other.box, 4) for other in scene.nodes[:place])
    for arrow in scene.arrows:
        line = curve_points(arrow.points)
        assert not any(in_pill(line, node.box, 0).any() for node in scene.nodes if node.state not in arrow.ends)
    for box, arrow in zip(guards, scene.arrows, strict=False):
        left, top, right, bottom = box.corners
        if arrow.ends[0] == arrow.ends[1]:  # A loop is so small that its label would hide what it is.
            x, y = curve_points(arrow.points).T
            assert not ((x > left) & (x < right) & (y > top) & (y < bottom)).any()
    inside = np.array([scene.width, scene.height])
    for thing in (*scene.nodes, *scene.labels):
        left, top, right, bottom = thing.box.corners
        assert 0 <= left <= right <= scene.width
        assert 0 <= top <= bottom <= scene.height
    for arrow in scene.arrows:
        points = np.concatenate([curve_points(arrow.points), head_of(arrow.points)])
        assert (points >= 0).all()
        assert (points <= inside).all()


def lines_through_labels(scene):
    """Pairs of a label and an arrow that is not its own and runs through it."""
    guards = [label.box for label in scene.labels if label.kind == "guard"]
    for number, arrow in enumerate(scene.arrows):
        x, y = curve_points(arrow.points, 100).T
        for place, box in enumerate(guards):
            left, top, right, bottom = box.corners
            if place != number and ((x > left) & (x < right) & (y > top) & (y < bottom)).any():
                yield place, number


def check_svg(found, text):
    root = ET.fromstring(text)
    groups = [group.get("class") for group in root.iter(f"{SVG}g")]
    starts = 1 if found.start is not None else len(found.fsa.starting_states)
    assert groups.count("state") == len(found.states)
    assert groups.count("arrow") == len(found.arrows)
    assert groups.count("start") == starts
    names = [group.find(f"{SVG}title").text for group in root.iter(f"{SVG}g") if group.get("class") == "state"]
    assert names == [found.fsa.state_names[state] for state in found.states]
    rings = [len(group.findall(f"{SVG}rect")) for group in root.iter(f"{SVG}g") if group.get("class") == "state"]
    assert rings == [2 if state in found.fsa.final_states else 1 for state in found.states]
    titles = [group.find(f"{SVG}title").text for group in root.iter(f"{SVG}g") if group.get("class") == "arrow"]
    for arrow, title in zip(found.arrows, titles, strict=True):
        own, successor = (found.fsa.state_names[state] for state in (arrow.state, arrow.successor))
        assert title.startswith(f"{own} → {successor}: ")
    return root


AGGREGATIONS = st.sampled_from(
    [
        CountingAggregation(bound=1),
        PositionalAggregation(num_slots=2),
        AverageThresholdAggregation({0: (0.5,), 1: (1 / 3, 2 / 3)}),
        LettersAggregation((Sum("count", 2, (1, 1)), Sum("highest", 2, (0, 1)), Sum("modulo", 2, (1,)))),
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 8), AGGREGATIONS, SEEDS)
def test_no_label_covers_anything_and_nothing_is_cut_off(data, num_states, aggregation, seed):
    finals = data.draw(st.integers(0, num_states - 1))
    fsa = random_automaton(num_states, aggregation, seed, data.draw(st.sampled_from([0, 0.5, 0.9, 0.98])), finals)
    lengths = data.draw(st.lists(st.integers(0, 20), min_size=num_states, max_size=num_states))
    names = [f"{'name' * length}{state}" for state, length in enumerate(lengths)]
    starting = [state for state in range(num_states) if state not in fsa.final_states] if seed % 2 else None
    fsa = GraphFSA(names, aggregation, fsa.transition_table, starting_states=starting, final_states=fsa.final_states)
    drawn = diagram(fsa, layout="own")
    check(drawn.scene)
    check_svg(drawn.transitions, drawn.svg())
    if len(drawn.transitions.arrows) <= 24:
        assert not list(lines_through_labels(drawn.scene))


PLAIN = (name for name in library.library_names() if " " not in name and name not in {*RANDOM, "cole-vishkin"})
LIBRARY = [*PLAIN, "rule110", "rule30", "B3678/S34678"]


@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize("layout", ["own", "auto"])
def test_library_automata(name, layout):
    drawn = diagram(library.library_automaton(name), layout=layout)
    check(drawn.scene)
    check_svg(drawn.transitions, drawn.svg())
    # Ten states with 35 arrows leave room for all labels but one.
    assert len(list(lines_through_labels(drawn.scene))) <= (name == "dijkstra-ring")


def test_one_state_and_as_many_as_are_allowed():
    check(diagram(GraphFSA(["x"], CountingAggregation(bound=1), [[0, 0]]), layout="own").scene)
    watched = AverageThresholdAggregation({0: (0.5,)})
    ring = GraphFSA([f"s{k}" for k in range(24)], watched, [[(k + 1) % 24, k] for k in range(24)])
    check(diagram(ring, layout="own").scene)


def test_short_conditions_are_at_their_arrows_and_long_ones_in_a_list():
    def texts(fsa, kind):
        return {" ".join(label.lines) for label in diagram(fsa, layout="own").scene.labels if label.kind == kind}

    assert texts(library.life_like(), "guard") == {
        "otherwise",
        "exactly 3 neighbours are alive",
        "2 or 3 neighbours are alive",
    }
    fsa = library.path_finding()
    assert "a" in texts(fsa, "guard")
    assert texts(fsa, "key") == {"a"}
    (listed,) = texts(fsa, "list")
    assert listed.startswith("at least 2 neighbours are node or marked or at least 2 neighbours are on and some")


def test_partial_diagrams_say_how_often():
    examples = dataset_class("distance")().generate(10, 20, np.random.default_rng(0))
    found = used_transitions(library.distance(), examples, "node")
    drawn = diagram(found, layout="own")
    check(drawn.scene)
    check_svg(found, drawn.svg())
    words = "\n".join(line for label in drawn.scene.labels for line in label.lines)
    for arrow in found.arrows:
        assert f"\N{MULTIPLICATION SIGN}{arrow.count:,}" in words
        assert f"\N{MULTIPLICATION SIGN}{arrow.count:,}" in drawn.dot()
    assert "180 nodes of 20 graphs" in " ".join(words.split())
    assert "start in node" in drawn.title


def words_at_arrows(drawn):
    found, names = drawn.transitions, drawn.transitions.fsa.state_names
    return {(names[arrow.state], names[arrow.successor]): found.lines(arrow) for arrow in found.arrows}


@pytest.mark.parametrize("name", ["distance", "prefix-sum", "root-value", "path-finding", "life", "wireworld"])
def test_entries_that_do_not_matter_are_left_free_and_conditions_are_those_of_the_rules(name):
    fsa = library.library_automaton(name)
    examples = dataset_class(name)().generate(10, 30, np.random.default_rng(0))
    used = entry_counts(fsa, examples) > 0
    drawn, rules = fsa.diagram(used, layout="own"), fsa.rules(used)
    check(drawn.scene)
    assert drawn.transitions.states == tuple(range(fsa.num_states))  # The complete diagram, states without arrows too.
    note = " ".join(line for label in drawn.scene.labels if label.kind == "note" for line in label.lines)
    entries = used[[state for state in range(fsa.num_states) if state not in fsa.final_states]].size
    free = f"{rules.free:,} of {entries:,} entries are never used by these graphs"
    assert f"{free}; there the conditions were free to choose." in note
    at_arrows = words_at_arrows(drawn)
    for state, listed in enumerate(rules.lists):
        if state in fsa.final_states or len(listed) != 2:
            continue
        own, names = fsa.state_names[state], fsa.state_names
        facts = [fact for fact in rules.as_dicts() if fact["state"] == own]
        assert at_arrows[own, names[listed[0].successor]] == [facts[0]["if"]]
        assert at_arrows[own, names[listed[1].successor]] == ["otherwise"]
    longer = sum(len(" ".join(lines)) for lines in words_at_arrows(fsa.diagram(layout="own")).values())
    assert sum(len(" ".join(lines)) for lines in at_arrows.values()) <= longer


def test_matters_is_for_automata():
    fsa = library.distance()
    with pytest.raises(GraphFSAError, match="matters must be None for transitions"):
        diagram(transitions(fsa), np.ones(fsa.transition_table.shape, bool))
    with pytest.raises(GraphFSAError, match=r"matters must be bool with shape \[states, values\] = \[4, 16\]"):
        diagram(fsa, [True])


def test_own_colours():
    drawn = library.path_finding().diagram(layout="own", colours={"marked": "#d00", "node": "gold"})
    assert [node.fill for node in drawn.scene.nodes] == ["#ffffff", PALETTE[1], "#ffd700", "#dd0000"]
    assert [node.ink for node in drawn.scene.nodes] == ["#000000", "#ffffff", "#000000", "#ffffff"]
    for text in (drawn.svg(), drawn.dot(), drawn.mermaid(), drawn.tikz()):
        assert "dd0000" in text.lower()
    with pytest.raises(UnknownNameError, match="unknown state 'mark'"):
        library.path_finding().diagram(colours={"mark": "#d00"})


def test_names_are_never_markup_in_svg():
    fsa = nasty_automaton()
    drawn = diagram(fsa, layout="own")
    check(drawn.scene)
    root = check_svg(drawn.transitions, drawn.svg())
    assert {element.tag for element in root.iter()} == {
        SVG + tag for tag in ("svg", "title", "style", "rect", "g", "path", "polygon", "text", "tspan")
    }
    for text in root.iter(f"{SVG}text"):
        assert all(len(span.text) < 100 for span in text.iter(f"{SVG}tspan"))


def test_names_are_never_markup_in_dot():
    text = diagram(nasty_automaton()).dot()
    # Without the quoted strings there is nothing left that a name could have brought.
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "S", text)
    assert not re.search(r'["\\&]|alert|evil|input', bare)
    assert re.fullmatch(r"digraph automaton \{\n(?:  [\w\[\]=, ;>-]+\n)*\}\n", bare)
    for quoted in re.findall(r'"(?:[^"\\]|\\.)*"', text):
        assert not re.search(r"&(?!amp;)", quoted)
        assert not re.search(r"\\[^\\\"n]", quoted.replace("\\\\", ""))


def test_names_are_never_markup_in_mermaid():
    text = diagram(nasty_automaton()).mermaid()
    for line in text.splitlines()[2:]:
        bare = re.sub(r'"[^"]*"', "S", line)
        assert re.fullmatch(
            r"  (s\d+\(\(\(?S\)\)\)?|style (s|start)\d+ [\w:#,]+|start\d+\[S\] --> s\d+|s\d+ -- S --> s\d+)", bare
        )
    for quoted in re.findall(r'"([^"]*)"', text):
        assert not re.search(r"[<>&`\\\[\]{}()|]", quoted.replace("<br/>", ""))


def test_names_are_never_commands_in_latex():
    text = diagram(nasty_automaton(), layout="own").tikz()
    commands = set(re.findall(r"\\([a-zA-Z]+)", text))
    drawing = {"usepackage", "begin", "end", "definecolor", "draw", "path", "node", "color"}
    fonts = {"sffamily", "fontsize", "selectfont", "bfseries"}
    signs = {"char", "textbackslash", "textless", "textgreater", "textbar", "textasciitilde", "textasciicircum"}
    assert commands <= drawing | fonts | signs
    for line in text.splitlines()[1:]:
        plain = re.sub(r"\\[{}$&#_%]", "", line)
        assert not re.search(r"[$&#_%~^]", plain)
        assert plain.count("{") == plain.count("}")


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_reads_the_source():
    for fsa in (nasty_automaton(), library.path_finding()):
        done = subprocess.run(
            ["dot", "-Tsvg"], input=diagram(fsa).dot(), capture_output=True, text=True, timeout=60, check=True
        )
        root = ET.fromstring(done.stdout)
        nodes = [group for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
        assert len(nodes) >= fsa.num_states
        assert not list(root.iter(f"{SVG}script"))


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
@pytest.mark.parametrize("name", ["distance", "path-finding", "prefix-sum", "wireworld"])
def test_the_layout_of_graphviz(name):
    drawn = diagram(library.library_automaton(name), layout="dot")
    check(drawn.scene)
    check_svg(drawn.transitions, drawn.svg())


def test_graphviz_gets_no_name():
    found = transitions(nasty_automaton())
    source = _diagram_graphviz._source(plan_of(found, wording(found)))
    assert not any(name[:8] in source for name in NASTY)


@pytest.mark.parametrize("answer", ["not there", "hangs", "fails", "rubbish", "other json", "no positions"])
def test_without_graphviz_or_with_a_broken_one_the_own_layout_is_used(answer, tmp_path, monkeypatch):
    scripts = {
        "hangs": "exec sleep 60",
        "fails": "exit 3",
        "rubbish": "echo '<svg>'",
        "other json": "echo '[1, 2]'",
        "no positions": """echo '{"objects": [{"name": "n0"}], "edges": []}'""",
    }
    if answer in scripts:
        program = tmp_path / "dot"
        program.write_text(f"#!/bin/sh\n{scripts[answer]}\n")
        program.chmod(0o755)
    monkeypatch.setattr(
        _diagram_graphviz.shutil, "which", lambda _: str(tmp_path / "dot") if answer in scripts else None
    )
    found = transitions(library.distance())
    assert place_by_graphviz(plan_of(found, wording(found)), timeout=0.3) is None
    monkeypatch.setattr("graphfsa.views.diagrams.place_by_graphviz", lambda plan: None)
    assert diagram(found).svg() == diagram(found, layout="own").svg()
    with pytest.raises(GraphFSAError, match="is 'dot' installed"):
        diagram(found, layout="dot").svg()


def test_files_of_every_kind_and_the_same_each_time(tmp_path):
    for suffix in SUFFIXES:
        paths = [tmp_path / f"{number}{suffix}" for number in (1, 2)]
        for path in paths:
            diagram(nasty_automaton(), layout="own").save(path)
        assert paths[0].read_bytes() == paths[1].read_bytes()
    assert (tmp_path / "1.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "1.pdf").read_bytes().startswith(b"%PDF")
    assert diagram(library.distance())._repr_svg_().startswith("<svg")
    with pytest.raises(FormatError, match=r"must end in .svg, .png, .pdf, "):
        diagram(library.distance()).save(tmp_path / "x.gif")


def test_the_picture_is_as_large_as_the_scene(tmp_path):
    from PIL import Image

    drawn = diagram(library.wireworld(), layout="own")
    drawn.save(tmp_path / "x.png")
    with Image.open(tmp_path / "x.png") as image:
        assert image.width == pytest.approx(2 * drawn.scene.width, abs=2)
        assert image.height == pytest.approx(2 * drawn.scene.height, abs=2)


def test_what_nobody_could_read_is_refused_with_a_way_out():
    watched = AverageThresholdAggregation({0: (0.5,)})
    many = GraphFSA([f"s{k}" for k in range(25)], watched, [[k, k] for k in range(25)])
    with pytest.raises(LimitError, match=r"25 states can't be read; the limit is 24.*--partial STATE.*graphfsa rules"):
        diagram(many)
    dense = random_automaton(13, CountingAggregation(bound=1), 0)
    with pytest.raises(LimitError, match=r"169 arrows can't be read"):
        diagram(dense)
    with pytest.raises(UnknownNameError, match="unknown layout 'neato'"):
        diagram(library.distance(), layout="neato")


def test_the_shaft_of_an_arrow_is_the_arrow_up_to_its_head():
    for arrow in diagram(library.wireworld(), layout="own").scene.arrows:
        shaft, line = curve_points(shaft_of(arrow.points)), curve_points(arrow.points, 400)
        apart = np.hypot(*(shaft[:, None] - line[None]).transpose(2, 0, 1)).min(axis=1)
        assert apart.max() < 1
        assert 5 < np.hypot(*(shaft[-1] - line[-1])) < 9


def test_short_names_are_short_and_distinct():
    assert short_names(["a", "b" * 16]) == ("a", "b" * 16)
    short = short_names(NASTY)
    assert len(set(short)) == len(short)
    assert all(len(name) <= MAX_NAME for name in short)


def test_texts_are_not_wider_than_their_boxes():
    """Measured in the widest of the fonts that are asked for, with which the PNG is drawn."""
    figure = new_figure(8, 8)
    axes = figure.add_axes((0, 0, 1, 1))
    texts = [character * 20 for character in string.printable if character.isprintable() and character != " "]
    texts += ["some neighbour is even", "31/256", "\N{MULTIPLICATION SIGN}80,441", "éèüß", "Ωλж", 'no "aaaa…"']
    for text in texts:
        drawn = axes.text(0, 0, text, fontsize=0.72 * 11, parse_math=False)
        width = drawn.get_window_extent(figure.canvas.get_renderer()).width * 96 / figure.dpi
        assert width <= text_width(text, 11) * 1.01, text


def test_names_are_readable_on_every_colour():
    def light(colour):
        channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    for colour in PALETTE:
        first, second = sorted((light(colour), light(ink_on(colour))))
        assert (second + 0.05) / (first + 0.05) > 4.5
