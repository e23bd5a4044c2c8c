"""What nodes see, and which of them are enabled because of it: looked at again where something has changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.engine._enabled import ENABLED, OWED

encode_node: Any = None
flip: Any = None
look: Any = None
"""Bound when a kernel is compiled."""


def look_about(
    node: int,
    step: int,
    looks: bool,
    states: Any,
    indptr: Any,
    indices: Any,
    slots: Any,
    parameters: Any,
    scratch: Any,
    seen: Any,
    seen_slots: Any,
    absent: Any,
    losses: Any,
    key: Any,
) -> int:
    """What a node sees: all arcs that are there, or when it ``looks`` those whose messages are not lost."""
    begin, end = indptr[node], indptr[node + 1]
    if len(seen) == 0:
        return encode_node(states, indices, slots, begin, end, parameters, scratch)
    count = 0
    for arc in range(begin, end):
        hidden = absent[arc] > 0
        if looks and not hidden:
            for place in range(len(losses)):
                purpose, bound, first, stop = losses[place, 0], losses[place, 1], losses[place, 2], losses[place, 3]
                if first <= step < stop:
                    number = flip(np.uint64(purpose), np.uint64(arc), np.uint64(step), key[0], key[1], key[2])
                    hidden = hidden or number < np.uint64(bound)
        if not hidden:
            seen[count] = indices[arc]
            if len(slots):
                seen_slots[count] = slots[arc]
            count += 1
    return encode_node(states, seen, seen_slots, 0, count, parameters, scratch)


def look_at_all(
    node: int,
    step: int,
    looks: bool,
    states: Any,
    indptr: Any,
    indices: Any,
    slots: Any,
    parameters: Any,
    scratch: Any,
    seen: Any,
    seen_slots: Any,
    absent: Any,
    losses: Any,
    key: Any,
) -> int:
    """``look_about`` without faults: less to compile."""
    return encode_node(states, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)


def enqueue_seers(node: int, num_queue: int, out_indptr: Any, out_indices: Any, queue: Any, queued: Any) -> int:
    """Remember to look again at a node that has changed and at those that see it."""
    if not queued[node]:
        queued[node] = 1
        queue[num_queue] = node
        num_queue += 1
    for arc in range(out_indptr[node], out_indptr[node + 1]):
        seer = out_indices[arc]
        if not queued[seer]:
            queued[seer] = 1
            queue[num_queue] = seer
            num_queue += 1
    return num_queue


def revise_all(
    num_queue: int,
    queue: Any,
    queued: Any,
    states: Any,
    cells: Any,
    counts: Any,
    tops: Any,
    table: Any,
    sure: Any,
    crashed: Any,
    lying: Any,
    about: Any,
    indptr: Any,
    indices: Any,
    slots: Any,
    parameters: Any,
    scratch: Any,
    seen: Any,
    seen_slots: Any,
    absent: Any,
    losses: Any,
    key: Any,
) -> None:
    """Look again at the nodes in the queue, and keep the set of enabled nodes and of those that are owed a move."""
    for place in range(num_queue):
        node = queue[place]
        queued[node] = 0
        value = look(
            node,
            0,
            False,
            states,
            indptr,
            indices,
            slots,
            parameters,
            scratch,
            seen,
            seen_slots,
            absent,
            losses,
            key,
        )
        entry = np.int64(table[states[node], value])
        now = np.int64(sure[entry] != states[node])
        if len(crashed) and (crashed[node] or lying[node]):
            now = np.int64(0)
        cell = np.int64(cells[node])
        if now != cell & 1:
            more = 1 if now else -1
            about[ENABLED] += more
            block = np.int64(node)
            for level in range(len(tops) - 1):
                block >>= 6
                counts[tops[level] + block] += more
            if not now:
                about[OWED] -= (cell >> 1) & 1
                cell = 0
        cells[node] = (entry << 2) | (cell & 2) | now
