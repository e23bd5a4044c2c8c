"""Automata as JSON files: readable, versioned, and nothing but data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.aggregations import aggregation_class, aggregation_from_config
from graphfsa.automaton.fsa import GraphFSA, check_state_names, check_table_size
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError
from graphfsa.files import atomic_write, read_bytes, read_json

SCHEMA = "graphfsa.automaton/1"
MAX_RULES_BYTES = 2**26
_FIELDS = {"schema", "state_names", "starting_states", "final_states", "aggregation", "transition_table"}


def header_json(fsa: GraphFSA) -> str:
    """Everything but the table, as canonical JSON."""
    return json.dumps(_header(fsa), sort_keys=True, separators=(",", ":"))


def automaton_to_json(fsa: GraphFSA) -> str:
    """The automaton as JSON text, one line per row of the table."""
    if aggregation_class(fsa.aggregation.name) is not type(fsa.aggregation):
        raise AutomatonError(f"{fsa.aggregation!r} can't be saved: it must be a module of graphfsa.aggregations")
    header = json.dumps(_header(fsa), indent=1, ensure_ascii=False)[:-2]
    rows = ",\n  ".join(json.dumps(row, separators=(",", ":")) for row in fsa.transition_table.tolist())
    return f'{header},\n "transition_table": [\n  {rows}\n ]\n}}\n'


def automaton_from_json(data: Any, source: str) -> GraphFSA:
    """Build an automaton from parsed JSON.

    Args:
        data: What the JSON parser returned.
        source: Where it came from, for error messages.
    """
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        got = data.get("schema") if isinstance(data, dict) else type(data).__name__
        raise FormatError(f"{source}: field 'schema' must be {SCHEMA!r}; got {got!r}")
    missing, unknown = _FIELDS - data.keys(), data.keys() - _FIELDS
    if missing or unknown:
        what = f"is missing {sorted(missing)}" if missing else f"has unknown {sorted(map(str, unknown))}"
        raise FormatError(f"{source}: an automaton has the fields {sorted(_FIELDS)}; this one {what}")
    for field, kind in (
        ("state_names", list),
        ("starting_states", list),
        ("final_states", list),
        ("aggregation", dict),
    ):
        if not isinstance(data[field], kind):
            raise FormatError(f"{source}: field {field!r} must be a {kind.__name__}; got {type(data[field]).__name__}")
    try:
        aggregation = aggregation_from_config(data["aggregation"])
        num_values = check_table_size(aggregation, len(check_state_names(data["state_names"])))
        return GraphFSA(
            data["state_names"],
            aggregation,
            _table(data["transition_table"], num_values),
            starting_states=data["starting_states"],
            final_states=data["final_states"],
        )
    except GraphFSAError as error:
        raise FormatError(f"{source}: {error}") from None


def save_automaton(fsa: GraphFSA, path: str | Path) -> None:
    """Write an automaton to a JSON file, atomically."""
    atomic_write(path, automaton_to_json(fsa))


def load_automaton(path: str | Path) -> GraphFSA:
    """Read an automaton from a JSON file, or from rules if the file's name ends in ``.rules``."""
    if str(path).lower().endswith(".rules"):
        from graphfsa.automaton.rules._parse import automaton_from_rules

        return automaton_from_rules(_read_text(path), str(path))
    return automaton_from_json(read_json(path), str(path))


def _read_text(path: str | Path) -> str:
    try:
        return read_bytes(path, limit=MAX_RULES_BYTES).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: must be UTF-8 text; byte {error.start} is not") from None


def _header(fsa: GraphFSA) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "state_names": list(fsa.state_names),
        "starting_states": list(fsa.starting_states),
        "final_states": list(fsa.final_states),
        "aggregation": fsa.aggregation.config(),
    }


def _table(rows: Any, num_values: int) -> np.ndarray[Any, Any]:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise FormatError("field 'transition_table' must be a list of rows")
    for place, row in enumerate(rows):
        if len(row) != num_values:
            raise FormatError(f"transition_table[{place}] must have {num_values} entries; got {len(row)}")
        for value, state in enumerate(row):
            if type(state) is not int or not 0 <= state <= 255:
                raise FormatError(f"transition_table[{place}][{value}] must be in 0 .. 255; got {state!r}"[:300])
    return np.array(rows, np.int64).reshape(len(rows), num_values)
