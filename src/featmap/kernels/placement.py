"""Loops that place new rows: weighted means and geometric medians of their neighbours' places."""

import numpy as np

from .compilation import compiled

STEPS = 50
SOFTENING = 1e-3  # of the mean distance between the start and the places


@compiled
def geometric_medians(embedding, indices, weights, start, stop, out):
    """out[i] = the minimum of Σ_a w_ia √(|y − y_a|² + δ²), by Weiszfeld's steps from the weighted mean.

    Every sum is of one row, in the order of its neighbours. In one dimension, and where all places with weight are
    equal, out[i] is the mean. It is 0 without weights.
    """
    k, dim = indices.shape[1], embedding.shape[1]
    places = np.empty((k, dim))
    shares = np.empty(k)
    weighted_means(embedding, indices, weights, start, stop, out)
    for i in range(start, stop):
        gather(embedding, indices[i], places)
        size = 0.0
        total = 0.0
        for a in range(k):
            size += weights[i, a] * np.sqrt(squared_distance(places, a, out[i]))
            total += weights[i, a]
        softening = (SOFTENING * size / total) ** 2 if total > 0 else 0.0
        for _ in range(STEPS if dim > 1 and softening > 0 else 0):
            for a in range(k):
                shares[a] = weights[i, a] / np.sqrt(squared_distance(places, a, out[i]) + softening)
            weighted_mean(places, shares, out[i])


@compiled
def weighted_means(embedding, indices, weights, start, stop, out):
    """out[i] = Σ_a w_ia y_a/Σ_a w_ia, or 0 without weights."""
    places = np.empty((indices.shape[1], embedding.shape[1]))
    for i in range(start, stop):
        gather(embedding, indices[i], places)
        weighted_mean(places, weights[i], out[i])


@compiled
def gather(embedding, rows, places):
    """Copy the places of some rows."""
    for a in range(len(rows)):
        for c in range(embedding.shape[1]):
            places[a, c] = embedding[rows[a], c]


@compiled
def weighted_mean(places, shares, out):
    """out = Σ_a shares_a places_a/Σ_a shares_a, or 0 without shares."""
    total = 0.0
    out[:] = 0.0
    for a in range(len(shares)):
        total += shares[a]
        for c in range(len(out)):
            out[c] += shares[a] * places[a, c]
    if total > 0:
        for c in range(len(out)):
            out[c] /= total


@compiled
def squared_distance(places, a, y):
    """|y_a − y|²."""
    total = 0.0
    for c in range(len(y)):
        total += (places[a, c] - y[c]) ** 2
    return total
