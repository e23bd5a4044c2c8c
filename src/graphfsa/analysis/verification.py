"""Is an automaton right on every graph of a class up to a size, for every input? Not on samples: on all of them.

For a task of the kind ``classes`` each instance is run for the data set's own number of steps and scored strictly: a
node without an answer is wrong. For an evolution one step is compared on all inputs. That proves all numbers of steps:
what a graph looks like after a step is one of its inputs again.

A certificate says what was checked, in a file that can be redone: see :func:`recheck`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from hashlib import sha256
from time import perf_counter
from typing import Any

import numpy as np

from graphfsa.analysis.certificates import read_certificate, write_certificate
from graphfsa.analysis.coverage import labelled_graphs
from graphfsa.analysis.instances import Progress, SizeCount, class_of, plan, portions
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, Examples, as_dataset, is_task
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.fields import Field, read_fields
from graphfsa.files import PathLike
from graphfsa.graphs import Graph
from graphfsa.learners import as_model
from graphfsa.plugins import known_plugin


@dataclass(frozen=True)
class Counterexample:
    """An instance on which an automaton is wrong.

    Attributes:
        graph: The graph.
        inputs: Name of the input of each node.
        labels: Name of the right class of each node; None where a node does not count.
        predictions: Name of the class that each node ended with; None for a state that is no answer.
        steps: After how many steps.
    """

    graph: Graph
    inputs: tuple[str, ...]
    labels: tuple[str | None, ...]
    predictions: tuple[str | None, ...]
    steps: int


@dataclass(frozen=True)
class Verification:
    """What was checked and what came of it.

    Attributes:
        verified: Whether all instances are right.
        graph_class: The class of the graphs, or ``"your data"``.
        max_nodes: The largest size of them.
        graphs: Number of graphs, up to isomorphism; up to the counterexample, if there is one.
        instances: Number of instances, counted in the same way.
        sizes: The same for each size.
        digest: SHA-256 of everything that was looked at.
        counterexample: The first instance that is wrong; none has fewer nodes.
        seconds: How long it took.
    """

    verified: bool
    graph_class: str
    max_nodes: int
    graphs: int
    instances: int
    sizes: tuple[SizeCount, ...]
    digest: str
    counterexample: Counterexample | None
    seconds: float


def verify(
    model: Any,
    data: Any = None,
    max_nodes: int = 6,
    *,
    graph_class: str | None = None,
    steps: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check an automaton on every graph of a class with at most ``max_nodes`` nodes and every input of the task.

    Smaller sizes come first, and the first wrong instance ends it. GRAB counts the nodes where its truth ends in a
    final state.

    Labelled graphs of one's own are checked too: all of them, small ones first.

    Args:
        model: A model, an automaton, the name of a library automaton, or a file.
        data: A task, by default the model's own; or labelled graphs of any kind.
        max_nodes: With a task: the largest size.
        graph_class: With a task: another class of graphs than that of the data set, one of ``GRAPH_CLASSES``.
        steps: With labelled graphs: their labels are states after this number of steps.
        progress: Called with the number of instances looked at so far, and of all.

    Raises:
        LimitError: There are too many instances; the message names the largest size that is feasible.

    Example:
        >>> found = verify("distance", max_nodes=5)
        >>> found.verified, found.graphs, found.instances
        (True, 31, 138)
    """
    known = as_model(model)
    if data is not None and not is_task(data):
        if graph_class is not None:
            raise GraphFSAError("graph_class goes with a task; labelled graphs are as they are")
        return _verify_examples(known.automaton, labelled_graphs(known, data, steps=steps))
    if steps is not None:
        raise GraphFSAError("steps goes with labelled graphs; a task has its own")
    dataset = known.load_dataset() if data is None else as_dataset(data)
    return _verify_task(known.automaton, dataset, max_nodes, graph_class, progress)


def _verify_task(
    fsa: GraphFSA, dataset: Dataset, max_nodes: int, graph_class: str | None, progress: Progress | None
) -> Verification:
    began = perf_counter()
    dataset.task.check_automaton(fsa)
    kind = class_of(dataset, graph_class)
    counts = plan(dataset, kind, max_nodes)
    total = sum(count.instances for count in counts)
    steps = 1 if dataset.task.kind == "evolution" else None
    hasher = sha256(f"graphfsa.verification/1 {kind}".encode())
    found, checked = None, Counter[int]()
    for portion in portions(dataset, kind, counts):
        examples = dataset.examples(portion.graphs, portion.inputs, steps=steps)
        hasher.update(f" {portion.size} {examples.digest}".encode())
        number, found = _first_wrong(examples, fsa)
        checked[portion.size] += number
        if found is not None:
            smaller = [count for count in counts if count.size < portion.size]
            counts = [*smaller, SizeCount(portion.size, int(portion.places[number - 1]) + 1, 0)]
            break
        if progress is not None:
            progress(checked.total(), total)
    # A task may admit fewer inputs than were planned for.
    counts = [SizeCount(count.size, count.graphs, checked[count.size]) for count in counts if checked[count.size]]
    if not counts:
        raise GraphFSAError(f"{dataset.name} admits no inputs on graphs of the class {kind} up to {max_nodes} nodes")
    return Verification(
        verified=found is None,
        graph_class=kind,
        max_nodes=int(max_nodes),
        graphs=sum(count.graphs for count in counts),
        instances=sum(count.instances for count in counts),
        sizes=tuple(counts),
        digest=hasher.hexdigest(),
        counterexample=found,
        seconds=perf_counter() - began,
    )


def _verify_examples(fsa: GraphFSA, examples: Examples) -> Verification:
    began = perf_counter()
    if not len(examples):
        raise GraphFSAError("there must be at least one labelled graph to verify on; got none")
    ordered = examples.select(np.argsort(examples.sizes, kind="stable"))
    looked, found = _first_wrong(ordered, fsa)
    sizes = np.unique(ordered.sizes[:looked], return_counts=True)
    return Verification(
        verified=found is None,
        graph_class=OWN_DATA,
        max_nodes=int(ordered.sizes.max(initial=0)),
        graphs=looked,
        instances=looked,
        sizes=tuple(SizeCount(int(size), int(count), int(count)) for size, count in zip(*sizes, strict=True)),
        digest=examples.digest,
        counterexample=found,
        seconds=perf_counter() - began,
    )


def _first_wrong(examples: Examples, fsa: GraphFSA) -> tuple[int, Counterexample | None]:
    """How many graphs were looked at until one was wrong, that one included, and what is wrong with it."""
    answers = examples.predict(fsa)
    wrong = np.flatnonzero(examples.wrong(answers))
    if not len(wrong):
        return len(examples), None
    place = int(examples.graphs.owners[wrong[0]])
    return place + 1, _counterexample(examples.select([place]), examples.graphs.split(answers)[place])


def _counterexample(example: Examples, answers: Any) -> Counterexample:
    task = example.task
    labels = zip(example.labels.tolist(), example.mask.tolist(), strict=True)
    return Counterexample(
        example.graphs.graph,
        tuple(task.inputs[number] for number in example.inputs.tolist()),
        tuple(task.classes[number] if counts else None for number, counts in labels),
        tuple(task.classes[number] if number >= 0 else None for number in answers.tolist()),
        int(example.steps[0]),
    )


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
OWN_DATA = "your data"
_FIELDS = {
    "task": Field(str),
    "options": Field(dict),
    "automaton": Field(str),
    "graph_class": Field(str),
    "max_nodes": Field(int, least=1),
    "sizes": Field(list, items=Field(dict)),
    "graphs": Field(int, least=0),
    "instances": Field(int, least=0),
    "digest": Field(str),
    "version": Field(str),
}
_SIZE = {"size": Field(int), "graphs": Field(int), "instances": Field(int)}


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


def save_certificate(verification: Verification, model: Any, path: PathLike, data: Any = None) -> None:
    """Write what was verified to a JSON file, atomically; only what is right is certified.

    Args:
        verification: What ``verify`` returned.
        model: The model that was verified.
        path: The file.
        data: The task, if it is not the model's own.
    """
    if not verification.verified:
        raise GraphFSAError("only an automaton that was verified can be certified; this one has a counterexample")
    if verification.graph_class == OWN_DATA:
        raise GraphFSAError("a certificate is about all graphs of a class; these were labelled graphs of your own")
    known = as_model(model)
    dataset = known.load_dataset() if data is None else as_dataset(data)
    content: dict[str, Any] = {
        "task": dataset.reference,
        "options": dataset.options(),
        "automaton": known.digest,
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
    data = read_fields(read_certificate(path, KIND, limit=2**24), _FIELDS, str(path), also=("schema", "kind"))
    try:
        dataset = as_dataset(known_plugin(Dataset, data["task"]), data["options"])
    except GraphFSAError as error:
        raise FormatError(f"{path}: {error}") from None
    sizes = _sizes(str(path), data["sizes"])
    for what in ("graphs", "instances"):
        if sum(getattr(count, what) for count in sizes) != data[what]:
            raise FormatError(f"{path}: field {what!r} must be the sum over all sizes; got {data[what]}")
    return Certificate(
        dataset, data["automaton"], data["graph_class"], data["max_nodes"], sizes, data["digest"], data["version"]
    )


def recheck(certificate: Certificate | PathLike, model: Any, *, progress: Progress | None = None) -> Recheck:
    """Redo what a certificate says, from nothing but the file and an automaton."""
    said = certificate if isinstance(certificate, Certificate) else load_certificate(certificate)
    fsa = as_model(model).automaton
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
    rows = [read_fields(count, _SIZE, f"{path}: sizes[{place}]") for place, count in enumerate(counts)]
    return tuple(SizeCount(**row) for row in rows)
