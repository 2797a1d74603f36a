"""Eigenvectors of many small symmetric matrices, by Householder's reduction and implicit QL steps.

A call of LAPACK costs more than the arithmetic for a matrix of 14 rows. Here a matrix A and the product Z of all
rotations stand side by side as [A | Z], and rows have a few zeros behind them. So nearly all inner loops run over
whole rows: they are vector instructions without remainders and without sums across them.
"""

import math

from .compilation import compiled, part

PADDED_TO = 16  # numbers in a row of A or Z; a multiple of what vector instructions take
MAX_STEPS = 60  # for one eigenvalue; it takes two or three
RELATIVE = 2.0**-53  # an off-diagonal entry of this part of its diagonal ones counts as zero
ABSOLUTE = 2.0**-60  # and one of this part of the largest entry of the matrix
TIE = 1e-6  # entries of an eigenvector that differ by this part count as equally large


def padded_width(k):
    """How long a row of A or Z is for matrices of k rows."""
    return -(-k // PADDED_TO) * PADDED_TO


@part
def load(matrices, n, both, width):
    """both = [A | 1] with A = the matrix n divided by its largest entry, which is returned; 1 for zeros."""
    k = both.shape[0]
    size = 0.0
    for i in range(k):
        for j in range(k):
            if abs(matrices[n, i, j]) > size:
                size = abs(matrices[n, i, j])
    size = size if size > 0 else 1.0
    for i in range(k):
        for j in range(width):
            both[i, j] = matrices[n, i, j] / size if j < k else 0.0
            both[i, width + j] = 1.0 if i == j else 0.0
    return size


@part
def tridiagonalize(both, width, diagonal, beside, v, p):
    """Make A tridiagonal by reflections 1 − τvvᵀ from both sides, and multiply Z by them. A is used up."""
    k = both.shape[0]
    for j in range(k - 1):
        diagonal[j] = both[j, j]
        first, total = both[j, j + 1], 0.0
        for t in range(j + 2, k):
            total += both[j, t] * both[j, t]
        length = -math.copysign(math.sqrt(first * first + total), first) if total > 0 else first
        beside[j] = length
        inverse = 1 / (first - length) if total > 0 else 0.0
        tau = (length - first) / length if total > 0 else 0.0
        for t in range(v.shape[0]):
            v[t] = both[j, t] * inverse if j + 1 < t < k else 0.0
            p[t] = 0.0
        v[j + 1] = 1.0
        for u in range(j + 1, k):
            factor = tau * v[u]
            for t in range(p.shape[0]):
                p[t] += factor * both[u, t]
        total = 0.0
        for u in range(j + 1, k):
            total += p[u] * v[u]
        # Beyond A the vector v is zero, so that only the left side of Z changes.
        for t in range(width):
            p[t] -= tau / 2 * total * v[t]
        for u in range(j + 1, k):
            v_u, p_u = v[u], p[u]
            for t in range(p.shape[0]):
                both[u, t] -= v_u * p[t] + p_u * v[t]
    diagonal[k - 1] = both[k - 1, k - 1]
    beside[k - 1] = 0.0


@part
def ql_steps(both, width, diagonal, beside, first):
    """Implicit QL steps until the entry ``first`` beside the diagonal is zero. The rows of Z turn with them."""
    for _ in range(MAX_STEPS):
        last = first
        while abs(beside[last]) > ABSOLUTE and abs(beside[last]) > RELATIVE * (
            abs(diagonal[last]) + abs(diagonal[last + 1])
        ):
            last += 1
        if last == first:
            break
        half = (diagonal[first + 1] - diagonal[first]) / (2 * beside[first])
        root = math.copysign(math.sqrt(half * half + 1), half)
        gap = diagonal[last] - diagonal[first] + beside[first] / (half + root)
        sine, cosine, shift = 1.0, 1.0, 0.0
        for i in range(last - 1, first - 1, -1):
            f, b = sine * beside[i], cosine * beside[i]
            length = math.sqrt(f * f + gap * gap)
            beside[i + 1] = length
            sine = f / length if length > 0 else 0.0
            cosine = gap / length if length > 0 else 1.0
            top = diagonal[i + 1] - shift
            change = (diagonal[i] - top) * sine + 2 * cosine * b
            shift = sine * change
            diagonal[i + 1] = top + shift
            gap = cosine * change - b
            for t in range(width, both.shape[1]):
                x, y = both[i, t], both[i + 1, t]
                both[i + 1, t] = sine * x + cosine * y
                both[i, t] = cosine * x - sine * y
        diagonal[first] -= shift
        beside[first] = gap
        beside[last] = 0.0


@part
def store(both, width, diagonal, size, n, values, vectors):
    """Write eigenvalues from the largest on, of equal ones the first place first, and eigenvectors with their signs.

    The largest entry of an eigenvector is positive; of equally large ones, the first. Rounding does not decide
    between these.
    """
    k = both.shape[0]
    for i in range(k):
        place, largest, sign = 0, 0.0, 0.0
        for j in range(1, k):
            if diagonal[place] == -math.inf or diagonal[j] > diagonal[place]:  # −∞ marks what was written
                place = j
        for t in range(width, width + k):
            if abs(both[place, t]) > largest:
                largest = abs(both[place, t])
        for t in range(width, width + k):
            if sign == 0 and abs(both[place, t]) >= (1 - TIE) * largest:
                sign = math.copysign(1.0, both[place, t])
        for t in range(k):
            vectors[n, i, t] = sign * both[place, width + t]
        values[n, i] = diagonal[place] * size
        diagonal[place] = -math.inf


@compiled
def eigen(matrices, values, vectors, both, diagonal, beside, v, p):
    """Eigenvalues of symmetric matrices (n, k, k), the largest first, and their eigenvectors as rows: (n, k, k).

    ``both`` (k, 2 padded_width(k)), ``diagonal`` and ``beside`` (k,), ``v`` and ``p``, as long as a row of ``both``,
    are room to work in.
    """
    width = both.shape[1] // 2
    for n in range(matrices.shape[0]):
        size = load(matrices, n, both, width)
        tridiagonalize(both, width, diagonal, beside, v, p)
        for first in range(both.shape[0]):
            ql_steps(both, width, diagonal, beside, first)
        store(both, width, diagonal, size, n, values, vectors)
