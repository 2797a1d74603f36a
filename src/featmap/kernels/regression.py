"""Loops of the local regressions of features on the map."""

import numpy as np

from .compilation import compiled_sums


@compiled_sums
def local_moments(rows, positions, embedding, neighbors, products, squares, spreads):
    """What a regression with intercept of features on places needs, around each point p.

    Over the neighbours j of p, whose features are rows[positions[p, j]] and whose places are places[neighbors[p, j]]:
    products[p, :, h] = Σ_j Δy_j Δx_jh, squares[p] = Σ_j Δy_j Δy_jᵀ and spreads[p, h] = Σ_j Δx_jh², both sides less
    their means. Features count from the first neighbour's, so that a locally constant one has exactly none of these.
    """
    n_points, k = positions.shape
    n_features = rows.shape[1]
    dim = embedding.shape[1]
    steps = np.empty((k, dim))
    sums = np.empty(n_features)
    for p in range(n_points):
        for c in range(dim):
            mean = 0.0
            for j in range(k):
                steps[j, c] = embedding[neighbors[p, j], c]
                mean += steps[j, c]
            mean /= k
            for j in range(k):
                steps[j, c] -= mean
        for a in range(dim):
            for b in range(dim):
                total = 0.0
                for j in range(k):
                    total += steps[j, a] * steps[j, b]
                squares[p, a, b] = total
        origin = rows[positions[p, 0]]
        product, spread = products[p], spreads[p]
        for h in range(n_features):
            sums[h] = 0
            spread[h] = 0
        for c in range(dim):
            for h in range(n_features):
                product[c, h] = 0
        for j in range(k):
            row = rows[positions[p, j]]
            for h in range(n_features):
                change = np.float64(row[h]) - np.float64(origin[h])
                sums[h] += change
                spread[h] += change * change
            for c in range(dim):
                step, along = steps[j, c], product[c]
                for h in range(n_features):
                    along[h] += step * (np.float64(row[h]) - np.float64(origin[h]))
        for h in range(n_features):
            spread[h] = max(spread[h] - sums[h] * sums[h] / k, 0.0)
