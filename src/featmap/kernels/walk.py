"""A short walk on the graph around each point, which tells its own neighbourhood from others beside it on the map."""

import numpy as np

from .compilation import compiled


@compiled
def walk_visits(indptr, indices, weights, link_starts, links, link_weights, rows, near, n_steps, out):
    """out[p, j] = Σ_s p_s(j)/d_j over the steps s of a walk from point p among the rows near[p] of the map.

    The walk follows the edges of the graph (``indptr``, ``indices``, ``weights``) that stay among near[p] and the
    point itself; d_j is the weight of these edges at j. Its first step takes the links of the point, which are those
    stored between link_starts[p] and link_starts[p + 1]. A new point, rows[p] = −1, is not part of the graph: the
    walk does not come back to it. Rows without such edges have 0.
    """
    n_points, k = near.shape
    for p in range(n_points):
        order = np.argsort(near[p])
        ordered = near[p][order]
        n_edges = 0
        for j in range(k):
            n_edges += indptr[near[p, j] + 1] - indptr[near[p, j]]
        n_edges += link_starts[p + 1] - link_starts[p]
        # The edges among the k rows and the point, which is the last: ends[starts[a]:starts[a + 1]] of each of them.
        starts = np.zeros(k + 2, np.int64)
        ends = np.empty(n_edges, np.int64)
        shares = np.empty(n_edges)
        degrees = np.zeros(k + 1)
        n = 0
        for a in range(k + 1):
            if a < k:
                first, last = indptr[near[p, a]], indptr[near[p, a] + 1]
            else:
                first, last = link_starts[p], link_starts[p + 1]
            for e in range(first, last):
                if a < k:
                    target, weight = indices[e], weights[e]
                else:
                    target, weight = links[e], link_weights[e]
                end = -1
                if target == rows[p]:
                    end = k
                else:
                    place = np.searchsorted(ordered, target)
                    if place < k and ordered[place] == target:
                        end = order[place]
                if end >= 0:
                    ends[n] = end
                    shares[n] = weight
                    degrees[a] += weight
                    n += 1
            starts[a + 1] = n
        here = np.zeros(k + 1)
        here[k] = 1.0
        visits = np.zeros(k + 1)
        for _ in range(n_steps):
            there = np.zeros(k + 1)
            for a in range(k + 1):
                if here[a] > 0 and degrees[a] > 0:
                    part = here[a] / degrees[a]
                    for e in range(starts[a], starts[a + 1]):
                        there[ends[e]] += part * shares[e]
            for a in range(k + 1):
                visits[a] += there[a]
            here = there
        for j in range(k):
            out[p, j] = visits[j] / degrees[j] if degrees[j] > 0 else 0.0
