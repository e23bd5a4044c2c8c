"""From transitions to a scene: what there is to draw, with the places that a layout gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphfsa.analysis.transitions import Transitions
from graphfsa.views._diagram_labels import Plan
from graphfsa.views._diagram_layout import Placed, place
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
from graphfsa.views._diagram_words import Wording, balanced, note, wording
from graphfsa.views._figure import state_colours

_MARGIN = 18.0
_NODE = 54.0
_COLUMN = 330.0


def plan_of(found: Transitions, words: Wording) -> Plan:
    """The sizes of everything, and what belongs to the left and to the right."""
    places = {state: seat for seat, state in enumerate(found.states)}
    starts = {found.start} if found.start is not None else set(found.fsa.starting_states)
    final = [state for state in found.states if state in found.fsa.final_states]
    left = [state for state in found.states if state in starts and state not in final]
    left = left if len(left) < len(found.states) else []
    sizes = [(max(_NODE, text_width(words.names[state], FONT) + 16), _NODE) for state in found.states]
    boxes = [text_box(0, 0, lines, SMALL) for lines in words.labels]
    return Plan(
        tuple(sizes),
        tuple((places[arrow.state], places[arrow.successor]) for arrow in found.arrows),
        tuple((box.width + 4, box.height) for box in boxes),
        words.dense,
        tuple(places[state] for state in found.states if state in starts),
        tuple(places[state] for state in left),
        tuple(places[state] for state in final),
    )


def compose(found: Transitions, title: str, laid_out: Placed | None = None) -> Scene:
    """The scene of some transitions.

    Args:
        found: The transitions.
        title: What it shows.
        laid_out: Where everything is, if that was found out elsewhere.
    """
    words = wording(found)
    plan = plan_of(found, words)
    placed = laid_out or place(plan)
    nodes = _nodes(found, words, placed)
    arrows = [
        Arrow(curve, title, (arrow.state, arrow.successor))
        for arrow, curve, title in zip(found.arrows, placed.curves, words.titles, strict=True)
    ]
    arrows += [
        Arrow(stub, "", (found.states[k], found.states[k])) for k, stub in zip(plan.starting, placed.stubs, strict=True)
    ]
    labels = [
        Label(box, lines, title=full)
        for box, lines, full in zip(placed.labels, words.labels, words.titles, strict=True)
    ]
    left, top, right, bottom = _extent(nodes, arrows, labels)
    wide = max(right - left, 300.0)
    labels += _below(found, words, (left + right) / 2, bottom, wide)
    left, top, right, bottom = _extent(nodes, arrows, labels)
    dx, dy = _MARGIN - left, _MARGIN - top
    return Scene(
        title,
        right - left + 2 * _MARGIN,
        bottom - top + 2 * _MARGIN,
        tuple(_moved_node(node, dx, dy) for node in nodes),
        tuple(Arrow(arrow.points + np.array([dx, dy]), arrow.title, arrow.ends) for arrow in arrows),
        tuple(_moved_label(label, dx, dy) for label in labels),
    )


def _moved_node(node: Node, dx: float, dy: float) -> Node:
    return replace(node, box=node.box.shifted(dx, dy))


def _moved_label(label: Label, dx: float, dy: float) -> Label:
    return replace(label, box=label.box.shifted(dx, dy))


def _nodes(found: Transitions, words: Wording, placed: Placed) -> list[Node]:
    colours = state_colours(found.fsa.num_states)
    starts = {found.start} if found.start is not None else set(found.fsa.starting_states)
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


def _below(found: Transitions, words: Wording, centre: float, top: float, wide: float) -> list[Label]:
    """The list of keys, in columns, and a note."""
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
    sentences = note(found, words)
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
        for number, guard in enumerate(text):
            lines += balanced(guard if number == 0 else f"or {guard}", letters)
        if max(text_width(line, SMALL) for line in lines) <= room:
            break
    return tuple(lines)
