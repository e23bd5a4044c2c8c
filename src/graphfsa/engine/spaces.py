"""Questions about a space of configurations: what reaches what, where runs may stay, and how long they take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine import _space_kernels as kernels
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.exploring import Space

PRECISION = 1e-12
"""How exact expected times are, relative to the largest."""
_SWEEPS = 20_000
_MAX_WORK = 3 * 10**8
MAX_PAIRS = 2**24
"""Pairs of configurations and sets of nodes that are looked at to count rounds."""


@dataclass(frozen=True, eq=False)
class Paths:
    """A space with ways through it."""

    space: Space

    @cached_property
    def sources(self) -> Array:
        """The configuration of each action, int64 [actions]."""
        return np.repeat(np.arange(len(self.space)), np.diff(self.space.first_action))

    @cached_property
    def _reversed(self) -> tuple[Array, Array]:
        space = self.space
        heads = np.zeros(len(space) + 1, np.int64)
        origins = np.empty(len(space.targets), np.int32)
        _kernel("reverse")(space.first_action, space.first_arc, space.targets, heads, origins)
        return heads, origins

    def reaching(self, goal: Array) -> Array:
        """Which configurations can reach a goal, bool [configurations]; the goal itself too."""
        reached = goal.copy()
        _kernel("backward")(*self._reversed, reached, np.empty(len(reached), np.int32))
        return reached

    def from_starts(self, starts: Array, inside: Array) -> tuple[Array, Array]:
        """Steps from some starts to each configuration within a region, -1 if there is no way; and the last arc.

        Args:
            starts: Which to start from, bool [configurations], all of the region.
            inside: The region, bool [configurations].
        """
        distance = np.where(starts, 0, -1).astype(np.int32)
        via = np.full(len(starts), -1, np.int64)
        space, waiting = self.space, np.empty(len(starts), np.int32)
        _kernel("forward")(space.first_action, space.first_arc, space.targets, inside, distance, via, waiting)
        return distance, via

    def end_components(self, region: Array, fair: bool) -> tuple[Array, Array]:
        """Where runs may stay for ever, whatever the coins say, if somebody chooses who moves.

        Args:
            region: Where they must stay, bool [configurations].
            fair: Whether every node must be served there: moved, or disabled somewhere.

        Returns:
            The component of each configuration, int64, -1 where they can't; and which actions stay in a component,
            bool [actions].
        """
        actions = self._staying(region, None)
        part = self._strong(actions)
        while True:
            alive = np.zeros(len(region), bool)
            alive[self.sources[actions]] = True
            fewer = self._staying(alive, part)
            if np.array_equal(fewer, actions):
                break
            actions = fewer
            part = self._strong(actions)
        part = np.where(alive, part, -1)
        if fair and alive.any():
            waits = self._starved(part, actions)
            part = np.where((part >= 0) & waits[part], -1, part)
            actions &= part[self.sources] >= 0
        return part, actions

    def _staying(self, alive: Array, part: Array | None) -> Array:
        """Which actions surely lead from what is alive to what is alive, and to the same part."""
        space = self.space
        if not len(space.movers):
            return np.zeros(0, bool)
        good = alive[space.targets]
        if part is not None:
            origin = np.repeat(self.sources, np.diff(space.first_arc))
            good &= part[space.targets] == part[origin]
        return np.logical_and.reduceat(good, space.first_arc[:-1]) & alive[self.sources]

    def _strong(self, actions: Array) -> Array:
        """The strongly connected component of each configuration along some actions."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        space = self.space
        chosen = np.repeat(actions, np.diff(space.first_arc))
        origin = np.repeat(self.sources, np.diff(space.first_arc))[chosen]
        heads = np.searchsorted(origin, np.arange(len(space) + 1))
        shape = (len(space), len(space))
        matrix = csr_array((np.ones(len(origin), np.int8), space.targets[chosen], heads), shape=shape)
        return connected_components(matrix, connection="strong")[1].astype(np.int64)

    def _starved(self, part: Array, actions: Array) -> Array:
        """Which components leave some node waiting for ever, bool, by number."""
        space = self.space
        full = (1 << space.graph.num_nodes) - 1
        served = np.zeros(int(part.max()) + 1, np.int64)
        inside = part >= 0
        np.bitwise_or.at(served, part[inside], ~space.enabled[inside] & full)
        np.bitwise_or.at(served, part[self.sources[actions]], space.movers[actions])
        return served != full

    def loop(self, starts: Array, part: Array, actions: Array, fair: bool) -> tuple[list[int], bool]:
        """The shortest walk within a component from one of some configurations back to it.

        Args:
            starts: Configurations in components, int64.
            part: The component of each configuration, as ``end_components`` finds them.
            actions: Which actions stay in them, bool [actions].
            fair: Whether the walk must serve every node.

        Returns:
            Its actions in order, and whether it is known that there is no shorter one.
        """
        best, surely, work = list[int](), True, np.zeros(1, np.int64)
        for component in np.unique(part[starts]).tolist():
            inner = actions & (part[self.sources] == component)
            members = np.flatnonzero(part == component)
            bits = 1 << self.space.graph.num_nodes if fair else 1
            if len(members) * bits > MAX_PAIRS:
                surely = False
                if not best:
                    best = self._round_trip(int(starts[part[starts] == component][0]), members, inner)
                continue
            search = _LoopSearch(self.space, members, inner, bits, work)
            for start in starts[part[starts] == component].tolist():
                if best and work[0] > _MAX_WORK:
                    surely = False
                    break
                best = search.from_start(start, len(best) - 1 if best else None) or best
        return best, surely or len(best) == 1

    def _round_trip(self, start: int, members: Array, actions: Array) -> list[int]:
        """Some walk within a large component that serves every node and comes back, not the shortest."""
        space, inside = self.space, np.zeros(len(self.space), bool)
        inside[members] = True
        walk, place = list[int](), start
        for node in range(space.graph.num_nodes):
            disabled = inside & (space.enabled >> node & 1 == 0)
            moving = np.flatnonzero(actions & (space.movers >> node & 1 == 1))
            if disabled.any():
                steps, place = self._way(place, disabled, inside, actions)
                walk += steps
            else:
                goal = np.zeros(len(space), bool)
                goal[self.sources[moving]] = True
                steps, place = self._way(place, goal, inside, actions)
                action = int(moving[self.sources[moving] == place][0])
                walk += [*steps, action]
                place = int(space.targets[space.first_arc[action]])
        home = np.zeros(len(space), bool)
        home[start] = True
        return walk + self._way(place, home, inside, actions)[0]

    def _way(self, start: int, goal: Array, inside: Array, actions: Array) -> tuple[list[int], int]:
        """The shortest way along some actions to the nearest of some configurations, and which that is."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order

        space = self.space
        chosen = np.flatnonzero(np.repeat(actions, np.diff(space.first_arc)))
        owner = np.repeat(np.arange(len(space.movers)), np.diff(space.first_arc))[chosen]
        heads = np.searchsorted(self.sources[owner], np.arange(len(space) + 1))
        shape = (len(space), len(space))
        matrix = csr_array((np.ones(len(chosen), np.int8), space.targets[chosen], heads), shape=shape)
        order, before = breadth_first_order(matrix, start)
        place = end = int(order[np.flatnonzero(goal[order])[0]])
        walk = list[int]()
        while place != start:
            arcs = slice(heads[before[place]], heads[before[place] + 1])
            walk.append(int(owner[arcs][space.targets[chosen[arcs]] == place][0]))
            place = int(before[place])
        return walk[::-1], end

    # ---- time

    def sorted(self, region: Array) -> Array | None:
        """The configurations of a region so that each comes after those to which it leads; None if there are cycles."""
        space = self.space
        left, order = np.zeros(len(space), np.int32), np.empty(int(region.sum()), np.int64)
        number = _kernel("sort")(
            space.first_action, space.first_arc, space.targets, *self._reversed, region, left, order
        )
        return order if number == len(order) else None

    def longest(self, region: Array, order: Array, weights: Array) -> Array:
        """The largest sum of weights of actions until a region is left, int64 [configurations]; 0 outside."""
        space, worst = self.space, np.zeros(len(self.space), np.int64)
        _kernel("longest")(space.first_action, space.first_arc, space.targets, region, order, weights, worst)
        return worst

    def mean(self, region: Array, order: Array | None) -> Array | None:
        """The expected number of steps until a region is left, float64 [configurations], all actions equally likely.

        None if it could not be found with a relative error below 10^-12.
        """
        space, mean = self.space, np.zeros(len(self.space))
        about = space.first_action, space.first_arc, space.targets, space.chances, region
        if order is not None:
            _kernel("sweep")(*about, order, mean)
            return mean
        reached, waiting = ~region, np.empty(len(space), np.int32)
        number = _kernel("backward")(*self._reversed, reached, waiting)
        order = waiting[int((~region).sum()) : number].astype(np.int64)
        if len(order) < region.sum():
            return None
        for _ in range(_SWEEPS):
            # From below: what is missing is at most the last change times the true expected time.
            if _kernel("sweep")(*about, order, mean) <= PRECISION:
                return mean
        return None

    def rounds(self, starts: Array, region: Array) -> tuple[Array, Array, Array] | None:
        """The largest numbers of rounds until a region is left, for pairs of a configuration and the nodes waited for.

        Args:
            starts: Configurations of the region, int64.
            region: The region, bool [configurations]; every action leads to one configuration.

        Returns:
            Numbers by place; the places of configurations; the pairs. None if there are too many pairs.
        """
        space, bits = self.space, 1 << self.space.graph.num_nodes
        places = np.full(len(space), -1, np.int64)
        places[region] = np.arange(int(region.sum()))
        if region.sum() * bits > MAX_PAIRS:
            return None
        found = np.full(int(region.sum()) * bits, -1, np.int32)
        pairs = np.empty((len(found), 2), np.int64)
        pairs[: len(starts)] = np.stack((starts, space.enabled[starts]), axis=1)
        found[places[starts] * bits + space.enabled[starts]] = 0
        about = region, space.first_action, space.movers, space.targets, space.enabled, places, bits, found
        number = _kernel("pairs")(*about, pairs, len(starts))
        if not _kernel("rounds")(*about, pairs[:number], number + 1):
            return None
        return found, places, pairs[:number]


class _LoopSearch:
    """Shortest closed walks in one component."""

    def __init__(self, space: Space, members: Array, actions: Array, bits: int, work: Array) -> None:
        self.space, self.actions, self.bits, self.work = space, actions, bits, work
        self.places = np.full(len(space), -1, np.int64)
        self.places[members] = np.arange(len(members))
        room = len(members) * bits + 2
        self.stamp, self.mark = np.full(room, -1, np.int32), 0
        self.via, self.waiting, self.depth = (
            np.empty(room, np.int64),
            np.empty((room, 3), np.int64),
            np.empty(room, np.int32),
        )

    def from_start(self, start: int, longest: int | None) -> list[int]:
        """The actions of the shortest walk, if there is one that is short enough."""
        space = self.space
        end = _kernel("loop")(
            start, self.bits - 1, self.bits, len(self.stamp) if longest is None else longest, space.first_action,
            space.first_arc, space.movers, space.targets, space.enabled, self.actions, self.places, self.stamp,
            self.mark, self.via, self.waiting, self.depth, self.work,
        )  # fmt: skip
        self.mark += 1
        walk, place = list[int](), end - 1
        while place > 0:
            walk.append(int(self.waiting[place, 2]))
            place = int(self.via[place])
        return walk[::-1]


@lru_cache(maxsize=16)
def _kernel(name: str) -> Any:
    return compile_kernel(getattr(kernels, name))
