"""The formulas of the paper and of its supplement by loops, in float64: slow, and independent of the library's."""

from __future__ import annotations

import numpy as np

FLOOR = 1e-3


def similarity(z, a, b):
    """Q_ij, equation (q)."""
    return 1 / (1 + a * np.linalg.norm(z) ** (2 * b))


def radii_of_data(X, neighbors, P):
    """R°_il = σ_il², the squares of the singular values of W_i X_i with rows x_j − x_i and W_i = diag √P_ij."""
    return np.array([
        np.linalg.svd(np.sqrt(P[i, near])[:, None] * (X[near] - X[i]), compute_uv=False) ** 2
        for i, near in enumerate(neighbors)
    ])  # fmt: skip


def radii_of_map(Y, neighbors, frames, a, b):
    """R^e_il = Σ_j Q_ij ((y_j − y_i) v_il)²/Σ_j Q_ij, equation (r_e)."""
    radii = np.empty(Y.shape)
    for i, near in enumerate(neighbors):
        for axis in range(Y.shape[1]):
            Q = [similarity(Y[j] - Y[i], a, b) for j in near]
            squares = [((Y[j] - Y[i]) @ frames[i][:, axis]) ** 2 for j in near]
            radii[i, axis] = np.dot(Q, squares) / np.sum(Q)
    return radii


def logs(radii):
    """r = log R, of no less than a thousandth of the median along its direction."""
    median = np.median(radii, axis=0)
    return np.log(np.maximum(radii, FLOOR * np.where(median > 0, median, 1)))


def correlations(data_logs, map_logs):
    """Corr(r°_l, r^e_l) for every l, equation (corr)."""
    return np.array([np.corrcoef(first, second)[0, 1] for first, second in zip(data_logs.T, map_logs.T, strict=True)])


def correlation_of_map(Y, neighbors, frames, data_logs, a, b):
    """Σ_l Corr(r°_l, r^e_l), equation (corr_1)."""
    return correlations(data_logs, logs(radii_of_map(Y, neighbors, frames, a, b))).sum()


def correlation_gradient(Y, neighbors, frames, data_logs, a, b, misprint=False):
    """The supplement's gradient of Σ_l Corr by y_i, equations (grad_corr) and (corr_grad), pair by pair.

    r_i depends on z_ij where j is among the neighbours of i, r_j where i is among those of j. With ``misprint``
    ∂r/∂z has the print's 2ab in the bracket, where the derivative of the printed R^e has ab.
    """
    m, dim = Y.shape
    R = radii_of_map(Y, neighbors, frames, a, b)
    r, r_data = np.log(R), data_logs - data_logs.mean(axis=0)
    near = np.zeros((m, m), bool)
    near[np.arange(m)[:, None], neighbors] = True
    gradient = np.zeros_like(Y)
    for axis in range(dim):
        variances = np.var(r_data[:, axis], ddof=1), np.var(r[:, axis], ddof=1)
        covariance, mean = np.cov(r_data[:, axis], r[:, axis])[0, 1], r[:, axis].mean()

        def slope(i, j, axis=axis):
            if not near[i, j]:
                return np.zeros(dim)
            return slope_of_log_radius(Y, neighbors[i], i, j, frames[i][:, axis], R[i, axis], a, b, misprint)

        for i in range(m):
            for j in range(m):
                if i == j:
                    continue
                of_i, of_j = slope(i, j), -slope(j, i)  # z_ij = −z_ji
                along = (r_data[i, axis] * of_i + r_data[j, axis] * of_j) / (m - 1)
                spread = ((r[i, axis] - mean) * of_i + (r[j, axis] - mean) * of_j) / (m - 1)
                by_step = along * variances[1] ** -0.5 - covariance * variances[1] ** -1.5 * spread
                gradient[i] -= variances[0] ** -0.5 * by_step  # ∂z_ij/∂y_i = −1
    return gradient


def slope_of_log_radius(Y, near, i, j, v, radius, a, b, misprint):
    """∂r_i/∂z_ij of the supplement, with Q̃_ij = Q_ij/W_i."""
    z = Y[j] - Y[i]
    s, total = z @ z, sum(similarity(Y[other] - Y[i], a, b) for other in near)
    share = similarity(z, a, b) / total
    bracket = (1 + a * s**b) * np.eye(len(z)) - (2 if misprint else 1) * a * b * s ** (b - 1) * np.outer(z, z)
    wider = share**2 * total / radius * bracket @ (2 * v * (v @ z))
    return wider + share**2 * total * 2 * a * b * s ** (b - 1) * z
