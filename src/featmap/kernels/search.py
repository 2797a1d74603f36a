"""Loops of the neighbour search: project rows, scan lists, propose candidates, rank them exactly."""

import numpy as np
from numba import int32, int64, uint64

from .compilation import compiled, compiled_sums, inlined, part_sums

# Points of the index are kept in blocks of BLOCK_COLUMNS columns and compared along COORDINATES_AT_ONCE coordinates
# at a time. The compiler knows both numbers, so it unrolls the loop over the coordinates and keeps the columns in
# vectors.
BLOCK_COLUMNS = 32
COORDINATES_AT_ONCE = 8
# The key of no point: infinity and the number −1.
NO_KEY = (0x7F800000 << 32) | 0xFFFFFFFF
COLUMNS_AT_ONCE = 64  # of a matrix product, most of which are all too far
SMALLEST = np.finfo(np.float32).tiny  # squares below it lose their digits: it is part of every margin


@compiled_sums
def project_rows(rows, directions, start, stop, out):
    """out[i] = rows[i] @ directions, row by row. With BLAS the bits of a row would depend on its batch."""
    n_features, width = directions.shape
    for i in range(start, stop):
        sums = out[i]
        for c in range(width):
            sums[c] = 0
        for h in range(n_features):
            value = rows[i, h]
            if value != 0:
                for c in range(width):
                    sums[c] += value * directions[h, c]


@compiled_sums
def remaining_lengths(rows, coordinates, out):
    """out[i] = √(|rows[i]|² − |coordinates[i]|²): how far a row is from the space of its directions."""
    for i in range(rows.shape[0]):
        total = 0.0
        for h in range(rows.shape[1]):
            total += np.float64(rows[i, h]) * np.float64(rows[i, h])
        for c in range(coordinates.shape[1]):
            total -= np.float64(coordinates[i, c]) * np.float64(coordinates[i, c])
        out[i] = np.sqrt(max(total, 0.0))


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


@inlined
def key_of(distance, number):
    """A float32 distance and a number as one integer. Keys are in the order of (distance, number)."""
    return (int64(np.float32(distance).view(np.int32)) << 32) | int64(number)


@inlined
def distance_of(key):
    """The distance in a key."""
    return np.int32(key >> 32).view(np.float32)


@inlined
def insert_value(value, values):
    """Insert into values in rising order, if it is below the last one, which is dropped."""
    position = values.shape[0] - 1
    if value < values[position]:
        while position > 0 and values[position - 1] > value:
            values[position] = values[position - 1]
            position -= 1
        values[position] = value


@part_sums
def scan_blocks(points, chosen, blocks, first, last, members, nearest):
    """Merge the columns of blocks[first:last] into the nearest found so far for each chosen point, as keys."""
    width, last_key = points.shape[1], nearest.shape[1] - 1
    values = blocks.reshape(-1)
    squared = np.empty(BLOCK_COLUMNS, np.float32)
    for b in range(first, last):
        for i in chosen:
            squared[:] = 0
            n_within = int32(0)
            limit = distance_of(nearest[i, last_key])
            for c in range(0, width, COORDINATES_AT_ONCE):
                begin = uint64((b * width + c) * BLOCK_COLUMNS)
                n_within = add_squares(points[i], c, values, begin, squared, limit)
                if n_within == 0:
                    break
            if n_within > 0:
                for j in range(BLOCK_COLUMNS):
                    if squared[j] <= limit and members[b, j] >= 0:
                        insert_value(key_of(squared[j], members[b, j]), nearest[i])
                        limit = distance_of(nearest[i, last_key])


@compiled
def scan_lists(points, of_point, lists, blocks, first_blocks, members, nearest):
    """Find the members nearest to each point among those of its lists: keys of squared distances and numbers.

    Visit v is that of the point of_point[v] to the list lists[v]. Lists are in rising order: each is scanned for all
    points that search it before the next list, because its blocks are then in the cache. List −1 is none. List l has
    the blocks first_blocks[l]:first_blocks[l + 1], and members[b, j] is the number of column j of block b. Columns at
    infinity are empty. The number of coordinates must be a multiple of COORDINATES_AT_ONCE.
    """
    start = 0
    while start < lists.shape[0]:
        chosen, stop = lists[start], start + 1
        while stop < lists.shape[0] and lists[stop] == chosen:
            stop += 1
        if chosen >= 0:
            first, last = first_blocks[chosen], first_blocks[chosen + 1]
            scan_blocks(points, of_point[start:stop], blocks, first, last, members, nearest)
        start = stop


@inlined
def lower_bound(product, size, row_size, error):
    """A squared distance, |q|² + |x|² − 2qx, less what rounding may add to it."""
    both = size + row_size
    return both - 2 * product - (error * both + SMALLEST)


@inlined
def upper_bound(product, size, row_size, error):
    """The same, plus what rounding may take away."""
    both = size + row_size
    return both - 2 * product + (error * both + SMALLEST)


@part_sums
def n_within(products, size, row_sizes, error, limit):
    """How many rows have a lower bound within the limit."""
    count = int32(0)
    for j in range(products.shape[0]):
        count = int32(count + int32(lower_bound(products[j], size, row_sizes[j], error) <= limit))
    return count


@part_sums
def merge_upper_bounds(products, size, row_sizes, error, smallest):
    """Merge the upper bounds of some rows into the smallest ones so far, which are in rising order."""
    last = smallest.shape[0] - 1
    for start in range(0, products.shape[0], COLUMNS_AT_ONCE):
        stop = start + COLUMNS_AT_ONCE if start + COLUMNS_AT_ONCE < products.shape[0] else products.shape[0]
        columns = slice(start, stop)
        if n_within(products[columns], size, row_sizes[columns], error, smallest[last]) > 0:
            for j in range(start, stop):
                insert_value(upper_bound(products[j], size, row_sizes[j], error), smallest)


@compiled
def propose_candidates(products, sizes, row_sizes, error, bounds, of_query, positions):
    """The rows of a block that could be among the nearest of each query, by products that are rounded.

    A squared distance is sizes[q] + row_sizes[j] − 2 products[q, j], up to ``error`` times the sum of both sizes and
    SMALLEST. The smallest upper bounds of each query so far are in ``bounds``, in rising order, and those of this
    block are merged into them. A row is proposed if its lower bound is not above the last of them. Returns the number
    of proposals; each is a query and the position of a row.
    """
    n_proposed, last = 0, bounds.shape[1] - 1
    for q in range(products.shape[0]):
        of_row, size = products[q], sizes[q]
        merge_upper_bounds(of_row, size, row_sizes, error, bounds[q])
        limit = bounds[q, last]
        for start in range(0, of_row.shape[0], COLUMNS_AT_ONCE):
            stop = start + COLUMNS_AT_ONCE if start + COLUMNS_AT_ONCE < of_row.shape[0] else of_row.shape[0]
            columns = slice(start, stop)
            if n_within(of_row[columns], size, row_sizes[columns], error, limit) > 0:
                for j in range(start, stop):
                    if lower_bound(of_row[j], size, row_sizes[j], error) <= limit:
                        of_query[n_proposed], positions[n_proposed] = q, j
                        n_proposed += 1
    return n_proposed


@inlined
def squared_distance(a, b):
    """Σ(a − b)² in float64. For integers it is exact, so the order of the features does not matter."""
    total = 0.0
    for h in range(a.shape[0]):
        difference = np.float64(a[h]) - np.float64(b[h])
        total += difference * difference
    return total


@compiled_sums
def rank_candidates(queries, rows, of_query, positions, numbers, out_indices, out_squared):
    """Merge candidates into the nearest of each query by exact distance. Ties are broken by index.

    Candidate c is one of the query of_query[c]. It is the row positions[c] of ``rows`` and has the index numbers[c].
    Candidates may come in any order. Index −1 at infinity marks a free entry.
    """
    k = out_indices.shape[1]
    for c in range(positions.shape[0]):
        q = of_query[c]
        squared = squared_distance(queries[q], rows[positions[c]])
        insert_sorted(squared, numbers[c], k, out_squared, out_indices, q)


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
