"""Aggregations: how a node sees its neighbours. Every public module here is one plug-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphfsa.aggregations._base import Aggregation, Counts
from graphfsa.aggregations.average_threshold import AverageThresholdAggregation
from graphfsa.aggregations.counting import CountingAggregation
from graphfsa.aggregations.positional import PositionalAggregation
from graphfsa.errors import FormatError
from graphfsa.plugins import find_plugin, plugin_names

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
    return plugin_names(Aggregation)


def aggregation_class(name: str) -> type[Aggregation]:
    """The class of the aggregation with a given name."""
    return find_plugin(Aggregation, name)


def aggregation_from_config(config: Mapping[str, Any]) -> Aggregation:
    """Build an aggregation from what its ``config`` method returned."""
    fields = dict(config)
    name = fields.pop("name", None)
    if not isinstance(name, str):
        raise FormatError(f"aggregation must have a name; got {name!r}")
    return aggregation_class(name).from_config(fields)
