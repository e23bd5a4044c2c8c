"""A scene as SVG, written by hand, and as PNG."""

from __future__ import annotations

import io
import re
import warnings
from html import escape
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.views._diagram_scene import FONT, LINE, Label, Node, Scene, head_of, shaft_of
from graphfsa.views._figure import new_figure

INK, PAPER, FAINT = "#222222", "#ffffff", "#666666"
_DARK = {"ink": "#e6e6e6", "paper": "#1d2024", "faint": "#a5adb5"}
_FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_RING = 4.0
_DPI = 192


def svg(scene: Scene) -> str:
    """The picture as a text of its own: no scripts, no fonts, nothing loaded; light on dark where that is preferred."""
    width, height = f"{scene.width:.0f}", f"{scene.height:.0f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{_FONTS}">',
        f"<title>{_safe(scene.title)}</title>",
        f"<style>{_style()}</style>",
        f'<rect class="paper" width="{width}" height="{height}" fill="{PAPER}"/>',
        *(_svg_arrow(arrow.points, arrow.title) for arrow in scene.arrows),
        *(_svg_node(node) for node in scene.nodes),
        *(_svg_label(label) for label in scene.labels),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _style() -> str:
    ink, paper, faint = (_DARK[name] for name in ("ink", "paper", "faint"))
    return (
        "@media (prefers-color-scheme: dark){"
        f".paper{{fill:{paper}}}.line{{stroke:{ink}}}.tip,.words{{fill:{ink}}}.faint{{fill:{faint}}}"
        f".ring{{stroke:{ink}}}}}"
    )


def _safe(text: str) -> str:
    # Signs that XML has no place for are refused by state names, but titles come from anywhere.
    return escape(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))


def _svg_arrow(points: Array, title: str) -> str:
    numbers = [f"{x:.1f} {y:.1f}" for x, y in shaft_of(points)]
    path = f"M{numbers[0]}C" + " ".join(numbers[1:])
    tip = " ".join(f"{x:.1f},{y:.1f}" for x, y in head_of(points))
    inner = f"<title>{_safe(title)}</title>" if title else ""
    kind = "arrow" if title else "start"
    return (
        f'<g class="{kind}">{inner}<path class="line" d="{path}" fill="none" stroke="{INK}" stroke-width="1.3"/>'
        f'<polygon class="tip" points="{tip}" fill="{INK}"/></g>'
    )


def _svg_node(node: Node) -> str:
    box = node.box
    rings = [_svg_ring(node, 0.0, node.fill)]
    if node.final:
        rings.append(_svg_ring(node, _RING, "none", ring=node.ink))
    text = (
        f'<text x="{box.x:.1f}" y="{box.y + 0.36 * FONT:.1f}" font-size="{FONT:g}" text-anchor="middle" '
        f'fill="{node.ink}">{_safe(node.text)}</text>'
    )
    return f'<g class="state"><title>{_safe(node.title)}</title>{"".join(rings)}{text}</g>'


def _svg_ring(node: Node, inset: float, fill: str, ring: str = "") -> str:
    left, top, right, bottom = node.box.corners
    width, height = right - left - 2 * inset, bottom - top - 2 * inset
    kind = "" if ring else 'class="ring" '
    return (
        f'<rect {kind}x="{left + inset:.1f}" y="{top + inset:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{height / 2:.1f}" fill="{fill}" stroke="{ring or INK}" stroke-width="{1.1 if ring else 1.5}"/>'
    )


def _svg_label(label: Label) -> str:
    left, top, _, _ = label.box.corners
    x = label.box.x if label.centred else left
    anchor = "middle" if label.centred else "start"
    kind, fill = ("faint", FAINT) if label.kind == "note" else ("words", INK)
    weight = ' font-weight="bold"' if label.kind == "key" else ""
    spans = [
        f'<tspan x="{x:.1f}" y="{top + label.size * (LINE * number + 0.97):.1f}">{_safe(line)}</tspan>'
        for number, line in enumerate(label.lines)
    ]
    text = (
        f'<text class="{kind}" font-size="{label.size:g}" text-anchor="{anchor}" fill="{fill}"{weight}>'
        f"{''.join(spans)}</text>"
    )
    if label.kind != "guard":
        return text
    return f'<g class="label"><title>{_safe(label.title)}</title>{_svg_patch(label)}{text}</g>'


def _svg_patch(label: Label) -> str:
    """What interrupts the lines under a label; an outline of the letters would do, but not everywhere."""
    left, top, _, _ = label.box.corners
    box = label.box
    return (
        f'<rect class="paper" x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'fill="{PAPER}" rx="2"/>'
    )


def png(scene: Scene) -> bytes:
    """The same picture, with two pixels for each of the scene."""
    figure = new_figure(scene.width / 96, scene.height / 96)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    for arrow in scene.arrows:
        _paint_arrow(axes, arrow.points)
    for node in scene.nodes:
        _paint_node(axes, node)
    for label in scene.labels:
        _paint_label(axes, label)
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # An emoji that no font has is drawn as a box.
        figure.savefig(
            buffer,
            format="png",
            dpi=_DPI,
            facecolor="white",
            metadata={"Title": scene.title[:200].encode("latin-1", "replace").decode("latin-1")},
        )
    return buffer.getvalue()


def _paint_arrow(axes: Any, points: Array) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    codes = [Path.MOVETO, *([Path.CURVE4] * (len(points) - 1))]
    axes.add_patch(PathPatch(Path(shaft_of(points), codes), fill=False, edgecolor=INK, linewidth=1, zorder=1))
    axes.add_patch(Polygon(head_of(points), facecolor=INK, linewidth=0, zorder=1))


def _paint_node(axes: Any, node: Node) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    box = node.box
    half = np.array(Path.arc(-90, 90).vertices)
    for inset, fill, ink in ((0.0, node.fill, INK), (_RING, "none", node.ink))[: 2 if node.final else 1]:
        radius, straight = box.height / 2 - inset, (box.width - box.height) / 2
        right = half * radius + np.array([box.x + straight, box.y])
        left = half * -radius + np.array([box.x - straight, box.y])
        outline = np.concatenate([right, left, right[:1]])
        curves = [Path.CURVE4] * (len(half) - 1)
        codes = [Path.MOVETO, *curves, Path.LINETO, *curves, Path.CLOSEPOLY]
        axes.add_patch(PathPatch(Path(outline, codes), facecolor=fill, edgecolor=ink, linewidth=1.1, zorder=2))
    _paint_text(axes, box.x, box.y, node.text, FONT, node.ink, ha="center")


def _paint_label(axes: Any, label: Label) -> None:
    from matplotlib.patches import Rectangle

    left, top, _, _ = label.box.corners
    if label.kind == "guard":
        patch = Rectangle((left, top), label.box.width, label.box.height, facecolor=PAPER, linewidth=0, zorder=1.5)
        axes.add_patch(patch)
    for number, line in enumerate(label.lines):
        y = top + label.size * LINE * (number + 0.5)
        _paint_text(
            axes,
            label.box.x if label.centred else left,
            y,
            line,
            label.size,
            FAINT if label.kind == "note" else INK,
            ha="center" if label.centred else "left",
            weight="bold" if label.kind == "key" else "normal",
        )


def _paint_text(axes: Any, x: float, y: float, text: str, size: float, ink: str, **options: Any) -> None:
    # Names are no mathematics, whatever dollar signs they have.
    axes.text(x, y, text, fontsize=0.72 * size, color=ink, va="center_baseline", zorder=3, parse_math=False, **options)
