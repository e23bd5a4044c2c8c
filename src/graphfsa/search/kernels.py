"""The inner loops of the searches: plain functions in the subset of Python that the engine's compiler takes.

They get a problem as a tuple of arrays and a flat table: entry ``state * num_values + value``. They count their work in
node-steps, so that limits do not depend on the speed of a machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# Bound when a kernel is compiled: the aggregation's compiled encode, and the functions below.
encode_node: Any = None
draw: Any = None
roll_out: Any = None
decide: Any = None
play: Any = None
differs: Any = None
explain: Any = None
jump_back: Any = None

PAUSED, FOUND, EXHAUSTED, TOO_DEEP = 0, 1, 2, 3
WORK, LEVEL, GRAPH, AGAIN, CONFLICTS, CULPRIT, DONE, STABLE = 0, 1, 2, 3, 4, 5, 6, 7
NUM_CONTROLS = 8
NOBODY, NO_ROOM, EVERYBODY = -1, -2, -3


class Arrays(NamedTuple):
    """A problem: the union of its graphs (CSR), what is wanted, and the sizes of the table.

    The graphs of ``order`` must get their targets; if there is a ``question`` (a graph, else -1), one of its nodes must
    end otherwise than in its state of ``answers``, where -1 stands for any state that is not final. Annealing leaves
    entries as they are that are ``fixed``.
    """

    offsets: Any
    indptr: Any
    indices: Any
    slots: Any
    start: Any
    target: Any
    ripe: Any
    steps: Any
    order: Any
    question: int
    answers: Any
    fixed: Any
    parameters: Any
    num_values: int
    num_states: int
    num_final: int


class Decisions(NamedTuple):
    """The state of a lazy search; a level is one decided entry."""

    table: Any
    level_of: Any
    entry_at: Any
    graph_at: Any
    used_before: Any
    candidates: Any
    number: Any
    pointer: Any
    conflict_sets: Any
    reason: Any
    history: Any
    marks: Any
    states: Any
    after: Any
    scratch: Any


def random_below(generator: Any, limit: int) -> int:
    """A number in ``0 .. limit - 1`` from a SplitMix64 generator whose state is in an array."""
    generator[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = generator[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return int((mixed >> np.uint64(33)) % np.uint64(limit))


def roll_out_graph(
    problem: Arrays, graph: int, table: Any, states: Any, after: Any, scratch: Any, stamps: Any, stamp: int, used: Any
) -> tuple[int, int, int]:
    """Run one graph; collect the entries that it uses, each once. Returns (wrong nodes, entries used, node-steps)."""
    begin, end = problem.offsets[graph], problem.offsets[graph + 1]
    for node in range(begin, end):
        states[node] = problem.start[node]
    count = 0
    work = 0
    for _ in range(problem.steps[graph]):
        changed = False
        work += end - begin
        for node in range(begin, end):
            state = states[node]
            after[node] = state
            if state < problem.num_final:
                continue
            first, last = problem.indptr[node], problem.indptr[node + 1]
            value = encode_node(states, problem.indices, problem.slots, first, last, problem.parameters, scratch)
            entry = state * problem.num_values + value
            if stamps[entry] != stamp:
                stamps[entry] = stamp
                used[count] = entry
                count += 1
            if table[entry] != state:
                after[node] = table[entry]
                changed = True
        for node in range(begin, end):
            states[node] = after[node]
        if not changed:
            break
    wrong = 0
    for node in range(begin, end):
        if problem.target[node] >= 0 and states[node] != problem.target[node]:
            wrong += 1
    return wrong, count, work


def evaluate(problem: Arrays, table: Any, wrong: Any, seen: Any, last: Any, scratch: Any) -> None:
    """Run all graphs: the number of wrong nodes of each, how many graphs use each entry, and the last states."""
    after = np.empty(len(problem.start), np.uint8)
    stamps = np.full(len(table), -1, np.int64)
    used = np.empty(len(table), np.int64)
    for graph in range(len(problem.steps)):
        bad, count, _ = roll_out(problem, graph, table, last, after, scratch, stamps, graph, used)
        wrong[graph] = bad
        for place in range(count):
            seen[used[place]] += 1


def decide_entry(
    problem: Arrays, search: Decisions, control: Any, generator: Any, mode: int, entry: int, node: int, step: int
) -> bool:
    """Choose a successor for an entry that is needed now; False if there is no room for another decision.

    States that are alike and that no decision so far has in use can be swapped, so only the first of them is tried.
    """
    level = control[LEVEL]
    if level >= len(search.entry_at):
        return False
    search.entry_at[level] = entry
    search.graph_at[level] = control[GRAPH]
    search.level_of[entry] = level
    search.pointer[level] = 0
    for word in range(len(search.reason)):
        search.conflict_sets[level, word] = 0
    state = entry // problem.num_values
    order = search.candidates[level]
    wanted = -1
    if mode % 2 == 0 and (problem.num_final == 0 or step + 1 >= problem.ripe[node]):
        wanted = problem.target[node]
    stay = state if mode < 4 else -1
    fixed = 0
    if wanted >= 0:
        order[fixed] = wanted
        fixed += 1
    if stay >= 0 and stay != wanted:
        order[fixed] = stay
        fixed += 1
    total = fixed
    for other in range(min(problem.num_states, search.used_before[level] + 1)):
        if other not in (wanted, stay):
            order[total] = other
            total += 1
    if mode >= 2:
        for place in range(total - 1, fixed, -1):
            swap = fixed + draw(generator, place - fixed + 1)
            kept = order[place]
            order[place] = order[swap]
            order[swap] = kept
    search.number[level] = total
    search.table[entry] = order[0]
    search.used_before[level + 1] = max(search.used_before[level], order[0] + 1)
    control[LEVEL] = level + 1
    return True


def play_graph(problem: Arrays, search: Decisions, control: Any, generator: Any, mode: int) -> int:
    """Run the next graph, deciding entries as they are needed; returns the first node in conflict, or nobody.

    A conflict is a node that enters a final state that is not its target or before it is ripe, or that has not reached
    its target in the end.
    """
    graph = problem.order[control[GRAPH]]
    asked = graph == problem.question
    begin, end = problem.offsets[graph], problem.offsets[graph + 1]
    states, after = search.states, search.after
    for node in range(begin, end):
        states[node] = problem.start[node]
    control[STABLE] = 0
    control[DONE] = 0
    for step in range(problem.steps[graph]):
        changed = False
        control[WORK] += end - begin
        control[DONE] = step + 1
        here = step * (end - begin) - begin
        for node in range(begin, end):
            state = states[node]
            after[node] = state
            search.history[here + node] = -1
            if state < problem.num_final:
                continue
            first, last = problem.indptr[node], problem.indptr[node + 1]
            value = encode_node(states, problem.indices, problem.slots, first, last, problem.parameters, search.scratch)
            entry = state * problem.num_values + value
            search.history[here + node] = entry
            if search.table[entry] < 0 and not decide(problem, search, control, generator, mode, entry, node, step):
                return NO_ROOM
            successor = search.table[entry]
            if successor == state:
                continue
            after[node] = successor
            changed = True
            if successor >= problem.num_final:
                continue
            if asked and successor != problem.answers[node]:
                return NOBODY
            target = problem.target[node]
            if target >= 0 and (successor != target or step + 1 < problem.ripe[node]):
                return node
        for node in range(begin, end):
            states[node] = after[node]
        if not changed:
            control[STABLE] = 1
            break
    if asked:
        return NOBODY if differs(problem, states, begin, end) else EVERYBODY
    for node in range(begin, end):
        if problem.target[node] >= 0 and states[node] != problem.target[node]:
            return node
    return NOBODY


def ends_otherwise(problem: Arrays, states: Any, begin: int, end: int) -> bool:
    """Whether some node of the question is not in the state of its answer."""
    for node in range(begin, end):
        state = states[node] if states[node] < problem.num_final or problem.num_final == 0 else -1
        if state != problem.answers[node]:
            return True
    return False


def explain_conflict(problem: Arrays, search: Decisions, control: Any, culprit: int) -> None:
    """Set the reason: the decisions from which the culprit's state follows, found by walking the roll-out backwards.

    A node's state follows from the entry it used and from its own and its neighbours' states before; that of a node in
    a final state from the moment it entered it.
    """
    graph, done = problem.order[control[GRAPH]], control[DONE]
    begin, end = problem.offsets[graph], problem.offsets[graph + 1]
    size = end - begin
    marks, one = search.marks, np.uint64(1)
    for word in range(len(search.reason)):
        search.reason[word] = 0
    for place in range((done + 1) * size):
        marks[place] = 0
    top = done * size - begin
    if culprit == EVERYBODY:
        for node in range(begin, end):
            marks[top + node] = 1
    else:
        marks[top + culprit] = 1
    if control[STABLE]:
        # Nothing changed in the last step, so it never will: that follows from all nodes near enough to matter.
        for _ in range(min(problem.steps[graph] - done, size)):
            grown = False
            for node in range(begin, end):
                if marks[top + node] != 1 or search.states[node] < problem.num_final:
                    continue
                marks[top + node] = 2
                for arc in range(problem.indptr[node], problem.indptr[node + 1]):
                    if marks[top + problem.indices[arc]] == 0:
                        marks[top + problem.indices[arc]] = 3
                        grown = True
            for node in range(begin, end):
                if marks[top + node] == 3:
                    marks[top + node] = 1
            if not grown:
                break
    for step in range(done - 1, -1, -1):
        here = step * size - begin
        for node in range(begin, end):
            if marks[here + size + node] == 0:
                continue
            marks[here + node] = 1
            entry = search.history[here + node]
            if entry < 0:
                continue
            level = search.level_of[entry]
            if level >= 0:
                search.reason[level // 64] |= one << np.uint64(level % 64)
            for arc in range(problem.indptr[node], problem.indptr[node + 1]):
                marks[here + problem.indices[arc]] = 1
    control[WORK] += done * size


def jump_to_reason(search: Decisions, control: Any) -> bool:
    """Undo decisions back to the last one in the reason that has another successor to try; False if there is none."""
    reason, one = search.reason, np.uint64(1)
    while True:
        level = -1
        for word in range(len(reason) - 1, -1, -1):
            if reason[word] != 0:
                level = word * 64 + 63
                while not reason[word] >> np.uint64(level % 64) & one:
                    level -= 1
                break
        if level < 0:
            return False
        while control[LEVEL] > level + 1:
            control[LEVEL] -= 1
            search.table[search.entry_at[control[LEVEL]]] = -1
            search.level_of[search.entry_at[control[LEVEL]]] = -1
        reason[level // 64] &= ~(one << np.uint64(level % 64))
        for word in range(len(reason)):
            search.conflict_sets[level, word] |= reason[word]
            reason[word] = search.conflict_sets[level, word]
        search.pointer[level] += 1
        entry = search.entry_at[level]
        if search.pointer[level] < search.number[level]:
            successor = search.candidates[level, search.pointer[level]]
            search.table[entry] = successor
            search.used_before[level + 1] = max(search.used_before[level], successor + 1)
            control[GRAPH] = search.graph_at[level]
            return True
        control[LEVEL] = level
        search.table[entry] = -1
        search.level_of[entry] = -1


def search(problem: Arrays, search: Decisions, control: Any, generator: Any, mode: int, limit: int) -> int:
    """Assign entries when a roll-out first needs them; on a conflict jump back to the last entry that had a part in it.

    All of the search's state is in arrays, so it pauses when its work exceeds the limit and goes on when called again.
    After a success, ``control[AGAIN]`` makes it look for the next one.
    """
    stop = control[WORK] + limit
    while control[WORK] <= stop:
        if control[GRAPH] == len(problem.order):
            if control[AGAIN] == 0:
                return FOUND
            # The next solution differs in some decision: all of them together are the reason to change one.
            control[AGAIN] = 0
            for word in range(len(search.reason)):
                search.reason[word] = 0
            for level in range(control[LEVEL]):
                search.reason[level // 64] |= np.uint64(1) << np.uint64(level % 64)
        else:
            culprit = play(problem, search, control, generator, mode)
            if culprit == NO_ROOM:
                return TOO_DEEP
            if culprit == NOBODY:
                control[GRAPH] += 1
                continue
            control[CONFLICTS] += 1
            explain(problem, search, control, culprit)
        if not jump_back(search, control):
            return EXHAUSTED
    return PAUSED


def first_entries(problem: Arrays, entries: Any, scratch: Any) -> None:
    """The entry that each node uses in its first step."""
    for node in range(len(problem.start)):
        first, last = problem.indptr[node], problem.indptr[node + 1]
        seen = (problem.start, problem.indices, problem.slots, first, last, problem.parameters, scratch)
        entries[node] = problem.start[node] * problem.num_values + encode_node(*seen)
