"""What is written in a diagram: short names, conditions at arrows or in a list below, and a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from graphfsa.analysis.transitions import Transition, Transitions
from graphfsa.automaton.rules._text import plain_name

TIMES = "\N{MULTIPLICATION SIGN}"
MAX_NAME = 16
_MAX_WORDY = 12
"""With more arrows than this between different states, only keys are written at them."""
_ROOM = 26
"""Characters of a line at an arrow."""
_LINES = 3
_MAX_TEXT = 40


@dataclass(frozen=True)
class Wording:
    """What is written where.

    Attributes:
        names: Each state's name, shortened so that they stay distinct.
        labels: The lines at each arrow.
        keys: What is listed below: key and lines.
        titles: What each arrow means, in full.
        dense: Whether there are so many arrows that labels are put on them.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    titles: tuple[str, ...]
    dense: bool


def short_names(names: Sequence[str], limit: int = MAX_NAME) -> tuple[str, ...]:
    """Names of at most ``limit`` characters; those that would look alike get their number."""
    cut = [name if len(name) <= limit else name[: limit - 1] + "…" for name in names]
    return tuple(
        name if cut.count(name) == 1 or name == names[state] else f"{name[: limit - 5]}…{state}"
        for state, name in enumerate(cut)
    )


def written(names: Sequence[str]) -> Callable[[str], str]:
    """Writes names in conditions: those of states shortened as in the picture, other texts to a line."""
    shortened = dict(zip(names, short_names(names), strict=True))

    def write(name: str) -> str:
        return plain_name(shortened.get(name) or (name if len(name) <= _MAX_TEXT else name[: _MAX_TEXT - 1] + "…"))

    return write


def wording(found: Transitions) -> Wording:
    """Short conditions are written at their arrows, long ones are listed below under a key."""
    names = short_names(found.fsa.state_names)
    between = sum(arrow.state != arrow.successor for arrow in found.arrows)
    dense = between > _MAX_WORDY
    texts = [tuple(found.lines(arrow, written(found.fsa.state_names))) for arrow in found.arrows]
    keys: dict[tuple[str, ...], str] = {}
    labels: list[tuple[str, ...]] = []
    for arrow, text in zip(found.arrows, texts, strict=True):
        lines = _at_arrow(arrow, text, dense)
        if lines is None:
            lines = (keys.setdefault(text, _key(len(keys))),)
        labels.append(lines if arrow.count is None else _with_count(lines, arrow.count))
    titles = tuple(_title(found, arrow) for arrow in found.arrows)
    return Wording(names, tuple(labels), tuple((key, text) for text, key in keys.items()), titles, dense)


def _at_arrow(arrow: Transition, text: tuple[str, ...], dense: bool) -> tuple[str, ...] | None:
    """The lines at an arrow, or None if they are too long for it."""
    if arrow.guards is None and not arrow.otherwise and not arrow.always:
        return (f"{len(arrow.values)}/{arrow.of}",)
    lines: list[str] = []
    for number, guard in enumerate(text):
        lines += balanced(guard if number == 0 else f"or {guard}", _ROOM)
    fits = len(lines) == 1 and len(lines[0]) <= 10 if dense else len(lines) <= _LINES
    return tuple(lines) if fits and max(map(len, lines)) <= _ROOM + 6 else None


def balanced(text: str, room: int) -> list[str]:
    """Lines of about the same length, as few as would fit into the room; words are not broken."""
    lines = wrap(text, room, break_long_words=False, break_on_hyphens=False)
    for narrower in range(room - 1, 3, -1):
        other = wrap(text, narrower, break_long_words=False, break_on_hyphens=False)
        if len(other) > len(lines):
            break
        lines = other
    return lines


def _with_count(lines: tuple[str, ...], count: int) -> tuple[str, ...]:
    times = f"{TIMES}{count:,}"
    return (f"{lines[0]} {times}",) if len(lines) == 1 and len(lines[0]) <= 2 else (*lines, times)


def _key(number: int) -> str:
    """Letters from a to z, then aa, ab, ..."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _title(found: Transitions, arrow: Transition) -> str:
    own, successor = (found.fsa.state_names[state] for state in (arrow.state, arrow.successor))
    times = "" if arrow.count is None else f"; {arrow.count:,} times"
    words = " or ".join(found.lines(arrow))
    amount = "" if arrow.guards is None else f" ({len(arrow.values):,} of {arrow.of:,} values)"
    return f"{own} → {successor}: {words}{amount}{times}"


def note(found: Transitions, words: Wording) -> list[str]:
    """What the signs mean, and what was followed: a sentence for each."""
    config = found.fsa.aggregation.config()
    kind = " ".join([str(config.pop("name")), *(f"{key}={value}" for key, value in config.items())])
    parts = [f"Aggregation: {kind}."]
    if found.start is not None:
        nodes, graphs = _amount(found.num_nodes, "node"), _amount(found.num_graphs, "graph")
        parts.append(f"Followed from {words.names[found.start]} on: {nodes} of {graphs}; {TIMES}n: n times.")
        parts.append("Conditions tell apart what they saw.")
    if any(state in found.fsa.final_states for state in found.states):
        parts.append("Double ring: final, never left.")
    if found.num_wordless:
        parts.append("n/m: at n of m values, without a short condition.")
    return parts


def _amount(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"
