"""Which rungs of letters to try on given data."""

from __future__ import annotations

from graphfsa.search.colours import Reduction
from graphfsa.search.letters.data import LetterData
from graphfsa.search.letters.rungs import LetterLimits, LetterRung, letter_rungs

_BOUND = 3
_EXTRA = 2
_FAR = 8
"""How far to count in an evolution, at most: so many neighbours a cell of a board has."""


def letter_ladder(data: LetterData, *, bound: int | None = None, extra: int | None = None) -> list[LetterRung]:
    """The ladder for some data, short descriptions first.

    Nobody counts farther than it takes to tell nodes with different labels apart, but all count to 2. If no bound is
    enough, sums modulo a number are tried as well, unless a bound is given.

    Args:
        data: What to fit.
        bound: Count at most to this number; by default 3, and in an evolution 8.
        extra: Number of further states, at most; by default 2.
    """
    task = data.examples.task
    evolution = not data.num_final
    most = min(data.max_degree, bound or (_FAR if evolution else _BOUND))
    enough = next((b for b in range(1, most + 1) if not data.is_hopeless(Reduction(b, 1))), None)
    limits = LetterLimits(
        num_final=data.num_final,
        num_inputs=len(task.inputs),
        steady=sum(len(data.labels_of(given)) < 2 for given in range(len(task.inputs))),
        bounds=most if evolution or enough is None else max(min(2, most), enough),
        modulo=enough is None and not evolution and bound is None,
        max_extra=_EXTRA if extra is None else extra,
    )
    return letter_rungs(limits)
