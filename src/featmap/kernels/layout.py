"""Loops of the layout. Points are given by columns, coordinates[c, i], so that gathers along neighbours vectorise.

Every kernel adds to the gradient of the points ``start:stop`` only, reading all others as they were when the epoch
began. Functions of the squared distance s come from tables indexed by the leading bits of s as a float32.
"""

import numpy as np
from numba import uint32

from .compilation import compiled_sums, inlined
from .random import below, scrambled

# A table has one entry for every exponent and leading mantissa bits, from 2^FIRST_OCTAVE on.
MANTISSA_BITS = 7
FIRST_OCTAVE = -24
OCTAVES = 44
TABLE_SIZE = OCTAVES << MANTISSA_BITS
_SHIFT = np.int32(23 - MANTISSA_BITS)
_FIRST = np.int32((127 + FIRST_OCTAVE) << MANTISSA_BITS)
_LAST = np.int32(TABLE_SIZE - 1)


@inlined
def table_place(squared):
    """Where a function of the squared distance stands in its table; distances beyond it share its ends."""
    place = (np.float32(squared).view(np.int32) >> _SHIFT) - _FIRST
    return uint32(min(max(place, np.int32(0)), _LAST))


@inlined
def clipped(value, limit):
    return min(max(value, -limit), limit)


@compiled_sums
def attract(coordinates, indptr, indices, weights, pull, limit, start, stop, gradient):
    """Add 2 Σ_j P_ij ∂log Q_ij/∂y_i: every vertex counts each of its edges twice, since it moves only itself."""
    dim = coordinates.shape[0]
    longest = 0
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i])
    squared = np.empty(longest, np.float32)
    for i in range(start, stop):
        first = indptr[i]
        degree = indptr[i + 1] - first
        squared[:degree] = 0
        for c in range(dim):
            here = coordinates[c, i]
            for e in range(degree):
                step = coordinates[c, uint32(indices[first + e])] - here
                squared[e] += step * step
        for e in range(degree):
            squared[e] = pull[table_place(squared[e])]
        for c in range(dim):
            here = coordinates[c, i]
            total = np.float32(0)
            for e in range(degree):
                step = coordinates[c, uint32(indices[first + e])] - here
                total += weights[first + e] * clipped(squared[e] * step, limit)
            gradient[c, i] += np.float32(2) * total


@compiled_sums
def repel(coordinates, rates, push, limit, n_draws, key, other_key, start, stop, gradient):
    """Add rates[i]·Σ ∂log(1 − Q_ij)/∂y_i over n_draws points j drawn uniformly from all."""
    dim, n_points = coordinates.shape
    drawn = np.empty(n_draws, np.uint32)
    squared = np.empty(n_draws, np.float32)
    for i in range(start, stop):
        for e in range(n_draws):
            drawn[e] = below(scrambled(uint32(i * n_draws + e), key, other_key), n_points)
        squared[:] = 0
        for c in range(dim):
            here = coordinates[c, i]
            for e in range(n_draws):
                step = coordinates[c, drawn[e]] - here
                squared[e] += step * step
        for e in range(n_draws):
            squared[e] = push[table_place(squared[e])]
        for c in range(dim):
            here = coordinates[c, i]
            total = np.float32(0)
            for e in range(n_draws):
                total += clipped(squared[e] * (coordinates[c, drawn[e]] - here), limit)
            gradient[c, i] -= rates[i] * total


@compiled_sums
def scatter(coordinates, indptr, indices, similarity, start, stop, out, sums):
    """S_i = Σ_j φ z_ij z_ijᵀ and W_i = Σ_j φ over the edges of i, φ = Q_ij; S is symmetric, out is (d', d', m)."""
    dim = coordinates.shape[0]
    longest = 0
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i])
    steps = np.empty((dim, longest), np.float32)
    phi = np.empty(longest, np.float32)
    for i in range(start, stop):
        first = indptr[i]
        degree = indptr[i + 1] - first
        phi[:degree] = 0
        for c in range(dim):
            here = coordinates[c, i]
            for e in range(degree):
                step = coordinates[c, uint32(indices[first + e])] - here
                steps[c, e] = step
                phi[e] += step * step
        total = np.float32(0)
        for e in range(degree):
            phi[e] = similarity[table_place(phi[e])]
            total += phi[e]
        sums[i] = total
        for a in range(dim):
            for b in range(a + 1):
                total = np.float32(0)
                for e in range(degree):
                    total += phi[e] * steps[a, e] * steps[b, e]
                out[a, b, i] = total
                out[b, a, i] = total


@compiled_sums
def stretch(coordinates, indptr, indices, similarity, pull, tensor, level, weight, start, stop, gradient):
    """Subtract weight·Σ_j φ[2Mz + (c − zᵀMz)·pull·z] with M = M_i + M_j and c = c_i + c_j, z = z_ij.

    That is the gradient of a function of all log radii: z_ij moves the radii of i and those of j, and since the
    expression is odd in z both ends share the same z. M_i (tensor, (d', d', m)) and c_i (level) hold the slopes.
    """
    dim = coordinates.shape[0]
    longest = 0
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i])
    steps = np.empty((dim, longest), np.float32)
    turned = np.empty((dim, longest), np.float32)
    phi = np.empty(longest, np.float32)
    along = np.empty(longest, np.float32)
    for i in range(start, stop):
        first = indptr[i]
        degree = indptr[i + 1] - first
        phi[:degree] = 0
        for c in range(dim):
            here = coordinates[c, i]
            for e in range(degree):
                step = coordinates[c, uint32(indices[first + e])] - here
                steps[c, e] = step
                phi[e] += step * step
        for e in range(degree):
            along[e] = level[i] + level[uint32(indices[first + e])]
        for a in range(dim):
            turned[a, :degree] = 0
            for b in range(dim):
                here = tensor[a, b, i]
                for e in range(degree):
                    turned[a, e] += (here + tensor[a, b, uint32(indices[first + e])]) * steps[b, e]
            for e in range(degree):
                along[e] -= turned[a, e] * steps[a, e]
        for e in range(degree):
            place = table_place(phi[e])
            phi[e] = similarity[place]
            along[e] *= pull[place]
        for c in range(dim):
            total = np.float32(0)
            for e in range(degree):
                total += phi[e] * (np.float32(2) * turned[c, e] + along[e] * steps[c, e])
            gradient[c, i] -= weight * total


@compiled_sums
def adam_step(coordinates, gradient, mean, square, rate, decay, square_decay, epsilon, start, stop):
    """Move along the gradient by Adam's rule and clear it; ``rate`` has the bias correction in it."""
    for c in range(coordinates.shape[0]):
        for i in range(start, stop):
            g = gradient[c, i]
            mean[c, i] = decay * mean[c, i] + (np.float32(1) - decay) * g
            square[c, i] = square_decay * square[c, i] + (np.float32(1) - square_decay) * g * g
            coordinates[c, i] += rate * mean[c, i] / (np.sqrt(square[c, i]) + epsilon)
            gradient[c, i] = 0
