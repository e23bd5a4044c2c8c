"""From transitions to a scene: what is written at arrows and below, and everything at its place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Literal

import numpy as np

from graphfsa.analysis.transitions import Transition, Transitions
from graphfsa.automaton.rules import StateNames, aggregation_words, plain_name
from graphfsa.checks import shorten
from graphfsa.views._diagram_layout import Placed, Plan
from graphfsa.views._diagram_scene import (
    FONT,
    LINE,
    SMALL,
    Arrow,
    Box,
    Label,
    Node,
    Scene,
    curve_points,
    head_of,
    text_box,
    text_width,
)

TIMES = "\N{MULTIPLICATION SIGN}"
MAX_NAME = 16
_MAX_WORDY = 12
"""With more arrows than this between different states, only keys are written at them."""
_ROOM = 26
"""Characters of a line at an arrow."""
_LINES = 3
_MAX_TEXT = 40
_VECTOR_LINES = 8
"""Lines of vectors at an arrow."""
_ONE_LINE = 30
_COLUMN_OF_VECTORS = 4
_MAX_VECTORS = 48
"""Vectors of an arrow that are written at all."""
Labels = Literal["words", "values"]
LABELS = ("words", "values")


@dataclass(frozen=True)
class Wording:
    """What is written where.

    Attributes:
        names: Each state's name, shortened so that they stay distinct.
        labels: The lines at each arrow.
        keys: What is listed below: key and lines.
        titles: What each arrow means, in full.
        on_arrows: Whether labels are put on their arrows, which says best whose they are, and not beside them.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    titles: tuple[str, ...]
    on_arrows: bool


def short_names(names: Sequence[str], limit: int = MAX_NAME) -> tuple[str, ...]:
    """Names of at most ``limit`` characters; those that would look alike get their number."""
    cut = [shorten(name, limit) for name in names]
    return tuple(
        name if cut.count(name) == 1 or name == names[state] else f"{name[: limit - 5]}…{state}"
        for state, name in enumerate(cut)
    )


def written(names: Sequence[str]) -> Callable[[str], str]:
    """How conditions write names: those of states as in the picture, others cut to a line."""
    shortened = dict(zip(names, short_names(names), strict=True))

    def write(name: str) -> str:
        return plain_name(shortened.get(name) or shorten(name, _MAX_TEXT))

    return write


def conditions_of(found: Transitions, labels: Labels) -> list[tuple[str, ...]]:
    """What is to be read at each arrow: its conditions, or vectors of its values; nothing if they are too many."""
    if labels == "words":
        write = written(found.fsa.state_names)
        return [() if arrow.wordless else _joined(found.lines(arrow, write), arrow) for arrow in found.arrows]
    several = [found.vectors(arrow) for arrow in found.arrows]
    return [
        () if len(each) > _MAX_VECTORS else (" ".join(each),) if len(each) > _COLUMN_OF_VECTORS else tuple(each)
        for each in several
    ]


def _joined(lines: list[str], arrow: Transition) -> tuple[str, ...]:
    """The lines at an arrow: of several conditions one holds, while probabilities go with conditions of their own."""
    first, *others = lines
    return (first, *(line if arrow.odds else f"or {line}" for line in others))


def wording(found: Transitions, listed: Collection[int] = (), labels: Labels = "words") -> Wording:
    """Short conditions are written at their arrows, long ones are listed below under a key.

    Args:
        found: The transitions.
        listed: Places of arrows whose conditions are listed below even if they are short.
        labels: Conditions in words, or vectors of values.
    """
    names = short_names(found.fsa.state_names)
    between = sum(arrow.state != arrow.successor for arrow in found.arrows)
    dense = between > _MAX_WORDY
    conditions = conditions_of(found, labels)
    most = _LINES if labels == "words" else _VECTOR_LINES
    keys: dict[tuple[str, ...], str] = {}
    at_arrows: list[tuple[str, ...]] = []
    for number, (arrow, text) in enumerate(zip(found.arrows, conditions, strict=True)):
        lines = None if number in listed else _at_arrow(arrow, text, dense, most)
        if lines is None:
            lines = (keys.setdefault(text, _key(len(keys))),)
        at_arrows.append(lines if arrow.count is None else _with_count(lines, arrow.count))
    titles = tuple(_title(found, arrow) for arrow in found.arrows)
    listing = tuple((key, text) for text, key in keys.items())
    return Wording(names, tuple(at_arrows), listing, titles, dense or labels == "values")


def _at_arrow(arrow: Transition, text: tuple[str, ...], dense: bool, most: int) -> tuple[str, ...] | None:
    """The lines at an arrow, or None if they are too long for it."""
    if not text:
        return (f"{len(arrow.values)}/{arrow.of}",)
    lines: list[str] = []
    for part in text:
        lines += balanced(part, _ROOM)
    fits = len(lines) == 1 and len(lines[0]) <= 10 if dense else len(lines) <= most
    return tuple(lines) if fits and max(map(len, lines)) <= _ROOM + 6 else None


def balanced(text: str, room: int) -> list[str]:
    """Lines of about the same length, as few as would fit into the room; words are not broken."""
    lines = wrap(text, room, break_long_words=False, break_on_hyphens=False)
    for narrower in range(room - 1, 3, -1):
        other = wrap(text, narrower, break_long_words=False, break_on_hyphens=False)
        if len(other) > len(lines):
            break
        lines = other
    return lines


def _with_count(lines: tuple[str, ...], count: int) -> tuple[str, ...]:
    times = f"{TIMES}{count:,}"
    return (f"{lines[0]} {times}",) if len(lines) == 1 and len(lines[0]) <= 2 else (*lines, times)


def _key(number: int) -> str:
    """Letters from a to z, then aa, ab, ..."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _title(found: Transitions, arrow: Transition) -> str:
    own, successor = (found.fsa.state_names[state] for state in (arrow.state, arrow.successor))
    times = "" if arrow.count is None else f"; {arrow.count:,} times"
    words = (", " if arrow.odds else " or ").join(found.lines(arrow))
    amount = "" if arrow.guards is None else f" ({len(arrow.values):,} of {arrow.of:,} values)"
    return f"{own} → {successor}: {words}{amount}{times}"


def note(found: Transitions, words: Wording, labels: Labels) -> list[str]:
    """What the signs mean, and what was followed: a sentence for each."""
    parts = [f"Aggregation: {aggregation_words(found.fsa.aggregation, StateNames(words.names, plain_name))}."]
    if labels == "values":
        names = [name for name, _ in found.fsa.aggregation.digit_labels(words.names)]
        places = ",".join(names) if len(",".join(names)) <= _ONE_LINE else ", ".join(names)
        parts.append(f"Vectors: what is seen of [{places}]; *: any.")
    if found.start is not None:
        nodes, graphs = _amount(found.num_nodes, "node"), _amount(found.num_graphs, "graph")
        parts.append(f"Followed from {words.names[found.start]} on: {nodes} of {graphs}; {TIMES}n: n times.")
        parts += ["Conditions tell apart what they saw."] if labels == "words" else []
    if any(arrow.odds for arrow in found.arrows):
        parts.append("Numbers at arrows: probabilities.")
    if any(state in found.fsa.final_states for state in found.states):
        parts.append("Double ring: final, never left.")
    if found.free:
        fsa = found.fsa
        entries = (fsa.num_states - len(fsa.final_states)) * fsa.num_values
        free = f"{found.free:,} of {entries:,} entries are never used by these graphs"
        parts.append(f"{free}; there the conditions were free to choose.")
    if () in conditions_of(found, labels):
        parts.append(f"n/m: at n of m values, {'without a short condition' if labels == 'words' else 'too many here'}.")
    return parts


def _amount(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"


# ---- the scene

_MARGIN = 18.0
_NODE = 54.0
_COLUMN = 330.0


def starting_states(found: Transitions) -> list[int]:
    """The states that are marked as those in which nodes start."""
    return list(found.fsa.starting_states) if found.start is None else [found.start]


def plan_of(found: Transitions, words: Wording) -> Plan:
    """The sizes of everything, and what belongs to the left and to the right."""
    places = {state: seat for seat, state in enumerate(found.states)}
    starts = starting_states(found)
    final = [state for state in found.states if state in found.fsa.final_states]
    left = [state for state in found.states if state in starts and state not in final]
    left = left if len(left) < len(found.states) else []
    sizes = [(max(_NODE, text_width(words.names[state], FONT) + 16), _NODE) for state in found.states]
    boxes = [text_box(0, 0, lines, SMALL) for lines in words.labels]
    return Plan(
        tuple(sizes),
        tuple((places[arrow.state], places[arrow.successor]) for arrow in found.arrows),
        tuple((box.width + 4, box.height) for box in boxes),
        words.on_arrows,
        tuple(places[state] for state in found.states if state in starts),
        tuple(places[state] for state in left),
        tuple(places[state] for state in final),
    )


def compose(
    found: Transitions,
    words: Wording,
    plan: Plan,
    placed: Placed,
    *,
    title: str,
    colours: Sequence[str],
    labels: Labels = "words",
) -> Scene:
    """The scene of some transitions.

    Args:
        found: The transitions.
        words: What is written where.
        plan: What was laid out.
        placed: Where everything is.
        title: What it shows.
        colours: The colour of each state of the automaton.
        labels: Whether arrows have conditions in words, or vectors of values.
    """
    nodes = _nodes(found, words, placed, colours)
    arrows = [
        Arrow(curve, title, (arrow.state, arrow.successor))
        for arrow, curve, title in zip(found.arrows, placed.curves, words.titles, strict=True)
    ]
    arrows += [
        Arrow(stub, "", (found.states[k], found.states[k])) for k, stub in zip(plan.starting, placed.stubs, strict=True)
    ]
    text = [
        Label(box, lines, title=full)
        for box, lines, full in zip(placed.labels, words.labels, words.titles, strict=True)
    ]
    left, top, right, bottom = _extent(nodes, arrows, text)
    wide = max(right - left, 300.0)
    text += _below(words, note(found, words, labels), (left + right) / 2, bottom, wide)
    left, top, right, bottom = _extent(nodes, arrows, text)
    dx, dy = _MARGIN - left, _MARGIN - top
    return Scene(
        title,
        right - left + 2 * _MARGIN,
        bottom - top + 2 * _MARGIN,
        tuple(_moved_node(node, dx, dy) for node in nodes),
        tuple(Arrow(arrow.points + np.array([dx, dy]), arrow.title, arrow.ends) for arrow in arrows),
        tuple(_moved_label(label, dx, dy) for label in text),
    )


def _moved_node(node: Node, dx: float, dy: float) -> Node:
    return replace(node, box=node.box.shifted(dx, dy))


def _moved_label(label: Label, dx: float, dy: float) -> Label:
    return replace(label, box=label.box.shifted(dx, dy))


def _nodes(found: Transitions, words: Wording, placed: Placed, colours: Sequence[str]) -> list[Node]:
    starts = starting_states(found)
    return [
        Node(
            state,
            box,
            words.names[state],
            found.fsa.state_names[state],
            colours[state],
            ink_on(colours[state]),
            state in starts,
            state in found.fsa.final_states,
        )
        for state, box in zip(found.states, placed.nodes, strict=True)
    ]


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (light + 0.05) / 0.05 > 1.05 / (light + 0.05) else "#ffffff"


def _extent(
    nodes: Sequence[Node], arrows: Sequence[Arrow], labels: Sequence[Label]
) -> tuple[float, float, float, float]:
    boxes = np.array([thing.box.corners for thing in (*nodes, *labels)])
    points = np.concatenate(
        [
            np.empty((0, 2)),
            *(curve_points(arrow.points) for arrow in arrows),
            *(head_of(arrow.points) for arrow in arrows),
        ]
    )
    low = np.concatenate([boxes[:, :2], points]).min(axis=0)
    high = np.concatenate([boxes[:, 2:], points]).max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _below(words: Wording, sentences: list[str], centre: float, top: float, wide: float) -> list[Label]:
    """The list of keys, in columns, and a note of some sentences."""
    labels: list[Label] = []
    top += 22.0
    if words.keys:
        columns = max(1, min(len(words.keys), int(wide // _COLUMN)))
        column = max(wide / columns, _COLUMN)
        left = centre - column * columns / 2
        entries = [(key, _listed(text, column - 46)) for key, text in words.keys]
        rows = -(-sum(len(lines) for _, lines in entries) // columns)
        x, y, used, lowest = left, top, 0, top
        for key, lines in entries:
            if used >= rows and x + column < left + columns * column - 1:
                x, y, used = x + column, top, 0
            height = len(lines) * SMALL * LINE
            labels.append(Label(Box(x + 11, y + SMALL * LINE / 2, 22, SMALL * LINE), (key,), kind="key"))
            width = max(text_width(line, SMALL) for line in lines)
            labels.append(
                Label(Box(x + 28 + width / 2, y + height / 2, width, height), lines, kind="list", centred=False)
            )
            y, used = y + height + 4, used + len(lines)
            lowest = max(lowest, y)
        top = lowest + 8
    room = max(40, int(wide / 6.6))
    whole = " ".join(sentences)
    lines = (whole,) if len(whole) <= room else tuple(line for part in sentences for line in balanced(part, room))
    box = text_box(centre, 0, lines, SMALL)
    labels.append(Label(box.shifted(0, top + box.height / 2), lines, kind="note"))
    return labels


def _listed(text: Sequence[str], room: float) -> tuple[str, ...]:
    """Lines that fit into a column, whatever letters they are made of."""
    lines: list[str] = []
    for letters in range(int(room / (0.6 * SMALL)), 10, -2):
        lines = []
        for part in text:
            lines += balanced(part, letters)
        if max(text_width(line, SMALL) for line in lines) <= room:
            break
    return tuple(lines)
