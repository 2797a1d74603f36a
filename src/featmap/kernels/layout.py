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
def attract(embedding, indptr, indices, weights, pull, limit, start, stop, gradient):
    """Add 2 Σ_j P_ij ∂log Q_ij/∂y_i. The factor 2 is there because the edges i→j and j→i both depend on y_i."""
    dim = embedding.shape[1]
    step = np.empty(dim, np.float32)
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            coefficient = pull[table_entry(measure_step(embedding, i, uint32(indices[e]), step))]
            for c in range(dim):
                gradient[i, c] += np.float32(2) * weights[e] * clipped(coefficient * step[c], limit)


@compiled_sums
def attract_in_the_plane(embedding, indptr, indices, weights, pull, limit, start, stop, gradient):
    """The same for two coordinates."""
    for i in range(start, stop):
        x, y = embedding[i, 0], embedding[i, 1]
        total_x, total_y = np.float32(0), np.float32(0)
        for e in range(indptr[i], indptr[i + 1]):
            j = uint32(indices[e])
            step_x, step_y = embedding[j, 0] - x, embedding[j, 1] - y
            coefficient = pull[table_entry(step_x * step_x + step_y * step_y)]
            total_x += weights[e] * clipped(coefficient * step_x, limit)
            total_y += weights[e] * clipped(coefficient * step_y, limit)
        gradient[i, 0] += np.float32(2) * total_x
        gradient[i, 1] += np.float32(2) * total_y


@inlined
def measure_step(embedding, i, j, step):
    """step = y_j − y_i, and its square."""
    squared = np.float32(0)
    for c in range(step.shape[0]):
        step[c] = embedding[j, c] - embedding[i, c]
        squared += step[c] * step[c]
    return squared


@compiled_sums
def repel(embedding, pool, windows, rates, push, limit, here, steps, totals, squared, start, stop, gradient):
    """Add rates[i]·Σ_j ∂log(1 − Q_ij)/∂y_i over points j of the pool, one from each window of the chunk of i.

    The points of a chunk take consecutive points of the pool from the start of the window on. This needs neither
    gathers nor random numbers, and loops over points vectorise. ``start`` is a multiple of CHUNK. The four arrays
    before it are the room of `room_for_repulsion`; ``squared`` has then the table's values.
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
                squared[e] = 0
            for c in range(dim):
                for e in range(n_points):
                    steps[c, e] = pool[c, window + e] - here[c, e]
                    squared[e] += steps[c, e] * steps[c, e]
            for e in range(n_points):
                squared[e] = push[table_entry(squared[e])]
            for c in range(dim):
                for e in range(n_points):
                    totals[c, e] += clipped(squared[e] * steps[c, e], limit)
        for c in range(dim):
            for e in range(n_points):
                gradient[first + e, c] -= rates[first + e] * totals[c, e]


def room_for_repulsion(dim):
    """Arrays that `repel` works in, for the points of a chunk."""
    return *np.empty((3, dim, CHUNK), np.float32), np.empty(CHUNK, np.float32)


@compiled_sums
def map_moments(embedding, first_neighbors, neighbors, root, start, stop, moments):
    """W_i = Σ ω, μ_i = Σ ω z_ij/W_i and the lower triangle of S_i = Σ ω z_ij z_ijᵀ/W_i, over the neighbours j of i.

    ω = Q_ij^½. The rows of ``moments`` are W, the coordinates of μ, and the entries of S.
    """
    dim = embedding.shape[1]
    step = np.empty(dim, np.float32)
    for i in range(start, stop):
        for part in range(moments.shape[0]):
            moments[part, i] = 0
        for e in range(first_neighbors[i], first_neighbors[i + 1]):
            omega = root[table_entry(measure_step(embedding, i, uint32(neighbors[e]), step))]
            add_moments(step, omega, moments[:, i])
        divide_by_first(moments[:, i])


@inlined
def add_moments(step, omega, moments):
    """Add ω, ωz and the lower triangle of ωzzᵀ."""
    dim = step.shape[0]
    moments[0] += omega
    part = 1 + dim
    for a in range(dim):
        moments[1 + a] += omega * step[a]
        for b in range(a + 1):
            moments[part] += omega * step[a] * step[b]
            part += 1


@inlined
def divide_by_first(moments):
    if moments[0] > 0:
        for part in range(1, moments.shape[0]):
            moments[part] /= moments[0]


@compiled_sums
def map_moments_in_the_plane(embedding, first_neighbors, neighbors, root, start, stop, moments):
    """The same for two coordinates."""
    for i in range(start, stop):
        x, y = embedding[i, 0], embedding[i, 1]
        total, mean_x, mean_y = np.float32(0), np.float32(0), np.float32(0)
        square_x, product, square_y = np.float32(0), np.float32(0), np.float32(0)
        for e in range(first_neighbors[i], first_neighbors[i + 1]):
            j = uint32(neighbors[e])
            step_x, step_y = embedding[j, 0] - x, embedding[j, 1] - y
            omega = root[table_entry(step_x * step_x + step_y * step_y)]
            total += omega
            mean_x += omega * step_x
            mean_y += omega * step_y
            square_x += omega * step_x * step_x
            product += omega * step_x * step_y
            square_y += omega * step_y * step_y
        share = np.float32(1) / total if total > 0 else np.float32(0)
        moments[0, i] = total
        moments[1, i], moments[2, i] = share * mean_x, share * mean_y
        moments[3, i], moments[4, i], moments[5, i] = share * square_x, share * product, share * square_y


@compiled_sums
def radii_in_the_plane(frames, moments, about_mean, start, stop, radii):
    """Squared radii of maps with two coordinates, as `radii_along` computes them for any number."""
    for i in range(start, stop):
        x, y = np.float64(moments[1, i]), np.float64(moments[2, i])
        radii[0, i] = np.float64(moments[3, i]) + np.float64(moments[5, i])
        xx = moments[3, i] - about_mean * x * x
        yx = moments[4, i] - about_mean * y * x
        yy = moments[5, i] - about_mean * y * y
        for axis in range(2):
            u, v = np.float64(frames[i, 0, axis]), np.float64(frames[i, 1, axis])
            squared = u * u * xx + 2 * u * v * yx + v * v * yy
            radii[1 + axis, i] = squared if squared > 0 else 0.0


@compiled_sums
def sum_over_edges(pairs, indptr, indices, weights, start, stop, sums):
    """sums[p, i] = Σ_j P_ij pairs[p, j]. Entries are pairs of numbers: one is read as fast as a single number."""
    for p in range(pairs.shape[0]):
        for i in range(start, stop):
            first, second = np.float32(0), np.float32(0)
            for e in range(indptr[i], indptr[i + 1]):
                j = uint32(indices[e])
                first += weights[e] * pairs[p, j, 0]
                second += weights[e] * pairs[p, j, 1]
            sums[p, i, 0], sums[p, i, 1] = first, second


@compiled_sums
def density_records(embedding, frames, moments, about_mean, radii, floors, slopes, start, stop, records):
    """What `stretch` needs of every point, side by side: its position, A, u and c.

    slopes[0] and radii[0] are of the radius in all directions, the next ones of the radii along the frame. With
    h = slope/((R + ε) W) and M = Σ_l slope_l/((R_l + ε_l) W) v_l v_lᵀ, A = h I + M, given by its lower triangle,
    u = t M μ, and c = h R + Σ_l slope_l R_l/((R_l + ε_l) W) − μᵀu. t is ``about_mean``, as in `radii_along`.
    """
    dim, n_points = frames.shape[1], stop - start
    worth, moved = np.empty((1 + dim, n_points)), np.zeros((dim, n_points))
    level, entry = np.zeros(n_points), np.empty(n_points)
    for row in range(1 + dim):
        for e in range(n_points):
            i = start + e
            share = moments[0, i] * (radii[row, i] + floors[row])
            worth[row, e] = slopes[row, i] / share if share > 0 else 0.0
            level[e] += worth[row, e] * radii[row, i]
    part = dim
    for a in range(dim):
        for b in range(a + 1):
            for e in range(n_points):
                entry[e] = 0
            for axis in range(dim):
                for e in range(n_points):
                    entry[e] += worth[1 + axis, e] * frames[start + e, a, axis] * frames[start + e, b, axis]
            for e in range(n_points):
                moved[a, e] += about_mean * entry[e] * moments[1 + b, start + e]
            if b < a:
                for e in range(n_points):
                    moved[b, e] += about_mean * entry[e] * moments[1 + a, start + e]
            diagonal = 1.0 if a == b else 0.0
            for e in range(n_points):
                records[start + e, part] = entry[e] + diagonal * worth[0, e]
            part += 1
    for a in range(dim):
        for e in range(n_points):
            records[start + e, a] = embedding[start + e, a]
            records[start + e, part + a] = moved[a, e]
            level[e] -= moved[a, e] * moments[1 + a, start + e]
    for e in range(n_points):
        records[start + e, part + dim] = level[e]


@compiled_sums
def density_records_in_the_plane(embedding, frames, moments, about_mean, radii, floors, slopes, start, stop, records):
    """The same for two coordinates. A record is x, y, A_xx, A_yx, A_yy, u_x, u_y, c."""
    for i in range(start, stop):
        a_xx, a_yx, a_yy, level, total = 0.0, 0.0, 0.0, 0.0, np.float64(moments[0, i])
        for row in range(3):
            share = total * (radii[row, i] + floors[row])
            worth = slopes[row, i] / share if share > 0 else 0.0
            level += worth * radii[row, i]
            if row == 0:
                records[i, 2], records[i, 4] = worth, worth
            else:
                u, v = np.float64(frames[i, 0, row - 1]), np.float64(frames[i, 1, row - 1])
                a_xx += worth * u * u
                a_yx += worth * v * u
                a_yy += worth * v * v
        x, y = np.float64(moments[1, i]), np.float64(moments[2, i])
        u_x, u_y = about_mean * (a_xx * x + a_yx * y), about_mean * (a_yx * x + a_yy * y)
        records[i, 0] = embedding[i, 0]
        records[i, 1] = embedding[i, 1]
        records[i, 2] += a_xx
        records[i, 3] = a_yx
        records[i, 4] += a_yy
        records[i, 5] = u_x
        records[i, 6] = u_y
        records[i, 7] = level - u_x * x - u_y * y


@compiled_sums
def stretch(records, indptr, indices, weights, kinds, pull_and_root, limit, density, start, stop, gradient):
    """Add attraction, and subtract density·Σ_j ω[2(Az − u) + ½(c − zᵀAz + 2zᵀu)·pull·z] with z = z_ij, ω = Q_ij^½.

    The second is the gradient of a function of all log radii. The step z_ij changes the radii of i if j is a
    neighbour of i, and those of j if i is a neighbour of j: A = A_i + A_j, u = u_i − u_j and c = c_i + c_j, each
    counted if it is. Attraction is that of `attract`: both need the same steps and the same entries of the tables.
    """
    dim = gradient.shape[1]
    first_mean, level = records.shape[1] - 1 - dim, records.shape[1] - 1
    step, stretched = np.empty(dim, np.float32), np.empty(dim, np.float32)
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            j = uint32(indices[e])
            here, there = np.float32(kinds[e] & 1), np.float32(kinds[e] >> 1)
            entry = table_entry(measure_step(records, i, j, step))
            pull, root = pull_and_root[entry, 0], pull_and_root[entry, 1]
            for c in range(dim):
                stretched[c] = 0
            part = dim
            for a in range(dim):
                for b in range(a + 1):
                    both = here * records[i, part] + there * records[j, part]
                    part += 1
                    stretched[a] += both * step[b]
                    if b < a:
                        stretched[b] += both * step[a]
            inward = here * records[i, level] + there * records[j, level]
            for a in range(dim):
                mean = here * records[i, first_mean + a] - there * records[j, first_mean + a]
                inward -= (stretched[a] - np.float32(2) * mean) * step[a]
                stretched[a] -= mean
            inward *= np.float32(0.5) * pull
            for c in range(dim):
                attraction = np.float32(2) * weights[e] * clipped(pull * step[c], limit)
                widening = root * (np.float32(2) * stretched[c] + inward * step[c])
                gradient[i, c] += attraction - density * widening


@compiled_sums
def stretch_in_the_plane(
    records, indptr, indices, weights, kinds, pull_and_root, limit, density, start, stop, gradient
):
    """The same for two coordinates. A record is x, y, A_xx, A_yx, A_yy, u_x, u_y, c."""
    half, two = np.float32(0.5), np.float32(2)
    for i in range(start, stop):
        x, y, own_c = records[i, 0], records[i, 1], records[i, 7]
        own_xx, own_yx, own_yy = records[i, 2], records[i, 3], records[i, 4]
        own_ux, own_uy = records[i, 5], records[i, 6]
        attraction_x, attraction_y = np.float32(0), np.float32(0)
        widening_x, widening_y = np.float32(0), np.float32(0)
        for e in range(indptr[i], indptr[i + 1]):
            j = uint32(indices[e])
            here, there = np.float32(kinds[e] & 1), np.float32(kinds[e] >> 1)
            step_x, step_y = records[j, 0] - x, records[j, 1] - y
            entry = table_entry(step_x * step_x + step_y * step_y)
            pull, root = pull_and_root[entry, 0], pull_and_root[entry, 1]
            a_xx = here * own_xx + there * records[j, 2]
            a_yx = here * own_yx + there * records[j, 3]
            a_yy = here * own_yy + there * records[j, 4]
            u_x = here * own_ux - there * records[j, 5]
            u_y = here * own_uy - there * records[j, 6]
            c = here * own_c + there * records[j, 7]
            stretched_x = a_xx * step_x + a_yx * step_y
            stretched_y = a_yx * step_x + a_yy * step_y
            inward = half * pull * (c - (stretched_x - two * u_x) * step_x - (stretched_y - two * u_y) * step_y)
            widening_x += root * (two * (stretched_x - u_x) + inward * step_x)
            widening_y += root * (two * (stretched_y - u_y) + inward * step_y)
            attraction_x += weights[e] * clipped(pull * step_x, limit)
            attraction_y += weights[e] * clipped(pull * step_y, limit)
        gradient[i, 0] += two * attraction_x - density * widening_x
        gradient[i, 1] += two * attraction_y - density * widening_y


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
