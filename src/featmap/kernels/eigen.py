"""Leading eigenvectors of many small symmetric matrices, by Householder's reduction and implicit QL steps.

A call of LAPACK costs more than the arithmetic for a matrix of 14 rows. The steps need only the tridiagonal matrix.
Their rotations are noted, and then applied to the few eigenvectors that are asked for. A step waits for a root and a
quotient most of the time, so a few matrices take their steps together. Rows have a few zeros behind them, and all
eigenvectors of a matrix turn at once: those inner loops are vector instructions without remainders.
"""

import math

import numpy as np

from .compilation import compiled, part

PADDED_TO = 16  # numbers in a row of a matrix; a multiple of what vector instructions take
AXES_PADDED_TO = 4  # eigenvectors of a matrix that turn at once
AT_ONCE = 4  # matrices that take their steps together
MAX_STEPS = 60  # for one eigenvalue; it takes two or three
RELATIVE = 2.0**-53  # an off-diagonal entry of this part of its diagonal ones counts as zero
ABSOLUTE = 2.0**-60  # and one of this part of the largest entry of the matrix
TIE = 1e-6  # entries of an eigenvector that differ by this part count as equally large


@part
def load(matrices, n, square):
    """square = the matrix n divided by its largest entry, which is returned; 1 for zeros."""
    k = square.shape[0]
    size = 0.0
    for i in range(k):
        for j in range(k):
            if abs(matrices[n, i, j]) > size:
                size = abs(matrices[n, i, j])
    size = size if size > 0 else 1.0
    for i in range(k):
        for j in range(square.shape[1]):
            square[i, j] = matrices[n, i, j] / size if j < k else 0.0
    return size


@part
def tridiagonalize(square, diagonal, beside, reflections, factors, p):
    """Make a matrix tridiagonal by reflections 1 − τvvᵀ from both sides. The matrix is used up, v and τ are kept."""
    k, width = square.shape
    for j in range(k - 1):
        diagonal[j] = square[j, j]
        first, total = square[j, j + 1], 0.0
        for t in range(j + 2, k):
            total += square[j, t] * square[j, t]
        is_long = total > ABSOLUTE * ABSOLUTE  # the squares of shorter rows may have lost their digits
        length = -math.copysign(math.sqrt(first * first + total), first) if is_long else first
        beside[j] = length
        inverse = 1 / (first - length) if is_long else 0.0
        tau = (length - first) / length if is_long else 0.0
        factors[j], v = tau, reflections[j]
        for t in range(v.shape[0]):
            v[t] = square[j, t] * inverse if j + 1 < t < k else 0.0
            p[t] = 0.0
        v[j + 1] = 1.0
        for u in range(j + 1, k):
            factor = tau * v[u]
            for t in range(width):
                p[t] += factor * square[u, t]
        total = 0.0
        for u in range(j + 1, k):
            total += p[u] * v[u]
        for t in range(width):
            p[t] -= tau / 2 * total * v[t]
        for u in range(j + 1, k):
            v_u, p_u = v[u], p[u]
            for t in range(width):
                square[u, t] -= v_u * p[t] + p_u * v[t]
    diagonal[k - 1] = square[k - 1, k - 1]
    beside[k - 1] = 0.0


@part
def begin_steps(diagonal, beside, first, state, lasts):
    """Begin an implicit QL step of each matrix whose entry ``first`` beside the diagonal is not zero yet.

    It turns the rows from ``first`` to ``lasts[n]``. Returns the largest of these, which is ``first`` if none begins.
    """
    furthest = first
    for n in range(lasts.shape[0]):
        last = first
        while abs(beside[last, n]) > ABSOLUTE and abs(beside[last, n]) > RELATIVE * (
            abs(diagonal[last, n]) + abs(diagonal[last + 1, n])
        ):
            last += 1
        lasts[n] = last
        if last > first:
            half = (diagonal[first + 1, n] - diagonal[first, n]) / (2 * beside[first, n])
            root = math.copysign(math.sqrt(half * half + 1), half)
            state[0, n] = diagonal[last, n] - diagonal[first, n] + beside[first, n] / (half + root)
            state[1, n], state[2, n], state[3, n] = 1.0, 1.0, 0.0
        furthest = max(furthest, last)
    return furthest


@part
def turn_rows(diagonal, beside, i, state, lasts, rotation):
    """One rotation of the rows i and i + 1 of each matrix, as a cosine and a sine. Matrices that rest are not turned.

    What follows in one matrix waits for a root and a quotient. Those of other matrices are computed meanwhile.
    """
    for n in range(lasts.shape[0]):
        if i < lasts[n]:
            gap, cosine, sine, shift = state[0, n], state[1, n], state[2, n], state[3, n]
            f, b = sine * beside[i, n], cosine * beside[i, n]
            length = math.sqrt(f * f + gap * gap)
            beside[i + 1, n] = length
            inverse = 1 / length if length > 0 else 0.0
            sine = f * inverse
            cosine = gap * inverse if length > 0 else 1.0
            top = diagonal[i + 1, n] - shift
            change = (diagonal[i, n] - top) * sine + 2 * cosine * b
            shift = sine * change
            diagonal[i + 1, n] = top + shift
            state[0, n], state[1, n], state[2, n], state[3, n] = cosine * change - b, cosine, sine, shift
            rotation[n, 0], rotation[n, 1] = cosine, sine
        else:
            rotation[n, 0], rotation[n, 1] = 1.0, 0.0


@part
def diagonalize(diagonal, beside, state, lasts, rotations, places):
    """Implicit QL steps until all entries beside the diagonals are zero. Returns how many rotations are noted.

    Each is noted with the place of the first of the two rows that it turns.
    """
    n_rotations = 0
    for first in range(diagonal.shape[0]):
        for _ in range(MAX_STEPS):
            furthest = begin_steps(diagonal, beside, first, state, lasts)
            if furthest == first:
                break
            for i in range(furthest - 1, first - 1, -1):
                turn_rows(diagonal, beside, i, state, lasts, rotations[n_rotations])
                places[n_rotations] = i
                n_rotations += 1
            for n in range(lasts.shape[0]):
                if lasts[n] > first:
                    diagonal[first, n] -= state[3, n]
                    beside[first, n] = state[0, n]
                    beside[lasts[n], n] = 0.0
    return n_rotations


@part
def begin_vectors(diagonal, size, n, values, turned):
    """Write eigenvalues from the largest on, of equal ones the first place first. Column a of ``turned`` has 1 at the
    place of the eigenvalue a, and zeros else.
    """
    k = turned.shape[0]
    turned[:] = 0.0
    for i in range(k):
        place = 0
        for j in range(1, k):
            if diagonal[place] == -math.inf or diagonal[j] > diagonal[place]:  # −∞ marks what was written
                place = j
        if i < turned.shape[1]:
            turned[place, i] = 1.0
        values[n, i] = diagonal[place] * size
        diagonal[place] = -math.inf


@part
def turn_back(turned, rotations, places, reflections, factors, sums):
    """Apply rotations and then reflections, the last ones first: the columns become eigenvectors of the matrix."""
    k, n_columns = turned.shape
    for r in range(rotations.shape[0] - 1, -1, -1):
        cosine, sine, above, below = rotations[r, 0], rotations[r, 1], turned[places[r]], turned[places[r] + 1]
        for a in range(n_columns):
            x, y = above[a], below[a]
            above[a] = cosine * x + sine * y
            below[a] = cosine * y - sine * x
    for j in range(k - 2, -1, -1):
        v = reflections[j]
        for a in range(n_columns):
            sums[a] = 0.0
        for u in range(j + 1, k):
            weight = factors[j] * v[u]
            for a in range(n_columns):
                sums[a] += weight * turned[u, a]
        for u in range(j + 1, k):
            v_u = v[u]
            for a in range(n_columns):
                turned[u, a] -= v_u * sums[a]


@part
def store(turned, n, vectors):
    """Write eigenvectors with their signs: the largest entry is positive; of equally large ones, the first.

    Rounding does not decide between these.
    """
    for a in range(vectors.shape[1]):
        largest, sign = 0.0, 0.0
        for t in range(turned.shape[0]):
            largest = max(largest, abs(turned[t, a]))
        for t in range(turned.shape[0]):
            if sign == 0 and abs(turned[t, a]) >= (1 - TIE) * largest:
                sign = math.copysign(1.0, turned[t, a])
        for t in range(turned.shape[0]):
            vectors[n, a, t] = sign * turned[t, a] + 0.0  # no zero has a sign, which would depend on other matrices


@compiled
def eigen(
    matrices, values, vectors, square, p, reflections, factors, tridiagonal, state, lasts, rotations, places, turned
):
    """Eigenvalues of symmetric matrices (n, k, k), the largest first, and the first eigenvectors, as rows: (n, q, k).

    AT_ONCE matrices take their steps together. If fewer are left, the last one takes the place of those missing. The
    arrays after ``vectors`` are the room of `room_for_eigen`.
    """
    diagonal, beside = tridiagonal[0], tridiagonal[1]
    n_matrices, sizes = matrices.shape[0], state[4]
    for start in range(0, n_matrices, AT_ONCE):
        for e in range(AT_ONCE):
            sizes[e] = load(matrices, min(start + e, n_matrices - 1), square)
            tridiagonalize(square, diagonal[:, e], beside[:, e], reflections[e], factors[e], p)
        n_rotations = diagonalize(diagonal, beside, state, lasts, rotations, places)
        for e in range(min(AT_ONCE, n_matrices - start)):
            begin_vectors(diagonal[:, e], sizes[e], start + e, values, turned)
            turn_back(turned, rotations[:n_rotations, e], places, reflections[e], factors[e], p)
            store(turned, start + e, vectors)


def room_for_eigen(k, n_axes):
    """Arrays that `eigen` works in, for so many rows of a matrix and so many eigenvectors of it."""
    width, n_columns = _padded(k, PADDED_TO), _padded(n_axes, AXES_PADDED_TO)
    most_rotations = MAX_STEPS * k * (k + 1) // 2  # memory that is not written takes no room
    return (
        np.empty((k, width)),
        np.empty(max(width, n_columns)),
        np.empty((AT_ONCE, k, width)),
        np.empty((AT_ONCE, k)),
        np.empty((2, k, AT_ONCE)),
        np.empty((5, AT_ONCE)),
        np.empty(AT_ONCE, np.int64),
        np.empty((most_rotations, AT_ONCE, 2)),
        np.empty(most_rotations, np.int32),
        np.empty((k, n_columns)),
    )


def _padded(n, step):
    return -(-n // step) * step
