"""Roll-outs as one HTML file that needs nothing else: no network, no libraries, no server.

The run is embedded as one text in base 64, so nothing that a state is called can end up as markup. Inside are zlib-
compressed bytes: the length of a header (uint32), the header (JSON, padded with blanks to a multiple of 4 bytes), and
arrays of little-endian whole numbers, each padded likewise; ``arrays`` in the header says where.

For each frame and node there is one number: which entry of the table the node uses next. The state follows from it, and
so does what the page says about why a node moves. From frame to frame only differences are kept.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.engine import Trajectory, neighbourhood_values
from graphfsa.errors import LimitError, StateError
from graphfsa.graphs import Graph
from graphfsa.views._figure import state_colours
from graphfsa.views._places import Places

MAX_BYTES = 32 * 10**6
MAX_RULE_ENTRIES = 4096
"""The rules of larger tables are not shown: there are too many to be of help, and the search takes seconds."""
_FINEST = 2**16 - 1


def page_of(
    fsa: GraphFSA, graph: Graph, places: Places, trajectory: Trajectory, title: str, fps: float
) -> str:  # fmt: skip
    """The recorded steps as a page."""
    data = _packed(*_content(fsa, graph, places, trajectory, title, fps))
    page = _filled(title or "Roll-out", b64encode(data).decode())
    if len(page) > MAX_BYTES:
        raise LimitError(
            f"the page would take {len(page) / 10**6:,.0f} MB; at most {MAX_BYTES / 10**6:.0f} MB are written. "
            "Make fewer steps, show every k-th, or choose a .gif"
        )
    return page


def _filled(title: str, data: str) -> str:
    """The page with its parts in place; scripts and styles other than its own are forbidden to run."""
    script, style, page = (_part(suffix) for suffix in ("js", "css", "html"))
    parts = {
        "title": escape(title),
        "style": style,
        "script": script,
        "style-digest": _digest(style),
        "script-digest": _digest(script),
        "data": data,
    }
    # In one pass: what was filled in is not looked at again.
    return re.sub(r"@@([a-z-]+)@@", lambda found: parts[found[1]], page)


def _part(suffix: str) -> str:
    return files("graphfsa.views").joinpath(f"_page.{suffix}").read_text(encoding="utf-8").strip()


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _content(
    fsa: GraphFSA, graph: Graph, places: Places, trajectory: Trajectory, title: str, fps: float
) -> tuple[dict[str, Any], dict[str, Array]]:
    assert trajectory.states is not None and trajectory.times is not None
    used, entries = _entries(fsa, graph, trajectory.times, trajectory.states)
    values, value_of = np.unique(entries[1], return_inverse=True)
    lines, rule_of = _rules(fsa, entries)
    points = places.points if places.kind == "graph" else None
    corner, scale = (np.zeros(2), 1.0) if points is None else (points.min(axis=0), _scale(points))
    header = {
        "title": title,
        "fps": fps,
        "kind": places.kind,
        "height": places.height,
        "width": places.width,
        "near": round(places.near * scale, 1),
        "nodes": graph.num_nodes,
        "arcs": graph.num_arcs,
        "directed": not graph.symmetric,
        "states": fsa.state_names,
        "colours": state_colours(fsa.num_states),
        "final": fsa.final_states,
        "aggregation": str(fsa.aggregation),
        "values": [fsa.aggregation.decode(int(value), fsa.state_names) for value in values],
        "rules": lines,
        "times": trajectory.times.tolist(),
        "stable_at": trajectory.stable_at,
        "period": trajectory.period,
    }
    arrays = {
        "used": np.diff(used, axis=0, prepend=np.zeros_like(used[:1])),  # Whole numbers wrap around; so they do there.
        "entry_state": entries[0].astype("<u4"),
        "entry_value": value_of.astype("<u4"),
        "entry_next": fsa.transition_table[entries[0], entries[1]].astype("<u4"),
        "entry_rule": rule_of.astype("<u4"),
        "degrees": graph.degrees.astype("<u4"),
        # Sources as seen from their target: on a lattice these are the same few numbers again and again.
        "sources": (graph.indices.astype(np.int64) - graph.targets()).astype("<u4"),
    }
    if graph.slots is not None:
        arrays["slots"] = graph.slots.astype("u1")
    if points is not None:
        arrays["points"] = np.round((points - corner) * scale).astype("<u2")
    return header, arrays


def _scale(points: Array) -> float:
    return _FINEST / max(float(np.ptp(points, axis=0).max()), 1e-9)


def _entries(fsa: GraphFSA, graph: Graph, times: Array, frames: Array) -> tuple[Array, Array]:
    """Which entry each node uses in each frame, [frames, num_nodes], and the entries that are used, [2, number]."""
    codes = neighbourhood_values(fsa, graph, frames).astype(np.int64)
    codes += frames.astype(np.int64) * fsa.num_values
    table = fsa.transition_table.reshape(-1)
    follows = (table[codes[:-1]] == frames[1:]).all(axis=1)
    if not follows[np.diff(times) == 1].all():
        raise StateError("the trajectory must be a run of this automaton on this graph")
    seen = np.zeros(table.size, bool)
    seen[codes] = True
    entries = np.flatnonzero(seen)
    number = np.zeros(table.size, np.uint32)
    number[entries] = np.arange(len(entries))
    size = "u1" if len(entries) <= 2**8 else "<u2" if len(entries) <= 2**16 else "<u4"
    return number[codes].astype(size), np.stack(np.divmod(entries, fsa.num_values))


def _rules(fsa: GraphFSA, entries: Array) -> tuple[list[list[str]], Array]:
    """The rules of each state in words, and the place of the one that applies to each entry; none for a large table."""
    if fsa.transition_table.size > MAX_RULE_ENTRIES:
        return [], np.zeros(entries.shape[1], np.int64)
    rules = fsa.rules()
    return rules.lines(), rules.applied()[entries[0], entries[1]]


def _packed(header: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    place, directory, parts = 0, {}, []
    for name, array in arrays.items():
        content = array.tobytes()
        directory[name] = {"size": array.dtype.itemsize, "place": place, "length": array.size}
        parts.append(content + bytes(-len(content) % 4))
        place += len(parts[-1])
    text = json.dumps({**header, "arrays": directory}, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return zlib.compress(b"".join((len(text).to_bytes(4, "little"), text, *parts)), 6)
