"""Loops of the neighbour search: project rows, scan lists, rank candidates exactly."""

import numpy as np
from numba import int32, uint64

from .compilation import compiled, compiled_sums, inlined

# Points of the index are kept in blocks of BLOCK_COLUMNS columns and compared along COORDINATES_AT_ONCE coordinates
# at a time. The compiler knows both numbers, so it unrolls the loop over the coordinates and keeps the columns in
# vectors.
BLOCK_COLUMNS = 32
COORDINATES_AT_ONCE = 8


@compiled_sums
def project_rows(rows, directions, start, stop, out):
    """out[i] = rows[i] @ directions, row by row. With BLAS the bits of a row would depend on its batch."""
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


@compiled
def multiply_rows(rows, matrix, out):
    """out[i] = rows[i] @ matrix in float64, row by row, with the entries of a row in order. Zeros change no bit."""
    for i in range(rows.shape[0]):
        sums = out[i]
        sums[:] = 0
        for h in range(matrix.shape[0]):
            value = rows[i, h]
            if value != 0:
                weights = matrix[h]
                for c in range(sums.shape[0]):
                    sums[c] += value * weights[c]


@inlined
def insert_sorted(distance, index, filled, distances, indices, row):
    """Insert into a row sorted by (distance, index) and return its new length. A full row drops its last entry."""
    k = distances.shape[1]
    position = k
    if filled < k:
        position = filled
        filled += 1
    elif distance < distances[row, k - 1] or (distance == distances[row, k - 1] and index < indices[row, k - 1]):
        position = k - 1
    if position < k:
        while position > 0 and (
            distances[row, position - 1] > distance
            or (distances[row, position - 1] == distance and indices[row, position - 1] > index)
        ):
            distances[row, position] = distances[row, position - 1]
            indices[row, position] = indices[row, position - 1]
            position -= 1
        distances[row, position] = distance
        indices[row, position] = index
    return filled


@inlined
def add_squares(point, first, values, begin, squared, limit):
    """Add the next coordinates to the squared distance of each column. Return how many are within the limit.

    The coordinates of the point from ``first`` on are compared with the columns that begin at values[begin].
    """
    n_within = int32(0)
    for j in range(BLOCK_COLUMNS):
        total = squared[j]
        for c in range(COORDINATES_AT_ONCE):
            difference = point[uint64(first + c)] - values[begin + uint64(c * BLOCK_COLUMNS) + uint64(j)]
            total += difference * difference
        squared[j] = total
        n_within = int32(n_within + int32(total <= limit))
    return n_within


@compiled_sums
def scan_blocks(points, chosen, blocks, first, last, members, nearest, found):
    """Merge the columns of blocks[first:last] into the nearest found so far for each chosen point.

    ``nearest`` holds their squared distances and ``found`` their numbers.
    """
    width, n_wanted = points.shape[1], found.shape[1]
    values = blocks.reshape(-1)
    squared = np.empty(BLOCK_COLUMNS, np.float32)
    for b in range(first, last):
        for i in chosen:
            squared[:] = 0
            n_within = int32(0)
            for c in range(0, width, COORDINATES_AT_ONCE):
                begin = uint64((b * width + c) * BLOCK_COLUMNS)
                n_within = add_squares(points[i], c, values, begin, squared, nearest[i, n_wanted - 1])
                if n_within == 0:
                    break
            if n_within > 0:
                for j in range(BLOCK_COLUMNS):
                    if squared[j] <= nearest[i, n_wanted - 1]:
                        insert_sorted(squared[j], members[b, j], n_wanted, nearest, found, i)


@compiled
def scan_lists(points, lists, order, blocks, first_blocks, members, nearest, found):
    """Find the members nearest to each point among those of its lists: their squared distances and numbers.

    List l has the blocks first_blocks[l]:first_blocks[l + 1], and members[b, j] is the number of column j of block b.
    Columns at infinity are empty. The number of coordinates must be a multiple of COORDINATES_AT_ONCE. ``order``
    sorts the entries of ``lists``: each list is scanned for all points that search it before the next list, because
    its blocks are then in the cache.
    """
    wanted = lists.flatten()
    start = 0
    while start < order.shape[0]:
        chosen = wanted[order[start]]
        stop = start + 1
        while stop < order.shape[0] and wanted[order[stop]] == chosen:
            stop += 1
        first, last = first_blocks[chosen], first_blocks[chosen + 1]
        scan_blocks(points, order[start:stop] // lists.shape[1], blocks, first, last, members, nearest, found)
        start = stop


@compiled_sums
def squared_distance(a, b):
    """Σ(a − b)² in float64. For integers it is exact, so the order of the features does not matter."""
    total = 0.0
    for h in range(a.shape[0]):
        difference = np.float64(a[h]) - np.float64(b[h])
        total += difference * difference
    return total


@compiled
def rank_candidates(queries, rows, positions, candidates, offsets, out_indices, out_squared):
    """The nearest candidates of each query by exact distance. Ties are broken by index.

    Query q has the candidates offsets[q]:offsets[q + 1]. Candidate c is the row positions[c] of ``rows`` and has the
    index candidates[c]; a negative position means that there is none. Entries that the outputs already hold are kept
    and compete; index −1 marks a free entry.
    """
    for q in range(queries.shape[0]):
        filled = 0
        while filled < out_indices.shape[1] and out_indices[q, filled] >= 0:
            filled += 1
        for c in range(offsets[q], offsets[q + 1]):
            if positions[c] >= 0:
                squared = squared_distance(queries[q], rows[positions[c]])
                filled = insert_sorted(squared, candidates[c], filled, out_squared, out_indices, q)


@compiled
def smallest_of_each_row(distances, out_indices, out_distances):
    """The smallest entries of each row, in rising order. Ties are broken by column."""
    k = out_distances.shape[1]
    for q in range(distances.shape[0]):
        filled = 0
        for j in range(distances.shape[1]):
            # Columns come in rising order, so an entry equal to the last one is not inserted. Most entries stop here.
            if filled < k or distances[q, j] < out_distances[q, k - 1]:
                filled = insert_sorted(distances[q, j], j, filled, out_distances, out_indices, q)
