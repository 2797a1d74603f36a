"""Loops along the edges of a graph before it has a map: groups of its points, and means over neighbours."""

import numpy as np
from numba import uint32

from .compilation import compiled, part

STEP = 2.0**-36  # weights are added up as whole numbers of these


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
def sort_by_groups(groups, ends, members):
    """Write the points of each group one after another, in rising order. ends[a] is where those of group a begin.

    It moves on to where they end.
    """
    for i in range(groups.shape[0]):
        members[ends[groups[i]]] = i
        ends[groups[i]] += 1


@part
def sort_by_columns(columns, values):
    """Sort a row by its columns, by Shell's steps: numba takes a second to compile a sort, hubs have long rows."""
    gap = columns.shape[0] // 2
    while gap > 0:
        for i in range(gap, columns.shape[0]):
            column, value, place = columns[i], values[i], i
            while place >= gap and columns[place - gap] > column:
                columns[place], values[place] = columns[place - gap], values[place - gap]
                place -= gap
            columns[place], values[place] = column, value
        gap //= 2


@compiled
def sum_between_groups(indptr, indices, weights, groups, firsts, members, start, stop, places, counts, columns, sums):
    """Sums of the weights from the groups start to stop to each other group, and how many of these each has.

    Those of a group come one after another, with rising columns. ``places`` has −1 for every group. Sums are whole
    numbers of STEPs, at least one for each edge: these can be added in any order, so that both ends of an edge
    between groups have the same sum. Returns the number of all.
    """
    n = 0
    for a in range(start, stop):
        begin = n
        for place in range(firsts[a], firsts[a + 1]):
            i = members[place]
            for e in range(indptr[i], indptr[i + 1]):
                b = groups[indices[e]]
                if b == a:
                    continue
                if places[b] < begin:  # what a group before left behind
                    places[b], columns[n], sums[n] = n, b, 0
                    n += 1
                sums[places[b]] += max(np.int64(1), np.int64(np.rint(np.float64(weights[e]) / STEP)))
        sort_by_columns(columns[begin:n], sums[begin:n])
        counts[a - start] = n - begin
    return n


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
