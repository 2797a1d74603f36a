"""The loop that projects slopes onto the tangent spaces around each point, without making their axes.

The axes are sums of differences between rows, V = Xᵀ F. So products of slopes with all axes follow from products with
the rows, and the spaces of neighbours have many rows in common.
"""

import numpy as np

from .compilation import compiled_sums, part_sums
from .products import TILE
from .regression import ROWS_AT_ONCE, add_rows, room_for_rows


@part_sums
def row_products(rows, chosen, origin, lines, out):
    """out[a, v] = (x_a − origin)·lines[v] over the rows x_a = rows[chosen[a]].

    Both rows and lines come in multiples of TILE.
    """
    for a in range(0, len(chosen), TILE):
        x0, x1, x2 = rows[chosen[a]], rows[chosen[a + 1]], rows[chosen[a + 2]]
        for v in range(0, lines.shape[0], TILE):
            one, two, three = lines[v], lines[v + 1], lines[v + 2]
            s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
            for h in range(one.shape[0]):
                o = np.float64(origin[h])
                d0, d1, d2 = x0[h] - o, x1[h] - o, x2[h] - o
                s00 += d0 * one[h]
                s01 += d0 * two[h]
                s02 += d0 * three[h]
                s10 += d1 * one[h]
                s11 += d1 * two[h]
                s12 += d1 * three[h]
                s20 += d2 * one[h]
                s21 += d2 * two[h]
                s22 += d2 * three[h]
            out[a, v], out[a, v + 1], out[a, v + 2] = s00, s01, s02
            out[a + 1, v], out[a + 1, v + 1], out[a + 1, v + 2] = s10, s11, s12
            out[a + 2, v], out[a + 2, v + 1], out[a + 2, v + 2] = s20, s21, s22


@part_sums
def add_pairs(pairs, at, along, share, here, out):
    """out[at[a], v] += share·Σ_b pairs[a, b]·along[at[b], v] for all v, which come in multiples of TILE.

    ``here`` has room for the lines along[at[b]], side by side as the pairs are.
    """
    for b in range(len(at)):
        line = along[at[b]]
        for v in range(len(line)):
            here[v, b] = line[v]
    for v in range(0, here.shape[0], TILE):
        one, two, three = here[v], here[v + 1], here[v + 2]
        for a in range(len(at)):
            pair, line = pairs[a], out[at[a]]
            s0, s1, s2 = 0.0, 0.0, 0.0
            for b in range(len(at)):
                s0 += pair[b] * one[b]
                s1 += pair[b] * two[b]
                s2 += pair[b] * three[b]
            line[v] += share * s0
            line[v + 1] += share * s1
            line[v + 2] += share * s2


@compiled_sums
def project_lines(rows, centers, spaces, members, pairs, lines, mixes, room, products, out):
    """products[p] = L P Lᵀ and out[p] = M L P, with L = lines[p], M = mixes[p] and P the mean of V Vᵀ around point p.

    The mean is over the spaces with the numbers spaces[p], except for −1. For space s, V Vᵀ = Xᵀ B X with
    B = pairs[s] and the rows of X being the differences from centers[p] of the rows members[s]. So with Z the rows of
    all spaces, P = Zᵀ C Z, and C is the mean of their B. ``room`` is that of `room_for_projection`.
    """
    chosen, coefficients, places, at, here, along, paired, in_turn = room
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
        for a in range(n_distinct, n_distinct + ROWS_AT_ONCE):
            chosen[a] = chosen[0]  # so that rows come in the multiples that are taken at once; it has no coefficients
        row_products(rows, chosen[: multiple_of(TILE, n_distinct)], centers[p], lines[p], along)
        for a in range(n_distinct):
            for v in range(n_lines):
                paired[a, v] = 0
        for s in spaces[p]:
            if s >= 0:
                for a in range(k):
                    at[a] = places[members[s, a]]
                add_pairs(pairs[s], at, along, 1 / n_counted, here, paired)
        for a in range(n_distinct):
            places[chosen[a]] = -1
        symmetric_products(along[:n_distinct], paired, products[p])
        mix(paired[:n_distinct], mixes[p], coefficients)
        n_added = multiple_of(ROWS_AT_ONCE, n_distinct)
        for a in range(n_distinct, n_added):
            for v in range(n_mixed):
                coefficients[a, v] = 0
        for v in range(n_mixed):
            for h in range(out.shape[2]):
                out[p, v, h] = 0
        add_rows(rows, chosen[:n_added], centers[p], coefficients, in_turn, out[p])


@part_sums
def multiple_of(step, number):
    """The first multiple that is not below a number."""
    return (number + step - 1) // step * step


@part_sums
def symmetric_products(first, second, out):
    """out[v, w] = Σ_a first[a, v]·second[a, w], which is symmetric."""
    for v in range(out.shape[0]):
        for w in range(v + 1):
            total = 0.0
            for a in range(first.shape[0]):
                total += first[a, v] * second[a, w]
            out[v, w] = total
            out[w, v] = total


@part_sums
def mix(lines, mixes, out):
    """out[a, v] = Σ_w mixes[v, w]·lines[a, w]."""
    for a in range(lines.shape[0]):
        for v in range(mixes.shape[0]):
            total = 0.0
            for w in range(mixes.shape[1]):
                total += mixes[v, w] * lines[a, w]
            out[a, v] = total


def room_for_projection(rows, spaces, members, lines, mixes):
    """Arrays that `project_lines` works in.

    They are for the rows that are chosen for a point: which ones, their coefficients, the places of all rows among
    them, the places and products of those of one space, and all products with the lines, before and after the mean of
    all B.
    """
    k, n_lines, n_mixed = members.shape[1], lines.shape[1], mixes.shape[1]
    chosen, coefficients = room_for_rows(spaces.shape[1] * k, n_mixed)
    places, at, here = np.full(rows.shape[0], -1, np.int32), np.empty(k, np.int32), np.empty((n_lines, k))
    return (chosen, coefficients, places, at, here, *np.empty((2, len(chosen), n_lines)), np.arange(n_mixed))
