"""Loops over the rows around a point: what they predict of it, and what their weighted mean and variance are."""

import numpy as np

from .compilation import compiled_sums


@compiled_sums
def add_squared_errors(rows, neighbors, start, stop, errors):
    """errors[h] += Σ_i (x_ih − mean of x_jh over the neighbours j of i)² for the rows i in start:stop."""
    k, n_features = neighbors.shape[1], rows.shape[1]
    sums = np.empty(n_features, np.float32)
    share = np.float32(1 / k)
    for i in range(start, stop):
        sums[:] = 0
        for j in range(k):
            row = rows[neighbors[i, j]]
            for h in range(n_features):
                sums[h] += row[h]
        row = rows[i]
        for h in range(n_features):
            error = np.float64(row[h] - share * sums[h])
            errors[h] += error * error


@compiled_sums
def weighted_moments(rows, neighbors, weights, lowest, highest, means_as_given, means, variances):
    """Weighted means and variances of the features over the neighbours of each point p.

    Neighbour j of p is the row neighbors[p, j] and has the weight weights[p, j]; weights sum to 1. Values are clipped
    to lowest[h]:highest[h], except for ``means_as_given``. They are measured from those of the first neighbour with
    weight, so that a locally constant feature has exactly variance 0.
    """
    n_points, k = neighbors.shape
    n_features = rows.shape[1]
    for p in range(n_points):
        first = 0
        while first < k - 1 and weights[p, first] == 0:
            first += 1
        origin = rows[neighbors[p, first]]
        as_given, mean, variance = means_as_given[p], means[p], variances[p]
        as_given[:] = 0
        mean[:] = 0
        variance[:] = 0
        for j in range(first, k):
            weight = weights[p, j]
            if weight > 0:
                row = rows[neighbors[p, j]]
                for h in range(n_features):
                    as_given[h] += weight * (np.float64(row[h]) - np.float64(origin[h]))
                    zero = np.float64(min(max(origin[h], lowest[h]), highest[h]))
                    change = np.float64(min(max(row[h], lowest[h]), highest[h])) - zero
                    mean[h] += weight * change
                    variance[h] += weight * change * change
        for h in range(n_features):
            variance[h] = max(variance[h] - mean[h] * mean[h], 0.0)
            mean[h] += np.float64(min(max(origin[h], lowest[h]), highest[h]))
            as_given[h] += np.float64(origin[h])
