"""One HTML page about a model: everything in it, nothing loaded from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from graphfsa.automaton import GraphFSA
from graphfsa.engine import Trajectory
from graphfsa.files import atomic_write
from graphfsa.graphs import Graph
from graphfsa.views._figure import figure_bytes
from graphfsa.views._page import page_of
from graphfsa.views._places import places_of

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2126; --soft: #5b6470; --paper: #ffffff; --sheet: #f6f6f4; --line: #d8d8d4 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e6; --soft: #a3abb5; --paper: #1d2024; --sheet: #131518; --line: #3a3f46 }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; background: var(--sheet); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem } h2 { font-size: 1.15rem; margin: 0 0 .6rem }
section { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.2rem;
  margin: 1rem 0; overflow-x: auto }
p, li { max-width: 60rem } p { margin: .3rem 0 .7rem } .soft { color: var(--soft) }
pre { margin: 0; font: .9rem/1.55 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 500; white-space: nowrap } td.number { text-align: right; white-space: nowrap }
.picture, .drawing { margin-top: .8rem; text-align: center } .drawing img { max-width: 100%; height: auto }
.picture { overflow-x: auto } .picture img { width: 100%; min-width: 30rem; max-width: 56rem; height: auto }
details { margin: .5rem 0 } summary { cursor: pointer; color: var(--soft) } .wide { overflow-x: auto }
table.grid td, table.grid th { padding: .15rem .4rem; white-space: nowrap; font-size: .85rem }
table.grid th:first-child { position: sticky; left: 0; background: var(--paper); padding-left: 0 }
table.grid tr:first-child th { white-space: normal; min-width: 5.5rem; vertical-align: bottom; text-align: right }
td.published { background: color-mix(in srgb, var(--line) 45%, transparent) } td.whole { font-weight: 600 }
a { color: inherit } code { font-size: .9em }
iframe { width: 100%; height: 44rem; border: 1px solid var(--line); border-radius: .4rem }
@media (max-width: 44rem) { iframe { height: 60rem } th, td { padding-right: .7rem } section { padding: .8rem } }
@media (prefers-color-scheme: dark) {
  .picture img { filter: invert(.9) hue-rotate(180deg); mix-blend-mode: lighten }
}
"""


@dataclass(frozen=True)
class Section:
    """A part of a report: a heading and what is below it, as HTML in which everything is escaped."""

    title: str
    body: str


def text(title: str, words: str, *, note: str = "") -> Section:
    """Text as it is, in lines."""
    return Section(title, _note(note) + f"<pre>{escape(words)}</pre>")


def facts(title: str, rows: dict[str, Any], *, note: str = "") -> Section:
    """Names and values."""
    lines = (f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items())
    return Section(title, _note(note) + f"<table>{''.join(lines)}</table>")


def numbers(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], figure: Any | None, *, note: str = ""
) -> Section:
    """A table of numbers, and maybe a picture of them."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = "".join(
        "<tr>" + "".join(f'<td class="number">{escape(str(cell))}</td>' for cell in row) + "</tr>" for row in rows
    )
    shown = "" if figure is None else image(figure, title)
    return Section(title, _note(note) + f"<table><tr>{head}</tr>{lines}</table>" + shown)


def picture(title: str, figure: Any, *, note: str = "") -> Section:
    """A picture: a matplotlib figure, or an SVG text of our own."""
    return Section(title, _note(note) + image(figure, title))


def rollout(title: str, fsa: GraphFSA, graph: Graph, trajectory: Trajectory, *, note: str = "") -> Section:
    """A roll-out that can be played, as a page within the page."""
    page = page_of(fsa, graph, places_of(graph), trajectory, "", 5)
    frame = f'<iframe sandbox="allow-scripts" title="{escape(title)}" srcdoc="{escape(page)}"></iframe>'
    return Section(title, _note(note) + frame)


def write_report(path: str | Path, title: str, subtitle: str, sections: Sequence[Section], *, width: int = 62) -> None:
    """Write the page, in one step.

    Args:
        path: An ``.html`` file.
        title: Heading.
        subtitle: A line below it.
        sections: The parts, in order.
        width: How wide the page is at most, in letters of its text, about.
    """
    style = _STYLE.replace("62rem", f"{width}rem")
    body = "\n".join(f"<section><h2>{escape(part.title)}</h2>{part.body}</section>" for part in sections)
    atomic_write(
        path,
        f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{style}</style></head><body>
<h1>{escape(title)}</h1><p class="soft">{escape(subtitle)}</p>
{body}
</body></html>
""",
    )


def _note(words: str) -> str:
    return f"<p>{escape(words)}</p>" if words else ""


def image(figure: Any, title: str) -> str:
    """A matplotlib figure, or an SVG text of our own, as HTML."""
    # As an image, names within the picture can't clash with those of other pictures, and nothing in it can run.
    content = figure.encode() if isinstance(figure, str) else figure_bytes(figure, ".svg")
    kind = "drawing" if isinstance(figure, str) else "picture"  # Our own drawings follow the reader's light or dark.
    source = f"data:image/svg+xml;base64,{b64encode(content).decode()}"
    return f'<div class="{kind}"><img src="{source}" alt="{escape(title)}"></div>'
