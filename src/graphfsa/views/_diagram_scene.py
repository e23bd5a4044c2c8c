"""What a diagram consists of, in pixels with y downwards: every way to write it draws the same scene."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace

import numpy as np

from graphfsa.arrays import Array

FONT = 13.0
SMALL = 11.0
LINE = 1.25
"""Height of a line of text, in units of its size."""
_WIDTHS = {
    **dict.fromkeys("fijlrtI.,:;'!|()[] -", 0.42),
    **dict.fromkeys("#+<=>^~\N{MULTIPLICATION SIGN}", 0.84),
    **dict.fromkeys("mwMWOQ@%&…→", 1.01),
}


def text_width(text: str, size: float) -> float:
    """About how wide a text is in the widest of the usual fonts without serifs."""
    return size * sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.35
    if character in _WIDTHS:
        return _WIDTHS[character]
    return 0.95 if ord(character) > 0x24F else 0.78 if character.isupper() else 0.64


@dataclass(frozen=True)
class Box:
    """A rectangle: its centre and its size."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box, gap: float = 0.0) -> bool:
        """Whether two boxes come closer than a gap."""
        return (
            abs(self.x - other.x) < (self.width + other.width) / 2 + gap
            and abs(self.y - other.y) < (self.height + other.height) / 2 + gap
        )

    def shifted(self, dx: float, dy: float) -> Box:
        """The same box elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        half, tall = self.width / 2, self.height / 2
        return self.x - half, self.y - tall, self.x + half, self.y + tall


def text_box(x: float, y: float, lines: tuple[str, ...], size: float) -> Box:
    """The box of centred lines."""
    return Box(x, y, max(text_width(line, size) for line in lines), len(lines) * size * LINE)


@dataclass(frozen=True)
class Node:
    """A state: a circle, or two half circles with straight lines between them if its name is long.

    Attributes:
        state: Index of the state.
        box: Where it is.
        text: Its name, shortened.
        title: Its name.
        fill: Its colour.
        ink: The colour of its name.
        starting: Whether nodes may start here; marked by an arrow from nowhere.
        final: Whether it is never left; marked by a second ring.
    """

    state: int
    box: Box
    text: str
    title: str
    fill: str
    ink: str
    starting: bool
    final: bool


@dataclass(frozen=True)
class Arrow:
    """A cubic spline with a head.

    Attributes:
        points: Start, then two control points and an end for each piece, float64 [3 * pieces + 1, 2].
        title: What it means, in full; empty for the mark of a starting state.
        ends: State and successor; the same state twice for such a mark.
    """

    points: Array
    title: str
    ends: tuple[int, int]


@dataclass(frozen=True)
class Label:
    """Lines of text that nothing else may cover.

    Attributes:
        box: Where they are.
        lines: The lines.
        size: Height of the letters.
        title: What they mean, in full.
        kind: ``guard`` at an arrow, ``key`` in the list below, ``note`` under it.
        centred: Whether the lines are centred; else they begin at the left of the box.
    """

    box: Box
    lines: tuple[str, ...]
    size: float = SMALL
    title: str = ""
    kind: str = "guard"
    centred: bool = True


@dataclass(frozen=True)
class Scene:
    """A diagram with all places known.

    Attributes:
        title: What it shows, in a line.
        width: Width.
        height: Height.
        nodes: The states.
        arrows: The arrows, and the marks of starting states.
        labels: All text that is not in a state.
    """

    title: str
    width: float
    height: float
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    labels: tuple[Label, ...] = field(default=())


def curve_points(points: Array, each: int = 24) -> Array:
    """Points on a spline, float64 [pieces * each + 1, 2]."""
    steps = np.linspace(0, 1, each, endpoint=False)[:, None]
    pieces = [
        (1 - steps) ** 3 * p + 3 * steps * (1 - steps) ** 2 * q + 3 * steps**2 * (1 - steps) * r + steps**3 * s
        for p, q, r, s in (points[k : k + 4] for k in range(0, len(points) - 1, 3))
    ]
    return np.concatenate([*pieces, points[-1:]])


def head_of(points: Array, length: float = 9.0, breadth: float = 7.0) -> Array:
    """The three corners of the head at the end of a spline, tip first."""
    line = curve_points(points)
    tip = line[-1]
    far = np.hypot(*(line - tip).T) >= length
    back = line[np.flatnonzero(far)[-1]] if far.any() else line[0]
    along = (tip - back) / max(float(np.hypot(*(tip - back))), 1e-9)
    across = np.array([-along[1], along[0]]) * breadth / 2
    foot = tip - along * length
    return np.array([tip, foot + across, foot - across])


def curve_part(points: Array, begin: float, end: float) -> Array:
    """The piece of a cubic curve, float64 [4, 2], between two times in 0 .. 1."""

    def blossom(a: float, b: float, c: float) -> Array:
        left = points
        for time in (a, b, c):
            left = left[:-1] * (1 - time) + left[1:] * time
        return left[0]

    return np.array(
        [blossom(begin, begin, begin), blossom(begin, begin, end), blossom(begin, end, end), blossom(end, end, end)]
    )


def shaft_of(points: Array, length: float = 7.0) -> Array:
    """A spline without its last few pixels, which its head covers, so that the tip stays sharp."""
    last = points[-4:]
    line = curve_points(last, 100)
    far = np.flatnonzero(np.hypot(*(line - line[-1]).T) >= length)
    return np.concatenate([points[:-4], curve_part(last, 0.0, far[-1] / 100)]) if len(far) else points
