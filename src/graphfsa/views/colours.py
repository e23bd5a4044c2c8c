"""The colour of each state, the same in every picture: a palette that everybody can tell apart, or the user's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from graphfsa.automaton.base import Automaton
from graphfsa.checks import shown
from graphfsa.errors import GraphFSAError, UnknownNameError

# Okabe and Ito's colours, which people with any common kind of colour vision tell apart; white first, as background.
PALETTE = ("#ffffff", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
COLOURS_ON_WHITE = PALETTE[1:]
"""Colours of lines and bars."""
_PAIR = re.compile(r"(.+?)=([^=,]*)(?:,|$)", re.DOTALL)
_HEX = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")


def palette(count: int) -> list[str]:
    """This number of different colours as ``#rrggbb``; beyond nine they come from a colour map of even lightness."""
    if count <= len(PALETTE):
        return list(PALETTE[:count])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [PALETTE[0], *(to_hex(colormaps["cividis"](place)) for place in np.linspace(0, 1, count - 1))]


def state_colours(fsa: Automaton, colours: Mapping[str, str] | None = None) -> list[str]:
    """The colour of each state of an automaton, as ``#rrggbb``.

    Args:
        fsa: The automaton.
        colours: Colours of some states by name: ``#rgb``, ``#rrggbb`` or a CSS name such as ``red``. The other states
            keep the colours that they have without it.

    Raises:
        UnknownNameError: A name is not that of a state.
        GraphFSAError: A colour is none.

    Example:
        >>> from graphfsa import library
        >>> state_colours(library.life_like(), {"alive": "#d00"})
        ['#ffffff', '#dd0000']
    """
    found = palette(fsa.num_states)
    for name, colour in (colours or {}).items():
        if name not in fsa.state_names:
            raise UnknownNameError("state", str(name), fsa.state_names)
        found[fsa.state_names.index(name)] = _hex(name, colour)
    return found


def legend_entries(fsa: Automaton, colours: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of colour and name of each state; none if there are more states than a legend can tell apart."""
    return list(zip(colours, fsa.state_names, strict=True)) if fsa.num_states <= len(PALETTE) else []


def parse_colours(text: str) -> dict[str, str]:
    """Colours by state from ``STATE=COLOUR,STATE=COLOUR``, the form that commands take.

    A name may contain commas and equals signs, a colour neither.

    Raises:
        GraphFSAError: The text does not have this form, or names a state twice.

    Example:
        >>> parse_colours("ill=#d00,well=green")
        {'ill': '#d00', 'well': 'green'}
    """
    matches = list(_PAIR.finditer(text))
    pairs = [(match[1].strip(), match[2].strip()) for match in matches]
    whole = "".join(match[0] for match in matches) == text and not text.endswith(",")
    if not (pairs and whole and all(name and colour for name, colour in pairs)):
        raise GraphFSAError(f"colours must look like STATE=COLOUR,STATE=COLOUR; got {shown(text)}")
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise GraphFSAError(f"colours must name each state once; {shown(name)} comes {names.count(name)} times")
    return dict(pairs)


def _hex(state: str, colour: object) -> str:
    text = colour.lower() if isinstance(colour, str) else ""
    if _HEX.fullmatch(text):
        return text if len(text) == 7 else "#" + "".join(2 * digit for digit in text[1:])
    from matplotlib.colors import CSS4_COLORS, to_hex

    if text in CSS4_COLORS:
        return to_hex(text)
    raise GraphFSAError(
        f"the colour of state {shown(state)} must be #rgb, #rrggbb or a CSS name such as red; got {shown(colour)}"
    )
