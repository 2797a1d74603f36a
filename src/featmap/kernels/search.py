"""Loops of the neighbour search: project rows, choose lists, rank candidates exactly."""

import numpy as np

from .compilation import compiled, compiled_sums


@compiled_sums
def project_rows(rows, directions, start, stop, out):
    """out[i] = rows[i] @ directions, row by row: a row's bits do not depend on its company, as BLAS's do."""
    n_features, width = directions.shape
    sums = np.empty(width, np.float32)
    for i in range(start, stop):
        sums[:] = 0
        for h in range(n_features):
            value = rows[i, h]
            if value != 0:
                for c in range(width):
                    sums[c] += value * directions[h, c]
        for c in range(width):
            out[i, c] = sums[c]


@compiled_sums
def nearest_lists(points, centers, start, stop, out):
    """The out.shape[1] nearest of the centres (given by columns) for each point, nearest first."""
    width, n_lists = centers.shape
    n_probes = out.shape[1]
    squared = np.empty(n_lists, np.float32)
    best = np.empty(n_probes, np.float32)
    for i in range(start, stop):
        squared[:] = 0
        for c in range(width):
            value = points[i, c]
            for j in range(n_lists):
                difference = value - centers[c, j]
                squared[j] += difference * difference
        filled = 0
        for j in range(n_lists):
            if filled < n_probes:
                place = filled
                filled += 1
            elif squared[j] < best[n_probes - 1]:
                place = n_probes - 1
            else:
                continue
            while place > 0 and best[place - 1] > squared[j]:
                best[place] = best[place - 1]
                out[i, place] = out[i, place - 1]
                place -= 1
            best[place] = squared[j]
            out[i, place] = j


@compiled
def insert_sorted(distance, index, filled, distances, indices):
    """Insert into a list sorted by (distance, index), dropping its last when full; returns the new length."""
    k = distances.shape[0]
    if filled < k:
        place = filled
        filled += 1
    elif distance < distances[k - 1] or (distance == distances[k - 1] and index < indices[k - 1]):
        place = k - 1
    else:
        return filled
    while place > 0 and (
        distances[place - 1] > distance or (distances[place - 1] == distance and indices[place - 1] > index)
    ):
        distances[place] = distances[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    distances[place] = distance
    indices[place] = index
    return filled


@compiled_sums
def quick_squared_distance(a, b):
    """Σ(a − b)² in float32, for choosing candidates."""
    total = np.float32(0)
    for c in range(a.shape[0]):
        difference = a[c] - b[c]
        total += difference * difference
    return total


@compiled
def replace_largest(distance, index, distances, indices):
    """Put an entry in the place of the largest of a heap (a parent is at least as large as its children)."""
    size = distances.shape[0]
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= size:
            break
        if child + 1 < size and distances[child + 1] > distances[child]:
            child += 1
        if distances[child] <= distance:
            break
        distances[parent] = distances[child]
        indices[parent] = indices[child]
        parent = child
    distances[parent] = distance
    indices[parent] = index


@compiled
def scan_lists(points, lists, rows, offsets, members, start, stop, out):
    """The out.shape[1] members nearest to each point among those of its lists, in any order; −1 where too few.

    List l has the coordinates rows[offsets[l]:offsets[l + 1]], and members[…] are the numbers these rows go by.
    """
    nearest = np.empty(out.shape[1], np.float32)
    for i in range(start, stop):
        point, found = points[i], out[i]
        nearest[:] = np.inf
        found[:] = -1
        for probe in range(lists.shape[1]):
            for j in range(offsets[lists[i, probe]], offsets[lists[i, probe] + 1]):
                squared = quick_squared_distance(point, rows[j])
                if squared < nearest[0]:
                    replace_largest(squared, members[j], nearest, found)


@compiled_sums
def squared_distance(a, b):
    """Σ(a − b)² in float64: exact for integers, whatever the order of the features."""
    total = 0.0
    for h in range(a.shape[0]):
        difference = np.float64(a[h]) - np.float64(b[h])
        total += difference * difference
    return total


@compiled
def rank_candidates(queries, rows, positions, candidates, offsets, out_indices, out_squared):
    """The nearest of each query's candidates, by exact distance, ties by index.

    Query q has the candidates offsets[q]:offsets[q + 1]; candidate c is the row positions[c] of ``rows`` and is
    known to the world as candidates[c]. Negative ones are absent; places left over keep index −1.
    """
    for q in range(queries.shape[0]):
        filled = 0
        out_indices[q] = -1
        for c in range(offsets[q], offsets[q + 1]):
            if candidates[c] >= 0:
                squared = squared_distance(queries[q], rows[positions[c]])
                filled = insert_sorted(squared, candidates[c], filled, out_squared[q], out_indices[q])


@compiled
def smallest_of_each_row(distances, out_indices, out_distances):
    """The smallest entries of each row, ties by column."""
    for q in range(distances.shape[0]):
        filled = 0
        for j in range(distances.shape[1]):
            filled = insert_sorted(distances[q, j], j, filled, out_distances[q], out_indices[q])
