"""Loops of the local regressions of features on the map: sums over the rows around each point."""

import numpy as np

from .compilation import compiled_sums, part_sums

# Rows are taken four at a time, so that a sum is read and written once for four of them.
ROWS_AT_ONCE = 4


@compiled_sums
def steps_on_map(embedding, neighbors, weights, changes, places, steps, squares):
    """places[p] = Σ_j w_j y_j, steps[p, :, j] = w_j Δy_j and squares[p] = Σ_j w_j Δy_j Δy_jᵀ around each point p.

    Neighbour j of p has the place y_j = embedding[neighbors[p, j]] and the weight w_j = weights[p, j]. The weights of
    a point sum to 1, or are all 0. Δ is the difference from their weighted mean. ``changes`` has room for Δy.
    """
    n_points, k = neighbors.shape
    dim = embedding.shape[1]
    for p in range(n_points):
        for c in range(dim):
            mean = 0.0
            for j in range(k):
                changes[c, j] = embedding[neighbors[p, j], c]
                mean += weights[p, j] * changes[c, j]
            places[p, c] = mean
            for j in range(k):
                changes[c, j] -= mean
                steps[p, c, j] = weights[p, j] * changes[c, j]
        for a in range(dim):
            for b in range(dim):
                total = 0.0
                for j in range(k):
                    total += steps[p, a, j] * changes[b, j]
                squares[p, a, b] = total


@compiled_sums
def combine_rows(rows, positions, origins, coefficients, lines, chosen, shares, out):
    """Add up rows around each point: every sum of every part goes into one of the point's lines.

    out[p, lines[h, v]] += Σ_j coefficients[p, h, v, j]·(x_j − o), where x_j = rows[positions[p, j]] and
    o = rows[origins[p]], from 0 on. Rows whose coefficients in a part are all 0 take no time there. A feature in
    which all others equal o has sums of exactly 0. ``chosen`` and ``shares`` are the room of `room_for_rows`.
    """
    n_points, n_parts, n_sums, k = coefficients.shape
    for p in range(n_points):
        for v in range(out.shape[1]):
            for h in range(out.shape[2]):
                out[p, v, h] = 0
        for part in range(n_parts):
            n_chosen = 0
            for j in range(k):
                is_counted = False
                for v in range(n_sums):
                    shares[n_chosen, v] = coefficients[p, part, v, j]
                    is_counted |= coefficients[p, part, v, j] != 0
                if is_counted:
                    chosen[n_chosen] = positions[p, j]
                    n_chosen += 1
            while n_chosen % ROWS_AT_ONCE > 0:
                chosen[n_chosen] = origins[p]  # o − o = 0, whatever its shares are
                n_chosen += 1
            add_rows(rows, chosen[:n_chosen], rows[origins[p]], shares, lines[part], out[p])


def room_for_rows(most, n_sums):
    """Arrays for sums of at most so many rows: which ones, and their shares."""
    return np.empty(most + ROWS_AT_ONCE, np.int64), np.zeros((most + ROWS_AT_ONCE, n_sums))


@part_sums
def add_rows(rows, chosen, origin, shares, lines, out):
    """out[lines[v]] += Σ_a shares[a, v]·(rows[chosen[a]] − origin), of a multiple of four rows, in float64.

    Up to four sums are made in one loop: a row is read, converted and subtracted from once for all of them.
    """
    v, n_sums = 0, len(lines)
    while v < n_sums:
        here, one = shares[:, v:], out[lines[v]]
        if n_sums - v == 4:
            _add_to_four(rows, chosen, origin, here, one, out[lines[v + 1]], out[lines[v + 2]], out[lines[v + 3]])
            v += 4
        elif n_sums - v >= 3:
            _add_to_three(rows, chosen, origin, here, one, out[lines[v + 1]], out[lines[v + 2]])
            v += 3
        elif n_sums - v == 2:
            _add_to_two(rows, chosen, origin, here, one, out[lines[v + 1]])
            v += 2
        else:
            _add_to_one(rows, chosen, origin, here, one)
            v += 1


@part_sums
def _add_to_one(rows, chosen, origin, shares, line):
    for a in range(0, len(chosen), ROWS_AT_ONCE):
        x0, x1, x2, x3 = rows[chosen[a]], rows[chosen[a + 1]], rows[chosen[a + 2]], rows[chosen[a + 3]]
        s0, s1, s2, s3 = shares[a, 0], shares[a + 1, 0], shares[a + 2, 0], shares[a + 3, 0]
        for h in range(line.shape[0]):
            o = np.float64(origin[h])
            line[h] += s0 * (x0[h] - o) + s1 * (x1[h] - o) + s2 * (x2[h] - o) + s3 * (x3[h] - o)


@part_sums
def _add_to_two(rows, chosen, origin, shares, one, two):
    for a in range(0, len(chosen), ROWS_AT_ONCE):
        x0, x1, x2, x3 = rows[chosen[a]], rows[chosen[a + 1]], rows[chosen[a + 2]], rows[chosen[a + 3]]
        s0, s1, s2, s3 = shares[a, 0], shares[a + 1, 0], shares[a + 2, 0], shares[a + 3, 0]
        t0, t1, t2, t3 = shares[a, 1], shares[a + 1, 1], shares[a + 2, 1], shares[a + 3, 1]
        for h in range(one.shape[0]):
            o = np.float64(origin[h])
            d0, d1, d2, d3 = x0[h] - o, x1[h] - o, x2[h] - o, x3[h] - o
            one[h] += s0 * d0 + s1 * d1 + s2 * d2 + s3 * d3
            two[h] += t0 * d0 + t1 * d1 + t2 * d2 + t3 * d3


@part_sums
def _add_to_three(rows, chosen, origin, shares, one, two, three):
    for a in range(0, len(chosen), ROWS_AT_ONCE):
        x0, x1, x2, x3 = rows[chosen[a]], rows[chosen[a + 1]], rows[chosen[a + 2]], rows[chosen[a + 3]]
        s0, s1, s2, s3 = shares[a, 0], shares[a + 1, 0], shares[a + 2, 0], shares[a + 3, 0]
        t0, t1, t2, t3 = shares[a, 1], shares[a + 1, 1], shares[a + 2, 1], shares[a + 3, 1]
        u0, u1, u2, u3 = shares[a, 2], shares[a + 1, 2], shares[a + 2, 2], shares[a + 3, 2]
        for h in range(one.shape[0]):
            o = np.float64(origin[h])
            d0, d1, d2, d3 = x0[h] - o, x1[h] - o, x2[h] - o, x3[h] - o
            one[h] += s0 * d0 + s1 * d1 + s2 * d2 + s3 * d3
            two[h] += t0 * d0 + t1 * d1 + t2 * d2 + t3 * d3
            three[h] += u0 * d0 + u1 * d1 + u2 * d2 + u3 * d3


@part_sums
def _add_to_four(rows, chosen, origin, shares, one, two, three, four):
    for a in range(0, len(chosen), ROWS_AT_ONCE):
        x0, x1, x2, x3 = rows[chosen[a]], rows[chosen[a + 1]], rows[chosen[a + 2]], rows[chosen[a + 3]]
        s0, s1, s2, s3 = shares[a, 0], shares[a + 1, 0], shares[a + 2, 0], shares[a + 3, 0]
        t0, t1, t2, t3 = shares[a, 1], shares[a + 1, 1], shares[a + 2, 1], shares[a + 3, 1]
        u0, u1, u2, u3 = shares[a, 2], shares[a + 1, 2], shares[a + 2, 2], shares[a + 3, 2]
        v0, v1, v2, v3 = shares[a, 3], shares[a + 1, 3], shares[a + 2, 3], shares[a + 3, 3]
        for h in range(one.shape[0]):
            o = np.float64(origin[h])
            d0, d1, d2, d3 = x0[h] - o, x1[h] - o, x2[h] - o, x3[h] - o
            one[h] += s0 * d0 + s1 * d1 + s2 * d2 + s3 * d3
            two[h] += t0 * d0 + t1 * d1 + t2 * d2 + t3 * d3
            three[h] += u0 * d0 + u1 * d1 + u2 * d2 + u3 * d3
            four[h] += v0 * d0 + v1 * d1 + v2 * d2 + v3 * d3


@compiled_sums
def weighted_spreads(rows, positions, origins, weights, sums, out):
    """out[p, h] = Σ_j w_j Δx_jh² over the rows x_j = rows[positions[p, j]], with Δ the difference from their mean.

    The weights of a point sum to 1, or are all 0. Features are measured from rows[origins[p]], one of the rows with
    weight, so that a locally constant feature has exactly 0. ``sums`` has room for as many numbers.
    """
    n_points, k = positions.shape
    n_features = rows.shape[1]
    for p in range(n_points):
        origin, spread = rows[origins[p]], out[p]
        for h in range(n_features):
            sums[h] = 0
            spread[h] = 0
        for j in range(k):
            weight = weights[p, j]
            if weight > 0:
                row = rows[positions[p, j]]
                for h in range(n_features):
                    change = np.float64(row[h]) - np.float64(origin[h])
                    sums[h] += weight * change
                    spread[h] += weight * change * change
        for h in range(n_features):
            spread[h] = max(spread[h] - sums[h] * sums[h], 0.0)
