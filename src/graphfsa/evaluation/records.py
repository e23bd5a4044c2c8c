"""A directory of results: what it holds, the record of every job, and the models.

    manifest.json    the schema, whether the run was quick, and which definition each table has
    records.jsonl    one line for each job that has ended, in the order of their ends; the last one of a job counts
    models/          the automata (JSON) and networks (safetensors), named after their jobs

Records are only ever added. A line that was cut off by a crash is dropped when the next one is written.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation._job import RECORD
from graphfsa.evaluation.experiment import Experiment, Job
from graphfsa.evaluation.files import find_experiment, own_experiment
from graphfsa.files import PathLike, atomic_write, parse_json, read_bytes, read_json, reason_of

SCHEMA = "graphfsa.results/1"
Record = dict[str, Any]


class Results:
    """The results in a directory.

    Args:
        path: The directory.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        self.manifest = _manifest(self.path / "manifest.json")

    @classmethod
    def create(cls, path: PathLike, experiments: Mapping[str, Experiment], *, quick: bool) -> Results:
        """Open a directory for these experiments, or make it; nothing in it is changed but the list of tables.

        Raises:
            GraphFSAError: The directory holds something else, results of another kind of run, or results of another
                definition of one of these tables.
        """
        folder = Path(path)
        wanted = {name: experiment.digest for name, experiment in experiments.items()}
        own = {name: experiment.source for name, experiment in experiments.items() if experiment.source}
        if _there(folder / "manifest.json"):
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
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise GraphFSAError(f"{str(path)!r} is there and holds no results; choose another directory")
        models = folder / "models"
        try:
            models.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GraphFSAError(f"cannot make the directory {str(models)!r}: {reason_of(error)}") from error
        manifest = {"schema": SCHEMA, "quick": quick, "tables": wanted, "own": own}
        atomic_write(folder / "manifest.json", json.dumps(manifest, indent=1) + "\n")
        return cls(folder)

    @property
    def quick(self) -> bool:
        """Whether these are results of a quick run."""
        return self.manifest["quick"]

    def experiments(self) -> dict[str, Experiment]:
        """The tables that the directory holds: those of the paper as they are defined now, others as they were run.

        Raises:
            GraphFSAError: One of them is defined otherwise now.
        """
        found: dict[str, Experiment] = {}
        for name, digest in self.manifest["tables"].items():
            source = self.manifest["own"].get(name)
            where = f"{self.path / 'manifest.json'}: {name}"
            found[name] = find_experiment(name) if source is None else own_experiment(name, source, where)
            if found[name].digest != digest:
                raise GraphFSAError(f"{str(self.path)!r} holds results of another definition of {name}")
        return found

    @property
    def models(self) -> Path:
        """The directory of the models."""
        return self.path / "models"

    @contextlib.contextmanager
    def alone(self) -> Generator[None]:
        """Keep other processes from adding records, where the system can.

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
            FormatError: A line is not a record of ours.
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
        """Write the record of a job, and force it to the disk; what was there stays whatever happens."""
        file = self.path / "records.jsonl"
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        try:
            with file.open("r+b" if file.exists() else "x+b") as target:
                end = _end_of_lines(target)
                target.truncate(end)
                target.seek(end)
                try:
                    target.write(line)
                    target.flush()
                    os.fsync(target.fileno())
                except OSError:
                    target.truncate(end)
                    raise
        except OSError as error:
            raise GraphFSAError(f"cannot write {str(file)!r}: {reason_of(error)}") from error


def _end_of_lines(file: Any) -> int:
    """Where the last complete line ends."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        place = file.read(end - start).rfind(b"\n")
        if place >= 0:
            return start + place + 1
        end = start
    return 0


def _manifest(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise GraphFSAError(f"{str(path.parent)!r} holds no results: there is no {path.name}")
    content = read_json(path)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        got = content.get("schema") if isinstance(content, dict) else type(content).__name__
        raise FormatError(f"{path}: the schema must be {SCHEMA!r}; got {str(got)[:100]!r}")
    for name, kind in (("quick", bool), ("tables", dict), ("own", dict)):
        if not isinstance(content.get(name), kind):
            raise FormatError(f"{path}: must say what it holds in 'quick', 'tables' and 'own'; {name!r} is wrong")
    if not all(isinstance(digest, str) for digest in content["tables"].values()):
        raise FormatError(f"{path}: 'tables' must give the digest of each table")
    return content


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise GraphFSAError(f"cannot read {str(path)!r}: {reason_of(error)}") from error


def _record(line: str, where: str) -> Record:
    try:
        content = parse_json(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("schema") != RECORD:
        got = content.get("schema") if isinstance(content, dict) else type(content).__name__
        raise FormatError(f"{where}: the schema must be {RECORD!r}; got {str(got)[:100]!r}")
    done = content.get("status") == "done"
    if not done and content.get("status") != "failed":
        raise FormatError(f"{where}: status must be 'done' or 'failed'; got {str(content.get('status'))[:100]!r}")
    kinds: dict[str, type | tuple[type, ...]] = {"id": str, "config": dict, "seconds": dict}
    kinds |= {"versions": dict} | ({"results": dict, "fit": dict} if done else {"error": str})
    for name, kind in kinds.items():
        if not isinstance(content.get(name), kind):
            raise FormatError(f"{where}: {name} is missing or of the wrong kind")
    for place, table, names in (
        ("config", content["config"], ("seed",)),
        ("seconds", content["seconds"], ("all",)),
        *((f"results: {test}", found, ("accuracy", "reference")) for test, found in content.get("results", {}).items()),
    ):
        if not isinstance(table, dict) or not all(isinstance(table.get(name), int | float) for name in names):
            raise FormatError(f"{where}: {place}: {' and '.join(names)} must be numbers")
        if place.startswith("results") and not all(0 <= table[name] <= 1 for name in names):
            raise FormatError(f"{where}: {place}: {' and '.join(names)} must be from 0 to 1")
    right = Job(content["config"]).id
    if content["id"] != right:
        raise FormatError(f"{where}: id must be {right!r}, which stands for config; got {content['id'][:100]!r}")
    _check_parts(content, where)
    return content


def _check_parts(content: Record, where: str) -> None:
    """Raise unless the model and the history are of the right kind."""
    model = content.get("model")
    if model is not None and not (
        isinstance(model, dict) and all(isinstance(model.get(key), str) for key in ("file", "sha256"))
    ):
        raise FormatError(f"{where}: model must say its file and its sha256")
    if model is not None and model["file"] not in {content["id"] + suffix for suffix in (".json", ".safetensors")}:
        raise FormatError(f"{where}: the file of the model must be named after the job; got {model['file'][:100]!r}")
    history = content.get("fit", {}).get("history", [])
    if not isinstance(history, list) or not all(isinstance(part, dict) for part in history):
        raise FormatError(f"{where}: fit: history must be a list of records")
