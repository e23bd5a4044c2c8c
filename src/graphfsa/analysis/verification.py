"""Is an automaton right on every graph of a class up to a size, for every input? Not on samples: on all of them.

For a task of the kind ``classes`` each instance is run for the data set's own number of steps and scored strictly: a
node without an answer is wrong. For an evolution one step is compared on all inputs. That proves all numbers of steps:
what a graph looks like after a step is one of its inputs again.

A certificate says what was checked, in a file that can be redone: see :func:`recheck`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from graphfsa.analysis._certificates import read_certificate, write_certificate
from graphfsa.analysis._exhaustive import Progress, SizeCount
from graphfsa.analysis._verify import Counterexample, Verification, verify
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, dataset_class
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import PathLike

__all__ = [
    "Certificate",
    "Counterexample",
    "Recheck",
    "SizeCount",
    "Verification",
    "load_certificate",
    "recheck",
    "save_certificate",
    "verify",
]

KIND = "verification"
_FIELDS: dict[str, type] = {
    "task": str,
    "options": dict,
    "automaton": str,
    "graph_class": str,
    "max_nodes": int,
    "sizes": list,
    "graphs": int,
    "instances": int,
    "digest": str,
    "version": str,
}


@dataclass(frozen=True)
class Certificate:
    """What a file says was verified.

    Attributes:
        dataset: The task with its options.
        automaton: Digest of the automaton.
        graph_class: The class of the graphs.
        max_nodes: The largest size of them.
        sizes: Number of graphs and of instances of each size.
        digest: SHA-256 of everything that was looked at.
        version: The version of this package that wrote the file.
    """

    dataset: Dataset
    automaton: str
    graph_class: str
    max_nodes: int
    sizes: tuple[SizeCount, ...]
    digest: str
    version: str


@dataclass(frozen=True)
class Recheck:
    """Whether a certificate holds for an automaton: if not, ``differences`` says in words what is different."""

    agrees: bool
    differences: tuple[str, ...]
    verification: Verification


def save_certificate(verification: Verification, fsa: GraphFSA, dataset: Dataset, path: PathLike) -> None:
    """Write what was verified to a JSON file, atomically; only what is right is certified."""
    if not verification.verified:
        raise GraphFSAError("only an automaton that was verified can be certified; this one has a counterexample")
    content: dict[str, Any] = {
        "task": dataset.name,
        "options": dataset.options(),
        "automaton": fsa.digest,
        "graph_class": verification.graph_class,
        "max_nodes": verification.max_nodes,
        "sizes": [asdict(count) for count in verification.sizes],
        "graphs": verification.graphs,
        "instances": verification.instances,
        "digest": verification.digest,
    }
    write_certificate(path, KIND, content)


def load_certificate(path: PathLike) -> Certificate:
    """Read a certificate.

    Raises:
        FormatError: The file is no certificate of a verification; the message names the field.
    """
    data = read_certificate(path, KIND, limit=2**24)
    for field, kind in _FIELDS.items():
        if type(data.get(field)) is not kind:
            got = type(data.get(field)).__name__
            raise FormatError(f"{path}: field {field!r} must be of type {kind.__name__}; got {got}")
    try:
        options = {
            key: json.dumps(value) if isinstance(value, bool) else str(value) for key, value in data["options"].items()
        }
        dataset = dataset_class(data["task"]).from_options(options)
    except GraphFSAError as error:
        raise FormatError(f"{path}: {error}") from None
    sizes = _sizes(str(path), data["sizes"])
    for what in ("graphs", "instances"):
        if sum(getattr(count, what) for count in sizes) != data[what]:
            raise FormatError(f"{path}: field {what!r} must be the sum over all sizes; got {data[what]}")
    return Certificate(
        dataset, data["automaton"], data["graph_class"], data["max_nodes"], sizes, data["digest"], data["version"]
    )


def recheck(certificate: Certificate | PathLike, fsa: GraphFSA, *, progress: Progress | None = None) -> Recheck:
    """Redo what a certificate says, from nothing but the file and an automaton."""
    said = certificate if isinstance(certificate, Certificate) else load_certificate(certificate)
    found = verify(fsa, said.dataset, said.max_nodes, graph_class=said.graph_class, progress=progress)
    pairs: dict[str, tuple[Any, Any]] = {
        "the digest of the automaton": (said.automaton, fsa.digest),
        "the result": (True, found.verified),
        "the counts of the sizes": (said.sizes, found.sizes),
        "the digest of what was checked": (said.digest, found.digest),
    }
    differences = tuple(f"{what} is not that of the certificate" for what, (one, two) in pairs.items() if one != two)
    return Recheck(not differences, differences, found)


def _sizes(path: str, counts: list[Any]) -> tuple[SizeCount, ...]:
    for place, count in enumerate(counts):
        right = isinstance(count, dict) and count.keys() == {"size", "graphs", "instances"}
        if not right or not all(type(value) is int for value in count.values()):
            raise FormatError(f"{path}: sizes[{place}] must have size, graphs and instances as whole numbers")
    return tuple(SizeCount(**count) for count in counts)
