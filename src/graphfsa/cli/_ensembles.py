"""Options and words that commands about runs share: who moves when, what goes wrong, and many runs together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphfsa.cli._common import print_json, print_rows, say

if TYPE_CHECKING:
    from graphfsa.engine import Ensemble

SCHEDULER_HELP = (
    "Who moves when, as NAME or NAME:KEY=VALUE: synchronous, random-sequential, round-robin, central, "
    "distributed:p=0.3, locally-central, block-sequential:blocks=4, clocks [default: all nodes at once]."
)
FAULTS_HELP = (
    "What goes wrong, as NAME:KEY=VALUE,KEY=VALUE: transient:share=0.1,at=5+20, crash:share=0.1,at=5, crash:rate=0.01, "
    "byzantine:nodes=0+7, lost:q=0.05, edges:p=0.9; may be repeated."
)
_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
_UNITS = ("steps", "moves", "rounds", "clock")


def print_ensemble(found: Ensemble, *, as_json: bool) -> None:
    """Print what many runs have in common."""
    facts = ensemble_facts(found)
    if as_json:
        print_json(facts)
        return
    rows = {name: value for name, value in facts.items() if name not in ("last", "to_rest") and value is not None}
    print_rows({**rows, "faults": ", ".join(facts["faults"]) or "none"})
    for unit, numbers in facts["to_rest"].items():
        say(
            f"{unit} to rest: mean {numbers['mean']:,.6g}, median {numbers['q50']:,.6g}, "
            f"from 5 to 95 %: {numbers['q05']:,.6g} .. {numbers['q95']:,.6g}"
        )
    say("share of the nodes at the last step: mean, and the runs from 5 to 95 %")
    for name, numbers in facts["last"].items():
        say(f"  {name:20} {numbers['mean']:.4f}   {numbers['q05']:.4f} .. {numbers['q95']:.4f}")


def ensemble_facts(found: Ensemble) -> dict[str, Any]:
    """What many runs have in common, as JSON values; how long it takes to rest is about the runs that do."""
    to_rest: dict[str, Any] = {}
    for unit, numbers in zip(_UNITS, (found.rest, found.moves, found.rounds, found.clock), strict=True):
        if numbers is not None and (found.rest >= 0).any():
            to_rest[unit] = _spread(found.to_rest(unit))  # pyright: ignore[reportArgumentType]
    return {
        "automaton": found.fsa.digest,
        "nodes": found.graph.num_nodes,
        "arcs": found.graph.num_arcs,
        "replicates": found.replicates,
        "steps": int(found.times[-1]),
        "scheduler": None if found.scheduler is None else str(found.scheduler),
        "faults": [str(fault) for fault in found.faults],
        "seed": found.seed,
        "at_rest": int((found.rest >= 0).sum()),
        "mean_steps_to_rest": to_rest["steps"]["mean"] if to_rest else None,
        "digest": found.digest,
        "seconds": round(found.seconds, 6),
        "to_rest": to_rest,
        "last": {name: _spread(found.share(name)[:, -1]) for name in found.fsa.state_names},
    }


def _spread(numbers: Any) -> dict[str, float]:
    import numpy as np

    quantiles = np.quantile(numbers, _LEVELS).tolist()
    named = {f"q{round(100 * level):02}": q for level, q in zip(_LEVELS, quantiles, strict=True)}
    return {"mean": float(np.mean(numbers)), **named}
