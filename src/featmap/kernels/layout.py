"""Loops of the layout. The embedding is transposed, transposed[c, i], so that loops over points vectorise.

Every kernel adds to the gradient of the points ``start:stop`` only. It reads all other points as they were when the
epoch began. ``start`` is a multiple of CHUNK. Functions of the squared distance s come from tables, which are indexed
by the leading bits of s as a float32.
"""

from typing import NamedTuple

import numpy as np
from numba import uint32

from .compilation import compiled, compiled_sums, inlined

# The number of points that are processed together. The sums of a chunk stay in the first-level cache.
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


class Slots(NamedTuple):
    """The edges of a graph by chunks of points. Slot s of a chunk holds the edge number s of each of its points.

    The innermost loop then runs over points rather than over the few edges of one point, without sums across a
    vector. The points of a chunk are sorted by falling number of edges, so a slot belongs to its first points.
    """

    points: np.ndarray  # (m,) chunk after chunk, sorted within each chunk
    first_slots: np.ndarray  # (chunks + 1,) the first slot of each chunk
    starts: np.ndarray  # (slots + 1,) where each slot's edges begin
    targets: np.ndarray  # (edges,)
    weights: np.ndarray  # (edges,)


@compiled
def fill_slots(indptr, indices, weights, slots, start, stop):
    """Sort the edges of the points start:stop, given as a CSR matrix, into their slots."""
    for first in range(start, stop, CHUNK):
        members = slots.points[first : min(first + CHUNK, stop)]
        chunk = first // CHUNK
        edge = indptr[first]
        for slot in range(slots.first_slots[chunk], slots.first_slots[chunk + 1]):
            slots.starts[slot] = edge
            number = slot - slots.first_slots[chunk]
            for i in members:
                if indptr[i] + number >= indptr[i + 1]:
                    break
                slots.targets[edge] = indices[indptr[i] + number]
                slots.weights[edge] = weights[indptr[i] + number]
                edge += 1


@inlined
def gather_columns(values, points, out):
    """out[:, e] = values[:, points[e]]."""
    for c in range(values.shape[0]):
        row, here = values[c], out[c]
        for e in range(points.shape[0]):
            here[e] = row[uint32(points[e])]


@inlined
def measure_steps(transposed, others, here, steps, squared):
    """steps[c, e] = y_j[c] − here[c, e] and squared[e] = Σ_c steps[c, e]², for the points j = others[e]."""
    squared[: others.shape[0]] = 0
    for c in range(transposed.shape[0]):
        row, origin, step = transposed[c], here[c], steps[c]
        for e in range(others.shape[0]):
            step[e] = row[uint32(others[e])] - origin[e]
            squared[e] += step[e] * step[e]


@inlined
def gather_sums(values, others, here, out):
    """out[e] = here[e] + values[j] for the points j = others[e]."""
    for e in range(others.shape[0]):
        out[e] = here[e] + values[uint32(others[e])]


@compiled_sums
def attract(transposed, slots, pull, limit, start, stop, gradient):
    """Add 2 Σ_j P_ij ∂log Q_ij/∂y_i. The factor 2 is there because the edges i→j and j→i both depend on y_i."""
    dim = transposed.shape[0]
    here, steps, totals = (
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
    )
    coefficient = np.empty(CHUNK, np.float32)
    for first in range(start, stop, CHUNK):
        points = slots.points[first : min(first + CHUNK, stop)]
        gather_columns(transposed, points, here)
        totals[:] = 0
        for slot in range(slots.first_slots[first // CHUNK], slots.first_slots[first // CHUNK + 1]):
            others = slots.targets[slots.starts[slot] : slots.starts[slot + 1]]
            weights = slots.weights[slots.starts[slot] : slots.starts[slot + 1]]
            measure_steps(transposed, others, here, steps, coefficient)
            for e in range(others.shape[0]):
                coefficient[e] = pull[table_entry(coefficient[e])]
            for c in range(dim):
                total, step = totals[c], steps[c]
                for e in range(others.shape[0]):
                    total[e] += weights[e] * clipped(coefficient[e] * step[e], limit)
        for c in range(dim):
            for e in range(points.shape[0]):
                gradient[c, points[e]] += np.float32(2) * totals[c, e]


@compiled_sums
def repel(transposed, pool, windows, rates, push, limit, start, stop, gradient):
    """Add rates[i]·Σ_j ∂log(1 − Q_ij)/∂y_i over points j of the pool, one from each window of the chunk of i.

    The points of a chunk take consecutive points of the pool from the start of the window on. This needs neither
    gathers nor random numbers.
    """
    dim = transposed.shape[0]
    steps, totals = np.empty((dim, CHUNK), np.float32), np.empty((dim, CHUNK), np.float32)
    coefficient = np.empty(CHUNK, np.float32)
    for first in range(start, stop, CHUNK):
        n_points = min(first + CHUNK, stop) - first
        totals[:] = 0
        for window in windows[first // CHUNK]:
            coefficient[:] = 0
            for c in range(dim):
                other, origin, step = pool[c, window : window + n_points], transposed[c, first:], steps[c]
                for e in range(n_points):
                    step[e] = other[e] - origin[e]
                    coefficient[e] += step[e] * step[e]
            for e in range(n_points):
                coefficient[e] = push[table_entry(coefficient[e])]
            for c in range(dim):
                total, step = totals[c], steps[c]
                for e in range(n_points):
                    total[e] += clipped(coefficient[e] * step[e], limit)
        for c in range(dim):
            for e in range(n_points):
                gradient[c, first + e] -= rates[first + e] * totals[c, e]


@compiled_sums
def map_radii(transposed, slots, frames, similarity, start, stop, radii, sums):
    """R_li = v_ilᵀ S_i v_il/W_i with S_i = Σ_j φ z_ij z_ijᵀ and W_i = Σ_j φ over the edges of i, φ = Q_ij."""
    dim = transposed.shape[0]
    here, steps = np.empty((dim, CHUNK), np.float32), np.empty((dim, CHUNK), np.float32)
    scatter = np.empty((dim, dim, CHUNK), np.float32)
    phi, totals = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    for first in range(start, stop, CHUNK):
        points = slots.points[first : min(first + CHUNK, stop)]
        gather_columns(transposed, points, here)
        totals[:] = 0
        scatter[:] = 0
        for slot in range(slots.first_slots[first // CHUNK], slots.first_slots[first // CHUNK + 1]):
            others = slots.targets[slots.starts[slot] : slots.starts[slot + 1]]
            measure_steps(transposed, others, here, steps, phi)
            for e in range(others.shape[0]):
                phi[e] = similarity[table_entry(phi[e])]
                totals[e] += phi[e]
            for a in range(dim):
                for b in range(a + 1):
                    product, step, other_step = scatter[a, b], steps[a], steps[b]
                    for e in range(others.shape[0]):
                        product[e] += phi[e] * step[e] * other_step[e]
        for e in range(points.shape[0]):
            i = points[e]
            sums[i] = totals[e]
            for axis in range(dim):
                square = 0.0
                for a in range(dim):
                    square += frames[i, a, axis] * scatter[a, a, e] * frames[i, a, axis]
                    for b in range(a):
                        square += 2 * frames[i, a, axis] * scatter[a, b, e] * frames[i, b, axis]
                radii[axis, i] = max(square, 0.0) / totals[e] if totals[e] > 0 else 0.0


@compiled
def exact_radii(embedding, indptr, indices, frames, a, b, start, stop, radii):
    """The radii R_li as radii[i, l] for an embedding of shape (m, d'), in float64 and without tables."""
    dim = embedding.shape[1]
    step = np.empty(dim)
    for i in range(start, stop):
        radii[i] = 0
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            squared = 0.0
            for c in range(dim):
                step[c] = np.float64(embedding[indices[e], c]) - np.float64(embedding[i, c])
                squared += step[c] * step[c]
            phi = 1 / (1 + a * squared**b)
            total += phi
            for axis in range(dim):
                along = 0.0
                for c in range(dim):
                    along += step[c] * frames[i, c, axis]
                radii[i, axis] += phi * along * along
        for axis in range(dim):
            radii[i, axis] = radii[i, axis] / total if total > 0 else 0.0


@compiled_sums
def density_tensors(frames, data, logs, radii, sums, slopes, start, stop, tensors):
    """The lower triangle of M_i = Σ_l g_li v_il v_ilᵀ, and in the last row c_i = Σ_l g_li R_li.

    g_li = ∂Corr_l/∂r_li /(W_i (R_li + ε_l)) is the slope of the correlation by Σφ(v·z)² around i. slopes[l] holds
    along, against and mean of `ShiftedCorrelation`, and ε_l.
    """
    dim = frames.shape[1]
    worth = np.empty(dim)
    for i in range(start, stop):
        level = 0.0
        for axis in range(dim):
            along, against, mean, floor = slopes[axis]
            slope = along * data[axis, i] - against * (logs[axis, i] - mean)
            worth[axis] = slope / (sums[i] * (radii[axis, i] + floor)) if sums[i] > 0 else 0.0
            level += worth[axis] * radii[axis, i]
        part = 0
        for a in range(dim):
            for b in range(a + 1):
                total = 0.0
                for axis in range(dim):
                    total += worth[axis] * frames[i, a, axis] * frames[i, b, axis]
                tensors[part, i] = total
                part += 1
        tensors[part, i] = level


@compiled_sums
def stretch(transposed, slots, similarity, pull, tensors, weight, start, stop, gradient):
    """Subtract weight·Σ_j φ[2Mz + (c − zᵀMz)·pull·z] with M = M_i + M_j and c = c_i + c_j, z = z_ij.

    That is the gradient of a function of all log radii. z_ij changes the radii of i and those of j. The expression
    is odd in z, so one z serves both ends of an edge.
    """
    dim = transposed.shape[0]
    level = tensors.shape[0] - 1
    here, steps, stretched, totals = (
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
    )
    own = np.empty((level + 1, CHUNK), np.float32)
    phi, inward, both = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    for first in range(start, stop, CHUNK):
        points = slots.points[first : min(first + CHUNK, stop)]
        gather_columns(transposed, points, here)
        gather_columns(tensors, points, own)
        totals[:] = 0
        for slot in range(slots.first_slots[first // CHUNK], slots.first_slots[first // CHUNK + 1]):
            others = slots.targets[slots.starts[slot] : slots.starts[slot + 1]]
            degree = others.shape[0]
            measure_steps(transposed, others, here, steps, phi)
            gather_sums(tensors[level], others, own[level], inward)
            stretched[:, :degree] = 0
            part = 0
            for a in range(dim):
                for b in range(a + 1):
                    gather_sums(tensors[part], others, own[part], both)
                    part += 1
                    add_products(both, steps[b], degree, stretched[a])
                    if b < a:
                        add_products(both, steps[a], degree, stretched[b])
            for a in range(dim):
                step, stretched_along = steps[a], stretched[a]
                for e in range(degree):
                    inward[e] -= stretched_along[e] * step[e]
            for e in range(degree):
                entry = table_entry(phi[e])
                inward[e] *= pull[entry]
                phi[e] = similarity[entry]
            for c in range(dim):
                total, step, stretched_along = totals[c], steps[c], stretched[c]
                for e in range(degree):
                    total[e] += phi[e] * (np.float32(2) * stretched_along[e] + inward[e] * step[e])
        for c in range(dim):
            for e in range(points.shape[0]):
                gradient[c, points[e]] -= weight * totals[c, e]


@inlined
def add_products(first, second, n_products, out):
    for e in range(n_products):
        out[e] += first[e] * second[e]


@compiled_sums
def adam_step(transposed, gradient, mean, square, rate, decay, square_decay, epsilon, start, stop, moved):
    """Move along the gradient by Adam's rule, then set the gradient to 0. ``rate`` includes the bias correction."""
    for c in range(transposed.shape[0]):
        for i in range(start, stop):
            g = gradient[c, i]
            mean[c, i] = decay * mean[c, i] + (np.float32(1) - decay) * g
            square[c, i] = square_decay * square[c, i] + (np.float32(1) - square_decay) * g * g
            moved[c, i] = transposed[c, i] + rate * mean[c, i] / (np.sqrt(square[c, i]) + epsilon)
            gradient[c, i] = 0
