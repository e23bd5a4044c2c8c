"""From numbers to input classes: small decision trees whose cuts were found in data.

A node whose features are numbers needs a starting state. A ``Discretiser`` gives it an input class by thresholds, one
small tree for each input that the data give beside the features. It is frozen, and checked when it is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import MAX_STATES
from graphfsa.checks import shorten, shown
from graphfsa.errors import FormatError, GraphError, GraphFSAError, StateError
from graphfsa.fields import Field, read_fields
from graphfsa.graphs import Graph

ONE_INPUT = "node"
"""The input of all nodes, where data give features and nothing beside them."""
MAX_FEATURES = 1000
MAX_DEPTH = 32
MAX_CUTS = 1000


@dataclass(frozen=True)
class Cut:
    """A question to one feature: is it above a threshold?

    Attributes:
        feature: Number of the feature.
        at: The threshold. A value that is equal to it is below.
        low: What comes of values up to the threshold: the number of an input class, or a further cut.
        high: What comes of values above it.
        gap: Every threshold from the first to below the second fits the data as well.
    """

    feature: int
    at: float
    low: Tree
    high: Tree
    gap: tuple[float, float]


Tree = int | Cut


@dataclass(frozen=True)
class Discretiser:
    """Input classes of nodes from their features, and from their inputs if the data give any.

    Attributes:
        features: Name of each feature.
        names: Name of each input class that comes of it.
        trees: For each input that the data give, a tree whose leaves are numbers of classes.
        given: Name of each input that the data give; one alone if they give features only.

    Example:
        >>> warm = Discretiser(("x",), ("cold", "hot"), (Cut(0, 0.37, 0, 1, (0.35, 0.39)),))
        >>> warm.classes([[0.2], [0.37], [0.5]]).tolist()
        [0, 0, 1]
        >>> print(warm)
        cold if x <= 0.37
        hot if x > 0.37
    """

    features: tuple[str, ...]
    names: tuple[str, ...]
    trees: tuple[Tree, ...]
    given: tuple[str, ...] = (ONE_INPUT,)

    def __post_init__(self) -> None:
        for what, names, most in (
            ("features", self.features, MAX_FEATURES),
            ("input classes", self.names, MAX_STATES),
            ("inputs", self.given, MAX_STATES),
        ):
            right = 1 <= len(names) <= most and all(isinstance(name, str) for name in names)
            if not right or len(set(names)) != len(names):
                raise GraphFSAError(
                    f"the {what} of a discretiser must be 1 to {most} distinct names; got {shown(names)}"
                )
        check_feature_names(self.features)
        if len(self.trees) != len(self.given):
            raise GraphFSAError(
                f"a discretiser must have a tree for each input, {len(self.given)}; got {len(self.trees)}"
            )
        used = {leaf for tree in self.trees for leaf in self._checked(tree, 0)}
        unused = set(range(len(self.names))) - used
        if unused:
            raise GraphFSAError(f"no leaf of the discretiser is the input class {self.names[min(unused)]!r}")
        if len(self.cuts) > MAX_CUTS:
            raise GraphFSAError(f"a discretiser must have at most {MAX_CUTS} cuts; got {len(self.cuts)}")

    def _checked(self, tree: Any, depth: int) -> Iterator[int]:
        """The leaves of a tree, checked."""
        if depth > MAX_DEPTH:
            raise GraphFSAError(f"the tree of a discretiser must have at most {MAX_DEPTH} cuts above each other")
        if isinstance(tree, Cut):
            if type(tree.feature) is not int or not 0 <= tree.feature < len(self.features):
                least = f"from 0 to {len(self.features) - 1}"
                raise GraphFSAError(f"the feature of a cut must be an integer {least}; got {shown(tree.feature)}")
            low, high = tree.gap
            if not all(isfinite(number) for number in (tree.at, low, high)) or not low <= tree.at < high:
                raise GraphFSAError(
                    f"a cut must be a finite number within its gap, at least {low} and below {high}; got {tree.at}"
                )
            yield from self._checked(tree.low, depth + 1)
            yield from self._checked(tree.high, depth + 1)
            return
        if type(tree) is not int or not 0 <= tree < len(self.names):
            raise GraphFSAError(
                f"a leaf of a discretiser must be an integer from 0 to {len(self.names) - 1}; got {shown(tree)}"
            )
        yield tree

    # ---- what it answers

    def classes(self, features: Any, inputs: Any = None) -> Array:
        """The input class of each node, uint8.

        Args:
            features: The features, [number of nodes, number of features].
            inputs: The number of the input that the data give each node; by default the first.
        """
        values = check_features(features, self.features)
        given = np.zeros(len(values), np.uint8) if inputs is None else np.asarray(inputs)
        found = np.empty(len(values), np.uint8)
        for number, tree in enumerate(self.trees):
            nodes = np.flatnonzero(given == number)
            found[nodes] = _leaves(tree, values[nodes])
        return found

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts of all trees, each from the top."""
        found: list[Cut] = []
        waiting: list[Tree] = list(reversed(self.trees))
        while waiting:
            tree = waiting.pop()
            if isinstance(tree, Cut):
                found.append(tree)
                waiting += [tree.high, tree.low]
        return tuple(found)

    def renamed(self, names: Sequence[str], numbers: Sequence[int] | None = None) -> Discretiser:
        """The same with other names of the input classes.

        Args:
            names: The names.
            numbers: For each class of this discretiser the number of its new name; by default the same.
        """
        order = range(len(self.names)) if numbers is None else numbers
        return replace(self, names=tuple(names), trees=tuple(_numbered(tree, order) for tree in self.trees))

    # ---- what it looks like

    def words(self) -> dict[str, str]:
        """For each input class, which nodes it is of: ``{"hot": "x > 0.37"}``."""
        parts: dict[int, list[str]] = {number: [] for number in range(len(self.names))}
        for given, tree in zip(self.given, self.trees, strict=True):
            for leaf, bounds in _paths(tree, {}):
                conditions = [f"the input is {given}"] if len(self.given) > 1 else []
                conditions += [_between(self.features[feature], *bounds[feature]) for feature in sorted(bounds)]
                parts[leaf].append(" and ".join(conditions) or "always")
        return {name: " or ".join(parts[number]) for number, name in enumerate(self.names)}

    def __str__(self) -> str:
        """A line for each input class: ``hot if x > 0.37``."""
        lines = (name if when == "always" else f"{name} if {when}" for name, when in self.words().items())
        return "\n".join(lines)

    def gaps(self) -> list[str]:
        """For each threshold, what else would fit the data as well: ``x: 0.37, from 0.351 to below 0.389``."""
        found: dict[str, None] = {}
        for cut in self.cuts:
            low, high = cut.gap
            found[f"{self.features[cut.feature]}: {_number(cut)}, from {low:.6g} to below {high:.6g}"] = None
        return list(found)

    # ---- files

    def config(self) -> dict[str, Any]:
        """It as JSON values; ``Discretiser.from_config`` reads it back."""
        return {
            "features": list(self.features),
            "inputs": list(self.given),
            "classes": list(self.names),
            "trees": [_tree_config(tree) for tree in self.trees],
        }

    @classmethod
    def from_config(cls, config: Any, where: str = "discretiser") -> Discretiser:
        """Build it from what ``config`` returned.

        Args:
            config: What the parser returned.
            where: Where it was read, for errors.

        Raises:
            FormatError: It is malformed.
        """
        names = Field(list, least=1, items=Field(str))
        fields = {"features": names, "inputs": names, "classes": names, "trees": Field(list, least=1)}
        read = read_fields(config, fields, where)
        trees = tuple(_read_tree(tree, f"{where}: trees[{place}]", 0) for place, tree in enumerate(read["trees"]))
        try:
            return cls(tuple(read["features"]), tuple(read["classes"]), trees, tuple(read["inputs"]))
        except GraphFSAError as error:
            raise FormatError(f"{where}: {error}") from None


def check_feature_names(names: Sequence[Any]) -> None:
    """Raise unless names can stand in words, as names of states must: input classes are called after features."""
    for name in names:
        if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
            raise GraphFSAError(f"the name of a feature must be printable, without blanks at its ends; got {name!r}")


def check_features(given: Any, names: Sequence[str]) -> Array:
    """Features as a fresh float64 array [number of nodes, number of features].

    Args:
        given: An array, a tensor or lists, [nodes, features] or, with one feature, [nodes].
        names: Name of each feature.

    Raises:
        GraphFSAError: It has another shape, or a number is not finite.
    """
    try:
        array = np.array(given.detach().cpu() if hasattr(given, "detach") else given)
    except (ValueError, TypeError):
        array = np.array("")
    if array.ndim == 1 and len(names) == 1:
        array = array[:, None]
    if array.ndim == 1 and not array.size:
        array = array.reshape(0, len(names))
    if array.ndim != 2 or array.shape[1] != len(names):
        wanted = f"{len(names)} number{'s' * (len(names) > 1)} for each node ({shorten(', '.join(names), 200)})"
        raise GraphFSAError(f"features must be {wanted}; got {_shape_words(array)}")
    if array.size and array.dtype.kind not in "iufb":
        raise GraphFSAError("features must be numbers; got something else")
    values = array.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        node, feature = wrong[0].tolist()
        raise GraphFSAError(
            f"feature {names[feature]!r} of node {node} must be a finite number; got {values[node, feature]}"
        )
    return values


def node_features(names: Sequence[str], graph: Graph, given: Any, default: Any = None) -> Array:
    """The features of each node of a graph, float64 [number of nodes, number of features].

    Args:
        names: Name of each feature.
        graph: The graph.
        given: As for :func:`check_features`; or a dict from node to its number, its numbers in order, or a dict of them
            by name.
        default: With a dict by node: the features of the nodes that it leaves out.

    Raises:
        StateError: A node has no features, or there is no such node.
        GraphFSAError: A feature is no finite number, or there are too many or too few.
    """
    if not isinstance(given, Mapping):
        if default is not None:
            raise StateError("default goes with features that are a dict")
        values = check_features(given, names)
        if len(values) != graph.num_nodes:
            raise StateError(f"features must have one row per node, {graph.num_nodes}; got {len(values)}")
        return values
    rows: list[Any] = [None if default is None else _row(default, names, "default")] * graph.num_nodes
    for name, row in given.items():
        try:
            rows[graph.node_index(name)] = _row(row, names, f"node {shown(name)}")
        except GraphError as error:
            raise StateError(f"features: {error}") from None
    for node, row in enumerate(rows):
        if row is None:
            name = node if graph.node_names is None else graph.node_names[node]
            raise StateError(f"features must be given for every node, or a default; node {shown(name)} has none")
    return check_features(np.array(rows).reshape(len(rows), len(names)), names)


def _row(given: Any, names: Sequence[str], where: str) -> list[Any]:
    """The features of one node, in order."""
    if isinstance(given, Mapping):
        if set(given) != set(names):
            raise StateError(f"features of {where} must be {', '.join(names)}; got {shown(list(given))}")
        given = [given[name] for name in names]
    row = list(given) if isinstance(given, list | tuple | np.ndarray) else [given]
    right = all(isinstance(value, bool | int | float | np.number) for value in row)
    if len(row) != len(names) or not right:
        raise StateError(
            f"features of {where} must be {len(names)} number{'s' * (len(names) > 1)} ({', '.join(names)}); "
            f"got {shown(given)}"
        )
    return row


def _shape_words(array: Array) -> str:
    return f"shape {list(array.shape)}" if array.dtype.kind in "iufb" else "something that is no array of numbers"


def _leaves(tree: Tree, values: Array) -> Array:
    """The leaf that each row comes to, uint8."""
    if not isinstance(tree, Cut):
        return np.full(len(values), tree, np.uint8)
    high = values[:, tree.feature] > tree.at
    found = np.empty(len(values), np.uint8)
    found[high], found[~high] = _leaves(tree.high, values[high]), _leaves(tree.low, values[~high])
    return found


def _numbered(tree: Tree, numbers: Sequence[int]) -> Tree:
    if isinstance(tree, Cut):
        return replace(tree, low=_numbered(tree.low, numbers), high=_numbered(tree.high, numbers))
    return numbers[tree]


Bounds = dict[int, tuple["Cut | None", "Cut | None"]]


def _paths(tree: Tree, bounds: Bounds) -> Iterator[tuple[int, Bounds]]:
    """Each leaf, with the cuts that its values of each feature are above and below."""
    if not isinstance(tree, Cut):
        yield tree, bounds
        return
    above, below = bounds.get(tree.feature, (None, None))
    nearest = tree if below is None or tree.at < below.at else below
    yield from _paths(tree.low, bounds | {tree.feature: (above, nearest)})
    nearest = tree if above is None or tree.at > above.at else above
    yield from _paths(tree.high, bounds | {tree.feature: (nearest, below)})


def _between(name: str, above: Cut | None, below: Cut | None) -> str:
    if above is not None and below is not None:
        return f"{_number(above)} < {name} <= {_number(below)}"
    return f"{name} > {_number(above)}" if above is not None else f"{name} <= {_number(below)}"


def _number(cut: Cut | None) -> str:
    """A threshold in as few digits as say where it is within its gap."""
    assert cut is not None
    low, high = cut.gap
    for digits in range(1, 17):
        text = f"{cut.at:.{digits}g}"
        if low <= float(text) < high and abs(float(text) - cut.at) <= 0.05 * min(high - low, inf):
            return text
    return repr(cut.at)


def _tree_config(tree: Tree) -> Any:
    if not isinstance(tree, Cut):
        return tree
    parts = {"low": _tree_config(tree.low), "high": _tree_config(tree.high)}
    return {"feature": tree.feature, "cut": tree.at, "gap": list(tree.gap), **parts}


def _read_tree(data: Any, where: str, depth: int) -> Tree:
    if type(data) is int:
        return data
    if depth > MAX_DEPTH:
        raise FormatError(f"{where}: must have at most {MAX_DEPTH} cuts above each other")
    if not isinstance(data, Mapping):
        raise FormatError(f"{where}: must be the number of an input class, or a cut; got {shown(data)}")
    tree = Field((dict, int))
    gap = Field(list, least=2, most=2, items=Field(float))
    fields = {"feature": Field(int, least=0), "cut": Field(float), "gap": gap, "low": tree, "high": tree}
    read = read_fields(data, fields, where)
    low, high = (_read_tree(read[side], f"{where}.{side}", depth + 1) for side in ("low", "high"))
    return Cut(read["feature"], float(read["cut"]), low, high, (float(read["gap"][0]), float(read["gap"][1])))
