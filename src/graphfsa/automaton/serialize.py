"""Automata as JSON files: readable, versioned, and nothing but data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphfsa.aggregations import aggregation_config, aggregation_from_config
from graphfsa.arrays import Array
from graphfsa.automaton.base import MAX_STATES, Automaton, check_state_names, check_table_size
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import MAX_OUTCOMES, StochasticFSA, probability, weight_of
from graphfsa.checks import shown
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.fields import Field, read_fields
from graphfsa.files import PathLike, atomic_write, read_bytes, read_json

SCHEMA = "graphfsa.automaton/1"
STOCHASTIC_SCHEMA = "graphfsa.stochastic/1"
MODEL_SCHEMA = "graphfsa.model/1"
"""Schema of model files, which hold an automaton in their field ``automaton``."""
_MAX_RULES_BYTES = 2**26
_FIELDS = {
    "state_names": Field(list),
    "starting_states": Field(list, most=MAX_STATES),
    "final_states": Field(list, most=MAX_STATES),
    "aggregation": Field(dict),
    "transition_table": Field(list, most=MAX_STATES),
}
_STOCHASTIC_FIELDS = {**_FIELDS, "outcomes": Field(list, most=MAX_OUTCOMES)}


def header_json(fsa: Automaton) -> str:
    """Everything but the table, as canonical JSON."""
    schema = STOCHASTIC_SCHEMA if isinstance(fsa, StochasticFSA) else SCHEMA
    return json.dumps({"schema": schema, **_header(fsa)}, sort_keys=True, separators=(",", ":"))


def automaton_config(fsa: GraphFSA) -> dict[str, Any]:
    """The automaton as JSON values, without a schema; ``automaton_from_config`` reads them back."""
    header = _header(fsa) | {"aggregation": aggregation_config(fsa.aggregation)}
    return {**header, "transition_table": fsa.transition_table.tolist()}


def automaton_from_config(config: Any, source: str) -> GraphFSA:
    """The automaton that ``automaton_config`` described.

    Args:
        config: Parsed JSON.
        source: Where it came from, for error messages.

    Raises:
        FormatError: The values describe no automaton; the message names the field.
    """
    fields = read_fields(config, _FIELDS, source)
    try:
        aggregation = aggregation_from_config(fields["aggregation"])
        num_values = check_table_size(aggregation, len(check_state_names(fields["state_names"])))
        return GraphFSA(
            fields["state_names"],
            aggregation,
            _table(fields["transition_table"], num_values),
            starting_states=fields["starting_states"],
            final_states=fields["final_states"],
        )
    except GraphFSAError as error:
        raise FormatError(f"{source}: {error}") from None


def automaton_to_json(fsa: GraphFSA | StochasticFSA) -> str:
    """The content of an automaton's file."""
    if isinstance(fsa, StochasticFSA):
        header = _header(fsa) | {"aggregation": aggregation_config(fsa.aggregation)}
        outcomes = [
            {fsa.state_names[state]: float(probability(weights[state])) for state in np.flatnonzero(weights)}
            for weights in fsa.outcomes
        ]
        table = fsa.transition_table.tolist()
        return json_text({"schema": STOCHASTIC_SCHEMA, **header, "outcomes": outcomes, "transition_table": table})
    return json_text({"schema": SCHEMA, **automaton_config(fsa)})


def automaton_from_json(data: Any, source: str) -> GraphFSA:
    """The automaton in the parsed content of an automaton's file, or of a model's.

    Args:
        data: Parsed JSON.
        source: Where it came from, for error messages.

    Raises:
        FormatError: There is no automaton in it, or a wrong one; the message names the field.
    """
    if isinstance(data, dict) and data.get("schema") == MODEL_SCHEMA:
        if not isinstance(data.get("automaton"), dict):
            raise FormatError(f"{source}: the model must hold an automaton; got {shown(data.get('automaton'))}")
        return automaton_from_config(data["automaton"], f"{source}: automaton")
    if isinstance(data, dict) and data.get("schema") == STOCHASTIC_SCHEMA:
        raise FormatError(f"{source}: this automaton moves at random; use StochasticFSA.load, run or simulate")
    read_fields(data, {}, source, schema=SCHEMA, unknown=True)
    return automaton_from_config({name: value for name, value in data.items() if name != "schema"}, source)


def stochastic_from_json(data: Any, source: str) -> StochasticFSA:
    """The automaton in the parsed content of the file of one that moves at random.

    Raises:
        FormatError: There is no such automaton in it; the message names the field.
    """
    fields = read_fields(data, _STOCHASTIC_FIELDS, source, schema=STOCHASTIC_SCHEMA)
    try:
        aggregation = aggregation_from_config(fields["aggregation"])
        names = check_state_names(fields["state_names"])
        num_values = check_table_size(aggregation, len(names))
        outcomes = [_outcome(said, names, f"outcomes[{place}]") for place, said in enumerate(fields["outcomes"])]
        if not outcomes:
            raise FormatError("outcomes must hold at least one distribution; it is empty")
        return StochasticFSA.from_weights(
            names,
            aggregation,
            np.array(outcomes, np.int64),
            _table(fields["transition_table"], num_values, len(outcomes)),
            starting_states=fields["starting_states"],
            final_states=fields["final_states"],
        )
    except GraphFSAError as error:
        raise FormatError(f"{source}: {error}") from None


def _outcome(said: Any, names: tuple[str, ...], what: str) -> list[int]:
    weights = [0] * len(names)
    if not isinstance(said, dict):
        raise FormatError(f"{what} must be an object of states and probabilities; got {shown(said)}")
    for name, number in said.items():
        if name not in names:
            raise FormatError(f"{what}: a next state must be one of the states; got {shown(name)}")
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
            raise FormatError(f"{what}: a probability must be a number from 0 to 1; got {shown(number)}")
        weights[names.index(name)] = weight_of(number)
    return weights


def json_text(content: Mapping[str, Any]) -> str:
    """JSON with a line for each value; numbers, and the rows of a transition table, share one."""
    return _json_lines(content, "\n") + "\n"


def _json_lines(value: Any, newline: str) -> str:
    inner = newline + " "
    if isinstance(value, Mapping) and value:
        fields = [
            f"{_json(name)}: {_json_rows(part, inner) if name == 'transition_table' else _json_lines(part, inner)}"
            for name, part in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(fields)}{newline}}}"
    if isinstance(value, list) and value and not all(type(part) is int for part in value):
        return f"[{inner}{f',{inner}'.join(_json_lines(part, inner) for part in value)}{newline}]"
    return _json(value)


def _json_rows(rows: list[Any], newline: str) -> str:
    inner = newline + " "
    return f"[{inner}{f',{inner}'.join(json.dumps(row, separators=(',', ':')) for row in rows)}{newline}]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def save_automaton(fsa: GraphFSA | StochasticFSA, path: PathLike) -> None:
    """Write an automaton to a JSON file, atomically."""
    atomic_write(path, automaton_to_json(fsa))


def load_automaton(path: PathLike) -> GraphFSA:
    """Read an automaton from a JSON file, a model's too, or from rules if the name of the file ends in ``.rules``."""
    if str(path).lower().endswith(".rules"):
        from graphfsa.automaton.rules import automaton_from_rules

        return automaton_from_rules(_read_text(path), str(path))
    return automaton_from_json(read_json(path), str(path))


def load_any(path: PathLike) -> GraphFSA | StochasticFSA:
    """Read an automaton of either kind from its file."""
    if str(path).lower().endswith(".rules"):
        from graphfsa.automaton.rules import any_automaton_from_rules

        return any_automaton_from_rules(_read_text(path), str(path))
    data = read_json(path)
    if isinstance(data, dict) and data.get("schema") == STOCHASTIC_SCHEMA:
        return stochastic_from_json(data, str(path))
    return automaton_from_json(data, str(path))


def _read_text(path: PathLike) -> str:
    try:
        return read_bytes(path, limit=_MAX_RULES_BYTES).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: must be UTF-8 text; byte {error.start} is not") from None


def _header(fsa: Automaton) -> dict[str, Any]:
    """Everything but the table."""
    return {
        "state_names": list(fsa.state_names),
        "starting_states": list(fsa.starting_states),
        "final_states": list(fsa.final_states),
        "aggregation": fsa.aggregation.config(),
    }


def _table(rows: list[Any], num_values: int, below: int = MAX_STATES) -> Array:
    for place, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != num_values:
            got = len(row) if isinstance(row, list) else shown(row)
            raise FormatError(f"transition_table[{place}] must be a list of {num_values} states; got {got}")
        for value, state in enumerate(row):
            if type(state) is not int or not 0 <= state < below:
                raise FormatError(f"transition_table[{place}][{value}] must be in 0 .. {below - 1}; got {shown(state)}")
    return np.array(rows, np.int64).reshape(len(rows), num_values)
