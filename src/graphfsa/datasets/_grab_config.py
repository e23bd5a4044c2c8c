"""Every choice of a benchmark of GRAB as data, and the named ones: five of the paper, and one for each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphfsa.checks import check_integer, is_integer, shown
from graphfsa.datasets._grab_graphs import BOARDS, FAMILIES, GraphFamily
from graphfsa.datasets.grab import Grab, usual_steps
from graphfsa.errors import GraphFSAError, UnknownNameError

_SIZES = ((10, 15), (20, 25), (50, 60), (100, 110))
_BOARD_SIZES = ((625, 30), (1600, 45), (2500, 65))
SPLIT_CHOICES = (
    "sizes",
    "count",
    "steps",
    "keep",
    "validation_count",
    "ood_family",
    "ood_count",
    "test_sizes",
    "test_count",
    "test_steps",
    "test_keep",
)
"""What may be chosen about the splits."""


@dataclass(frozen=True)
class Part:
    """One split: a number of graphs of some sizes, and the steps after which their labels hold.

    Attributes:
        sizes: Numbers of nodes.
        count: Number of graphs, which all sizes share equally.
        steps: Steps of the truth.
        keep: Percentage of nodes that must end in a final state.
        family: The family; None for that of the configuration.
    """

    sizes: tuple[int, ...]
    count: int
    steps: int
    keep: int = 100
    family: str | None = None

    def __post_init__(self) -> None:
        if not self.sizes or len(set(self.sizes)) < len(self.sizes):
            raise GraphFSAError(f"the sizes of a split must be distinct, and at least one; got {shown(self.sizes)}")
        for size in self.sizes:
            check_integer("the size of a graph", size, 1)
        check_integer("the number of graphs of a split", self.count, len(self.sizes))
        check_integer("steps", self.steps, 0)
        check_integer("keep", self.keep, 0, 100)

    def config(self) -> dict[str, Any]:
        """The split as JSON values."""
        return {**vars(self), "sizes": list(self.sizes)}


@dataclass(frozen=True)
class GrabConfig:
    """Every choice of a benchmark but its seed: a truth with its family, and the splits to draw.

    Attributes:
        grab: The truth and the family.
        parts: The splits by name: ``train``, ``validation``, ``ood`` (the same sizes, another family) and one for each
            size to extrapolate to.
    """

    grab: Grab
    parts: dict[str, Part] = field(default_factory=dict[str, Part])

    def config(self) -> dict[str, Any]:
        """The configuration as JSON values."""
        return {"grab": self.grab.options(), "parts": {name: part.config() for name, part in self.parts.items()}}

    def with_choices(self, choices: Mapping[str, Any]) -> GrabConfig:
        """The same with other choices, by name: options of :class:`Grab` and those of the splits.

        Raises:
            GraphFSAError: There is no such choice, and the message lists those that there are, or a value is not valid.
        """
        given = {key.replace("-", "_"): value for key, value in choices.items()}
        about_truth = {key: value for key, value in given.items() if key not in SPLIT_CHOICES}
        known = [key for key in self.grab.options() if key != "keep"]
        for key in about_truth:
            if key not in known:
                valid = ", ".join((*known, *SPLIT_CHOICES))
                raise GraphFSAError(f"unknown option {key!r} of grab; valid options: {valid}")
        grab = Grab.from_options({**self.grab.options(), **about_truth})
        return GrabConfig(grab, _parts(self.parts, given))


def standard_parts(family: str) -> dict[str, Part]:
    """The splits of the authors' scripts: 1000 + 100 + 100 graphs of 6 nodes, and larger ones to extrapolate to."""
    name = GraphFamily.parse(family).name
    size, other = (9, "tree") if name in BOARDS else (6, "erdos-renyi")
    other = {"erdos-renyi": "tree", "row": "ring", "ring": "row"}.get(name, other)
    sizes, count = (_BOARD_SIZES, 20) if name in BOARDS else (_SIZES, 100)
    return {
        "train": Part((size,), 1000, 10),
        "validation": Part((size,), 100, 10),
        "ood": Part((size,), 100, 10, family=other),
        **{f"n={n}": Part((n,), count, steps, keep=70) for n, steps in sizes},
    }


def grab_config_names() -> list[str]:
    """Names of all configurations: five truths on trees, and one for each family."""
    return [*(f"paper-{k}" for k in range(1, 6)), *FAMILIES]


def grab_config(name: str) -> GrabConfig:
    """A configuration by name, or that of a family with parameters, such as ``regular:degree=4``.

    ``paper-1`` to ``paper-5`` are five truths with 4 states and bound 1 on trees: the first five seeds. The paper does
    not publish its own truths.
    """
    if name.partition(":")[0] not in grab_config_names() or (name.startswith("paper-") and ":" in name):
        raise UnknownNameError("GRAB configuration", name, grab_config_names())
    if name.startswith("paper-"):
        return GrabConfig(Grab(truth_seed=int(name[6:]) - 1), standard_parts("tree"))
    return GrabConfig(Grab(family=name), standard_parts(name))


def _parts(usual: Mapping[str, Part], given: Mapping[str, Any]) -> dict[str, Part]:
    """The splits with what was chosen; all others are the usual ones."""
    near = usual["train"]
    sizes = _integers("sizes", given.get("sizes", near.sizes))
    steps = given.get("steps", near.steps if sizes == near.sizes else usual_steps(max(sizes, default=1)))
    keep = given.get("keep", near.keep)
    parts = {"train": Part(sizes, given.get("count", near.count), steps, keep)}
    for name in ("validation", "ood"):
        count = given.get(f"{name}_count", usual[name].count if name in usual else 0)
        family = given.get("ood_family", usual[name].family if name in usual else "none") if name == "ood" else None
        if count and family != "none":
            parts[name] = Part(sizes, count, steps, keep, family)
    return parts | _tests(usual, given, max(sizes))


def _tests(usual: Mapping[str, Part], given: Mapping[str, Any], largest: int) -> dict[str, Part]:
    """The splits to extrapolate to; the usual ones must be larger than the training graphs."""
    known = {part.sizes[0]: part for name, part in usual.items() if name.startswith("n=")}
    sizes = _integers("test_sizes", given.get("test_sizes", tuple(size for size in known if size > largest)))
    first = next(iter(known.values()), None)
    counts, steps = (_each(f"test_{name}", given.get(f"test_{name}"), sizes) for name in ("count", "steps"))
    tests: dict[str, Part] = {}
    for size, count, number in zip(sizes, counts, steps, strict=True):
        old = known.get(size, first)
        own = known[size].steps if size in known else usual_steps(size)
        tests[f"n={size}"] = Part(
            (size,),
            count if count is not None else 100 if old is None else old.count,
            own if number is None else number,
            given.get("test_keep", 70 if old is None else old.keep),
        )
    return tests


def _integers(name: str, given: Any) -> tuple[int, ...]:
    """One integer or several, as a tuple."""
    values: Any = [given] if is_integer(given) else given
    if isinstance(values, str) or not isinstance(values, Sequence) or not all(is_integer(value) for value in values):
        raise GraphFSAError(f"{name} must be an integer or a list of integers; got {shown(given)}")
    return tuple(int(value) for value in values)


def _each(name: str, given: Any, sizes: tuple[int, ...]) -> tuple[int | None, ...]:
    """One value for each size, from one value for all or a list."""
    if given is None:
        return (None,) * len(sizes)
    values = _integers(name, given)
    if len(values) not in (1, len(sizes)):
        raise GraphFSAError(f"{name} must be one number, or one for each of the {len(sizes)} sizes; got {len(values)}")
    return values * len(sizes) if len(values) == 1 else values
