"""Data sets on disk: a directory with a JSON manifest and one safetensors file per split.

The manifest names the schema, the configuration, the seed, the version of the package and a digest of everything. A
directory is written under another name and then renamed, so it is there as a whole or not at all. Splits are read when
they are asked for, and checked against their digests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa import __version__
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.serialize import automaton_from_json, automaton_to_json
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import PathLike, atomic_write, read_bytes, read_json
from graphfsa.folders import whole_folder
from graphfsa.graphs import Graph, GraphBatch

SCHEMA = "graphfsa.data/1"
_MANIFEST = "manifest.json"
_CARD = "README.md"


@dataclass(frozen=True)
class StoredData:
    """A data set on disk; its splits are read when they are asked for.

    Attributes:
        directory: Where it is.
        manifest: What it is: ``config``, ``seed``, ``version``, ``digest``, ``splits`` and ``notes``.
    """

    directory: Path
    manifest: dict[str, Any]

    @property
    def task(self) -> Task:
        """The task of all splits."""
        return Task.from_config(self.manifest["task"])

    @property
    def truth(self) -> GraphFSA | None:
        """The automaton that made the labels, if there is one."""
        truth = self.manifest.get("truth")
        return None if truth is None else automaton_from_json(truth, str(self.directory / _MANIFEST))

    @property
    def names(self) -> list[str]:
        """Names of the splits."""
        return list(self.manifest["splits"])

    def split(self, name: str) -> Examples:
        """Read one split."""
        if name not in self.manifest["splits"]:
            raise GraphFSAError(f"{self.directory}: split must be one of {', '.join(self.names)}; got {name!r}")
        entry = self.manifest["splits"][name]
        path = self.directory / entry["file"]
        examples = _from_tensors(self.task, path)
        if examples.digest != entry["digest"]:
            raise FormatError(
                f"{path}: the data must have the digest {entry['digest']} of the manifest; it has another"
            )
        return examples


def save_data(
    directory: PathLike,
    splits: Mapping[str, Examples],
    *,
    config: dict[str, Any],
    seed: int,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
    truth: GraphFSA | None = None,
    notes: list[str] | None = None,
    card: str | None = None,
) -> StoredData:
    """Write splits of one task to a new directory.

    The same data may be written again to the same directory; other data are not overwritten.

    Args:
        directory: The directory; it is made.
        splits: The splits by name.
        config: What they were made from, as JSON values.
        seed: The seed they were made with.
        facts: More about each split, as JSON values.
        truth: The automaton that made the labels, if there is one.
        notes: What a reader should know.
        card: A text for people, written beside the manifest as ``README.md``.
    """
    target = Path(directory)
    entries: dict[str, dict[str, Any]] = {
        name: {
            "file": f"{place:02d}.safetensors",
            "graphs": len(examples),
            "nodes": examples.graphs.graph.num_nodes,
            "digest": examples.digest,
            **(facts or {}).get(name, {}),
        }
        for place, (name, examples) in enumerate(splits.items())
    }
    manifest: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "config": config,
        "seed": seed,
        "digest": data_digest(config, seed, splits),
        "task": next(iter(splits.values())).task.config(),
        "splits": entries,
        "notes": notes or [],
        "truth": None if truth is None else json.loads(automaton_to_json(truth)),
    }
    if target.exists():
        return _same_data(target, manifest["digest"])
    if not target.parent.is_dir():
        raise GraphFSAError(f"cannot write {str(target)!r}: there is no directory {str(target.parent)!r}")
    with whole_folder(target) as draft:
        for name, examples in splits.items():
            atomic_write(draft / entries[name]["file"], _to_tensors(examples))
        if card is not None:
            atomic_write(draft / _CARD, card)
        atomic_write(draft / _MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return StoredData(target, manifest)


def load_data(directory: PathLike) -> StoredData:
    """Open a data set; reads only its manifest."""
    path = Path(directory) / _MANIFEST
    manifest = read_json(path, limit=2**28)
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        got = manifest.get("schema") if isinstance(manifest, dict) else type(manifest).__name__
        raise FormatError(f"{path}: field 'schema' must be {SCHEMA!r}; got {got!r}")
    for field, kind in (
        ("config", dict),
        ("seed", int),
        ("digest", str),
        ("task", dict),
        ("splits", dict),
        ("notes", list),
    ):
        if not isinstance(manifest.get(field), kind):
            raise FormatError(f"{path}: field {field!r} must be a {kind.__name__}; got {manifest.get(field)!r}"[:300])
    for name, entry in manifest["splits"].items():
        file = entry.get("file") if isinstance(entry, dict) else None
        if not isinstance(file, str) or not file or Path(file).name != file or not isinstance(entry.get("digest"), str):
            raise FormatError(f"{path}: split {name!r} must have a file beside the manifest and a digest")
    digests = {name: entry["digest"] for name, entry in manifest["splits"].items()}
    if manifest["digest"] != _digest(manifest["config"], manifest["seed"], digests):
        raise FormatError(f"{path}: field 'digest' must be that of configuration, seed and splits; it is not")
    data = StoredData(Path(directory), manifest)
    try:
        _ = data.task
    except (KeyError, TypeError, GraphFSAError) as error:
        raise FormatError(f"{path}: field 'task' is malformed: {error}") from None
    return data


def data_digest(config: dict[str, Any], seed: int, splits: Mapping[str, Examples]) -> str:
    """SHA-256 of a configuration, a seed and all splits."""
    return _digest(config, seed, {name: examples.digest for name, examples in splits.items()})


def _digest(config: dict[str, Any], seed: int, digests: Mapping[str, str]) -> str:
    return sha256(json.dumps([config, seed, digests], sort_keys=True).encode()).hexdigest()


def _same_data(target: Path, digest: str) -> StoredData:
    existing = load_data(target) if (target / _MANIFEST).is_file() else None
    if existing is None or existing.manifest["digest"] != digest:
        raise GraphFSAError(f"{str(target)!r} exists and holds something else; choose another directory")
    return existing


def _to_tensors(examples: Examples) -> bytes:
    from safetensors.numpy import save

    graph = examples.graphs.graph
    arrays = {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "offsets": examples.graphs.offsets,
        "inputs": examples.inputs,
        "labels": examples.labels,
        "mask": examples.mask,
        "steps": examples.steps,
        "counts": examples.counts,
    }
    if graph.slots is not None:
        arrays["slots"] = graph.slots
    if graph.kinds is not None:
        arrays["kinds"] = np.frombuffer(json.dumps(graph.kinds).encode(), np.uint8)
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {"schema": SCHEMA})


def _from_tensors(task: Task, path: Path) -> Examples:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(read_bytes(path, limit=2**36))
        offsets = arrays["offsets"]
        if offsets.ndim != 1 or offsets.dtype != np.int64:
            raise FormatError(f"{path}: tensor 'offsets' must be a list of int64; got {offsets.dtype} {offsets.shape}")
        graph = Graph(arrays["indptr"], arrays["indices"], arrays.get("slots"), _kinds(path, arrays.get("kinds")))
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != graph.num_nodes or (np.diff(offsets) < 0).any():
            raise FormatError(
                f"{path}: tensor 'offsets' must be sorted, from 0 to {graph.num_nodes}, the number of nodes"
            )
        columns = {name: arrays[name] for name in ("inputs", "labels", "mask", "steps", "counts")}
        return Examples(task, GraphBatch(graph, offsets), **columns)
    except (SafetensorError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: not a split of a data set: {error}") from None
    except FormatError:
        raise
    except GraphFSAError as error:
        raise FormatError(f"{path}: {error}") from None


def _kinds(path: Path, content: Any) -> list[str] | None:
    """The names of kinds: bytes of a JSON list, in a tensor, as the tensors of a file have no names for parts."""
    if content is None:
        return None
    try:
        return json.loads(content.astype(np.uint8).tobytes())
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: tensor 'kinds' must be the bytes of a JSON list of names") from None
