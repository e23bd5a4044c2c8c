"""Who judges what was learned: a prover, by a specification, or an oracle, which labels any graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from graphfsa.analysis.instances import SizeCount, class_of, portions
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, Examples
from graphfsa.errors import DrawError, GraphFSAError
from graphfsa.graphs import GraphBatch
from graphfsa.graphs.enumeration import MAX_SIZES, num_graphs
from graphfsa.graphs.isomorphism import duplicate_groups
from graphfsa.proofs.prove import Proof, attempt_proof
from graphfsa.proofs.specifications import specification_of

_MAX_NODES = 11
_INSTANCES = 40_000
"""How many small instances an oracle is asked about, at most."""
_LARGEST = 12
_NODES = 4_000
"""About how many nodes the random graphs of one size have together that an automaton must pass to be looked at."""
_MANY = 80_000
"""The same in the end, when rare neighbourhoods should have been seen as well."""
_MIDDLE = 100
"""The largest graphs of which so many are drawn."""
_WRONG = 5
"""How many wrong graphs are learned from at once."""


@dataclass(frozen=True)
class Judgement:
    """What a judge says about an automaton.

    Attributes:
        right: True if no graph is known on which it is wrong and the judge is satisfied, False if one is known, None if
            the judge can't tell.
        wrong: Graphs on which it is wrong, with their labels.
        proof: What became of the attempt to prove it.
        checked: What was looked at, as JSON values.
    """

    right: bool | None
    wrong: Examples | None = None
    proof: Proof | None = None
    checked: dict[str, Any] | None = None


class Judge(Protocol):
    """Who tells whether an automaton is right."""

    def judge(self, fsa: GraphFSA) -> Judgement:
        """Judge an automaton that fits the training graphs."""
        ...


class Prover:
    """Proves an automaton right on graphs of every size, or finds the smallest graph on which it is wrong.

    Args:
        dataset: The data set, which offers a specification.
        tell: Called with what is being done.
        effort: As for ``prove``.
    """

    def __init__(self, dataset: Dataset, tell: Callable[[str], None], effort: int = 1) -> None:
        self._dataset, self._tell, self._effort = dataset, tell, effort
        self._spec = specification_of(dataset)
        self._source = {"task": dataset.reference, "options": dataset.options()}

    def judge(self, fsa: GraphFSA) -> Judgement:
        """Proved, refuted, or undecided."""
        try:
            proof = attempt_proof(fsa, self._spec, self._source, _MAX_NODES, self._effort, self._tell)
        except GraphFSAError as error:  # Nothing can be proved of such an aggregation, or the table is too large.
            proof = Proof("undecided", self._spec, fsa.digest, self._source, reason=str(error))
        found = proof.counterexample
        if found is None:
            return Judgement(True if proof.proved else None, proof=proof)
        task = self._dataset.task
        inputs = np.array([task.inputs.index(name) for name in found.inputs])
        steps = 1 if task.kind == "evolution" else None
        return Judgement(False, self._dataset.examples(GraphBatch.of([found.graph]), inputs, steps=steps), proof)


class _Answers:
    """Labelled graphs that are made when they are first wanted, and kept."""

    def __init__(self, more: Iterator[Examples]) -> None:
        self._more, self._known = more, list[Examples]()

    def __iter__(self) -> Iterator[Examples]:
        yield from list(self._known)
        for examples in self._more:
            self._known.append(examples)
            yield examples


class Oracle:
    """Compares an automaton with the labels of a data set: on all small instances, then on random larger graphs.

    Every question that ``suggest`` could ask about graphs up to that size is among the small instances. Of the random
    graphs there are a few of each size first, and then many.

    Args:
        dataset: The data set.
        seed: Seed of the random graphs.
        tell: Called with what is being done.
    """

    def __init__(self, dataset: Dataset, seed: int, tell: Callable[[str], None]) -> None:
        self._dataset, self._seed, self._tell = dataset, seed, tell
        self._counts = _small_sizes(dataset)
        self._instances = 0
        self._drawn: dict[str, int] = {}
        self._few, self._many = _Answers(self._questions()), _Answers(self._random(_MANY, _MIDDLE))

    def judge(self, fsa: GraphFSA) -> Judgement:
        """Right on all that was asked, or wrong; labels are kept for the next automaton."""
        wrong = self.objection(fsa)
        if wrong is None:
            wrong = self._first_wrong(fsa, self._many)
        if wrong is not None:
            return Judgement(False, wrong)
        return Judgement(bool(self._instances or self._drawn) or None, checked=self.checked)

    def objection(self, fsa: GraphFSA) -> Examples | None:
        """The first graphs on which it is wrong, if they are among the few that are asked about at once."""
        return self._first_wrong(fsa, self._few)

    @staticmethod
    def _first_wrong(fsa: GraphFSA, answers: Iterable[Examples]) -> Examples | None:
        for examples in answers:
            wrong = np.flatnonzero(examples.wrong(examples.predict(fsa)))
            if len(wrong):
                found = examples.select(np.unique(examples.graphs.owners[wrong])[: 4 * _WRONG])
                distinct = np.unique(duplicate_groups(found.graphs, found.inputs))
                return found.select(distinct[:_WRONG])
        return None

    @property
    def checked(self) -> dict[str, Any]:
        """Up to which size all instances were asked about, and how many random graphs of which sizes."""
        return {
            "max_nodes": max((count.size for count in self._counts), default=0),
            "instances": self._instances,
            "random": dict(self._drawn),
        }

    def _questions(self) -> Iterator[Examples]:
        steps = 1 if self._dataset.task.kind == "evolution" else None
        kind = class_of(self._dataset, None)
        for portion in portions(self._dataset, kind, self._counts):
            self._tell(f"all graphs of {portion.size} nodes")
            labelled = self._dataset.examples(portion.graphs, portion.inputs, steps=steps)
            self._instances += len(labelled)
            yield labelled
        yield from self._random(_NODES, max(self._dataset.check_sizes(), default=0))

    def _random(self, nodes: int, largest: int) -> Iterator[Examples]:
        """Random graphs of each size with about this number of nodes together."""
        listed = max((count.size for count in self._counts), default=0)
        for size in self._dataset.check_sizes():
            if listed < size <= largest and self._dataset.num_instances(size):
                number, rng = max(1, nodes // size), np.random.default_rng([self._seed, 2, size, nodes])
                self._tell(f"{number} random graphs of {size} nodes")
                try:
                    drawn = self._dataset.draw_for_check(size, number, rng)
                except DrawError:  # Hardly any graph of this size is admitted; others are.
                    continue
                self._drawn[str(size)] = self._drawn.get(str(size), 0) + number
                yield drawn


def _small_sizes(dataset: Dataset) -> list[SizeCount]:
    """The sizes of which all instances are listed, smallest first."""
    kind, counts, total = class_of(dataset, None), list[SizeCount](), 0
    for size in range(1, min(_LARGEST, MAX_SIZES[kind]) + 1):
        graphs, each = num_graphs(kind, size), dataset.num_instances(size)
        total += graphs * each
        if total > _INSTANCES:
            break
        if graphs * each:
            counts.append(SizeCount(size, graphs, graphs * each))
    return counts
