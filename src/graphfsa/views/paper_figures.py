"""The paper's figures, drawn from automata that Diff-FSA learns here and now."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.analysis import distinguished, transitions, used_transitions
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_seed
from graphfsa.datasets import as_dataset
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation import evaluate
from graphfsa.files import PathLike, atomic_write
from graphfsa.folders import make_folder, place
from graphfsa.graphs import Graph, families
from graphfsa.learners import DiffFSA, Model, learn, versions
from graphfsa.views._layout import node_positions
from graphfsa.views.colours import palette
from graphfsa.views.diagrams import diagram
from graphfsa.views.figures import add_legend, new_figure, own_style, save_figure
from graphfsa.views.graphs import draw_graph
from graphfsa.views.rollouts import Rollout, rollout

SUFFIXES = (".svg", ".png")
_TRIES = 5
"""Seeds to learn with until an automaton is right on the graphs that it is drawn on."""
_PAPER_NAMES = {"even": "f0", "odd": "f1", "node": "s0", "root": "s1"}
_CIRCUIT = """
tH.........
.   .
   ...
.   .
Ht.. ......
"""
"""Two loops that send electrons to a diode each: the upper one lets them through, the lower one does not."""
_CIRCUIT_COLOURS = {"head": "#0072b2", "tail": "#c8352b", "conductor": "#f0c000"}
_CIRCUIT_STATES = {"t": "tail", "H": "head", ".": "conductor", " ": "empty"}
Watch = Callable[[str], None]


@dataclass(frozen=True)
class _Subject:
    """A task that an automaton is learned for.

    Attributes:
        task: Name of the data set.
        options: Its options.
        learner: Options of Diff-FSA.
        sizes: Numbers of nodes of the graphs that it must be right on.
    """

    task: str
    options: Mapping[str, Any]
    learner: Mapping[str, Any]
    sizes: tuple[int, ...]


_SUBJECTS = {
    "distance": _Subject("distance", {}, {"preset": "paper", "states": 4, "bound": 1}, (10, 100)),
    "rule-30": _Subject("elementary", {"rule": 30}, {"preset": "paper"}, (10, 64)),
    "wireworld": _Subject("wireworld", {}, {"preset": "strong", "bound": 3}, (16, 100)),
    "hex-life": _Subject("hex-life", {"torus": False}, {"preset": "strong", "bound": 5}, (16, 100)),
}


def reproduce_figures(out: PathLike = "figures", *, seed: int = 0, watch: Watch | None = None) -> dict[str, Any]:
    """Learn automata with Diff-FSA, and draw the paper's figures from them, as SVG and PNG.

    - ``distance-complete``, ``distance-root``, ``distance-other``: the complete diagram of an automaton for Distance,
      and what the root and all others do, with value vectors ``[f0,f1,s0,s1]`` at the arrows;
    - ``expressiveness``: a graph, the nodes that counting to 2 tells apart, and those that 1-WL does;
    - ``rule-30``: the space-time diagram of rule 30;
    - ``wireworld``, ``hex-life``: frames of both cellular automata.

    An automaton that is wrong on larger graphs is learned again with the next seed, at most 5 times. Beside the
    pictures are the models (``NAME.json``) and ``manifest.json``: for each picture its caption and the digest of its
    automaton; for each model how it was learned and how right it is; the versions, and the command.

    Args:
        out: The directory; it is made.
        seed: The first seed to learn with.
        watch: Called with a line about what is done next.

    Returns:
        The manifest.

    Raises:
        GraphFSAError: No automaton was right with any of the seeds; the message says how right the last one was.
    """
    check_seed(seed)
    folder = make_folder(out)
    tell = watch or (lambda _line: None)
    models: dict[str, Model] = {}
    learned: dict[str, Any] = {}
    for name, subject in _SUBJECTS.items():
        tell(f"learning {name}")
        models[name], learned[name] = _learned(name, subject, seed)
        models[name].save(place(folder, f"{name}.json"))
    pictures: dict[str, Any] = {}
    draw = _Drawer(folder, pictures, tell)
    _distance(draw, models["distance"])
    _expressiveness(draw)
    _cellular(draw, models, seed)
    manifest = {
        "schema": "graphfsa.figures/1",
        "command": f"graphfsa reproduce figures --seed {seed}",
        "versions": versions(),
        "models": learned,
        "figures": pictures,
    }
    atomic_write(place(folder, "manifest.json"), json.dumps(manifest, indent=1) + "\n")
    return manifest


def _learned(name: str, subject: _Subject, first: int) -> tuple[Model, dict[str, Any]]:
    """The first automaton that is right on larger graphs, and how it was learned."""
    task = as_dataset(subject.task, subject.options)
    accuracy = 0.0
    for seed in range(first, first + _TRIES):
        model = learn(task, DiffFSA(**subject.learner), seed=seed)
        accuracy = evaluate(model, sizes=list(subject.sizes)).accuracy
        if accuracy == 1.0:
            return model, {
                "file": f"{name}.json",
                "task": subject.task,
                "options": dict(subject.options),
                "learner": {"name": DiffFSA.name, **subject.learner},
                "seed": seed,
                "verdict": model.verdict,
                "accuracy": accuracy,
                "sizes": list(subject.sizes),
                "digest": model.automaton.digest,
            }
    raise GraphFSAError(
        f"no automaton for {name} was right on graphs of {max(subject.sizes)} nodes with the seeds {first} to "
        f"{first + _TRIES - 1}; the last one had {accuracy:.1%} of the nodes right. Another seed may do"
    )


@dataclass(frozen=True)
class _Drawer:
    """Writes each picture in both formats, and notes what it shows.

    Attributes:
        folder: The directory.
        pictures: Caption, files and digest of the automaton of each picture so far.
        tell: Called with a line before each picture.
    """

    folder: Path
    pictures: dict[str, Any]
    tell: Watch

    def __call__(self, name: str, save: Callable[[Path], None], caption: str, fsa: GraphFSA | None = None) -> None:
        self.tell(f"drawing {name}")
        for suffix in SUFFIXES:
            save(place(self.folder, name + suffix))
        digest = None if fsa is None else fsa.digest
        self.pictures[name] = {"files": [name + suffix for suffix in SUFFIXES], "caption": caption, "model": digest}


def _distance(draw: _Drawer, model: Model) -> None:
    """The complete and both partial diagrams, with the names of states and the vectors of the paper."""
    fsa = model.automaton
    named = GraphFSA(
        [_PAPER_NAMES.get(name, name) for name in fsa.state_names],
        fsa.aggregation,
        fsa.transition_table,
        starting_states=fsa.starting_states,
        final_states=fsa.final_states,
    )
    graphs = model.training_graphs()
    parts = {
        "complete": (transitions(fsa), "every transition of the learned automaton"),
        "root": (used_transitions(fsa, graphs, "root"), "what the root does, which starts in s1"),
        "other": (used_transitions(fsa, graphs, "node"), "what all other nodes do, which start in s0"),
    }
    for part, (found, words) in parts.items():
        caption = f"Distance: {words}; f0 and f1 are even and odd distances from the root"
        picture = diagram(replace(found, fsa=named), title=caption, labels="values", layout="own")
        draw(f"distance-{part}", picture.save, caption, fsa)


def _expressiveness(draw: _Drawer) -> None:
    """A graph with the nodes that counting to 2 tells apart, and those that colour refinement does."""
    # Two hubs that only the number of their leaves tells apart, 2 and 3, and a node between them.
    graph = Graph.from_edges(8, [(0, 1), (1, 2), (0, 3), (0, 4), (2, 5), (2, 6), (2, 7)])
    counted, refined = distinguished(graph, bound=2), distinguished(graph)
    caption = (
        f"A graph, the {counted.max() + 1} kinds of nodes that counting to 2 can tell apart, and the "
        f"{refined.max() + 1} of 1-WL: counting to 2 can't tell 2 leaves from 3"
    )
    panels = [
        ("the graph", np.zeros(8, np.int64)),
        (f"GraphFSA, counting to 2: {counted.max() + 1} kinds", counted),
        (f"1-WL: {refined.max() + 1} kinds", refined),
    ]
    draw("expressiveness", lambda path: _draw_classes(path, graph, panels), caption)


@own_style()
def _draw_classes(path: Path, graph: Graph, panels: list[tuple[str, Any]]) -> None:
    # The first colour of the palette is white, which says nothing here: it is that of the graph alone.
    shades = palette(max(int(classes.max()) for _, classes in panels) + 2)
    figure = new_figure(10, 2.6)
    points = node_positions(graph)
    for number, (title, classes) in enumerate(panels, start=1):
        axes = figure.add_subplot(1, len(panels), number)
        axes.set_title(title, fontsize=10)
        draw_graph(axes, graph, points, [shades[one + (number > 1)] for one in classes.tolist()])
    add_legend(figure, [], "")
    save_figure(figure, path)


def _cellular(draw: _Drawer, models: Mapping[str, Model], seed: int) -> None:
    """The space-time diagram of rule 30, and frames of WireWorld and of hexagonal Life."""
    fsa = {name: models[name].automaton for name in ("rule-30", "wireworld", "hex-life")}
    row = np.full(161, fsa["rule-30"].index("0"))
    row[80] = fsa["rule-30"].index("1")
    cells = np.random.default_rng(seed).integers(0, 2, 256)
    runs: dict[str, tuple[Rollout, str]] = {
        "rule-30": (
            rollout(fsa["rule-30"], families.row(161), row, 80, title="Rule 30"),
            "Rule 30 from a single cell, learned from rows of 4 cells: one row for each step",
        ),
        "wireworld": (
            rollout(
                fsa["wireworld"], *_circuit(fsa["wireworld"]), 14, every=2, colours=_CIRCUIT_COLOURS, title="WireWorld"
            ),
            "WireWorld, learned from boards of 4 x 4 cells: two loops send electrons to a diode each",
        ),
        "hex-life": (
            rollout(fsa["hex-life"], families.hexagonal(16, 16), cells, 7, title="Life on hexagons"),
            "Life on a board of hexagons, learned from 4 x 4 cells, from random cells",
        ),
    }
    for name, (found, caption) in runs.items():
        draw(name, found.save, caption, fsa[name])


def _circuit(fsa: GraphFSA) -> tuple[Graph, Any]:
    """The board of the circuit, with a margin, and the states of its cells."""
    lines = _CIRCUIT.strip("\n").splitlines()
    width = max(map(len, lines))
    padded = [" " * (width + 2), *(f" {line:<{width}} " for line in lines), " " * (width + 2)]
    states = [fsa.index(_CIRCUIT_STATES[letter]) for line in padded for letter in line]
    return families.moore(len(padded), width + 2), np.array(states)
