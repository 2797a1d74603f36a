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
    to_neighbor: np.ndarray  # (edges,) 1 if the edge i→j leads to a neighbour of i, else 0; a factor, so in float32
    from_neighbor: np.ndarray  # (edges,) 1 if i is a neighbour of j, else 0


@compiled
def fill_slots(indptr, indices, weights, to_neighbor, from_neighbor, slots, start, stop):
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
                slots.to_neighbor[edge] = to_neighbor[indptr[i] + number]
                slots.from_neighbor[edge] = from_neighbor[indptr[i] + number]
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
def gather_both(values, others, here, of_here, of_others, out):
    """out[e] = of_here[e]·here[e] + of_others[e]·values[j] for the points j = others[e]."""
    for e in range(others.shape[0]):
        out[e] = of_here[e] * here[e] + of_others[e] * values[uint32(others[e])]


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
def map_moments(transposed, slots, root, start, stop, moments):
    """W_i = Σ ω, μ_i = Σ ω z_ij/W_i and the lower triangle of S_i = Σ ω z_ij z_ijᵀ/W_i, over the neighbours j of i.

    ω = Q_ij^½. The rows of ``moments`` are W, the coordinates of μ, and the entries of S.
    """
    dim = transposed.shape[0]
    here, steps, means = (
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
    )
    scatter = np.empty((dim, dim, CHUNK), np.float32)
    omega, totals = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    for first in range(start, stop, CHUNK):
        points = slots.points[first : min(first + CHUNK, stop)]
        gather_columns(transposed, points, here)
        totals[:] = 0
        means[:] = 0
        scatter[:] = 0
        for slot in range(slots.first_slots[first // CHUNK], slots.first_slots[first // CHUNK + 1]):
            others = slots.targets[slots.starts[slot] : slots.starts[slot + 1]]
            counted = slots.to_neighbor[slots.starts[slot] : slots.starts[slot + 1]]
            measure_steps(transposed, others, here, steps, omega)
            for e in range(others.shape[0]):
                omega[e] = counted[e] * root[table_entry(omega[e])]
                totals[e] += omega[e]
            for a in range(dim):
                mean, step = means[a], steps[a]
                for e in range(others.shape[0]):
                    mean[e] += omega[e] * step[e]
                for b in range(a + 1):
                    product, other_step = scatter[a, b], steps[b]
                    for e in range(others.shape[0]):
                        product[e] += omega[e] * step[e] * other_step[e]
        for e in range(points.shape[0]):
            i = points[e]
            share = 1.0 / totals[e] if totals[e] > 0 else 0.0
            moments[0, i] = totals[e]
            for a in range(dim):
                moments[1 + a, i] = share * means[a, e]
            part = 1 + dim
            for a in range(dim):
                for b in range(a + 1):
                    moments[part, i] = share * scatter[a, b, e]
                    part += 1


@compiled
def exact_moments(embedding, indptr, indices, to_neighbor, a, b, start, stop, moments):
    """The same for an embedding of shape (m, d'), in float64 and without tables."""
    dim = embedding.shape[1]
    step = np.empty(dim)
    for i in range(start, stop):
        moments[:, i] = 0
        for e in range(indptr[i], indptr[i + 1]):
            if not to_neighbor[e]:
                continue
            squared = 0.0
            for c in range(dim):
                step[c] = np.float64(embedding[indices[e], c]) - np.float64(embedding[i, c])
                squared += step[c] * step[c]
            omega = 1 / np.sqrt(1 + a * squared**b)
            moments[0, i] += omega
            part = 1 + dim
            for first in range(dim):
                moments[1 + first, i] += omega * step[first]
                for second in range(first + 1):
                    moments[part, i] += omega * step[first] * step[second]
                    part += 1
        if moments[0, i] > 0:
            for part in range(1, moments.shape[0]):
                moments[part, i] /= moments[0, i]


@compiled_sums
def radii_along(frames, scatter, start, stop, radii):
    """radii[l, i] = v_ilᵀ S_i v_il, where column l of frames[i] is v_il and ``scatter`` has the lower triangles."""
    dim = frames.shape[1]
    for i in range(start, stop):
        for axis in range(dim):
            square = 0.0
            part = 0
            for a in range(dim):
                for b in range(a + 1):
                    times = 1.0 if a == b else 2.0
                    square += times * frames[i, a, axis] * scatter[part, i] * frames[i, b, axis]
                    part += 1
            radii[axis, i] = max(square, 0.0)


@compiled_sums
def sum_over_edges(values, slots, start, stop, sums):
    """sums[t, i] = Σ_j P_ij values[t, j]."""
    n_terms = values.shape[0]
    totals = np.empty((n_terms, CHUNK), np.float32)
    for first in range(start, stop, CHUNK):
        points = slots.points[first : min(first + CHUNK, stop)]
        totals[:] = 0
        for slot in range(slots.first_slots[first // CHUNK], slots.first_slots[first // CHUNK + 1]):
            others = slots.targets[slots.starts[slot] : slots.starts[slot + 1]]
            weights = slots.weights[slots.starts[slot] : slots.starts[slot + 1]]
            for t in range(n_terms):
                row, total = values[t], totals[t]
                for e in range(others.shape[0]):
                    total[e] += weights[e] * row[uint32(others[e])]
        for t in range(n_terms):
            for e in range(points.shape[0]):
                sums[t, points[e]] = totals[t, e]


@compiled_sums
def density_tensors(frames, means, radii, floors, slopes, sums, start, stop, tensors):
    """What the gradient of a function of log radii needs of every point, see `stretch`.

    slopes[0] and radii[0] are of the radius in all directions, the next ones of the radii along the frame. With
    h = slope/((R + ε) W) and M = Σ_l slope_l/((R_l + ε_l) W) v_l v_lᵀ the rows are the lower triangle of A = h I + M,
    u = M μ, and h R + Σ_l slope_l R_l/((R_l + ε_l) W) − μᵀu.
    """
    dim = frames.shape[1]
    worth = np.empty(dim + 1)
    moved = np.empty(dim)
    for i in range(start, stop):
        level = 0.0
        for row in range(dim + 1):
            worth[row] = slopes[row, i] / (sums[i] * (radii[row, i] + floors[row])) if sums[i] > 0 else 0.0
            level += worth[row] * radii[row, i]
        moved[:] = 0
        part = 0
        for a in range(dim):
            for b in range(a + 1):
                total = 0.0
                for axis in range(dim):
                    total += worth[1 + axis] * frames[i, a, axis] * frames[i, b, axis]
                moved[a] += total * means[b, i]
                if b < a:
                    moved[b] += total * means[a, i]
                tensors[part, i] = total + worth[0] if a == b else total
                part += 1
        for a in range(dim):
            tensors[part, i] = moved[a]
            part += 1
            level -= moved[a] * means[a, i]
        tensors[part, i] = level


@compiled_sums
def stretch(transposed, slots, root, pull, tensors, weight, start, stop, gradient):
    """Subtract weight·Σ_j ω[2(Az − u) + ½(c − zᵀAz + 2zᵀu)·pull·z] with z = z_ij, ω = Q_ij^½.

    That is the gradient of a function of all log radii. The step z_ij changes the radii of i if j is a neighbour of
    i, and those of j if i is a neighbour of j: A = A_i + A_j, u = u_i − u_j and c = c_i + c_j, each counted if it is.
    """
    dim = transposed.shape[0]
    level = tensors.shape[0] - 1
    first_mean = level - dim
    here, steps, stretched, totals = (
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
        np.empty((dim, CHUNK), np.float32),
    )
    own = np.empty((level + 1, CHUNK), np.float32)
    omega, inward, both = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    for first in range(start, stop, CHUNK):
        points = slots.points[first : min(first + CHUNK, stop)]
        gather_columns(transposed, points, here)
        gather_columns(tensors, points, own)
        totals[:] = 0
        for slot in range(slots.first_slots[first // CHUNK], slots.first_slots[first // CHUNK + 1]):
            edges = slice(slots.starts[slot], slots.starts[slot + 1])
            others, to_neighbor, from_neighbor = (
                slots.targets[edges],
                slots.to_neighbor[edges],
                slots.from_neighbor[edges],
            )
            degree = others.shape[0]
            measure_steps(transposed, others, here, steps, omega)
            gather_both(tensors[level], others, own[level], to_neighbor, from_neighbor, inward)
            stretched[:, :degree] = 0
            part = 0
            for a in range(dim):
                for b in range(a + 1):
                    gather_both(tensors[part], others, own[part], to_neighbor, from_neighbor, both)
                    part += 1
                    add_products(both, steps[b], degree, stretched[a])
                    if b < a:
                        add_products(both, steps[a], degree, stretched[b])
            for a in range(dim):
                step, stretched_along = steps[a], stretched[a]
                mean, own_mean = tensors[first_mean + a], own[first_mean + a]
                for e in range(degree):
                    both[e] = to_neighbor[e] * own_mean[e] - from_neighbor[e] * mean[uint32(others[e])]
                    inward[e] -= (stretched_along[e] - np.float32(2) * both[e]) * step[e]
                    stretched_along[e] -= both[e]
            for e in range(degree):
                entry = table_entry(omega[e])
                inward[e] *= np.float32(0.5) * pull[entry]
                omega[e] = root[entry]
            for c in range(dim):
                total, step, stretched_along = totals[c], steps[c], stretched[c]
                for e in range(degree):
                    total[e] += omega[e] * (np.float32(2) * stretched_along[e] + inward[e] * step[e])
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
