"""Numbers that look random and are the same in Python and on the page (`web/src/core/hash.ts`).

A number depends on a seed and a counter alone, so that anything can be drawn in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..values import IntArray

GOLDEN = 0x9E3779B9
FIRST, SECOND = np.uint32(0x7FEB352D), np.uint32(0x846CA68B)


def mixed(numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Other numbers of 32 bits: every bit of a result depends on every bit of its argument."""
    numbers = (numbers ^ (numbers >> np.uint32(16))) * FIRST
    numbers = (numbers ^ (numbers >> np.uint32(15))) * SECOND
    return numbers ^ (numbers >> np.uint32(16))


def hashed(seed: int, counters: np.ndarray) -> NDArray[np.uint32]:
    """The numbers of some counters, of 32 bits each: mixed(mixed(seed + 0x9E3779B9) ^ counter)."""
    start = mixed(np.array([(seed + GOLDEN) % 2**32], np.uint32))
    return mixed(start ^ counters.astype(np.uint32))


def sampled(numbers: IntArray, most: int, seed: int) -> IntArray:
    """At most so many of some numbers, in rising order: those of the smallest hash, and of equal ones the smaller."""
    if len(numbers) <= most:
        return np.sort(numbers)
    order = np.lexsort((numbers, hashed(seed, numbers)))
    return np.sort(numbers[order[:most]])
