"""What notebooks show of objects: small tables, in which everything is escaped and nothing grows without bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from graphfsa.checks import shorten

_LONGEST = 200
_LISTED = 12


def facts_html(title: str, facts: Mapping[str, Any]) -> str:
    """Names and values in two columns; what is None is left out.

    Args:
        title: What the object is.
        facts: Values by name; numbers get separators, long lists and strings are cut.
    """
    rows = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(_text(value))}</td></tr>'
        for name, value in facts.items()
        if value is not None
    )
    return f"<table><caption>{escape(shorten(title, _LONGEST))}</caption>{rows}</table>"


def rows_html(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with the same names, as a table with one column for each name."""
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(row[name]))}</td>" for name in names) + "</tr>" for row in rows
    )
    return f"<table><caption>{escape(shorten(title, _LONGEST))}</caption><tr>{head}</tr>{lines}</table>"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Iterable) and not isinstance(value, str):
        parts = [_text(part) for part in value]
        return shorten(", ".join([*parts[:_LISTED], *(["…"] if len(parts) > _LISTED else [])]) or "none", _LONGEST)
    return shorten(str(value), _LONGEST)
