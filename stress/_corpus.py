"""Valid files of every kind that the package reads, and what reads them: where fuzzing of readers begins."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import graphfsa as gf
from graphfsa import analysis, datasets, evaluation, learners, proofs
from graphfsa.aggregations import Sum
from graphfsa.automaton import library
from graphfsa.automaton.patterns import read_rle
from graphfsa.automaton.serialize import automaton_to_json
from graphfsa.automaton.states import read_states, write_states
from graphfsa.evaluation._workers import attempt
from graphfsa.graphs import open as open_graph
from graphfsa.graphs import pack, read_graph, write_graph
from graphfsa.views import draw_history, draw_soft

EXPERIMENT = """title = "Floors"
about = "Nothing is learned."
notes = ["a", "b"]
blocks = [{ split = "learn", sizes = [3, 4], count = 9 }]

[data]
dataset = "root-value"
options = {}

[quick]
train = 20
test = 5

[[tests]]
name = "n=10"
size = 10
count = 8
steps = 20

[[learners]]
column = "majority"
learner = "majority"
options = {}
focus = true
"""


class Reader(NamedTuple):
    """What reads a kind of file.

    Attributes:
        read: Reads the file and looks at what it says.
        seeds: Contents of valid files.
        name: Name of the file, whose suffix says how to damage it.
        folder: Other files that must lie beside it, by name.
        weight: How often it is tried: what takes long is tried less often.
    """

    read: Callable[[Path], Any]
    seeds: list[bytes]
    name: str
    folder: dict[str, bytes]
    weight: float = 1.0


def corpus(folder: Path) -> dict[str, Reader]:
    """All readers by name.

    Args:
        folder: An empty directory to make files in.
    """
    found = {
        "model": Reader(_model, _models(folder), "m.json", {}, 0.3),
        "automaton": Reader(
            _automaton, [automaton_to_json(fsa).encode() for fsa in (library.life_like(), _letters())], "a.json", {}
        ),
        "rules": Reader(_automaton, [str(fsa.rules()).encode() for fsa in _automata()], "a.rules", {}),
        "graph": Reader(_graph, _saved(folder, ".json", write_graph, _graphs()), "g.json", {}),
        "edges": Reader(_graph, [b"0 1\n1 2\n", b"# nodes 5\n0 1\n4 4\n"], "g.edges", {}),
        "packed graph": Reader(_packed, _packed_files(folder), "g.gfsa", {}),
        "states": Reader(_states, _state_files(folder), "s.txt", {}),
        "pattern": Reader(read_rle, [b"x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n", b"3o!"], "p.rle", {}),
        "data": Reader(_data, _data_files(folder), "d.jsonl", {}),
        "experiment": Reader(lambda path: evaluation.find_experiment(str(path)), [EXPERIMENT.encode()], "e.toml", {}),
        "certificate": Reader(_certificate, _certificates(folder), "c.json", {}),
        **_directories(folder),
    }
    return {name: reader for name, reader in {**found, **_networks(folder)}.items() if reader.seeds}


# ---- readers: each looks at what it has read, for there damage may show


def _model(path: Path) -> None:
    model = gf.load(path)
    str(model)
    if model.is_automaton:
        model.rules()
    again = path.with_name(f"again{path.suffix}")
    model.save(again)
    assert gf.load(again).digest == model.digest, "a model is read as it was written"


def _automaton(path: Path) -> None:
    fsa = gf.GraphFSA.load(path)
    fsa.save(path.with_name("again.json"))
    assert gf.GraphFSA.load(path.with_name("again.json")).digest == fsa.digest, "an automaton is read as it was written"


def _graph(path: Path) -> None:
    graph = read_graph(path)
    if graph.num_nodes < 10**5:
        write_graph(path.with_name("again.json"), graph)
        assert read_graph(path.with_name("again.json")).digest == graph.digest, "a graph is read as it was written"


def _packed(path: Path) -> None:
    graph = open_graph(path)
    assert graph.tiles.digest() == graph.digest, "a file whose checksums hold is as it was written"
    gf.run("life", graph, "random", 3, threads=1)


def _packed_files(folder: Path) -> list[bytes]:
    contents: list[bytes] = []
    for graph in (gf.families.cycle(9), gf.families.star(2**16 + 9)):
        pack(graph, folder / "g.gfsa")
        contents.append((folder / "g.gfsa").read_bytes())
        (folder / "g.gfsa").unlink()
    return contents


def _states(path: Path) -> None:
    read_states(path, library.life_like(), 9)


def _data(path: Path) -> None:
    datasets.describe_data(str(path), steps=None)


def _history(path: Path) -> None:
    draw_history(learners.read_history(path), path.with_name("h.svg"))


def _soft(path: Path) -> None:
    draw_soft(learners.SoftTable.load(path), path.with_name("s.svg"))


def _certificate(path: Path) -> None:
    kind = proofs.certificate_kind(path)
    proofs.check_certificate(path, None if kind == "impossibility" else library.distance())


def _results(path: Path) -> None:
    evaluation.write_results(path.parent)


def _stored(path: Path) -> None:
    stored = datasets.load_data(path.parent)
    str(stored.truth)
    for name in stored.names[:1]:
        str(stored.split(name))


# ---- seeds


def _automata() -> list[gf.GraphFSA]:
    return [library.life_like(), library.distance(), library.prefix_sum(), library.elementary(110), _letters()]


def _letters() -> gf.GraphFSA:
    """An automaton that sees sums of every kind."""
    sums = (Sum("count", 2, (0, 0, 1, 1)), Sum("modulo", 2, (0, 1)), Sum("count", 3, (1, 2)), Sum("highest", 2, (1, 2)))
    aggregation = gf.LettersAggregation(sums)
    table = np.random.default_rng(0).integers(0, 4, (4, aggregation.num_values(4)))
    return gf.GraphFSA(["low", "high", "node", "marked"], aggregation, table)


def _graphs() -> list[gf.Graph]:
    return [
        gf.Graph.from_edges(5, [(0, 1), (1, 2), (2, 2), (0, 1)]),
        gf.Graph.from_edges(3, [(0, 1), (1, 2)], directed=True, slots=[0, 1]),
        gf.Graph.from_lattice(gf.Lattice("moore", 3, 4, True, False)),
        gf.Graph.from_edges(0, []),
    ]


def _saved(folder: Path, suffix: str, write: Callable[[Path, Any], Any], things: list[Any]) -> list[bytes]:
    contents: list[bytes] = []
    for thing in things:
        write(folder / f"seed{suffix}", thing)
        contents.append((folder / f"seed{suffix}").read_bytes())
    return contents


def _models(folder: Path) -> list[bytes]:
    learned = [gf.learn(name, count=30, seed=0) for name in ("distance", "root-value")]
    return _saved(folder, ".json", lambda path, model: model.save(path), [*learned, learners.as_model("life")])


def _state_files(folder: Path) -> list[bytes]:
    fsa, states = library.life_like(), np.array([0, 1, 0, 1, 1, 0, 0, 0, 1])
    return _saved(folder, ".txt", lambda path, given: write_states(path, fsa, given), [states])


def _data_files(folder: Path) -> list[bytes]:
    for name in ("distance", "path-finding"):
        datasets.export_data(name, folder / f"{name}.jsonl", count=6, seed=0)
    trace = {"num_nodes": 2, "edges": [[0, 1]], "trace": [["a", "b"], ["b", "b"], ["b", "a"]]}
    exported = [(folder / f"{name}.jsonl").read_bytes() for name in ("distance", "path-finding")]
    return [*exported, json.dumps(trace).encode() + b"\n"]


def _certificates(folder: Path) -> list[bytes]:
    verified = analysis.verify(library.distance(), "distance", max_nodes=4)
    analysis.save_certificate(verified, library.distance(), folder / "verified.json", "distance")
    clash = {"num_nodes": 2, "edges": [[0, 1]], "inputs": ["i", "i"], "labels": ["a", "b"], "steps": 2}
    (folder / "clash.jsonl").write_text(json.dumps(clash) + "\n")
    proof = gf.learn(folder / "clash.jsonl").impossibility
    assert proof is not None
    analysis.save_impossibility(proof, folder / "impossible.json")
    return [(folder / name).read_bytes() for name in ("verified.json", "impossible.json")]


def _directories(folder: Path) -> dict[str, Reader]:
    """Results and stored data sets: one file is damaged, those beside it are whole."""
    (folder / "floors.toml").write_text(EXPERIMENT)
    experiment = evaluation.find_experiment(str(folder / "floors.toml"))
    made = evaluation.Results.create(folder / "results", {experiment.name: experiment}, quick=False)
    for job in evaluation.planned({experiment.name: experiment}, 2, quick=False).values():
        made.add(attempt(job, made.models))  # In this process, which may not have children.
    results = {name: (folder / "results" / name).read_bytes() for name in ("manifest.json", "records.jsonl")}
    datasets.grab("paper-1", seed=0, out=folder / "grab")
    stored = {name: (folder / "grab" / name).read_bytes() for name in ("manifest.json", "00.safetensors")}
    return {
        **{f"results, {name}": Reader(_results, [results[name]], name, results, 0.03) for name in results},
        **{f"stored data, {name}": Reader(_stored, [stored[name]], name, stored) for name in stored},
    }


def _networks(folder: Path) -> dict[str, Reader]:
    """What only torch can make: networks, soft tables, checkpoints."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return {}
    network = gf.learn("distance", learner="recurrent-gnn", count=20, seed=0, epochs=1, hidden=4)
    network.save(folder / "n.safetensors")
    kept = folder / "kept"
    options = {"updates": 20, "states": 4, "bound": 1, "restarts": 2}
    examples = datasets.training_data("distance", count=20, seed=0).train
    model = gf.DiffFSA(**options).fit(examples, seed=0, checkpoint=kept)
    assert model.soft is not None
    model.soft.save(folder / "soft.safetensors")

    def checkpoint(path: Path) -> None:
        gf.DiffFSA(**options).fit(examples, seed=0, checkpoint=path.parent, resume=True)

    return {
        "network": Reader(_model, [(folder / "n.safetensors").read_bytes()], "n.safetensors", {}),
        "soft table": Reader(_soft, [(folder / "soft.safetensors").read_bytes()], "t.safetensors", {}, 0.05),
        "checkpoint": Reader(
            checkpoint, [(kept / "checkpoint.safetensors").read_bytes()], "checkpoint.safetensors", {}, 0.05
        ),
        "history": Reader(_history, [(kept / "history.jsonl").read_bytes()], "history.jsonl", {}, 0.01),
    }
