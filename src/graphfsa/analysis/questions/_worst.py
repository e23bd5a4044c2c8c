"""The run that takes longest before something holds: what the worst of all schedulers would do."""

from __future__ import annotations

import numpy as np

from graphfsa.analysis.questions._answers import Run
from graphfsa.analysis.questions._judging import Instance, Judgement, Question, judged, run_along
from graphfsa.errors import LimitError

_MAX_SEARCH = 200_000


def worst_run(question: Question, instance: Instance) -> Run | None:
    """The run with the most steps, or the most rounds if the number of steps has no limit; None if that is too much."""
    try:
        found = judged(question, instance, symmetric=False)
    except LimitError:
        return None
    if found.steps is not None:
        return _most_steps(found, found.steps)
    return None if found.rounds is None else _most_rounds(found)


def _most_steps(found: Judgement, steps: np.ndarray) -> Run:
    space = found.space
    place = int(np.argmax(np.where(found.starts, steps, -1)))
    places, actions = [place], list[int]()
    while found.waiting[place]:
        for action in range(int(space.first_action[place]), int(space.first_action[place + 1])):
            arcs = range(int(space.first_arc[action]), int(space.first_arc[action + 1]))
            targets = [int(space.targets[arc]) for arc in arcs]
            longest = max(targets, key=lambda target: int(steps[target]))
            if steps[longest] == steps[place] - 1:
                break
        else:
            raise AssertionError("some action takes as long as the longest")
        place = longest
        places.append(place)
        actions.append(action)
    return run_along(found, places, actions, None, True)


def _most_rounds(found: Judgement) -> Run | None:
    """From pair to pair of a configuration and the nodes that its round waits for, never losing a round."""
    assert found.rounds is not None
    numbers, place_of, _ = found.rounds
    bits = 1 << found.space.graph.num_nodes
    starts = np.flatnonzero(found.starts & found.waiting)
    if not len(starts):
        return run_along(found, [0], [], None, True)
    worst = numbers[place_of[starts] * bits + found.space.enabled[starts]]
    pair = int(starts[np.argmax(worst)]), int(found.space.enabled[starts[np.argmax(worst)]])
    places, actions = [pair[0]], list[int]()
    while found.waiting[pair[0]]:
        way = _to_next_round(found, numbers, place_of, bits, pair)
        if way is None:
            return None
        for action, pair in way:
            actions.append(action)
            places.append(pair[0])
    return run_along(found, places, actions, None, True)


def _to_next_round(
    found: Judgement, numbers: np.ndarray, place_of: np.ndarray, bits: int, start: tuple[int, int]
) -> list[tuple[int, tuple[int, int]]] | None:
    """The shortest way on which a round ends and as many are left as there can be."""
    space = found.space
    wanted = int(numbers[place_of[start[0]] * bits + start[1]])
    before: dict[tuple[int, int], tuple[int, tuple[int, int]]] = {}
    waiting = [start]
    while waiting and len(before) < _MAX_SEARCH:
        following: list[tuple[int, int]] = []
        for pair in waiting:
            for action in range(int(space.first_action[pair[0]]), int(space.first_action[pair[0] + 1])):
                target = int(space.targets[action])
                left = pair[1] & ~int(space.movers[action]) & int(space.enabled[target])
                after = target, left or int(space.enabled[target])
                further = int(numbers[place_of[target] * bits + after[1]]) if found.waiting[target] else 0
                ends = not left or not found.waiting[target]
                if ends and further == wanted - 1:
                    return [*_way(before, pair, start), (action, after)]
                if not ends and further == wanted and after not in before and after != start:
                    before[after] = action, pair
                    following.append(after)
        waiting = following
    return None


def _way(
    before: dict[tuple[int, int], tuple[int, tuple[int, int]]], pair: tuple[int, int], start: tuple[int, int]
) -> list[tuple[int, tuple[int, int]]]:
    """The actions and pairs from the start to a pair."""
    way: list[tuple[int, tuple[int, int]]] = []
    while pair != start:
        way.append((before[pair][0], pair))
        pair = before[pair][1]
    return way[::-1]
