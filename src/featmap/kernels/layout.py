"""Loops of the layout. Points are given by columns, coordinates[c, i], so that gathers along neighbours vectorise.

Every kernel adds to the gradient of the points ``start:stop`` only, reading all others as they were when the epoch
began. Functions of the squared distance s come from tables indexed by the leading bits of s as a float32.
"""

import numpy as np
from numba import uint32

from .compilation import compiled, compiled_sums, inlined
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
def map_radii(coordinates, indptr, indices, frames, similarity, start, stop, radii, sums):
    """R^e_il = Σ_j φ (v_il·z_ij)²/W_i with φ = Q_ij and W_i = Σ_j φ, over the edges of i."""
    dim = coordinates.shape[0]
    step = np.empty(dim)
    for i in range(start, stop):
        radii[i, :] = 0
        sums[i] = 0
        for e in range(indptr[i], indptr[i + 1]):
            squared = np.float32(0)
            for c in range(dim):
                z = coordinates[c, uint32(indices[e])] - coordinates[c, i]
                step[c] = z
                squared += z * z
            phi = similarity[table_place(squared)]
            sums[i] += phi
            for axis in range(dim):
                along = 0.0
                for c in range(dim):
                    along += frames[i, c, axis] * step[c]
                radii[i, axis] += phi * along * along
        if sums[i] > 0:
            for axis in range(dim):
                radii[i, axis] /= sums[i]


@compiled_sums
def add_radius_gradient(step, phi, pull, frame, radii, floor, slopes, total, out):
    """Add Σ_l slope_l ∂r_l/∂z = Σ_l slope_l (φ/W)[2pv − p²D + R D]/(R + ε), D = pull·z, p = v·z."""
    dim = step.shape[0]
    for axis in range(dim):
        along = 0.0
        for c in range(dim):
            along += frame[c, axis] * step[c]
        weight = slopes[axis] * phi / (total * (radii[axis] + floor[axis]))
        for c in range(dim):
            out[c] += weight * (2 * along * frame[c, axis] + (radii[axis] - along * along) * pull * step[c])


@compiled
def spread(
    coordinates,
    indptr,
    indices,
    frames,
    similarity,
    pull,
    radii,
    floor,
    sums,
    slopes,
    weight,
    limit,
    start,
    stop,
    gradient,
):
    """Add weight·∂/∂y_i of a function of all log radii with the given slopes ∂/∂r_il.

    z_ij moves r_i, and r_j as well: the radius gradient is odd in z, so the same step serves both ends.
    """
    dim = coordinates.shape[0]
    step = np.empty(dim)
    total = np.empty(dim)
    for i in range(start, stop):
        total[:] = 0
        for e in range(indptr[i], indptr[i + 1]):
            j = uint32(indices[e])
            squared = np.float32(0)
            for c in range(dim):
                z = coordinates[c, j] - coordinates[c, i]
                step[c] = z
                squared += z * z
            place = table_place(squared)
            phi = similarity[place]
            add_radius_gradient(step, phi, pull[place], frames[i], radii[i], floor, slopes[i], sums[i], total)
            add_radius_gradient(step, phi, pull[place], frames[j], radii[j], floor, slopes[j], sums[j], total)
        for c in range(dim):
            gradient[c, i] -= weight * clipped(total[c], limit)


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
