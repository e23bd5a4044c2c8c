"""Diagrams of automata: states as circles, transitions as arrows with their conditions in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from graphfsa.analysis.transitions import Transitions, transitions
from graphfsa.automaton import GraphFSA
from graphfsa.errors import FormatError, GraphFSAError, LimitError, UnknownNameError
from graphfsa.files import atomic_write
from graphfsa.views._diagram_compose import compose, plan_of
from graphfsa.views._diagram_dot import place_by_dot
from graphfsa.views._diagram_layout import place
from graphfsa.views._diagram_scene import Scene
from graphfsa.views._diagram_svg import png, svg
from graphfsa.views._diagram_text import dot_text, mermaid_text, tikz_text
from graphfsa.views._diagram_words import wording

SUFFIXES = (".svg", ".png", ".dot", ".tex", ".mmd")
LAYOUTS = ("auto", "own", "dot")
MAX_STATES = 24
MAX_ARROWS = 160
Layout = Literal["auto", "own", "dot"]


@dataclass(frozen=True, eq=False)
class Diagram:
    """A picture of transitions, in whichever format. Notebooks show it.

    Attributes:
        transitions: What is drawn.
        title: What it shows, for people who can't see it.
        layout: Who places things: ``own``, ``dot`` (Graphviz, which must be installed), or ``auto``: Graphviz where it
            is there and does well.
    """

    transitions: Transitions
    title: str
    layout: Layout = "auto"

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise UnknownNameError("layout", str(self.layout), LAYOUTS)
        _check_size(self.transitions)

    @cached_property
    def scene(self) -> Scene:
        """Everything with its place."""
        plan = plan_of(self.transitions, wording(self.transitions))
        if self.layout == "dot":
            placed = place_by_dot(plan)
            if placed is None:
                raise GraphFSAError("Graphviz gave no layout: is 'dot' installed? The layout 'own' needs nothing")
            return compose(self.transitions, self.title, placed)
        placed = place(plan)
        # Graphviz is good at what flows from left to right; circles and crowds are better off on an ellipse.
        if self.layout == "auto" and plan.left and plan.right and not plan.on_line:
            other = place_by_dot(plan)
            placed = other if other is not None and other.flaws <= placed.flaws else placed
        return compose(self.transitions, self.title, placed)

    def svg(self) -> str:
        """SVG, with the full names and conditions as tooltips, for light and dark pages."""
        return svg(self.scene)

    def png(self) -> bytes:
        """PNG, on white."""
        return png(self.scene)

    def dot(self) -> str:
        """Source for Graphviz."""
        return dot_text(self.transitions, self.title)

    def mermaid(self) -> str:
        """Source for Mermaid."""
        return mermaid_text(self.transitions, self.title)

    def tikz(self) -> str:
        """A ``tikzpicture`` for LaTeX."""
        return tikz_text(self.scene)

    def save(self, path: str | Path) -> None:
        """Write a ``.svg``, ``.png``, ``.dot``, ``.tex`` (TikZ) or ``.mmd`` (Mermaid) file."""
        writers = dict(zip(SUFFIXES, (self.svg, self.png, self.dot, self.tikz, self.mermaid), strict=True))
        suffix = Path(path).suffix.lower()
        if suffix not in writers:
            raise FormatError(f"{path}: a diagram must end in {' or '.join(SUFFIXES)}; got {suffix!r}")
        atomic_write(path, writers[suffix]())

    def _repr_svg_(self) -> str:
        return self.svg()


def diagram(subject: GraphFSA | Transitions, *, title: str | None = None, layout: Layout = "auto") -> Diagram:
    """The diagram of an automaton, or of transitions: ``analysis.used_transitions`` gives those of a partial one.

    Args:
        subject: An automaton, drawn with every transition, or transitions.
        title: What it shows; a line that says it, if not given.
        layout: ``own``, ``dot`` or ``auto``.

    Raises:
        LimitError: There are more than 24 states or 160 arrows, which nobody could read.

    Example:
        >>> from graphfsa import library
        >>> diagram(library.distance()).svg()[:4]
        '<svg'
    """
    if isinstance(subject, GraphFSA):
        check_states(subject.num_states)
    found = transitions(subject) if isinstance(subject, GraphFSA) else subject
    return Diagram(found, _title(found) if title is None else title, layout)


def _title(found: Transitions) -> str:
    amount = f"{len(found.states)} states, {len(found.arrows)} arrows"
    if found.start is None:
        return f"Automaton with {amount}"
    return f"What nodes do that start in {found.fsa.state_names[found.start]}: {amount}"


def check_states(number: int) -> None:
    """Raise if so many states can't be read in a diagram."""
    if number > MAX_STATES:
        raise LimitError(_too_large(f"{number} states", f"{MAX_STATES} states"))


def _check_size(found: Transitions) -> None:
    check_states(len(found.states))
    if len(found.arrows) > MAX_ARROWS:
        raise LimitError(_too_large(f"{len(found.arrows)} arrows", f"{MAX_ARROWS} arrows"))


def _too_large(got: str, limit: str) -> str:
    return (
        f"a diagram with {got} can't be read; the limit is {limit}. Draw only what nodes do that start in one state "
        "(--partial STATE with --task or --data; used_transitions in Python), or print the rules (graphfsa rules)"
    )
