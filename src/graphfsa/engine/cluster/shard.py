"""One worker's share of a run: it moves the nodes of its piece and knows nothing of where it runs."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.engine._random import RandomStepper
from graphfsa.engine._stepper import Outcome, same
from graphfsa.engine.cluster.messages import Receiver, Sender
from graphfsa.engine.cluster.pieces import Piece
from graphfsa.engine.kernels import make_stepper


@dataclass(frozen=True, eq=False)
class Summary:
    """What a worker says of the steps that it made.

    Attributes:
        moved: For each step, whether an own node moved (of automata with coins: could have moved), bool [steps].
        marked: For each step, whether its own nodes are in the states of the mark after it, bool [steps].
        seconds: How long the steps took, without the time that the worker waited.
        sent: Bytes that it told others.
    """

    moved: Array
    marked: Array
    seconds: float
    sent: int


class Shard:
    """The nodes of a piece, under one automaton, in one or several runs at once.

    Args:
        fsa: The automaton.
        piece: The piece.
        threads: Number of threads.
        seed: Seed of the coins.
    """

    def __init__(self, fsa: GraphFSA | StochasticFSA, piece: Piece, threads: int, seed: int) -> None:
        self._fsa = fsa
        self._piece = piece
        self._graph = piece.graph()
        self._options = (threads, seed)
        self._runs: dict[int, _Run] = {}

    def load(self, run: int, states: Array, time: int) -> None:
        """Begin a run, or begin it anew, from the states of all nodes of the whole graph at a step."""
        if run not in self._runs:
            threads, seed = self._options
            if isinstance(self._fsa, StochasticFSA):
                move = _Coins(self._fsa, self._graph, self._piece, threads, seed)
            else:
                move = _Table(self._fsa, self._graph, self._piece, threads)
            self._runs[run] = _Run(self._piece, move, self._fsa.num_states)
        self._runs[run].load(states[self._piece.numbers], time)

    def forget(self, run: int) -> None:
        """End a run."""
        self._runs.pop(run, None)

    def set_mark(self, run: int, states: Array | None) -> None:
        """Watch for a return to these states of all nodes of the whole graph; None: for no return."""
        own = self._piece.numbers[self._piece.begin : self._piece.end]
        self._runs[run].mark = None if states is None else states[own]

    def states(self, run: int) -> Array:
        """The states of the own nodes, uint8."""
        return self._runs[run].own.copy()

    def step(self, run: int, steps: int, *messages: Array) -> tuple[Any, ...]:
        """Hear what the others tell, make steps, and tell them what changed.

        Returns:
            The summary, then a message for each part that is told something.
        """
        return self._runs[run].step(steps, messages)


class _Table:
    """Moves by a table: any stepper on the piece's graph."""

    def __init__(self, fsa: GraphFSA, graph: Any, piece: Piece, threads: int) -> None:
        self._stepper = make_stepper(fsa, graph, "auto", threads)
        self._piece = piece

    def load(self, states: Array, time: int) -> None:
        self._stepper.load(states)

    def put_rim(self, states: Array) -> None:
        for begin, end in ((0, self._piece.begin), (self._piece.end, len(states))):
            if begin < end:
                self._stepper.replace(begin, states[begin:end])

    def step(self) -> tuple[Array | None, bool]:
        """The states after a step; None if nothing moved, not even in the rim. Who moved is for others to find."""
        done, outcome = 0, Outcome.RUNNING
        while not done and outcome is not Outcome.FIXED:
            done, outcome = self._stepper.advance(1)
        return (self._stepper.states() if done else None), False


class _Coins:
    """Moves at random; coins are those of the nodes of the whole graph."""

    def __init__(self, fsa: StochasticFSA, graph: Any, piece: Piece, threads: int, seed: int) -> None:
        self._fresh = lambda states: RandomStepper(
            fsa, graph, states[None], seed, 0, threads, numbers=piece.numbers, moving=piece.end
        )
        self._own = piece.end

    def load(self, states: Array, time: int) -> None:
        self._stepper = self._fresh(states)
        self._stepper.time = time

    def put_rim(self, states: Array) -> None:
        self._stepper.states[0, self._own :] = states[self._own :]

    def step(self) -> tuple[Array | None, bool]:
        """The states after a step, and whether a node could have moved."""
        self._stepper.rest[:] = self._stepper.time  # Rest here says nothing: others may move, and then ours.
        moved = self._stepper.step()
        if not moved:
            self._stepper.time += 1
        return self._stepper.states[0].copy(), moved


class _Run:
    """The states of one run, and what others know of them."""

    def __init__(self, piece: Piece, move: _Table | _Coins, num_states: int) -> None:
        self._own = slice(piece.begin, piece.end)
        self._move = move
        self._coins = isinstance(move, _Coins)
        self._states = np.empty(len(piece.numbers), np.uint8)
        self._senders = [Sender(nodes, num_states) for _, nodes in piece.sends]
        self._receivers = [Receiver(nodes, num_states) for _, nodes in piece.hears]
        self.mark: Array | None = None

    @property
    def own(self) -> Array:
        """The states of the own nodes; changed by the next step."""
        return self._states[self._own]

    def load(self, states: Array, time: int) -> None:
        self._states = np.ascontiguousarray(states, np.uint8)
        self._move.load(self._states, time)
        for sender in self._senders:
            sender.begin(self._states)

    def step(self, steps: int, messages: tuple[Array, ...]) -> tuple[Any, ...]:
        began = perf_counter()
        for receiver, message in zip(self._receivers, messages, strict=True):
            receiver.take(message, self._states)
        self._move.put_rim(self._states)
        moved, marked = np.zeros((2, steps), bool)
        for place in range(steps):
            after, could = self._move.step()
            if after is not None:
                moved[place] = could if self._coins else not same(after[self._own], self.own)
                self._states[self._own] = after[self._own]  # The rim stays as it was told: its owners know better.
            marked[place] = self.mark is not None and same(self.own, self.mark)
        told = [sender.message(self._states) for sender in self._senders]
        summary = Summary(moved, marked, perf_counter() - began, sum(map(len, told)))
        return (summary, *told)
