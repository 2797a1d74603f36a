"""The loop that projects slopes onto the tangent spaces around each point, without making their axes.

The axes are sums of differences between rows, V = Xᵀ F. So products of slopes with all axes follow from products with
the rows, and the spaces of neighbours have many rows in common.
"""

import numpy as np

from .compilation import compiled_sums, part_sums
from .regression import ROWS_AT_ONCE, add_rows, room_for_rows


@part_sums
def row_products(rows, chosen, origin, lines, out):
    """out[a, v] = (x_a − origin)·lines[v] over the rows x_a = rows[chosen[a]].

    Four rows and two lines are taken at a time, so both come in such multiples.
    """
    for a in range(0, len(chosen), 4):
        x0, x1, x2, x3 = rows[chosen[a]], rows[chosen[a + 1]], rows[chosen[a + 2]], rows[chosen[a + 3]]
        for v in range(0, lines.shape[0], 2):
            one, two = lines[v], lines[v + 1]
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
            for h in range(one.shape[0]):
                o = np.float64(origin[h])
                d0, d1, d2, d3 = x0[h] - o, x1[h] - o, x2[h] - o, x3[h] - o
                s0 += d0 * one[h]
                s1 += d1 * one[h]
                s2 += d2 * one[h]
                s3 += d3 * one[h]
                t0 += d0 * two[h]
                t1 += d1 * two[h]
                t2 += d2 * two[h]
                t3 += d3 * two[h]
            out[a, v], out[a + 1, v], out[a + 2, v], out[a + 3, v] = s0, s1, s2, s3
            out[a, v + 1], out[a + 1, v + 1], out[a + 2, v + 1], out[a + 3, v + 1] = t0, t1, t2, t3


@compiled_sums
def project_lines(rows, centers, spaces, members, pairs, lines, mixes, room, products, out):
    """products[p] = L P Lᵀ and out[p] = M L P, with L = lines[p], M = mixes[p] and P the mean of V Vᵀ around point p.

    The mean is over the spaces with the numbers spaces[p], except for −1. For space s, V Vᵀ = Xᵀ B X with
    B = pairs[s] and the rows of X being the differences from centers[p] of the rows members[s]. ``room`` is that of
    `room_for_projection`.
    """
    chosen, coefficients, places, along, here, there, mixed = room
    n_points = spaces.shape[0]
    k, n_lines, n_mixed = members.shape[1], lines.shape[1], mixes.shape[1]
    for p in range(n_points):
        n_chosen, n_counted = 0, 0
        for s in spaces[p]:
            if s >= 0:
                n_counted += 1
                for a in range(k):
                    if places[members[s, a]] < 0:
                        places[members[s, a]] = n_chosen
                        chosen[n_chosen] = members[s, a]
                        n_chosen += 1
        n_distinct = n_chosen
        while n_chosen % ROWS_AT_ONCE > 0:
            chosen[n_chosen] = chosen[0]
            n_chosen += 1
        row_products(rows, chosen[:n_chosen], centers[p], lines[p], along)
        for a in range(n_chosen):
            for v in range(n_mixed):
                coefficients[a, v] = 0
        product = products[p]
        for v in range(n_lines):
            for w in range(n_lines):
                product[v, w] = 0
        for s in spaces[p]:
            if s < 0:
                continue
            for v in range(n_lines):
                for a in range(k):
                    here[v, a] = along[places[members[s, a]], v]
                _multiply(pairs[s], here[v], there[v])
            for v in range(n_lines):
                for w in range(n_lines):
                    product[v, w] += _inner(here[v], there[w]) / n_counted
            for v in range(n_mixed):
                for a in range(k):
                    mixed[a] = 0
                for w in range(n_lines):
                    for a in range(k):
                        mixed[a] += mixes[p, v, w] * there[w, a]
                for a in range(k):
                    coefficients[places[members[s, a]], v] += mixed[a] / n_counted
        for a in range(n_distinct):
            places[chosen[a]] = -1
        add_rows(rows, chosen[:n_chosen], centers[p], coefficients, out[p])


def room_for_projection(rows, spaces, members, lines, mixes):
    """Arrays that `project_lines` works in.

    They are for the rows that are chosen for a point: their coefficients, places and products with the lines. The
    last three are for one space.
    """
    k, n_lines, n_mixed = members.shape[1], lines.shape[1], mixes.shape[1]
    chosen, coefficients = room_for_rows(spaces.shape[1] * k, n_mixed)
    places, along = np.full(rows.shape[0], -1, np.int32), np.empty((len(chosen), n_lines))
    return (chosen, coefficients, places, along, *np.empty((2, n_lines, k)), np.empty(k))


@part_sums
def _multiply(matrix, vector, out):
    for a in range(matrix.shape[0]):
        out[a] = _inner(matrix[a], vector)


@part_sums
def _inner(first, second):
    total = 0.0
    for a in range(first.shape[0]):
        total += first[a] * second[a]
    return total
