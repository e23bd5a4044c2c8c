"""Aggregations: how a node sees its neighbours. Every public module here is one plug-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphfsa._registry import load_plugin, plugin_names
from graphfsa.aggregations._base import Aggregation, Counts
from graphfsa.aggregations.average_threshold import AverageThresholdAggregation
from graphfsa.aggregations.counting import CountingAggregation
from graphfsa.aggregations.positional import PositionalAggregation
from graphfsa.errors import AutomatonError, FormatError

__all__ = [
    "Aggregation",
    "AverageThresholdAggregation",
    "CountingAggregation",
    "Counts",
    "PositionalAggregation",
    "aggregation_class",
    "aggregation_from_config",
    "aggregation_names",
]


def aggregation_names() -> list[str]:
    """Names of all aggregations."""
    return plugin_names(__name__)


def aggregation_class(name: str) -> type[Aggregation]:
    """The class of the aggregation with a given name."""
    module = load_plugin(__name__, name, "aggregation")
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Aggregation) and value.__module__ == module.__name__
    ]
    if len(classes) != 1:
        raise AutomatonError(f"module {module.__name__} must define exactly one aggregation; it defines {len(classes)}")
    return classes[0]


def aggregation_from_config(config: Mapping[str, Any]) -> Aggregation:
    """Build an aggregation from what its ``config`` method returned."""
    fields = dict(config)
    name = fields.pop("name", None)
    if not isinstance(name, str):
        raise FormatError(f"aggregation must have a name; got {name!r}")
    return aggregation_class(name).from_config(fields)
