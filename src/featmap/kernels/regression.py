"""Loops of the local regressions of features on the map: sums over the rows around each point."""

import numpy as np

from .compilation import compiled_sums, part_sums

# Rows are taken eight at a time, so that a sum is read and written once for eight of them.
ROWS_AT_ONCE = 8


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
def combine_rows(rows, positions, origins, coefficients, chosen, shares, out):
    """out[p, v] = Σ_j coefficients[p, v, j]·(x_j − o), where x_j = rows[positions[p, j]] and o = rows[origins[p]].

    Rows whose coefficients are all 0 take no time. A feature in which all others equal o has sums of exactly 0.
    ``chosen`` and ``shares`` are the room of `room_for_rows`.
    """
    n_points, k = positions.shape
    n_sums = out.shape[1]
    for p in range(n_points):
        n_chosen = 0
        for j in range(k):
            is_counted = False
            for v in range(n_sums):
                shares[n_chosen, v] = coefficients[p, v, j]
                is_counted |= coefficients[p, v, j] != 0
            if is_counted:
                chosen[n_chosen] = positions[p, j]
                n_chosen += 1
        while n_chosen % ROWS_AT_ONCE > 0:
            chosen[n_chosen] = origins[p]  # o − o = 0, whatever its shares are
            n_chosen += 1
        add_rows(rows, chosen[:n_chosen], rows[origins[p]], shares, out[p])


def room_for_rows(most, n_sums):
    """Arrays for sums of at most so many rows: which ones, and their shares."""
    return np.empty(most + ROWS_AT_ONCE, np.int64), np.zeros((most + ROWS_AT_ONCE, n_sums))


@part_sums
def add_rows(rows, chosen, origin, shares, out):
    """out[v] = Σ_a shares[a, v]·(rows[chosen[a]] − origin), of a multiple of eight rows, in float64."""
    for v in range(out.shape[0]):
        for h in range(out.shape[1]):
            out[v, h] = 0
    for a in range(0, len(chosen), ROWS_AT_ONCE):
        x0, x1, x2, x3 = rows[chosen[a]], rows[chosen[a + 1]], rows[chosen[a + 2]], rows[chosen[a + 3]]
        x4, x5, x6, x7 = rows[chosen[a + 4]], rows[chosen[a + 5]], rows[chosen[a + 6]], rows[chosen[a + 7]]
        for v in range(out.shape[0]):
            c0, c1, c2, c3 = shares[a, v], shares[a + 1, v], shares[a + 2, v], shares[a + 3, v]
            c4, c5, c6, c7 = shares[a + 4, v], shares[a + 5, v], shares[a + 6, v], shares[a + 7, v]
            line = out[v]
            for h in range(line.shape[0]):
                o = np.float64(origin[h])
                first = c0 * (x0[h] - o) + c1 * (x1[h] - o) + c2 * (x2[h] - o) + c3 * (x3[h] - o)
                second = c4 * (x4[h] - o) + c5 * (x5[h] - o) + c6 * (x6[h] - o) + c7 * (x7[h] - o)
                line[h] += first + second


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
