"""Edges of a graph that is given by CSR rows with sorted columns."""

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
def reorder_edges(indptr, indices, data, order, places, new_indptr, start, stop, new_indices, new_data):
    """Rows start to stop of a matrix in another order: row p is row order[p], with column j at places[j]."""
    for p in range(start, stop):
        first, last, shift = new_indptr[p], new_indptr[p + 1], indptr[order[p]] - new_indptr[p]
        for e in range(first, last):
            new_indices[e], new_data[e] = places[indices[e + shift]], data[e + shift]
        sort_by_columns(new_indices[first:last], new_data[first:last])
