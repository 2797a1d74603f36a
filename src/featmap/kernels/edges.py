"""Edges of a graph that is given by CSR rows with sorted columns."""

import numpy as np

from .compilation import compiled, part


@part
def find_edge(indptr, indices, i, j):
    """The number of the edge i→j, which is there: by halving the row."""
    first, last = indptr[i], indptr[i + 1] - 1
    while first < last:
        middle = (first + last) // 2
        if indices[middle] < j:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def edge_lengths(indptr, indices, rows, neighbors, distances, limit, start, stop, out):
    """out[e] = the distance along the edge e = i→j, the larger one if i and j were given different distances.

    Neighbours and distances have the order of the data; ``rows`` tells the row of each point of the graph. A
    neighbour at ``limit`` or beyond is missing.
    """
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            here, there = rows[i], rows[indices[e]]
            forward = distance_to(neighbors, distances, limit, here, there)
            backward = distance_to(neighbors, distances, limit, there, here)
            out[e] = forward if forward > backward else backward


@part
def distance_to(neighbors, distances, limit, i, j):
    """The distance from i to j if j is a neighbour of i that is present, else 0."""
    for a in range(neighbors.shape[1]):
        if neighbors[i, a] == j and distances[i, a] < limit:
            return distances[i, a]
    return np.float32(0)
