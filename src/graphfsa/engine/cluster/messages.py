"""What workers tell each other: the states of rim nodes that changed since they were last told, packed.

A message is empty if nothing changed, or one byte for its form, the number of changed states (8 bytes), and

- ``ALL``: the states of all nodes that are sent, in as few bits as tell the states apart;
- ``MASKED``: a bit for each node, whether it changed, and the changed states;
- ``LISTED``: the places of those that changed, 4 bytes each, and their states;

whichever is shortest.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine.compiling import compile_kernel

ALL, MASKED, LISTED = range(3)
_HEADER = 9


def _find_changes(states: Any, nodes: Any, told: Any, places: Any, changed: Any) -> int:
    """Note which of the nodes have other states than was told, and that they are told now."""
    count = 0
    for place in range(len(nodes)):
        state = states[nodes[place]]
        # No branch: whether a node changed is as good as random. What is noted in vain is written over.
        places[count] = place
        changed[count] = state
        count += state != told[place]
        told[place] = state
    return count


def _pack(values: Any, bits: int, packed: Any) -> int:
    """Several values a byte, the first in the lowest bits."""
    each = 8 // bits
    for place in range(len(packed)):
        byte = 0
        for part in range(min(each, len(values) - place * each)):
            byte |= np.int64(values[place * each + part]) << (part * bits)
        packed[place] = byte
    return 0


def _put_all(packed: Any, bits: int, nodes: Any, states: Any) -> int:
    """Unpack the state of every node."""
    each, most = 8 // bits, (1 << bits) - 1
    for first in range(len(packed)):
        byte = np.int64(packed[first])
        for place in range(first * each, min((first + 1) * each, len(nodes))):
            states[nodes[place]] = byte & most
            byte >>= bits
    return 0


@cache
def _kernels() -> tuple[Any, Any, Any]:
    return compile_kernel(_find_changes), compile_kernel(_pack), compile_kernel(_put_all)


def bits_of(num_states: int) -> int:
    """The number of bits that a state takes: 1, 2, 4 or 8."""
    return next(bits for bits in (1, 2, 4, 8) if num_states <= 1 << bits)


class Sender:
    """Tells one other part about some nodes.

    Args:
        nodes: The nodes, by their numbers here, int32.
        num_states: Number of states of the automaton.
    """

    def __init__(self, nodes: Array, num_states: int) -> None:
        self._nodes = nodes
        self._bits = bits_of(num_states)
        self._told = np.empty(len(nodes), np.uint8)
        self._places = np.empty(len(nodes), np.int32)
        self._changed = np.empty(len(nodes), np.uint8)

    def begin(self, states: Array) -> None:
        """The other part knows these states, uint8 [nodes here]."""
        self._told[:] = states[self._nodes]

    def message(self, states: Array) -> Array:
        """What changed, uint8."""
        find, pack, _ = _kernels()
        count = find(states, self._nodes, self._told, self._places, self._changed)
        if not count:
            return np.empty(0, np.uint8)
        number, each = len(self._nodes), 8 // self._bits
        after = -(-count // each)
        sizes = {ALL: -(-number // each), MASKED: -(-number // 8) + after, LISTED: 4 * count + after}
        form = min(sizes, key=sizes.__getitem__)
        message = np.empty(_HEADER + sizes[form], np.uint8)
        message[0] = form
        message[1:_HEADER] = np.array([count], "<i8").view(np.uint8)
        body = message[_HEADER:]
        if form == ALL:
            pack(self._told, self._bits, body)
            return message
        if form == MASKED:
            mask = np.zeros(number, bool)
            mask[self._places[:count]] = True
            body[: len(body) - after] = np.packbits(mask, bitorder="little")
        else:
            body[: 4 * count] = self._places[:count].astype("<i4").view(np.uint8)
        pack(self._changed[:count], self._bits, body[len(body) - after :])
        return message


class Receiver:
    """Hears from one other part about some nodes.

    Args:
        nodes: The nodes, by their numbers here, in the order in which the other part sends them, int32.
        num_states: Number of states of the automaton.
    """

    def __init__(self, nodes: Array, num_states: int) -> None:
        self._nodes = nodes
        self._bits = bits_of(num_states)

    def take(self, message: Array, states: Array) -> None:
        """Write what changed into the states, uint8 [nodes here]."""
        if not len(message):
            return
        form, count = int(message[0]), int(message[1:_HEADER].copy().view("<i8")[0])
        body, put = message[_HEADER:], _kernels()[2]
        if form == ALL:
            put(body, self._bits, self._nodes, states)
            return
        after = -(-count // (8 // self._bits))
        head, packed = body[: len(body) - after], body[len(body) - after :]
        if form == MASKED:
            places = np.flatnonzero(np.unpackbits(head, count=len(self._nodes), bitorder="little"))
        else:
            places = head.copy().view("<i4")
        put(packed, self._bits, self._nodes[places], states)
