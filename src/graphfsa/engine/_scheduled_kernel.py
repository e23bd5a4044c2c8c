"""The kernel of runs with schedulers and faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.engine._enabled import ENABLED, OPEN, OWED, find_next, find_nth, owe_all
from graphfsa.engine._looks import enqueue_seers, look_about, look_at_all, revise_all
from graphfsa.engine._strikes import LOGGED, strike_all, strike_nobody
from graphfsa.engine.coins import MOVES, below, coin, philox, waiting
from graphfsa.engine.compiling import compile_kernel

flip: Any = None
choose: Any = None
look: Any = None
enqueue: Any = None
revise: Any = None
owe: Any = None
strike: Any = None
foresee: Any = None
prefetch: Any = None
"""Bound when a kernel is compiled."""

STEP, MADE, ROUNDS, QUIET, DRAWN = 3, 4, 5, 8, 9
NUMBERS = 10
"""Places, and number, of what a run keeps beside what ``_enabled`` and ``_strikes`` do: the step, the moves and rounds
that were made, the first step from which on no fault does anything, and for how many steps nodes were chosen."""
AHEAD = 16
"""How many steps ahead a scheduler that foresees its choices is asked, so that memory is there when it is needed."""
RUNNING, AT_REST, LOG_FULL = range(3)
"""Why the kernel came back."""
_MOVES = np.uint64(MOVES)


def _foresee(step: int, ahead: Any, cells: Any, indptr: Any, indices: Any, out_indptr: Any, out_indices: Any) -> None:
    """Ask for what the next steps will read: each needs the answer of the one before, so they are some steps apart."""
    node = ahead[(step + 10) % AHEAD]
    if cells[node] & 1:
        prefetch(out_indices, np.int64(out_indptr[node]))
        prefetch(indices, np.int64(indptr[node]))
    node = ahead[(step + 6) % AHEAD]
    if cells[node] & 1:
        for arc in range(out_indptr[node], out_indptr[node + 1]):
            prefetch(indptr, np.int64(out_indices[arc]))
            prefetch(cells, np.int64(out_indices[arc]))
    node = ahead[(step + 3) % AHEAD]
    if cells[node] & 1:
        for arc in range(out_indptr[node], out_indptr[node + 1]):
            prefetch(indices, np.int64(indptr[out_indices[arc]]))


def _scheduled_steps(
    limit: int,
    pause: int,
    arcs: Any,
    rule: Any,
    world: Any,
    crowd: Any,
    numbers: Any,
    spare: Any,
    harm: Any,
    log: Any,
    key: Any,
    about: Any,
    watch: Any,
) -> int:
    """Steps until ``limit``, until the run is at rest, or until a pause; returns which."""
    # Taken apart once: numba counts references each time that an array is taken from a tuple.
    states, cells = world
    indptr, indices, slots, out_indptr, out_indices = arcs
    table, sure, sums, parameters = rule
    counts, tops = crowd[1], crowd[2]
    chosen, following, queue, queued, scratch, seen, seen_slots, ahead = spare
    crashed, lying, absent, losses = harm[0], harm[1], harm[2], harm[3]
    harmed = len(harm[4]) + len(harm[5]) + len(harm[7]) > 0
    num_churned, num_states = len(harm[8]), table.shape[0]
    log_time, log_node, log_state = log
    most = len(states) + len(harm[4]) + len(harm[5])
    work = 0
    while about[STEP] < limit:
        step = about[STEP]
        if len(log_time) and about[LOGGED] + most > len(log_time):
            return LOG_FULL
        if work > pause:
            return RUNNING
        if harmed:
            num_queue = strike(step, arcs, num_states, states, queue, queued, harm, log, key, about)
            work += num_queue + num_churned
            revise(
                num_queue,
                queue,
                queued,
                states,
                cells,
                counts,
                tops,
                table,
                sure,
                crashed,
                lying,
                about,
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
            if about[OPEN] and about[OWED] == 0:
                about[OPEN] = 0
                about[ROUNDS] += 1
        if about[ENABLED] == 0 and step >= about[QUIET]:
            return AT_REST
        if about[ENABLED] > 0 and not about[OPEN]:
            owe(cells, counts, tops, about)
        if len(ahead):
            while about[DRAWN] < step + AHEAD:
                choose(about[DRAWN], 0, crowd, arcs, numbers, key, watch, chosen)
                ahead[about[DRAWN] % AHEAD] = chosen[0]
                prefetch(cells, np.int64(chosen[0]))
                prefetch(out_indptr, np.int64(chosen[0]))
                prefetch(states, np.int64(chosen[0]))
                about[DRAWN] += 1
            foresee(step, ahead, cells, indptr, indices, out_indptr, out_indices)
            chosen[0] = ahead[step % AHEAD]
            count = 1
        else:
            count = choose(step, about[ENABLED], crowd, arcs, numbers, key, watch, chosen)
        moved = 0
        for place in range(count):
            node = chosen[place]
            cell = np.int64(cells[node])
            if len(losses):
                if len(crashed) and (crashed[node] or lying[node]):
                    continue
                value = look(
                    node,
                    step,
                    True,
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
            elif cell & 1:
                entry = cell >> 2
            else:
                continue
            if cell & 2:
                about[OWED] -= 1
                cells[node] = cell & ~2
            state = np.int64(sure[entry])
            if state < 0:
                number = flip(_MOVES, np.uint64(node), np.uint64(step), key[0], key[1], key[2])
                state = 0
                while sums[entry, state] <= number:
                    state += 1
            if state != states[node]:
                chosen[moved] = node
                following[moved] = state
                moved += 1
        num_queue = 0
        for place in range(moved):
            node = chosen[place]
            states[node] = following[place]
            num_queue = enqueue(node, num_queue, out_indptr, out_indices, queue, queued)
            if len(log_time):
                log_time[about[LOGGED]], log_node[about[LOGGED]] = step + 1, node
                log_state[about[LOGGED]] = following[place]
                about[LOGGED] += 1
        about[MADE] += moved
        if num_queue:
            revise(
                num_queue,
                queue,
                queued,
                states,
                cells,
                counts,
                tops,
                table,
                sure,
                crashed,
                lying,
                about,
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
        if about[OPEN] and about[OWED] == 0:
            about[OPEN] = 0
            about[ROUNDS] += 1
        about[STEP] = step + 1
        work += 1 + count + num_queue
    return RUNNING


def _begin(arcs: Any, rule: Any, world: Any, crowd: Any, spare: Any, harm: Any, key: Any, about: Any) -> None:
    """Look at every node for the first time."""
    states, cells = world
    indptr, indices, slots = arcs[0], arcs[1], arcs[2]
    table, sure, parameters = rule[0], rule[1], rule[3]
    counts, tops = crowd[1], crowd[2]
    queue, queued, scratch, seen, seen_slots = spare[2], spare[3], spare[4], spare[5], spare[6]
    crashed, lying, absent, losses = harm[0], harm[1], harm[2], harm[3]
    num_queue = len(queue)
    for node in range(num_queue):
        queue[node] = node
    revise(
        num_queue,
        queue,
        queued,
        states,
        cells,
        counts,
        tops,
        table,
        sure,
        crashed,
        lying,
        about,
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


@lru_cache(maxsize=256)
def steps_kernel(encode: Callable[..., int], chooser: Callable[..., int], faults: bool) -> Any:
    """The kernel that makes steps, for an encoder and a scheduler, with faults or without."""
    return compile_kernel(
        _scheduled_steps,
        philox=philox,
        flip=coin,
        below=below,
        waiting=waiting,
        nth_enabled=find_nth,
        next_enabled=find_next,
        owe=owe_all,
        foresee=_foresee,
        encode_node=encode,
        look=look_about if faults else look_at_all,
        enqueue=enqueue_seers,
        revise=revise_all,
        strike=strike_all if faults else strike_nobody,
        choose=chooser,
    )


@lru_cache(maxsize=64)
def begin_kernel(encode: Callable[..., int], faults: bool) -> Any:
    """The kernel that looks at every node for the first time."""
    look_as = look_about if faults else look_at_all
    return compile_kernel(_begin, philox=philox, flip=coin, encode_node=encode, look=look_as, revise=revise_all)
