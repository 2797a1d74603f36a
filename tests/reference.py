"""Slow, obvious twins of the kernels and of every formula, in float64, without tables, softening or clipping."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq, nnls


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


def distances_to(X, k):
    """The distance of each row to its k-th nearest other."""
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(distances, np.inf)
    return np.sort(distances, axis=1)[:, k - 1]


def differences_within(X, Y, length):
    """For each row with others within a length on the map, the distances to all of these in the data."""
    on_map, in_data = (np.linalg.norm(rows[:, None] - rows, axis=2) for rows in (Y, X))
    np.fill_diagonal(on_map, np.inf)
    return [in_data[i, on_map[i] <= length] for i in range(len(X)) if (on_map[i] <= length).any()]


def nearest_in_lists(points, homes, query, lists, n_wanted):
    """The points in some lists that are nearest to a query: their numbers and squared distances, ties by number."""
    inside = np.flatnonzero(np.isin(homes, lists))
    squared = ((points[inside] - query) ** 2).sum(axis=1)
    order = np.argsort(squared, kind="stable")[:n_wanted]
    return inside[order], squared[order]


def remaining_lengths(rows, coordinates):
    """How long a row is beyond its coordinates along orthonormal directions."""
    return np.sqrt(np.maximum((rows**2).sum(axis=1) - (coordinates**2).sum(axis=1), 0))


def proposed(estimates, errors, k):
    """For each query the rows whose distance may be among the k smallest, if each is off by its error at most."""
    highest = np.sort(estimates + errors, axis=1)[:, k - 1 : k]
    return [np.flatnonzero(row).tolist() for row in estimates - errors <= highest]


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


def local_svd(X, i, neighbors, weights, center="point"):
    """σ and V of W_i X_i, about the point or about the weighted mean of its neighbours."""
    differences = np.asarray(X, np.float64)[neighbors] - np.asarray(X, np.float64)[i]
    if center == "mean":
        differences -= weights @ differences / weights.sum()
    _, sigma, vt = np.linalg.svd(np.sqrt(weights)[:, None] * differences, full_matrices=False)
    return sigma, vt.T


def nearest_orthogonal(matrix):
    u, _, vt = np.linalg.svd(matrix)
    return u @ vt


def decoded(codes):
    """Matrices [[c, −ds], [s, dc]] of codes: the smaller of cosine and sine, times 2²⁸, above three bits."""
    matrices = []
    for code in codes:
        smaller, bits = (int(code) >> 3) * 2.0**-28, int(code) & 7
        larger = np.sqrt(1 - smaller**2) * (-1 if bits & 4 else 1)
        c, s = (smaller, larger) if bits & 2 else (larger, smaller)
        d = -1 if bits & 1 else 1
        matrices.append([[c, -d * s], [s, d * c]])
    return np.array(matrices)


def geometric_median(places, weights, n_steps=50):
    """Weiszfeld's steps for Σ w √(|y − y_l|² + δ²) from the weighted mean, δ a thousandth of its mean distance."""
    places, weights = np.asarray(places, np.float64), np.asarray(weights, np.float64)
    y = np.average(places, axis=0, weights=weights)
    softening = 1e-3 * np.average(np.linalg.norm(places - y, axis=1), weights=weights)
    if places.shape[1] == 1 or softening == 0:
        return y
    for _ in range(n_steps):
        distances = np.sqrt(((places - y) ** 2).sum(axis=1) + softening**2)
        y = np.average(places, axis=0, weights=weights / distances)
    return y


def outlier_score(X, new, k):
    """The mean distance to the k nearest rows over the median of theirs, both with a thousandth of the mean."""
    own = nearest_others(X, k)[1].mean(axis=1)
    scores = []
    for row in np.asarray(new, np.float64):
        distances = np.linalg.norm(X - row, axis=1)
        near = np.argsort(distances, kind="stable")[:k]
        scores.append((distances[near].mean() + 1e-3 * own.mean()) / (np.median(own[near]) + 1e-3 * own.mean()))
    return np.array(scores)


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


def attraction_value(Y, P, lengths, a, b):
    """Σ_ij P_ij log Q(s̃_ij) with s̃_ij = ‖y_j − y_i‖²/ℓ_ij²; ``lengths`` has ℓ_ij."""
    s = ((Y[:, None] - Y[None]) ** 2).sum(axis=2) / lengths**2
    return (P * np.log(similarity(s, a, b))).sum()


def attraction_gradient(Y, P, lengths, a, b):
    """2 Σ_j P_ij · 2ab s̃^(b−1)/(1 + a s̃^b) · z_ij/ℓ_ij², z_ij = y_j − y_i."""
    gradient = np.zeros_like(Y)
    for i, j in zip(*np.nonzero(P), strict=True):
        z = (Y[j] - Y[i]) / lengths[i, j]
        s = z @ z
        if s > 0:
            gradient[i] += 2 * P[i, j] * 2 * a * b * s ** (b - 1) / (1 + a * s**b) * z / lengths[i, j]
    return gradient


def repulsion_value(Y, i, units, a, b):
    """Σ_{j≠i} log(1 − Q(ŝ_ij)) with ŝ_ij = ‖y_j − y_i‖²/(f_i f_j); ``units`` has f."""
    s = (((Y - Y[i]) ** 2).sum(axis=1) / (units * units[i]))[np.arange(len(Y)) != i]
    return np.log(1 - similarity(s, a, b)).sum()


def repulsion_gradient(Y, i, units, a, b, softening=0.0):
    """−Σ_j 2b ẑ_ij/((softening + ŝ)(1 + a ŝ^b))/√(f_i f_j), ẑ_ij = z_ij/√(f_i f_j): away from every other point."""
    total = np.zeros(Y.shape[1])
    for j in range(len(Y)):
        unit = np.sqrt(units[i] * units[j])
        z = (Y[j] - Y[i]) / unit
        s = z @ z
        if j != i and s > 0:
            total -= 2 * b * z / ((softening + s) * (1 + a * s**b)) / unit
    return total


def units_of_lengths(lengths, weights, power, floor, bound):
    """exp(τ tanh(power/2 · (e − ē)/τ)) with e = log(d² + floor), the weighted mean ē and the bound τ."""
    logs = [np.log(length**2 + floor) for length in lengths]
    mean = sum(w * e for w, e in zip(weights, logs, strict=True)) / sum(weights)
    return np.array([np.exp(bound * np.tanh(power / 2 * (e - mean) / bound)) for e in logs])


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


def frame_distances(frames):
    """D = 1 − ⟨V_i, V_j⟩/d of all pairs."""
    return 1 - np.einsum("ica,jca->ij", frames, frames) / frames.shape[1]


def frame_divergence(frames, P, a, b):
    """KL(P‖Q) = Σ P(log P − log Q) over directed edges, Q = 1/(1 + a D^2b)."""
    i, j = np.nonzero(P)
    Q = similarity(frame_distances(frames)[i, j] ** 2, a, b)
    return (P[i, j] * (np.log(P[i, j]) - np.log(Q))).sum()


def frame_repulsion_value(frames, a, b, most_similar):
    """−Σ_{i≠j} log(1 − κ Q_ij)."""
    different = ~np.eye(len(frames), dtype=bool)
    Q = similarity(frame_distances(frames)[different] ** 2, a, b)
    return -np.log(1 - most_similar * Q).sum()


def turned(frame, gradient, rate, largest_angle):
    """V + VΩ with Ω = −rate·skew(VᵀG) of norm √2·largest_angle at most."""
    product = frame.T @ gradient
    turn = -rate * (product - product.T) / 2
    angle = np.linalg.norm(turn) / np.sqrt(2)
    return frame + frame @ turn * min(1, largest_angle / angle)


def walk_weights(P, links, near, row, n_steps=8, least=1e-4, fewest=16, n_nearest=30, base=1e-3):
    """Weights of the rows near a point on the map: visits of a walk within them, by the weight of their edges there.

    ``links`` are the weights of the point to all rows, and ``row`` is its own number, −1 for a new point.
    """
    P, nodes = np.asarray(P, np.float64), np.append(near, row) if row >= 0 else np.asarray(near)
    W = P[np.ix_(nodes, nodes)]
    degrees = W.sum(axis=1)
    first = np.asarray(links, np.float64)[nodes]
    visits = np.zeros(len(nodes))
    if first.sum() > 0:
        here = first / first.sum()
        visits = here.copy()
        for _ in range(n_steps - 1):
            here = np.divide(here, degrees, out=np.zeros_like(here), where=degrees > 0) @ W
            visits += here
    weights = np.divide(visits, degrees, out=np.zeros_like(visits), where=degrees > 0)[: len(near)]
    weights = weights / weights.max() if weights.max() > 0 else weights
    weights[weights < least] = 0
    if (weights > 0).sum() < fewest or len(near) < n_nearest:
        weights[:n_nearest] += base
        weights[n_nearest:] = 0
    return weights


def halves(weights, units):
    """Weights of every second unit, in the order in which they come, and of the others; each sums to 1."""
    units_with_weight = list(dict.fromkeys(unit for unit, weight in zip(units, weights, strict=True) if weight > 0))
    sides = np.array([units_with_weight.index(unit) % 2 if unit in units_with_weight else -1 for unit in units])
    parts = [np.where(sides == side, weights, 0.0) for side in (0, 1)]
    return [part / part.sum() if part.sum() > 0 else part for part in parts]


def weighted_centered(values, weights):
    """Values minus their weighted mean."""
    values = np.asarray(values, np.float64)
    return values - weights @ values


def combined_rows(X, rows, origin, coefficients):
    """Σ_j c_j (x_j − o) for each line of coefficients."""
    X = np.asarray(X, np.float64)
    return coefficients @ (X[rows] - X[origin])


def mixed_lines(lines, combinations, others, mixtures, sets):
    """u αL + v H, with the mixture (u, v) of the set of each feature."""
    u, v = mixtures[np.broadcast_to(sets, lines.shape[1])].T
    return u * (combinations @ lines) + v * others


def mean_projection(X, members, pairs):
    """The mean of V Vᵀ = Xᵀ B X over some spaces, X the rows minus the first of them: (n, n)."""
    X = np.asarray(X, np.float64)
    parts = [(X[rows] - X[rows[0]]).T @ B @ (X[rows] - X[rows[0]]) for rows, B in zip(members, pairs, strict=True)]
    return np.mean(parts, axis=0)


def weighted_slopes(X, Y, weights):
    """Gᵀ of the weighted regression of X on Y: (d', n)."""
    on_map, features = (np.sqrt(weights)[:, None] * weighted_centered(part, weights) for part in (Y, X))
    return np.linalg.lstsq(on_map, features, rcond=None)[0]


def weighted_cosine(arrows, X, Y, weights):
    """Between the changes that arrows predict and the true ones, over all rows and features."""
    predicted, true = weighted_centered(Y, weights) @ arrows, weighted_centered(X, weights)
    sizes = np.sqrt((weights @ predicted**2).sum() * (weights @ true**2).sum())
    return (weights @ (predicted * true)).sum() / sizes


def mixture(G, G_a, G_b, H, H_a, H_b, S):
    """u G + v H with (u, v) ≥ 0 of the least expected error, by non-negative least squares. All are of one set."""

    def product(A, B):
        return np.trace(A.T @ S @ B)

    c = np.array([product(G_a, G_b), (product(G_a, H_b) + product(G_b, H_a)) / 2])
    means = (G_a + G_b) / 2, (H_a + H_b) / 2
    M = np.array([[product(A, B) for B in means] for A in means])
    values, vectors = np.linalg.eigh(M)
    root = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    (u, v), _ = nnls(root, np.linalg.pinv(root.T) @ c)  # θᵀMθ − 2cᵀθ = |Rθ − b|² − |b|², M = RᵀR and c = Rᵀb
    return u * G + v * H


# What sets a point apart. X are the features, Y the map.


def winsorised(X):
    """Clipped to [a − (b − a), b + (b − a)], a and b the 1 % and 99 % quantiles; not where a = b."""
    X = np.array(X, np.float64)
    for h in range(X.shape[1]):
        a, b = np.quantile(X[:, h], [0.01, 0.99])
        if a < b:
            X[:, h] = np.clip(X[:, h], a - (b - a), b + (b - a))
    return X


def capped(weights, fewest=30):
    """No weight above 1/30: cut, hand the rest to the others in proportion, and repeat."""
    w = np.array(weights, np.float64)
    fewest = min(fewest, len(w))
    if np.count_nonzero(w) < fewest:
        with_weight = list(np.flatnonzero(w))
        others = [j for j in range(len(w)) if w[j] == 0]
        w = np.zeros(len(w))
        w[(with_weight + others)[:fewest]] = 1
    w /= w.sum()
    is_cut = np.zeros(len(w), bool)
    while (w > 1 / fewest + 1e-12).any():
        is_cut |= w > 1 / fewest
        w[is_cut] = 1 / fewest
        rest = ~is_cut
        w[rest] *= (1 - is_cut.sum() / fewest) / w[rest].sum()
    return w


def part_told_by(X, neighbors):
    """1 − k/(k+1)·Σ(x − x̂)²/Σ(x − x̄)², x̂ the mean of the neighbours; 0 for a constant feature."""
    k = neighbors.shape[1]
    errors = sum((X[i] - X[neighbors[i]].mean(axis=0)) ** 2 for i in range(len(X)))
    spreads = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    return np.array([1 - k / (k + 1) * e / s if s > 0 else 0.0 for e, s in zip(errors, spreads, strict=True)])


def backing(X, n_components=None):
    """Four halvings; the 10 nearest by one half, or by principal components of it, predict the other half."""
    m, n = X.shape
    rng = np.random.default_rng(0)
    found = np.zeros(n)
    for _ in range(4):
        order = rng.permutation(n)
        rng.uniform(size=m)  # breaks ties, of which there are none here
        halves = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
        for known, predicted in (halves, halves[::-1]):
            places = X[:, known] - X[:, known].mean(axis=0)
            if n_components is not None:
                places = places @ np.linalg.svd(places, full_matrices=False)[2][:n_components].T
            near = nearest_others(places, min(10, m - 1))[0]
            found[predicted] += part_told_by(X, near)[predicted] / 4
    return found


def welch_as_normal(a, b, axis):
    """Welch's t of two samples, as a normal variable by Wallace's formula."""
    n_a, n_b = a.shape[axis], b.shape[axis]
    error_a, error_b = a.var(axis, ddof=1) / n_a, b.var(axis, ddof=1) / n_b
    t = (a.mean(axis) - b.mean(axis)) / np.sqrt(error_a + error_b)
    f = (error_a + error_b) ** 2 / (error_a**2 / (n_a - 1) + error_b**2 / (n_b - 1))
    return np.sign(t) * (8 * f + 1) / (8 * f + 3) * np.sqrt(f * np.log(1 + t**2 / f))


def weighted_ranks(x, weights):
    """The weight of all smaller values, and half of that of equal ones."""
    return np.array([weights[x < value].sum() + weights[x == value].sum() / 2 for value in x])


def told_by_half(rows, directions, known):
    """cos² between what the known features tell of the others, along the directions, and these."""
    V, q = directions[known], directions.shape[1]
    gram = V.T @ V
    scores = np.array(
        [np.linalg.solve(gram + 0.01 * np.trace(gram) / q * np.eye(q), V.T @ row[known]) for row in rows]
    )
    predicted, true = scores @ directions[~known].T, rows[:, ~known]
    return (predicted * true).sum() ** 2 / (np.square(predicted).sum() * np.square(true).sum())


def in_unit_size(X, center, scale, farthest=1e15):
    """(X − center)·scale in float64, kept in float32."""
    return np.clip((np.asarray(X, np.float64) - center) * scale, -farthest, farthest).astype(np.float32)


def divided_by_length(row):
    """A row of length 1, and the length it had: squares are added one by one."""
    squares = 0.0
    for value in np.asarray(row, np.float64):
        squares += value * value
    return (row / (np.sqrt(squares) or 1.0)).astype(np.float32), np.sqrt(squares)


# The coarse graph. P is a dense symmetric matrix with zero diagonal.


def greedy_centers(P, order):
    """Points in this order that have no edge to one chosen before."""
    centers = []
    for i in order:
        if not P[i, centers].any():
            centers.append(i)
    return np.sort(centers)


def strongest_centers(P, centers):
    """For every point the place in ``centers`` of the one with the strongest edge, or its own."""
    groups = P[:, centers].argmax(axis=1)
    groups[centers] = np.arange(len(centers))
    return groups


def sums_between(P, groups):
    """Σ P_ij between groups, relative to the largest."""
    belongs = np.eye(groups.max() + 1)[groups]
    sums = belongs.T @ P @ belongs
    np.fill_diagonal(sums, 0)
    return sums / sums.max()
