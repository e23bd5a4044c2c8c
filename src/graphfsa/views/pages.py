"""HTML pages that need nothing else: everything is in the file, and browsers are told to load and run nothing more."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

from graphfsa.html import Html, element, fill
from graphfsa.views.figures import figure_bytes

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


def page(
    title: str,
    body: Html,
    *,
    style: str,
    script: str = "",
    embedded_styles: Sequence[str] = (),
    embedded_scripts: Sequence[str] = (),
    workers: bool = False,
    connects: bool = False,
) -> str:
    """A whole page. Its policy forbids the browser to load anything, and to run anything but these styles and scripts.

    Args:
        title: Title of the window.
        body: The ``body`` element.
        style: Our own style sheet.
        script: Our own script, if ``body`` has one; it must be there as it is here.
        embedded_styles: Style sheets of pages in frames: this page's policy applies to them too.
        embedded_scripts: Scripts of pages in frames.
        workers: Whether the script may start workers, from text that it has.
        connects: Whether the script may ask the server that the page comes from.
    """
    styles = _sources([style, *embedded_styles])
    scripts = _sources([*([script] if script else []), *embedded_scripts])
    more = ("; worker-src blob:" if workers else "") + ("; connect-src 'self'" if connects else "")
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; base-uri 'none'; "
        f"form-action 'none'{more}"
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


def _sources(parts: Sequence[str]) -> str:
    digests = (b64encode(sha256(part.encode()).digest()).decode() for part in parts)
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
