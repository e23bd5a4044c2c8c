"""One painter of scenes, and the canvases that it paints on: SVG, matplotlib (PNG and PDF), and TikZ."""

from __future__ import annotations

import io
import re
import warnings
from html import escape
from typing import Any, Protocol

import numpy as np

from graphfsa.arrays import Array
from graphfsa.escaping import latex_letters
from graphfsa.views._diagram_scene import FONT, LINE, Box, Scene, head_of, shaft_of
from graphfsa.views.figures import new_figure

INK, PAPER, FAINT = "#222222", "#ffffff", "#666666"
_RING = 4.0
"""Between the two outlines of a final state."""


class Canvas(Protocol):
    """What a picture is painted on, in the pixels of the scene."""

    def begin(self, kind: str, title: str) -> None:
        """Begin a group of shapes: ``arrow``, ``start``, ``state`` or ``label``, with what it means in full."""
        ...

    def end(self) -> None:
        """End the group."""
        ...

    def arrow(self, points: Array) -> None:
        """Draw a spline with a head at its end."""
        ...

    def pill(self, box: Box, fill: str | None, line: str) -> None:
        """Draw a circle, or two half circles with straight lines between them, filled unless ``fill`` is None."""
        ...

    def blank(self, box: Box) -> None:
        """Paint a box white."""
        ...

    def text(self, box: Box, lines: tuple[str, ...], size: float, ink: str, *, centred: bool, bold: bool) -> None:
        """Write lines, one below the other, from the top of a box."""
        ...


def paint(scene: Scene, canvas: Canvas) -> None:
    """Paint everything: arrows first, then states, then labels, which interrupt the arrows below them."""
    for arrow in scene.arrows:
        canvas.begin("arrow" if arrow.title else "start", arrow.title)
        canvas.arrow(arrow.points)
        canvas.end()
    for node in scene.nodes:
        canvas.begin("state", node.title)
        canvas.pill(node.box, node.fill, INK)
        if node.final:
            inner = Box(node.box.x, node.box.y, node.box.width - 2 * _RING, node.box.height - 2 * _RING)
            canvas.pill(inner, None, node.ink)
        middle = Box(node.box.x, node.box.y, node.box.width, FONT * LINE)
        canvas.text(middle, (node.text,), FONT, node.ink, centred=True, bold=False)
        canvas.end()
    for label in scene.labels:
        canvas.begin("label", label.title)
        if label.kind == "guard":
            canvas.blank(label.box)
        ink, bold = FAINT if label.kind == "note" else INK, label.kind == "key"
        canvas.text(label.box, label.lines, label.size, ink, centred=label.centred, bold=bold)
        canvas.end()


def _middles(box: Box, count: int, size: float) -> list[float]:
    """Where the middle of each line is."""
    return [box.y - box.height / 2 + size * LINE * (number + 0.5) for number in range(count)]


# ---- SVG

_FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_DARK = (
    "@media (prefers-color-scheme: dark){.paper{fill:#1d2024}.line,.ring{stroke:#e6e6e6}"
    ".tip,.words{fill:#e6e6e6}.faint{fill:#a5adb5}}"
)
_CLASSES = {INK: "words", FAINT: "faint"}
_BASELINE = 0.345
"""From the middle of a line down to where letters stand, in units of their size."""


class SvgCanvas:
    """SVG as text: no scripts, no fonts, nothing loaded; light on dark where that is preferred."""

    def __init__(self, scene: Scene) -> None:
        width, height = f"{scene.width:.0f}", f"{scene.height:.0f}"
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" font-family="{_FONTS}">\n',
            f"<title>{_svg_text(scene.title)}</title>\n",
            f"<style>{_DARK}</style>\n",
            f'<rect class="paper" width="{width}" height="{height}" fill="{PAPER}"/>\n',
        ]

    def begin(self, kind: str, title: str) -> None:
        """Begin a group, with a tooltip."""
        self._parts.append(f'<g class="{kind}">' + (f"<title>{_svg_text(title)}</title>" if title else ""))

    def end(self) -> None:
        """End a group."""
        self._parts.append("</g>\n")

    def arrow(self, points: Array) -> None:
        """Draw a line and its head."""
        numbers = [f"{x:.1f} {y:.1f}" for x, y in shaft_of(points)]
        tip = " ".join(f"{x:.1f},{y:.1f}" for x, y in head_of(points))
        self._parts.append(
            f'<path class="line" d="M{numbers[0]}C{" ".join(numbers[1:])}" fill="none" stroke="{INK}" '
            f'stroke-width="1.3"/><polygon class="tip" points="{tip}" fill="{INK}"/>'
        )

    def pill(self, box: Box, fill: str | None, line: str) -> None:
        """Draw a rectangle with round ends."""
        kind, width = ('class="ring" ', 1.5) if line == INK and fill else ("", 1.1)
        self._parts.append(
            f"<rect {kind}{_svg_box(box)} "
            f'rx="{box.height / 2:.1f}" fill="{fill or "none"}" stroke="{line}" stroke-width="{width}"/>'
        )

    def blank(self, box: Box) -> None:
        """Draw a rectangle in the colour of the paper; an outline of the letters would do, but not everywhere."""
        self._parts.append(f'<rect class="paper" {_svg_box(box)} fill="{PAPER}" rx="2"/>')

    def text(self, box: Box, lines: tuple[str, ...], size: float, ink: str, *, centred: bool, bold: bool) -> None:
        """Write lines as parts of one text."""
        x, anchor = (box.x, "middle") if centred else (box.corners[0], "start")
        kind = f'class="{_CLASSES[ink]}" ' if ink in _CLASSES else ""
        spans = "".join(
            f'<tspan x="{x:.1f}" y="{middle + _BASELINE * size:.1f}">{_svg_text(line)}</tspan>'
            for line, middle in zip(lines, _middles(box, len(lines), size), strict=True)
        )
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text {kind}font-size="{size:g}" text-anchor="{anchor}" fill="{ink}"{weight}>{spans}</text>'
        )

    def finish(self) -> str:
        """The whole picture."""
        return "".join([*self._parts, "</svg>\n"])


def _svg_text(text: str) -> str:
    # Characters that XML has no place for are refused in state names, but titles come from anywhere.
    return escape(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))


def _svg_box(box: Box) -> str:
    left, top, _, _ = box.corners
    return f'x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'


# ---- matplotlib

_DPI = 192


class FigureCanvas:
    """A matplotlib figure of the size of the scene; what is painted later covers what was painted before."""

    def __init__(self, scene: Scene) -> None:
        self._title = scene.title
        self._figure = new_figure(scene.width / 96, scene.height / 96)
        self._figure.set_layout_engine("none")
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()
        self._axes.set_xlim(0, scene.width)
        self._axes.set_ylim(scene.height, 0)

    def begin(self, kind: str, title: str) -> None:
        """Do nothing: these formats have no groups."""

    def end(self) -> None:
        """Do nothing."""

    def _add(self, outline: Any, codes: list[Any], **style: Any) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        self._axes.add_patch(PathPatch(Path(outline, codes), zorder=1, **style))

    def arrow(self, points: Array) -> None:
        """Draw a line and its head."""
        from matplotlib.path import Path

        shaft = shaft_of(points)
        self._add(shaft, [Path.MOVETO, *[Path.CURVE4] * (len(shaft) - 1)], fill=False, edgecolor=INK, linewidth=1)
        head = head_of(points)
        self._add([*head, head[0]], [Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], facecolor=INK, linewidth=0)

    def pill(self, box: Box, fill: str | None, line: str) -> None:
        """Draw two half circles with straight lines between them."""
        from matplotlib.path import Path

        half = np.array(Path.arc(-90, 90).vertices)
        radius, straight = box.height / 2, (box.width - box.height) / 2
        right = half * radius + np.array([box.x + straight, box.y])
        left = half * -radius + np.array([box.x - straight, box.y])
        curves = [Path.CURVE4] * (len(half) - 1)
        codes = [Path.MOVETO, *curves, Path.LINETO, *curves, Path.CLOSEPOLY]
        self._add([*right, *left, right[0]], codes, facecolor=fill or "none", edgecolor=line, linewidth=1.1)

    def blank(self, box: Box) -> None:
        """Draw a white rectangle."""
        from matplotlib.path import Path

        left, top, right, bottom = box.corners
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        self._add(corners, [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], facecolor=PAPER, linewidth=0)

    def text(self, box: Box, lines: tuple[str, ...], size: float, ink: str, *, centred: bool, bold: bool) -> None:
        """Write lines one by one; names are not read as mathematics, whatever dollar signs they have."""
        x, side = (box.x, "center") if centred else (box.corners[0], "left")
        style = {"fontsize": 0.72 * size, "color": ink, "weight": "bold" if bold else "normal", "zorder": 1}
        for line, middle in zip(lines, _middles(box, len(lines), size), strict=True):
            self._axes.text(x, middle, line, ha=side, va="center_baseline", parse_math=False, **style)

    def finish(self, suffix: str) -> bytes:
        """The content of a ``.png`` file, with two pixels for each of the scene, or of a ``.pdf`` file."""
        from matplotlib import rc_context

        title = self._title[:200].encode("latin-1", "replace").decode("latin-1")
        metadata = {"Title": title, **({"CreationDate": None} if suffix == ".pdf" else {})}
        buffer = io.BytesIO()
        with rc_context({"pdf.fonttype": 42}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph")  # An emoji that no font has is drawn as a box.
            self._figure.savefig(buffer, format=suffix[1:], dpi=_DPI, facecolor="white", metadata=metadata)
        return buffer.getvalue()


# ---- TikZ

_TEX_SCALE = 0.75


class TikzCanvas:
    r"""A ``tikzpicture`` for ``\input``; it needs TikZ and no library of it."""

    def __init__(self, scene: Scene) -> None:
        scale = f"{_TEX_SCALE}pt"
        self._lines = [
            "% Needs \\usepackage{tikz}; names outside Latin script need XeLaTeX or LuaLaTeX.",
            f"\\begin{{tikzpicture}}[x={scale}, y=-{scale}, line width=0.7pt, inner sep=0pt, outer sep=0pt]",
        ]
        self._colours: set[str] = set()

    def begin(self, kind: str, title: str) -> None:
        """Do nothing: there are no groups."""

    def end(self) -> None:
        """Do nothing."""

    def arrow(self, points: Array) -> None:
        """Draw a spline; TikZ adds the head."""
        pairs = [f"({x:.1f},{y:.1f})" for x, y in points]
        pieces = [f" .. controls {pairs[k]} and {pairs[k + 1]} .. {pairs[k + 2]}" for k in range(1, len(pairs), 3)]
        self._lines.append(f"  \\draw[-latex] {pairs[0]}{''.join(pieces)};")

    def pill(self, box: Box, fill: str | None, line: str) -> None:
        """Draw a rectangle with round corners."""
        style = f"draw={self._colour(line)}" + (f", fill={self._colour(fill)}" if fill else "")
        corner = box.height / 2 * _TEX_SCALE - 0.01
        self._lines.append(f"  \\path[{style}, rounded corners={corner:.2f}pt] {self._rectangle(box)};")

    def blank(self, box: Box) -> None:
        """Draw a white rectangle."""
        self._lines.append(f"  \\path[fill=white] {self._rectangle(box)};")

    def text(self, box: Box, lines: tuple[str, ...], size: float, ink: str, *, centred: bool, bold: bool) -> None:
        """Write each line as a node."""
        anchor, x = ("", box.x) if centred else ("[anchor=west]", box.corners[0])
        points, weight = size * 0.72, "\\bfseries " if bold else ""
        font = f"\\sffamily\\fontsize{{{points:.1f}}}{{{points * LINE:.1f}}}\\selectfont "
        colour = f"\\color{{{self._colour(ink)}}}"
        for line, middle in zip(lines, _middles(box, len(lines), size), strict=True):
            self._lines.append(
                f"  \\node{anchor} at ({x:.1f},{middle:.1f}) {{{font}{weight}{colour}{latex_letters(line)}}};"
            )

    def finish(self) -> str:
        """The whole picture."""
        return "\n".join([*self._lines, "\\end{tikzpicture}"]) + "\n"

    def _rectangle(self, box: Box) -> str:
        left, top, right, bottom = box.corners
        return f"({left:.1f},{top:.1f}) rectangle ({right:.1f},{bottom:.1f})"

    def _colour(self, colour: str) -> str:
        """The name of a colour, which is defined before it is used first."""
        name = f"graphfsa{colour[1:].upper()}"
        if name not in self._colours:
            self._colours.add(name)
            self._lines.append(f"  \\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}")
        return name
