"""What every learner returns and every file holds: an automaton or a network, with its task and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.node_values import node_values
from graphfsa.automaton.rules import Rules
from graphfsa.checks import check_integer, shorten, shown
from graphfsa.datasets import (
    Dataset,
    DiscretisedDataset,
    Discretiser,
    Examples,
    FeatureDataset,
    FeatureExamples,
    Score,
    Task,
    as_dataset,
    as_examples,
    as_labelled,
    examples_from,
    node_features,
    training_data,
)
from graphfsa.engine import Trajectory, run
from graphfsa.errors import GraphFSAError, LimitError, StateError
from graphfsa.files import PathLike
from graphfsa.graphs import Graph, as_graph
from graphfsa.html import facts_html
from graphfsa.learners._provenance import Attempted, DatasetReference, Provenance, Suspect

_MAX_REDRAWN = 10**7

if TYPE_CHECKING:
    from graphfsa.learners._neural import Network
    from graphfsa.learners.diff_fsa import SoftTable
    from graphfsa.proofs import Proof
    from graphfsa.search.proof import Impossibility
    from graphfsa.views import Diagram

Verdict = Literal["proved", "exact", "best-effort", "impossible", "undecided", "given"]
MAX_STEPS = 2**62


@runtime_checkable
class Predictor(Protocol):
    """Anything that answers for every node of a graph, by what is within reach of the node.

    Parts of a graph that are not connected don't see each other, so many graphs can be asked about as one union.
    """

    def predict(self, graph: Graph, inputs: Array, *, steps: int) -> Array:
        """The class of each node after this number of steps, int16; -1 for no answer."""
        ...


@dataclass(frozen=True, eq=False)
class Model:
    """An automaton, a network or another predictor, with its task and provenance.

    Attributes:
        task: What the inputs and classes mean.
        body: What answers: a ``GraphFSA``, a ``Network``, another ``Predictor``, or None if nothing was found.
        verdict: ``"proved"``: right on graphs of every size. ``"exact"``: all training labels are right, and all
            validation labels if the learner uses them. ``"best-effort"``: not all, but as many as could be.
            ``"impossible"``: no automaton of the given size fits, and ``impossibility`` shows it. ``"undecided"``: the
            budget was spent first. ``"given"``: the model was not learned.
        dataset: The data set that the task belongs to, if it has one.
        provenance: Where it comes from; None if it was not learned.
        used: Which entries of the table the training graphs use, bool [num_states, num_values]; None if not known.
        impossibility: Graphs that show that nothing fits.
        suspects: Training nodes that do not get their label, at most 1000.
        attempts: The sizes that were tried, simplest first.
        candidates: Automata that fit all training labels and are described equally briefly, the best first, which is
            the body; empty if the learner does not look for several. Files do not keep them.
        proof: What became of the attempt to prove it, if there was one. Files do not keep it: see ``save_proof``.
        soft: The soft table that the automaton was read off.
        history: One record for each epoch, or for each look at the discrete tables.
        discretiser: The thresholds that turn features of nodes into inputs of the task, if it was learned from
            features. Then ``predict`` and the others take features in place of inputs: [nodes, features], or a dict by
            node; if the data gave inputs beside them, a pair of both.

    Example:
        >>> import graphfsa as gf
        >>> model = gf.learn("root-value", states=5, bound=1, sizes=[5], count=20)
        >>> model.verdict, model.accuracy(gf.datasets.RootValue().generate(100, 10, np.random.default_rng(1)))
        ('proved', 1.0)
    """

    task: Task
    body: GraphFSA | Predictor | None
    verdict: Verdict = "given"
    dataset: DatasetReference | None = None
    provenance: Provenance | None = None
    used: Array | None = None
    impossibility: Impossibility | None = None
    suspects: tuple[Suspect, ...] = ()
    attempts: tuple[Attempted, ...] = ()
    candidates: tuple[GraphFSA, ...] = ()
    proof: Proof | None = None
    soft: SoftTable | None = None
    history: tuple[dict[str, Any], ...] = ()
    discretiser: Discretiser | None = None

    def __post_init__(self) -> None:
        if isinstance(self.body, GraphFSA):
            self.task.check_automaton(self.body)
        if self.discretiser is not None and self.discretiser.names != self.task.inputs:
            raise GraphFSAError(
                f"the classes of the discretiser must be the inputs of the task, {', '.join(self.task.inputs)}; got "
                + ", ".join(self.discretiser.names)
            )

    @classmethod
    def of(cls, fsa: GraphFSA, task: Task | Dataset | str | None = None) -> Model:
        """A model of an automaton that was not learned.

        Args:
            fsa: The automaton.
            task: The task that it solves, or a data set or the name of one. By default the inputs are its starting
                states and the classes its final states; without final states the task is to move as it does.
        """
        if task is None:
            return cls(task_of(fsa), fsa)
        if isinstance(task, Task):
            return cls(task, fsa)
        dataset = as_dataset(task)
        return cls(dataset.task, fsa, dataset=reference_to(dataset))

    # ---- what it is

    @property
    def is_automaton(self) -> bool:
        """Whether it is an automaton."""
        return isinstance(self.body, GraphFSA)

    @property
    def is_network(self) -> bool:
        """Whether it is a network."""
        from graphfsa.learners._neural import Network

        return isinstance(self.body, Network)

    @property
    def found(self) -> bool:
        """Whether there is anything that answers."""
        return self.body is not None

    @property
    def automaton(self) -> GraphFSA:
        """The automaton; raises if the model is something else."""
        if isinstance(self.body, GraphFSA):
            return self.body
        if self.body is None:
            raise GraphFSAError(f"no automaton was found: the verdict is {self.verdict}")
        what = f"a network ({self.network.learner.name})" if self.is_network else type(self.body).__name__
        raise GraphFSAError(f"this needs an automaton; the model is {what}")

    @property
    def network(self) -> Network:
        """The network; raises if the model is something else."""
        from graphfsa.learners._neural import Network

        if not isinstance(self.body, Network):
            raise GraphFSAError("this needs a network; the model is " + ("an automaton" if self.found else "empty"))
        return self.body

    @property
    def digest(self) -> str:
        """SHA-256 of what answers; equal automata and equal networks have equal digests on every machine."""
        digest: Any = getattr(self.body, "digest", None)
        if digest is None:
            raise GraphFSAError("only automata and networks have a digest")
        return digest

    # ---- what it answers

    def predict(self, graph: Any, inputs: Any, *, steps: int | None = None, default: str | int | None = None) -> Array:
        """The class of each node, int16; -1 for no answer.

        Args:
            graph: A graph of this package, NetworkX, SciPy or PyG.
            inputs: The input of each node: names, numbers, or a dict by node; with a discretiser the features.
            steps: Number of steps. By default an automaton runs until its states repeat and a network makes 2n + 2
                steps; in an evolution it must be given.
            default: With a dict: the input of nodes that are not in it.
        """
        where = as_graph(graph)
        if steps is None and self.task.kind == "evolution":
            raise GraphFSAError("steps must be given: this model says what the states are after a number of steps")
        if steps is None and isinstance(self.body, GraphFSA):
            trajectory = self.run(where, inputs, default=default)
            return self.task.predictions(self.body, trajectory.last)
        number = 2 * where.num_nodes + 2 if steps is None else steps
        return self.predict_at(where, inputs, [number], default=default)[0]

    def predict_at(
        self, graph: Any, inputs: Any, steps: Sequence[int], *, default: str | int | None = None
    ) -> Array:  # fmt: skip
        """The class of each node after each of several numbers of steps, from one run.

        Returns:
            Classes, int16 [number of them, number of nodes]; -1 for no answer.
        """
        where = as_graph(graph)
        given = self._inputs(where, inputs, default)
        numbers = [check_integer("steps", number, most=MAX_STEPS) for number in steps]
        if self.body is None:
            return np.full((len(numbers), where.num_nodes), -1, np.int16)
        if isinstance(self.body, GraphFSA):
            return _automaton_answers(self.body, self.task, where, given, numbers)
        if hasattr(self.body, "predict_at"):
            return self.body.predict_at(where, given, numbers)  # pyright: ignore
        answers = [self._checked(self.body.predict(where, given, steps=number), where) for number in numbers]
        return np.stack(answers) if answers else np.empty((0, where.num_nodes), np.int16)

    def by_node(
        self, graph: Any, inputs: Any, *, steps: int | None = None, default: str | int | None = None
    ) -> dict[Any, str | None]:
        """The name of the class of each node, by the node's name; None for no answer. Arguments as for ``predict``."""
        where = as_graph(graph)
        answers = self.predict(where, inputs, steps=steps, default=default).tolist()
        names = range(where.num_nodes) if where.node_names is None else where.node_names
        classes = self.task.classes
        return {name: classes[k] if k >= 0 else None for name, k in zip(names, answers, strict=True)}

    def answers(self, data: Any, *, steps: ArrayLike | None = None) -> Array:
        """The class of each node of labelled graphs, int16; -1 for no answer.

        Args:
            data: Labelled graphs: Examples, NetworkX graphs, a .jsonl file, ...; inputs and classes go by their names.
            steps: For each graph, the number of steps (or one number for all); by default that of the labels.
        """
        return self._answers(self.labelled(data), steps)

    def labelled(self, data: Any, *, steps: int | None = None) -> Examples:
        """Labelled graphs of any kind as data of this model's task; features become inputs by its thresholds.

        Args:
            data: As for ``answers``.
            steps: If given, the labels are states after this number of steps.

        Raises:
            GraphFSAError: The graphs have features and the model has no thresholds for them, or other ones.
        """
        given = as_labelled(data, steps=steps)
        if isinstance(given, FeatureExamples) and self.discretiser is not None:
            return self.matched(given.discretised(self.discretiser))
        return self.matched(as_examples(given))

    def matched(self, examples: Examples) -> Examples:
        """Labelled graphs as data of this model's task: inputs and classes go by their names.

        Data of an automaton may also name its states, where these are not called as the inputs and classes of the task.
        """
        known, own = self.task, examples.task
        named = set(own.inputs) <= set(known.inputs) and set(own.classes) <= set(known.classes)
        if self.is_automaton and not (named and own.kind == known.kind):
            return examples
        return examples.matched(known)

    @property
    def interrupted(self) -> bool:
        """Whether the user ended the learning early."""
        return self.provenance is not None and self.provenance.interrupted

    def load_dataset(self) -> Dataset:
        """The data set that it is for.

        Raises:
            GraphFSAError: The model names no data set, or one that is not known here.
        """
        if self.dataset is None:
            why = "the model was not learned from a data set"
            if self.provenance is not None and self.provenance.graphs:
                why = "the model was learned from labelled graphs, which it does not keep"
            raise GraphFSAError(f"{why}: give a task, or labelled graphs (--data FILE.jsonl, in Python data=...)")
        dataset = self.dataset.load()
        if self.discretiser is None:
            return dataset
        if not isinstance(dataset, FeatureDataset):
            raise GraphFSAError(f"the model knows features, and the nodes of {dataset.name} have none")
        return DiscretisedDataset(dataset, self.discretiser)

    def training_graphs(self) -> Examples:
        """The training graphs of its data set, drawn as they were when it was learned."""
        seed = 0 if self.provenance is None else self.provenance.seed
        dataset = self.load_dataset()
        drawn = {} if self.dataset is None else self.dataset.drawn
        _check_redrawn(drawn)
        train = training_data(dataset, seed=seed, **drawn).train
        added = () if self.provenance is None else self.provenance.details.get("counterexamples", ())
        return Examples.concatenate([train, examples_from(added, dataset.task, "counterexamples")]) if added else train

    def score(self, data: Any, *, steps: ArrayLike | None = None) -> Score:
        """Compare with the labels of some graphs; strict: a node without an answer is wrong."""
        examples = self.labelled(data)
        return examples.score(self._answers(examples, steps))

    def accuracy(self, data: Any, *, steps: ArrayLike | None = None) -> float:
        """Share of the labelled nodes that get their label; strict: a node without an answer is wrong."""
        return self.score(data, steps=steps).accuracy

    def run(
        self,
        graph: Any,
        inputs: Any,
        steps: int | Literal["stable"] = "stable",
        *,
        default: str | int | None = None,
        **options: Any,
    ) -> Trajectory:
        """Run the automaton from inputs of the task; ``options`` are those of ``graphfsa.run``."""
        where = as_graph(graph)
        given = self._inputs(where, inputs, default)
        return run(self.automaton, where, self.task.starting_states(self.automaton, given), steps, **options)

    # ---- what it looks like

    def rules(self, *, complete: bool = False) -> Rules:
        """The table as rules in words; entries that no training graph uses are left free.

        Args:
            complete: Whether the rules agree with the table everywhere.
        """
        return self.automaton.rules(None if complete else self.used)

    def diagram(self, *, complete: bool = False, **options: Any) -> Diagram:
        """The automaton as a diagram of states and arrows; entries that no training graph uses are left free.

        Args:
            complete: Whether every entry is drawn.
            options: Those of ``graphfsa.views.diagram``.
        """
        from graphfsa.views import diagram

        return diagram(self.automaton, matters=None if complete else self.used, **options)

    def report(self, out: PathLike, **options: Any) -> dict[str, Any]:
        """Write one HTML page about the automaton; ``options`` are those of ``graphfsa.report``."""
        from graphfsa.evaluation import report

        return report(self, out, **options)

    def save(self, path: PathLike) -> None:
        """Write it to a file, atomically: JSON for an automaton, safetensors for a network. ``load`` reads it."""
        from graphfsa.learners._model_files import save_model

        save_model(self, Path(path))

    def __repr__(self) -> str:
        what = "nothing" if self.body is None else shorten(repr(self.body), 200)
        return f"Model({self.task.name}, {self.verdict}: {what})"

    def _repr_html_(self) -> str:
        """The verdict and the automaton as its rules, for notebooks."""
        known = self.provenance
        facts = {
            "task": self.task.name,
            "verdict": self.verdict,
            "inputs": None if self.discretiser is None else "; ".join(str(self.discretiser).split("\n")),
            "learner": None if known is None else known.learner,
            "accuracy on the training graphs": None if known is None else known.train_accuracy,
            "accuracy on the validation graphs": None if known is None else known.validation_accuracy,
            "wrong labels": len(self.suspects) or None,
            "seconds": None if known is None else round(known.seconds, 3),
        }
        shown: Any = getattr(self.body, "_repr_html_", None)
        return facts_html("Model", facts) + ("" if shown is None else shown())

    # ---- helpers

    def _inputs(self, graph: Graph, given: Any, default: Any) -> Array:
        """The number of the input of each node, uint8, from inputs or from features."""
        if self.discretiser is None:
            return node_values("input", self.task.inputs, graph, given, default)
        known, inputs = self.discretiser, None
        if len(known.given) > 1:
            if not isinstance(given, tuple) or len(given) != 2:  # pyright: ignore[reportUnknownArgumentType]
                names = ", ".join(known.given)
                raise StateError(f"this model takes a pair: the inputs of the nodes ({names}), and their features")
            inputs = node_values("input", known.given, graph, given[0])
            given = given[1]  # pyright: ignore[reportUnknownVariableType]
        return known.classes(node_features(known.features, graph, given, default), inputs)

    def _checked(self, given: Any, graph: Graph) -> Array:
        """The answers of a predictor of one's own, if there is a class for each node."""
        try:
            found = np.asarray(given)
        except Exception:
            found = np.empty(0)
        right = found.shape == (graph.num_nodes,) and found.dtype.kind in "iu"
        most = len(self.task.classes) - 1
        if not right or (found.size and not -1 <= found.min() <= found.max() <= most):
            raise GraphFSAError(
                f"predict must return an integer for each of the {graph.num_nodes} nodes, from -1 (no answer) to "
                f"{most}; got {shown(given)}"
            )
        return found.astype(np.int16)

    def _answers(self, examples: Examples, steps: ArrayLike | None = None) -> Array:
        if isinstance(self.body, GraphFSA):
            return examples.predict(self.body, steps=steps)
        answers = np.full(len(examples.inputs), -1, np.int16)
        for number, part, nodes in examples.by_steps(steps):
            answers[nodes] = self.predict_at(part.graphs.graph, part.inputs, [number])[0]
        return answers


def as_model(given: Any) -> Model:
    """A model from a model, an automaton, the name of a library automaton, or a file."""
    if isinstance(given, Model):
        return given
    if isinstance(given, GraphFSA):
        return Model.of(given)
    if isinstance(given, str | Path):
        from graphfsa.learners._model_files import find_model

        return find_model(str(given))
    raise GraphFSAError(
        f"model must be a Model, a GraphFSA, a library name or a file; got {type(given).__name__}"
    )  # fmt: skip


def task_of(fsa: GraphFSA) -> Task:
    """The task that the states of an automaton speak of."""
    if not fsa.final_states:
        return Task("automaton", "evolution", fsa.state_names, fsa.state_names)
    starting, final = (tuple(fsa.state_names[k] for k in part) for part in (fsa.starting_states, fsa.final_states))
    return Task("automaton", "classes", starting, final)


def reference_to(dataset: Dataset, drawn: Mapping[str, Any] | None = None) -> DatasetReference:
    """How a file names a data set, and how training graphs were drawn from it."""
    return DatasetReference(dataset.reference, dataset.options(), drawn or {})


def _automaton_answers(fsa: GraphFSA, task: Task, graph: Graph, inputs: ArrayLike, steps: list[int]) -> Array:
    """Answers after each number of steps; each run goes on from the states of the last."""
    states, done = task.starting_states(fsa, np.asarray(inputs)), 0
    answers: dict[int, Array] = {}
    for number in sorted(set(steps)):
        states, done = run(fsa, graph, states, number - done).last, number
        answers[number] = task.predictions(fsa, states)
    return np.stack([answers[number] for number in steps]) if steps else np.empty((0, graph.num_nodes), np.int16)


def _check_redrawn(drawn: Mapping[str, Any]) -> None:
    """Raise for training graphs that take long to draw again: a model may come from anyone."""
    count, steps, largest = drawn.get("count") or 1, drawn.get("steps") or 1, max(drawn.get("sizes") or [1])
    if count * largest > _MAX_REDRAWN or count * largest * steps > 100 * _MAX_REDRAWN:
        raise LimitError(
            f"the model says that it was learned from {shown(count)} graphs of up to {shown(largest)} nodes over "
            f"{shown(steps)} steps; at most {_MAX_REDRAWN:,} nodes are drawn again. Give a task, or labelled graphs"
        )
