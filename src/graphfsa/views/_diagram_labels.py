"""Where labels go: beside their arrows or on them, where nothing else is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.arrays import Array
from graphfsa.views._diagram_scene import Box, curve_points, head_of

_SAMPLES = 25
"""Points of a line that are looked at."""
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


def place_labels(
    plan: Plan, nodes: Sequence[Box], curves: Sequence[Array], stubs: Sequence[Array]
) -> tuple[tuple[Box, ...], float]:
    """A box for each label, and the flaws: 1000 for each overlap, 1 for each line through a label.

    The heads of arrows must not be covered either. The largest labels choose first.
    """
    lines = np.array([_sampled(curve) for curve in (*curves, *stubs)]).reshape(-1, _SAMPLES, 2)
    heads = np.array([(*head_of(curve).mean(axis=0), _HEAD, _HEAD) for curve in (*curves, *stubs)]).reshape(-1, 4)
    taken = np.concatenate([np.array([(box.x, box.y, box.width, box.height) for box in nodes]), heads])
    flaws, boxes = 0.0, np.empty((len(plan.labels), 4))
    for number in sorted(range(len(plan.labels)), key=lambda k: (-plan.labels[k][0] * plan.labels[k][1], k)):
        extra, options = zip(*_options(plan, number, lines[number]), strict=True)
        options = np.array(options)
        overlaps = _touching(options, taken, 3.0).sum(axis=1)
        hits = _through(options, lines, 1.0)
        loop = plan.arrows[number][0] == plan.arrows[number][1]
        own = _through(options, lines[number : number + 1], 2.0 if loop else -1.0)[:, 0]
        hits[:, number] = own & (loop or not plan.on_line)
        worst = 1000.0 * overlaps + hits.sum(axis=1)
        best = int(np.argmin(worst + np.array(extra)))
        boxes[number], flaws = options[best], flaws + float(worst[best])
        taken = np.concatenate([taken, options[best : best + 1]])
    return tuple(Box(*map(float, box)) for box in boxes), flaws


def flaws_of(
    plan: Plan, nodes: Sequence[Box], curves: Sequence[Array], labels: Sequence[Box], stubs: Sequence[Array]
) -> float:
    """The flaws of a layout: 1000 for each overlap of labels, 1 for each line through a label."""
    boxes, states = (np.array([(b.x, b.y, b.width, b.height) for b in some]).reshape(-1, 4) for some in (labels, nodes))
    overlaps = np.triu(_touching(boxes, boxes, 1.0), 1).sum() + _touching(boxes, states, 1.0).sum()
    lines = np.array([_sampled(curve) for curve in (*curves, *stubs)]).reshape(-1, _SAMPLES, 2)
    hits = _through(boxes, lines, 0.0)
    hits[np.arange(len(labels)), np.arange(len(labels))] = False
    return 1000.0 * float(overlaps) + float(hits.sum())


def _sampled(curve: Array) -> Array:
    line = curve_points(curve, _SAMPLES - 1)
    return line[np.linspace(0, len(line) - 1, _SAMPLES).round().astype(int)]


def _touching(first: Array, second: Array, gap: float) -> Array:
    """Which boxes (x, y, width, height) come closer to which than a gap, bool [first, second]."""
    wide, tall = (
        np.abs(first[:, None, k] - second[None, :, k]) < (first[:, None, k + 2] + second[None, :, k + 2]) / 2 + gap
        for k in (0, 1)
    )
    return wide & tall


def _through(boxes: Array, lines: Array, gap: float) -> Array:
    """Which lines come closer to which boxes than a gap, bool [boxes, lines]."""
    points = lines.reshape(-1, 2)
    wide, tall = (np.abs(boxes[:, k, None] - points[None, :, k]) < boxes[:, k + 2, None] / 2 + gap for k in (0, 1))
    return np.any((wide & tall).reshape(len(boxes), len(lines), -1), axis=-1, keepdims=True)[..., 0]


def _options(plan: Plan, number: int, line: Array) -> Iterator[tuple[float, tuple[float, float, float, float]]]:
    """Boxes for a label, each with how far it is from the best."""
    width, height = plan.labels[number]
    first, second = plan.arrows[number]
    times = (0.5,) if first == second else (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.19, 0.81)
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
