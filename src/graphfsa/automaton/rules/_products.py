"""Products of matrices in blocks."""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array

_SMALL = 2**18
"""Up to so many multiplications OpenBLAS uses one thread. Waking up another costs more than a product here, and far
more on a machine that is busy: then the search would mostly wait."""
_ROWS = 8


def product(first: Array, second: Array) -> Array:
    """The product of two float32 matrices."""
    rows, inner = first.shape
    columns = second.shape[1]
    blocks = -(-rows // _ROWS)
    step = max(1, _SMALL // (_ROWS * max(columns, 1)))
    result = np.zeros((blocks, _ROWS, columns), np.float32)
    for begin in range(0, inner, step):
        width = min(step, inner - begin)
        part = np.zeros((blocks * _ROWS, width), np.float32)
        part[:rows] = first[:, begin : begin + width]
        result += part.reshape(blocks, _ROWS, width) @ second[begin : begin + width]
    return result.reshape(blocks * _ROWS, columns)[:rows]
