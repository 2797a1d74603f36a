"""Loops along the edges of a graph before it has a map: groups of its points, and means over neighbours."""

import numpy as np
from numba import uint32

from .compilation import compiled


@compiled
def choose_centers(indptr, indices, order, is_center):
    """Mark a maximal set of points without edges between them: a point is chosen if none of its neighbours was.

    Points are asked in the given order, one after another, since each choice depends on those before it.
    """
    has_center = np.zeros(order.shape[0], np.bool_)
    for i in order:
        if not has_center[i]:
            is_center[i] = True
            for e in range(indptr[i], indptr[i + 1]):
                has_center[indices[e]] = True


@compiled
def join_centers(indptr, indices, weights, numbers, start, stop, groups):
    """groups[i] = the number of the centre with the strongest edge to i, the first of equals; a centre has its own.

    ``numbers`` has −1 for points that are no centres. Each of them has an edge to one.
    """
    for i in range(start, stop):
        groups[i] = numbers[i]
        strongest = -1.0
        for e in range(indptr[i], indptr[i + 1]):
            number = numbers[indices[e]]
            if numbers[i] < 0 <= number and weights[e] > strongest:
                strongest = weights[e]
                groups[i] = number


@compiled
def average_neighbors(indptr, indices, weights, points, start, stop, averages):
    """averages[i] = Σ_j P_ij y_j/Σ_j P_ij, summed in the order of the edges. Points without edges stay.

    One coordinate after another takes half the time of all at once, since a single sum stays in a register.
    """
    for i in range(start, stop):
        degree = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            degree += np.float64(weights[e])
        for c in range(points.shape[1]):
            total = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                total += np.float64(weights[e]) * points[uint32(indices[e]), c]
            averages[i, c] = total / degree if degree > 0 else points[i, c]
