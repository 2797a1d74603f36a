"""A short walk on the graph around each point, which tells its own neighbourhood from others beside it on the map."""

import numpy as np

from .compilation import compiled


@compiled
def walk_visits(indptr, indices, weights, link_starts, links, link_weights, rows, near, n_steps, room, out):
    """out[p, j] = Σ_s p_s(j)/d_j over the steps s of a walk from point p among the rows near[p] of the map.

    The walk follows the edges of the graph (``indptr``, ``indices``, ``weights``) that stay among near[p] and the
    point itself; d_j is the weight of these edges at j. Its first step takes the links of the point, which are those
    stored between link_starts[p] and link_starts[p + 1]. A new point, rows[p] = −1, is not part of the graph: the
    walk does not come back to it. Rows without such edges have 0. ``room`` is that of `room_for_walk`.
    """
    places, starts, ends, shares, degrees, here, there, visits = room
    n_points, k = near.shape
    for p in range(n_points):
        for j in range(k):
            places[near[p, j]] = j
        if rows[p] >= 0:
            places[rows[p]] = k
        # The edges among the k rows and the point: ends[starts[a]:starts[a + 1]] of each of them.
        # An edge that leaves the rows is overwritten by the next one, since a branch here could not be predicted.
        n = 0
        for a in range(k):
            for e in range(indptr[near[p, a]], indptr[near[p, a] + 1]):
                place = places[indices[e]]
                ends[n], shares[n] = place, weights[e]
                n += place >= 0
            starts[a + 1] = n
        for e in range(link_starts[p], link_starts[p + 1]):
            ends[n], shares[n] = places[links[e]], link_weights[e]
            n += ends[n] >= 0
        starts[k + 1] = n
        for a in range(k + 1):
            degrees[a] = 0
            for e in range(starts[a], starts[a + 1]):
                degrees[a] += shares[e]
        for j in range(k):
            places[near[p, j]] = -1
        if rows[p] >= 0:
            places[rows[p]] = -1
        for a in range(k + 1):
            here[a], visits[a] = 0, 0
        here[k] = 1
        for _ in range(n_steps):
            for a in range(k + 1):
                there[a] = 0
            for a in range(k + 1):
                if here[a] > 0 and degrees[a] > 0:
                    part = here[a] / degrees[a]
                    for e in range(starts[a], starts[a + 1]):
                        there[ends[e]] += part * shares[e]
            for a in range(k + 1):
                visits[a] += there[a]
                here[a] = there[a]
        for j in range(k):
            out[p, j] = visits[j] / degrees[j] if degrees[j] > 0 else 0.0


def room_for_walk(indptr, link_starts, near):
    """Arrays that `walk_visits` works in.

    The first has the places of the rows of the graph among those near a point; the point itself is the last of these.
    The others hold the edges among these, at most as many as they have, and sums for each of them.
    """
    n_edges = (indptr[near + 1] - indptr[near]).sum(axis=1) + np.diff(link_starts)
    most, k = int(n_edges.max(initial=0)) + 1, near.shape[1]
    places = np.full(len(indptr) - 1, -1, np.int32)
    return places, np.zeros(k + 2, np.int64), np.empty(most, np.int32), np.empty(most), *np.empty((4, k + 1))
