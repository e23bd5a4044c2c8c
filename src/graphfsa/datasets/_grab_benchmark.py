"""Named configurations of GRAB, all splits of one, and what there is to say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_seed
from graphfsa.datasets._covering import cover
from graphfsa.datasets._drawing import divided, in_zone
from graphfsa.datasets._examples import Examples, visited
from graphfsa.datasets._grab_graphs import FAMILIES
from graphfsa.datasets._hygiene import overlap
from graphfsa.datasets._storage import StoredData, data_digest, load_data, save_data
from graphfsa.datasets.grab import Grab
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.files import PathLike

_SIZES = ((10, 15), (20, 25), (50, 60), (100, 110))
_BOARD_SIZES = ((625, 30), (1600, 45), (2500, 65))
_BOARDS = ("grid", "moore", "hex")


@dataclass(frozen=True)
class Part:
    """One split: a number of graphs of a size, and the steps after which their labels hold.

    Attributes:
        size: Number of nodes.
        count: Number of graphs.
        steps: Steps of the truth.
        keep: Percentage of nodes that must end in a final state.
        family: The family; None for that of the configuration.
    """

    size: int
    count: int
    steps: int
    keep: int = 100
    family: str | None = None


@dataclass(frozen=True)
class GrabConfig:
    """A truth with its family, and the splits to draw.

    Attributes:
        grab: The truth and the family.
        parts: The splits by name: ``train``, ``validation``, ``ood`` (the same size, another family) and one for each
            size to extrapolate to.
    """

    grab: Grab
    parts: dict[str, Part] = field(default_factory=dict[str, Part])

    def config(self) -> dict[str, Any]:
        """The configuration as JSON values."""
        return {"grab": self.grab.options(), "parts": {name: vars(part) for name, part in self.parts.items()}}


def standard_parts(family: str) -> dict[str, Part]:
    """The splits of the authors' scripts: 1000 + 100 + 100 graphs of 6 nodes, and larger ones to extrapolate to."""
    size, other = (9, "tree") if family in _BOARDS else (6, "erdos-renyi")
    other = {"erdos-renyi": "tree", "row": "ring", "ring": "row"}.get(family, other)
    sizes, count = (_BOARD_SIZES, 20) if family in _BOARDS else (_SIZES, 100)
    return {
        "train": Part(size, 1000, 10),
        "validation": Part(size, 100, 10),
        "ood": Part(size, 100, 10, family=other),
        **{f"n={n}": Part(n, count, steps, keep=70) for n, steps in sizes},
    }


def grab_config_names() -> list[str]:
    """Names of all configurations: five truths on trees, and one for each family."""
    return [*(f"paper-{k}" for k in range(1, 6)), *FAMILIES]


def grab_config(name: str) -> GrabConfig:
    """A configuration by name.

    ``paper-1`` to ``paper-5`` are five truths with 4 states and bound 1 on trees: the first five seeds. The paper does
    not publish its own truths.
    """
    if name not in grab_config_names():
        raise UnknownNameError("GRAB configuration", name, grab_config_names())
    if name.startswith("paper-"):
        return GrabConfig(Grab(truth_seed=int(name[6:]) - 1), standard_parts("tree"))
    return GrabConfig(Grab(family=name), standard_parts(name))


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
        return notes + [
            f"no graph was found in which a node in {names[state]} sees: {decode(value, names)}"
            for state, value in self.unseen
        ]

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
        )

    def facts(self) -> dict[str, Any]:
        """Coverage of the truth table, acceptance, class balance, sizes and overlaps of the splits, as JSON values."""
        return _facts(self.digest, self.seed, self.truth, self.splits.items(), self.acceptance, self.notes)

    def describe(self) -> str:
        """The same as text for people."""
        return _described(self.facts())

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
    **options: Any,
) -> GrabData:
    """Make a benchmark of GRAB: draw a truth, then all splits.

    Args:
        config: ``paper-1`` to ``paper-5``, the name of a family, or a configuration.
        family: Instead of the configuration: family of the graphs.
        seed: Seed of the graphs and starting states.
        covering: Whether to add small graphs to the training split until it visits every entry of the truth, and any
            change of one entry would show in a label, as far as such graphs can be found.
        out: A directory to write everything to; it is made.
        progress: Called with the name of each split before it is drawn.
        options: Options of the truth: ``num_states``, ``num_starting``, ``num_final``, ``aggregation``, ``bound``,
            ``truth``, ``truth_seed``.

    Raises:
        UnknownNameError: There is no such configuration.
        GraphFSAError: An option is not valid, or the truth can't fill a split.

    Example:
        >>> data = grab("paper-1", seed=0)
        >>> data.splits["train"], data.truth.state_names
        (Examples(grab: 1000 graphs, 6000 nodes), ('f0', 'f1', 's0', 's1'))
    """
    if (config is None) == (family is None):
        raise GraphFSAError("give either the name of a configuration or a family")
    base = config if isinstance(config, GrabConfig) else grab_config(config or family or "")
    if "keep" in options:
        raise GraphFSAError("option keep can't be set here: it belongs to each split")
    if options:
        given = {key.replace("-", "_"): value for key, value in options.items()}
        base = replace(base, grab=Grab.from_options({**base.grab.options(), **given}))
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
    *children, for_cover = np.random.default_rng(check_seed(seed)).spawn(len(config.parts) + 1)
    trained = {part.size for name, part in config.parts.items() if name == "train"}
    zoned = all(divided(replace(config.grab, keep=0), size) for size in trained)
    splits: dict[str, Examples] = {}
    acceptance: dict[str, float] = {}
    for (name, part), rng in zip(config.parts.items(), children, strict=True):
        if progress is not None:
            progress(name)
        grab = replace(config.grab, keep=part.keep, family=part.family or config.grab.family)
        choose = (
            partial(in_zone, zone="train" if name == "train" else "test") if part.size in trained and zoned else None
        )
        splits[name], acceptance[name] = grab.draw(part.size, part.count, rng, steps=part.steps, choose=choose)
    unseen: list[tuple[int, int]] = []
    if covering:
        keep = (lambda found: in_zone(found, "train") | ~np.isin(found.sizes, [*trained])) if zoned else None
        splits["train"], unseen = cover(config.grab, splits["train"], for_cover, keep)
    return GrabData(config, int(seed), splits, acceptance, zoned, covering, unseen)


def grab_facts(directory: PathLike) -> dict[str, Any]:
    """What there is to say about a benchmark on disk, as JSON values: see :meth:`GrabData.facts`."""
    stored = load_data(directory)
    if stored.truth is None:
        raise GraphFSAError(f"{directory}: the manifest must hold the truth; it is not a benchmark of GRAB")
    manifest = stored.manifest
    acceptance = {name: entry.get("acceptance") for name, entry in manifest["splits"].items()}
    splits = ((name, stored.split(name)) for name in stored.names)
    return _facts(manifest["digest"], manifest["seed"], stored.truth, splits, acceptance, manifest["notes"])


def describe_grab(directory: PathLike) -> str:
    """What there is to say about a benchmark on disk, as text for people: see :meth:`GrabData.describe`."""
    return _described(grab_facts(directory))


def _facts(
    digest: str,
    seed: int,
    truth: GraphFSA,
    splits: Iterable[tuple[str, Examples]],
    acceptance: Mapping[str, Any],
    notes: list[str],
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    train = None
    for name, examples in splits:
        train = examples if name == "train" else train
        counted = np.bincount(examples.labels[examples.mask], minlength=len(examples.task.classes))
        shares = (counted / max(1, counted.sum())).tolist()
        rate = acceptance.get(name)
        found[name] = {
            "graphs": len(examples),
            "sizes": np.unique(examples.sizes).tolist(),
            "acceptance": float(rate) if isinstance(rate, int | float) and 0 <= rate <= 1 else None,
            "classes": dict(zip(examples.task.classes, shares, strict=True)),
            "entries": int(np.delete(visited(truth, examples), truth.final_states, axis=0).sum()),
            "overlap": 0 if train is None or train is examples else int(overlap(train, examples).sum()),
        }
    total = truth.num_values * (truth.num_states - len(truth.final_states))
    return {
        "digest": digest,
        "seed": seed,
        "truth": truth.digest,
        "entries": total,
        "splits": found,
        "notes": notes,
    }


def _described(facts: Mapping[str, Any]) -> str:
    rows = {"digest": facts["digest"], "seed": facts["seed"], "entries of the truth": f"{facts['entries']} not final"}
    width = max(map(len, rows))
    lines = [f"{name:<{width}}  {value}" for name, value in rows.items()]
    lines += ["", f"{'split':<12}{'graphs':>8}{'nodes':>8}{'kept':>8}{'entries':>9}{'overlap':>9}  classes"]
    for name, split in facts["splits"].items():
        balance = ", ".join(f"{label} {share:.0%}" for label, share in split["classes"].items())
        kept = "-" if split["acceptance"] is None else f"{split['acceptance']:.1%}"
        sizes = "-".join(str(size) for size in sorted({split["sizes"][0], split["sizes"][-1]}))
        numbers = f"{split['graphs']:>8}{sizes:>8}{kept:>8}{split['entries']:>9}{split['overlap']:>9}"
        lines.append(f"{name:<12}{numbers}  {balance}")
    return "\n".join([*lines, *(f"note: {note}" for note in facts["notes"])])
