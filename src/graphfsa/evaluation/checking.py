"""Runs some jobs of a directory of results again: do they give the same?"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.errors import GraphFSAError
from graphfsa.evaluation._job import versions
from graphfsa.evaluation.experiment import Job
from graphfsa.evaluation.records import Record, Results
from graphfsa.evaluation.runner import Watch, check_numbers, run_watched


@dataclass(frozen=True)
class Checked:
    """A job that was run again.

    Attributes:
        id: Name of the job.
        config: Its configuration.
        differs: What came out otherwise, in words; nothing if all is the same.
        versions: Versions that are others now: name, and what it was then and is now.
    """

    id: str
    config: dict[str, Any]
    differs: tuple[str, ...]
    versions: dict[str, tuple[str, str]]


def check_results(
    results: Results, *, sample: int = 10, seed: int = 0, processes: int | None = None, watch: Watch | None = None
) -> list[Checked]:
    """Run some jobs again, chosen at random, and compare data, accuracies and models with what was recorded.

    The files of their models are compared with their digests too, where they have been kept.

    Automata come out the same on every machine. The weights of networks depend on the order in which a processor adds
    numbers, so on a processor of another kind networks may differ.

    Args:
        results: A directory of results; nothing in it is changed.
        sample: Number of jobs; all of them if there are fewer.
        seed: Seed of the choice.
        processes: How many run at once; as many as there are cores if not given.
        watch: Is told how it goes, as by :func:`run_experiments`.

    Returns:
        The jobs that were run, in the order of their records.
    """
    check_numbers(sample=sample, processes=1 if processes is None else processes)
    done = {name: record for name, record in results.records().items() if record["status"] == "done"}
    if not done:
        raise GraphFSAError(f"{str(results.path)!r} has no job that was done")
    places = np.random.default_rng(seed).permutation(len(done))[:sample]
    chosen = [list(done)[place] for place in sorted(places)]
    jobs = [Job(done[name]["config"]) for name in chosen]
    with tempfile.TemporaryDirectory() as models:
        again = {record["id"]: record for record in run_watched(jobs, Path(models), processes, watch)}
    return [
        Checked(
            name,
            done[name]["config"],
            (*_differences(done[name], again[name]), *_damage(done[name], results.models)),
            _other_versions(done[name]),
        )
        for name in chosen
    ]


def _differences(before: Record, after: Record) -> list[str]:
    if after["status"] != "done":
        return [f"it fails: {after['error']}"]
    found = [
        f"graphs of {part}"
        for part in {**before.get("digests", {}), **after["digests"]}
        if before.get("digests", {}).get(part) != after["digests"].get(part)
    ]
    for test in {**before["results"], **after["results"]}:
        then, now = (record["results"].get(test, {}).get("accuracy") for record in (before, after))
        if then != now:
            found.append(f"accuracy at {test}: {then} then, {now} now")
    models = [(record.get("model") or {}) for record in (before, after)]
    then, now = (model.get("automaton", model.get("network")) for model in models)
    return [*found, "the model"] if then != now else found


def _damage(record: Record, models: Path) -> list[str]:
    model = record.get("model") or {}
    file = models / model.get("file", "")
    if not model or not file.is_file() or sha256(file.read_bytes()).hexdigest() == model["sha256"]:
        return []
    return [f"the file models/{file.name}, which is not the one that was written"]


def _other_versions(record: Record) -> dict[str, tuple[str, str]]:
    now = versions()
    return {
        name: (then, now[name]) for name, then in record["versions"].items() if name in now and then != now[name]
    }  # fmt: skip
