"""Pictures of many runs: how many nodes are in each state over time, with bands."""

from __future__ import annotations

from typing import Any

from graphfsa.engine import Ensemble
from graphfsa.views.colours import COLOURS_ON_WHITE
from graphfsa.views.figures import PicturePath, check_picture_path, finish_figure, new_figure, own_style, style_axes

_BANDS = ((0.05, 0.95, 0.16), (0.25, 0.75, 0.28))
_MOST_STATES = len(COLOURS_ON_WHITE)


@own_style()
def draw_ensemble(ensemble: Ensemble, path: PicturePath = None, *, title: str = "") -> Any:
    """Draw the share of the nodes in each state over time: the median, half of the runs, and nine tenths of them.

    Of many states those are drawn that most nodes are ever in.

    Args:
        ensemble: What ``simulate`` returned.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.
        title: A line above the picture.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    fsa = ensemble.fsa
    figure = new_figure(8, 4.6)
    axes = figure.subplots()
    peaks = ensemble.counts.mean(axis=0).max(axis=0)
    drawn = sorted(peaks.argsort(kind="stable")[::-1][:_MOST_STATES].tolist())
    colours = {state: COLOURS_ON_WHITE[place % len(COLOURS_ON_WHITE)] for place, state in enumerate(drawn)}
    for state, colour in colours.items():
        for low, high, strength in _BANDS:
            band = ensemble.quantiles(state, (low, high))
            axes.fill_between(ensemble.times, *band, color=colour, alpha=strength, linewidth=0)
        axes.plot(ensemble.times, ensemble.quantiles(state, (0.5,))[0], color=colour, linewidth=1.8)
    style_axes(axes)
    axes.set_xlim(0, max(1, int(ensemble.times[-1])))
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("step", fontsize=9)
    axes.set_ylabel("share of the nodes", fontsize=9)
    entries = [(colour, fsa.state_names[state]) for state, colour in colours.items()]
    return finish_figure(figure, path, entries, title)
