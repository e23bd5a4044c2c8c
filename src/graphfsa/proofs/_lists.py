"""Lists in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_MOST = 12


def listed(words: Sequence[str], last: str) -> str:
    """Words with commas and a last ``and`` or ``or``; of many the first, and how many more there are.

    Example:
        >>> listed(["a", "b", "c"], "or")
        'a, b or c'
    """
    if len(words) > _MOST + 1:
        return f"{', '.join(words[:_MOST])} and {len(words) - _MOST} more"
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def names(several: Iterable[str], last: str) -> str:
    """The same for names, which are marked as such."""
    return listed([f"`{name}`" for name in several], last)
