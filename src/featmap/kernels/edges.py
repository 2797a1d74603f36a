"""Edges of a graph that is given by CSR rows with sorted columns."""

from .compilation import part


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
