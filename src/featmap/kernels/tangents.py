"""Loops of the tangent spaces: Gram matrices of weighted differences, and axes rebuilt from factors."""

import numpy as np

from .compilation import compiled, compiled_sums


@compiled_sums
def local_grams(rows, origins, positions, weights, out):
    """out[p] = (W_i X_i)(W_i X_i)ᵀ: inner products of √weight·(neighbour − origin), in float64.

    Point p has its origin at the row origins[p] of ``rows`` and its neighbours at the rows positions[p].
    """
    n_points, k = positions.shape
    n_features = rows.shape[1]
    differences = np.empty((k, n_features))
    for p in range(n_points):
        for a in range(k):
            root = np.sqrt(weights[p, a])
            for h in range(n_features):
                differences[a, h] = root * (np.float64(rows[positions[p, a], h]) - np.float64(rows[origins[p], h]))
        for a in range(k):
            for b in range(a + 1):
                total = 0.0
                for h in range(n_features):
                    total += differences[a, h] * differences[b, h]
                out[p, a, b] = total
                out[p, b, a] = total


@compiled
def local_axes(rows, origins, positions, factors, out):
    """out[p, l] = Σ_a F[a, l]·(neighbour a − origin): the axes of point p, one per row of out[p]."""
    n_points, k = positions.shape
    n_features = rows.shape[1]
    sums = np.empty(n_features)
    for p in range(n_points):
        for axis in range(out.shape[1]):
            sums[:] = 0
            for a in range(k):
                factor = factors[p, a, axis]
                if factor != 0:
                    for h in range(n_features):
                        sums[h] += factor * (np.float64(rows[positions[p, a], h]) - np.float64(rows[origins[p], h]))
            for h in range(n_features):
                out[p, axis, h] = sums[h]


@compiled
def local_importance(rows, origins, positions, factors, n_axes, out):
    """out[p, h] = (Σ_l V_i[h, l]²)^½ over the first n_axes[p] axes of point p."""
    n_points, k = positions.shape
    n_features = rows.shape[1]
    sums = np.empty(n_features)
    squares = np.empty(n_features)
    for p in range(n_points):
        squares[:] = 0
        for axis in range(n_axes[p]):
            sums[:] = 0
            for a in range(k):
                factor = factors[p, a, axis]
                for h in range(n_features):
                    sums[h] += factor * (np.float64(rows[positions[p, a], h]) - np.float64(rows[origins[p], h]))
            for h in range(n_features):
                squares[h] += sums[h] * sums[h]
        for h in range(n_features):
            out[p, h] = np.sqrt(squares[h])


@compiled_sums
def edge_products(axes, sources, targets, start, stop, out):
    """out[e] += V_jᵀ V_i for the edges e = i→j, from axes (points, q, features)."""
    q = axes.shape[1]
    for e in range(start, stop):
        here, there = axes[sources[e]], axes[targets[e]]
        for a in range(q):
            for b in range(q):
                total = np.float32(0)
                for h in range(axes.shape[2]):
                    total += there[a, h] * here[b, h]
                out[e, a, b] += total


@compiled_sums
def edge_steps(axes, rows, sources, targets, start, stop, out):
    """out[e] += V_iᵀ(x_j − x_i) for the edges e = i→j."""
    for e in range(start, stop):
        i, j = sources[e], targets[e]
        for a in range(axes.shape[1]):
            total = np.float32(0)
            for h in range(axes.shape[2]):
                total += axes[i, a, h] * (rows[j, h] - rows[i, h])
            out[e, a] += total
