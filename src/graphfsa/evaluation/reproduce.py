"""Measures tables and figures again, writes their pages, and checks results that are there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.checks import check_seed, check_type
from graphfsa.engine.cluster import Cluster
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.exports import write_tables
from graphfsa.evaluation.files import experiment_names, find_experiment, read_job
from graphfsa.evaluation.outside import is_outside, make_sheets, outside_experiments, write_sheets
from graphfsa.evaluation.results import Record, Results, is_there
from graphfsa.evaluation.runner import Watch, check_count, run_experiments, run_watched
from graphfsa.evaluation.tables import by_experiment
from graphfsa.files import PathLike
from graphfsa.folders import place
from graphfsa.learners import versions
from graphfsa.processes import check_not_imported

_SEEDS = 10
_OUTSIDE = "outside"
_OUTSIDE_SEEDS = 3


class Interrupted(KeyboardInterrupt):
    """A run that was interrupted; ``results`` are those until then, and their pages have been written."""

    def __init__(self, results: Results) -> None:
        super().__init__("interrupted; the same call goes on where this one stopped")
        self.results = results


def reproduce(
    what: str | Experiment | Iterable[str | Experiment],
    *,
    out: PathLike | None = None,
    seeds: int | None = None,
    quick: bool = False,
    processes: int | None = None,
    watch: Watch | None = None,
    cluster: Cluster | str | None = None,
) -> Results:
    """Run experiments, and write their tables as Markdown, CSV, LaTeX and pictures, and ``report.html`` with all.

    What has been done is never done again: interrupted, the same call goes on, and with more seeds it adds to what is
    there. A job that fails is recorded, and the rest goes on. Jobs run in processes of their own, which import the
    script that starts them: it must do its work under ``if __name__ == "__main__":``.

    Args:
        what: The name of a table of the paper, ``"all"`` of them, a ``.toml`` file, an experiment, or several of these;
            or ``"outside"``, the scoreboard of what others have published, which has a directory of its own.
        out: Directory of the results; by default ``results-NAME``.
        seeds: Number of seeds; by default 10 (``outside``: 3), or 1 for a quick run.
        quick: Few graphs and short trainings, to see that it works.
        processes: Number of jobs that run at once; by default the number of cores.
        watch: Called as the work goes on; see :func:`run_experiments`.
        cluster: Workers that share the jobs: a ``Cluster``, or the address of one; by default processes here.

    Returns:
        The results; ``markdown()`` gives the tables.

    Raises:
        Interrupted: The run was interrupted from the keyboard.
    """
    check_not_imported()
    experiments = _experiments(what)
    outside = what == _OUTSIDE
    number = seeds if seeds is not None else 1 if quick else _OUTSIDE_SEEDS if outside else _SEEDS
    if out == "":
        raise GraphFSAError("out must name a directory; got an empty string")
    folder = Path(out) if out is not None else Path(f"results-{_short_name(what, experiments)}")
    if is_there(folder / "manifest.json") and is_outside(Results(folder)) != outside:
        raise GraphFSAError(f"outside has a directory of its own, apart from other tables; got {str(folder)!r}")
    try:
        run_experiments(
            experiments, folder, seeds=number, quick=quick, processes=processes, watch=watch, cluster=cluster
        )
    except KeyboardInterrupt:
        if not (folder / "manifest.json").exists():
            raise
        raise Interrupted(write_results(Results(folder, seeds=dict.fromkeys(experiments, number)))) from None
    return write_results(Results(folder, seeds=dict.fromkeys(experiments, number)))


def write_results(results: Results | PathLike) -> Results:
    """Write all pages of a directory of results, from its records.

    Args:
        results: The results, or their directory.
    """
    from graphfsa.views.outside_page import write_outside
    from graphfsa.views.results import draw_table
    from graphfsa.views.results_page import write_results as write_page

    found = results if isinstance(results, Results) else Results(results)
    if is_outside(found):
        sheets = make_sheets(found)
        write_sheets(found, sheets)
        write_outside(place(found.path, "report.html"), sheets, quick=found.quick)
        return found
    tables = found.tables()
    write_tables(found.path, tables, quick=found.quick)
    for blocks in by_experiment(tables):
        for suffix in (".svg", ".png") if any(table.cells for table in blocks) else ():
            draw_table(blocks, place(found.path, blocks[0].experiment.name + suffix))
    write_page(place(found.path, "report.html"), tables, found.records(), quick=found.quick)
    return found


def _experiments(what: str | Experiment | Iterable[str | Experiment]) -> dict[str, Experiment]:
    """The experiments by name."""
    if what == _OUTSIDE:
        return outside_experiments()
    several = [what] if isinstance(what, str | Experiment) else list(what)
    names = [name for each in several for name in (experiment_names() if each == "all" else [each])]
    if not names:
        raise GraphFSAError("there must be at least one experiment")
    found: dict[str, Experiment] = {}
    for each in names:
        experiment = find_experiment(each) if isinstance(each, str) else check_type("what", each, Experiment)
        if found.setdefault(experiment.name, experiment) != experiment:
            raise GraphFSAError(f"experiments must have different names; got {experiment.name!r} twice")
    return found


def _short_name(what: Any, experiments: dict[str, Experiment]) -> str:
    return what if what in ("all", _OUTSIDE) else "-".join(experiments) if len(experiments) < 4 else "several"


@dataclass(frozen=True)
class CheckedJob:
    """A job that was run again.

    Attributes:
        id: Id of the job.
        name: Its learner, data and seed, in words.
        config: Its configuration.
        differs: What differs, in words; empty if everything is the same.
        versions: Versions that have changed: what each was, and what it is now.
    """

    id: str
    name: str
    config: dict[str, Any]
    differs: tuple[str, ...]
    versions: dict[str, tuple[str, str]]


def check_results(
    results: Results | PathLike,
    *,
    sample: int = 10,
    seed: int = 0,
    processes: int | None = None,
    watch: Watch | None = None,
) -> list[CheckedJob]:
    """Run some jobs again, chosen at random, and compare data, accuracies and models with the records.

    The files of their models are compared with their digests too, if they have been kept. Automata are the same on
    every machine. The weights of networks depend on the order in which a processor adds numbers, so networks may differ
    on a processor of another kind. Learners and data sets of one's own must have been imported, and are run only if
    their file has not changed.

    Args:
        results: The results, or their directory; nothing in it is changed.
        sample: Number of jobs; all of them if there are fewer.
        seed: Seed of the choice.
        processes: Number of jobs that run at once; by default the number of cores.
        watch: Called as the work goes on; see :func:`run_experiments`.

    Returns:
        The jobs that were run, in the order of their records.
    """
    check_count("sample", sample)
    check_seed(seed)
    if processes is not None:
        check_count("processes", processes)
    kept = results if isinstance(results, Results) else Results(results)
    done = {name: record for name, record in kept.records().items() if record["status"] == "done"}
    if not done:
        raise GraphFSAError(f"{str(kept.path)!r} has no job that was done")
    places = np.random.default_rng(seed).permutation(len(done))[:sample]
    chosen = [list(done)[place] for place in sorted(places)]
    jobs = [read_job(done[name]["config"], f"job {name}") for name in chosen]
    with tempfile.TemporaryDirectory() as models:
        again = {record["id"]: record for record in run_watched(jobs, Path(models), processes, watch)}
    return [
        CheckedJob(
            name,
            str(job),
            done[name]["config"],
            (*_differences(done[name], again[name]), *_damage(done[name], kept.models)),
            _other_versions(done[name]),
        )
        for name, job in zip(chosen, jobs, strict=True)
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
