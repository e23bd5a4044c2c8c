"""Diagrams as text for other programs: DOT, Mermaid and TikZ. Names of states may be anything; none is markup."""

from __future__ import annotations

from graphfsa.analysis.transitions import Transition, Transitions
from graphfsa.arrays import Array
from graphfsa.automaton.rules._text import latex_text
from graphfsa.views._diagram_compose import ink_on
from graphfsa.views._diagram_scene import FONT, LINE, Label, Node, Scene
from graphfsa.views._diagram_words import TIMES, balanced, short_names, written
from graphfsa.views._figure import state_colours

_ROOM = 34
_TEX_SCALE = 0.75


def dot_text(found: Transitions, title: str) -> str:
    """Source for Graphviz."""
    names = short_names(found.fsa.state_names)
    colours = state_colours(found.fsa.num_states)
    lines = [
        "digraph automaton {",
        f"  label={_dot(title)}; labelloc=t; rankdir=LR;",
        '  node [shape=circle, style=filled, fontname="Helvetica"]; edge [fontname="Helvetica", fontsize=11];',
    ]
    for state in found.states:
        shape = ", shape=doublecircle" if state in found.fsa.final_states else ""
        colour = f'fillcolor="{colours[state]}", fontcolor="{ink_on(colours[state])}"'
        full = found.fsa.state_names[state]
        lines.append(f"  s{state} [label={_dot(names[state])}, tooltip={_dot(full)}, {colour}{shape}];")
    lines += [
        f"  start{state} [shape=point, style=invis, width=0]; start{state} -> s{state};" for state in _starts(found)
    ]
    for arrow in found.arrows:
        label = "\\n".join(_dot_escaped(line) for line in _lines(found, arrow))
        lines.append(f'  s{arrow.state} -> s{arrow.successor} [label="{label}"];')
    return "\n".join([*lines, "}"]) + "\n"


def mermaid_text(found: Transitions, title: str) -> str:
    """A Mermaid flow chart, which Markdown pages can show."""
    names = short_names(found.fsa.state_names)
    colours = state_colours(found.fsa.num_states)
    lines = ["flowchart LR", f"  accTitle: {_mermaid(title)}"]
    for state in found.states:
        opening, closing = ("(((", ")))") if state in found.fsa.final_states else ("((", "))")
        lines.append(f'  s{state}{opening}"{_mermaid(names[state])}"{closing}')
        lines.append(f"  style s{state} fill:{colours[state]},stroke:#222222,color:{ink_on(colours[state])}")
    for state in _starts(found):
        lines.append(f'  start{state}[" "] --> s{state}')
        lines.append(f"  style start{state} fill:none,stroke:none")
    for arrow in found.arrows:
        label = "<br/>".join(_mermaid(line) for line in _lines(found, arrow))
        lines.append(f'  s{arrow.state} -- "{label}" --> s{arrow.successor}')
    return "\n".join(lines) + "\n"


def tikz_text(scene: Scene) -> str:
    r"""The scene as a ``tikzpicture`` for ``\input``; it needs TikZ and no library of it."""
    scale = f"{_TEX_SCALE}pt"
    lines = [
        "% Needs \\usepackage{tikz}; names outside Latin script need XeLaTeX or LuaLaTeX.",
        f"\\begin{{tikzpicture}}[x={scale}, y=-{scale}, line width=0.7pt, inner sep=0pt, outer sep=0pt]",
    ]
    for node in scene.nodes:
        for name, colour in ((f"graphfsa{node.state}", node.fill), (f"graphfsa{node.state}ink", node.ink)):
            lines.append(f"  \\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}")
    lines += [f"  \\draw[-latex] {_spline(arrow.points)};" for arrow in scene.arrows]
    for node in scene.nodes:
        lines += _tikz_node(node)
    for label in scene.labels:
        lines += _tikz_label(label)
    return "\n".join([*lines, "\\end{tikzpicture}"]) + "\n"


def _starts(found: Transitions) -> list[int]:
    return [found.start] if found.start is not None else list(found.fsa.starting_states)


def _lines(found: Transitions, arrow: Transition) -> list[str]:
    """What is written at an arrow where other programs make room for it: everything."""
    lines: list[str] = []
    for number, guard in enumerate(found.lines(arrow, written(found.fsa.state_names))):
        lines += balanced(guard if number == 0 else f"or {guard}", _ROOM)
    return lines if arrow.count is None else [*lines, f"{TIMES}{arrow.count:,}"]


def _dot_escaped(text: str) -> str:
    # Graphviz reads entities in labels, so an ampersand must be one.
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _dot(text: str) -> str:
    return f'"{_dot_escaped(text)}"'


def _mermaid(text: str) -> str:
    """Every ASCII sign that is no letter, digit, blank or comma as its number."""
    return "".join(c if c.isalnum() or c in " ," or ord(c) > 127 else f"#{ord(c)};" for c in text)


def _spline(points: Array) -> str:
    pairs = [f"({x:.1f},{y:.1f})" for x, y in points]
    pieces = [f" .. controls {pairs[k]} and {pairs[k + 1]} .. {pairs[k + 2]}" for k in range(1, len(pairs), 3)]
    return pairs[0] + "".join(pieces)


def _tikz_node(node: Node) -> list[str]:
    left, top, right, bottom = node.box.corners
    lines: list[str] = []
    for inset, style in ((0.0, f"draw=black, fill=graphfsa{node.state}"), (4.0, f"draw=graphfsa{node.state}ink")):
        if inset and not node.final:
            continue
        corner = (bottom - top) / 2 - inset
        box = f"({left + inset:.1f},{top + inset:.1f}) rectangle ({right - inset:.1f},{bottom - inset:.1f})"
        lines.append(f"  \\path[{style}, rounded corners={corner * _TEX_SCALE - 0.01:.2f}pt] {box};")
    text = f"\\color{{graphfsa{node.state}ink}}{latex_text(node.text)}"
    return [*lines, f"  \\node at ({node.box.x:.1f},{node.box.y:.1f}) {{{_font(FONT)}{text}}};"]


def _tikz_label(label: Label) -> list[str]:
    left, top, _, _ = label.box.corners
    anchor = "" if label.centred else "[anchor=west]"
    x = label.box.x if label.centred else left
    weight = "\\bfseries " if label.kind == "key" else ""
    background = "[fill=white, fill opacity=0.85, text opacity=1]" if label.kind == "guard" else anchor
    return [
        f"  \\node{background} at ({x:.1f},{top + label.size * LINE * (number + 0.5):.1f}) "
        f"{{{_font(label.size)}{weight}{latex_text(line)}}};"
        for number, line in enumerate(label.lines)
    ]


def _font(size: float) -> str:
    points = size * 0.72
    return f"\\sffamily\\fontsize{{{points:.1f}}}{{{points * LINE:.1f}}}\\selectfont "
