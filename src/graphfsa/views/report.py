"""One HTML page about a model: sections in, page out, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphfsa.analysis.verification import Counterexample
from graphfsa.engine import Trajectory
from graphfsa.files import PathLike, atomic_write
from graphfsa.html import Html, element, join
from graphfsa.views._rollout_page import player_script, player_style
from graphfsa.views.notebooks import player
from graphfsa.views.pages import image, page, resource
from graphfsa.views.rollouts import Rollout

_SPEED = 5.0


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes:
        title: Its heading.
        body: What is below it.
        plays: Whether a roll-out that can be played is in it.
    """

    title: str
    body: Html
    plays: bool = False


def text_section(title: str, text: str, *, note: str = "") -> Section:
    """Text as it is, in lines."""
    return Section(title, join([_note(note), element("pre", text)]))


def facts_section(title: str, facts: Mapping[str, Any], *, note: str = "") -> Section:
    """Names and values."""
    rows = (element("tr", element("th", name), element("td", value)) for name, value in facts.items())
    return Section(title, join([_note(note), scrolled(element("table", *rows))]))


def numbers_section(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], figure: Any | None = None, *, note: str = ""
) -> Section:
    """A table of numbers, and a picture of them if there is one."""
    head = element("tr", *(element("th", name) for name in columns))
    lines = (element("tr", *(element("td", cell, class_="number") for cell in row)) for row in rows)
    shown = "" if figure is None else image(figure, title)
    return Section(title, join([_note(note), scrolled(element("table", head, *lines)), shown]))


def picture_section(title: str, figure: Any, *, note: str = "") -> Section:
    """A picture: a matplotlib figure, or an SVG document of our own."""
    return Section(title, join([_note(note), image(figure, title)]))


def rollout_section(
    title: str, trajectory: Trajectory, *, heading: str = "", example: Counterexample | None = None, note: str = ""
) -> Section:
    """A roll-out that can be played, as a page within the page.

    Args:
        title: Heading of the section, and name of the frame.
        trajectory: The run.
        heading: A line above the picture.
        example: See ``Rollout``.
        note: A paragraph before it.
    """
    shown = Rollout(trajectory, heading, speed=_SPEED, example=example)
    return Section(title, join([_note(note), player(shown.html(), title)]), plays=True)


def write_report(
    path: PathLike,
    title: str,
    subtitle: str,
    sections: Sequence[Section],
    *,
    verdict: tuple[str, str] | None = None,
    wide: bool = False,
) -> None:
    """Write the page, in one step.

    Args:
        path: An ``.html`` file.
        title: Heading.
        subtitle: A line below it.
        sections: The parts, in order.
        verdict: What matters most, in a sentence, and its kind: ``right`` or ``wrong``.
        wide: Whether the page may become wider than lines of text should be, for large tables.
    """
    plays = any(part.plays for part in sections)
    body = element(
        "body",
        element("h1", title),
        "" if verdict is None else element("p", verdict[0], class_=f"verdict {verdict[1]}"),
        element("p", subtitle, class_="soft"),
        *(element("section", element("h2", part.title), part.body) for part in sections),
        class_="wide" if wide else None,
    )
    content = page(
        title,
        body,
        style=resource("_report.css"),
        embedded_styles=[player_style()] if plays else [],
        embedded_scripts=[player_script()] if plays else [],
    )
    atomic_write(path, content)


def scrolled(table: Html) -> Html:
    """A table in a box of its own, which scrolls where the table is wider than the page."""
    return element("div", table, class_="scrolled")


def _note(text: str) -> Html:
    return element("p", text) if text else Html()
