"""The inner loops of questions about a space of configurations: what reaches what, and how long that may take."""

from __future__ import annotations

from typing import Any


def reverse(first_action: Any, first_arc: Any, targets: Any, heads: Any, origins: Any) -> None:
    """For each configuration those that lead to it, from ``heads[c]`` on."""
    for arc in range(len(targets)):
        heads[targets[arc] + 1] += 1
    for place in range(1, len(heads)):
        heads[place] += heads[place - 1]
    room = heads[:-1].copy()
    for source in range(len(first_action) - 1):
        for action in range(first_action[source], first_action[source + 1]):
            for arc in range(first_arc[action], first_arc[action + 1]):
                target = targets[arc]
                origins[room[target]] = source
                room[target] += 1


def backward(heads: Any, origins: Any, reached: Any, waiting: Any) -> int:
    """Mark all that can reach what is marked; ``waiting`` then has them, those marked at first first."""
    begin, end = 0, 0
    for place in range(len(reached)):
        if reached[place]:
            waiting[end] = place
            end += 1
    while begin < end:
        for arc in range(heads[waiting[begin]], heads[waiting[begin] + 1]):
            source = origins[arc]
            if not reached[source]:
                reached[source] = True
                waiting[end] = source
                end += 1
        begin += 1
    return end


def forward(
    first_action: Any, first_arc: Any, targets: Any, inside: Any, distance: Any, via: Any, waiting: Any
) -> None:
    """Breadth first from what has distance 0, within a region; ``via`` is the arc that first led to each."""
    begin, end = 0, 0
    for place in range(len(distance)):
        if distance[place] == 0:
            waiting[end] = place
            end += 1
    while begin < end:
        source = waiting[begin]
        begin += 1
        for arc in range(first_arc[first_action[source]], first_arc[first_action[source + 1]]):
            target = targets[arc]
            if inside[target] and distance[target] < 0:
                distance[target] = distance[source] + 1
                via[target] = arc
                waiting[end] = target
                end += 1


def sort(
    first_action: Any, first_arc: Any, targets: Any, heads: Any, origins: Any, region: Any, left: Any, order: Any
) -> int:
    """The configurations of a region so that each comes after all to which it leads; returns how many there are.

    Those on cycles, and those that lead to cycles, are not among them.
    """
    end = 0
    for source in range(len(region)):
        if region[source]:
            for arc in range(first_arc[first_action[source]], first_arc[first_action[source + 1]]):
                if region[targets[arc]]:
                    left[source] += 1
            if left[source] == 0:
                order[end] = source
                end += 1
    begin = 0
    while begin < end:
        target = order[begin]
        begin += 1
        for arc in range(heads[target], heads[target + 1]):
            source = origins[arc]
            if region[source]:
                left[source] -= 1
                if left[source] == 0:
                    order[end] = source
                    end += 1
    return end


def longest(first_action: Any, first_arc: Any, targets: Any, region: Any, order: Any, weights: Any, worst: Any) -> None:
    """The largest sum of weights of actions until a sorted region is left."""
    for place in range(len(order)):
        source = order[place]
        best = 0
        for action in range(first_action[source], first_action[source + 1]):
            for arc in range(first_arc[action], first_arc[action + 1]):
                further = weights[action]
                if region[targets[arc]]:
                    further += worst[targets[arc]]
                best = max(best, further)
        worst[source] = best


def sweep(first_action: Any, first_arc: Any, targets: Any, chances: Any, region: Any, order: Any, mean: Any) -> float:
    """Improve the expected numbers of steps until a region is left, each action being equally likely.

    Returns the largest change.
    """
    largest = 0.0
    for place in range(len(order)):
        source = order[place]
        total = 0.0
        for action in range(first_action[source], first_action[source + 1]):
            for arc in range(first_arc[action], first_arc[action + 1]):
                if region[targets[arc]]:
                    total += mean[targets[arc]] * (chances[arc] if len(chances) else 1.0)
        found = 1.0 + total / (first_action[source + 1] - first_action[source])
        largest = max(largest, abs(found - mean[source]))
        mean[source] = found
    return largest


def loop(
    start: int,
    full: int,
    bits: int,
    longest: int,
    first_action: Any,
    first_arc: Any,
    movers: Any,
    targets: Any,
    enabled: Any,
    allowed: Any,
    place_of: Any,
    stamp: Any,
    mark: int,
    via: Any,
    waiting: Any,
    depth: Any,
    work: Any,
) -> int:
    """The shortest closed walk from a configuration that leaves no node waiting, along allowed actions.

    ``full`` are the nodes that must be served: moved, or disabled somewhere. A state of the search is a configuration
    and the nodes that were served so far; its place is ``place_of[configuration] * bits + served``. Returns the number
    of states, the last of which closes the walk; 0 if there is no walk of at most ``longest`` steps.
    """
    served = ~enabled[start] & full
    waiting[0, 0], waiting[0, 1], depth[0], via[0] = start, served, 0, -1
    stamp[place_of[start] * bits + served] = mark
    begin, end = 0, 1
    while begin < end and depth[begin] < longest:
        source, served = waiting[begin, 0], waiting[begin, 1]
        for action in range(first_action[source], first_action[source + 1]):
            if not allowed[action]:
                continue
            for arc in range(first_arc[action], first_arc[action + 1]):
                work[0] += 1
                target = targets[arc]
                now = (served | movers[action] | ~enabled[target]) & full
                place = place_of[target] * bits + now
                closes = target == start and now == full
                if closes or stamp[place] != mark:
                    stamp[place] = mark
                    waiting[end, 0], waiting[end, 1] = target, now
                    waiting[end, 2], depth[end], via[end] = action, depth[begin] + 1, begin
                    end += 1
                    if closes:
                        return end
        begin += 1
    return 0


def pairs(
    region: Any,
    first_action: Any,
    movers: Any,
    targets: Any,
    enabled: Any,
    place_of: Any,
    bits: int,
    found: Any,
    list_of: Any,
    end: int,
) -> int:
    """Find every pair of a configuration of a region and the nodes for which its round still waits.

    The first ``end`` pairs are given; returns how many there are. Each action leads to one configuration.
    """
    begin = 0
    while begin < end:
        source, pending = list_of[begin, 0], list_of[begin, 1]
        begin += 1
        for action in range(first_action[source], first_action[source + 1]):
            target = targets[action]
            if region[target]:
                left = pending & ~movers[action] & enabled[target]
                if left == 0:
                    left = enabled[target]
                place = place_of[target] * bits + left
                if found[place] < 0:
                    found[place] = 0
                    list_of[end, 0], list_of[end, 1] = target, left
                    end += 1
    return end


def rounds(
    region: Any,
    first_action: Any,
    movers: Any,
    targets: Any,
    enabled: Any,
    place_of: Any,
    bits: int,
    found: Any,
    pairs: Any,
    most: int,
) -> bool:
    """The largest number of rounds that each pair may take, one that was begun included; False if it grows for ever."""
    changed = True
    while changed:
        changed = False
        for place in range(len(pairs) - 1, -1, -1):
            source, pending = pairs[place, 0], pairs[place, 1]
            best = 0
            for action in range(first_action[source], first_action[source + 1]):
                target = targets[action]
                if not region[target]:
                    best = max(best, 1)
                    continue
                left = pending & ~movers[action] & enabled[target]
                ended = left == 0
                if ended:
                    left = enabled[target]
                best = max(best, found[place_of[target] * bits + left] + (1 if ended else 0))
            if best > found[place_of[source] * bits + pending]:
                found[place_of[source] * bits + pending] = best
                changed = True
                if best > most:
                    return False
    return True
