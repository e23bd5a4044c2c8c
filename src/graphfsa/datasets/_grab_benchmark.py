"""GRAB as one call: all splits of a configuration, what there is to say about them, and where they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_choice, check_seed
from graphfsa.datasets._base import Split
from graphfsa.datasets._covering import COVERING_SIZE, cover
from graphfsa.datasets._drawing import MAX_SIZE, Zone, divided, in_zone
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._grab_config import GrabConfig, Part, grab_config
from graphfsa.datasets._grab_facts import benchmark_facts, data_card, described
from graphfsa.datasets._hygiene import overlap
from graphfsa.datasets._storage import StoredData, data_digest, load_data, save_data
from graphfsa.datasets.grab import Grab
from graphfsa.engine.cluster import Cluster, opened
from graphfsa.errors import GraphFSAError
from graphfsa.files import PathLike

TRAININGS = ("train", "learn", "covering")
"""What the training split of a benchmark may have."""
_LEARN = {2: 20, 3: 60, 4: 120, 5: 300, 6: 500, 7: 1000, 8: 1000, 9: 1000, 10: 1000}
"""Number of graphs of each size in the larger training split, as for PathFinding."""
_LEARN_KEEP = 70
_MAX_NOTES = 20
_MAX_COVERED = 1024
"""Entries of a truth up to which graphs are looked for that show each of them."""


@dataclass(frozen=True)
class GrabData:
    """All splits of a configuration.

    Attributes:
        config: What was drawn.
        seed: The seed.
        splits: The graphs, by name of the split.
        acceptance: For each split, the share of the drawn graphs whose nodes ended in final states.
        divided: Whether no graph of a split is isomorphic, with its inputs, to one of another.
        training: Which graphs the training split has: see :func:`generate_grab`.
        unseen: Entries (state, value) of the truth for which no graph was found that visits them, if that was asked.
    """

    config: GrabConfig
    seed: int
    splits: dict[str, Examples]
    acceptance: dict[str, float]
    divided: bool
    training: str = "train"
    unseen: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    @property
    def covering(self) -> bool:
        """Whether small graphs were added to the training split to cover the truth."""
        return self.training == "covering"

    @property
    def truth(self) -> GraphFSA:
        """The automaton that made the labels."""
        return self.config.grab.automaton()

    @property
    def digest(self) -> str:
        """SHA-256 of the configuration, the seed and all graphs."""
        return data_digest(self._config, self.seed, self.splits)

    @property
    def notes(self) -> list[str]:
        """What a reader should know."""
        notes = [] if self.divided else ["the domain is too small to be divided: splits share graphs"]
        names, decode = self.truth.state_names, self.truth.aggregation.decode
        notes += [
            f"no graph was found in which a node in {names[state]} sees: {decode(value, names)}"
            for state, value in self.unseen[:_MAX_NOTES]
        ]
        further = len(self.unseen) - _MAX_NOTES
        return notes if further <= 0 else [*notes, f"the same holds for {further} further entries"]

    def save(self, directory: PathLike) -> StoredData:
        """Write everything to a new directory; the same data may be written again to the same directory."""
        return save_data(
            directory,
            self.splits,
            config=self._config,
            seed=self.seed,
            facts={name: {"acceptance": rate} for name, rate in self.acceptance.items()},
            truth=self.truth,
            notes=self.notes,
            card=self.card(),
        )

    def card(self) -> str:
        """The data card, in Markdown: every choice, versions, digests, splits, and how to load them."""
        return data_card(self.facts(), self._config, self.truth)

    def facts(self) -> dict[str, Any]:
        """What there is to say about each split and how it covers the truth, as JSON values."""
        return benchmark_facts(self.digest, self.seed, self.truth, self.splits.items(), self.acceptance, self.notes)

    def describe(self) -> str:
        """The same as text for people."""
        return described(self.facts())

    @property
    def _config(self) -> dict[str, Any]:
        return {**self.config.config(), "training": self.training}


def grab(
    config: str | GrabConfig | None = None,
    *,
    family: str | None = None,
    seed: int = 0,
    covering: bool = False,
    out: PathLike | None = None,
    progress: Callable[[str], None] | None = None,
    cluster: Cluster | str | None = None,
    **choices: Any,
) -> GrabData:
    """Make a benchmark of GRAB: draw a truth, then all splits.

    What is not chosen is as in the configuration, and for a family as in the authors' scripts: 1000 training graphs of
    6 nodes (boards: 9), 100 for validation and 100 of another family, and larger ones to extrapolate to.

    Args:
        config: ``paper-1`` to ``paper-5``, the name of a family, or a configuration.
        family: Instead of the configuration: family of the graphs, with its parameters: ``regular:degree=4``.
        seed: Seed of the graphs and starting states.
        covering: Whether to add small graphs to the training split until it visits every entry of the truth, and any
            change of one entry would show in a label, as far as such graphs can be found.
        out: A directory to write everything to, with a data card; it is made.
        progress: Called with the name of each split before it is drawn.
        cluster: Workers that share the splits: a ``Cluster``, or the address of one, such as ``"local:2"``.
        choices: The truth: ``num_states``, ``num_starting``, ``num_final``, ``truth`` (``dense`` or ``sparse``),
            ``truth_seed``, ``aggregation`` with ``bound``, ``slots``, ``thresholds`` or ``letters``, as for
            :class:`Grab`. The splits: ``sizes``, ``count``, ``steps`` and ``keep`` of the training graphs;
            ``validation_count``, ``ood_count`` and ``ood_family`` (``none`` to leave it out), of the same sizes and
            steps; ``test_sizes``, ``test_count``, ``test_steps`` and ``test_keep``, with one number for all sizes or
            one for each. Labels hold after ``max(10, 5 n / 4)`` steps if it is not said.

    Raises:
        UnknownNameError: There is no such configuration.
        GraphFSAError: A choice is not valid, or the truth can't fill a split.

    Example:
        >>> data = grab("paper-1", seed=0)
        >>> data.splits["train"], data.truth.state_names
        (Examples(grab: 1000 graphs, 6000 nodes), ('f0', 'f1', 's0', 's1'))
        >>> data = grab(family="grid", aggregation="positional", sizes=(9, 16), test_sizes=(), truth="sparse")
        >>> data.splits["train"].graphs.graph.num_slots, data.truth.num_values
        (4, 625)
    """
    if (config is None) == (family is None):
        raise GraphFSAError("give either the name of a configuration or a family")
    base = config if isinstance(config, GrabConfig) else grab_config(config or family or "")
    if choices:
        base = base.with_choices(choices)
    training = "covering" if covering else "train"
    data = generate_grab(base, seed, training=training, progress=progress, cluster=cluster)
    if out is not None:
        data.save(out)
    return data


def generate_grab(
    config: GrabConfig,
    seed: int,
    *,
    training: str = "train",
    progress: Callable[[str], None] | None = None,
    cluster: Cluster | str | None = None,
) -> GrabData:
    """Draw all splits of a configuration; each has a source of randomness of its own.

    Splits that have graphs of one size draw them from zones that are apart up to isomorphism, wherever there are enough
    graphs of this size to divide.

    Args:
        config: What to draw.
        seed: Seed of the graphs and starting states (the truth has its own, in the configuration).
        training: The training graphs: ``train`` (those of the configuration), ``learn`` (about 5,000 graphs of 2 to 10
            nodes), or ``covering`` (those of the configuration and small ones that show the truth: see :func:`grab`).
        progress: Called with the name of each split before it is drawn.
        cluster: Workers that share the splits: see :func:`grab`.
    """
    check_choice("training", training, TRAININGS)
    if training == "covering":
        _check_covering(config.grab.automaton())
    *children, for_more = np.random.default_rng(check_seed(seed)).spawn(len(config.parts) + 1)
    unseen: list[tuple[int, int]] = []
    shared = _shared_sizes(config, training)
    tell = progress or (lambda _name: None)
    todo = [(name, rng) for name, rng in zip(config.parts, children, strict=True)]
    drawn: dict[str, tuple[Examples, float]] = {}
    with opened(cluster) as crew:
        if crew is None:
            for each in todo:
                tell(each[0])
                drawn[each[0]] = _draw_named(each, config, training, shared)
        else:
            given = crew.spread(_draw_named, todo, config, training, shared, started=lambda each: tell(each[0]))
            for (name, _), found in given:
                if isinstance(found, Exception):
                    raise found
                drawn[name] = found
    splits = {name: drawn[name][0] for name in config.parts}
    acceptance = {name: drawn[name][1] for name in config.parts}
    if training == "covering":
        plain = replace(config.grab, family=str(config.grab.graphs))
        splits["train"], unseen = cover(plain, splits["train"], for_more, _chooser(config.grab, "train", shared))
    return GrabData(config, int(seed), splits, acceptance, _apart([*splits.values()]), training, unseen)


def _draw_named(
    named: tuple[str, np.random.Generator], config: GrabConfig, training: str, shared: set[int]
) -> tuple[Examples, float]:
    """The graphs of a split, given by its name and its randomness, and the share of the drawn ones that were kept."""
    name, rng = named
    choose = _chooser(config.grab, name if name in ("train", "validation") else "test", shared)
    if name == "train" and training == "learn":
        return _draw_learn(config.grab, choose, rng)
    return _draw_part(config, config.parts[name], rng, choose)


def _shared_sizes(config: GrabConfig, training: str) -> set[int]:
    """The sizes of which more than one split may have graphs."""
    sizes = Counter(size for part in config.parts.values() for size in set(part.sizes))
    more = {"train": (), "learn": _LEARN, "covering": range(1, COVERING_SIZE + 1)}[training]
    return {size for size, number in sizes.items() if number > 1} | set(more)


def _chooser(grab: Grab, zone: Zone, shared: set[int]) -> Callable[[Examples], Any]:
    """Which graphs a split may use: of sizes that others have too, those of its zone, if there are enough to divide."""
    everything = replace(grab, keep=0)
    zoned = [size for size in shared if size <= MAX_SIZE and _is_divided(everything, size)]

    def choose(found: Examples) -> Any:
        allowed = ~np.isin(found.sizes, zoned)
        places = np.flatnonzero(~allowed)
        if len(places):
            allowed[places] = in_zone(found.select(places), zone)
        return allowed

    return choose


def _apart(splits: Sequence[Examples]) -> bool:
    """Whether no graph of a split is isomorphic, with its inputs, to one of another."""
    for place, first in enumerate(splits):
        for second in splits[:place]:
            both = np.intersect1d(first.sizes, second.sizes)
            chosen = [part.select(np.flatnonzero(np.isin(part.sizes, both))) for part in (second, first)]
            if len(both) and overlap(*chosen).any():
                return False
    return True


def _draw_learn(
    grab: Grab, choose: Callable[[Examples], Any], rng: np.random.Generator
) -> tuple[Examples, float]:  # fmt: skip
    """Many small graphs of every size that the family has, and the mean share of the drawn graphs that were kept."""
    parts: list[Examples] = []
    rates: list[float] = []
    for (size, count), child in zip(_LEARN.items(), rng.spawn(len(_LEARN)), strict=True):
        if not _has_size(grab, size):
            continue
        found, rate = replace(grab, keep=_LEARN_KEEP).draw(size, count, child, choose=choose)
        parts.append(found)
        rates.append(rate)
    return Examples.concatenate(parts), float(np.mean(rates))


def _has_size(grab: Grab, size: int) -> bool:
    try:
        grab.graphs(size, 1, np.random.default_rng(0))
    except GraphFSAError:
        return False
    return True


def _is_divided(grab: Grab, size: int) -> bool:
    """Whether zones of graphs of this size are told apart: not where the family has none, or hardly any, with slots."""
    try:
        return divided(grab, size)
    except GraphFSAError:
        return False


def _check_covering(truth: GraphFSA) -> None:
    """Raise if looking for graphs that show each entry of a truth would take too long."""
    entries = truth.num_values * (truth.num_states - len(truth.final_states))
    if entries > _MAX_COVERED:
        raise GraphFSAError(
            f"covering needs a truth of at most {_MAX_COVERED} entries that are not final; this one has {entries}. "
            "Fewer states, slots or thresholds, or a smaller bound would help"
        )


def _draw_part(
    config: GrabConfig, part: Part, rng: np.random.Generator, choose: Callable[[Examples], Any]
) -> tuple[Examples, float]:
    """The graphs of a split, and the share of the drawn graphs that were kept."""
    grab = replace(config.grab, keep=part.keep)
    if part.family is not None:
        # The truth stays what it is: its slots do not follow from the other family.
        grab = replace(grab, family=part.family, slots=config.grab.graphs.slots)
    found: list[Examples] = []
    drawn = 0.0
    for size, count in Split(tuple((size, 0) for size in part.sizes)).resized(None, part.count).parts:
        examples, rate = grab.draw(size, count, rng, steps=part.steps, choose=choose)
        found.append(examples)
        drawn += count / rate
    return Examples.concatenate(found), part.count / drawn


def grab_facts(directory: PathLike) -> dict[str, Any]:
    """What there is to say about a benchmark on disk, as JSON values: see :meth:`GrabData.facts`."""
    stored = load_data(directory)
    if stored.truth is None:
        raise GraphFSAError(f"{directory}: the manifest must hold the truth; it is not a benchmark of GRAB")
    manifest = stored.manifest
    acceptance = {name: entry.get("acceptance") for name, entry in manifest["splits"].items()}
    splits = ((name, stored.split(name)) for name in stored.names)
    return benchmark_facts(manifest["digest"], manifest["seed"], stored.truth, splits, acceptance, manifest["notes"])


def describe_grab(directory: PathLike) -> str:
    """What there is to say about a benchmark on disk, as text for people: see :meth:`GrabData.describe`."""
    return described(grab_facts(directory))
