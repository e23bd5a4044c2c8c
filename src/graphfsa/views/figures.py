"""What all matplotlib pictures share: our own style, names that fit, axes, and files with the same bytes each time."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphfsa.checks import any_of, shorten
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import atomic_write

SUFFIXES = (".png", ".svg", ".pdf")
PicturePath = str | Path | None
_NO_DATE = {".png": None, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LONGEST_NAME = 20
_LONGEST_LEGEND_NAME = 24
_LONGEST_TITLE = 90


@contextmanager
def own_style() -> Generator[None]:
    """Draw in our own style, whatever a ``matplotlibrc`` file or the caller has set; a decorator for what draws.

    Raises:
        GraphFSAError: matplotlib can't be imported, as with an unknown ``MPLBACKEND``.
    """
    if Path("matplotlibrc").exists() and not Path("matplotlibrc").is_file():
        raise GraphFSAError("matplotlib can't start: 'matplotlibrc' in the working directory is not a regular file")
    try:
        import matplotlib
    except ValueError as error:  # It reads its settings when it is imported.
        raise GraphFSAError(f"matplotlib can't start; is there a damaged file matplotlibrc here? {error}") from None

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "graphfsa"  # Or each SVG would name its parts at random.
        yield


# ---- files


def check_suffix(path: str | Path, suffixes: tuple[str, ...] = SUFFIXES) -> str:
    """The suffix of a picture, in small letters.

    Raises:
        FormatError: It is not among ``suffixes``.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        raise FormatError(f"{path}: a picture must end in {any_of(suffixes)}; got {suffix!r}")
    return suffix


def check_picture_path(path: PicturePath) -> None:
    """Raise if a path was given and a picture can't have its suffix."""
    if path is not None:
        check_suffix(path)


def new_figure(width: float, height: float) -> Any:
    """An empty figure of a size in inches, that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def finish_figure(figure: Any, path: PicturePath, entries: list[tuple[str, str]], title: str, columns: int = 5) -> Any:
    """Add the legend and the title, and write the picture if it has a path."""
    add_legend(figure, entries, title, columns=columns, longest=80)
    if path is not None:
        save_figure(figure, path)
    return figure


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as ``.png``, ``.svg`` or ``.pdf``, atomically; the same figure gives the same bytes."""
    atomic_write(path, figure_bytes(figure, check_suffix(path)))


@own_style()
def figure_bytes(figure: Any, suffix: str, *, dpi: int = 160) -> bytes:
    """A figure as the content of a ``.png``, ``.svg`` or ``.pdf`` file."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # Drawn as a box: an emoji in a name.
        _settle(figure)
        figure.savefig(buffer, format=suffix[1:], dpi=dpi, facecolor="white", metadata=_NO_DATE[suffix])
    # matplotlib writes titles as they are, and XML has no place for control characters.
    return _CONTROL.sub(b"?", buffer.getvalue()) if suffix == ".svg" else buffer.getvalue()


def _settle(figure: Any) -> None:
    """Fix the places of all panels, rounded: the last bits of what the layout finds differ from time to time."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(number, 6) for number in axes.get_position(original=True).bounds])


# ---- text


def short_name(text: str, longest: int = _LONGEST_NAME) -> str:
    """A name, cut if it is long; of a path the end is kept, which tells it from others."""
    # A legend leaves out what begins with an underscore.
    text = " " + text if text.startswith("_") else text
    if len(text) <= longest:
        return text
    return "…" + text[-longest + 1 :] if "/" in text else shorten(text, longest)


def short_label(text: str, longest: int = _LONGEST_NAME) -> str:
    """The same where matplotlib would read dollar signs as mathematics."""
    return short_name(text, longest).replace("$", r"\$")


def add_legend(
    figure: Any,
    entries: list[tuple[str, str]],
    title: str,
    *,
    columns: int = 5,
    longest: int = _LONGEST_LEGEND_NAME,
) -> None:
    """A title above a figure and pairs of colour and name below it."""
    from matplotlib.patches import Patch

    if title:
        figure.suptitle(shorten(title, _LONGEST_TITLE), fontsize=11, parse_math=False)
    if not entries:
        return
    names = [shorten(name, longest) for _, name in entries]
    width = figure.get_size_inches()[0]
    columns = max(1, min(columns, len(entries), int(width / (0.5 + 0.08 * max(map(len, names))))))
    # The names are set afterwards: a label that starts with "_" would be left out of the legend.
    patches = [Patch(facecolor=colour, edgecolor="#999999", label="x") for colour, _ in entries]
    legend = figure.legend(handles=patches, loc="outside lower center", ncols=columns, fontsize=8, frameon=False)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)  # A dollar sign would be read as mathematics.
        text.set_text(name)


# ---- axes


def style_axes(axes: Any) -> None:
    """Pale lines behind the curves, and no frame."""
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def accuracy_axis(axes: Any, shares: Sequence[float]) -> None:
    """From just below the lowest share to 1, where the axis ends: there is no more to reach.

    What lies at 1 is drawn whole if it is drawn with ``clip_on=False``.
    """
    from matplotlib.ticker import MaxNLocator

    low = min(shares)
    room = 0.08 * (1 - low) or 0.02
    ticks = [round(float(tick), 9) for tick in MaxNLocator(nbins=6, steps=(1, 2, 5, 10)).tick_values(low - room, 1)]
    axes.set_yticks([tick for tick in ticks if low - room <= tick <= 1])
    axes.set_ylim(low - room, 1)


def integer_ticks(axis: Any, most: int) -> None:
    """Put the ticks of an axis at integers, and at most this number of them."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=most, integer=True))
