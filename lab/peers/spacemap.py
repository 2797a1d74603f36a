"""SpaceMAP (Zu and Tao, ICML 2022), a baseline of our own: the authors' program is not a package.

The idea: a ball of radius r in d dimensions holds as much as a disc of radius ~ r^(d/2), so a distance on the map is
read as its (2/d)-th power before it is compared with one in the data. Around every point lie a near field, whose own
dimension d_i is estimated and brought to that of the whole, d; a middle field; and the rest, of which only samples
are seen. With ρ_i the distance to the last of the near field and η = 0.6,

- near:   P_{j|i} = (1 − η)^((|x_i − x_j| / ρ_i)^(2 d_i / d)),
- middle: P_{j|i} = exp(−(|x_i − x_j| − ρ_i + t)² / σ_i), t² = −ln(1 − η), with Σ_j P_{j|i} = (1 − η) log2 n_middle,
- map:    Q_ij = (1 − η)^((|y_i − y_j| / ρ_i^(2/d))^(4/d)),

P is averaged with its transpose, and −ΣP ln Q − Σ(1 − P) ln(1 − Q) descends by sampled edges, each with 5 random
points, as in UMAP. Formulas and settings are read from the authors' public program, not from the paper's text; where
the program's defaults differ from its README and example, these count. So 20 near neighbours and 1 % of the rows as
middle ones, both dimensions estimated (Levina and Bickel, with log2, at most 50), 200 epochs, step 1 falling to 0,
forces clipped at 4, the graph's spectrum as start; an edge is drawn as often as its P says and then pulls with weight
P once more, and its random points push with weight 1 − P.

What differs: the values are divided by the largest (the authors' example does so by 255; t and the start have a
unit). The force is the loss's gradient; theirs has the coefficient of a point's distances, −ln(1 − η) / ρ_i^(8/d²),
under the fraction instead of above. An edge's random points are always 5, and edges too weak to be drawn even once
are left out before the start, not after. Neighbours are found by all pairs: exact, in blocks, on one thread.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

ETA = 0.6
DECAY = -np.log(1 - ETA)
MOST_DIMENSIONS = 50.0
LEAST_RADIUS = 1e-6  # of values up to 1
N_RANDOM = 5
MOST_FORCE = 4.0
START_SIZE = 10.0
START_NOISE = 1e-4


def spacemap(
    X: np.ndarray, seed: int, n_near: int = 20, n_middle: int | None = None, n_epochs: int = 200
) -> np.ndarray:
    """The map (m, 2) of dense rows; a middle field of None is 1 % of them."""
    X = np.asarray(X, np.float32)
    X = X / np.abs(X).max()
    n_near = min(n_near, len(X) - 1)
    n_middle = min(len(X) // 100 if n_middle is None else n_middle, len(X) - 1 - n_near)
    indices, distances = nearest_others(X, n_near + n_middle)
    dimension = 1 / np.mean(1 / intrinsic_dimensions(distances))
    graph = similarities(indices, distances, n_near, dimension, n_epochs)
    rng = np.random.default_rng(seed)
    Y = start(X, graph, rng)
    heads = np.repeat(np.arange(len(X), dtype=np.int32), np.diff(graph.indptr))
    scales = log_scales(last_distances(distances[:, :n_near]), dimension)
    descend(Y, heads, graph.indices, graph.data, scales, 2 / dimension, n_epochs, rng)
    return Y


def nearest_others(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices and distances of the k nearest others of every row, sorted."""
    with threadpool_limits(1):
        distances, indices = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X).kneighbors()
    return indices.astype(np.int32), distances.astype(np.float32)


def last_distances(distances: np.ndarray) -> np.ndarray:
    """The distance to the last neighbour as a column, above 0 even where all neighbours are duplicates."""
    return np.maximum(distances[:, -1:], LEAST_RADIUS)


def intrinsic_dimensions(distances: np.ndarray) -> np.ndarray:
    """The dimension around each point, by how its neighbours' distances grow; duplicates say nothing."""
    last = last_distances(distances)
    growth = np.log2(last / np.where(distances > 0, distances, last))
    return 1 / np.maximum(growth[:, :-1].mean(axis=1), 1 / MOST_DIMENSIONS)


def similarities(
    indices: np.ndarray, distances: np.ndarray, n_near: int, dimension: float, n_epochs: int
) -> sp.csr_matrix:
    """P, without the edges that are too weak to be drawn in so many epochs."""
    n_rows, k = indices.shape
    strengths = np.empty((n_rows, k), np.float32)
    near = distances[:, :n_near]
    radii = last_distances(near)
    exponents = 2 * intrinsic_dimensions(near) / dimension
    strengths[:, :n_near] = np.exp(-DECAY * (near / radii) ** exponents[:, None])
    fill_middle_field(distances[:, n_near:] - radii, strengths[:, n_near:])
    directed = sp.csr_matrix((strengths.ravel(), indices.ravel(), np.arange(0, n_rows * k + 1, k)), (n_rows, n_rows))
    graph = ((directed + directed.T) / 2).tocsr()
    graph.data[graph.data < graph.data.max() / n_epochs] = 0
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


@njit(cache=True)
def fill_middle_field(beyond, strengths):
    """exp(−(beyond + t)²/σ), with σ by bisection so that each row has the sum that is wanted of it."""
    n_rows, k = beyond.shape
    wanted = (1 - ETA) * np.log2(max(k, 1))
    for i in range(n_rows):
        squares = (beyond[i] + np.sqrt(DECAY)) ** 2
        low, high = -20.0, 20.0  # of ln σ
        for _ in range(40):
            middle = (low + high) / 2
            if np.exp(-squares / np.exp(middle)).sum() > wanted:
                high = middle
            else:
                low = middle
        strengths[i] = np.exp(-squares / np.exp(low))


def start(X: np.ndarray, graph: sp.csr_matrix, rng: np.random.Generator) -> np.ndarray:
    """umap-learn's spectral start, of which the authors' program has a copy, stretched to a square."""
    from umap.spectral import spectral_layout

    Y = np.asarray(spectral_layout(X, graph, 2, np.random.RandomState(rng.integers(2**31))), np.float64)
    Y *= START_SIZE / np.abs(Y).max()
    Y += rng.normal(0, START_NOISE, Y.shape)
    return START_SIZE * (Y - Y.min(axis=0)) / np.ptp(Y, axis=0)


def log_scales(radii: np.ndarray, dimension: float) -> np.ndarray:
    """The a_i in Q_ij = exp(−exp(a_i) s^(2/d)), where s is the squared distance on the map."""
    return np.log(DECAY) - 8 / dimension**2 * np.log(radii.astype(np.float64).ravel())


@njit(cache=True)
def pull(squared, log_scale, exponent):
    """The gradient of −ln Q by y_i is this times y_i − y_j."""
    return 2 * exponent * np.exp(log_scale + (exponent - 1) * np.log(squared))


@njit(cache=True)
def push(squared, log_scale, exponent):
    """The gradient of −ln(1 − Q) by y_i is minus this times y_i − y_j."""
    return pull(squared, log_scale, exponent) / np.expm1(np.exp(log_scale + exponent * np.log(squared)))


@njit(cache=True)
def descend(Y, heads, tails, weights, scales, exponent, n_epochs, rng):
    """Each epoch takes every edge whose count of draws, epochs × weight / largest weight, passes a whole number."""
    rates = weights / weights.max()
    for epoch in range(n_epochs):
        step = 1 - epoch / n_epochs
        for edge in range(len(heads)):
            if int((epoch + 1) * rates[edge]) == int(epoch * rates[edge]):
                continue
            i, j, weight = heads[edge], tails[edge], weights[edge]
            squared = squared_distance(Y, i, j)
            if squared > 0:
                pulled = weight * pull(squared, scales[i], exponent)
                for axis in range(2):
                    force = clipped(pulled * (Y[j, axis] - Y[i, axis]))
                    Y[i, axis] += step * force
                    Y[j, axis] -= step * force
            for _ in range(N_RANDOM):
                other = rng.integers(0, len(Y))
                squared = squared_distance(Y, i, other)
                if squared > 0:
                    pushed = (1 - weight) * push(squared, scales[i], exponent)
                    for axis in range(2):
                        Y[i, axis] += step * clipped(pushed * (Y[i, axis] - Y[other, axis]))


@njit(cache=True)
def squared_distance(Y, i, j):
    return (Y[i, 0] - Y[j, 0]) ** 2 + (Y[i, 1] - Y[j, 1]) ** 2


@njit(cache=True)
def clipped(force):
    return min(max(force, -MOST_FORCE), MOST_FORCE)
