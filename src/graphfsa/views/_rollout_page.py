"""Roll-outs as one HTML file that needs nothing else: no network, no libraries, no server.

The run is embedded as one text in base 64, so nothing that a state is called can end up as markup. Inside are zlib-
compressed bytes: the length of a header (uint32), the header (JSON, padded with blanks to a multiple of 4 bytes), and
arrays of little-endian integers, each padded likewise; ``arrays`` in the header says where.

For each frame and node there is one number: which entry of the table the node uses next. The state follows from it, and
so does what the page says about why a node moves. From frame to frame only differences are kept.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.rules import StateNames, plain_name, sight_words
from graphfsa.engine import neighbourhood_values
from graphfsa.errors import LimitError, StateError
from graphfsa.graphs import Graph
from graphfsa.html import Html, fill
from graphfsa.views.pages import page, resource

if TYPE_CHECKING:
    from graphfsa.views.rollouts import Rollout

MAX_BYTES = 32 * 10**6
MAX_RULE_ENTRIES = 4096
"""The rules of larger tables are not shown: there are too many to be of help, and the search takes seconds."""
_FINEST = 2**16 - 1


def rollout_page(rollout: Rollout) -> str:
    """All frames as a page that plays them."""
    style, script = player_style(), player_script()
    title = rollout.title or "Roll-out"
    data = b64encode(_packed(*_content(rollout))).decode()
    body = fill(resource("_rollout_page.html"), title=title, data=data, script=Html(script))
    found = page(title, body, style=style, script=script)
    if len(found) > MAX_BYTES:
        raise LimitError(
            f"the page would take {len(found) / 10**6:,.0f} MB; at most {MAX_BYTES / 10**6:.0f} MB are written. "
            "Make fewer steps, show every k-th, or choose a .gif"
        )
    return found


def player_style() -> str:
    """The style sheet of every such page."""
    return resource("_rollout_page.css")


def player_script() -> str:
    """The script of every such page."""
    return resource("_rollout_page.js")


def _content(rollout: Rollout) -> tuple[dict[str, Any], dict[str, Array]]:
    fsa, graph, layout = rollout.fsa, rollout.graph, rollout.layout
    scheduled = rollout.trajectory.scheduler is not None
    used, entries = _entries(fsa, graph, rollout)
    moved = _moved(rollout)
    values, value_of = np.unique(entries[1], return_inverse=True)
    lines, rule_of = _rules(fsa, entries)
    points = layout.points if layout.kind == "graph" else None
    corner, scale = (np.zeros(2), 1.0) if points is None else (points.min(axis=0), _scale(points))
    header = {
        "title": rollout.title,
        "speed": rollout.speed,
        "kind": layout.kind,
        "height": layout.height,
        "width": layout.width,
        "spacing": round(layout.spacing * scale, 1),
        "nodes": graph.num_nodes,
        "node_names": None if graph.node_names is None else [str(name) for name in graph.node_names],
        "arcs": graph.num_arcs,
        "edges": (graph.num_arcs + int((graph.indices == graph.targets()).sum())) // 2,
        "directed": not graph.symmetric,
        "states": fsa.state_names,
        "colours": rollout.state_colours,
        "own_colours": [fsa.state_names.index(name) for name in rollout.colours or ()],
        "final": fsa.final_states,
        "sees": sight_words(fsa.aggregation, StateNames(fsa.state_names, plain_name)),
        "example": _example(rollout),
        "values": [fsa.aggregation.decode(int(value), fsa.state_names) for value in values],
        "rules": lines,
        "times": rollout.times.tolist(),
        "coins": isinstance(fsa, StochasticFSA),
        "stable_at": rollout.trajectory.stable_at,
        "period": rollout.trajectory.period,
        "scheduled": scheduled,
    }
    arrays = {
        "used": np.diff(used, axis=0, prepend=np.zeros_like(used[:1])),  # Integers wrap around; so they do there.
        "entry_state": entries[0].astype("<u4"),
        "entry_value": value_of.astype("<u4"),
        # Where coins lead is only seen in the next frame.
        "entry_next": (entries[0] if header["coins"] else fsa.transition_table[entries[0], entries[1]]).astype("<u4"),
        "entry_rule": rule_of.astype("<u4"),
        "degrees": graph.degrees.astype("<u4"),
        # Sources as seen from their target: on a lattice these are the same few numbers again and again.
        "sources": (graph.indices.astype(np.int64) - graph.targets()).astype("<u4"),
    }
    if moved is not None:
        arrays["moved"] = moved.astype("u1")
    if graph.slots is not None:
        arrays["slots"] = graph.slots.astype("u1")
    if points is not None:
        arrays["points"] = np.round((points - corner) * scale).astype("<u2")
    return header, arrays


def _example(rollout: Rollout) -> dict[str, Any] | None:
    """What is known of each node: what it is given, what is right, what it answers and after which step."""
    example = rollout.example
    if example is None:
        return None
    wrong = [
        node
        for node, (label, answer) in enumerate(zip(example.labels, example.predictions, strict=True))
        if label not in (None, answer)
    ]
    return {
        "inputs": example.inputs,
        "labels": example.labels,
        "answers": example.predictions,
        "step": example.steps,
        "wrong": wrong,
    }


def _scale(points: Array) -> float:
    return _FINEST / max(float(np.ptp(points, axis=0).max()), 1e-9)


def _moved(rollout: Rollout) -> Array | None:
    """Which nodes move after each frame, bool [frames, num_nodes]; None if nobody chose them."""
    moves, loop = rollout.trajectory.movers, rollout.trajectory.stable_at
    if moves is None:
        return None
    moved = np.zeros(rollout.frames.shape, bool)
    for frame, time in enumerate(rollout.times.tolist()):
        # At the end of a run that repeats itself it goes on as before.
        step = loop if time == len(moves) and loop is not None else time
        if step < len(moves):
            moved[frame, list(moves[step])] = True
    return moved


def _entries(fsa: GraphFSA | StochasticFSA, graph: Graph, rollout: Rollout) -> tuple[Array, Array]:
    """Which entry each node uses in each frame, [frames, num_nodes], and the entries that are used, [2, number]."""
    frames, moved = rollout.frames, _moved(rollout)
    codes = neighbourhood_values(fsa, graph, frames).astype(np.int64)
    codes += frames.astype(np.int64) * fsa.num_values
    table = fsa.transition_table.reshape(-1)
    places = table[codes[:-1]]
    follows: Array = np.asarray(places == frames[1:])
    if isinstance(fsa, StochasticFSA):
        follows = fsa.outcomes[places, frames[1:]] > 0
    if moved is not None:
        follows = np.where(moved[:-1], follows, frames[1:] == frames[:-1])
    # With a scheduler or faults, and nobody who says which nodes were chosen, any frame may follow.
    checked = moved is not None or rollout.trajectory.scheduler is None
    if checked and not follows[np.diff(rollout.times) == 1].all():
        raise StateError("the trajectory must be a run of this automaton on this graph")
    seen = np.zeros(table.size, bool)
    seen[codes] = True
    entries = np.flatnonzero(seen)
    number = np.zeros(table.size, np.uint32)
    number[entries] = np.arange(len(entries))
    size = "u1" if len(entries) <= 2**8 else "<u2" if len(entries) <= 2**16 else "<u4"
    return number[codes].astype(size), np.stack(np.divmod(entries, fsa.num_values))


def _rules(fsa: GraphFSA | StochasticFSA, entries: Array) -> tuple[list[list[str]], Array]:
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
