"""Aggregations: how a node sees its neighbours. Every public module here is one plug-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphfsa.aggregations._base import Aggregation, Counts, check_value, mixed_radix
from graphfsa.aggregations._features import Census, Features, Grade, Part, Share, digit_columns
from graphfsa.aggregations._sums import Sum, Tally
from graphfsa.aggregations.average_threshold import AverageThresholdAggregation
from graphfsa.aggregations.counting import CountingAggregation
from graphfsa.aggregations.letters import LettersAggregation
from graphfsa.aggregations.positional import PositionalAggregation
from graphfsa.aggregations.product import ProductAggregation
from graphfsa.aggregations.relations import RelationsAggregation
from graphfsa.aggregations.weighted_sum import WeightedSumAggregation
from graphfsa.checks import shown
from graphfsa.errors import AutomatonError, FormatError, UnknownNameError
from graphfsa.plugins import find_plugin, plugin_file, plugin_names

__all__ = [
    "Aggregation",
    "AverageThresholdAggregation",
    "Census",
    "CountingAggregation",
    "Counts",
    "Features",
    "Grade",
    "LettersAggregation",
    "Part",
    "PositionalAggregation",
    "ProductAggregation",
    "RelationsAggregation",
    "Share",
    "Sum",
    "Tally",
    "WeightedSumAggregation",
    "aggregation_class",
    "aggregation_config",
    "aggregation_from_config",
    "aggregation_names",
    "check_value",
    "digit_columns",
    "mixed_radix",
]


def aggregation_names() -> list[str]:
    """Names of all aggregations."""
    return plugin_names(Aggregation)


def aggregation_class(name: str) -> type[Aggregation]:
    """The class of the aggregation with a given name."""
    return find_plugin(Aggregation, name)


def aggregation_config(aggregation: Aggregation) -> dict[str, Any]:
    """What a file says about an aggregation: its name and fields and, for one of your own, its class and its file.

    Only the name of the file is kept, for messages: reading never runs code that a file names.

    Raises:
        AutomatonError: ``aggregation_from_config`` could not give it back: another class has its name.
    """
    kind = type(aggregation)
    fields = aggregation.config()
    name = fields.pop("name")
    if kind.__module__.startswith("graphfsa.aggregations."):
        return {"name": name, **fields}
    if aggregation_class(name) is not kind:
        raise AutomatonError(
            f"{kind.__name__} can't be saved: another aggregation is called {name!r}; give it a class attribute 'name' "
            "of its own, or build the automaton again if the class was defined twice"
        )
    if "file" in fields:
        raise AutomatonError(f"a field of an aggregation must not be called 'file'; {kind.__name__} has one")
    file = plugin_file(kind)
    home = {} if file is None or not file.is_file() else {"file": file.name}
    return {"name": name, **home, "class": kind.__name__, **fields}


def aggregation_from_config(config: Mapping[str, Any]) -> Aggregation:
    """Build an aggregation from what ``aggregation_config`` or its ``config`` method returned.

    The class must be known: built in, imported, or announced by an installed package.

    Raises:
        UnknownNameError: There is no aggregation of this name.
        FormatError: It is of a class that is not known here, or its fields do not fit.
    """
    fields = dict(config)
    name = fields.pop("name", None)
    if not isinstance(name, str):
        raise FormatError(f"aggregation must have a name; got {shown(name)}")
    if ":" in name:  # It would name a file to run; what a file says must never do that.
        raise FormatError(f"the name of an aggregation must have no colon; got {shown(name)}")
    if "class" not in fields:
        return aggregation_class(name).from_config(fields)
    class_name, file = fields.pop("class"), fields.pop("file", None)
    if not isinstance(class_name, str) or not isinstance(file, str | None):
        raise FormatError(f"class and file of an aggregation must be strings; got {shown(class_name)}, {shown(file)}")
    try:
        kind = aggregation_class(name)
    except UnknownNameError:
        raise FormatError(_how_to_find(name, class_name, file)) from None
    if kind.__name__ != class_name:
        raise FormatError(f"the aggregation {name!r} must be the class {class_name}; here it is {kind.__name__}")
    return kind.from_config(fields)


def _how_to_find(name: str, class_name: str, file: str | None) -> str:
    if file is None:
        return f"the aggregation {name!r} is not known here: define its class {class_name} first"
    return (
        f"the aggregation {shown(name)} is not known here; it was defined in {file}: import that file first, "
        f"or put --plugin {file} before the command: graphfsa --plugin {file} COMMAND ..."
    )
