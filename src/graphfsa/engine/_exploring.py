"""The inner loops of exploration: configurations are numbers, and each is entered together with its mirror images.

The digits of a number are the states of the nodes. ``index`` says which configuration each number belongs to, or -1;
numbers that a symmetry of the graph turns into each other belong to one. So images are made once for each configuration
that is found and not once for each move that leads to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Bound when a kernel is compiled: the aggregation's compiled encode, and the functions below.
encode_node: Any = None
enter: Any = None
emit: Any = None

SYNCHRONOUS, CENTRAL, DISTRIBUTED, LOCALLY_CENTRAL = 0, 1, 2, 3
CONFIGURATIONS, ACTIONS, ARCS, NEED_ACTIONS, NEED_ARCS = 0, 1, 2, 3, 4
NUM_COUNTS = 5
_ONE = np.int64(1)


def tabulate(
    begins: Any, indptr: Any, indices: Any, slots: Any, table: Any, parameters: Any, base: int, local: Any
) -> None:
    """What each node does for all states of those that it sees and of itself, from ``begins[node]`` on.

    The states of what it sees are the digits of a place, arc by arc, and its own state is the last digit.
    """
    num_nodes = len(begins) - 1
    sources = np.zeros(len(indices), np.int32)
    scratch = np.zeros(table.shape[0], np.int64)
    # As if every arc came from a node of its own.
    seen = np.zeros(len(indices) + 1, np.uint8)
    for arc in range(len(indices)):
        sources[arc] = arc
    for node in range(num_nodes):
        for place in range(begins[node + 1] - begins[node]):
            rest = place
            for arc in range(indptr[node], indptr[node + 1]):
                seen[arc] = rest % base
                rest //= base
            value = encode_node(seen, sources, slots, indptr[node], indptr[node + 1], parameters, scratch)
            local[begins[node] + place] = table[rest, value]


def enter_code(code: int, base: int, weights: Any, digits: Any, index: Any, codes: Any, sizes: Any, counts: Any) -> int:
    """The configuration that a number belongs to; a new one if it was never seen."""
    known = index[code]
    if known >= 0:
        return known
    number = counts[CONFIGURATIONS]
    counts[CONFIGURATIONS] += 1
    codes[number] = code
    if weights.shape[0] == 1:
        index[code] = number
        sizes[number] = 1
        return number
    rest = code
    for node in range(len(digits)):
        quotient = rest // base
        digits[node] = rest - quotient * base
        rest = quotient
    size = 0
    for image in range(weights.shape[0]):
        other = np.int64(0)
        for node in range(len(digits)):
            other += digits[node] * weights[image, node]
        if index[other] < 0:
            index[other] = number
            size += 1
    sizes[number] = size
    return number


def seed(
    begin: int, starts: Any, base: int, weights: Any, index: Any, codes: Any, sizes: Any, counts: Any
) -> int:  # fmt: skip
    """Enter starts until there is no room; returns the place of the first that was not entered."""
    digits = np.empty(weights.shape[1], np.int64)
    for place in range(begin, len(starts)):
        if counts[CONFIGURATIONS] >= len(codes):
            return place
        enter(starts[place], base, weights, digits, index, codes, sizes, counts)
    return len(starts)


def emit_action(
    chosen: int,
    code: int,
    states: Any,
    outcome: Any,
    first: Any,
    support: Any,
    chance: Any,
    base: int,
    weights: Any,
    index: Any,
    codes: Any,
    sizes: Any,
    movers: Any,
    first_arc: Any,
    targets: Any,
    chances: Any,
    counts: Any,
    members: Any,
    place: Any,
    digits: Any,
) -> None:
    """What comes of it if the chosen nodes move: an action, and an arc for each way their coins may fall."""
    number = 0
    for node in range(len(states)):
        if chosen >> node & 1:
            members[number] = node
            place[node] = first[outcome[node]]
            number += 1
    turning = True
    while turning:
        image, weight = code, 1.0
        for member in range(number):
            node = members[member]
            image += (np.int64(support[place[node]]) - np.int64(states[node])) * weights[0, node]
            weight *= chance[place[node]]
        arc = counts[ARCS]
        targets[arc] = enter(image, base, weights, digits, index, codes, sizes, counts)
        if len(chances):
            chances[arc] = weight
        counts[ARCS] += 1
        member, turning = 0, False
        while member < number and not turning:
            node = members[member]
            place[node] += 1
            if place[node] < first[outcome[node] + 1]:
                turning = True
            else:
                place[node] = first[outcome[node]]
                member += 1
    movers[counts[ACTIONS]] = chosen
    counts[ACTIONS] += 1
    first_arc[counts[ACTIONS]] = counts[ARCS]


def expand(
    begin: int,
    end: int,
    scheduler: int,
    indptr: Any,
    indices: Any,
    slots: Any,
    near: Any,
    begins: Any,
    local: Any,
    table: Any,
    first: Any,
    support: Any,
    chance: Any,
    parameters: Any,
    base: int,
    weights: Any,
    index: Any,
    codes: Any,
    sizes: Any,
    enabled: Any,
    first_action: Any,
    movers: Any,
    first_arc: Any,
    targets: Any,
    chances: Any,
    counts: Any,
) -> int:
    """Find what follows from configurations, in their order, until ``end``, or all, or until there is no room.

    Returns the first configuration that was not looked at; ``counts`` says how much room it needs.
    """
    num_nodes = weights.shape[1]
    states = np.empty(num_nodes, np.uint8)
    scratch = np.zeros(table.shape[0], np.int64)
    outcome = np.empty(num_nodes, np.int64)
    members = np.empty(num_nodes, np.int64)
    place = np.empty(num_nodes, np.int64)
    digits = np.empty(num_nodes, np.int64)
    configuration = begin
    while configuration < counts[CONFIGURATIONS] and configuration < end:
        code = codes[configuration]
        rest = code
        for node in range(num_nodes):
            quotient = rest // base
            states[node] = rest - quotient * base
            rest = quotient
        mask = np.int64(0)
        # How many sets may move, and how many ways their coins may fall, at most.
        sets, ways = 1.0, 1.0
        if scheduler == CENTRAL:
            sets, ways = 0.0, 0.0
        for node in range(num_nodes):
            if len(local):
                entry, power = begins[node], 1
                for arc in range(indptr[node], indptr[node + 1]):
                    entry += states[indices[arc]] * power
                    power *= base
                which = np.int64(local[entry + states[node] * power])
            else:
                value = encode_node(states, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)
                which = np.int64(table[states[node], value])
            outcome[node] = which
            width = first[which + 1] - first[which]
            if width > 1 or support[first[which]] != states[node]:
                mask |= _ONE << node
                if scheduler == SYNCHRONOUS:
                    ways *= width
                elif scheduler == CENTRAL:
                    sets += 1
                    ways += width
                else:
                    sets *= 2
                    ways *= 1 + width
        if (
            counts[ACTIONS] + sets > len(movers)
            or counts[ARCS] + ways > len(targets)
            or counts[CONFIGURATIONS] + ways > len(codes)
        ):
            counts[NEED_ACTIONS] = np.int64(min(sets, 1e15))
            counts[NEED_ARCS] = np.int64(min(ways, 1e15))
            return configuration
        enabled[configuration] = mask
        chosen = mask
        while chosen != 0:
            moves = chosen
            if scheduler == CENTRAL:
                moves = chosen & -chosen
            allowed = True
            if scheduler == LOCALLY_CENTRAL:
                for node in range(num_nodes):
                    if moves >> node & 1 and moves & near[node]:
                        allowed = False
            if allowed:
                emit(
                    moves, code, states, outcome, first, support, chance, base, weights, index, codes, sizes, movers,
                    first_arc, targets, chances, counts, members, place, digits,
                )  # fmt: skip
            if scheduler == SYNCHRONOUS:
                chosen = np.int64(0)
            elif scheduler == CENTRAL:
                chosen &= chosen - 1
            else:
                chosen = (chosen - 1) & mask
        configuration += 1
        first_action[configuration] = counts[ACTIONS]
    return configuration
