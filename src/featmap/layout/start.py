"""The start of the map: principal components, smoothed or not, the graph's spectrum, random, or a user's array."""

from __future__ import annotations

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, eigsh

from ..data.pca import principal_directions, project, with_fixed_signs
from ..data.scaling import ScaledData
from ..data.sparse import Matrix
from ..errors import warn
from ..kernels.coarse import average_neighbors
from ..run import Run
from ..values import DoubleArray, FloatArray, Graph

SIZE = 10.0  # largest |y| of a start
NOISE = 1e-4  # separates duplicates
EXTRA_DIRECTIONS = 8
SMOOTHED_UP_TO = 20_000  # most rows for which "auto" smooths principal components
SPECTRUM_UP_TO = 100_000  # most rows for which it tries the spectrum
SWEEPS = 100  # of averaging over neighbours
KEPT = 0.005  # weight of a point's own principal components in each sweep
SPECTRAL_TOLERANCE = 1e-5
# Edges times restarts of the eigensolver, each about 20 products with the graph. This bounds its time.
SPECTRAL_WORK = 5e7
# If the middle eight tenths of the points lie within less than this part of the range of an eigenvector, it shows
# only a few outliers.
LEAST_BULK = 0.01


def make_start(init: str | np.ndarray, data: ScaledData, graph: Graph, dim: int, seed: int, run: Run) -> FloatArray:
    """The start asked for, scaled to SIZE, plus a little noise. An array of the user is taken unchanged."""
    if isinstance(init, np.ndarray):
        return init.astype(np.float32)
    if init == "random":
        rng = np.random.default_rng([seed, 1])
        return rng.uniform(-SIZE, SIZE, (data.shape[0], dim)).astype(np.float32)
    return finished(_STARTS[init](data, graph, dim, run), seed)


def finished(embedding: np.ndarray, seed: int) -> FloatArray:
    """The start with fixed signs, scaled to SIZE, plus a little noise."""
    noise = np.random.default_rng([seed, 1]).normal(0, NOISE, embedding.shape)
    return (_rescaled(with_fixed_signs(embedding)) + noise).astype(np.float32)


def pca_start(data: ScaledData, graph: Graph, dim: int, run: Run) -> np.ndarray:
    """Principal components of all rows."""
    return principal_components(data.matrix, dim, run)


def principal_components(matrix: Matrix, dim: int, run: Run) -> DoubleArray:
    """Principal components of all rows, within the span of a few more leading directions of a sample.

    Rows without features have random numbers, of which smoothing along the graph makes a start.
    """
    if matrix.shape[1] == 0:
        return np.random.default_rng(0).standard_normal((matrix.shape[0], dim))
    directions = principal_directions(matrix, dim + EXTRA_DIRECTIONS)
    scores = project(matrix, directions, run).astype(np.float64)
    scores -= scores.mean(axis=0)
    _, vectors = np.linalg.eigh(scores.T @ scores)
    components = scores @ vectors[:, ::-1][:, :dim]
    return np.pad(components, ((0, 0), (0, dim - components.shape[1])))


def auto_start(data: ScaledData, graph: Graph, dim: int, run: Run) -> np.ndarray:
    """Smoothed principal components of few rows; of many the spectrum, if the graph has a useful one.

    Smoothing splits the classes of small sets into fewer pieces. On all 70,000 images of Fashion-MNIST it loses 0.007
    of accuracy and 0.003 of trustworthiness against the spectrum (docs/start.md). Rows without features have the
    spectrum, or smoothed random numbers.
    """
    if data.shape[1] == 0:
        return start_without_features(data, graph, dim, run)
    if data.shape[0] <= SMOOTHED_UP_TO:
        return smoothed_start(data, graph, dim, run)
    if data.shape[0] > SPECTRUM_UP_TO:
        return pca_start(data, graph, dim, run)
    try:
        return spectral_start(graph, dim)
    except NoSpectrum:
        return pca_start(data, graph, dim, run)


def start_without_features(data: ScaledData, graph: Graph, dim: int, run: Run) -> np.ndarray:
    """The spectrum, else smoothed random numbers."""
    try:
        return spectral_start(graph, dim)
    except NoSpectrum:
        return smoothed_start(data, graph, dim, run)


def smoothed_start(data: ScaledData, graph: Graph, dim: int, run: Run) -> np.ndarray:
    """Principal components, smoothed along the graph.

    Digit 1 of scikit-learn's digits falls into two pieces, as with UMAP, and into three from the spectrum. Up to
    20,000 rows quality is that from the spectrum (docs/start.md).
    """
    return smoothed_components(pca_start(data, graph, dim, run), graph, run)


def smoothed_components(components: DoubleArray, graph: Graph, run: Run) -> DoubleArray:
    smoothed = smooth(components, graph, run)
    return smoothed - smoothed.mean(axis=0)


def smooth(embedding: DoubleArray, graph: Graph, run: Run) -> DoubleArray:
    """Y ← KEPT·Y⁰ + (1 − KEPT)·D⁻¹P·Y, SWEEPS times. Points without edges stay where they are.

    Without Y⁰ a part of the graph in which a walk mixes quickly would shrink to a point.
    """
    smoothed = embedding
    for _ in range(SWEEPS):
        smoothed = KEPT * embedding + (1 - KEPT) * averaged(smoothed, graph, run)
    return smoothed


def averaged(points: DoubleArray, graph: Graph, run: Run) -> DoubleArray:
    """D⁻¹P·Y. Points without edges stay where they are."""
    edges, averages = graph.weights, np.empty_like(points)

    def task(start: int, stop: int) -> None:
        average_neighbors(edges.indptr, edges.indices, edges.data, points, start, stop, averages)

    run.over_rows(len(points), task)
    return averages


def spectral_or_pca_start(data: ScaledData, graph: Graph, dim: int, run: Run) -> np.ndarray:
    """The spectrum, else principal components with a warning that says why there is no useful spectrum."""
    try:
        return spectral_start(graph, dim)
    except NoSpectrum as reason:
        if data.shape[1] == 0:
            warn(f"init='spectral': {reason}; starting from random places, smoothed along the graph")
            return smoothed_start(data, graph, dim, run)
        warn(f"init='spectral': {reason}; starting from principal components")
        return pca_start(data, graph, dim, run)


_STARTS = {"auto": auto_start, "pca": pca_start, "spectral": spectral_or_pca_start}


class NoSpectrum(Exception):
    """The spectrum of the graph cannot start a map. The message says why."""


def spectral_start(graph: Graph, dim: int) -> np.ndarray:
    """The leading eigenvectors of the normalised graph, without the first, within a bounded number of steps."""
    weights = graph.weights.astype(np.float64)
    n_points = weights.shape[0]
    if n_points <= dim + 2:
        raise NoSpectrum(f"there are only {n_points} points")
    n_parts, _ = connected_components(graph.for_csgraph, directed=False)
    if n_parts > 1:
        raise NoSpectrum(f"the graph falls into {n_parts} unconnected parts")
    scale = diags_array(1 / np.sqrt(graph.degrees))
    restarts = int(np.clip(SPECTRAL_WORK // weights.nnz, 5, 100))
    try:
        values, vectors = eigsh(
            scale @ weights @ scale,
            dim + 1,
            which="LA",
            # A random start: from the known first eigenvector the solver would have to draw random vectors.
            v0=np.random.default_rng(0).standard_normal(n_points),
            tol=SPECTRAL_TOLERANCE,
            maxiter=restarts,
            rng=0,  # where a graph has few distinct eigenvalues the solver draws random vectors
        )
    except ArpackError as error:
        raise NoSpectrum("its eigenvectors did not converge") from error
    vectors = vectors[:, np.argsort(-values)[1:]]
    bulk = np.diff(np.quantile(vectors, [0.1, 0.9], axis=0), axis=0) / np.ptp(vectors, axis=0)
    if bulk.min() < LEAST_BULK:
        raise NoSpectrum("parts of the graph are hardly connected to the rest")
    return vectors


def _rescaled(embedding: np.ndarray) -> np.ndarray:
    size = np.abs(embedding).max()
    return embedding * (SIZE / size) if size > 0 else embedding
