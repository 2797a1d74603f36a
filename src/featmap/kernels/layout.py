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


@inlined
def longest_row(indptr, start, stop):
    longest = 0
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i])
    return longest


@inlined
def measure_steps(coordinates, i, others, steps, squared):
    """steps[c, e] = y_j − y_i and squared[e] = |y_j − y_i|² for the points j = others[e]."""
    n_others = others.shape[0]
    for e in range(n_others):
        squared[e] = 0
    for c in range(coordinates.shape[0]):
        here = coordinates[c, i]
        for e in range(n_others):
            step = coordinates[c, uint32(others[e])] - here
            steps[c, e] = step
            squared[e] += step * step


@inlined
def gather_sums(values, i, others, out):
    """out[e] = values[i] + values[j] for the points j = others[e]."""
    here = values[i]
    for e in range(others.shape[0]):
        out[e] = here + values[uint32(others[e])]


@compiled_sums
def attract(coordinates, indptr, indices, weights, pull, limit, start, stop, gradient):
    """Add 2 Σ_j P_ij ∂log Q_ij/∂y_i: every vertex counts each of its edges twice, since it moves only itself."""
    dim = coordinates.shape[0]
    longest = longest_row(indptr, start, stop)
    steps = np.empty((dim, longest), np.float32)
    coefficient = np.empty(longest, np.float32)
    for i in range(start, stop):
        first, last = indptr[i], indptr[i + 1]
        measure_steps(coordinates, i, indices[first:last], steps, coefficient)
        for e in range(last - first):
            coefficient[e] = pull[table_place(coefficient[e])]
        for c in range(dim):
            total = np.float32(0)
            for e in range(last - first):
                total += weights[first + e] * clipped(coefficient[e] * steps[c, e], limit)
            gradient[c, i] += np.float32(2) * total


@compiled_sums
def repel(coordinates, rates, push, limit, n_draws, key, other_key, start, stop, gradient):
    """Add rates[i]·Σ ∂log(1 − Q_ij)/∂y_i over n_draws points j drawn uniformly from all."""
    dim, n_points = coordinates.shape
    drawn = np.empty(n_draws, np.uint32)
    steps = np.empty((dim, n_draws), np.float32)
    coefficient = np.empty(n_draws, np.float32)
    for i in range(start, stop):
        for e in range(n_draws):
            drawn[e] = below(scrambled(uint32(i * n_draws + e), key, other_key), n_points)
        measure_steps(coordinates, i, drawn, steps, coefficient)
        for e in range(n_draws):
            coefficient[e] = push[table_place(coefficient[e])]
        for c in range(dim):
            total = np.float32(0)
            for e in range(n_draws):
                total += clipped(coefficient[e] * steps[c, e], limit)
            gradient[c, i] -= rates[i] * total


@compiled_sums
def map_radii(coordinates, indptr, indices, frames, similarity, start, stop, radii, sums):
    """R_li = v_ilᵀ S_i v_il/W_i with S_i = Σ_j φ z_ij z_ijᵀ and W_i = Σ_j φ over the edges of i, φ = Q_ij."""
    dim = coordinates.shape[0]
    longest = longest_row(indptr, start, stop)
    steps = np.empty((dim, longest), np.float32)
    phi = np.empty(longest, np.float32)
    scatter = np.empty((dim, dim), np.float32)
    for i in range(start, stop):
        first, last = indptr[i], indptr[i + 1]
        measure_steps(coordinates, i, indices[first:last], steps, phi)
        total = np.float32(0)
        for e in range(last - first):
            phi[e] = similarity[table_place(phi[e])]
            total += phi[e]
        sums[i] = total
        for a in range(dim):
            for b in range(a + 1):
                product = np.float32(0)
                for e in range(last - first):
                    product += phi[e] * steps[a, e] * steps[b, e]
                scatter[a, b] = product
                scatter[b, a] = product
        for axis in range(dim):
            square = 0.0
            for a in range(dim):
                for b in range(dim):
                    square += frames[i, a, axis] * scatter[a, b] * frames[i, b, axis]
            radii[axis, i] = max(square, 0.0) / total if total > 0 else 0.0


@compiled_sums
def density_tensors(frames, slopes, radii, start, stop, tensors, levels):
    """M_i = Σ_l slope_li v_il v_ilᵀ, by its lower triangle, and c_i = Σ_l slope_li R_li."""
    dim = frames.shape[1]
    for i in range(start, stop):
        level = 0.0
        for axis in range(dim):
            level += slopes[axis, i] * radii[axis, i]
        levels[i] = level
        place = 0
        for a in range(dim):
            for b in range(a + 1):
                total = 0.0
                for axis in range(dim):
                    total += slopes[axis, i] * frames[i, a, axis] * frames[i, b, axis]
                tensors[place, i] = total
                place += 1


@compiled_sums
def stretch(coordinates, indptr, indices, similarity, pull, tensors, levels, weight, start, stop, gradient):
    """Subtract weight·Σ_j φ[2Mz + (c − zᵀMz)·pull·z] with M = M_i + M_j and c = c_i + c_j, z = z_ij.

    That is the gradient of a function of all log radii: z_ij moves the radii of i and those of j, and since the
    expression is odd in z both ends share the same z.
    """
    dim = coordinates.shape[0]
    longest = longest_row(indptr, start, stop)
    steps = np.empty((dim, longest), np.float32)
    turned = np.empty((dim, longest), np.float32)
    phi = np.empty(longest, np.float32)
    inward = np.empty(longest, np.float32)
    both = np.empty(longest, np.float32)
    for i in range(start, stop):
        first, last = indptr[i], indptr[i + 1]
        degree = last - first
        measure_steps(coordinates, i, indices[first:last], steps, phi)
        gather_sums(levels, i, indices[first:last], inward)
        for a in range(dim):
            for e in range(degree):
                turned[a, e] = 0
        place = 0
        for a in range(dim):
            for b in range(a):
                gather_sums(tensors[place], i, indices[first:last], both)
                for e in range(degree):
                    turned[a, e] += both[e] * steps[b, e]
                for e in range(degree):
                    turned[b, e] += both[e] * steps[a, e]
                place += 1
            gather_sums(tensors[place], i, indices[first:last], both)
            for e in range(degree):
                turned[a, e] += both[e] * steps[a, e]
            place += 1
        for a in range(dim):
            for e in range(degree):
                inward[e] -= turned[a, e] * steps[a, e]
        for e in range(degree):
            inward[e] *= pull[table_place(phi[e])]
        for e in range(degree):
            phi[e] = similarity[table_place(phi[e])]
        for c in range(dim):
            total = np.float32(0)
            for e in range(degree):
                total += phi[e] * (np.float32(2) * turned[c, e] + inward[e] * steps[c, e])
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
