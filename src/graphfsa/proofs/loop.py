"""Learn until it is settled: what is wrong is learned again, with the graphs that show it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, Examples, lines_of
from graphfsa.learners import Model, roll_out
from graphfsa.proofs.judges import Judge, Judgement, Oracle, Prover

Refit = Callable[[Examples, Callable[[GraphFSA], Examples | None]], Model]
Watch = Callable[[dict[str, Any]], None]
_ROUNDS = 30
_CANDIDATES = 6
"""How many automata that fit equally well are tried in each round."""


@dataclass(frozen=True)
class _Round:
    """What became of the automata that fit: the one to take, if there is one, or graphs on which they are wrong."""

    automaton: GraphFSA | None
    said: Judgement
    fresh: list[Examples]


def until_settled(
    train: Examples,
    dataset: Dataset,
    refit: Refit,
    watch: Watch,
    *,
    prove: bool,
    seed: int = 0,
    effort: int = 1,
) -> Model:
    """Learn, and judge what was learned; as long as it is wrong, learn again with the graphs on which it is.

    With a specification, a prover judges; what it can't decide is compared with the labels of the data set, an oracle,
    as is everything where there is no specification. Automata that fit equally well are told apart so. Entries that no
    training graph uses are left as the learner has filled them or, if that does not do, such that a node stays.

    Args:
        train: The training graphs.
        dataset: The data set.
        refit: Learns from graphs. It may ask, while it learns, for graphs on which an automaton is wrong.
        watch: Called with a record of what is being done.
        prove: Whether to prove; then the data set offers a specification.
        seed: Seed of the random graphs that the oracle is asked about.
        effort: As for ``prove``.

    Returns:
        The model; the verdict is ``proved`` if it is, ``exact`` if the oracle agrees with it wherever it was asked, and
        ``undecided`` if every automaton that was found is wrong somewhere. Its provenance keeps the added graphs, and
        what was ``checked``.
    """
    added: list[Examples] = []

    def tell(doing: str) -> None:
        watch({"doing": f"checking: {doing}"})

    oracle = None if dataset.graph_class is None else Oracle(dataset, seed, tell)
    judges: list[Judge] = [*([Prover(dataset, tell, effort)] if prove else []), *([] if oracle is None else [oracle])]

    def ask(fsa: GraphFSA) -> Examples | None:
        wrong = None if oracle is None else oracle.objection(fsa)
        added.extend([] if wrong is None else [wrong])
        return wrong

    model = refit(train, ask)
    try:
        for number in range(_ROUNDS + 1):
            if not model.is_automaton or model.verdict != "exact" or model.interrupted:
                break
            known = Examples.concatenate([train, *added])
            found = _judged(_candidates(model, known), judges)
            if found.automaton is not None:
                return _with_details(_settled(model, found, known), added, found.said.checked)
            if number == _ROUNDS:
                model = replace(model, verdict="undecided", proof=None)
                break
            added += found.fresh
            watch({"doing": f"learning again, with {sum(map(len, added))} graphs added"})
            again = refit(Examples.concatenate([train, *added]), ask)
            model = _better(again, model, Examples.concatenate([train, *added]))
    except KeyboardInterrupt:
        # What was learned is not lost with what was not settled yet.
        model = _interrupted(model)
    return _with_details(model, _learned_from(model, train, added), None)


def _judged(several: Sequence[GraphFSA], judges: Sequence[Judge]) -> _Round:
    """The first automaton that is proved, else the first that the last judge has nothing against."""
    fresh: list[Examples] = []
    kept: tuple[GraphFSA, Judgement] | None = None
    for fsa in several:
        if any(part.wrong(part.predict(fsa)).any() for part in fresh):
            continue
        said = _verdict(fsa, judges)
        if said.right is not False and (said.proof is None or said.proof.proved):
            return _Round(fsa, said, fresh)
        if said.wrong is not None:
            fresh.append(said.wrong)
        elif kept is None:
            kept = fsa, said
    if kept is not None and not any(part.wrong(part.predict(kept[0])).any() for part in fresh):
        return _Round(*kept, fresh)
    return _Round(None, Judgement(False), fresh)


def _verdict(fsa: GraphFSA, judges: Sequence[Judge]) -> Judgement:
    """What the first judge says that can tell; an undecided proof is kept."""
    proof, said = None, Judgement(None)
    for judge in judges:
        said = judge.judge(fsa)
        proof = said.proof or proof
        if said.right is not None:
            break
    return replace(said, proof=proof)


def _candidates(model: Model, train: Examples) -> list[GraphFSA]:
    """Automata that fit the training graphs, the preferred one first; then the same with unused entries that stay."""
    several = list(model.candidates[:_CANDIDATES]) or [model.automaton]
    first = several[0]
    _, used = roll_out(first, train)
    stay = np.where(used, first.transition_table, np.arange(first.num_states)[:, None])
    other = GraphFSA(
        first.state_names,
        first.aggregation,
        stay,
        starting_states=first.starting_states,
        final_states=first.final_states,
    )
    known = {fsa.digest for fsa in several}
    return several if other.digest in known else [*several, other]


def _settled(model: Model, found: _Round, train: Examples) -> Model:
    """The model with the automaton that was chosen and what is known about it."""
    assert found.automaton is not None
    proof = found.said.proof
    model = replace(model, verdict="proved" if proof is not None and proof.proved else "exact", proof=proof)
    if found.automaton.digest == model.automaton.digest:
        return model
    return replace(model, body=found.automaton, used=roll_out(found.automaton, train)[1])


def _better(again: Model, earlier: Model, train: Examples) -> Model:
    """What was learned from more graphs; if that has failed, whichever automaton is right on more of them."""
    if again.verdict in ("exact", "impossible") or again.provenance is None:
        return again
    answers, used = roll_out(earlier.automaton, train)
    accuracy = train.score(answers).accuracy
    if again.found and again.provenance.train_accuracy >= accuracy:
        return again
    known = replace(again.provenance, train_accuracy=accuracy, validation=None, validation_accuracy=None)
    return replace(again, body=earlier.automaton, used=used, suspects=(), provenance=known)


def _interrupted(model: Model) -> Model:
    """The model that the user did not wait for to be settled."""
    known = model.provenance
    return model if known is None else replace(model, provenance=replace(known, interrupted=True))


def _learned_from(model: Model, train: Examples, added: list[Examples]) -> list[Examples]:
    """The added graphs that a model knows: an interruption may come between their discovery and their use."""
    if model.provenance is None or not model.interrupted:
        return added
    left = model.provenance.graphs - len(train)
    known: list[Examples] = []
    for part in added:
        left -= len(part)
        if left >= 0:
            known.append(part)
    return known


def _with_details(model: Model, added: list[Examples], checked: dict[str, Any] | None) -> Model:
    """The model with the graphs that were added, and what was checked, in its provenance."""
    if model.provenance is None:
        return model
    details = dict(model.provenance.details)
    if added:
        details["counterexamples"] = [json.loads(line) for part in added for line in lines_of(part)]
    if checked is not None:
        details["checked"] = checked
    return replace(model, provenance=replace(model.provenance, details=details))
