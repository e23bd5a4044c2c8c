"""Where states and arrows go: states on an ellipse, arrows around them. No system binary is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.arrays import Array
from graphfsa.views._diagram_labels import Plan, place_labels
from graphfsa.views._diagram_scene import Box, curve_part, curve_points

_GROWTH = 1.12
_ROUNDS = 28
_MAX_SWAPS = 40
_LOOP = 46.0
STUB = 30.0
"""Length of the arrow that marks a starting state."""


@dataclass(frozen=True)
class Placed:
    """Where everything is.

    Attributes:
        nodes: The box of each state.
        curves: The control points of each arrow.
        labels: The box of each label.
        stubs: The control points of the mark of each starting state.
        flaws: Labels that overlap something, and a little for lines that run through labels.
    """

    nodes: tuple[Box, ...]
    curves: tuple[Array, ...]
    labels: tuple[Box, ...]
    stubs: tuple[Array, ...]
    flaws: float


def place(plan: Plan) -> Placed:
    """The smallest layout without overlapping labels; the same each time."""
    angles = _angles(plan)
    best: Placed | None = None
    radius = _first_radius(plan)
    for number in range(_ROUNDS):
        placed = _at_radius(plan, angles, radius)
        if best is None or placed.flaws < best.flaws - 0.5:
            best = placed
        # Lines through labels are worth a few larger tries, overlapping labels are worth all.
        if best.flaws < (0.5 if number < 5 and not plan.on_line else 1000):
            break
        radius *= _GROWTH
    assert best is not None
    return best


def _first_radius(plan: Plan) -> float:
    count = len(plan.sizes)
    widest = max((width for width, _ in plan.labels), default=0.0)
    round_trip = sum(width for width, _ in plan.sizes) + 46.0 * count
    # Labels on arrows need about eight times their area to be told apart.
    spread = float(np.sqrt(8 / 3.6 * sum(width * height for width, height in plan.labels))) if plan.on_line else 0.0
    return max(62.0, round_trip / 6.6, 0.42 * widest + 30, spread) if count > 1 else 0.0


def _angles(plan: Plan) -> Array:
    """The direction of each state from the middle: left ones to the left, right ones to the right, clockwise."""
    count = len(plan.sizes)
    others = [state for state in range(count) if state not in plan.left + plan.right]
    half = (len(others) + 1) // 2
    order = [*plan.left[::-1], *others[:half], *plan.right, *others[half:][::-1]]
    order = _untangled(order, plan)
    turn = 2 * np.pi / count
    angles = np.empty(count)
    angles[order] = np.arange(count) * turn
    centre, goal = (plan.left, np.pi) if plan.left else (plan.right, 0.0)
    if centre:
        seats = [order.index(state) * turn for state in centre]
        mean = np.angle(np.exp(1j * np.array(seats)).sum()) if len(centre) < count else 0.0
        angles += goal - mean
    else:
        angles += np.pi + (turn / 2 if count == 4 else 0)
    return angles


def _untangled(order: list[int], plan: Plan) -> list[int]:
    """Swaps states of the same group while that makes arrows shorter or lets fewer of them cross."""
    group = {**dict.fromkeys(plan.left, 1), **dict.fromkeys(plan.right, 2)}
    pairs = sorted({(min(pair), max(pair)) for pair in plan.arrows if pair[0] != pair[1]})
    cost = _tangle(order, pairs)
    for _ in range(_MAX_SWAPS):
        better = None
        for first in range(len(order)):
            for second in range(first):
                if group.get(order[first], 0) != group.get(order[second], 0):
                    continue
                swapped = list(order)
                swapped[first], swapped[second] = order[second], order[first]
                other = _tangle(swapped, pairs)
                if other < cost:
                    better, cost = swapped, other
        if better is None:
            break
        order = better
    return order


def _tangle(order: list[int], pairs: list[tuple[int, int]]) -> float:
    count = len(order)
    if len(pairs) > 2 * count:  # Nearly everything is connected: no order is better than another.
        return 0.0
    seats = {state: seat for seat, state in enumerate(order)}
    chords = [sorted((seats[first], seats[second])) for first, second in pairs]
    length = sum(min(b - a, count - b + a) for a, b in chords)
    crossings = sum(a < c < b < d for a, b in chords for c, d in chords)
    return length + 2.0 * crossings


def _at_radius(plan: Plan, angles: Array, radius: float) -> Placed:
    count = len(plan.sizes)
    stretch = 1.0 if count == 2 else 1.15 if plan.on_line else 1.5
    tall = 0.0 if count == 2 else radius
    nodes = tuple(
        Box(radius * stretch * float(np.cos(angle)), tall * float(np.sin(angle)), *size)
        for angle, size in zip(angles, plan.sizes, strict=True)
    )
    loops = {first for first, second in plan.arrows if first == second}
    outward = _outward(nodes, angles)
    curves = tuple(_curve(plan, nodes, pair, outward) for pair in plan.arrows)
    # With two states loops go up, and the sides are free.
    aside = angles if count == 2 else outward
    stubs = tuple(_stub(nodes[state], float(aside[state]), state in loops and count != 2) for state in plan.starting)
    labels, flaws = place_labels(plan, nodes, curves, stubs)
    return Placed(nodes, curves, labels, stubs, flaws + 1000.0 * _collisions(plan, nodes, curves))


def _collisions(plan: Plan, nodes: Sequence[Box], curves: Sequence[Array]) -> int:
    """How many states touch each other, and how many arrows run through states that are not theirs."""
    touching = sum(first.overlaps(second, 16) for place, first in enumerate(nodes) for second in nodes[:place])
    for pair, curve in zip(plan.arrows, curves, strict=True):
        line = curve_points(curve)
        touching += sum(bool(in_pill(line, box, 3).any()) for state, box in enumerate(nodes) if state not in pair)
    return touching


def _outward(nodes: Sequence[Box], angles: Array) -> Array:
    """The direction in which a state has nothing beside it: up and down rather than sideways, where text is wide."""
    if len(nodes) == 1:
        return np.array([-np.pi / 2])
    if len(nodes) == 2:
        return np.array([-np.pi / 2, -np.pi / 2])
    return angles


def _curve(plan: Plan, nodes: Sequence[Box], pair: tuple[int, int], outward: Array) -> Array:
    first, second = pair
    if first == second:
        return _loop(nodes[first], float(outward[first]))
    start, end = nodes[first], nodes[second]
    length = float(np.hypot(end.x - start.x, end.y - start.y))
    both = (second, first) in plan.arrows
    usual = min(0.15, (20.0 if plan.on_line else 34.0) / max(length, 1.0))
    bends = (usual, usual / 2, 0.3, 0.45) if both else (0.0, 0.12, -0.12, 0.25, -0.25, 0.4, -0.4)
    others = [box for state, box in enumerate(nodes) if state not in pair]
    best, fewest = _arc(start, end, bends[0]), len(others) + 1
    for bend in bends:
        arc = _arc(start, end, bend)
        line = curve_points(arc)
        hits = sum(bool(in_pill(line, box, 6).any()) for box in others)
        if hits < fewest:
            best, fewest = arc, hits
        if not fewest:
            break
    return best


def _arc(start: Box, end: Box, bend: float) -> Array:
    """From edge to edge, bent to the left of its direction by a part of its length."""
    p, q = np.array([start.x, start.y]), np.array([end.x, end.y])
    across = np.array([q[1] - p[1], p[0] - q[0]]) * bend * 4 / 3
    points = np.array([p, p + (q - p) / 3 + across, q - (q - p) / 3 + across, q])
    line = curve_points(points, 200)
    out = np.flatnonzero(~in_pill(line, start, 1.0))
    before = np.flatnonzero(~in_pill(line, end, 3.0))
    if not len(out) or not len(before) or out[0] >= before[-1]:
        return points
    return curve_part(points, out[0] / 200, before[-1] / 200)


def _loop(box: Box, angle: float) -> Array:
    """From a state to itself, in a direction."""
    ends = [_edge(box, angle + turn, 1.5) for turn in (-0.42, 0.42)]
    reach = _LOOP + 8
    controls = [
        end + reach * np.array([np.cos(angle + turn), np.sin(angle + turn)])
        for end, turn in zip(ends, (-0.5, 0.5), strict=True)
    ]
    return np.array([ends[0], *controls, ends[1] + 1.5 * np.array([np.cos(angle), np.sin(angle)])])


def _stub(box: Box, angle: float, looped: bool) -> Array:
    """An arrow from nowhere, beside the loop if there is one, on the side away from the middle."""
    options = [angle - 0.95, angle + 0.95] if looped else [angle]
    edges = [_edge(box, option, STUB) for option in options]
    turned = options[int(np.argmax([round(float(np.hypot(*edge)), 3) for edge in edges]))]
    direction = np.array([np.cos(turned), np.sin(turned)])
    tip = _edge(box, turned, 3.0)
    start = tip + STUB * direction
    return np.array([start, start + (tip - start) / 3, tip - (tip - start) / 3, tip])


def _edge(box: Box, angle: float, gap: float) -> Array:
    """The point of the outline of a state in a direction."""
    radius = box.height / 2
    straight = box.width / 2 - radius
    centre = np.array([box.x + straight * float(np.cos(angle)), box.y])
    return centre + (radius + gap) * np.array([np.cos(angle), np.sin(angle)])


def in_pill(points: Array, box: Box, gap: float) -> Array:
    """Which points are inside the outline of a state, or closer to it than a gap."""
    radius = box.height / 2
    across = np.maximum(np.abs(points[:, 0] - box.x) - (box.width / 2 - radius), 0)
    return np.hypot(across, points[:, 1] - box.y) < radius + gap
