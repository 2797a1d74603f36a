"""Rows brought to unit size, or divided by their lengths."""

import math

import numpy as np

from .compilation import compiled

LARGEST = np.finfo(np.float64).max
MOST_EXPONENT = 1020  # powers of two beyond it, or their inverses, leave float64


@compiled
def divide_by_lengths(values, offsets, divided, lengths):
    """Divide the values offsets[i]:offsets[i + 1] of every row i by its length. Rows of zeros stay zero.

    Squares are added one by one, so that zeros between them change no bit. Values are multiplied by a power of two
    first, so that squares stay within float64. Lengths are as large as float64 holds them.
    """
    for i in range(len(lengths)):
        largest = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            largest = max(largest, abs(values[j]))
        power = math.ldexp(1.0, -min(max(math.frexp(largest)[1], -MOST_EXPONENT), MOST_EXPONENT))
        squares = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            value = values[j] * power
            squares += value * value
        length = math.sqrt(squares)
        for j in range(offsets[i], offsets[i + 1]):
            divided[j] = values[j] * power / (length if length > 0 else 1.0)
        lengths[i] = min(length / power, LARGEST)
