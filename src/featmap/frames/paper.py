"""Frames as in the paper: SGD on O(d') that keeps the cosine distances between neighbouring tangent spaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.special import xlogy

from ..graph import membership_strengths, symmetrize
from ..kernels.frames import frame_attraction, frame_repulsion, turn_frames
from ..layout.similarity import NEGATIVES_PER_EDGE, Curve
from ..run import Run
from ..tangents.consistency import consistency
from ..tangents.polar import polar
from ..values import Connection, DoubleArray, FloatArray, Graph, IntArray
from .signs import consistent_signs

# What attraction costs at the start falls to 0.06 on digits, 0.05 on a swiss roll. In brackets: with other values.
EPOCHS = 500  # (200: 0.10 on digits)
DRAWN_FRAMES = 16  # random points that repel a point in an epoch (5: 0.09 on digits)
# Both fall to 0. A rate of 0.02 leaves 0.46 on digits. The angle matters to points with few or weak edges; a limit of
# 0.1 leaves 0.13, and with a rate of 20 and no limit frames of neighbours are no closer than random pairs.
RATE = 0.3
LARGEST_ANGLE = 0.3
MOST_SIMILAR = 0.9  # in repulsion Q counts as at most this (0.99: close frames jump apart, 0.10 on digits)


def paper_fitter(
    graph: Graph, connection: Connection, n_neighbors: int, seed: int, run: Run
) -> Callable[[FloatArray], FloatArray]:
    """A function from the covariances with a map to frames. The SGD knows nothing of the map and runs once."""
    n_parts, part = connected_components(graph.for_csgraph, directed=False)

    @cache
    def solved(dim: int) -> tuple[DoubleArray, DoubleArray]:
        signs = np.ones((len(part), dim))
        signs[:, : connection.steps.shape[1]] = consistent_signs(graph, connection)
        return descend(FrameLoss(cosine_graph(graph, connection, n_neighbors, run)), dim, seed, run), signs

    def fit(covariance: FloatArray) -> FloatArray:
        frames, signs = solved(covariance.shape[1])
        rotations, flips = rotations_onto_map(frames, signs, covariance, part, n_parts)
        turned = np.einsum("mab,mbc->mac", rotations[part], frames)
        return (turned * (signs * flips[part])[:, None, :]).astype(np.float32)

    return fit


def cosine_graph(graph: Graph, connection: Connection, n_neighbors: int, run: Run) -> Graph:
    """P(Θ): memberships of the distances 1 − cos Θ_ij on the edges of the graph, normalised as those of the graph."""
    edges = graph.weights
    distances = np.maximum(1.0 - consistency(connection.products), 0.0)
    strengths = membership_strengths(distances, edges.indptr[:-1], edges.indptr[1:], n_neighbors, run)
    return symmetrize(sp.csr_matrix((strengths, edges.indices, edges.indptr), edges.shape), run)


@dataclass(frozen=True)
class FrameLoss:
    """KL(P‖Q) with negative samples: ΣP(log P − log Q) − (ν/m) Σ_ij log(1 − κ Q_ij), Q = 1/(1 + a D^2b).

    D = 1 − ⟨V_i, V_j⟩/d', ν is NEGATIVES_PER_EDGE times the mean degree, and κ is MOST_SIMILAR. All points repel each
    other with the same weight, so that the gradient at i, with random j, is that of the loss.
    """

    similar: Graph  # P(Θ)

    @cached_property
    def curve(self) -> Curve:
        """D lies in [0, 2], where the default curve of UMAP separates nothing."""
        return Curve.fit(min_dist=0.1, spread=0.6)

    @cached_property
    def repulsion(self) -> float:
        """ν, the weight of all repulsion of one point."""
        return float(NEGATIVES_PER_EDGE * self.similar.degrees.mean())

    def divergence(self, frames: np.ndarray) -> float:
        """KL(P‖Q) over the directed edges, in float64."""
        weights = self.similar.weights.data.astype(np.float64)
        first, second = frames[self.similar.sources], frames[self.similar.weights.indices]
        cosines = np.einsum("eca,eca->e", first, second, dtype=np.float64) / frames.shape[1]
        return float((xlogy(weights, weights) + weights * np.log1p(self._powers(cosines))).sum())

    def value(self, frames: np.ndarray) -> float:
        """The loss itself, over all pairs, in float64. It takes long: for reports and tests."""
        flat = frames.reshape(len(frames), -1).astype(np.float64)
        total = 0.0
        for i, row in enumerate(flat):
            powers = self._powers(np.delete(flat, i, axis=0) @ row / frames.shape[1])
            total += np.log((1 - MOST_SIMILAR + powers) / (1 + powers)).sum()
        return self.divergence(frames) - self.repulsion / len(frames) * total

    def add_gradient(
        self, frames: DoubleArray, drawn: IntArray, start: int, stop: int, gradient: DoubleArray
    ) -> None:
        """Add the gradient at the points start:stop, where the points ``drawn`` for each stand for all others."""
        edges, a, b, dim = self.similar.weights, self.curve.a, self.curve.b, frames.shape[1]
        flat, out = frames.reshape(len(frames), -1), gradient.reshape(len(frames), -1)
        frame_attraction(flat, dim, edges.indptr, edges.indices, edges.data, a, b, start, stop, out)
        weight = 2 * self.repulsion / drawn.shape[1]
        frame_repulsion(flat, dim, drawn, weight, a, b, MOST_SIMILAR, start, stop, out)

    def _powers(self, cosines: DoubleArray) -> DoubleArray:
        """a D^2b."""
        return self.curve.a * (1 - cosines).clip(0, 2) ** (2 * self.curve.b)


def descend(loss: FrameLoss, dim: int, seed: int, run: Run) -> DoubleArray:
    """SGD from random rotations. An epoch turns a frame by LARGEST_ANGLE at most, which falls to 0 with the rate."""
    rng = np.random.default_rng([seed, 2])
    degrees = loss.similar.degrees
    rates = np.divide(RATE, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    frames = random_rotations(len(degrees), dim, rng)
    for epoch in range(EPOCHS if dim > 1 else 0):  # in one dimension there is nothing to turn
        drawn = rng.integers(len(frames), size=(len(frames), DRAWN_FRAMES), dtype=np.int32)
        left = 1 - epoch / EPOCHS
        frames = step(loss, frames, drawn, left * rates, left * LARGEST_ANGLE, run)
    return frames


def random_rotations(n_points: int, dim: int, rng: np.random.Generator) -> DoubleArray:
    """Where signs are consistent no edge asks for a reflection, and no small turn leads from one to a rotation."""
    rotations = polar(rng.normal(size=(n_points, dim, dim)), np.eye(dim))
    rotations[..., 0] *= np.sign(np.linalg.det(rotations))[:, None]
    return rotations


def step(
    loss: FrameLoss, frames: DoubleArray, drawn: IntArray, rates: DoubleArray, largest_angle: float, run: Run
) -> DoubleArray:
    """Turn all frames against the gradient at once."""
    gradient, moved = np.zeros_like(frames), np.empty_like(frames)

    def task(start: int, stop: int) -> None:
        loss.add_gradient(frames, drawn, start, stop, gradient)
        turn_frames(frames, gradient, rates, largest_angle, start, stop, moved)
        moved[start:stop] = polar(moved[start:stop], frames[start:stop])

    run.over_rows(len(frames), task)
    return moved


def rotations_onto_map(
    frames: DoubleArray, signs: DoubleArray, covariance: FloatArray, part: IntArray, n_parts: int
) -> tuple[DoubleArray, DoubleArray]:
    """The rotation R and the signs ε of the directions that fit all frames of each connected part to the map.

    Cosines on the edges leave both free. They maximise Σ_i ⟨C_i, R F_i S_i ε⟩, whose maximum over R is the nuclear
    norm of Σ_l ε_l Σ_i s_il c_il f_ilᵀ, where c and f are columns of C and F. The signs are chosen one after the
    other. A map that is turned or mirrored has the same ε, and R turns with it.
    """
    dim = frames.shape[1]
    members = sp.csr_matrix((np.ones(len(part)), (part, np.arange(len(part)))), (n_parts, len(part)))
    total, flips = np.zeros((n_parts, dim, dim)), np.ones((n_parts, dim))
    for axis in range(dim):
        products = (signs[:, axis, None] * covariance[:, :, axis])[:, :, None] * frames[:, None, :, axis]
        added = (members @ products.reshape(len(part), -1)).reshape(n_parts, dim, dim)
        flips[nuclear_norms(total - added) > nuclear_norms(total + added), axis] = -1
        total += flips[:, axis, None, None] * added
    return polar(total, np.eye(dim)), flips


def nuclear_norms(matrices: DoubleArray) -> DoubleArray:
    """‖M‖_*, the sum of the singular values."""
    return np.linalg.svd(matrices, compute_uv=False).sum(axis=-1)
