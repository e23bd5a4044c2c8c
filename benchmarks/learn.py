"""How often learners recover the algorithm from small graphs, and how long they take. Every run counts."""

from __future__ import annotations

from typing import Any

from benchmarks import _learn_diff, _learn_exact, _learn_recurrent
from benchmarks._report import one_thread, provenance
from graphfsa.errors import UnknownNameError
from graphfsa.learners import learner_class

_PARTS = {
    "exact": (_learn_exact.rows, ("scipy", "python-sat")),
    "diff-fsa": (_learn_diff.rows, ("scipy", "torch")),
    "recurrent-gnn": (_learn_recurrent.rows, ("torch", "torch-geometric")),
}


def measure(*, quick: bool, seed: int, learner: str = "exact") -> dict[str, Any]:
    """Measure everything, on one core; kernels are compiled before the clock starts."""
    name = learner_class(learner).name
    if name not in _PARTS:
        raise UnknownNameError("learner with a benchmark", name, _PARTS)
    part, peers = _PARTS[name]
    seeds = [seed * 1000 + k for k in range(2 if quick else 10)]
    with one_thread():
        rows = list(part(seeds, quick))
    about = provenance(seed, quick, peers)
    return {"title": f"python -m benchmarks learn --learner {learner}", "rows": rows, "provenance": about}
