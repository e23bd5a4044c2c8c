"""What all pictures share: colours, names that fit, and figures that are the same bytes each time."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import atomic_write

SUFFIXES = (".png", ".svg")
# Okabe and Ito's colours, which people with any common kind of colour vision tell apart; white first, as background.
PALETTE = ("#ffffff", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
_NAME = 24
_TITLE = 90


def state_colours(num_states: int) -> list[str]:
    """A colour for each state; beyond the palette they are taken from a colour map of even lightness."""
    if num_states <= len(PALETTE):
        return list(PALETTE[:num_states])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [PALETTE[0], *(to_hex(colormaps["cividis"](place)) for place in np.linspace(0, 1, num_states - 1))]


def legend_entries(names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of colour and name of each state; none if there are more states than a legend can tell apart."""
    return list(zip(state_colours(len(names)), names, strict=True)) if len(names) <= len(PALETTE) else []


def shortened(name: str, longest: int = _NAME) -> str:
    """A name that fits into a legend."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def check_suffix(path: str | Path, suffixes: tuple[str, ...]) -> str:
    """The suffix of a picture, in small letters; an error if it is none of those."""
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        raise FormatError(f"{path}: a picture must end in {' or '.join(suffixes)}; got {suffix!r}")
    return suffix


def new_figure(width: float, height: float) -> Any:
    """An empty figure of a size in inches, that needs no display."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ValueError as error:  # It reads its settings when it is imported.
        raise GraphFSAError(f"matplotlib can't start: {error}") from None

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as ``.png`` or ``.svg``, atomically; the same figure gives the same bytes."""
    atomic_write(path, figure_bytes(figure, check_suffix(path, SUFFIXES)))


def figure_bytes(figure: Any, suffix: str) -> bytes:
    """A figure as the content of a ``.png`` or ``.svg`` file."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    _settle(figure)
    # Without a salt of its own each SVG would name its parts at random.
    with rc_context({"svg.hashsalt": "graphfsa"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # Drawn as a box: an emoji in a name.
        figure.savefig(
            buffer, format=suffix[1:], dpi=160, facecolor="white", metadata={"Date": None} if suffix == ".svg" else None
        )
    return buffer.getvalue()


def _settle(figure: Any) -> None:
    """Fix the places of all panels, rounded: the last bits of what the layout finds differ from time to time."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(number, 6) for number in axes.get_position(original=True).bounds])


def add_legend(
    figure: Any, entries: list[tuple[str, str]], title: str, *, columns: int = 5, longest: int = _NAME
) -> None:
    """A title above a figure and pairs of colour and name below it."""
    from matplotlib.patches import Patch

    if title:
        figure.suptitle(shortened(title, _TITLE), fontsize=11, parse_math=False)
    if not entries:
        return
    names = [shortened(name, longest) for _, name in entries]
    width = figure.get_size_inches()[0]
    columns = max(1, min(columns, len(entries), int(width / (0.5 + 0.08 * max(map(len, names))))))
    # The names are set afterwards: a label that starts with "_" would be left out of the legend.
    patches = [Patch(facecolor=colour, edgecolor="#999999", label="x") for colour, _ in entries]
    legend = figure.legend(handles=patches, loc="outside lower center", ncols=columns, fontsize=8, frameon=False)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)  # A dollar sign would be read as mathematics.
        text.set_text(name)
