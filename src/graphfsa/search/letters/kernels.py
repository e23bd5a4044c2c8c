"""The inner loops: roll-outs of a proposal, and what the wrong nodes follow from.

Unknowns are numbered: the entries ``state * num_values + value``, the letter of each state, the start of each input.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# Bound when a kernel is compiled.
is_wrong: Any = None
play: Any = None
spread: Any = None
explain: Any = None

NOBODY = -1
_ZERO: Any = np.int64(0)
"""A zero whose type is that of any other integer: for a literal one, helpers would be compiled once more."""


class LetterArrays(NamedTuple):
    """Graphs (CSR of their union), inputs, and what is wanted; ``target`` is -1 where that does not matter."""

    offsets: Any
    indptr: Any
    indices: Any
    inputs: Any
    target: Any
    ripe: Any
    steps: Any
    num_final: int


class Proposal(NamedTuple):
    """A table [states, values] (the number of states stands for undefined), ``after[value, state]``, the starts.

    ``after`` is the value that a node sees with one more neighbour in a state, so it knows the letters.
    """

    table: Any
    after: Any
    starts: Any


class Room(NamedTuple):
    """Where a graph is rolled out: states, and for each node-step the entry that was used, or -1 - final state."""

    states: Any
    following: Any
    history: Any
    marks: Any
    stamps: Any


def wrong_move(problem: LetterArrays, node: int, state: int, step: int, num_states: int) -> bool:
    """Whether a node must not be in a state after a step: undefined, another answer, or an answer too early."""
    if state == num_states:
        return True
    if state >= problem.num_final or problem.target[node] < 0:
        return False
    return state != problem.target[node] or step < problem.ripe[node]


def play_letters(problem: LetterArrays, proposal: Proposal, room: Room, graph: int) -> tuple[int, int, bool]:
    """Roll out one graph until a node is wrong. Returns the node (from 0 on), steps done, and whether all is still."""
    begin, size = problem.offsets[graph], problem.offsets[graph + 1] - problem.offsets[graph]
    num_states, num_values = proposal.table.shape
    states, following = room.states, room.following
    for node in range(size):
        states[node] = proposal.starts[problem.inputs[begin + node]]
        if is_wrong(problem, begin + node, states[node], _ZERO, num_states):
            return node, 0, False
    done, changed = 0, False
    while done < problem.steps[graph]:
        changed, culprit = False, NOBODY
        for node in range(size):
            state = states[node]
            following[node] = state
            room.history[done * size + node] = -1 - state
            if state < problem.num_final:
                continue
            value = 0
            for arc in range(problem.indptr[begin + node], problem.indptr[begin + node + 1]):
                near = states[problem.indices[arc] - begin]
                value = proposal.after[value, near]
            room.history[done * size + node] = state * num_values + value
            successor = proposal.table[state, value]
            if successor != state:
                following[node] = successor
                changed = True
                if culprit == NOBODY and is_wrong(problem, begin + node, successor, done + 1, num_states):
                    culprit = node
        done += 1
        if culprit != NOBODY:
            return culprit, done, False
        for node in range(size):
            states[node] = following[node]
        if not changed:
            break
    still = not changed
    for node in range(size):
        if problem.target[begin + node] >= 0 and states[node] != problem.target[begin + node]:
            return node, done, still
    return NOBODY, done, still


def spread_marks(problem: LetterArrays, room: Room, graph: int, done: int) -> None:
    """A state that is kept for ever follows from all nodes near enough to matter in the steps that are left."""
    begin, size = problem.offsets[graph], problem.offsets[graph + 1] - problem.offsets[graph]
    top = done * size
    for _ in range(min(problem.steps[graph] - done, size)):
        grown = False
        for node in range(size):
            if room.marks[top + node] != 1 or room.states[node] < problem.num_final:
                continue
            room.marks[top + node] = 2
            for arc in range(problem.indptr[begin + node], problem.indptr[begin + node + 1]):
                near = top + problem.indices[arc] - begin
                if room.marks[near] == 0:
                    room.marks[near] = 3
                    grown = True
        for node in range(size):
            if room.marks[top + node] == 3:
                room.marks[top + node] = 1
        if not grown:
            break


def explain_letters(
    problem: LetterArrays, proposal: Proposal, room: Room, graph: int, outcome: tuple[int, int, bool], stamp: int,
    unknowns: Any, place: int,
) -> int:  # fmt: skip
    """Write down the unknowns in the light cone of a wrong node, each once; returns where the next ones can begin."""
    culprit, done, still = outcome
    begin, size = problem.offsets[graph], problem.offsets[graph + 1] - problem.offsets[graph]
    num_states, num_values = proposal.table.shape
    letters = num_states * num_values
    marks = room.marks
    for k in range((done + 1) * size):
        marks[k] = 0
    marks[done * size + culprit] = 1
    if still:
        spread(problem, room, graph, done)
    for step in range(done - 1, -1, -1):
        here = step * size
        for node in range(size):
            if marks[here + size + node] == 0:
                continue
            marks[here + node] = 1
            entry = room.history[here + node]
            if entry < 0:
                continue
            if room.stamps[entry] != stamp:
                room.stamps[entry] = stamp
                unknowns[place] = entry
                place += 1
            for arc in range(problem.indptr[begin + node], problem.indptr[begin + node + 1]):
                near = problem.indices[arc] - begin
                marks[here + near] = 1
                seen = room.history[here + near]
                letter = letters + (seen // num_values if seen >= 0 else -1 - seen)
                if room.stamps[letter] != stamp:
                    room.stamps[letter] = stamp
                    unknowns[place] = letter
                    place += 1
    for node in range(size):
        start = letters + num_states + problem.inputs[begin + node]
        if marks[node] and room.stamps[start] != stamp:
            room.stamps[start] = stamp
            unknowns[place] = start
            place += 1
    return place


def find_lemmas(
    problem: LetterArrays, proposal: Proposal, room: Room, unknowns: Any, ends: Any, work: Any
) -> int:  # fmt: skip
    """Roll out the graphs until enough of them are wrong, and explain each; returns how many, 0 if all are right."""
    found, place = _ZERO, _ZERO
    for graph in range(len(problem.steps)):
        outcome = play(problem, proposal, room, graph)
        size = problem.offsets[graph + 1] - problem.offsets[graph]
        work[0] += size * (outcome[1] + 1)
        if outcome[0] == NOBODY:
            continue
        place = explain(problem, proposal, room, graph, outcome, found, unknowns, place)
        ends[found] = place
        found += 1
        work[0] += size * (outcome[1] + 1)
        if found == len(ends):
            break
    return found


def letter_uses(
    problem: LetterArrays, proposal: Proposal, room: Room, users: Any, shown: Any, wrong: Any, work: Any
) -> None:  # fmt: skip
    """Roll out every graph to its end: how many use each entry, which states are seen, the wrong nodes of each."""
    num_values = proposal.table.shape[1]
    for graph in range(len(problem.steps)):
        begin, size = problem.offsets[graph], problem.offsets[graph + 1] - problem.offsets[graph]
        states, following = room.states, room.following
        for node in range(size):
            states[node] = proposal.starts[problem.inputs[begin + node]]
        for _ in range(problem.steps[graph]):
            changed = False
            work[0] += size
            for node in range(size):
                state = states[node]
                following[node] = state
                if state < problem.num_final:
                    continue
                value = 0
                for arc in range(problem.indptr[begin + node], problem.indptr[begin + node + 1]):
                    near = states[problem.indices[arc] - begin]
                    shown[near] = True
                    value = proposal.after[value, near]
                if room.stamps[state * num_values + value] != graph:
                    room.stamps[state * num_values + value] = graph
                    users[state, value] += 1
                following[node] = proposal.table[state, value]
                changed = changed or following[node] != state
            for node in range(size):
                states[node] = following[node]
            if not changed:
                break
        for node in range(size):
            wrong[graph] += problem.target[begin + node] >= 0 and states[node] != problem.target[begin + node]


HELPERS: dict[str, dict[str, Any]] = {
    "find_lemmas": {
        "is_wrong": wrong_move,
        "play": play_letters,
        "spread": spread_marks,
        "explain": explain_letters,
    },
    "letter_uses": {},
}
"""What to bind to the names above, for each kernel that is called from outside."""
