"""Loops of the layout: each adds to the gradient of the points ``start:stop`` only, point by point along their edges.

Other points are read as they were when the epoch began. Functions of the squared distance s come from tables, which
are indexed by the leading bits of s as a float32. Sums over edges in the plane are written out: the compiler then
keeps them in registers, and they take a third of the time of loops over coordinates.
"""

import numpy as np
from numba import uint32

from .compilation import compiled_sums, inlined

# Points that draw from the same windows of the pool, see `repel`. Their sums stay in the first-level cache.
CHUNK = 256

# A table has one entry for each exponent and each value of the leading mantissa bits, from 2^FIRST_OCTAVE on.
MANTISSA_BITS = 7
FIRST_OCTAVE = -24
OCTAVES = 44
TABLE_SIZE = OCTAVES << MANTISSA_BITS
_SHIFT = np.int32(23 - MANTISSA_BITS)
_FIRST = np.int32((127 + FIRST_OCTAVE) << MANTISSA_BITS)
_LAST = np.int32(TABLE_SIZE - 1)


@inlined
def table_entry(squared):
    """The entry of a squared distance in a table. Distances outside the table use its first or last entry."""
    entry = (np.float32(squared).view(np.int32) >> _SHIFT) - _FIRST
    return uint32(min(max(entry, np.int32(0)), _LAST))


@inlined
def clipped(value, limit):
    return min(max(value, -limit), limit)


@compiled_sums
def attract(embedding, indptr, indices, weights, units, pull, limit, start, stop, gradient):
    """Add 2 Σ_j P_ij ∂log Q(s̃_ij)/∂y_i with z̃_ij = u_ij z_ij, where u_ij is the inverse unit of the edge.

    The factor 2 is there because the edges i→j and j→i both depend on y_i.
    """
    dim = embedding.shape[1]
    step = np.empty(dim, np.float32)
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            j, squared = uint32(indices[e]), np.float32(0)
            for c in range(dim):
                step[c] = units[e] * (embedding[j, c] - embedding[i, c])
                squared += step[c] * step[c]
            coefficient, weight = pull[table_entry(squared)], np.float32(2) * weights[e] * units[e]
            for c in range(dim):
                gradient[i, c] += weight * clipped(coefficient * step[c], limit)


@compiled_sums
def attract_in_the_plane(embedding, indptr, indices, weights, units, pull, limit, start, stop, gradient):
    """The same for two coordinates."""
    for i in range(start, stop):
        x, y = embedding[i, 0], embedding[i, 1]
        total_x, total_y = np.float32(0), np.float32(0)
        for e in range(indptr[i], indptr[i + 1]):
            j = uint32(indices[e])
            step_x, step_y = units[e] * (embedding[j, 0] - x), units[e] * (embedding[j, 1] - y)
            coefficient = pull[table_entry(step_x * step_x + step_y * step_y)]
            weight = weights[e] * units[e]
            total_x += weight * clipped(coefficient * step_x, limit)
            total_y += weight * clipped(coefficient * step_y, limit)
        gradient[i, 0] += np.float32(2) * total_x
        gradient[i, 1] += np.float32(2) * total_y


@compiled_sums
def repel(embedding, units, pool, windows, rates, push, limit, here, steps, totals, squared, start, stop, gradient):
    """Add rates[i]·Σ_j ∂log(1 − Q(ŝ_ij))/∂y_i over points j of the pool, one from each window of the chunk of i.

    ẑ_ij = u_i u_j z_ij with the inverse roots u of the units of both points; those of the pool are in its last row.
    The points of a chunk take consecutive points of the pool from the start of the window on. This needs neither
    gathers nor random numbers, and loops over points vectorise. ``start`` is a multiple of CHUNK. The four arrays
    before it are the room of `room_for_repulsion`; the last row of ``steps`` is for units, and
    ``squared`` has then the table's values.
    """
    dim = embedding.shape[1]
    for first in range(start, stop, CHUNK):
        n_points = CHUNK if first + CHUNK < stop else stop - first
        for c in range(dim):
            for e in range(n_points):
                here[c, e] = embedding[first + e, c]
                totals[c, e] = 0
        for draw in range(windows.shape[1]):
            window = windows[first // CHUNK, draw]
            for e in range(n_points):
                steps[dim, e] = units[first + e] * pool[dim, window + e]
                squared[e] = 0
            for c in range(dim):
                for e in range(n_points):
                    steps[c, e] = steps[dim, e] * (pool[c, window + e] - here[c, e])
                    squared[e] += steps[c, e] * steps[c, e]
            for e in range(n_points):
                squared[e] = push[table_entry(squared[e])]
            for c in range(dim):
                for e in range(n_points):
                    totals[c, e] += steps[dim, e] * clipped(squared[e] * steps[c, e], limit)
        for c in range(dim):
            for e in range(n_points):
                gradient[first + e, c] -= rates[first + e] * totals[c, e]


def room_for_repulsion(dim):
    """Arrays that `repel` works in, for the points of a chunk: positions, steps with units, sums, and squares."""
    sizes = dim, dim + 1, dim
    return *(np.empty((rows, CHUNK), np.float32) for rows in sizes), np.empty(CHUNK, np.float32)


@compiled_sums
def adam_step(embedding, gradient, mean, square, rate, decay, square_decay, epsilon, start, stop, moved):
    """Move along the gradient by Adam's rule, then set the gradient to 0. ``rate`` includes the bias correction.

    All arrays are flat, and ``start:stop`` counts coordinates.
    """
    for i in range(start, stop):
        g = gradient[i]
        mean[i] = decay * mean[i] + (np.float32(1) - decay) * g
        square[i] = square_decay * square[i] + (np.float32(1) - square_decay) * g * g
        moved[i] = embedding[i] + rate * mean[i] / (np.sqrt(square[i]) + epsilon)
        gradient[i] = 0
