"""Runs with schedulers and faults, compiled: what a step costs is what happens in it.

The kernel keeps for each node the entry of the table that it would use, and the set of enabled nodes. After a move only
the node and those that see it are looked at again, so a step of one node on a sparse graph costs the same on a
thousand nodes and on a million.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import ONE, StochasticFSA
from graphfsa.engine.coins import MOVES, below, coin, key_of, philox, thresholds, waiting
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.engine.faults import Fault, Harm, Source
from graphfsa.engine.faults._base import CRASH, LIE, SET
from graphfsa.engine.faults.edges import edge_numbers
from graphfsa.engine.reference_scheduled import quiet_from
from graphfsa.engine.schedulers import Scheduler
from graphfsa.graphs.graph import Graph

encode_node: Any = None
flip: Any = None
choose: Any = None
look: Any = None
enqueue: Any = None
revise: Any = None
owe: Any = None
next_enabled: Any = None
strike: Any = None
foresee: Any = None
prefetch: Any = None
"""Bound when a kernel is compiled."""

_MOVES = np.uint64(MOVES)
_STEP, _MADE, _ROUNDS, _OWED, _OPEN, _ENABLED, _EVENT, _LOGGED, _QUIET, _DRAWN = range(10)
"""Places of the numbers that a run keeps."""
_AHEAD = 16
"""How many steps ahead a scheduler that foresees its choices is asked, so that memory is there when it is needed."""
_PAUSE = 1 << 21
_LOG = 1 << 16
_RUNNING, _AT_REST, _LOG_FULL = range(3)


def _nth_enabled(place: int, cells: Any, counts: Any, tops: Any) -> int:
    """The enabled node with this place in the order of numbers, found through counts of 64, 4096, ... nodes."""
    node = 0
    for level in range(len(tops) - 2, -1, -1):
        block = tops[level] + node
        while counts[block] <= place:
            place -= counts[block]
            block += 1
        node = (block - tops[level]) << 6
    while True:
        if cells[node] & 1:
            if place == 0:
                return node
            place -= 1
        node += 1


def _next_enabled(node: int, cells: Any, counts: Any, tops: Any) -> int:
    """The first enabled node from this one on; the number of nodes if there is none."""
    while node < len(cells):
        shift = 6
        skipped = 0
        for level in range(len(tops) - 1):
            if node & ((1 << shift) - 1) or counts[tops[level] + (node >> shift)]:
                break
            skipped = 1 << shift
            shift += 6
        if skipped:
            node += skipped
        elif cells[node] & 1:
            return node
        else:
            node += 1
    return len(cells)


def _look(
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


def _look_at_all(
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
    """``_look`` without faults: less to compile."""
    return encode_node(states, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)


def _enqueue(node: int, num_queue: int, out_indptr: Any, out_indices: Any, queue: Any, queued: Any) -> int:
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


def _revise(
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
            about[_ENABLED] += more
            block = np.int64(node)
            for level in range(len(tops) - 1):
                block >>= 6
                counts[tops[level] + block] += more
            if not now:
                about[_OWED] -= (cell >> 1) & 1
                cell = 0
        cells[node] = (entry << 2) | (cell & 2) | now


def _strike(
    step: int,
    arcs: Any,
    num_states: int,
    states: Any,
    queue: Any,
    queued: Any,
    harm: Any,
    log: Any,
    key: Any,
    about: Any,
) -> int:
    """The faults of a step; returns how many nodes have to be looked at again."""
    crashed, lying, absent, _, events, liars, rates, churn, edges, away = harm
    log_time, log_node, log_state = log
    indptr, out_indptr, out_indices = arcs[0], arcs[3], arcs[4]
    num_queue = 0
    while about[_EVENT] < len(events) and events[about[_EVENT], 0] <= step:
        kind, target, value = events[about[_EVENT], 1], events[about[_EVENT], 2], events[about[_EVENT], 3]
        about[_EVENT] += 1
        node = target
        if kind == SET:
            if states[node] == value:
                continue
            states[node] = value
            num_queue = enqueue(node, num_queue, out_indptr, out_indices, queue, queued)
            if len(log_time):
                log_time[about[_LOGGED]], log_node[about[_LOGGED]] = step + 1, node
                log_state[about[_LOGGED]] = value
                about[_LOGGED] += 1
        elif kind == CRASH:
            crashed[node] = 1
        elif kind == LIE:
            lying[node] += value
        else:
            absent[target] += value
            node = np.searchsorted(indptr, target, side="right") - 1
        if not queued[node]:
            queued[node] = 1
            queue[num_queue] = node
            num_queue += 1
    for place in range(len(liars)):
        node = liars[place, 0]
        if crashed[node] or not liars[place, 2] <= step < liars[place, 3]:
            continue
        purpose, rate = np.uint64(liars[place, 1]), rates[place]
        share = float(flip(purpose, np.uint64(node), np.uint64(step), key[0], key[1], key[2])) * 2.0**-53
        if share < rate:
            state = min(int(share / rate * num_states), num_states - 1)
            if states[node] != state:
                states[node] = state
                num_queue = enqueue(node, num_queue, out_indptr, out_indices, queue, queued)
                if len(log_time):
                    log_time[about[_LOGGED]], log_node[about[_LOGGED]] = step + 1, node
                    log_state[about[_LOGGED]] = state
                    about[_LOGGED] += 1
    for fault in range(len(churn)):
        first, stop = churn[fault, 2], churn[fault, 3]
        if not first <= step <= stop:
            continue
        purpose, bound = np.uint64(churn[fault, 0]), np.uint64(churn[fault, 1])
        node = 0
        for arc in range(len(edges)):
            while indptr[node + 1] <= arc:
                node += 1
            gone = 0
            if step < stop:
                number = flip(purpose, np.uint64(edges[arc]), np.uint64(step), key[0], key[1], key[2])
                gone = int(number >= bound)
            if gone != away[fault, arc]:
                absent[arc] += gone - np.int64(away[fault, arc])
                away[fault, arc] = gone
                if not queued[node]:
                    queued[node] = 1
                    queue[num_queue] = node
                    num_queue += 1
    return num_queue


def _strike_nobody(
    step: int,
    arcs: Any,
    num_states: int,
    states: Any,
    queue: Any,
    queued: Any,
    harm: Any,
    log: Any,
    key: Any,
    about: Any,
) -> int:
    """``_strike`` without faults: less to compile."""
    return 0


def _owe(cells: Any, counts: Any, tops: Any, about: Any) -> None:
    """Begin a round: every node that is enabled is owed a move."""
    about[_OPEN] = 1
    about[_OWED] = about[_ENABLED]
    node = next_enabled(0, cells, counts, tops)
    while node < len(cells):
        cells[node] |= 2
        node = next_enabled(node + 1, cells, counts, tops)


def _foresee(step: int, ahead: Any, cells: Any, indptr: Any, indices: Any, out_indptr: Any, out_indices: Any) -> None:
    """Ask for what the next steps will read: each needs the answer of the one before, so they are some steps apart."""
    node = ahead[(step + 10) % _AHEAD]
    if cells[node] & 1:
        prefetch(out_indices, np.int64(out_indptr[node]))
        prefetch(indices, np.int64(indptr[node]))
    node = ahead[(step + 6) % _AHEAD]
    if cells[node] & 1:
        for arc in range(out_indptr[node], out_indptr[node + 1]):
            prefetch(indptr, np.int64(out_indices[arc]))
            prefetch(cells, np.int64(out_indices[arc]))
    node = ahead[(step + 3) % _AHEAD]
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
    while about[_STEP] < limit:
        step = about[_STEP]
        if len(log_time) and about[_LOGGED] + most > len(log_time):
            return _LOG_FULL
        if work > pause:
            return _RUNNING
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
            if about[_OPEN] and about[_OWED] == 0:
                about[_OPEN] = 0
                about[_ROUNDS] += 1
        if about[_ENABLED] == 0 and step >= about[_QUIET]:
            return _AT_REST
        if about[_ENABLED] > 0 and not about[_OPEN]:
            owe(cells, counts, tops, about)
        if len(ahead):
            while about[_DRAWN] < step + _AHEAD:
                choose(about[_DRAWN], 0, crowd, arcs, numbers, key, watch, chosen)
                ahead[about[_DRAWN] % _AHEAD] = chosen[0]
                prefetch(cells, np.int64(chosen[0]))
                prefetch(out_indptr, np.int64(chosen[0]))
                prefetch(states, np.int64(chosen[0]))
                about[_DRAWN] += 1
            foresee(step, ahead, cells, indptr, indices, out_indptr, out_indices)
            chosen[0] = ahead[step % _AHEAD]
            count = 1
        else:
            count = choose(step, about[_ENABLED], crowd, arcs, numbers, key, watch, chosen)
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
                about[_OWED] -= 1
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
                log_time[about[_LOGGED]], log_node[about[_LOGGED]] = step + 1, node
                log_state[about[_LOGGED]] = following[place]
                about[_LOGGED] += 1
        about[_MADE] += moved
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
        if about[_OPEN] and about[_OWED] == 0:
            about[_OPEN] = 0
            about[_ROUNDS] += 1
        about[_STEP] = step + 1
        work += 1 + count + num_queue
    return _RUNNING


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
def _kernel(encode: Callable[..., int], chooser: Callable[..., int], faults: bool) -> Any:
    return compile_kernel(
        _scheduled_steps,
        philox=philox,
        flip=coin,
        below=below,
        waiting=waiting,
        nth_enabled=_nth_enabled,
        next_enabled=_next_enabled,
        owe=_owe,
        foresee=_foresee,
        encode_node=encode,
        look=_look if faults else _look_at_all,
        enqueue=_enqueue,
        revise=_revise,
        strike=_strike if faults else _strike_nobody,
        choose=chooser,
    )


@lru_cache(maxsize=64)
def _beginner(encode: Callable[..., int], faults: bool) -> Any:
    look_about = _look if faults else _look_at_all
    return compile_kernel(_begin, philox=philox, flip=coin, encode_node=encode, look=look_about, revise=_revise)


class ScheduledStepper:
    """A run with a scheduler and faults that all have compiled forms; the same to the bit as ``PlainStepper``.

    Args:
        fsa: The automaton.
        graph: The graph.
        states: The states at step 0.
        scheduler: Who moves when.
        faults: What goes wrong.
        seed: The seed.
        replicate: Number of the run.
        changes: Whether to keep a list of all changes.

    Attributes:
        clock: The time, of schedulers with clocks.
    """

    kernel = "scheduled"

    def __init__(
        self,
        fsa: Automaton,
        graph: Graph,
        states: Array,
        scheduler: Scheduler,
        faults: Sequence[Fault],
        seed: int,
        replicate: int = 0,
        *,
        changes: bool = False,
    ) -> None:
        n, hidden = graph.num_nodes, any(fault.hides for fault in faults)
        encoder = encoder_of(fsa.aggregation, fsa.num_states, graph, hidden=hidden)
        chooser = type(scheduler).compiled_choose
        assert chooser is not None
        self._kernel = _kernel(encoder.function, chooser, bool(faults))
        self._arcs = (*arcs_of(graph), *graph.out_arcs())
        self._rule = (*_rule_of(fsa), encoder.parameters)
        # A cell has the entry of a node, whether it is owed a move, and whether it is enabled, in one number: memory
        # is what a step of one node waits for.
        self._world = (np.array(states, np.uint8), np.zeros(n, np.int32))
        self._crowd = (self._world[1], *_counts(n))
        self._numbers = scheduler.parameters(graph)
        most = int(graph.degrees.max(initial=0)) + 1 if hidden else 0
        slots = most if len(self._arcs[2]) else 0
        self._spare = (
            np.empty(max(n, 1), np.int32)[:n],
            np.empty(n, np.uint8),
            np.empty(n, np.int32),
            np.zeros(n, np.uint8),
            np.zeros(fsa.num_states, np.int64),
            np.empty(most, np.int32),
            np.empty(slots, np.uint8),
            np.zeros(_AHEAD if type(scheduler).foreseen else 0, np.int32),
        )
        self._key = (np.uint64(replicate), *key_of(seed))
        self._harm = _harm(fsa, graph, faults, self._key, hidden)
        size = max(_LOG, 2 * (n + len(self._harm[4]) + len(self._harm[5]))) if changes else 0
        self._log = (np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.uint8))
        self._logged: list[tuple[Array, Array, Array]] = []
        self.num_changes = 0
        self._about = np.zeros(10, np.int64)
        self._about[_QUIET] = quiet_from(faults)
        self._watch = np.zeros(1)
        _beginner(encoder.function, bool(faults))(
            self._arcs, self._rule, self._world, self._crowd, self._spare, self._harm, self._key, self._about
        )

    @property
    def states(self) -> Array:
        """The current states, uint8 [num_nodes]; changed by the next step."""
        return self._world[0]

    @property
    def time(self) -> int:
        """The current step."""
        return int(self._about[_STEP])

    @property
    def moves(self) -> int:
        """How often a node has changed its state by the rules."""
        return int(self._about[_MADE])

    @property
    def rounds(self) -> int:
        """How many rounds have ended."""
        return int(self._about[_ROUNDS])

    @property
    def clock(self) -> float:
        """The time, of schedulers with clocks."""
        return float(self._watch[0])

    def at_rest(self) -> bool:
        """Whether no node is enabled and no fault is still to come, as far as that has been seen."""
        if not len(self.states):
            return True
        # At the first quiet step itself, what faults took away has not been given back yet.
        quiet = int(self._about[_QUIET])
        return (self.time > quiet or quiet == 0) and self._about[_ENABLED] == 0

    def advance(self, limit: int) -> bool:
        """Make steps until step ``limit``, or a pause; False if the run came to rest before."""
        if not len(self.states):
            return self.time >= limit
        outcome = self._kernel(
            limit,
            _PAUSE,
            self._arcs,
            self._rule,
            self._world,
            self._crowd,
            self._numbers,
            self._spare,
            self._harm,
            self._log,
            self._key,
            self._about,
            self._watch,
        )
        logged = int(self._about[_LOGGED])
        if logged:
            times, nodes, states = self._log
            self._logged.append((times[:logged].copy(), nodes[:logged].copy(), states[:logged].copy()))
            self.num_changes += logged
            self._about[_LOGGED] = 0
        return outcome != _AT_REST

    def logged_changes(self) -> tuple[Array, Array, Array]:
        """Step, node and new state of every change so far."""
        empty = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8))
        times, nodes, states = zip(empty, *self._logged, strict=True)
        return np.concatenate(times), np.concatenate(nodes), np.concatenate(states)


def _rule_of(fsa: Automaton) -> tuple[Array, Array, Array]:
    """Which outcome each entry has, the state of those that are sure (-1: it is not), and the sums of the others."""
    if isinstance(fsa, GraphFSA):
        # Of the type that tables of places of outcomes have, so that one kernel serves both.
        table = fsa.transition_table.astype(np.uint16)
        table.setflags(write=False)
        return table, np.arange(fsa.num_states, dtype=np.int16), np.empty((0, 0), np.uint64)
    assert isinstance(fsa, StochasticFSA)
    sure = np.where(fsa.outcomes.max(axis=1) == ONE, fsa.outcomes.argmax(axis=1), -1).astype(np.int16)
    return fsa.transition_table, sure, thresholds(fsa.outcomes)


def _counts(num_nodes: int) -> tuple[Array, Array]:
    """Room for how many of each 64, each 4096, ... nodes are enabled, and where each level begins."""
    sizes: list[int] = []
    size = num_nodes
    while size > 64:
        size = -(-size // 64)
        sizes.append(size)
    tops = np.cumsum([0, *sizes]).astype(np.int64)
    return np.zeros(int(tops[-1]), np.int32), tops


def _harm(
    fsa: Automaton, graph: Graph, faults: Sequence[Fault], key: tuple[Any, Any, Any], hidden: bool
) -> tuple[Array, ...]:
    """All faults as arrays for the kernel."""
    n = graph.num_nodes if faults else 0
    harms = [fault.harm(fsa, graph, Source(place, key)) for place, fault in enumerate(faults)]
    events = np.concatenate([np.empty((0, 4), np.int64), *(harm.events for harm in harms)])
    events = np.ascontiguousarray(events[np.argsort(events[:, 0], kind="stable")])
    liars = [_liars(harm) for harm in harms]
    losses = [harm.losses for harm in harms if harm.losses is not None]
    churn = [harm.churn for harm in harms if harm.churn is not None]
    edges = edge_numbers(graph) if churn else np.empty(0, np.int64)
    return (
        np.zeros(n, np.uint8),
        np.zeros(n, np.int32),
        np.zeros(graph.num_arcs if hidden else 0, np.int32),
        np.array(losses, np.int64).reshape(-1, 4),
        events,
        np.concatenate([np.empty((0, 4), np.int64), *liars]),
        np.concatenate([np.empty(0), *(np.full(len(harm.liars), harm.lying[1]) for harm in harms)]),
        np.array(churn, np.int64).reshape(-1, 4),
        edges,
        np.zeros((len(churn), len(edges)), np.uint8),
    )


def _liars(harm: Harm) -> Array:
    """Node, purpose, first step and end of each liar of a fault."""
    nodes, ones = harm.liars, np.ones_like(harm.liars)
    return np.stack((nodes, harm.lying[0] * ones, harm.lying[2] * ones, harm.lying[3] * ones), axis=1)
