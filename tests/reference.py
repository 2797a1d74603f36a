"""Slow, obvious twins of the kernels and of every formula, in float64, without tables, softening or clipping."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq


def nearest_others(X, k):
    """Brute force: sort by (squared distance, index)."""
    X = np.asarray(X, np.float64)
    indices, distances = [], []
    for i in range(len(X)):
        squared = ((X - X[i]) ** 2).sum(axis=1)
        order = np.lexsort((np.arange(len(X)), squared))
        order = order[order != i][:k]
        indices.append(order)
        distances.append(np.sqrt(squared[order]))
    return np.array(indices), np.array(distances)


def memberships(distances, n_neighbors):
    """P̃ of one row by bracketing its bandwidth."""
    d = np.asarray(distances, np.float64)
    positive = d[d > 0]
    if not len(positive):
        return np.ones_like(d)
    excess = np.maximum(0, d - positive.min())
    target = np.log2(n_neighbors)

    def surplus(log_gamma):
        return np.exp(-excess / np.exp(log_gamma)).sum() - target

    floor = 1e-3 * d.sum() / (len(d) + 1)
    if (excess == 0).sum() >= target:
        return np.exp(-excess / floor)
    gamma = np.exp(brentq(surplus, np.log(excess[excess > 0].min()) - 10, np.log(excess.max()) + 10, xtol=1e-14))
    return np.exp(-excess / max(gamma, floor))


def fuzzy_union(indices, strengths):
    m = len(indices)
    directed = np.zeros((m, m))
    np.put_along_axis(directed, indices, strengths, axis=1)
    return directed + directed.T - directed * directed.T


def local_svd(X, i, neighbors, weights):
    """σ and V of W_i X_i."""
    differences = np.asarray(X, np.float64)[neighbors] - np.asarray(X, np.float64)[i]
    _, sigma, vt = np.linalg.svd(np.sqrt(weights)[:, None] * differences, full_matrices=False)
    return sigma, vt.T


def nearest_orthogonal(matrix):
    u, _, vt = np.linalg.svd(matrix)
    return u @ vt


# The forces. Y is (m, d'), P a dense symmetric matrix with zero diagonal.


def smoothed(Y, P, n_sweeps, kept):
    """Y ← kept·Y⁰ + (1 − kept)·D⁻¹P·Y by dense products; points without edges stay."""
    degrees = P.sum(axis=1, keepdims=True)
    walk = np.where(degrees > 0, P / np.where(degrees > 0, degrees, 1), np.eye(len(P)))
    result = Y
    for _ in range(n_sweeps):
        result = kept * Y + (1 - kept) * walk @ result
    return result


def similarity(s, a, b):
    return 1 / (1 + a * s**b)


def attraction_value(Y, P, a, b):
    s = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    return (P * np.log(similarity(s, a, b))).sum()


def attraction_gradient(Y, P, a, b):
    """2 Σ_j P_ij · 2ab s^(b−1)/(1 + a s^b) · z_ij, z_ij = y_j − y_i."""
    gradient = np.zeros_like(Y)
    for i, j in zip(*np.nonzero(P), strict=True):
        z = Y[j] - Y[i]
        s = z @ z
        if s > 0:
            gradient[i] += 2 * P[i, j] * 2 * a * b * s ** (b - 1) / (1 + a * s**b) * z
    return gradient


def repulsion_value(Y, i, a, b):
    """Σ_{j≠i} log(1 − Q_ij)."""
    s = ((Y - Y[i]) ** 2).sum(axis=1)[np.arange(len(Y)) != i]
    return np.log(1 - similarity(s, a, b)).sum()


def repulsion_gradient(Y, i, a, b, softening=0.0):
    """−Σ_j 2b z_ij/((softening + s)(1 + a s^b)): away from every other point."""
    total = np.zeros(Y.shape[1])
    for j in range(len(Y)):
        z = Y[j] - Y[i]
        s = z @ z
        if j != i and s > 0:
            total -= 2 * b * z / ((softening + s) * (1 + a * s**b))
    return total


def map_radii(Y, P, frames, a, b):
    """R^e_il = Σ_j φ (v_il·z_ij)²/Σ_j φ."""
    radii = np.zeros((len(Y), Y.shape[1]))
    for i in range(len(Y)):
        neighbors = np.flatnonzero(P[i])
        z = Y[neighbors] - Y[i]
        phi = similarity((z * z).sum(axis=1), a, b)
        if phi.sum() > 0:
            radii[i] = (phi[:, None] * (z @ frames[i]) ** 2).sum(axis=0) / phi.sum()
    return radii


def correlation(data_radii, on_map, shift=0.1):
    """Σ_l Cov/(S_o S_e), S_e² = Var + shift."""
    freedom = len(data_radii) - 1
    a, b = data_radii - data_radii.mean(axis=0), on_map - on_map.mean(axis=0)
    spread = np.sqrt((b * b).sum(axis=0) / freedom + shift)
    return (((a * b).sum(axis=0) / freedom) / (np.sqrt((a * a).sum(axis=0) / freedom) * spread)).sum()


def density_value(Y, P, frames, data_radii, a, b, floor):
    return correlation(data_radii, np.log(map_radii(Y, P, frames, a, b) + floor))


def density_gradient(Y, P, frames, data_radii, a, b, floor):
    """∂ΣCorr/∂Y by the printed formulas: ∂Corr/∂r, then ∂r_il/∂z_ij = (φ/W)[(2pv − p²D) + R D]/(R + ε)."""
    radii = map_radii(Y, P, frames, a, b)
    r = np.log(radii + floor)
    freedom = len(Y) - 1
    o, e = data_radii - data_radii.mean(axis=0), r - r.mean(axis=0)
    s_o = np.sqrt((o * o).sum(axis=0) / freedom)
    s_e = np.sqrt((e * e).sum(axis=0) / freedom + 0.1)
    covariance = (o * e).sum(axis=0) / freedom
    slopes = (o / (s_o * s_e) - covariance * e / (s_o * s_e**3)) / freedom
    gradient = np.zeros_like(Y)
    for i in range(len(Y)):
        neighbors = np.flatnonzero(P[i])
        z = Y[neighbors] - Y[i]
        s = (z * z).sum(axis=1)
        phi = similarity(s, a, b)
        for j, z_ij, s_ij, phi_ij in zip(neighbors, z, s, phi, strict=True):
            D = 2 * a * b * s_ij ** (b - 1) * phi_ij * z_ij if s_ij > 0 else np.zeros_like(z_ij)
            for axis in range(Y.shape[1]):
                v = frames[i][:, axis]
                p = v @ z_ij
                R = radii[i, axis]
                change = phi_ij / phi.sum() * ((2 * p * v - p * p * D) + R * D) / (R + floor[axis])
                gradient[j] += slopes[i, axis] * change
                gradient[i] -= slopes[i, axis] * change
    return gradient


def finite_differences(value, Y, step=1e-5):
    """Central differences of a function of Y, with one Richardson step."""
    gradient = np.zeros_like(Y)
    for place in np.ndindex(Y.shape):

        def slope(h, place=place):
            up, down = Y.copy(), Y.copy()
            up[place] += h
            down[place] -= h
            return (value(up) - value(down)) / (2 * h)

        gradient[place] = (4 * slope(step / 2) - slope(step)) / 3
    return gradient


# The frames.


def aligned_sweep(frames, covariance, P, rotations, weight):
    """polar(Σ_j P_ij V_j^e O_ij + μ C_i + deg_i V_i^e); turns[i, j] = O_ij."""
    moved = np.empty_like(frames)
    for i in range(len(frames)):
        wanted = weight * covariance[i] + P[i].sum() * frames[i]
        for j in np.flatnonzero(P[i]):
            wanted = wanted + P[i, j] * frames[j] @ rotations[i, j]
        moved[i] = nearest_orthogonal(wanted)
    return moved


def frame_value(frames, P, a, b):
    """Σ P log Q over directed edges with D = 1 − ⟨V_i, V_j⟩/d."""
    total = 0.0
    for i, j in zip(*np.nonzero(P), strict=True):
        distance = 1 - (frames[i] * frames[j]).sum() / frames.shape[1]
        total += P[i, j] * np.log(1 / (1 + a * distance ** (2 * b)))
    return total
