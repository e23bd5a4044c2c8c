"""What there is to say about a model that was learned, for machines and for people."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphfsa.cli._common import print_rows, say
from graphfsa.cli._instances import amount, graph_facts, instance_facts, print_instance

if TYPE_CHECKING:
    from graphfsa.datasets import Dataset, Examples, UserData
    from graphfsa.learners import Model, SoftTable

_SHOWN = 10
_UNDECIDED = 0.5
_FEW = 0.95
"""From this accuracy on, labels that the model does not give may be errors of the data, and are listed."""


def learned_facts(
    model: Model, train: Examples, read: UserData | None, *, attempts: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Facts for machines.

    Args:
        model: The model.
        train: The training graphs.
        read: The file that they are from, if they are from one.
        attempts: Whether to list the sizes that were tried, which may be many.
    """
    known = model.provenance
    assert known is not None
    facts: dict[str, Any] = {
        "verdict": model.verdict,
        "learner": known.learner,
        "options": known.options,
        "seed": known.seed,
        "graphs": known.graphs,
        "data_digest": known.data,
        "train_accuracy": known.train_accuracy,
        "validation_digest": known.validation,
        "validation_accuracy": known.validation_accuracy,
        "seconds": known.seconds,
        "interrupted": known.interrupted,
        "versions": known.versions,
        **known.details,
        **({} if model.discretiser is None else {"discretiser": model.discretiser.config()}),
        **_body_facts(model),
        **({"attempts": [asdict(attempt) for attempt in model.attempts]} if attempts else {}),
        "suspects": [_suspect(suspect, read) for suspect in model.suspects],
        "impossibility": None if model.impossibility is None else _proof_facts(model.impossibility),
        "contradictions": _contradictions(model, train, read),
    }
    if model.history:
        facts["loss"] = model.history[-1].get("loss")
    return facts | (soft_facts(model.soft) if model.soft is not None else {})


def soft_facts(soft: SoftTable) -> dict[str, Any]:
    """How undecided a soft table is, in bits per entry, and where."""
    return {
        "entropy": round(float(soft.entropy[:, soft.trained].mean()), 6) if soft.trained.any() else 0.0,
        "undecided": [{"state": s, "value": v, "probabilities": p} for s, v, p in soft.undecided(_UNDECIDED)],
    }


def lookalike_facts(model: Model, dataset: Dataset | None) -> dict[str, Any] | None:
    """Two nodes that show that a task can't be solved, if there are any; looked for where learning has failed."""
    from graphfsa.analysis import lookalike
    from graphfsa.datasets import CustomTask

    failed = model.verdict not in ("proved", "exact") and not model.interrupted
    found = lookalike(dataset) if failed and isinstance(dataset, CustomTask) else None
    if found is None:
        return None
    return {
        "claim": str(found),
        "max_states": found.max_states,
        "distance": found.distance,
        "node": found.node,
        "label": found.label,
        "other_label": found.tree_label,
        **graph_facts(found.graph),
        "inputs": list(found.inputs),
    }


def print_learned(model: Model, facts: dict[str, Any]) -> None:
    """Facts for people."""
    print_rows(_rows(model, facts))
    if model.verdict not in ("proved", "exact"):
        _print_attempts(model, facts)
    if model.suspects and (len(model.suspects) <= 2 * _SHOWN or facts["train_accuracy"] >= _FEW):
        _print_suspects(facts["suspects"])
    for clash in facts["contradictions"]:
        say(f"contradiction: {clash}")
    if model.impossibility is not None:
        _print_proof(model.impossibility, facts)
    if facts["lookalike"] is not None:
        say(f"\n{facts['lookalike']['claim']}")
        say("an answer that stays can't be given here; let labels be what happens next instead, an evolution:")
        say("give the task 'states' in place of inputs and classes, and the states after one step as labels")
    if facts.get("possible") is False:
        say(
            "no automaton of these sizes can be exact: nodes that look the same forever have different labels "
            "('graphfsa learn --learner exact' shows which)"
        )
    if model.verdict not in ("proved", "exact") and facts.get("undecided"):
        print_undecided(facts)


def _print_attempts(model: Model, facts: dict[str, Any]) -> None:
    """What was tried, how much of it there is beyond what is shown, and what may settle it."""
    for tried in model.attempts[:_SHOWN]:
        by = f" by {tried.by}" if tried.by else ""
        say(f"  {tried.size}: {tried.outcome}{by}, {tried.seconds:.1f} s")
    if more := model.attempts[_SHOWN:]:
        still = sum(tried.outcome == "open" for tried in more)
        say(f"  and {len(more)} more sizes, {still} of them open ('--json --attempts' lists all)")
    budget = facts["options"].get("budget")
    if budget is not None and any(tried.outcome == "open" for tried in model.attempts):
        say(f"a larger --budget than {budget:g} looks further at the sizes that are open")


def print_undecided(facts: dict[str, Any], limit: int = 5) -> None:
    """Print where a soft table is undecided."""
    say(f"{len(facts['undecided'])} entries have {_UNDECIDED} bits or more")
    for entry in facts["undecided"][:limit]:
        chances = ", ".join(f"{name} {chance:.2f}" for name, chance in entry["probabilities"].items())
        say(f"  {entry['state']} that sees {entry['value']}: {chances}")


def _body_facts(model: Model) -> dict[str, Any]:
    """The automaton or the network."""
    if not model.found:
        return dict.fromkeys(("automaton", "states", "bound", "aggregation", "entries", "unseen_entries"))
    if not model.is_automaton:
        return {"network": model.digest, "weights": model.network.num_weights}
    from graphfsa.analysis import possible_entries

    fsa = model.automaton
    starting = range(fsa.num_states) if model.task.kind == "evolution" else None
    possible = possible_entries(fsa, starting_states=starting)
    possible[list(fsa.final_states)] = False
    assert model.used is not None
    return {
        "automaton": fsa.digest,
        "states": fsa.num_states,
        "bound": getattr(fsa.aggregation, "bound", None),
        "aggregation": fsa.aggregation.config(),
        "entries": int(possible.sum()),
        "unseen_entries": int((possible & ~model.used).sum()),
    }


def _rows(model: Model, facts: dict[str, Any]) -> dict[str, Any]:
    from graphfsa.automaton.rules import StateNames, plain_name, sight_words

    rows: dict[str, Any] = {"verdict": facts["verdict"] + (" (interrupted)" if facts["interrupted"] else "")}
    if model.is_automaton:
        fsa = model.automaton
        rows["automaton"] = f"{fsa.num_states} states ({', '.join(fsa.state_names)})"
        rows["a node sees"] = sight_words(fsa.aggregation, StateNames(fsa.state_names, plain_name))
        rows |= cut_rows(model)
    elif model.found:
        rows["network"] = f"{facts['learner']}, {facts['weights']:,} weights"
    said = facts.get("proof")
    if said is not None:
        rows["proof"] = (
            f"undecided: {said['reason']}"
            if said["verdict"] == "undecided"
            else ", ".join(filter(None, (said["claim"], said["steps"])))
        )
        if said["certificate"] is not None:
            rows["certificate"] = said["certificate"]
    if facts.get("counterexamples"):
        rows["added"] = f"{amount(len(facts['counterexamples']), 'graph')} that refuted what was learned before"
    if facts.get("checked"):
        rows["checked"] = _checked_words(facts["checked"])
    if model.found:
        rows["training"] = f"{facts['train_accuracy']:.4%} of the nodes of {facts['graphs']:,} graphs"
    if facts["validation_accuracy"] is not None:
        rows["validation"] = f"{facts['validation_accuracy']:.4%} of the nodes"
    if model.is_automaton:
        rows["entries"] = (
            f"{facts['entries'] - facts['unseen_entries']} of {facts['entries']} used by the training graphs"
        )
        if facts["unseen_entries"]:
            rows["entries"] += " ('graphfsa coverage' lists the others, 'suggest' tells whether they matter)"
    if "epochs" in facts:
        rows["epochs"] = f"{facts['epochs']}, {facts['updates']:,} updates"
    if model.soft is not None:
        rows["updates"] = f"{facts['updates']}, {facts['solved']} tables without an error"
        changed = facts["changed_entries"]
        rows["soft table"] = f"{facts['entropy']:.2f} bits per entry"
        rows["soft table"] += f"; {changed} entries were changed to make it exact and simple" if changed else ""
    if model.found:
        rows["written to"] = facts["model"] or "nothing: not kept; give --out FILE"
    return rows | {"seconds": _seconds_words(facts)}


def cut_rows(model: Model) -> dict[str, str]:
    """How the features of a node give it an input, if the model was learned from features."""
    known = model.discretiser
    if known is None:
        return {}
    return {"inputs": "; ".join(str(known).split("\n")), "thresholds": "; ".join(known.gaps()) or "none"}


def _seconds_words(facts: dict[str, Any]) -> str:
    """How long it took, and what for."""
    if "seconds_of" not in facts:
        return str(facts["seconds"])
    parts = [f"{name} {seconds}" for name, seconds in facts["seconds_of"].items()]
    return f"{facts['seconds']} ({', '.join(parts)}; {amount(facts['rounds'], 'round')} of learning)"


def _checked_words(checked: dict[str, Any]) -> str:
    """What the labels of the task were compared with."""
    drawn = checked["random"]
    random = (
        f"{sum(drawn.values()):,} random ones of up to {max(map(int, drawn)):,} nodes" if drawn else "no random ones"
    )
    return f"right on all {checked['instances']:,} instances up to {checked['max_nodes']} nodes, and on {random}"


def _suspect(suspect: Any, read: UserData | None) -> dict[str, Any]:
    where: dict[str, Any] = {} if read is None else {"line": int(read.lines[suspect.graph])}
    return {**where, **asdict(suspect)}


def _contradictions(model: Model, train: Examples, read: UserData | None) -> list[str]:
    """Where the data contradict themselves; only looked for if nothing at all fits them."""
    from graphfsa.datasets import contradictions

    if model.impossibility is None or model.impossibility.aggregation is not None:
        return []
    lines: list[str] = []
    for clash in contradictions(train, limit=_SHOWN):
        sides = [
            f"node {node} of {f'graph {graph}' if read is None else read.where(graph)} is {train.task.classes[label]}"
            for graph, node, label in zip(clash.graphs, clash.nodes, clash.labels, strict=True)
        ]
        lines.append(f"{sides[0]}, but {sides[1]}, and no automaton can tell them apart")
    return lines


def _proof_facts(proof: Any) -> dict[str, Any]:
    return {
        "states": proof.num_states,
        "aggregation": None if proof.aggregation is None else proof.aggregation.config(),
        "minimal": proof.minimal,
        "graphs": [instance_facts(example, proof.examples.task) for example in proof.examples],
    }


def _print_suspects(suspects: list[dict[str, Any]]) -> None:
    say(f"\nlabels that the model does not give ({len(suspects)}):")
    for suspect in suspects[:_SHOWN]:
        where = f"line {suspect['line']}" if "line" in suspect else f"graph {suspect['graph']}"
        answer = suspect["answer"] if suspect["answer"] is not None else "nothing"
        say(f"  {where}, node {suspect['node']}: the data say {suspect['label']}, the model says {answer}")
    if len(suspects) > _SHOWN:
        say(f"  and {len(suspects) - _SHOWN} more")


def _print_proof(proof: Any, facts: dict[str, Any]) -> None:
    from graphfsa.analysis import check_impossibility
    from graphfsa.errors import LimitError

    written = facts["impossibility_certificate"]
    say(f"\n{impossible_words(proof)}{'' if written is None else f', written to {written}'}:")
    for example in list(proof.examples)[:_SHOWN]:
        print_instance(instance_facts(example, proof.examples.task))
    try:
        check = check_impossibility(proof)
        say(f"checked apart from the search: {check.reason if check.holds else 'NOT confirmed: ' + check.reason}")
    except LimitError as error:
        say(f"not checked apart from the search: {error}")


def impossible_words(proof: Any) -> str:
    """What a proof of impossibility says, in plain words."""
    bound = getattr(proof.aggregation, "bound", None)
    who = "no automaton"
    if proof.num_states is not None:
        who += f" with {proof.num_states} states"
    if bound is not None:
        who += f" that counts to {bound}"
    elif proof.aggregation is not None:
        who += f" with the aggregation {proof.aggregation.name}"
    number = len(proof.examples)
    what = "this graph" if number == 1 else f"these {number} graphs"
    return f"{who} fits {what}{', whatever its number of states' if proof.num_states is None else ''}"


def note_untouched(path: str | None, written: bool) -> None:
    """Say that a file is from an earlier run, if nothing was written to it this time."""
    if path is not None and not written and Path(path).exists():
        say(f"note: {path} is from an earlier run and was not touched", err=True)
