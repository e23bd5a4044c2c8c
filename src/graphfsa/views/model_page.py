"""The page about a model: what was found out about it, in sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from graphfsa.analysis import Coverage, Verification
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.rules import StateNames, plain_name, sight_words
from graphfsa.datasets import Discretiser
from graphfsa.engine import Trajectory
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.evaluation.proving import ProofReport
from graphfsa.evaluation.scoring import Row
from graphfsa.files import PathLike
from graphfsa.learners import Model
from graphfsa.views.diagrams import diagram
from graphfsa.views.entries import draw_coverage
from graphfsa.views.learning import draw_accuracy
from graphfsa.views.proof_section import proof_section
from graphfsa.views.report import (
    Section,
    facts_section,
    numbers_section,
    picture_section,
    rollout_section,
    text_section,
    write_report,
)

_COLUMNS = ("size", "steps", "graphs", "perfect", "accuracy")


def write_model_page(
    model: Model,
    out: PathLike,
    *,
    title: str,
    task: str,
    rows: Sequence[Row],
    verification: Verification | str,
    proof: ProofReport | str | None,
    coverage: Coverage,
    trajectory: Trajectory | None,
    facts: dict[str, Any],
) -> dict[str, Any]:
    """Write the page; returns what is on it, as JSON values.

    Args:
        model: The model, an automaton.
        out: The .html file.
        title: What the model is called.
        task: What its task is called.
        rows: How well it does.
        verification: What was verified, or why nothing was.
        proof: Whether it is right on graphs of every size, why nothing was tried, or None if nobody says what is right.
        coverage: What the training graphs, or one's own, say about its entries.
        trajectory: A run to play, if there is one.
        facts: Further facts about where this is from.
    """
    fsa, examples = model.automaton, coverage.examples
    used = coverage.seen > 0
    about: dict[str, Any] = {
        "task": task,
        "automaton": fsa.digest,
        "states": ", ".join(fsa.state_names),
        "a node sees": sight_words(fsa.aggregation, StateNames(fsa.state_names, plain_name)),
        "graphs": f"{len(examples):,}, digest {examples.digest}",
    }
    if model.provenance is not None:
        known = model.provenance
        about["learned by"] = f"{known.learner}, seed {known.seed}, from {known.graphs:,} graphs, {known.seconds:.1f} s"
        about["training data"] = known.data
    versions = facts.pop("versions", {})
    about |= {**facts, "versions": ", ".join(f"{name} {version}" for name, version in versions.items())}
    if model.discretiser is not None:
        about["features"] = ", ".join(model.discretiser.features)
    sections = [
        *([] if model.discretiser is None else [_inputs(model.discretiser)]),
        _rules(fsa, used),
        _diagram(fsa, used),
        _accuracy(rows, title, evolution=examples.task.kind == "evolution"),
        _verification(verification, refuted=isinstance(proof, ProofReport) and proof.trajectory is not None),
        *([] if proof is None else [proof_section(proof, title)]),
        _coverage(coverage),
        *([] if trajectory is None else [_run(trajectory)]),
        facts_section("Where this is from", about),
    ]
    subtitle = f"{fsa.num_states} states; a node sees: {about['a node sees']}; automaton {fsa.digest[:12]}"
    verdict = _verdict(proof, verification)
    write_report(out, f"{title}: an automaton for {task}", subtitle, sections, verdict=verdict)
    verified = verification.verified if isinstance(verification, Verification) else None
    proved = proof.verdict if isinstance(proof, ProofReport) else None
    accuracy = [_plain(row) for row in rows]
    return {"out": str(out), "accuracy": accuracy, "verified": verified, "proof": proved, **about}


def _plain(row: Row) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if value is not None}


def _inputs(discretiser: Discretiser) -> Section:
    """How features of a node become its input."""
    note = "How the features of a node give it an input, in which it starts. Proofs are about the inputs."
    rows = {name: when if when == "always" else f"if {when}" for name, when in discretiser.words().items()}
    gaps = {f"threshold {number}": words for number, words in enumerate(discretiser.gaps(), start=1)}
    return facts_section("Inputs from features", rows | gaps, note=note)


def _rules(fsa: GraphFSA, used: Any) -> Section:
    try:
        words = str(fsa.rules(used))
    except LimitError as error:
        words = str(error)
    return text_section(
        "What it does, in words", words, note="Entries that the training graphs never use are left free."
    )


def _diagram(fsa: GraphFSA, used: Any) -> Section:
    try:
        return picture_section("Diagram", diagram(fsa, matters=used).svg())
    except LimitError as error:
        return text_section("Diagram", str(error))


def _accuracy(rows: Sequence[Row], name: str, *, evolution: bool) -> Section:
    results = [_plain(row) for row in rows]
    cells = [[f"{row[k]:.4f}" if isinstance(row[k], float) else f"{row[k]:,}" for k in _COLUMNS] for row in results]
    note = "Strict: a node without an answer is wrong."
    figure = draw_accuracy({name: results}) if len(results) > 1 else None
    title = "Accuracy after more steps" if evolution else "Accuracy by size of the graphs"
    return numbers_section(title, _COLUMNS, cells, figure, note=note)


def _verdict(proof: ProofReport | str | None, verification: Verification | str) -> tuple[str, str] | None:
    """The line at the top: what is known for all graphs, or for all small ones."""
    if isinstance(proof, ProofReport) and proof.verdict == "proved":
        return f"Proved right on {_every(proof.proof.graph_class)}.", "right"
    if isinstance(proof, ProofReport) and proof.verdict == "refuted":
        return "Wrong: see below, \u201cWhere it is wrong\u201d.", "wrong"
    if isinstance(verification, Verification) and not verification.verified:
        return "Wrong: see below, \u201cVerification\u201d.", "wrong"
    return None


def _every(graph_class: str) -> str:
    """All graphs of a class, in words."""
    known = {"connected": "all connected graphs", "directed": "all directed graphs"}
    many = graph_class in ("path", "cycle", "tree")
    return known.get(graph_class, f"all {graph_class}s" if many else f"every {graph_class}")


def _verification(found: Verification | str, *, refuted: bool = False) -> Section:
    """What was verified; if a proof shows the wrong graph, it is not shown twice."""
    if isinstance(found, str):
        return text_section("Verification", f"not done: {found}")
    own = found.graph_class == "your data"
    if found.verified:
        rows = {"verdict": "right on all of them"}
        rows["graphs"] = (
            f"{found.graphs:,} of your own"
            if own
            else (f"all {found.graphs:,} of the class {found.graph_class!r} with up to {found.max_nodes} nodes")
        )
        rows["instances"] = f"{found.instances:,} graphs with inputs"
    else:
        word = found.graph_class if found.graph_class in ("path", "cycle", "tree") else "graph"
        among = "of your own" if own else f"of those with up to {found.max_nodes} nodes"
        rows = {"verdict": f"wrong; stopped at the {_ordinal(found.graphs)} {word} {among}"}
        rows["instances"] = f"{found.instances:,} graphs with inputs up to there"
    rows["digest"] = found.digest
    if refuted:
        rows["counterexample"] = "see the next section"
    elif found.counterexample is not None:
        wrong = found.counterexample
        rows["counterexample"] = (
            f"{wrong.graph.num_nodes} nodes; inputs {', '.join(wrong.inputs)}; labels "
            f"{', '.join(map(str, wrong.labels))}; answers {', '.join(map(str, wrong.predictions))}"
        )
    return facts_section("Verification", rows)


def _ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number // 10 % 10 == 1 else last}"


def _coverage(coverage: Coverage) -> Section:
    try:
        note = "Which entries of the table these graphs use."
        return picture_section("Coverage", draw_coverage(coverage), note=note)
    except GraphFSAError as error:
        return text_section("Coverage", f"not drawn: {error}")


def _run(trajectory: Trajectory) -> Section:
    note = "Play it, step through it, and click a node to see why it changed."
    return rollout_section("A run", trajectory, note=note)
