"""HTML in which text is escaped by construction: ``element``, ``join`` and ``fill`` escape whatever is not ``Html``.

Nothing else in the package writes tags, but the painter of SVG. Below are the small tables that notebooks show of
objects, in which nothing grows without bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from graphfsa.checks import shorten

_LONGEST = 200
_LISTED = 12
_EMPTY = ("img", "br")
"""Elements that have no end tag."""


class Html(str):
    """Markup in which all text is escaped."""

    __slots__ = ()


def element(tag: str, *content: object, **attributes: object) -> Html:
    """An element of HTML.

    Args:
        tag: Its name.
        content: What is inside: ``Html`` as it is, anything else as text.
        attributes: Its attributes; an underscore at the end of a name is left out (``class_``), and so is an attribute
            that is None.

    Example:
        >>> element("p", "1 < 2", element("br"), class_="soft")
        '<p class="soft">1 &lt; 2<br></p>'
    """
    given = "".join(f' {name.rstrip("_")}="{escape(str(v))}"' for name, v in attributes.items() if v is not None)
    return Html(f"<{tag}{given}>" if tag in _EMPTY else f"<{tag}{given}>{join(content)}</{tag}>")


def join(parts: Iterable[object], between: object = "") -> Html:
    """Parts one after the other: ``Html`` as it is, anything else as text."""
    return Html(_markup(between).join(_markup(part) for part in parts))


def fill(template: str, **parts: object) -> Html:
    """A template with its parts in place: ``@@name@@`` becomes ``Html`` as it is, or anything else as text."""
    # In one pass: what was filled in is not looked at again.
    return Html(re.sub(r"@@([a-z_]+)@@", lambda match: _markup(parts[match[1]]), template))


def facts_html(title: str, facts: Mapping[str, Any]) -> Html:
    """Names and values in two columns; what is None is left out.

    Args:
        title: What the object is.
        facts: Values by name; numbers get separators, long lists and strings are cut.
    """
    left = "text-align: left"
    rows = (
        element("tr", element("th", name, style=left), element("td", _text(value), style=left))
        for name, value in facts.items()
        if value is not None
    )
    return table_html(title, rows)


def rows_html(title: str, rows: Sequence[Mapping[str, Any]]) -> Html:
    """Rows with the same names, as a table with one column for each name."""
    names = list(rows[0]) if rows else []
    head = element("tr", *(element("th", name) for name in names))
    lines = (element("tr", *(element("td", _text(row[name])) for name in names)) for row in rows)
    return table_html(title, [head, *lines])


def table_html(title: str, rows: Iterable[Html]) -> Html:
    """A table with a caption."""
    return element("table", element("caption", shorten(title, _LONGEST)), *rows)


def _markup(part: object) -> str:
    return part if isinstance(part, Html) else escape(str(part))


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
