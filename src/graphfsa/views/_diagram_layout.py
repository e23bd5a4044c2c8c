"""Where states, arrows and labels go: states on an ellipse, arrows between them, labels where nothing else is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.arrays import Array
from graphfsa.views._diagram_scene import Box, curve_part, curve_points, head_of

_GROWTH = 1.12
_ROUNDS = 28
_PATIENCE = 7
"""How many larger layouts are tried for the sake of lines that run through labels; one if there are many arrows."""
_MANY = 64
_MAX_SWAPS = 40
_LOOP = 46.0
STUB = 30.0
"""Length of the arrow that marks a starting state."""
_SAMPLES = 97
"""Points of a line that are looked at."""
_TIMES = (0.5, 0.46, 0.54, 0.42, 0.58, 0.38, 0.62, 0.34, 0.66, 0.3, 0.7, 0.26, 0.74, 0.22, 0.78, 0.19, 0.81)
"""How far along its arrow a label may be, best first."""
_LOOKS = 4
"""How many times each label may choose its place."""
LABEL_GAP = (8.0, 5.0)
"""Between two labels, across and down: more than between two words, and than between two lines of one label."""
_GAP = 3.0
"""Between a label and a state, or the head of an arrow."""
_HEAD = 6.0
"""What must be seen of the head of an arrow."""


@dataclass(frozen=True)
class Plan:
    """What is to be laid out.

    Attributes:
        sizes: Width and height of each state.
        arrows: State and successor of each arrow, as places in ``sizes``.
        labels: Width and height of the label of each arrow.
        on_line: Whether labels interrupt their arrows; else they are put beside them.
        starting: Places of starting states that are marked.
        left: Places of states that belong to the left.
        right: Places of states that belong to the right.
    """

    sizes: tuple[tuple[float, float], ...]
    arrows: tuple[tuple[int, int], ...]
    labels: tuple[tuple[float, float], ...]
    on_line: bool
    starting: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True)
class Placed:
    """Where everything is.

    Attributes:
        nodes: The box of each state.
        curves: The control points of each arrow.
        labels: The box of each label.
        stubs: The control points of the mark of each starting state.
        flaws: 1000 for each overlap, 1 for each line through a label.
        crowded: Places of labels with such a flaw.
    """

    nodes: tuple[Box, ...]
    curves: tuple[Array, ...]
    labels: tuple[Box, ...]
    stubs: tuple[Array, ...]
    flaws: float
    crowded: tuple[int, ...] = ()


def place(plan: Plan) -> Placed:
    """The smallest layout without overlapping labels; the same each time."""
    angles = _angles(plan)
    best: Placed | None = None
    radius = _first_radius(plan)
    patience = _PATIENCE if len(plan.arrows) <= _MANY else 1
    for number in range(_ROUNDS):
        placed = _at_radius(plan, angles, radius)
        if best is None or placed.flaws < best.flaws - 0.5:
            best = placed
        # Lines through labels are worth a few larger tries, overlapping labels are worth all.
        if best.flaws < (0.5 if number < patience else 1000):
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
    free_side = angles if count == 2 else outward
    stubs = tuple(
        _stub(nodes[state], float(free_side[state]), state in loops and count != 2) for state in plan.starting
    )
    labels, flaws = place_labels(plan, nodes, curves, stubs)
    crowded = tuple(np.flatnonzero(flaws).tolist())
    flaw = float(flaws.sum()) + 1000.0 * _collisions(plan, nodes, curves)
    return Placed(nodes, curves, labels, stubs, flaw, crowded)


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


# ---- labels


def place_labels(
    plan: Plan, nodes: Sequence[Box], curves: Sequence[Array], stubs: Sequence[Array]
) -> tuple[tuple[Box, ...], Array]:
    """A box for each label, and its flaws: 1000 for each overlap, 1 for each line through it, float64 [labels].

    The heads of arrows must not be covered either. The largest labels choose first; then each looks again.
    """
    lines = np.array([_sampled(curve) for curve in (*curves, *stubs)]).reshape(-1, _SAMPLES, 2)
    heads = np.array([(*head_of(curve).mean(axis=0), _HEAD, _HEAD) for curve in (*curves, *stubs)]).reshape(-1, 4)
    taken = np.concatenate([_as_rows(nodes), heads])
    order = sorted(range(len(plan.labels)), key=lambda k: (-plan.labels[k][0] * plan.labels[k][1], k))
    options: dict[int, Array] = {}
    costs: dict[int, tuple[Array, Array]] = {}
    for number in order:
        extra, boxes = zip(*_options(plan, number, lines[number]), strict=True)
        options[number] = np.array(boxes)
        overlaps = _touching(options[number], taken, (_GAP, _GAP)).sum(axis=1)
        hits = _through(options[number], lines, 2.0)
        loop = plan.arrows[number][0] == plan.arrows[number][1]
        own = _through(options[number], lines[number : number + 1], 2.0 if loop else -1.0)[:, 0]
        hits[:, number] = own & (loop or not plan.on_line)
        costs[number] = 1000.0 * overlaps + hits.sum(axis=1), np.array(extra)
    chosen = dict.fromkeys(order, -1)
    for _ in range(_LOOKS):
        before = dict(chosen)
        for number in order:
            others = [options[k][chosen[k]] for k in order if k != number and chosen[k] >= 0]
            crowded = _touching(options[number], np.array(others).reshape(-1, 4), LABEL_GAP).sum(axis=1)
            chosen[number] = int(np.argmin(costs[number][0] + costs[number][1] + 1000.0 * crowded))
        if chosen == before:
            break
    found = np.array([options[number][chosen[number]] for number in range(len(order))]).reshape(-1, 4)
    flaws = np.array([costs[number][0][chosen[number]] for number in range(len(order))])
    flaws += 1000.0 * np.triu(_touching(found, found, LABEL_GAP), 1).sum(axis=1)
    return tuple(Box(*map(float, box)) for box in found), flaws


def flaws_of(
    plan: Plan, nodes: Sequence[Box], curves: Sequence[Array], labels: Sequence[Box], stubs: Sequence[Array]
) -> float:
    """The flaws of a layout: 1000 for each overlap of labels, 1 for each line through a label."""
    boxes, states = _as_rows(labels), _as_rows(nodes)
    overlaps = np.triu(_touching(boxes, boxes, LABEL_GAP), 1).sum() + _touching(boxes, states, (1.0, 1.0)).sum()
    lines = np.array([_sampled(curve) for curve in (*curves, *stubs)]).reshape(-1, _SAMPLES, 2)
    hits = _through(boxes, lines, 0.0)
    hits[np.arange(len(labels)), np.arange(len(labels))] = False
    return 1000.0 * float(overlaps) + float(hits.sum())


def _as_rows(boxes: Sequence[Box]) -> Array:
    """Boxes as (x, y, width, height), float64 [boxes, 4]."""
    return np.array([(box.x, box.y, box.width, box.height) for box in boxes]).reshape(-1, 4)


def _sampled(curve: Array) -> Array:
    line = curve_points(curve, _SAMPLES - 1)
    return line[np.linspace(0, len(line) - 1, _SAMPLES).round().astype(int)]


def _touching(first: Array, second: Array, gaps: tuple[float, float]) -> Array:
    """Which boxes (x, y, width, height) come closer to which than the gaps across and down, bool [first, second]."""
    wide, tall = (
        np.abs(first[:, None, k] - second[None, :, k]) < (first[:, None, k + 2] + second[None, :, k + 2]) / 2 + gaps[k]
        for k in (0, 1)
    )
    return wide & tall


def _through(boxes: Array, lines: Array, gap: float) -> Array:
    """Which lines come closer to which boxes than a gap, bool [boxes, lines]."""
    reach = boxes[:, 2:] / 2 + gap
    low = (boxes[:, :2] - reach).min(axis=0, initial=np.inf)
    high = (boxes[:, :2] + reach).max(axis=0, initial=-np.inf)
    owners, places = np.nonzero(((lines > low) & (lines < high)).all(axis=2))  # The others are far from all boxes.
    points = lines[owners, places]
    inside = (np.abs(boxes[:, None, :2] - points) < reach[:, None]).all(axis=2)
    hits = np.zeros((len(boxes), len(lines)), bool)
    rows, found = np.nonzero(inside)
    hits[rows, owners[found]] = True
    return hits


def _options(plan: Plan, number: int, line: Array) -> Iterator[tuple[float, tuple[float, float, float, float]]]:
    """Boxes for a label, each with how far it is from the best."""
    width, height = plan.labels[number]
    first, second = plan.arrows[number]
    times = (0.5,) if first == second else _TIMES
    for time in times:
        at = round(time * (len(line) - 1))
        x, y = (float(number) for number in line[at])
        along = line[min(at + 1, len(line) - 1)] - line[max(at - 1, 0)]
        along = along / max(float(np.hypot(*along)), 1e-9)
        nx, ny = float(along[1]), float(-along[0])
        away = 2 * abs(time - 0.5)
        if first == second:
            yield from _around_loop(line, (nx, ny), width, height)
            continue
        if not plan.on_line:
            reach = abs(nx) * width / 2 + abs(ny) * height / 2 + 3
            yield away, (x + nx * reach, y + ny * reach, width, height)
            yield away + 0.2, (x - nx * reach, y - ny * reach, width, height)
        yield away + (0.0 if plan.on_line else 0.9), (x, y, width, height)


def _around_loop(
    line: Array, outward: tuple[float, float], width: float, height: float
) -> Iterator[tuple[float, tuple[float, float, float, float]]]:
    """Boxes above or below a loop and beside it, as it points, each with how far it is from the best."""
    nx, ny = outward
    (left, top), (right, bottom) = line.min(axis=0).tolist(), line.max(axis=0).tolist()
    x, y = (left + right) / 2, (top + bottom) / 2
    side = right + width / 2 + 5 if nx >= 0 else left - width / 2 - 5
    up = bottom + height / 2 + 4 if ny >= 0 else top - height / 2 - 4
    for slide in (0.0, 0.4, 0.8, -0.4):
        yield 0.4 * abs(slide) + 0.8 * (abs(ny) < 0.6), (x + slide * (side - x), up, width, height)
        yield 0.4 * abs(slide) + 0.8 * (abs(nx) < 0.6), (side, y + slide * (up - y), width, height)
    yield 0.7, (side, up, width, height)
