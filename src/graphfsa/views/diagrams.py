"""Diagrams of automata: states as circles, transitions as arrows with their conditions in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from numpy.typing import ArrayLike

from graphfsa.analysis.transitions import Transition, Transitions, transitions
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.base import Automaton
from graphfsa.checks import any_of, check_name
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.files import atomic_write
from graphfsa.views._diagram_compose import (
    LABELS,
    TIMES,
    Labels,
    Wording,
    balanced,
    compose,
    conditions_of,
    ink_on,
    plan_of,
    short_names,
    starting_states,
    wording,
)
from graphfsa.views._diagram_graphviz import place_by_graphviz
from graphfsa.views._diagram_layout import Placed, Plan, place
from graphfsa.views._diagram_paint import FigureCanvas, SvgCanvas, TikzCanvas, paint
from graphfsa.views._diagram_scene import Scene
from graphfsa.views.colours import state_colours
from graphfsa.views.figures import own_style

SUFFIXES = (".svg", ".png", ".pdf", ".dot", ".tex", ".mmd")
LAYOUTS = ("auto", "own", "dot")
MAX_STATES = 24
MAX_ARROWS = 160
Layout = Literal["auto", "own", "dot"]
_LINE = 34
"""Characters of a line in the sources for other programs."""


def diagram(
    subject: Automaton | Transitions,
    matters: ArrayLike | None = None,
    *,
    title: str | None = None,
    layout: Layout = "auto",
    colours: Mapping[str, str] | None = None,
    labels: Labels = "words",
) -> Diagram:
    """The diagram of an automaton, or of transitions: ``analysis.used_transitions`` gives those of a partial one.

    Args:
        subject: An automaton, with or without coins, drawn with every transition, or transitions.
        matters: For an automaton: which entries the conditions must get right, bool [num_states, num_values], as in
            ``fsa.rules(matters)``; by default all. The conditions are shorter for the others.
        title: What it shows; a line that says it, if not given.
        layout: Who places things: ``own``, ``dot`` (Graphviz, which must be installed), or ``auto``: Graphviz where it
            is installed and does better.
        colours: Colours by state name, as ``#rgb``, ``#rrggbb`` or a CSS name; the other states have those of the
            palette.
        labels: What is written at arrows: ``words``, the conditions, or ``values``, the vectors of values as the paper
            writes them: ``[0,0,1,*]``.

    Raises:
        LimitError: There are more than 24 states or 160 arrows, which nobody could read.

    Example:
        >>> from graphfsa import library
        >>> diagram(library.distance()).svg()[:4]
        '<svg'
    """
    if isinstance(subject, GraphFSA | StochasticFSA):
        check_states(subject.num_states)
        found = transitions(subject, matters)
    elif isinstance(subject, Transitions) and matters is None:
        found = subject
    else:
        raise GraphFSAError("matters must be None for transitions: which entries matter to them is known already")
    shades = tuple(state_colours(found.fsa, colours))
    return Diagram(found, _title(found) if title is None else title, layout, shades, labels)


@dataclass(frozen=True, eq=False)
class Diagram:
    """A picture of transitions, in any format. Notebooks show it.

    Attributes:
        transitions: What is drawn.
        title: What it shows, for people who can't see it.
        layout: Who places things: ``own``, ``dot`` or ``auto``.
        colours: The colour of each state of the automaton.
        labels: What is written at arrows: ``words`` or ``values``.
    """

    transitions: Transitions
    title: str
    layout: Layout
    colours: tuple[str, ...]
    labels: Labels = "words"

    def __post_init__(self) -> None:
        check_name("labels", self.labels, LABELS)
        check_name("layout", self.layout, LAYOUTS)
        if self.labels == "values" and isinstance(self.transitions.fsa, StochasticFSA):
            raise GraphFSAError("labels must be words where automata move at random: vectors have no probabilities")
        check_states(len(self.transitions.states))
        if len(self.transitions.arrows) > MAX_ARROWS:
            raise LimitError(_too_large(f"{len(self.transitions.arrows)} arrows", f"{MAX_ARROWS} arrows"))

    @cached_property
    def scene(self) -> Scene:
        """Everything with its place."""
        words, plan, placed = _laid_out(self.transitions, self.layout, self.labels)
        return compose(
            self.transitions, words, plan, placed, title=self.title, colours=self.colours, labels=self.labels
        )

    def svg(self) -> str:
        """SVG, with the full names and conditions as tooltips, for light and dark pages."""
        canvas = SvgCanvas(self.scene)
        paint(self.scene, canvas)
        return canvas.finish()

    def png(self) -> bytes:
        """PNG, on white."""
        return self._figure(".png")

    def pdf(self) -> bytes:
        """PDF, on white."""
        return self._figure(".pdf")

    def tikz(self) -> str:
        """A ``tikzpicture`` for LaTeX."""
        canvas = TikzCanvas(self.scene)
        paint(self.scene, canvas)
        return canvas.finish()

    def dot(self) -> str:
        """Source for Graphviz."""
        return _dot_source(self.transitions, self.title, self.colours, self.labels)

    def mermaid(self) -> str:
        """Source for Mermaid, a flow chart that Markdown pages can show."""
        return _mermaid_source(self.transitions, self.title, self.colours, self.labels)

    def save(self, path: str | Path) -> None:
        """Write a ``.svg``, ``.png``, ``.pdf``, ``.dot`` (Graphviz), ``.tex`` (TikZ) or ``.mmd`` (Mermaid) file."""
        formats = (self.svg, self.png, self.pdf, self.dot, self.tikz, self.mermaid)
        writers: dict[str, Callable[[], str | bytes]] = dict(zip(SUFFIXES, formats, strict=True))
        suffix = Path(path).suffix.lower()
        if suffix not in writers:
            raise FormatError(f"{path}: a diagram must end in {any_of(SUFFIXES)}; got {suffix!r}")
        atomic_write(path, writers[suffix]())

    @own_style()
    def _figure(self, suffix: str) -> bytes:
        canvas = FigureCanvas(self.scene)
        paint(self.scene, canvas)
        return canvas.finish(suffix)

    def _repr_svg_(self) -> str:
        return self.svg()


def check_states(number: int) -> None:
    """Raise if a diagram of this number of states could not be read."""
    if number > MAX_STATES:
        raise LimitError(_too_large(f"{number} states", f"{MAX_STATES} states"))


def _too_large(got: str, limit: str) -> str:
    return (
        f"a diagram with {got} can't be read; the limit is {limit}. Draw only what nodes do that start in one state "
        "(--partial STATE with --task or --data; used_transitions in Python), or print the rules (graphfsa rules)"
    )


def _title(found: Transitions) -> str:
    amount = f"{len(found.states)} states, {len(found.arrows)} arrows"
    if found.start is None:
        return f"Automaton with {amount}"
    return f"What nodes do that start in {found.fsa.state_names[found.start]}: {amount}"


def _laid_out(found: Transitions, layout: Layout, labels: Labels) -> tuple[Wording, Plan, Placed]:
    """What is written, and where; conditions of several lines that find no room at their arrows are listed below."""
    listed: set[int] = set()
    while True:
        words = wording(found, listed, labels)
        plan = plan_of(found, words)
        placed = _placed(plan, layout)
        long = [
            k
            for k in placed.crowded
            if k not in listed and len(words.labels[k]) > 1 + (found.arrows[k].count is not None)
        ]
        if not long:
            return words, plan, placed
        listed.add(max(long, key=lambda k: (plan.labels[k][0] * plan.labels[k][1], -k)))


def _placed(plan: Plan, layout: Layout) -> Placed:
    if layout == "dot":
        placed = place_by_graphviz(plan)
        if placed is None:
            raise GraphFSAError("Graphviz gave no layout: is 'dot' installed? The layout 'own' needs nothing")
        return placed
    own = place(plan)
    # Graphviz is good at what flows from left to right; circles and crowds are better off on an ellipse.
    if layout == "auto" and plan.left and plan.right and not plan.on_line:
        other = place_by_graphviz(plan)
        return other if other is not None and other.flaws <= own.flaws else own
    return own


# ---- sources for other programs: names of states may be anything, and none is markup


def _dot_source(found: Transitions, title: str, colours: Sequence[str], labels: Labels) -> str:
    """Source for Graphviz."""
    names = short_names(found.fsa.state_names)
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
        f"  start{state} [shape=point, style=invis, width=0]; start{state} -> s{state};"
        for state in starting_states(found)
    ]
    for arrow, text in zip(found.arrows, conditions_of(found, labels), strict=True):
        label = "\\n".join(_dot_escaped(line) for line in _all_lines(found, arrow, text))
        lines.append(f'  s{arrow.state} -> s{arrow.successor} [label="{label}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _mermaid_source(found: Transitions, title: str, colours: Sequence[str], labels: Labels) -> str:
    """A Mermaid flow chart, which Markdown pages can show."""
    names = short_names(found.fsa.state_names)
    lines = ["flowchart LR", f"  accTitle: {_mermaid(title)}"]
    for state in found.states:
        opening, closing = ("(((", ")))") if state in found.fsa.final_states else ("((", "))")
        lines.append(f'  s{state}{opening}"{_mermaid(names[state])}"{closing}')
        lines.append(f"  style s{state} fill:{colours[state]},stroke:#222222,color:{ink_on(colours[state])}")
    for state in starting_states(found):
        lines.append(f'  start{state}[" "] --> s{state}')
        lines.append(f"  style start{state} fill:none,stroke:none")
    for arrow, text in zip(found.arrows, conditions_of(found, labels), strict=True):
        label = "<br/>".join(_mermaid(line) for line in _all_lines(found, arrow, text))
        lines.append(f'  s{arrow.state} -- "{label}" --> s{arrow.successor}')
    return "\n".join(lines) + "\n"


def _all_lines(found: Transitions, arrow: Transition, text: Sequence[str]) -> list[str]:
    """Everything there is to write at an arrow: the other program makes room for it."""
    lines: list[str] = []
    for part in text or found.lines(arrow):
        lines += balanced(part, _LINE)
    return lines if arrow.count is None else [*lines, f"{TIMES}{arrow.count:,}"]


def _dot_escaped(text: str) -> str:
    # Graphviz reads entities in labels, so an ampersand must be one.
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _dot(text: str) -> str:
    return f'"{_dot_escaped(text)}"'


def _mermaid(text: str) -> str:
    """Every ASCII character as its number, except letters, digits, blanks and commas."""
    return "".join(c if c.isalnum() or c in " ," or ord(c) > 127 else f"#{ord(c)};" for c in text)
