"""Why an automaton is right, or wrong, in sentences: a certificate read aloud.

The sentences say less than the certificate where that makes them shorter, and never more. Names are between backquotes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphfsa.analysis.verification import Counterexample
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import EvolutionSpecification, EvolutionTable, TreeSpecification
from graphfsa.errors import GraphFSAError
from graphfsa.learners import as_model
from graphfsa.proofs._claims import times
from graphfsa.proofs._contract_words import contract_points
from graphfsa.proofs._lists import listed
from graphfsa.proofs._message_words import message_words
from graphfsa.proofs._parts import Part
from graphfsa.proofs._surroundings import all_surroundings
from graphfsa.proofs._view_words import view_points
from graphfsa.proofs._wave_words import wave_points
from graphfsa.proofs.tree_certificate import TreeCertificate

if TYPE_CHECKING:
    from graphfsa.proofs.prove import Proof


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
        Claim: on every path that is an instance of root-value, every node reaches its class and stays there.
    """
    fsa = as_model(model).automaton
    if fsa.digest != proof.automaton:
        raise GraphFSAError("the model must be the automaton that the proof is about; their digests differ")
    claim = Part(f"Claim: {proof.claim}.")
    if proof.counterexample is not None:
        return [claim, _wrong(proof.counterexample, each_step=isinstance(proof.statement, EvolutionSpecification))]
    if proof.certificate is None:
        reason = f"This is neither proved nor refuted: {proof.reason}."
        return [claim, Part(reason)]
    if isinstance(proof.statement, TreeSpecification) and proof.method == "views":
        why = _by_views(proof.certificate, fsa, proof.statement)
    elif isinstance(proof.statement, TreeSpecification):
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
    others = f" ({len(wrong) - 1} more of its nodes are wrong)" if len(wrong) > 1 else ""
    when = f"after {example.steps:,} step{'s' * (example.steps != 1)}"
    again = "" if each_step else " The same happens again and again, however long the automaton runs."
    said = "has no answer" if answer is None else f"answers `{answer}`"
    return Part(
        f"This is false. On a graph of {example.graph.num_nodes} node{'s' * (example.graph.num_nodes != 1)}, {when}, "
        f"node {node} (input `{given}`) {said}, but `{label}` is right{others}.{again}"
    )


def _on_trees(facts: dict[str, Any], fsa: GraphFSA, spec: TreeSpecification) -> list[Part]:
    table = spec.table
    said = TreeCertificate.read(facts, fsa.num_states, len(table.messages))
    messages = [str(message) for message in table.messages]
    text = (
        "Take any edge. Call one end the neighbour and the other the node. Depending on the two messages of the edge, "
        "a neighbour can do only this:"
    )
    parts = [message_words(table)]
    for number, contracts in enumerate(said.rounds):
        parts.append(Part(text, tuple(contract_points(contracts, fsa.state_names, messages))))
        text = "Now that this is known of every edge, in both directions, a neighbour can do even less:"
        if not number:
            parts.append(
                Part(
                    "The reason is an induction over the size of the part of the tree behind the neighbour. Nothing is "
                    "behind a leaf; behind any other neighbour there are only smaller parts, of which this is known "
                    "already."
                )
            )
    if said.history > 1:
        parts.append(
            Part(
                f"(The certificate remembers the last {said.history} pairs of states on an edge; these sentences "
                "mention only the last one.)"
            )
        )
    answers = [fsa.state_names[state] for state in _answers(fsa, spec)]
    same = answers == list(table.classes)
    pairs = [
        f"`{state}`" if same else f"`{state}` for `{name}`" for state, name in zip(answers, table.classes, strict=True)
    ]
    cases = len(all_surroundings(table))
    parts.append(
        Part(
            f"A node can have {cases:,} kinds of surroundings: its input, and how many neighbours send it each "
            "message. In every one of them, if the neighbours do only what they can do, the node is from some step on "
            f"in the state of its class and in no other: {listed(pairs, 'or')}."
        )
    )
    return [*parts, _tree_steps(said.changes)]


def _answers(fsa: GraphFSA, spec: TreeSpecification) -> tuple[int, ...]:
    return tuple(spec.table.task.reading(fsa).answers)


def _tree_steps(changes: int | None) -> Part:
    if changes is None:
        return Part("No bound on the number of steps was found; on each tree some number of steps is enough.")
    often = "once" if changes == 1 else f"{changes:,} times"
    all_times = times(changes)
    return Part(
        f"A node changes its state at most {often}, so n nodes make at most {all_times} changes in all. After a step "
        f"in which no node changes, none ever will. So all nodes are right after at most {all_times} steps."
    )


def _by_views(facts: dict[str, Any], fsa: GraphFSA, spec: TreeSpecification) -> list[Part]:
    table, most = spec.table, facts["changes"]
    messages = [str(message) for message in table.messages]
    all_times = times(most)
    return [
        message_words(table),
        Part(
            "Take any edge. Call one end the neighbour and the other the node. Depending on the two messages of the "
            "edge, this is so at every step:",
            tuple(view_points(facts, fsa.state_names, messages)),
        ),
        Part(
            "At the beginning this is so on every edge. If it is so at one step, the table leads to nothing else in "
            "the next one: that is checked for every node with any neighbours of this kind. So it is so at every step. "
            "(The certificate also tells nodes with different inputs and classes apart, these sentences do not.)"
        ),
        Part(
            f"The states of a node are on {most + 1:,} level{'s' * (most > 0)}, and no step leads up. A tree in which "
            "no node goes down is built of these pairs, from the leaves on. In all such trees every node is in the "
            "state of its class and stays there."
        ),
        Part(
            f"So in every step some node goes down, or all are right for ever. n nodes go down at most {all_times} "
            f"times together, so all nodes are right after at most {all_times} steps."
        ),
    ]


def _on_connected_graphs(facts: dict[str, Any], fsa: GraphFSA, proof: Proof) -> list[Part]:
    table: Any = proof.statement.table
    lag = facts["lag"]
    parts = [
        Part(
            "A wave starts at each source and travels one edge per step. Let d be the distance of a node from the "
            "nearest source. Then this is true at every step:",
            tuple(wave_points(facts, fsa.state_names, table)),
        ),
        Part(
            "It is true at step 0. And if it is true at one step, it is true at the next: that is checked for every "
            "neighbourhood, with any number of neighbours nearer to the source, as near, and farther away."
        ),
    ]
    if facts["early"] + facts["cycle"] > 1:
        parts.append(
            Part("(The certificate also tells some steps apart, such as odd and even ones; these sentences do not.)")
        )
    parts.append(
        Part(
            f"From step d + {lag} on, the only state left for a node is that of its class. So all nodes are right from "
            f"step D + {lag} on, where D is the largest distance."
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
        moves = [f"becomes `{name}` in {count:,}" for count, name in counts if count and name != state]
        stays = [f"stays in {after.count(number):,}"] if number in after else []
        points.append(f"A cell in `{state}` ({len(after):,} cases) {listed([*stays, *moves], 'and')}.")
    many = f"{len(table.moves):,}"
    return [
        Part(
            f"A cell is in one of {len(table.states)} states and sees {seen} others. That makes {many} cases, and in "
            f"every one of them the automaton moves as {table.name} does:",
            tuple(points),
        ),
        Part("So one step agrees on every board, whatever the cells are in, and therefore any number of steps does."),
    ]
