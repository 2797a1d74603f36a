"""The loop over the inner products of sparse rows."""

from .compilation import compiled


@compiled
def add_products_of_rows(indptr, indices, data, out):
    """out[i, j] += Σ_h x_ih x_jh for all rows j ≤ i of a CSC matrix, whose entries of a column are in order.

    A column takes as much time as it has pairs of entries. Common ones are few in single cells, so that this is much
    less than for rows that are dense.
    """
    for h in range(len(indptr) - 1):
        for e in range(indptr[h], indptr[h + 1]):
            line = out[indices[e]]
            for f in range(indptr[h], e + 1):
                line[indices[f]] += data[e] * data[f]
