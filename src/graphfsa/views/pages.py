"""HTML pages that need nothing else: everything is in the file, and the browser is told to load and run nothing more.

Text is escaped by construction: ``element`` and ``fill`` escape whatever is not ``Html`` already.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from graphfsa.views.figures import figure_bytes

_EMPTY = ("img", "br")
"""Elements that have no end tag."""
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="@@policy@@">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>@@title@@</title>
<style>@@style@@</style>
</head>
@@body@@
</html>
"""


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


def page(
    title: str,
    body: Html,
    *,
    style: str,
    script: str = "",
    embedded_styles: Sequence[str] = (),
    embedded_scripts: Sequence[str] = (),
) -> str:
    """A whole page. Its policy forbids the browser to load anything, and to run anything but these styles and scripts.

    Args:
        title: Title of the window.
        body: The ``body`` element.
        style: Our own style sheet.
        script: Our own script, if ``body`` has one; it must be there as it is here.
        embedded_styles: Style sheets of pages in frames: this page's policy applies to them too.
        embedded_scripts: Scripts of pages in frames.
    """
    styles = _sources([style, *embedded_styles])
    scripts = _sources([*([script] if script else []), *embedded_scripts])
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    # Quotes within the attribute are single ones, and nothing in it comes from outside.
    return fill(_PAGE, policy=Html(policy), title=title, style=Html(style), body=body)


def resource(name: str) -> str:
    """The text of a file that lies beside this module: a style sheet, a script or a template."""
    return files("graphfsa.views").joinpath(name).read_text(encoding="utf-8").strip()


def image(figure: Any, title: str) -> Html:
    """A matplotlib figure, or an SVG document of our own, as HTML."""
    # As an image, names within the picture can't clash with those of other pictures, and nothing in it can run.
    content = figure.encode() if isinstance(figure, str) else figure_bytes(figure, ".svg")
    kind = "drawing" if isinstance(figure, str) else "picture"  # Our own drawings follow the reader's light or dark.
    source = f"data:image/svg+xml;base64,{b64encode(content).decode()}"
    return element("div", element("img", src=source, alt=title), class_=kind)


def _markup(part: object) -> str:
    return part if isinstance(part, Html) else escape(str(part))


def _sources(parts: Sequence[str]) -> str:
    digests = (b64encode(sha256(part.encode()).digest()).decode() for part in parts)
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
