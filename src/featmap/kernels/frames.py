"""Loops of the frames: sums over the edges of each point, and the nearest orthogonal matrix."""

import numpy as np
from numba import uint32

from .compilation import compiled, compiled_sums, inlined
from .rotations import read_rotation

CLOSEST = 1e-12  # the smallest distance D of two frames; it is divided by


@compiled_sums
def map_covariance(embedding, indptr, indices, weights, steps, start, stop, out):
    """C_i = Σ_j P_ij (y_j − y_i)(V_iᵀ(x_j − x_i))ᵀ."""
    for i in range(start, stop):
        out[i] = 0
        for e in range(indptr[i], indptr[i + 1]):
            for c in range(embedding.shape[1]):
                moved = weights[e] * (embedding[uint32(indices[e]), c] - embedding[i, c])
                for axis in range(steps.shape[1]):
                    out[i, c, axis] += moved * steps[e, axis]


@compiled_sums
def wanted_frames(frames, covariance, map_weight, indptr, indices, weights, rotations, start, stop, out):
    """Σ_j P_ij (V_j^e O_ij + V_i^e) + μ C_i. The rotations O_ij are q × q, and V_j^e O_ij has only q columns."""
    dim = frames.shape[1]
    q = rotations.shape[1]
    for i in range(start, stop):
        for c in range(dim):
            for axis in range(dim):
                out[i, c, axis] = map_weight * covariance[i, c, axis]
        for e in range(indptr[i], indptr[i + 1]):
            j = uint32(indices[e])
            for c in range(dim):
                for axis in range(dim):
                    out[i, c, axis] += weights[e] * frames[i, c, axis]
                for inner in range(q):
                    weighted = weights[e] * frames[j, c, inner]
                    for axis in range(q):
                        out[i, c, axis] += weighted * rotations[e, inner, axis]


@compiled_sums
def wanted_in_the_plane(frames, covariance, map_weight, indptr, indices, weights, codes, start, stop, out):
    """The same for 2 × 2 matrices: frames are rows of four, and rotations are coded as in `rotations`."""
    for i in range(start, stop):
        a, b, c, d, degree = np.float32(0), np.float32(0), np.float32(0), np.float32(0), np.float32(0)
        for e in range(indptr[i], indptr[i + 1]):
            j, weight = uint32(indices[e]), weights[e]
            cosine, sine, determinant = read_rotation(codes[e])
            turned = weight * determinant
            a += weight * (frames[j, 0] * cosine + frames[j, 1] * sine)
            b += turned * (frames[j, 1] * cosine - frames[j, 0] * sine)
            c += weight * (frames[j, 2] * cosine + frames[j, 3] * sine)
            d += turned * (frames[j, 3] * cosine - frames[j, 2] * sine)
            degree += weight
        out[i, 0] = a + degree * frames[i, 0] + map_weight * covariance[i, 0]
        out[i, 1] = b + degree * frames[i, 1] + map_weight * covariance[i, 1]
        out[i, 2] = c + degree * frames[i, 2] + map_weight * covariance[i, 2]
        out[i, 3] = d + degree * frames[i, 3] + map_weight * covariance[i, 3]


@inlined
def frame_distance(frames, i, j, dim):
    """D = 1 − ⟨V_i, V_j⟩/d, in [0, 2]; not 0 itself, since it is divided by. Frames are rows of d² numbers."""
    total = 0.0
    for entry in range(frames.shape[1]):
        total += frames[i, entry] * frames[j, entry]
    return min(max(1.0 - total / dim, CLOSEST), 2.0)


@compiled_sums
def frame_attraction(frames, dim, indptr, indices, weights, a, b, start, stop, out):
    """Adds −Σ_j 2 P_ij ∂log Q_ij/∂V_i with Q = 1/(1 + a D^2b), D = 1 − ⟨V_i, V_j⟩/d; so ∂D/∂V_i = −V_j/d."""
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            j = uint32(indices[e])
            distance = frame_distance(frames, i, j, dim)
            power = a * distance ** (2 * b)
            pull = 2 * weights[e] * 2 * b * power / (distance * (1 + power)) / dim
            for entry in range(frames.shape[1]):
                out[i, entry] -= pull * frames[j, entry]


@compiled_sums
def frame_repulsion(frames, dim, drawn, weight, a, b, most_similar, start, stop, out):
    """Adds −Σ_j weight ∂log(1 − κ Q_ij)/∂V_i over the points j drawn for i; κ is ``most_similar``."""
    for i in range(start, stop):
        for e in range(drawn.shape[1]):
            j = uint32(drawn[i, e])
            distance = frame_distance(frames, i, j, dim)
            power = a * distance ** (2 * b)
            slope = 2 * b * power * most_similar / (distance * (1 - most_similar + power) * (1 + power))
            push = weight * slope / dim
            for entry in range(frames.shape[1]):
                out[i, entry] += push * frames[j, entry]


@compiled
def turn_frames(frames, gradient, rates, largest_angle, start, stop, out):
    """V_i + V_i Ω_i with Ω = −rate·skew(VᵀG), made smaller where ‖Ω‖/√2, the angle in the plane, is too large.

    Only the skew part turns a frame. The rest of the gradient would stretch it, or turn it inside out.
    """
    dim = frames.shape[1]
    turn = np.empty((dim, dim))
    for i in range(start, stop):
        squares = 0.0
        for a in range(dim):
            for b in range(dim):
                total = 0.0
                for c in range(dim):
                    total += frames[i, c, a] * gradient[i, c, b] - frames[i, c, b] * gradient[i, c, a]
                turn[a, b] = -rates[i] * total / 2
                squares += turn[a, b] ** 2
        angle = np.sqrt(squares / 2)
        shrink = largest_angle / angle if angle > largest_angle else 1.0
        for c in range(dim):
            for b in range(dim):
                total = 0.0
                for a in range(dim):
                    total += frames[i, c, a] * turn[a, b]
                out[i, c, b] = frames[i, c, b] + shrink * total


@compiled
def polar_of_two(matrices, tolerance, nearest, degenerate):
    """The rotation nearest to each 2 × 2 matrix, or the nearest reflection if the determinant is negative.

    Matrices that determine neither are marked as degenerate. Sums are not reordered, so that flipping a column of a
    matrix flips that column of the result and changes no bit of it.
    """
    for i in range(matrices.shape[0]):
        a, b = np.float64(matrices[i, 0, 0]), np.float64(matrices[i, 0, 1])
        c, d = np.float64(matrices[i, 1, 0]), np.float64(matrices[i, 1, 1])
        determinant = a * d - b * c
        degenerate[i] = abs(determinant) <= tolerance * (a * a + b * b + c * c + d * d)
        rotation = 1.0 if determinant >= 0 else -1.0
        cosine, sine = a + rotation * d, c - rotation * b
        length = 1.0 if degenerate[i] else np.sqrt(cosine * cosine + sine * sine)
        nearest[i, 0, 0], nearest[i, 0, 1] = cosine / length, -rotation * sine / length
        nearest[i, 1, 0], nearest[i, 1, 1] = sine / length, rotation * cosine / length
