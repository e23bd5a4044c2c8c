"""Where Graphviz would put everything, if it is installed. It is told numbers and sizes only, never a name."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.views._diagram_layout import Placed, Plan, flaws_of, in_pill
from graphfsa.views._diagram_scene import Box

TIMEOUT = 5.0
_POINTS = 72.0


def place_by_graphviz(plan: Plan, *, timeout: float = TIMEOUT) -> Placed | None:
    """The layout of ``dot``; None if it is not there, takes too long, fails, or says something unexpected."""
    program = shutil.which("dot")
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "-Tjson0"], input=_source(plan), capture_output=True, text=True, timeout=timeout, check=True
        )
        return _read(plan, json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, IndexError, TypeError):
        return None


def _source(plan: Plan) -> str:
    lines = ["digraph {", 'rankdir=LR; nodesep=0.45; ranksep=0.3; node [fixedsize=true, label=""];']
    for number, (width, height) in enumerate(plan.sizes):
        shape = "circle" if width == height else "box"
        lines.append(f"n{number} [shape={shape}, width={width / _POINTS:.4f}, height={height / _POINTS:.4f}];")
    if plan.right and len(plan.right) < len(plan.sizes):
        lines.append("{rank=max; " + " ".join(f"n{state};" for state in plan.right) + "}")
    for number, state in enumerate(plan.starting):
        lines.append(f"i{number} [shape=point, style=invis, width=0.02, height=0.02];")
        lines.append(f"i{number} -> n{state} [stub={number}, arrowhead=none, weight=3, len=0.4];")
    for number, ((first, second), (width, height)) in enumerate(zip(plan.arrows, plan.labels, strict=True)):
        size = f'fixedsize="true" width="{width + 8:.0f}" height="{height + 4:.0f}"'
        label = f'<<table border="0" cellborder="0" cellpadding="0" cellspacing="0" {size}><tr><td></td></tr></table>>'
        lines.append(f"n{first} -> n{second} [arrow={number}, arrowhead=none, label={label}];")
    return "\n".join([*lines, "}"])


def _read(plan: Plan, answer: Any) -> Placed:
    centres = {thing["name"]: _point(thing["pos"]) for thing in answer["objects"] if "pos" in thing}
    nodes = tuple(_box(centres[f"n{k}"], size) for k, size in enumerate(plan.sizes))
    curves: dict[int, Array] = {}
    labels: dict[int, Box] = {}
    stubs: dict[int, Array] = {}
    for edge in answer["edges"]:
        points = np.array([_point(pair) for pair in edge["pos"].split() if pair[0] not in "es"])
        if "stub" in edge:
            number = int(edge["stub"])
            stubs[number] = _to_edge(points, nodes[plan.starting[number]])
            continue
        number = int(edge["arrow"])
        curves[number] = _to_edge(points, nodes[plan.arrows[number][1]])
        labels[number] = _box(_point(edge["lp"]), plan.labels[number])
    every = range(len(plan.arrows))
    if any((len(curves[number]) - 1) % 3 for number in every):
        raise ValueError("not a cubic spline")
    boxes, lines = tuple(labels[number] for number in every), tuple(curves[number] for number in every)
    marks = tuple(stubs[number] for number in range(len(plan.starting)))
    return Placed(nodes, lines, boxes, marks, flaws_of(plan, nodes, lines, boxes, marks))


def _box(centre: Array, size: tuple[float, float]) -> Box:
    return Box(float(centre[0]), float(centre[1]), *size)


def _point(text: str) -> Array:
    x, y = text.split(",")
    return np.array([float(x), -float(y)])


def _to_edge(points: Array, box: Box) -> Array:
    """The end moved to the outline, which is round where the box that Graphviz knows has corners."""
    along = points[-1] - points[-2]
    along = along / max(float(np.hypot(*along)), 1e-9)
    options = points[-1] + np.linspace(-4, 14, 37)[:, None] * along
    hit = np.flatnonzero(in_pill(options, box, 3.0))
    moved = points.copy()
    if len(hit):
        moved[-1] = options[hit[0]]
    return moved
