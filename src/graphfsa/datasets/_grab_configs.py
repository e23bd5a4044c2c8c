"""Named configurations of GRAB, and the making of all splits of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from graphfsa.datasets._covering import cover
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._grab_graphs import FAMILIES
from graphfsa.datasets._zones import divided, in_zone
from graphfsa.datasets.grab import Grab
from graphfsa.errors import GraphFSAError, UnknownNameError

_SIZES = ((10, 15), (20, 25), (50, 60), (100, 110))
_BOARD_SIZES = ((625, 30), (1600, 45), (2500, 65))
_BOARDS = ("grid", "moore", "hex")


@dataclass(frozen=True)
class Part:
    """One split: so many graphs of a size, labelled after so many steps.

    Attributes:
        size: Number of nodes.
        count: Number of graphs.
        steps: Steps of the truth.
        keep: Percentage of nodes that must end in a final state.
        family: Another family than that of the configuration, if any.
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
        unseen: Entries (state, value) of the truth that no graph was found to visit; None if not asked for.
    """

    config: GrabConfig
    seed: int
    splits: dict[str, Examples]
    acceptance: dict[str, float]
    divided: bool
    unseen: list[tuple[int, int]] | None = None


def generate_grab(
    config: GrabConfig, seed: int, *, covering: bool = False, progress: Callable[[str], None] | None = None
) -> GrabData:
    """Draw all splits; each has a source of randomness of its own.

    Args:
        config: What to draw.
        seed: Seed of the graphs and starting states (the truth has its own, in the configuration).
        covering: Whether to add small graphs to the training split until it visits every entry, and any change of one
            entry would show in a label, as far as such graphs can be found.
        progress: Called with the name of each split before it is drawn.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphFSAError(f"seed must be a whole number of at least 0; got {seed!r}")
    *children, for_cover = np.random.default_rng(seed).spawn(len(config.parts) + 1)
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
    unseen = None
    if covering:
        keep = (lambda found: in_zone(found, "train") | ~np.isin(found.sizes, [*trained])) if zoned else None
        splits["train"], unseen = cover(config.grab, splits["train"], for_cover, keep)
    return GrabData(config, seed, splits, acceptance, zoned, unseen)
