"""Frames as in the paper: SGD on O(d') that keeps the cosine distances between neighbouring tangent spaces."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from ..graph import membership_strengths, symmetrize
from ..kernels.frames import frame_attraction, frame_repulsion
from ..layout.similarity import Curve
from ..run import Run
from ..tangents.consistency import consistency
from ..tangents.polar import polar
from ..values import Connection, DoubleArray, FloatArray, Graph

EPOCHS = 200
STEP = 0.2
DRAWS = 5
SIGN_SWEEPS = 20


def paper_frames(
    covariance: FloatArray, graph: Graph, connection: Connection, n_neighbors: int, seed: int, run: Run
) -> FloatArray:
    """Minimise KL(P(Θ)‖Q(Θ^e)), then rotate all frames together to fit the map. Cosines leave this rotation free."""
    dim = covariance.shape[1]
    signs = np.ones((len(covariance), dim), np.float32)
    known = slice(connection.steps.shape[1])
    signs[:, known] = consistent_signs(graph, connection)
    signs[:, known] *= _signs_of_parts(graph, (covariance[:, 0] * signs)[:, known])
    similar = cosine_graph(graph, connection, n_neighbors, run)
    frames = _descend(similar, dim, seed, run)
    rotation = polar(np.einsum("mca,ma,mba->cb", covariance, signs, frames, dtype=np.float64), np.eye(dim))
    return (rotation.astype(np.float32) @ frames) * signs[:, None, :]


def cosine_graph(graph: Graph, connection: Connection, n_neighbors: int, run: Run) -> Graph:
    """P(Θ): memberships of the distances 1 − cos Θ_ij on the edges of the graph, normalised as those of the graph."""
    edges = graph.weights
    distances = np.maximum(1.0 - consistency(connection.products), 0.0)
    strengths = membership_strengths(distances, edges.indptr, n_neighbors, run)
    return symmetrize(sp.csr_matrix((strengths, edges.indices, edges.indptr), edges.shape))


def consistent_signs(graph: Graph, connection: Connection) -> FloatArray:
    """A sign for every local direction, so that the directions of neighbours agree: (m, q).

    Signs are carried along the tree of the most consistent edges, then improved by sweeps over all edges.
    """
    agreement = np.einsum("eaa->ea", connection.products)
    signs = _signs_along_tree(graph, connection, agreement)
    edges = graph.weights
    for _ in range(SIGN_SWEEPS):
        before = signs.copy()
        for axis in range(signs.shape[1]):
            votes = sp.csr_matrix((edges.data * agreement[:, axis], edges.indices, edges.indptr), edges.shape)
            # A vote of the point for itself damps: without it two neighbours may flip for each other for ever.
            own = abs(votes).sum(axis=1).A1 / 2
            score = votes @ signs[:, axis] + own * signs[:, axis]
            signs[:, axis] = np.where(score < 0, -1.0, 1.0)
        if (signs == before).all():
            break
    return signs


def _signs_along_tree(graph: Graph, connection: Connection, agreement: FloatArray) -> FloatArray:
    edges = graph.weights
    costs = 2.0 - consistency(connection.products).astype(np.float64)
    tree = minimum_spanning_tree(sp.csr_matrix((costs, edges.indices, edges.indptr), edges.shape))
    edge_numbers = sp.csr_matrix((np.arange(1, edges.nnz + 1), edges.indices, edges.indptr), edges.shape)
    signs = np.ones((edges.shape[0], agreement.shape[1]), np.float32)
    _, labels = connected_components(tree, directed=False)
    for root in np.unique(labels, return_index=True)[1]:
        order, parents = breadth_first_order(tree, root, directed=False)
        if len(order) == 1:
            continue
        children = order[1:]
        numbers = np.asarray(edge_numbers[parents[children], children]).ravel() - 1
        flips = np.where(agreement[numbers] < 0, -1.0, 1.0)
        for child, flip in zip(children, flips, strict=True):
            signs[child] = signs[parents[child]] * flip
    return signs


def _signs_of_parts(graph: Graph, along: FloatArray) -> FloatArray:
    """One sign per direction for each connected part. It is arbitrary; here the sum of ``along`` is positive."""
    n_parts, part = connected_components(graph.weights, directed=False)
    sums = np.column_stack([np.bincount(part, column, minlength=n_parts) for column in along.T])
    return np.where(sums < 0, -1.0, 1.0)[part].astype(np.float32)


def _descend(similar: Graph, dim: int, seed: int, run: Run) -> np.ndarray:
    """Attract along edges and repel random other points. Every step ends on O(d')."""
    rng = np.random.default_rng([seed, 2])
    n_points = similar.weights.shape[0]
    # D lies in [0, 2], where the default curve of UMAP separates nothing.
    curve = Curve.fit(min_dist=0.1, spread=0.6)
    degrees = similar.degrees
    scale = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    frames = polar(np.eye(dim) + rng.normal(0, 0.5, (n_points, dim, dim)), np.eye(dim)).astype(np.float32)
    for epoch in range(EPOCHS):
        drawn = rng.integers(n_points, size=(n_points, DRAWS), dtype=np.int32)
        gradient = _gradient(frames, similar, curve, drawn, degrees, run)
        step = STEP * (1 - epoch / EPOCHS) * scale
        frames = polar(frames + step[:, None, None] * gradient, frames).astype(np.float32)
    return frames


def _gradient(
    frames: np.ndarray, similar: Graph, curve: Curve, drawn: np.ndarray, rates: DoubleArray, run: Run
) -> DoubleArray:
    edges = similar.weights
    gradient = np.zeros(frames.shape)

    def task(start: int, stop: int) -> None:
        frame_attraction(frames, edges.indptr, edges.indices, edges.data, curve.a, curve.b, start, stop, gradient)
        frame_repulsion(frames, drawn, rates, curve.a, curve.b, start, stop, gradient)

    run.over_rows(len(frames), task)
    return gradient
