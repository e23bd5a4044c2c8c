"""What is in a directory: whether each file is whole, and its content without the times that it tells."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import graphfsa as gf
from graphfsa.analysis import load_certificate, load_impossibility
from graphfsa.automaton.states import read_states
from graphfsa.datasets import load_data, read_jsonl
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.evaluation import Results
from graphfsa.files import read_bytes, read_json, read_tensors, tensors_schema
from graphfsa.learners import SoftTable, read_history

Files = dict[str, bytes]
_DURATION = re.compile(r"\b\d[\d.,]* ?(s|ms|min|h)\b")
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_CELLS = 64 * 64


def contents(folder: Path) -> Files:
    """All files below a directory, by their relative paths; what is hidden is left out."""
    found = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
    names = {path: path.relative_to(folder) for path in found}
    return {str(name): path.read_bytes() for path, name in names.items() if not _is_hidden(name)}


def leftovers(folder: Path) -> list[str]:
    """Hidden files and directories, the outermost ones only."""
    found = [path.relative_to(folder) for path in folder.rglob(".*")] if folder.is_dir() else []
    return sorted(str(name) for name in found if not _is_hidden(name.parent))


def _is_hidden(name: Path) -> bool:
    return any(part.startswith(".") for part in name.parts)


def damage(folder: Path, before: Mapping[str, bytes], *, killed: bool = False) -> list[str]:
    """What is wrong with the files of a directory, in words.

    Args:
        folder: The directory.
        before: The files that were there before.
        killed: Whether a process was killed, which may leave a record half written, behind all others.
    """
    found = [f"{name} has vanished" for name in before if not (folder / name).is_file()]
    for name, data in contents(folder).items():
        if name.endswith("records.jsonl"):
            if not data.startswith(before.get(name, b"")):
                found.append(f"{name}: earlier records are not what they were")
            if not killed and not data.endswith(b"\n"):
                found.append(f"{name} ends in half a record")
        if data == before.get(name):
            continue
        try:
            _read(folder / name, data)
        except (GraphFSAError, ValueError, OSError, SyntaxError) as error:
            found.append(f"{name} is not whole: {str(error)[:200]}")
    return found


def _read(path: Path, data: bytes) -> None:
    """Raise unless a file is one that the package reads, or what it should be."""
    match path.suffix:
        case ".json":
            _read_json(path)
        case ".jsonl":
            _read_lines(path)
        case ".safetensors":
            _read_tensors(path)
        case ".rules":
            gf.load(path)
        case ".svg":
            ElementTree.fromstring(data)
        case ".png" | ".gif":
            _read_picture(path)
        case ".html":
            text = data.decode().strip().lower()
            _require(text.startswith("<!doctype html>") and text.endswith("</html>"), "it begins or ends in the middle")
        case ".csv":
            widths = {len(row) for row in csv.reader(data.decode().splitlines())}
            _require(len(widths) == 1 and data.endswith(b"\n"), "its rows are not of one length")
        case _:
            _require(data.decode().endswith("\n"), "it ends in the middle of a line")


def _read_json(path: Path) -> None:
    content = read_json(path)
    schema = content.get("schema")
    if schema == "graphfsa.data/1":
        data = load_data(path.parent)
        for name in data.names:
            data.split(name)
    elif schema == "graphfsa.results/1":
        Results(path.parent).experiments()
    elif schema == "graphfsa.certificate/1":
        (load_certificate if content.get("kind") == "verification" else load_impossibility)(path)
    else:
        gf.load(path)


def _read_lines(path: Path) -> None:
    if path.name == "records.jsonl":
        for record in Results(path.parent).records().values():
            model = record.get("model")
            if record["status"] == "done" and model:
                digest = sha256(read_bytes(path.parent / "models" / model["file"])).hexdigest()
                _require(digest == model["sha256"], f"models/{model['file']} is not the one of its record")
    elif path.name == "history.jsonl":
        if path.stat().st_size:  # A training that has begun has none yet.
            read_history(path)
    elif path.name == "next.jsonl":  # Labels are to be filled in: the package reads the file only then.
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        _require(bool(lines) and all("num_nodes" in line for line in lines), "lines are missing")
    else:
        read_jsonl(path)


def _read_tensors(path: Path) -> None:
    schema = tensors_schema(path)
    if schema == "graphfsa.states/1":
        read_states(path, gf.library.life_like(), _CELLS)
    elif schema == SoftTable.schema:
        SoftTable.load(path)
    elif schema == "graphfsa.data/1":
        _require((path.parent / "manifest.json").is_file(), "it is part of a data set that is not there as a whole")
    elif schema == "graphfsa.diff-fsa.checkpoint/1":
        read_tensors(path, schema)
    else:
        gf.load(path)


def _read_picture(path: Path) -> None:
    from PIL import Image

    with Image.open(path) as picture:
        for frame in range(getattr(picture, "n_frames", 1)):
            picture.seek(frame)
            picture.load()


def _require(right: bool, complaint: str) -> None:
    if not right:
        raise FormatError(complaint)


def timeless(files: Mapping[str, bytes]) -> dict[str, str]:
    """The digest of each file, without what differs from run to run.

    Left out are: ``seconds`` of models, networks, checkpoints, histories and records; in records also the digest and
    size of the model's file, which holds its seconds, and the order; in HTML and Markdown durations and digests.
    """
    return {name: sha256(_without_times(name, data)).hexdigest() for name, data in files.items()}


def _without_times(name: str, data: bytes) -> bytes:
    if name.endswith("records.jsonl"):
        records = {record["id"]: _plain(record) for record in map(json.loads, data.splitlines())}
        for record in records.values():
            for field in ("sha256", "bytes"):
                (record.get("model") or {}).pop(field, None)
        return _dumped(records)
    if name.endswith("history.jsonl"):
        return _dumped([_plain(json.loads(line)) for line in data.splitlines()])
    if name.endswith(".json"):
        return _dumped(_plain(json.loads(data)))
    if name.endswith(".safetensors"):
        end = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:end])
        about = {key: _plain(_unpacked(text)) for key, text in header.get("__metadata__", {}).items()}
        return _dumped([header | {"__metadata__": about}]) + data[end:]
    if name.endswith((".html", ".md")):
        return _DIGEST.sub("D", _DURATION.sub("T", data.decode())).encode()
    return data


def _unpacked(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _plain(value: Any) -> Any:
    """A JSON value without the fields that hold times."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if name != "seconds"}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _dumped(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()
