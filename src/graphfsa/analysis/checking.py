"""Does a certificate of any kind hold?"""

from __future__ import annotations

from typing import Any

from graphfsa.analysis.certificates import Check, read_certificate
from graphfsa.analysis.impossibility import KIND as IMPOSSIBILITY
from graphfsa.analysis.impossibility import check_impossibility, load_impossibility
from graphfsa.analysis.instances import Progress
from graphfsa.analysis.verification import KIND as VERIFICATION
from graphfsa.analysis.verification import load_certificate, recheck
from graphfsa.errors import GraphFSAError
from graphfsa.files import PathLike


def certificate_kind(path: PathLike) -> str:
    """What a certificate is about: ``impossibility`` or ``verification``."""
    return read_certificate(path, IMPOSSIBILITY, VERIFICATION)["kind"]


def check_certificate(path: PathLike, model: Any = None, *, progress: Progress | None = None) -> Check:
    """Check a certificate from nothing but the file, and the model if it is about one.

    A proof of impossibility is checked without any code of the learner. A verification is done again.

    Args:
        path: A .json file that ``learn`` or ``verify`` wrote.
        model: The automaton that a verification is about.
        progress: Called with the number of instances looked at so far, and of all.
    """
    if certificate_kind(path) == IMPOSSIBILITY:
        if model is not None:
            raise GraphFSAError(f"model goes with a certificate of a verification; {path} proves an impossibility")
        found = check_impossibility(load_impossibility(path))
        note = "; that the labels are those of the task was not checked" if found.holds else ""
        return Check(found.holds, found.reason + note)
    if model is None:
        raise GraphFSAError(f"model must be given: {path} is about an automaton")
    said = load_certificate(path)
    again = recheck(said, model, progress=progress)
    if not again.agrees:
        return Check(False, "; ".join(again.differences))
    seen = again.verification
    where = f"{seen.graphs:,} graphs of the class {seen.graph_class} up to {seen.max_nodes} nodes"
    return Check(True, f"the automaton is right on all {seen.instances:,} instances of {said.dataset.name} on {where}")
