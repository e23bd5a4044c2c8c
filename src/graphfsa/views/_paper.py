"""What pictures of learning share: where they are written, colours, axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphfsa.errors import FormatError
from graphfsa.views._figure import PALETTE, SUFFIXES, add_legend, save_figure

PicturePath = str | Path | None
COLOURS = PALETTE[1:]
"""Colours of things; white is the paper."""


def check_path(path: PicturePath) -> None:
    """Raise unless it is a file that a picture can be written to, or none."""
    if path is not None and Path(path).suffix.lower() not in SUFFIXES:
        raise FormatError(f"{path}: a picture must end in {' or '.join(SUFFIXES)}; got {Path(path).suffix!r}")


def finish(figure: Any, path: PicturePath, entries: list[tuple[str, str]], title: str, columns: int = 5) -> Any:
    """Add the legend and the title, and write the picture if it has a path."""
    add_legend(figure, entries, title, columns=columns, longest=80)
    if path is not None:
        save_figure(figure, path)
    return figure


def tidy(axes: Any) -> None:
    """Pale lines behind the curves, and no frame."""
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def share_axis(axes: Any, shares: Sequence[float]) -> None:
    """From a bit below the lowest share to a bit above 1, above which there is no tick."""
    from matplotlib.ticker import MaxNLocator

    low = min(shares)
    room = 0.08 * (1 - low) or 0.02
    ticks = [round(float(tick), 9) for tick in MaxNLocator(nbins=6, steps=(1, 2, 5, 10)).tick_values(low - room, 1)]
    axes.set_yticks([tick for tick in ticks if low - room <= tick <= 1])
    axes.set_ylim(low - room, 1 + 0.5 * room)


def whole_numbers(axis: Any, most: int) -> None:
    """Let the ticks of an axis be whole numbers, and so many at most."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=most, integer=True))
