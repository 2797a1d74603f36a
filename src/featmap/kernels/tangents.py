"""Loops of the tangent spaces: inner products of differences, factors and axes, and sums along edges."""

import numpy as np

from .compilation import compiled, compiled_sums, inlined
from .edges import find_edge

TILE = 3  # rows of a tile of inner products, which share what they read
SUMMED_AT_ONCE = 4  # differences whose sum is written once
FEATURES_AT_ONCE = 128  # so that the differences of 15 rows stay in the first cache


@inlined
def differences_to_mean(center, rows, positions, shares, first, out):
    """out[a] = neighbour a − middle for each of k neighbours and out[k] = middle − center, in float64.

    The middle is center + Σ_a shares[a]·(neighbour a − center). ``center`` is a part of a row that begins with the
    feature ``first``.
    """
    # Views are taken outside the inner loop. Inside it the compiler could not know that writing leaves the indices
    # unchanged.
    k, n = positions.shape[0], center.shape[0]
    mean = out[k]
    for h in range(n):
        mean[h] = 0.0
    for a in range(0, k, 2):  # two at a time, so that the sums are read and written half as often
        b = min(a + 1, k - 1)
        row, other = rows[positions[a]][first : first + n], rows[positions[b]][first : first + n]
        share, other_share = shares[a], shares[b] if b > a else 0.0
        for h in range(n):
            middle = np.float64(center[h])
            mean[h] += share * (np.float64(row[h]) - middle) + other_share * (np.float64(other[h]) - middle)
    for a in range(k):
        row, difference = rows[positions[a]][first : first + n], out[a]
        for h in range(n):
            difference[h] = np.float64(row[h]) - np.float64(center[h]) - mean[h]


@inlined
def add_products(rows, n, out):
    """out[a, b] += the inner product of the first n entries of rows a and b, for b ≤ a, by tiles of TILE rows."""
    for a in range(0, rows.shape[0], TILE):
        a0, a1, a2 = rows[a], rows[a + 1], rows[a + 2]
        for b in range(0, a + 1, TILE):
            b0, b1, b2 = rows[b], rows[b + 1], rows[b + 2]
            s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
            for h in range(n):
                s00 += a0[h] * b0[h]
                s01 += a0[h] * b1[h]
                s02 += a0[h] * b2[h]
                s10 += a1[h] * b0[h]
                s11 += a1[h] * b1[h]
                s12 += a1[h] * b2[h]
                s20 += a2[h] * b0[h]
                s21 += a2[h] * b1[h]
                s22 += a2[h] * b2[h]
            out[a, b] += s00
            out[a, b + 1] += s01
            out[a, b + 2] += s02
            out[a + 1, b] += s10
            out[a + 1, b + 1] += s11
            out[a + 1, b + 2] += s12
            out[a + 2, b] += s20
            out[a + 2, b + 1] += s21
            out[a + 2, b + 2] += s22


@compiled_sums
def local_grams(centers, rows, positions, shares, differences, sums, out):
    """Inner products, in float64, of the k differences neighbour − middle and, as the last, middle − center.

    The middle is center + Σ_a shares[a]·(neighbour a − center): the weighted mean of the neighbours, or the center
    itself if the shares are zero. Point p is centers[p], and its neighbours are the rows positions[p] of ``rows``.
    ``differences`` and ``sums`` are the room of `room_for_grams`.
    """
    n_points, k = positions.shape
    for p in range(n_points):
        for a in range(sums.shape[0]):
            for b in range(sums.shape[0]):
                sums[a, b] = 0.0
        for first in range(0, rows.shape[1], FEATURES_AT_ONCE):
            center = centers[p, first : first + FEATURES_AT_ONCE]
            differences_to_mean(center, rows, positions[p], shares[p], first, differences)
            add_products(differences, center.shape[0], sums)
        for a in range(k + 1):
            for b in range(a + 1):
                out[p, a, b] = sums[a, b]
                out[p, b, a] = sums[a, b]


def room_for_grams(k):
    """Arrays that `local_grams` works in: rows of differences, the last ones zero, and their inner products."""
    n_rows = -(-(k + 1) // TILE) * TILE
    return np.zeros((n_rows, FEATURES_AT_ONCE)), np.empty((n_rows, n_rows))


@inlined
def local_axis(centers, rows, positions, factors, p, axis, first, out):
    """out = Σ_a factors[p, a, axis]·(neighbour a − center), in float64, for the features from ``first`` on."""
    for h in range(out.shape[0]):
        out[h] = 0.0
    center = centers[p]
    for a in range(positions.shape[1]):
        # A view: the compiler vectorises the loop only if it knows that no index is negative.
        row, factor = rows[positions[p, a]][first : first + out.shape[0]], factors[p, a, axis]
        for h in range(out.shape[0]):
            out[h] += factor * (np.float64(row[h]) - np.float64(center[h]))


@compiled_sums
def local_axes(centers, rows, positions, factors, first, sums, out):
    """out[p, l] = Σ_a F[a, l]·(neighbour a − center), the axis l of point p, for the features from ``first`` on.

    The centers have these features only. ``sums`` has room for as many numbers.
    """
    for p in range(positions.shape[0]):
        for axis in range(out.shape[1]):
            local_axis(centers, rows, positions, factors, p, axis, first, sums)
            for h in range(sums.shape[0]):
                out[p, axis, h] = sums[h]


@inlined
def add_squared_axis(differences, factors, n, axis_sums, squares):
    """squares[h] += (Σ_a factors[a]·differences[a, h])² for the first n features, by SUMMED_AT_ONCE differences."""
    for h in range(n):
        axis_sums[h] = 0.0
    for a in range(0, factors.shape[0], SUMMED_AT_ONCE):
        d0, d1, d2, d3 = differences[a], differences[a + 1], differences[a + 2], differences[a + 3]
        f0, f1, f2, f3 = factors[a], factors[a + 1], factors[a + 2], factors[a + 3]
        for h in range(n):
            axis_sums[h] += f0 * d0[h] + f1 * d1[h] + f2 * d2[h] + f3 * d3[h]
    for h in range(n):
        squares[h] += axis_sums[h] * axis_sums[h]


@compiled_sums
def local_importance(centers, rows, positions, factors, n_axes, differences, column, axis_sums, squares, out):
    """out[p, h] = (Σ_l V_i[h, l]²)^½ over the first n_axes[p] axes of point p.

    All axes of a point are summed from the same differences, for so many features at once that these stay in cache.
    They are in float64: where neighbours are much farther from the point than from each other, nearly all of a
    difference cancels. The four arrays before ``out`` are the room of `room_for_importance`.
    """
    k = positions.shape[1]
    for p in range(positions.shape[0]):
        for first in range(0, rows.shape[1], FEATURES_AT_ONCE):
            center = centers[p][first : first + FEATURES_AT_ONCE]
            n = center.shape[0]
            for a in range(k):
                row, difference = rows[positions[p, a]][first : first + n], differences[a]
                for h in range(n):
                    difference[h] = np.float64(row[h]) - np.float64(center[h])
            for h in range(n):
                squares[h] = 0.0
            for axis in range(n_axes[p]):
                for a in range(k):
                    column[a] = factors[p, a, axis]
                add_squared_axis(differences, column, n, axis_sums, squares)
            for h in range(n):
                out[p, first + h] = np.sqrt(squares[h])


def room_for_importance(k):
    """Arrays that `local_importance` works in: differences and a column of factors, the last ones zero, and sums."""
    n_rows = -(-k // SUMMED_AT_ONCE) * SUMMED_AT_ONCE
    return np.zeros((n_rows, FEATURES_AT_ONCE)), np.zeros(n_rows), *np.empty((2, FEATURES_AT_ONCE))


@compiled_sums
def edge_geometry(axes, axis_places, rows, places, first, indptr, indices, start, stop, products, steps):
    """Add V_jᵀV_i to products[e] and V_iᵀ(x_j − x_i) to steps[e] for the edges e = i→j, from some of the features.

    ``axes`` holds the features from ``first`` on; those of point i are at axis_places[i], and it is the row
    places[i]. Both directions of an edge need the same four rows, so both are computed where i < j, for the points i
    from start to stop.
    """
    q, n = axes.shape[1], axes.shape[2]
    for i in range(start, stop):
        x_i, V_i = rows[places[i]][first : first + n], axes[axis_places[i]]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if j < i:
                continue
            x_j, V_j = rows[places[j]][first : first + n], axes[axis_places[j]]
            back = find_edge(indptr, indices, j, i)
            for a in range(q):
                forward, backward = np.float32(0), np.float32(0)
                for h in range(n):
                    difference = x_j[h] - x_i[h]
                    forward += V_i[a, h] * difference
                    backward += V_j[a, h] * difference
                steps[e, a] += forward
                steps[back, a] -= backward
                for b in range(q):
                    total = np.float32(0)
                    for h in range(n):
                        total += V_j[a, h] * V_i[b, h]
                    products[e, a, b] += total
                    products[back, b, a] += total


@compiled_sums
def edge_geometry_of_two(axes, axis_places, rows, places, first, indptr, indices, start, stop, halves, steps):
    """The same for two directions, with all eight sums of an edge in one loop, several times as fast.

    Of V_jᵀV_i, the transpose of V_iᵀV_j, one row is added to halves[e] and the other to half of the edge j→i.
    """
    n = axes.shape[2]
    for i in range(start, stop):
        at = axis_places[i]
        x_i, u_i, v_i = rows[places[i]][first : first + n], axes[at, 0], axes[at, 1]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if j < i:
                continue
            at = axis_places[j]
            x_j, u_j, v_j = rows[places[j]][first : first + n], axes[at, 0], axes[at, 1]
            uu, uv, vu, vv = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
            u_here, v_here, u_there, v_there = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
            for h in range(n):
                difference = x_j[h] - x_i[h]
                u_here += u_i[h] * difference
                v_here += v_i[h] * difference
                u_there += u_j[h] * difference
                v_there += v_j[h] * difference
                uu += u_j[h] * u_i[h]
                uv += u_j[h] * v_i[h]
                vu += v_j[h] * u_i[h]
                vv += v_j[h] * v_i[h]
            back = find_edge(indptr, indices, j, i)
            steps[e, 0] += u_here
            steps[e, 1] += v_here
            steps[back, 0] -= u_there
            steps[back, 1] -= v_there
            halves[e, 0] += uu
            halves[e, 1] += uv
            halves[back, 0] += vu
            halves[back, 1] += vv


@compiled
def whole_products(indptr, indices, halves, start, stop, out):
    """V_jᵀV_i of all edges of the points from start to stop, from the halves of `edge_geometry_of_two`."""
    offset = indptr[start]
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            back, is_upper = find_edge(indptr, indices, j, i), i < j
            upper, lower = (e, back) if is_upper else (back, e)
            a, b, c, d = halves[upper, 0], halves[upper, 1], halves[lower, 0], halves[lower, 1]
            out[e - offset, 0, 0] = a
            out[e - offset, 0, 1] = b if is_upper else c
            out[e - offset, 1, 0] = c if is_upper else b
            out[e - offset, 1, 1] = d


@compiled
def center_steps(indptr, weights, start, stop, steps):
    """Subtract from the steps of each point their mean Σ_j P_ij step_ij/Σ_j P_ij."""
    for i in range(start, stop):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            total += weights[e]
        for axis in range(steps.shape[1]):
            mean = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                mean += np.float64(weights[e]) * steps[e, axis]
            for e in range(indptr[i], indptr[i + 1]):
                steps[e, axis] -= np.float32(mean / total)
