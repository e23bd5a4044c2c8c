"""From data to a model in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from time import monotonic
from typing import Any

from graphfsa.checks import check_choice, shown
from graphfsa.datasets import Dataset, Examples, TrainingData, training_data
from graphfsa.errors import GraphFSAError
from graphfsa.files import PathLike
from graphfsa.learners._base import Learner, Watch, learned
from graphfsa.learners._continuous import ContinuousFit
from graphfsa.learners._model import Model, Predictor, reference_to
from graphfsa.plugins import find_plugin
from graphfsa.search.letters.climb import Judge


def learn(
    data: Any,
    learner: str | Learner | type[Learner] = "exact",
    *,
    validation: Any = None,
    sizes: Sequence[int] | None = None,
    count: int | None = None,
    steps: int | None = None,
    seed: int = 0,
    until: str | None = None,
    watch: Watch | None = None,
    fit: dict[str, Any] | None = None,
    inputs: str = "classes",
    **options: Any,
) -> Model:
    """Learn from labelled graphs: of a task, of a file, or of your own.

    Args:
        data: A task (a data set, its name, ``"file.py:Class"``, or a function that labels a graph, also as
            ``"file.py:function"``), whose training graphs are drawn; or labelled graphs: Examples, NetworkX graphs
            with node attributes ``input`` and ``label``, PyG data, a .jsonl file.
        learner: A learner or its class, its name, the beginning of its name, or ``"file.py:Class"``.
        validation: Labelled graphs to choose between models with, if the learner does so. A task has its own.
        sizes: With a task: numbers of nodes of the graphs.
        count: With a task: number of graphs in all.
        steps: Labels are states after this number of steps.
        seed: Seed of the graphs that are drawn and of the learner.
        until: ``"proved"``: prove what was learned, and learn again with the graph that refutes it until it is proved;
            ``"checked"``: compare it with the task's own labels of all small graphs and of random larger ones, and
            learn again with those on which it is wrong; ``"exact"``: all labels are right. By default ``"proved"`` for
            tasks with a specification, ``"checked"`` for others.
        watch: Called with a record of how it goes now and then.
        fit: Further arguments of the learner's ``fit``, such as ``checkpoint`` of Diff-FSA.
        inputs: ``"classes"``, or ``"continuous"``: nodes have features, numbers that thresholds turn into input
            classes. The thresholds are learned together with the automaton; see docs/continuous.md.
        options: Options of the learner, if it is given by name.

    Returns:
        The model. Its ``verdict`` is ``proved`` if it is right on graphs of every size, ``exact`` if all labels are
        right; see :class:`Model`.

    Example:
        >>> import graphfsa as gf
        >>> model = gf.learn("distance", states=4, bound=1, sizes=[4, 5], count=60)
        >>> model.verdict, model.automaton.num_states
        ('proved', 4)
    """
    chosen = as_learner(learner, options)
    chosen.check_libraries()
    if isinstance(data, Dataset):
        check_goal(until, data)
    drawn = training_data(
        data, validation=validation, sizes=sizes, count=count, steps=steps, seed=seed, split=chosen.split,
        inputs=inputs,
    )  # fmt: skip
    return learn_until(until, chosen, drawn, seed=seed, watch=watch, **(fit or {}))


def learn_until(
    until: str | None, learner: Learner, data: TrainingData, *, seed: int, watch: Watch | None = None, **more: Any
) -> Model:
    """Fit a learner and, if that is wanted, go on until its automaton is proved or checked.

    Args:
        until: As for ``learn``.
        learner: The learner.
        data: The training and validation graphs.
        seed: The seed.
        watch: As for ``learn``.
        more: Further arguments of the learner's ``fit``. Each time that it learns again, it has a ``checkpoint`` of its
            own, the folder ``round-1``, ``round-2``, ... within the first.
    """
    goal = check_goal(until, data.dataset)
    folder: PathLike | None = more.get("checkpoint")
    learning: list[float] = []
    began = monotonic()

    asks = "judge" in signature(learner.fit).parameters

    def refit(train: Examples, judge: Judge | None) -> Model:
        if folder is not None and learning:
            more["checkpoint"] = Path(folder) / f"round-{len(learning)}"
        if asks and judge is not None:
            more["judge"] = judge
        start = monotonic()
        found = fit_model(learner, replace(data, train=train), seed=seed, watch=watch, **more)
        learning.append(monotonic() - start)
        return found

    def settle(given: TrainingData, first: Model | None = None) -> Model:
        """Learn until it is settled; ``first`` is what has been learned already."""
        from graphfsa.proofs import until_settled

        if given.dataset is None or goal == "exact":
            return refit(given.train, None) if first is None else first
        known = [] if first is None else [first]
        tell = watch or (lambda _record: None)
        again = lambda train, judge: known.pop() if known else refit(train, judge)  # noqa: E731
        found = until_settled(given.train, given.dataset, again, tell, prove=goal == "proved", seed=seed)
        return _timed(found, goal, learning, monotonic() - began)

    if data.measured is None:
        return settle(data)

    def settle_first(model: Model, given: TrainingData) -> Model:
        learning.append(monotonic() - began)
        return settle(given, model)

    return ContinuousFit(learner, data, seed, watch, settle_first, more).run()


def _timed(model: Model, goal: str, learning: list[float], total: float) -> Model:
    """The model with the time that all rounds took together, and what it was spent on."""
    if model.provenance is None:
        return model
    doing = "proving" if goal == "proved" else "checking"
    spent = {"learning": round(sum(learning), 3), doing: round(total - sum(learning), 3)}
    details = {**model.provenance.details, "rounds": len(learning), "seconds_of": spent}
    return replace(model, provenance=replace(model.provenance, seconds=round(total, 3), details=details))


def check_goal(until: str | None, dataset: Dataset | None) -> str:
    """How long to go on: as it was said, or as far as the data set allows.

    Raises:
        GraphFSAError: The data set does not allow what was said.
    """
    offered = dataset is not None and bool(dataset.specifications())
    asked = dataset is not None and dataset.graph_class is not None
    if until is None:
        return "proved" if offered else "checked" if asked else "exact"
    check_choice("until", until, ("proved", "checked", "exact"))
    if until == "proved" and not offered:
        raise GraphFSAError(
            'until "proved" needs a task with a specification; this one has none, so nothing can be proved about '
            "graphs of every size (docs/proofs.md)"
        )
    if until == "checked" and not asked:
        raise GraphFSAError('until "checked" needs a task that labels any graph; these are labelled graphs or boards')
    return until


def as_learner(given: str | Learner | type[Learner], options: dict[str, Any] | None = None) -> Learner:
    """A learner from a learner, or from a name (or its beginning, or ``file.py:Class``) and options."""
    if isinstance(given, Learner):
        if options:
            instead = f"{type(given).__name__}({next(iter(options))}=...)"
            raise GraphFSAError(f"options go with the name of a learner; give them to the learner itself: {instead}")
        return given
    if isinstance(given, type) and issubclass(given, Learner):
        return given.from_options(options or {})
    if isinstance(given, str):
        return learner_class(given).from_options(options or {})
    raise GraphFSAError(f"learner must be a Learner or the name of one; got {shown(given)}")


def learner_class(name: str) -> type[Learner]:
    """The class of the learner with this name or unique prefix."""
    return find_plugin(Learner, name, prefix=True)


def fit_model(learner: Learner, data: TrainingData, *, seed: int, watch: Watch | None = None, **more: Any) -> Model:
    """Fit a learner, built-in or a user's own, and return its model, which knows its data set.

    Args:
        learner: The learner.
        data: The training and validation graphs.
        seed: The seed.
        watch: Called with a record of how it goes now and then, if the learner's ``fit`` takes it.
        more: Further arguments of the learner's ``fit``.
    """
    known = signature(learner.fit).parameters
    for name in more:
        if name not in known:
            raise GraphFSAError(f"the learner {learner.name} does not take {name}")
    if watch is not None and "watch" in known:
        more["watch"] = watch
    began = monotonic()
    found = _fitted(learner, data, seed, more)
    if not isinstance(found, Predictor):
        raise GraphFSAError(f"{learner.name}: fit must return a model, with a method predict; got {shown(found)}")
    if not isinstance(found, Model) or found.provenance is None:
        took, body, history = monotonic() - began, _body(found), _history(found)
        found = learned(learner, data.train, data.validation, seed, body, seconds=took, history=history)
    if data.dataset is None:
        return found
    return replace(found, dataset=reference_to(data.dataset, data.drawn))


def _fitted(learner: Learner, data: TrainingData, seed: int, more: dict[str, Any]) -> Any:
    """What ``fit`` returns; a learner of one's own that fails is named, with the error as the cause."""
    try:
        return learner.fit(data.train, data.validation, seed=seed, **more)
    except GraphFSAError:
        raise
    except Exception as error:
        if type(learner).__module__.startswith("graphfsa."):
            raise
        raise GraphFSAError(f"{learner.name}: fit failed: {type(error).__name__}: {error}") from error


def _body(found: Any) -> Any:
    """What answers; a predictor of one's own may have an automaton, which is more than a predictor."""
    return found.body if isinstance(found, Model) else getattr(found, "automaton", found)


def _history(found: Any) -> tuple[dict[str, Any], ...]:
    """The records of a training that a predictor of one's own may have."""
    history: Any = getattr(found, "history", ())
    records = list(history) if isinstance(history, list | tuple) else []
    return tuple(record for record in records if isinstance(record, dict))
