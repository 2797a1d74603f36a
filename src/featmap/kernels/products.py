"""Loops over the inner products of rows, dense and sparse."""

from .compilation import compiled, inlined

TILE = 3  # rows of a tile of inner products, which share what they read: nine sums stay in registers


@inlined
def add_products(rows, n, out):
    """out[a, b] += the inner product of the first n entries of rows a and b, for b ≤ a, by tiles of TILE rows."""
    for a in range(0, rows.shape[0], TILE):
        a0, a1, a2 = rows[a], rows[a + 1], rows[a + 2]
        for b in range(0, a + 1, TILE):
            b0, b1, b2 = rows[b], rows[b + 1], rows[b + 2]
            s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
            for h in range(n):
                s00 += a0[h] * b0[h]
                s01 += a0[h] * b1[h]
                s02 += a0[h] * b2[h]
                s10 += a1[h] * b0[h]
                s11 += a1[h] * b1[h]
                s12 += a1[h] * b2[h]
                s20 += a2[h] * b0[h]
                s21 += a2[h] * b1[h]
                s22 += a2[h] * b2[h]
            out[a, b] += s00
            out[a, b + 1] += s01
            out[a, b + 2] += s02
            out[a + 1, b] += s10
            out[a + 1, b + 1] += s11
            out[a + 1, b + 2] += s12
            out[a + 2, b] += s20
            out[a + 2, b + 1] += s21
            out[a + 2, b + 2] += s22


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
