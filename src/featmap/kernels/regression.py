"""Loops of the local regressions of features on the map."""

import numpy as np

from .compilation import compiled_sums


@compiled_sums
def local_moments(rows, positions, embedding, neighbors, weights, products, squares, spreads):
    """The sums for a weighted regression, with intercept, of the features on the embedding around each point p.

    Neighbour j of p has the features x_j = rows[positions[p, j]], the position y_j = embedding[neighbors[p, j]] and
    the weight w_j = weights[p, j]. The weights of a point sum to 1, or are all 0. Δ is the difference from their
    weighted mean. The sums are products[p, :, h] = Σ_j w_j Δy_j Δx_jh, squares[p] = Σ_j w_j Δy_j Δy_jᵀ and
    spreads[p, h] = Σ_j w_j Δx_jh². Features are measured from the first neighbour with weight, so that all sums of a
    locally constant feature are exactly 0.
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
                mean += weights[p, j] * steps[j, c]
            for j in range(k):
                steps[j, c] -= mean
        for a in range(dim):
            for b in range(dim):
                total = 0.0
                for j in range(k):
                    total += weights[p, j] * steps[j, a] * steps[j, b]
                squares[p, a, b] = total
        first = 0
        while first < k - 1 and weights[p, first] == 0:
            first += 1
        origin = rows[positions[p, first]]
        product, spread = products[p], spreads[p]
        for h in range(n_features):
            sums[h] = 0
            spread[h] = 0
        for c in range(dim):
            for h in range(n_features):
                product[c, h] = 0
        for j in range(first, k):
            weight = weights[p, j]
            if weight == 0:
                continue
            row = rows[positions[p, j]]
            for h in range(n_features):
                change = np.float64(row[h]) - np.float64(origin[h])
                sums[h] += weight * change
                spread[h] += weight * change * change
            for c in range(dim):
                step, along = weight * steps[j, c], product[c]
                for h in range(n_features):
                    along[h] += step * (np.float64(row[h]) - np.float64(origin[h]))
        for h in range(n_features):
            spread[h] = max(spread[h] - sums[h] * sums[h], 0.0)
