"""Coins that do not depend on who flips them, or when: numbers made from a seed, a node, a step and a replicate.

The generator is Philox 4x32 with ten rounds (Salmon, Moraes, Dror and Shaw, 2011): a keyed scrambling of a counter. The
key is the seed; the counter says which coin it is. So a run is the same to the bit for any number of threads, any
kernel and any order in which nodes are looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.arrays import Array

MOVES, ACTIVATIONS, FAULTS = range(3)
"""What a coin is for: numbers for one purpose tell nothing about those for another."""
MAX_STEPS = 2**48
MAX_REPLICATES = 2**32

# All arithmetic is in unsigned 64-bit numbers, so that the same functions serve numbers, arrays and compiled kernels.
_U = np.uint64
_LEFT, _RIGHT = _U(0xD2511F53), _U(0xCD9E8D57)
_FIRST, _SECOND = _U(0x9E3779B9), _U(0xBB67AE85)
_MASK, _HALF, _FIVE, _SIX, _SIXTEEN, _TOP = _U(2**32 - 1), _U(32), _U(5), _U(6), _U(16), _U(26)
_GRAIN = 2.0**-53
_LOG_TWO = 0.6931471805599453


def philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> tuple[Any, Any, Any, Any]:
    """Four 32-bit numbers from a counter of four and a key of two, all uint64."""
    for _ in range(10):
        left = c0 * _LEFT
        right = c2 * _RIGHT
        c0, c1, c2, c3 = (right >> _HALF) ^ c1 ^ k0, right & _MASK, (left >> _HALF) ^ c3 ^ k1, left & _MASK
        k0 = (k0 + _FIRST) & _MASK
        k1 = (k1 + _SECOND) & _MASK
    return c0, c1, c2, c3


def coin(purpose: Any, node: Any, step: Any, replicate: Any, k0: Any, k1: Any) -> Any:
    """A number from 0 to 2^53 - 1, each equally likely; all uint64. Kernels bind ``philox`` as well."""
    high, low, _, _ = philox(node, step & _MASK, (step >> _HALF) | (purpose << _SIXTEEN), replicate, k0, k1)
    return ((high >> _FIVE) << _TOP) | (low >> _SIX)


def key_of(seed: int) -> tuple[Any, Any]:
    """The key of a seed; seeds of 64 bits have keys of their own, longer ones are folded."""
    folded = 0
    while seed:
        folded ^= seed & (2**64 - 1)
        seed >>= 64
    return _U(folded & (2**32 - 1)), _U(folded >> 32)


def thresholds(outcomes: Array) -> Array:
    """For each distribution in units of 2^-53 the sums up to each state, uint64 [num_outcomes, num_states].

    The next state is the first whose sum is above the coin.
    """
    return np.cumsum(outcomes, axis=1).astype(np.uint64)


def below(number: Any, bound: Any) -> int:
    """A coin as an integer from 0 to ``bound - 1``, each equally likely up to one part in 2^22. For kernels too."""
    return min(int(float(number) * _GRAIN * float(bound)), int(bound) - 1)


def waiting(number: Any) -> float:
    """A coin as an exponential waiting time of mean 1: minus the logarithm of a number above 0 and up to 1.

    Made of additions, products and quotients alone, so that it is the same to the bit wherever it is computed.
    """
    share = (float(number) + 1.0) * _GRAIN
    halvings = 0.0
    while share < 0.75:
        share *= 2.0
        halvings += 1.0
    slope = (1.0 - share) / (1.0 + share)
    square = slope * slope
    total = 0.0
    for odd in (25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0):
        total = square * (1.0 / odd + total)
    return halvings * _LOG_TWO + 2.0 * slope * (1.0 + total)
