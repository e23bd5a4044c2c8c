"""A directory of results: its tables, the record of every job, and the models.

    manifest.json    the schema, whether the run was quick, and the definition of each table
    records.jsonl    one line for each job that has ended, in this order; the last one of a job counts
    models/          the automata (JSON) and networks (safetensors), named after their jobs

Records are only ever added. A line that was cut off by a crash is dropped when the next one is written.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Mapping
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from graphfsa.checks import shown
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation._job import RECORD
from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.files import experiment_content, is_own, paper_experiment, read_experiment, read_job
from graphfsa.evaluation.jobs import job_id
from graphfsa.evaluation.rendering import markdown
from graphfsa.evaluation.tables import Table, by_experiment, make_tables
from graphfsa.fields import Field, read_fields
from graphfsa.files import DRAFTS, PathLike, atomic_write, parse_json, read_bytes, read_json, reason_of
from graphfsa.folders import append_line, make_folder, place

SCHEMA = "graphfsa.results/1"
_MAX_MANIFEST = 2**23
_MAX_SEEDS = 10_000
Record = dict[str, Any]


class Results:
    """The results in a directory.

    Args:
        path: The directory.
        seeds: The number of seeds of each table that was asked for, by name, to count what is missing; for others it is
            the number that was begun.
    """

    def __init__(self, path: PathLike, *, seeds: Mapping[str, int] | None = None) -> None:
        self.path = Path(path)
        self.seeds = dict(seeds or {})
        self.manifest = _manifest(self.path / "manifest.json")

    @classmethod
    def create(cls, path: PathLike, experiments: Mapping[str, Experiment], *, quick: bool) -> Results:
        """Open a directory for these experiments, or make it; only the list of tables in it is changed.

        Raises:
            GraphFSAError: The directory holds something else, results of another kind of run, or results of another
                definition of one of these tables.
        """
        folder = Path(path)
        wanted = {name: experiment.digest for name, experiment in experiments.items()}
        own = {name: experiment_content(found) for name, found in experiments.items() if is_own(found)}
        if is_there(folder / "manifest.json"):
            known = _manifest(folder / "manifest.json")
            if known["quick"] != quick:
                kinds = ("a full run", "a quick run")
                raise GraphFSAError(
                    f"{str(path)!r} holds results of {kinds[known['quick']]}, and this is {kinds[quick]}; "
                    "choose another directory"
                )
            for name, digest in wanted.items():
                if known["tables"].get(name, digest) != digest:
                    raise GraphFSAError(
                        f"{str(path)!r} holds results of another definition of {name}; choose another directory"
                    )
            wanted, own = {**known["tables"], **wanted}, {**known["own"], **own}
        elif folder.exists() and not _is_blank(folder):
            raise GraphFSAError(f"{str(path)!r} exists and holds no results; choose another directory")
        make_folder(place(folder, "models"))
        manifest = {"schema": SCHEMA, "quick": quick, "tables": wanted, "own": own}
        atomic_write(place(folder, "manifest.json"), json.dumps(manifest, indent=1) + "\n")
        return cls(folder)

    @property
    def quick(self) -> bool:
        """Whether these are results of a quick run."""
        return self.manifest["quick"]

    def experiments(self) -> dict[str, Experiment]:
        """The experiments of the directory: those of the paper as they are defined now, others as they were run.

        No code of the user's own learners and data sets is run.

        Raises:
            GraphFSAError: The definition of one has changed.
        """
        found: dict[str, Experiment] = {}
        for name, digest in self.manifest["tables"].items():
            content = self.manifest["own"].get(name)
            where = f"{self.path / 'manifest.json'}: {shown(name)}"
            found[name] = paper_experiment(name) if content is None else read_experiment(name, content, where)
            if found[name].digest != digest:
                raise GraphFSAError(f"{str(self.path)!r} holds results of another definition of {name}")
        return found

    def tables(self) -> list[Table]:
        """A table of each block of each experiment, from the records."""
        records = self.records()
        return [
            table
            for name, experiment in self.experiments().items()
            for table in make_tables(experiment, records, quick=self.quick, seeds=self.seeds.get(name, 0))
        ]

    def markdown(self) -> str:
        """All tables as Markdown."""
        return "\n".join(map(markdown, by_experiment(self.tables())))

    def _repr_markdown_(self) -> str:
        return self.markdown()

    @property
    def models(self) -> Path:
        """The directory of the models."""
        return self.path / "models"

    @contextlib.contextmanager
    def alone(self) -> Generator[None]:
        """Keep other processes from adding records, where the file system supports it.

        Raises:
            GraphFSAError: Another process is at work in the directory.
        """
        try:
            import fcntl
        except ImportError:  # No such locks here.
            yield
            return
        handle = os.open(self.path, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):  # Some file systems have none.
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise GraphFSAError(
                        f"another run is at work in {str(self.path)!r}; wait for it, or choose another directory"
                    ) from None
            yield
        finally:
            os.close(handle)

    def records(self) -> dict[str, Record]:
        """The last record of each job.

        Raises:
            FormatError: A line is no record.
        """
        file = self.path / "records.jsonl"
        if not file.exists():
            return {}
        found: dict[str, Record] = {}
        lines = read_bytes(file).decode("utf-8", errors="replace").split("\n")
        for number, line in enumerate(lines[:-1], start=1):  # What follows the last line end was cut off.
            found_record = _record(line, f"{file}: line {number}")
            found[found_record["id"]] = found_record
        return found

    def add(self, record: Record) -> None:
        """Add the record of a job, and force it to the disk; earlier records stay, whatever happens."""
        append_line(place(self.path, "records.jsonl"), json.dumps(record, ensure_ascii=False).encode())


def _manifest(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise GraphFSAError(f"{str(path.parent)!r} holds no results: there is no {path.name}")
    wanted = {"quick": Field(bool), "tables": Field(dict, items=Field(str)), "own": Field(dict)}
    return read_fields(read_json(path, limit=_MAX_MANIFEST), wanted, str(path), schema=SCHEMA)


def _is_blank(folder: Path) -> bool:
    """Whether a directory is empty, but for what a run leaves that ended before it wrote its manifest."""
    if not folder.is_dir():
        return False
    for path in folder.iterdir():
        leftover = fnmatch(path.name, DRAFTS) and path.is_file()
        if not leftover and not (path.name == "models" and path.is_dir() and not any(path.iterdir())):
            return False
    return True


def is_there(path: Path) -> bool:
    """Whether there is a file; what can't be looked at is one message."""
    try:
        return path.exists()
    except OSError as error:
        raise GraphFSAError(f"cannot read {str(path)!r}: {reason_of(error)}") from error


_SHARE = Field(float, least=0, most=1)
_COUNT = Field(int, least=0, most=2**63)
_DIGEST = Field(str, pattern=("[0-9a-f]{64}", "a SHA-256, 64 hexadecimal digits"))
_LOGGED = Field((float, str, bool, None))
"""What a learner notes about its training."""
_TIMES = {name: Field(float, 0, least=0, most=1e12) for name in ("fit", "fit_cpu", "all_cpu")}
_COMMON = {
    "id": Field(str),
    "status": Field(str, choices=("done", "failed")),
    "config": Field(dict),
    "seconds": Field(dict),
    "versions": Field(dict, most=100, items=Field(str, most=100)),
}
_DONE = {
    "results": Field(dict, least=1, items=Field(dict)),
    "fit": Field(dict),
    "model": Field((dict, None), None),
    "digests": Field(dict, {}, items=_DIGEST),
    "shared": Field(dict, {}, items=_SHARE),
}
_FAILED = {"error": Field(str), "trace": Field(str, "")}
_RESULT = {
    "accuracy": _SHARE,
    "reference": _SHARE,
    "perfect": replace(_SHARE, default=0.0),
    "nodes": replace(_COUNT, default=0),
    "graphs": replace(_COUNT, default=0),
}
_FIT = {
    "verdict": Field(str, "", most=100),
    "train_accuracy": Field((float, None), None, least=0, most=1),
    "validation_accuracy": Field((float, None), None, least=0, most=1),
    "updates": Field((int, None), None, least=0, most=2**63),
    "epochs": Field((int, None), None, least=0, most=2**63),
    "possible": Field((bool, None), None),
    "history": Field(list, [], items=Field(dict, items=_LOGGED)),
}
_MODEL = {
    "file": Field(str),
    "bytes": replace(_COUNT, default=0),
    "sha256": _DIGEST,
    "network": replace(_DIGEST, default=""),
    "automaton": replace(_DIGEST, default=""),
    "states": replace(_COUNT, default=0),
    "aggregation": Field(dict, {}),
}


def _record(line: str, where: str) -> Record:
    """The record of a line: every field that pages and checks use is there, and is what it must be."""
    try:
        content = parse_json(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON: {error}") from None
    found = read_fields(content, _COMMON, where, schema=RECORD, unknown=True)
    found |= read_fields(content, _DONE if found["status"] == "done" else _FAILED, where, unknown=True)
    if read_job(found["config"], where).seed >= _MAX_SEEDS:
        raise FormatError(
            f"{where}: config: field 'seed' must be below {_MAX_SEEDS}; got {shown(found['config']['seed'])}"
        )
    _check_part(found, "seconds", {"all": Field(float, least=0, most=1e12), **_TIMES}, where)
    _check_part(found, "fit", _FIT, where)
    _check_part(found, "model", _MODEL, where)
    for test, result in found.get("results", {}).items():
        read_fields(result, _RESULT, f"{where}: results: {shown(test)}", unknown=True)
    right = job_id(content["config"])
    if content["id"] != right:
        raise FormatError(f"{where}: id must be {right!r}, which stands for config; got {shown(content['id'])}")
    file = (found.get("model") or {}).get("file")
    if file not in (None, f"{right}.json", f"{right}.safetensors"):
        raise FormatError(f"{where}: the file of the model must be named after the job; got {shown(file)}")
    return {**content, **found}


def _check_part(record: Record, name: str, wanted: Mapping[str, Field], where: str) -> None:
    """Raise unless a part of a record, where there is one, has these fields."""
    if record.get(name) is not None:
        read_fields(record[name], wanted, f"{where}: {name}", unknown=True)
