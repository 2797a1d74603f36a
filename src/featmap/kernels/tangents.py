"""Loops of the tangent spaces: Gram matrices of weighted differences, and axes rebuilt from factors."""

import numpy as np

from .compilation import compiled, compiled_sums, inlined


@inlined
def subtract_center(rows, center, neighbors, out):
    """out[a] = neighbour a − center, in float64. It is exact for float32 rows of similar size."""
    # Views are taken outside the inner loop. Inside it the compiler could not know that writing leaves the indices
    # unchanged.
    for a in range(neighbors.shape[0]):
        row, difference = rows[neighbors[a]], out[a]
        for h in range(row.shape[0]):
            difference[h] = np.float64(row[h]) - np.float64(center[h])


@inlined
def combine(differences, factors, axis, out):
    """out = Σ_a factors[a, axis]·differences[a], which is one axis of a tangent space."""
    out[:] = 0
    for a in range(differences.shape[0]):
        factor, difference = factors[a, axis], differences[a]
        for h in range(out.shape[0]):
            out[h] += factor * difference[h]


@inlined
def subtract_mean(differences, shares, mean):
    """mean = Σ_a shares[a]·differences[a], which is then subtracted from each of the differences."""
    mean[:] = 0
    for a in range(shares.shape[0]):
        share, difference = shares[a], differences[a]
        for h in range(mean.shape[0]):
            mean[h] += share * difference[h]
    for a in range(shares.shape[0]):
        difference = differences[a]
        for h in range(mean.shape[0]):
            difference[h] -= mean[h]


@compiled_sums
def local_grams(centers, rows, positions, shares, out):
    """Inner products, in float64, of the k differences neighbour − middle and, as the last, middle − center.

    The middle is center + Σ_a shares[a]·(neighbour a − center): the weighted mean of the neighbours, or the center
    itself if the shares are zero. Point p is centers[p], and its neighbours are the rows positions[p] of ``rows``.
    """
    n_points, k = positions.shape
    differences = np.empty((k + 1, rows.shape[1]))
    for p in range(n_points):
        subtract_center(rows, centers[p], positions[p], differences)
        subtract_mean(differences, shares[p], differences[k])
        for a in range(k + 1):
            for b in range(a + 1):
                first, second = differences[a], differences[b]
                total = 0.0
                for h in range(first.shape[0]):
                    total += first[h] * second[h]
                out[p, a, b] = total
                out[p, b, a] = total


@compiled
def local_axes(centers, rows, positions, factors, out):
    """out[p, l] = Σ_a F[a, l]·(neighbour a − center), the axis l of point p."""
    n_points, k = positions.shape
    differences = np.empty((k, rows.shape[1]))
    sums = np.empty(rows.shape[1])
    for p in range(n_points):
        subtract_center(rows, centers[p], positions[p], differences)
        for axis in range(out.shape[1]):
            combine(differences, factors[p], axis, sums)
            # Entries are copied one by one, because numba takes seconds to compile the assignment of an array.
            for h in range(sums.shape[0]):
                out[p, axis, h] = sums[h]


@compiled
def local_importance(centers, rows, positions, factors, n_axes, out):
    """out[p, h] = (Σ_l V_i[h, l]²)^½ over the first n_axes[p] axes of point p."""
    n_points, k = positions.shape
    n_features = rows.shape[1]
    differences = np.empty((k, n_features))
    sums = np.empty(n_features)
    squares = np.empty(n_features)
    for p in range(n_points):
        subtract_center(rows, centers[p], positions[p], differences)
        squares[:] = 0
        for axis in range(n_axes[p]):
            combine(differences, factors[p], axis, sums)
            for h in range(n_features):
                squares[h] += sums[h] * sums[h]
        for h in range(n_features):
            out[p, h] = np.sqrt(squares[h])


@compiled_sums
def edge_geometry(axes, rows, sources, targets, reverse, start, stop, products, steps):
    """Add V_jᵀV_i to products[e] and V_iᵀ(x_j − x_i) to steps[e] for the edges e = i→j, from a slice of features.

    Both directions of an edge need the same four rows, so the block that holds i→j with i < j computes both.
    reverse[e] is the number of the edge j→i.
    """
    q = axes.shape[1]
    for e in range(start, stop):
        i, j = sources[e], targets[e]
        if i > j:
            continue
        back = reverse[e]
        for a in range(q):
            forward = np.float32(0)
            backward = np.float32(0)
            for h in range(axes.shape[2]):
                difference = rows[j, h] - rows[i, h]
                forward += axes[i, a, h] * difference
                backward += axes[j, a, h] * difference
            steps[e, a] += forward
            steps[back, a] -= backward
            for b in range(q):
                total = np.float32(0)
                for h in range(axes.shape[2]):
                    total += axes[j, a, h] * axes[i, b, h]
                products[e, a, b] += total
                products[back, b, a] += total
