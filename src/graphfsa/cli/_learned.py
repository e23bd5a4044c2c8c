"""What there is to say about a learned automaton, whoever learned it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphfsa.automaton import GraphFSA
    from graphfsa.datasets import Examples


def common_facts(found: Any, train: Examples, seed: int) -> dict[str, Any]:
    """Facts for machines about what a learner returned: verdict, automaton, data, seed and version."""
    from graphfsa import __version__
    from graphfsa.analysis.coverage import coverage

    fsa: GraphFSA | None = found.found
    seen = None if fsa is None else coverage(fsa, train)
    return {
        "verdict": found.verdict,
        "train_accuracy": found.train_accuracy,
        "states": None if fsa is None else fsa.num_states,
        "bound": None if fsa is None else getattr(fsa.aggregation, "bound", None),
        "aggregation": None if fsa is None else fsa.aggregation.config(),
        "automaton": None if fsa is None else fsa.digest,
        "seconds": round(found.seconds, 3),
        "entries": None if seen is None else seen.num_possible,
        "unseen_entries": None if seen is None else seen.num_unseen,
        "graphs": len(train),
        "data_digest": train.digest,
        "seed": seed,
        "version": __version__,
        "interrupted": found.interrupted,
    }


def common_rows(fsa: GraphFSA | None, facts: dict[str, Any], out: str) -> dict[str, Any]:
    """The same for people."""
    rows: dict[str, Any] = {"verdict": facts["verdict"] + (" (interrupted)" if facts["interrupted"] else "")}
    if fsa is not None:
        rows["automaton"] = f"{fsa.num_states} states ({', '.join(fsa.state_names)}), {fsa.aggregation}"
        rows["training"] = f"{facts['train_accuracy']:.4%} of the nodes of {facts['graphs']:,} graphs"
        rows["entries"] = f"{facts['entries'] - facts['unseen_entries']} of {facts['entries']} used by the data"
        if facts["unseen_entries"]:
            rows["entries"] += " ('graphfsa coverage' lists the others, 'suggest' tells whether they matter)"
        rows["written to"] = out
    return rows
