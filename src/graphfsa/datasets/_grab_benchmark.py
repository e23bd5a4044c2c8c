"""GRAB as one call: all splits of a configuration, what there is to say about them, and where they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_seed
from graphfsa.datasets._base import Split
from graphfsa.datasets._covering import cover
from graphfsa.datasets._drawing import Zone, divided, in_zone
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._grab_config import GrabConfig, Part, grab_config
from graphfsa.datasets._grab_facts import benchmark_facts, data_card, described
from graphfsa.datasets._storage import StoredData, data_digest, load_data, save_data
from graphfsa.errors import GraphFSAError
from graphfsa.files import PathLike

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
        divided: Whether training graphs and the others of their size come from different zones.
        covering: Whether small graphs were added to the training split to cover the truth.
        unseen: Entries (state, value) of the truth for which no graph was found that visits them, if that was asked.
    """

    config: GrabConfig
    seed: int
    splits: dict[str, Examples]
    acceptance: dict[str, float]
    divided: bool
    covering: bool = False
    unseen: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

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
        notes = [] if self.divided else ["the domain is too small to be divided: validation shares graphs with train"]
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
        return {**self.config.config(), "covering": self.covering}


def grab(
    config: str | GrabConfig | None = None,
    *,
    family: str | None = None,
    seed: int = 0,
    covering: bool = False,
    out: PathLike | None = None,
    progress: Callable[[str], None] | None = None,
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
    data = generate_grab(base, seed, covering=covering, progress=progress)
    if out is not None:
        data.save(out)
    return data


def generate_grab(
    config: GrabConfig, seed: int, *, covering: bool = False, progress: Callable[[str], None] | None = None
) -> GrabData:
    """Draw all splits of a configuration; each has a source of randomness of its own.

    Args:
        config: What to draw.
        seed: Seed of the graphs and starting states (the truth has its own, in the configuration).
        covering: As for :func:`grab`.
        progress: Called with the name of each split before it is drawn.
    """
    if covering:
        _check_covering(config.grab.automaton())
    *children, for_cover = np.random.default_rng(check_seed(seed)).spawn(len(config.parts) + 1)
    trained = {size for name, part in config.parts.items() if name == "train" for size in part.sizes}
    zoned = all(divided(replace(config.grab, keep=0), size) for size in trained)
    splits: dict[str, Examples] = {}
    acceptance: dict[str, float] = {}
    for (name, part), rng in zip(config.parts.items(), children, strict=True):
        if progress is not None:
            progress(name)
        zone = ("train" if name == "train" else "test") if zoned else None
        splits[name], acceptance[name] = _draw_part(config, part, rng, dict.fromkeys(trained, zone))
    unseen: list[tuple[int, int]] = []
    if covering:
        keep = (lambda found: in_zone(found, "train") | ~np.isin(found.sizes, [*trained])) if zoned else None
        splits["train"], unseen = cover(
            replace(config.grab, family=str(config.grab.graphs)), splits["train"], for_cover, keep
        )
    return GrabData(config, int(seed), splits, acceptance, zoned, covering, unseen)


def _check_covering(truth: GraphFSA) -> None:
    """Raise if looking for graphs that show each entry of a truth would take too long."""
    entries = truth.num_values * (truth.num_states - len(truth.final_states))
    if entries > _MAX_COVERED:
        raise GraphFSAError(
            f"covering needs a truth of at most {_MAX_COVERED} entries that are not final; this one has {entries}. "
            "Fewer states, slots or thresholds, or a smaller bound would help"
        )


def _draw_part(
    config: GrabConfig, part: Part, rng: np.random.Generator, zones: Mapping[int, Zone | None]
) -> tuple[Examples, float]:
    """The graphs of a split, and the share of the drawn graphs that were kept."""
    grab = replace(config.grab, keep=part.keep)
    if part.family is not None:
        # The truth stays what it is: its slots do not follow from the other family.
        grab = replace(grab, family=part.family, slots=config.grab.graphs.slots)
    found: list[Examples] = []
    drawn = 0.0
    for size, count in Split(tuple((size, 0) for size in part.sizes)).resized(None, part.count).parts:
        zone = zones.get(size)
        choose = None if zone is None else partial(in_zone, zone=zone)
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
