"""What notebooks show of runs: a player, a picture or a table of facts, whichever stays small."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine import Trajectory
from graphfsa.errors import GraphFSAError
from graphfsa.html import Html, element, facts_html, join
from graphfsa.views._layout import layout_kind
from graphfsa.views._rollout_picture import rollout_figure
from graphfsa.views.figures import figure_bytes
from graphfsa.views.rollouts import Rollout, check_rollout

MAX_BYTES = 2 * 10**6
"""A notebook keeps what its cells show: no output is larger."""
MAX_NODES = 400
"""Nodes that are not cells of a lattice; the places of more take too long to find."""
MAX_SHOWN = 4 * 10**5
"""Nodes times frames."""


def trajectory_html(trajectory: Trajectory) -> str:
    """A run as HTML, for notebooks: everything escaped, nothing loaded, and at most about 2 MB.

    Recorded frames, or changes, are played. If nothing was recorded, there is a picture of the first and the last
    states. A run on a large graph is told in a table of facts, which every run has.
    """
    facts = facts_html("Trajectory", _facts(trajectory))
    if trajectory.graph.num_nodes > MAX_SHOWN:
        return facts
    times = _times(trajectory)
    if times is not None:
        states = np.stack([trajectory.at(int(time)) for time in times])
        trajectory = replace(trajectory, times=times, states=states)
    still = times is not None and len(times) <= 2
    return join([_player_or_picture(Rollout(trajectory), still=still), facts])


def rollout_html(rollout: Rollout) -> str:
    """A roll-out as HTML, for notebooks: a player, a picture if that would be too large, or a table of facts."""
    return _player_or_picture(rollout) or facts_html(rollout.title or "Roll-out", _facts(rollout.trajectory))


def player(page: str, title: str, **attributes: object) -> Html:
    """A page that plays a run, as a frame within another page, from which it is kept apart."""
    return element("iframe", sandbox="allow-scripts", title=title, srcdoc=page, **attributes)


def _player_or_picture(rollout: Rollout, *, still: bool = False) -> Html:
    """The player, or a picture; nothing if both would be too large."""
    graph = rollout.graph
    if layout_kind(graph) == "graph" and graph.num_nodes > MAX_NODES:
        return Html()
    try:
        if not still and rollout.frames.size <= MAX_SHOWN:
            page = rollout.html()
            if len(page) <= MAX_BYTES:
                return player(page, rollout.title or "Roll-out", width="100%", height=640, style="border: none")
        chosen = rollout.panels()
        check_rollout(graph, len(chosen.times), "x.png")
        content = figure_bytes(rollout_figure(chosen), ".png", dpi=80)
    except GraphFSAError:  # Too large in some way or other.
        return Html()
    if len(content) > MAX_BYTES // 2:
        return Html()
    source = f"data:image/png;base64,{b64encode(content).decode()}"
    return element("img", src=source, alt=rollout.title or "States at some steps", style="max-width: 100%")


def _times(trajectory: Trajectory) -> Array | None:
    """Steps to show of a run without frames: all that follow from its changes, else the first and the last."""
    if trajectory.states is not None:
        return None
    if trajectory.changes is not None and (trajectory.steps + 1) * len(trajectory.first) <= MAX_SHOWN:
        return np.arange(trajectory.steps + 1)
    return np.unique([0, trajectory.steps])


def _facts(trajectory: Trajectory) -> dict[str, Any]:
    rests = None if trajectory.stable_at is None else f"from step {trajectory.stable_at:,} on"
    cycle = None if trajectory.period in (None, 1) else f"every {trajectory.period:,} steps"
    counts = np.bincount(trajectory.last, minlength=trajectory.fsa.num_states).tolist()
    return {
        "nodes": len(trajectory.last),
        "steps": trajectory.steps,
        "at rest" if cycle is None else "repeats": " ".join(word for word in (cycle, rests) if word) or None,
        "recorded": None if trajectory.times is None else f"{len(trajectory.times):,} steps",
        "nodes that changed": int((trajectory.first != trajectory.last).sum()),
        "nodes in each state at the end": [
            f"{name}: {count:,}" for name, count in zip(trajectory.fsa.state_names, counts, strict=True) if count
        ],
        "kernels": trajectory.kernel,
    }
