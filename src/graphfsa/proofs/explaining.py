"""Why an automaton is right, or wrong, in sentences: a certificate read aloud.

The sentences say less than the certificate where that makes them shorter, and never more. Names are between backquotes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphfsa.analysis.verification import Counterexample
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import EvolutionSpecification, EvolutionTable, TreeSpecification
from graphfsa.errors import GraphFSAError
from graphfsa.learners import as_model
from graphfsa.proofs._contract_words import contract_points
from graphfsa.proofs._lists import listed, names
from graphfsa.proofs._surroundings import all_surroundings
from graphfsa.proofs._wave_words import wave_points
from graphfsa.proofs.tree_certificate import TreeCertificate

if TYPE_CHECKING:
    from graphfsa.proofs.prove import Proof


@dataclass(frozen=True)
class Part:
    """A part of an explanation.

    Attributes:
        text: One or two sentences.
        points: What belongs to them, point by point.
    """

    text: str
    points: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.text, *(f"- {point}" for point in self.points)])


def explain(proof: Proof, model: Any) -> list[Part]:
    """What was found out about a model, and why it is so, for people.

    Args:
        proof: What became of the attempt to prove it.
        model: The model, an automaton, the name of a library automaton, or a file.

    Raises:
        GraphFSAError: The proof is about another automaton.

    Example:
        >>> from graphfsa.proofs import prove
        >>> for part in explain(prove("root-value"), "root-value")[:1]:
        ...     print(part)
        Claim: on every path that root-value admits, each node comes to its class and stays there.
    """
    fsa = as_model(model).automaton
    if fsa.digest != proof.automaton:
        raise GraphFSAError("the model must be the automaton that the proof is about; their digests differ")
    claim = Part(f"Claim: {proof.claim}.")
    if proof.counterexample is not None:
        return [claim, _wrong(proof.counterexample, each_step=proof.method == "evolution")]
    if proof.certificate is None:
        reason = f"This is neither proved nor refuted: {proof.reason}."
        return [claim, Part(reason)]
    if isinstance(proof.statement, TreeSpecification):
        why = _on_trees(proof.certificate, fsa, proof.statement)
    elif isinstance(proof.statement, EvolutionSpecification):
        why = _on_boards(proof.statement.table)
    else:
        why = _on_connected_graphs(proof.certificate, fsa, proof)
    return [claim, *why]


def _wrong(example: Counterexample, *, each_step: bool) -> Part:
    """The first wrong node of a counterexample, by name."""
    rows = zip(example.inputs, example.labels, example.predictions, strict=True)
    wrong = [(node, *row) for node, row in enumerate(rows) if row[1] not in (None, row[2])]
    node, given, label, answer = wrong[0]
    others = f", and {len(wrong) - 1} more of its nodes are wrong" if len(wrong) > 1 else ""
    when = f"after {example.steps:,} step{'s' * (example.steps != 1)}"
    again = "" if each_step else " This comes again and again, however long it runs."
    said = "has no answer" if answer is None else f"is `{answer}`"
    return Part(
        f"This is false: on a graph of {example.graph.num_nodes} node{'s' * (example.graph.num_nodes != 1)}, {when}, "
        f"node {node} (given `{given}`) {said} where `{label}` is right{others}.{again}"
    )


def _on_trees(facts: dict[str, Any], fsa: GraphFSA, spec: TreeSpecification) -> list[Part]:
    table = spec.table
    said = TreeCertificate.read(facts, fsa.num_states, len(table.messages))
    messages = [str(message) for message in table.messages]
    parts = [
        Part(
            "Look at one edge, and call its ends the neighbour and the node. What the neighbour does is limited by the "
            f"messages that {table.name} defines for this edge, one in each direction ({names(messages, 'or')})."
        )
    ]
    for number, contracts in enumerate(said.rounds):
        text = "As this holds on every edge, in both directions, a neighbour is limited further:"
        if not number:
            text = (
                "This holds for all neighbours, by induction over the part of the tree behind them: a leaf has nothing "
                "behind it, and all others have only neighbours there for which it holds already."
            )
        parts.append(Part(text, tuple(contract_points(contracts, fsa.state_names, messages))))
    if said.history > 1:
        parts.append(
            Part(f"(The certificate knows the last {said.history} pairs of states, these sentences the last.)")
        )
    answers = [fsa.state_names[state] for state in _answers(fsa, spec)]
    same = answers == list(table.classes)
    pairs = [
        f"`{state}`" if same else f"`{state}` for `{name}`" for state, name in zip(answers, table.classes, strict=True)
    ]
    cases = len(all_surroundings(table))
    parts.append(
        Part(
            f"There are {cases:,} surroundings of a node: an input, and how many neighbours send which message. In "
            "each of them, if the neighbours do no more than this, the node itself can be for ever in no state but "
            f"that of its class: {listed(pairs, 'or')}."
        )
    )
    return [*parts, _tree_steps(said.changes)]


def _answers(fsa: GraphFSA, spec: TreeSpecification) -> tuple[int, ...]:
    return tuple(spec.table.task.reading(fsa).answers)


def _tree_steps(changes: int | None) -> Part:
    if changes is None:
        return Part("No bound on the number of steps was found; on each tree some number of steps is enough.")
    times = "once" if changes == 1 else f"{changes:,} times"
    all_times = "n" if changes == 1 else f"{changes:,} n"
    return Part(
        f"On the way a node changes its state at most {times}, so n nodes change at most {all_times} times together. "
        f"After a step without a change nothing changes any more, so all nodes are right after at most {all_times} "
        "steps."
    )


def _on_connected_graphs(facts: dict[str, Any], fsa: GraphFSA, proof: Proof) -> list[Part]:
    table: Any = proof.statement.table
    lag = facts["lag"]
    parts = [
        Part(
            "From each source a wave runs one edge a step. Let d be the distance of a node to the nearest source. Then "
            "at every step:",
            tuple(wave_points(facts, fsa.state_names, table)),
        ),
        Part(
            "At the beginning this is so. And no step of the table leads out of it: that is checked for every "
            "neighbourhood, with any numbers of neighbours as near, nearer and farther. So it is so at every step."
        ),
    ]
    if facts["early"] + facts["cycle"] > 1:
        parts.append(
            Part("(The certificate also tells early steps and odd from even ones apart, these sentences do not.)")
        )
    parts.append(
        Part(
            f"From step d + {lag} on only the state of its class is left for a node, so after the largest distance "
            f"and {lag} more step{'s' * (lag != 1)} all nodes are right."
        )
    )
    return parts


def _on_boards(table: EvolutionTable) -> list[Part]:
    sizes = sorted({sum(sight) for sight in table.sights})
    seen = listed([str(size) for size in sizes], "or")
    points: list[str] = []
    for number, state in enumerate(table.states):
        after = [later for (given, _), later in table.moves.items() if given == number]
        counts = [(after.count(later), name) for later, name in enumerate(table.states)]
        moves = [f"in {count:,} it becomes `{name}`" for count, name in counts if count and name != state]
        stays = [f"in {after.count(number):,} it stays"] if number in after else []
        points.append(f"A cell in `{state}`, {len(after):,} cases: {listed([*stays, *moves], 'and')}.")
    many = f"{len(table.moves):,}"
    return [
        Part(
            f"A cell is in one of {len(table.states)} states and sees {seen} others. That makes {many} cases, and in "
            f"each of them the table of the automaton says what {table.name} says:",
            tuple(points),
        ),
        Part("So one step agrees on every board from all states, and with it any number of steps."),
    ]
