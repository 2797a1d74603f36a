"""Loops of the tangent spaces: inner products of differences, factors and axes, and sums along edges."""

import numpy as np

from .compilation import compiled, compiled_sums, inlined
from .edges import find_edge
from .products import TILE, add_products
from .rotations import code_of_nearest

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
        b = a + 1 if a + 1 < k else a
        row, other = rows[positions[a]][first : first + n], rows[positions[b]][first : first + n]
        share, other_share = shares[a], shares[b] if b > a else 0.0
        for h in range(n):
            middle = np.float64(center[h])
            mean[h] += share * (np.float64(row[h]) - middle) + other_share * (np.float64(other[h]) - middle)
    for a in range(k):
        row, difference = rows[positions[a]][first : first + n], out[a]
        for h in range(n):
            difference[h] = np.float64(row[h]) - np.float64(center[h]) - mean[h]


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
def sum_two_axes(center, rows, places, factors, one, other, first, u, v):
    """u = Σ_a factors[a, one]·(neighbour a − center), v the same with ``other``, in float64.

    Neighbour a is the row places[a], from the feature ``first`` on. Four of them are added at a time, so that sums
    are read and written rarely, and both axes are summed while the rows are at hand.
    """
    k, n = places.shape[0], u.shape[0]
    for h in range(n):
        u[h] = 0.0
        v[h] = 0.0
    for a in range(0, k, SUMMED_AT_ONCE):
        b, c, d = min(a + 1, k - 1), min(a + 2, k - 1), min(a + 3, k - 1)
        # Views: the compiler vectorises the loop only if it knows that no index is negative.
        x0, x1 = rows[places[a]][first : first + n], rows[places[b]][first : first + n]
        x2, x3 = rows[places[c]][first : first + n], rows[places[d]][first : first + n]
        # Beyond the last neighbour its row is read again, and counts nothing.
        is_b, is_c, is_d = np.float64(b > a), np.float64(c > b), np.float64(d > c)
        u0, u1 = np.float64(factors[a, one]), is_b * factors[b, one]
        u2, u3 = is_c * factors[c, one], is_d * factors[d, one]
        v0, v1 = np.float64(factors[a, other]), is_b * factors[b, other]
        v2, v3 = is_c * factors[c, other], is_d * factors[d, other]
        for h in range(n):
            middle = np.float64(center[h])
            d0, d1 = np.float64(x0[h]) - middle, np.float64(x1[h]) - middle
            d2, d3 = np.float64(x2[h]) - middle, np.float64(x3[h]) - middle
            u[h] += (u0 * d0 + u1 * d1) + (u2 * d2 + u3 * d3)
            v[h] += (v0 * d0 + v1 * d1) + (v2 * d2 + v3 * d3)


# Both kernels of axes keep the order of their sums as it is written. So they have the same bits, whichever of them
# makes the axes of a point and however many features it is given at a time.
@compiled
def local_axes(centers, rows, positions, factors, first, sums, out):
    """out[p, l] = Σ_a F[a, l]·(neighbour a − center), the axis l of point p, for the features from ``first`` on.

    The centers have these features only. ``sums`` has room for two axes.
    """
    last = out.shape[1] - 1
    for p in range(positions.shape[0]):
        for axis in range(0, last + 1, 2):
            other = min(axis + 1, last)
            sum_two_axes(centers[p], rows, positions[p], factors[p], axis, other, first, sums[0], sums[1])
            for h in range(out.shape[2]):
                out[p, axis, h] = sums[0, h]
                out[p, other, h] = sums[1, h]


@compiled
def axes_of_points(points, rows, places, neighbors, factors, first, near, sums, out):
    """The same for the points i of a table: point i is its row places[i], with the neighbours neighbors[i].

    ``near`` has room for the places of the neighbours of a point.
    """
    last, n = out.shape[1] - 1, out.shape[2]
    for p in range(points.shape[0]):
        i = points[p]
        for a in range(near.shape[0]):
            near[a] = places[neighbors[i, a]]
        center = rows[places[i]][first : first + n]
        for axis in range(0, last + 1, 2):
            other = min(axis + 1, last)
            sum_two_axes(center, rows, near, factors[i], axis, other, first, sums[0], sums[1])
            for h in range(n):
                out[p, axis, h] = sums[0, h]
                out[p, other, h] = sums[1, h]


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
def edge_geometry_of_two(
    axes, axis_places, rows, places, first, indptr, indices, start, stop, tolerance, steps, halves, codes
):
    """The same for two directions, with all eight sums of an edge in one loop, several times as fast.

    Of V_jᵀV_i, the transpose of V_iᵀV_j, one row is added to halves[e] and the other to half of the edge j→i.
    With the last of the features ``codes`` get the nearest rotations, as codes; before, they have no length. Where no
    other features come before, and nobody asks for the products later, the halves need have no length.
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
            if halves.shape[0] > 0:
                uu += halves[e, 0]
                uv += halves[e, 1]
                vu += halves[back, 0]
                vv += halves[back, 1]
                halves[e, 0] = uu
                halves[e, 1] = uv
                halves[back, 0] = vu
                halves[back, 1] = vv
            if codes.shape[0] > 0:
                codes[e] = code_of_nearest(uu, uv, vu, vv, tolerance)
                codes[back] = code_of_nearest(uu, vu, uv, vv, tolerance)


@compiled
def whole_products(indptr, indices, halves, out):
    """V_jᵀV_i of all edges, from the halves of `edge_geometry_of_two`."""
    for i in range(indptr.shape[0] - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            back, is_upper = find_edge(indptr, indices, j, i), i < j
            upper, lower = (e, back) if is_upper else (back, e)
            a, b, c, d = halves[upper, 0], halves[upper, 1], halves[lower, 0], halves[lower, 1]
            out[e, 0, 0] = a
            out[e, 0, 1] = b if is_upper else c
            out[e, 1, 0] = c if is_upper else b
            out[e, 1, 1] = d


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
