"""Products of matrices in blocks."""

from __future__ import annotations

import numpy as np

from graphfsa.aggregations._features import Array

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
        part = np.zeros((blocks * _ROWS, min(step, inner - begin)), np.float32)
        part[:rows] = first[:, begin : begin + step]
        result += part.reshape(blocks, _ROWS, -1) @ second[begin : begin + step]
    return result.reshape(blocks * _ROWS, columns)[:rows]
