"""Loops over the rows around a point: what they predict of it, their weighted mean and variance, and their halves."""

import numpy as np

from .compilation import compiled, compiled_sums


@compiled
def take_turns(weights, units, n_units, out):
    """out[p, j] = 0 or 1 for the rows j with weight, alternating from unit to unit in their order; −1 for the others.

    Row j of point p belongs to the unit units[p, j], below n_units.
    """
    sides = np.empty(n_units, np.int8)
    for unit in range(n_units):
        sides[unit] = -1
    for p in range(len(weights)):
        n_found = 0
        for j in range(weights.shape[1]):
            unit = units[p, j]
            if weights[p, j] > 0 and sides[unit] < 0:
                sides[unit] = n_found % 2
                n_found += 1
            out[p, j] = sides[unit] if weights[p, j] > 0 else -1
        for j in range(weights.shape[1]):
            sides[units[p, j]] = -1


@compiled_sums
def add_squared_errors(rows, neighbors, start, stop, sums, errors):
    """errors[h] += Σ_i (x_ih − mean of x_jh over the neighbours j of i)² for the rows i in start:stop.

    ``sums`` has room for as many numbers in float32.
    """
    k, n_features = neighbors.shape[1], rows.shape[1]
    share = np.float32(1 / k)
    for i in range(start, stop):
        for h in range(n_features):
            sums[h] = 0
        for j in range(k):
            row = rows[neighbors[i, j]]
            for h in range(n_features):
                sums[h] += row[h]
        row = rows[i]
        for h in range(n_features):
            error = np.float64(row[h] - share * sums[h])
            errors[h] += error * error


@compiled_sums
def add_squared_errors_of_sparse(indptr, indices, data, neighbors, start, stop, sums, errors):
    """The same of CSR rows. ``sums`` has room for as many numbers in float64."""
    k, n_features = neighbors.shape[1], len(errors)
    for i in range(start, stop):
        for h in range(n_features):
            sums[h] = 0
        for j in neighbors[i]:
            for e in range(indptr[j], indptr[j + 1]):
                sums[indices[e]] -= data[e]
        for e in range(indptr[i], indptr[i + 1]):
            sums[indices[e]] += k * data[e]
        for h in range(n_features):
            error = sums[h] / k
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
        for h in range(n_features):
            as_given[h] = 0
            mean[h] = 0
            variance[h] = 0
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
