"""The committed models that the exact learner and the strong preset of Diff-FSA have learned."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

_RESULTS = Path(__file__).parents[1] / "results"
ALGORITHMS = ("distance", "root-value", "prefix-sum", "path-finding")


@lru_cache
def learned_files(task: str) -> tuple[Path, ...]:
    """The files of the models of a task."""
    found: list[Path] = []
    for line in (_RESULTS / "records.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        config = record["config"]
        strong = config["learner"] == "diff-fsa" and "preset" not in config["options"]
        if config["data"]["dataset"] == task and (strong or config["learner"] == "exact"):
            found.append(_RESULTS / "models" / f"{record['id']}.json")
    return tuple(found)
