"""Loops of the graph: the membership strengths of the neighbours of each point, and their union.

Directed edges are given by rows: those of point i are the entries first[i] to last[i] of flat arrays.
"""

import numpy as np

from .compilation import compiled, inlined

MAX_NEWTON_STEPS = 100
BANDWIDTH_FLOOR = 1e-3


@inlined
def inverse_bandwidth(excess, first, last, target):
    """u = 1/γ with Σ exp(−excess·u) = target over first:last, or infinity if too many excesses are zero.

    The sum is convex and falls with u, so Newton's method from u = 0 approaches the root from the left and never
    passes it.
    """
    n_zero = 0
    for e in range(first, last):
        if excess[e] == 0:
            n_zero += 1
    u = np.inf if n_zero >= target else 0.0
    for _ in range(MAX_NEWTON_STEPS if n_zero < target else 0):
        total = 0.0
        slope = 0.0
        for e in range(first, last):
            term = np.exp(-excess[e] * u)
            total += term
            slope += excess[e] * term
        if not slope > 0 or total - target < 1e-9 * target:
            break
        u += (total - target) / slope
    return u


@compiled
def row_sums(values, firsts, lasts, out):
    """out[i] = the sum of the values of row i, in float64."""
    for i in range(out.shape[0]):
        total = 0.0
        for e in range(firsts[i], lasts[i]):
            total += values[e]
        out[i] = total


@compiled
def memberships(distances, firsts, lasts, target, mean_of_all, start, stop, out):
    """P̃_{j|i} = exp(−max(0, d_ij − ρ_i)/γ_i) over the entries of each row; ρ_i is the smallest d_ij above 0."""
    for i in range(start, stop):
        first, last = firsts[i], lasts[i]
        size = 0.0
        nearest = np.inf
        for e in range(first, last):
            size += distances[e]
            if 0 < distances[e] < nearest:
                nearest = np.float64(distances[e])
        # As in umap-learn, the mean includes the point itself, at distance 0, and a point with only duplicates
        # takes the mean of all points.
        mean = size / (last - first + 1) if size > 0 else mean_of_all
        for e in range(first, last):
            excess = distances[e] - nearest
            out[e] = excess / mean if excess > 0 and mean > 0 else 0.0
        u = inverse_bandwidth(out, first, last, target)
        u = u if u < 1.0 / BANDWIDTH_FLOOR else 1.0 / BANDWIDTH_FLOOR
        for e in range(first, last):
            out[e] = np.exp(-out[e] * u)


@compiled
def join_directions(targets, strengths, firsts, lasts, start, stop, out):
    """out[e] = P̃_ij + P̃_ji − P̃_ij P̃_ji in float32, 1 at most, for the directed edges e = i→j.

    It is negative where there is no edge j→i: then the other end has yet to hear of the edge.
    """
    for i in range(start, stop):
        for e in range(firsts[i], lasts[i]):
            j, here, there, sign = targets[e], strengths[e], 0.0, np.float32(-1)
            for back in range(firsts[j], lasts[j]):
                if targets[back] == i:
                    there, sign = strengths[back], np.float32(1)
                    break
            union = np.float32(here + there - here * there)
            out[e] = sign * (union if union < 1 else np.float32(1))


@compiled
def count_edges(targets, joined, firsts, lasts, counts):
    """Add to counts[i] the number of edges of point i in either direction that have a weight."""
    for i in range(firsts.shape[0]):
        for e in range(firsts[i], lasts[i]):
            if joined[e] != 0:
                counts[i] += 1
            if joined[e] < 0:
                counts[targets[e]] += 1


@compiled
def fill_backward(targets, joined, firsts, lasts, ends, indices, weights):
    """Write the edges j→i of which only i→j was given into row j, and move its end. They come in the order of i."""
    for i in range(firsts.shape[0]):
        for e in range(firsts[i], lasts[i]):
            if joined[e] < 0:
                j = targets[e]
                indices[ends[j]], weights[ends[j]] = i, -joined[e]
                ends[j] += 1


@compiled
def fill_forward(targets, joined, firsts, lasts, indptr, ends, start, stop, indices, weights):
    """Write the edges of the points start to stop into their rows, each at its place among those that are there."""
    for i in range(start, stop):
        for e in range(firsts[i], lasts[i]):
            if joined[e] == 0:
                continue
            place = ends[i]
            while place > indptr[i] and indices[place - 1] > targets[e]:
                indices[place], weights[place] = indices[place - 1], weights[place - 1]
                place -= 1
            indices[place], weights[place] = targets[e], abs(joined[e])
            ends[i] += 1


@compiled
def edge_weights(indptr, indices, data, neighbors, start, stop, out):
    """out[i, a] = the weight of the edge from i to its neighbour a, read from CSR rows, or 0 without such an edge."""
    for i in range(start, stop):
        for a in range(neighbors.shape[1]):
            out[i, a] = 0
            for e in range(indptr[i], indptr[i + 1]):
                if indices[e] == neighbors[i, a]:
                    out[i, a] = data[e]
                    break
