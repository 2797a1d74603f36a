"""Rotations and reflections of the plane as one integer each, a quarter of what a matrix takes.

Of cosine and sine the smaller is kept, since the other follows from it without loss: ±√(1 − smaller²). It is a whole
number of STEPs, above three bits: whether the matrix mirrors, whether the cosine is the smaller, and whether the
larger is negative. Flipping a column of the matrix changes bits and signs, but no digit.
"""

import numpy as np

from .compilation import compiled, inlined, part

STEP = 2.0**-28
MIRRORS, COSINE_IS_SMALLER, LARGER_IS_NEGATIVE = 1, 2, 4


@part
def nearest_in_the_plane(a, b, c, d, tolerance):
    """Cosine, sine and whether it mirrors, of the orthogonal matrix nearest to [[a, b], [c, d]].

    Where the matrix leaves one direction open, it is completed as near to the identity as possible.
    """
    determinant = a * d - b * c
    size = a * a + b * b + c * c + d * d
    is_degenerate = abs(determinant) <= tolerance * size
    mirrors = a + d < 0 if is_degenerate else determinant < 0
    cosine, sine = (a - d, c + b) if mirrors else (a + d, c - b)
    length = np.sqrt(cosine * cosine + sine * sine)
    return (cosine / length, sine / length, mirrors) if length > 0 else (1.0, 0.0, False)


@part
def code_of_nearest(a, b, c, d, tolerance):
    """The code of the orthogonal matrix nearest to [[a, b], [c, d]]."""
    cosine, sine, mirrors = nearest_in_the_plane(
        np.float64(a), np.float64(b), np.float64(c), np.float64(d), tolerance
    )
    is_swapped = abs(cosine) < abs(sine)
    smaller, larger = (cosine, sine) if is_swapped else (sine, cosine)
    bits = MIRRORS * mirrors + COSINE_IS_SMALLER * is_swapped + LARGER_IS_NEGATIVE * (larger < 0)
    return 8 * np.int64(np.rint(smaller / STEP)) + bits


@compiled
def code_rotations(matrices, tolerance, out):
    """out[e] = the code of the orthogonal matrix nearest to each matrix (n, 2, 2)."""
    for e in range(matrices.shape[0]):
        matrix = matrices[e]
        out[e] = code_of_nearest(matrix[0, 0], matrix[0, 1], matrix[1, 0], matrix[1, 1], tolerance)


@inlined
def read_rotation(code):
    """Cosine, sine and determinant of a rotation [[c, −s], [s, c]] or a reflection [[c, s], [s, −c]].

    Signs are factors and no branches, and the function is inlined: so loops over codes vectorise.
    """
    smaller = np.float32(code >> 3) * np.float32(STEP)
    sign = np.float32(1 - ((code & LARGER_IS_NEGATIVE) >> 1))
    determinant = np.float32(1 - 2 * (code & MIRRORS))
    larger = sign * np.sqrt(np.float32(1) - smaller * smaller)
    cosine = smaller if code & COSINE_IS_SMALLER else larger
    sine = larger if code & COSINE_IS_SMALLER else smaller
    return cosine, sine, determinant
