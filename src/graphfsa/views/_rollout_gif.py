"""Roll-outs as animated GIF images.

Every pixel belongs to a node or to the background, and that never changes: a frame is one look-up in the states. All
frames share one palette, the colours of the states first and then greys, so colours are exact.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shorten
from graphfsa.graphs import Graph
from graphfsa.views._layout import ROW_DISTANCE, GraphLayout, Kind
from graphfsa.views.colours import legend_entries

if TYPE_CHECKING:
    from graphfsa.views.rollouts import Rollout

_GREYS = 32
_MOST_COLOURS = 256 - _GREYS
_MARGIN = 12
_LINE = 20
_LONGEST_NAME = 24
_FINE = 4
"""Lines and rims are drawn at this scale and then shrunk."""
_LINES, _RIM = 170, 85
_MANY, _FAINT = 4000, 222
"""Beyond this number arcs are drawn fainter, or they would hide the nodes."""
_GRAPH = 640, 480


def gif_shape(kind: Kind, height: int, width: int, frames: int) -> tuple[int, int, int]:
    """Pixels of a cell, and height and width of the picture in pixels, without its legend."""
    if kind == "graph":
        return 1, _GRAPH[1], _GRAPH[0]
    if kind == "line":
        side = max(1, min(8, 640 // max(width, frames)))
        return side, frames * side, width * side
    if kind == "hex":
        side = max(3, min(18, int(560 / max(width + 0.5, height * ROW_DISTANCE))))
        return side, round((height - 1) * ROW_DISTANCE * side + side * 1.2) + 1, round((width + 0.5) * side) + 1
    side = max(1, min(16, 512 // max(height, width)))
    return side, height * side, width * side


def gif_bytes(rollout: Rollout) -> bytes:
    """All frames as an endless animation; the last is shown a second longer."""
    from PIL import Image

    palette, shade = _palette(rollout.state_colours)
    images = (_image(Image, picture, palette) for picture in _pictures(_Canvas(rollout, shade), rollout))
    first = next(images)
    pause = max(2, round(100 / rollout.speed)) * 10  # Browsers slow down what changes more often than every 20 ms.
    durations = [pause] * len(rollout.times)
    durations[-1] += 1000
    buffer = io.BytesIO()
    first.save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=images,
        duration=durations,
        loop=0,
        disposal=1,
        optimize=True,
    )
    return buffer.getvalue()


def _image(library: Any, picture: Array, palette: bytes) -> Any:
    image = library.fromarray(picture)
    image.putpalette(palette)
    return image


def _palette(colours: list[str]) -> tuple[bytes, Array]:
    """The palette, and the place in it of each state followed by each grey, uint8."""
    num_states = len(colours)
    places = np.arange(num_states)
    if num_states > _MOST_COLOURS:  # Neighbouring shades that nobody tells apart share a place.
        places = np.round(places * (_MOST_COLOURS - 1) / (num_states - 1)).astype(int)
        colours = [colours[int(np.argmax(places == place))] for place in range(_MOST_COLOURS)]
    greys = [f"#{level:02x}{level:02x}{level:02x}" for level in np.linspace(0, 255, _GREYS).round().astype(int)]
    content = b"".join(bytes.fromhex(colour[1:]) for colour in (*colours, *greys))
    return content, np.r_[places, len(colours) + np.arange(_GREYS)].astype(np.uint8)


class _Canvas:
    """The picture without its states: which pixel shows which node, and greys everywhere else."""

    def __init__(self, rollout: Rollout, shade: Array) -> None:
        title, self.shade, self.num_states = rollout.title, shade, rollout.fsa.num_states
        labels, greys = _pixels(rollout.graph, rollout.layout, len(rollout.times))
        entries = legend_entries(rollout.fsa, rollout.state_colours)
        width = max(labels.shape[1], 260 if entries else 120)
        rows = _legend_rows([shorten(name, _LONGEST_NAME) for _, name in entries], width)
        head = _LINE * (2 if title else 1)
        shape = (head + labels.shape[0] + 8 + _LINE * len(rows) + 2 * _MARGIN, width + 2 * _MARGIN)
        self.labels = np.full(shape, -1, np.int32)
        picture = np.full(shape, 255, np.uint8)
        left = (shape[1] - labels.shape[1]) // 2
        self.inside = np.s_[_MARGIN + head : _MARGIN + head + labels.shape[0], left : left + labels.shape[1]]
        self.labels[self.inside] = labels
        picture[self.inside] = greys
        if title:
            _write(picture, shorten(title, width // 8), _MARGIN, _MARGIN)
        self.base = self.grey(picture)
        self._legend(entries, rows, _MARGIN + head + labels.shape[0] + 8)
        self.line = np.s_[_MARGIN + head - _LINE : _MARGIN + head, _MARGIN : _MARGIN + 110]

    def _legend(self, entries: Sequence[tuple[str, str]], rows: list[list[tuple[int, str]]], top: int) -> None:
        state = 0
        for row in rows:
            for left, name in row:
                text = np.full((_LINE, _text_width(name) + 2), 255, np.uint8)
                _write(text, name, 0, 0)
                begin = _MARGIN + left
                self.base[top + 3 : top + 15, begin : begin + 12] = self.grey(130)
                self.base[top + 4 : top + 14, begin + 1 : begin + 11] = self.shade[state]
                area = self.base[top : top + _LINE, begin + 17 : begin + 17 + text.shape[1]]
                area[:] = self.grey(text)[:, : area.shape[1]]
                state += 1
            top += _LINE
        assert state == len(entries)

    def grey(self, level: Any) -> Any:
        """The place of a grey in the palette."""
        return self.shade[self.num_states + np.round(np.asarray(level) / 255 * (_GREYS - 1)).astype(int)]


def _pictures(canvas: _Canvas, rollout: Rollout) -> Iterator[Array]:
    """Each frame as places in the palette, uint8 [height, width]."""
    labels = canvas.labels[canvas.inside]
    shown, nodes = labels >= 0, labels[labels >= 0]
    line = rollout.layout.kind == "line"
    history = np.full(rollout.frames.size if line else 0, canvas.grey(240), np.uint8)
    for place, (time, states) in enumerate(zip(rollout.times, rollout.frames, strict=True)):
        colours = canvas.shade[states]
        if line:
            history[place * len(states) : (place + 1) * len(states)] = colours
            colours = history
        picture = canvas.base.copy()
        picture[canvas.inside][shown] = colours[nodes]
        text = np.full((_LINE, 110), 255, np.uint8)
        _write(text, f"step {time}", 0, 0)
        picture[canvas.line] = canvas.grey(text)
        yield picture


def _pixels(graph: Graph, layout: GraphLayout, frames: int) -> tuple[Array, Array]:
    """The node of each pixel (-1: none) and the grey of the others; in a space-time diagram nodes of all steps."""
    side, height, width = gif_shape(layout.kind, layout.height, layout.width, frames)
    if layout.kind == "graph":
        return _graph_pixels(graph, layout)
    if layout.kind == "hex":
        return _hexagon_pixels(layout, side, height, width)
    cells = np.arange(height // side * (width // side), dtype=np.int32).reshape(height // side, -1)
    labels = cells.repeat(side, axis=0).repeat(side, axis=1)
    framed = np.pad(labels, 1, constant_values=-1)
    return framed, np.full(framed.shape, _LINES, np.uint8)


def _hexagon_pixels(layout: GraphLayout, side: int, height: int, width: int) -> tuple[Array, Array]:
    """Each pixel belongs to the nearest centre; a pixel between two cells that are large enough is a line."""
    y, x = (np.mgrid[0:height, 0:width] + 0.5) / side
    y, x = y - 0.6, x - 0.5
    best = np.full((height, width), np.inf)
    labels = np.full((height, width), -1, np.int32)
    for step in (-1, 0, 1):
        row = np.round(y / ROW_DISTANCE).astype(int) + step
        column = np.round(x - 0.5 * (row % 2)).astype(int)
        apart = (y - row * ROW_DISTANCE) ** 2 + (x - column - 0.5 * (row % 2)) ** 2
        inside = (row >= 0) & (row < layout.height) & (column >= 0) & (column < layout.width)
        nearer = (apart < best) & (apart < 0.36)
        best[nearer] = apart[nearer]
        labels[nearer] = np.where(inside, row * layout.width + column, -1)[nearer]
    labels = np.pad(labels, 1, constant_values=-1)
    if side >= 6:
        edge = np.zeros(labels.shape, bool)
        edge[:, 1:] |= labels[:, 1:] != labels[:, :-1]
        edge[1:] |= labels[1:] != labels[:-1]
        greys = np.where(edge, _LINES, 255).astype(np.uint8)
        return np.where(edge, -1, labels), greys
    return labels, np.full(labels.shape, 255, np.uint8)


def _graph_pixels(graph: Graph, layout: GraphLayout) -> tuple[Array, Array]:
    from PIL import Image, ImageDraw

    assert layout.points is not None
    low, high = layout.points.min(axis=0, initial=0), layout.points.max(axis=0, initial=0)
    span = np.maximum(high - low, 1e-9)
    width, tallest = _GRAPH
    scale = min((width - 40) / span[0], (tallest - 40) / span[1], 120.0)
    height = min(tallest, round(span[1] * scale) + 40)
    points = (layout.points - (low + high) / 2) * scale + (width / 2, height / 2)
    radius = float(np.clip(0.45 * layout.spacing * scale or 11, 2.5, 11))
    picture = Image.new("L", (width * _FINE, height * _FINE), 255)
    draw = ImageDraw.Draw(picture)
    fine = points * _FINE
    shade = _LINES if graph.num_arcs <= _MANY else _FAINT
    for source, target in zip(graph.indices.tolist(), graph.targets().tolist(), strict=True):
        draw.line([*fine[source], *fine[target]], fill=shade, width=_FINE)
        if source == target:
            x, y = fine[source] - (0, (radius + 4) * _FINE)
            draw.ellipse([x - 5 * _FINE, y - 5 * _FINE, x + 5 * _FINE, y + 5 * _FINE], outline=shade, width=_FINE)
        elif not graph.symmetric:
            draw.polygon(_head(fine[source], fine[target], radius * _FINE, 7 * _FINE), fill=shade)
    labels = np.full((height, width), -1, np.int32)
    for node, (x, y) in enumerate(points):
        around = _FINE * radius
        draw.ellipse([x * _FINE - around, y * _FINE - around, x * _FINE + around, y * _FINE + around], fill=_RIM)
        top, left = max(0, int(y - radius - 1)), max(0, int(x - radius - 1))
        area = labels[top : int(y + radius + 2), left : int(x + radius + 2)]
        rows, columns = np.ogrid[top : top + area.shape[0], left : left + area.shape[1]]
        apart = np.hypot(rows + 0.5 - y, columns + 0.5 - x)
        area[apart < radius + 0.5] = -1  # A later node covers earlier ones, its rim too.
        area[apart < radius - 0.9] = node
    return labels, np.asarray(picture.reduce(_FINE))


def _head(begin: Array, end: Array, radius: float, length: float) -> list[tuple[float, float]]:
    """The head of an arrow that ends at the rim of a node."""
    along = (end - begin) / max(float(np.linalg.norm(end - begin)), 1e-9)
    tip, across = end - radius * along, np.array([-along[1], along[0]])
    back = tip - length * along
    return [tuple(corner) for corner in (tip, back + 0.4 * length * across, back - 0.4 * length * across)]


@lru_cache(maxsize=1)
def _font() -> Any:
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), 12)


def _text_width(text: str) -> int:
    return int(np.ceil(_font().getlength(text)))


def _write(picture: Array, text: str, left: int, top: int) -> None:
    """Write dark text into a picture in greys."""
    from PIL import Image, ImageDraw

    image = Image.fromarray(picture)
    ImageDraw.Draw(image).text((left, top + 1), text, fill=40, font=_font())
    picture[:] = np.asarray(image)


def _legend_rows(names: Sequence[str], width: int) -> list[list[tuple[int, str]]]:
    """Names with their distance from the left, in as many rows as they need."""
    rows: list[list[tuple[int, str]]] = []
    left = width
    for name in names:
        wide = 17 + _text_width(name) + 14
        if not rows or left + wide > width + 14:
            rows.append([])
            left = 0
        rows[-1].append((left, name))
        left += wide
    return rows
