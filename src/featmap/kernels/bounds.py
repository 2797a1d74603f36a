"""Loops of the exact search with lower bounds."""

import numpy as np
from numba import int32

from .compilation import compiled_sums, inlined, part_sums
from .search import (
    COLUMNS_AT_ONCE,
    NO_KEY,
    SMALLEST,
    distance_of,
    insert_sorted,
    insert_value,
    key_of,
    lower_bound,
    n_within,
    squared_distance,
)


@compiled_sums
def bounding_coordinates(rows, directions, sums, out):
    """The coordinates of each row along the directions, and as the last one the length of the remainder."""
    width = directions.shape[1]
    for i in range(rows.shape[0]):
        left = 0.0
        sums[:] = 0
        for h in range(rows.shape[1]):
            value = np.float64(rows[i, h])
            if value != 0:
                left += value * value
                for c in range(width):
                    sums[c] += value * directions[h, c]
        for c in range(width):
            left -= sums[c] * sums[c]
            out[i, c] = sums[c]
        out[i, width] = np.sqrt(max(left, 0.0))


@part_sums
def smallest_bounds(products, size, row_sizes, error, keys):
    """Keys of the columns with the smallest lower bounds."""
    keys[:] = NO_KEY
    last = keys.shape[0] - 1
    for start in range(0, products.shape[0], COLUMNS_AT_ONCE):
        stop = min(start + COLUMNS_AT_ONCE, products.shape[0])
        columns = slice(start, stop)
        if n_within(products[columns], size, row_sizes[columns], error, distance_of(keys[last])) > 0:
            for j in range(start, stop):
                bound = lower_bound(products[j], size, row_sizes[j], error)
                insert_value(key_of(max(bound, np.float32(0)), j), keys)


@part_sums
def farthest(query, matrix, numbers, keys):
    """The largest squared distance to the rows of some columns. It is infinite if there are too few of them."""
    if keys[keys.shape[0] - 1] == NO_KEY:
        return np.inf
    largest = 0.0
    for key in keys:
        largest = max(largest, squared_distance(query, matrix[numbers[int32(key)]]))
    return largest


@compiled_sums
def nearest_within_bounds(
    products, sizes, row_sizes, error, queries, matrix, numbers, keys, limits, out_indices, out_squared
):
    """The nearest rows of each query by exact distance. Returns the number of rows that were compared.

    Column j stands for the row numbers[j] of the matrix. The squared distance of its coordinates to those of query q
    is sizes[q] + row_sizes[j] − 2 products[q, j], up to ``error`` times the sum of both sizes and SMALLEST, and a
    lower bound of the exact one. The rows with the smallest bounds, for which there is room in ``keys``, give a
    limit: a row whose bound is above it is not among the nearest. Index −1 at infinity marks a free entry.
    """
    n_compared, k = 0, out_indices.shape[1]
    for q in range(products.shape[0]):
        smallest_bounds(products[q], sizes[q], row_sizes, error, keys)
        limits[q] = rounded_up(farthest(queries[q], matrix, numbers, keys))
    for start in range(0, products.shape[1], COLUMNS_AT_ONCE):  # its rows stay in the cache for all queries
        stop = min(start + COLUMNS_AT_ONCE, products.shape[1])
        columns = slice(start, stop)
        for q in range(products.shape[0]):
            if n_within(products[q, columns], sizes[q], row_sizes[columns], error, limits[q]) == 0:
                continue
            for j in range(start, stop):
                if lower_bound(products[q, j], sizes[q], row_sizes[j], error) <= limits[q]:
                    squared = squared_distance(queries[q], matrix[numbers[j]])
                    insert_sorted(squared, numbers[j], k, out_squared, out_indices, q)
                    limits[q] = min(limits[q], rounded_up(out_squared[q, k - 1]))
                    n_compared += 1
    return n_compared


@inlined
def rounded_up(value):
    """A float32 that is not below the value."""
    return np.float32(value) * np.float32(1 + 2**-22) + SMALLEST
