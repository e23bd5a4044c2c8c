"""The checkers behind one door: do the facts of a certificate prove a statement about an automaton?

Nothing here, and nothing that this imports from the room, belongs to a prover.
"""

from __future__ import annotations

from typing import Any

from graphfsa.analysis.certificates import Check
from graphfsa.automaton import GraphFSA
from graphfsa.checks import shown
from graphfsa.datasets import EvolutionSpecification, Specification, WaveSpecification
from graphfsa.errors import FormatError
from graphfsa.proofs import _evolution_checker, _wave_checker, tree_certificate, view_checker
from graphfsa.proofs._claims import claim_of, steps_of
from graphfsa.proofs.tree_checker import Rejected, check_tree_proof

_FIELDS = {
    "contracts": tree_certificate.FIELDS,
    "views": view_checker.FIELDS,
    "waves": _wave_checker.FIELDS,
    "evolution": _evolution_checker.FIELDS,
}
METHODS = tuple(_FIELDS)
_HEADER = ("schema", "kind", "version")


def check_facts(method: str | None, facts: dict[str, Any], fsa: GraphFSA, spec: Specification) -> Check:
    """Check facts with none of the code that found them.

    Args:
        method: One of ``METHODS``, by which the statement is said to be proved.
        facts: What that method needs, as JSON values.
        fsa: The automaton.
        spec: The statement.

    Raises:
        GraphFSAError: The facts are not of the form that the method has, or there is too much to look at.
    """
    kind, methods = _checked_by(spec)
    if method not in methods:
        return Check(False, f"method must be {' or '.join(methods)} in a proof about {kind}; got {shown(method)}")
    for name in facts:
        if name not in _FIELDS[method] and name not in _HEADER:
            raise FormatError(f"method: a certificate by {method} has no field {shown(name)}")
    if isinstance(spec, WaveSpecification):
        return _wave_checker.check_waves(facts, fsa, spec)
    if isinstance(spec, EvolutionSpecification):
        return _evolution_checker.check_evolution(facts, fsa, spec)
    check = view_checker.check_view_proof if method == "views" else check_tree_proof
    try:
        looked_at = check(facts, fsa, spec.table)
    except Rejected as error:
        return Check(False, str(error))
    what = "views" if method == "views" else "configurations"
    return Check(True, f"{claim_of(spec)}, {steps_of(facts['changes'])} ({looked_at:,} {what} checked)")


def _checked_by(spec: Specification) -> tuple[str, tuple[str, ...]]:
    """What a specification is about, and the methods by which it can be proved."""
    if isinstance(spec, WaveSpecification):
        return "connected graphs", ("waves",)
    if isinstance(spec, EvolutionSpecification):
        return "boards", ("evolution",)
    return "trees", ("contracts", "views")
