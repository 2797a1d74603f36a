"""Eigenvectors of small symmetric matrices, beside LAPACK's."""

from __future__ import annotations

import numpy as np
import pytest

from featmap.tangents import svd
from featmap.tangents.svd import eigenvectors


def all_of(matrices):
    """All eigenvectors, as many as a matrix has rows."""
    return eigenvectors(matrices, matrices.shape[1])


def symmetric(eigenvalues, rng):
    """A matrix with these eigenvalues and random eigenvectors."""
    Q = np.linalg.qr(rng.normal(size=(len(eigenvalues), len(eigenvalues))))[0]
    matrix = Q * eigenvalues @ Q.T
    return (matrix + matrix.T) / 2


def matrices_of(kind, k, rng):
    if kind == "neighbourhoods":
        X = rng.normal(size=(20, k, 50))
        X -= X.mean(axis=1, keepdims=True)
        return X @ X.transpose(0, 2, 1)
    eigenvalues = {
        "any": rng.normal(size=k),
        "degenerate": np.repeat([3.0, 1.0], [k // 2, k - k // 2]),
        "of low rank": np.where(np.arange(k) < 2, 1.0, 0.0),
        "graded": 10.0 ** -np.arange(k),
        "equal": np.full(k, 0.1),
        "zero": np.zeros(k),
        "tiny": 1e-200 * rng.random(k),
        "huge": 1e200 * rng.random(k),
    }
    if kind == "tridiagonal":
        return np.array([np.diag(rng.normal(size=k)) + np.eye(k, k=1) + np.eye(k, k=-1)])
    if kind == "graded as it stands":
        sizes = 10.0 ** -np.arange(k, dtype=float)
        return np.array([sizes[:, None] * symmetric(rng.random(k), rng) * sizes, np.diag(sizes)])
    if kind == "with entries whose squares underflow":
        return np.array([np.eye(k) + 1e-157 * symmetric(rng.random(k), rng) for _ in range(5)])
    return np.array([symmetric(eigenvalues[kind], rng) for _ in range(5)])


KINDS = [
    *("neighbourhoods", "any", "degenerate", "of low rank", "graded", "equal", "zero", "tiny", "huge"),
    *("tridiagonal", "graded as it stands", "with entries whose squares underflow"),
]


@pytest.mark.parametrize("k", [1, 2, 3, 14, 16, 17, 64, 65])
@pytest.mark.parametrize("kind", KINDS)
def test_they_are_as_accurate_as_lapacks(kind, k, rng):
    """M v = λ v and orthonormal v to rounding, and the eigenvalues of LAPACK."""
    matrices = matrices_of(kind, k, rng)
    values, vectors = all_of(matrices)
    size = np.abs(matrices).max(initial=1e-300)
    residuals = matrices / size @ vectors.transpose(0, 2, 1) - vectors.transpose(0, 2, 1) * (values / size)[:, None]
    assert np.abs(residuals).max() < 2e-15 * (k + 4)
    assert np.abs(vectors @ vectors.transpose(0, 2, 1) - np.eye(k)).max() < 2e-15 * (k + 4)
    assert np.abs(values[:, ::-1] - np.linalg.eigvalsh(matrices)).max() < 2e-15 * (k + 4) * size
    assert (np.diff(values, axis=1) <= 0).all()


def test_the_largest_entry_is_positive_and_the_first_of_equal_ones(rng):
    _, vectors = all_of(matrices_of("any", 14, rng))
    assert (np.take_along_axis(vectors, np.abs(vectors).argmax(axis=2)[:, :, None], axis=2) > 0).all()
    _, vectors = all_of(np.array([[[1.0, -1.0], [-1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]))
    np.testing.assert_allclose(vectors, np.sqrt(0.5) * np.array([[[1, -1], [1, 1]], [[1, 1], [1, -1]]]))


@pytest.mark.parametrize("k", [5, 14, 33])
def test_lapack_gives_the_same_with_the_same_signs(k, rng, monkeypatch):
    matrices = matrices_of("neighbourhoods", k, rng)[:, :, :]
    values, vectors = all_of(matrices)
    monkeypatch.setattr(svd, "LARGEST_OWN", 0)
    others, by_lapack = all_of(matrices)
    np.testing.assert_allclose(values, others, atol=1e-12 * np.abs(others).max())
    np.testing.assert_allclose(vectors[:, : k - 1], by_lapack[:, : k - 1], atol=1e-8)


def test_a_matrix_has_the_same_bits_in_any_company(rng):
    matrices = np.concatenate([matrices_of(kind, 14, rng) for kind in KINDS])
    values, vectors = all_of(matrices)
    for rows in (np.arange(len(matrices))[::-1], np.array([3]), np.array([9, 2, 2, 30])):
        found = all_of(matrices[rows])
        assert found[0].tobytes() == values[rows].tobytes()
        assert found[1].tobytes() == vectors[rows].tobytes()


@pytest.mark.parametrize("k", [3, 14, 65])
def test_the_first_ones_have_the_same_bits_as_among_all(k, rng):
    matrices = np.concatenate([matrices_of(kind, k, rng) for kind in KINDS])
    values, vectors = all_of(matrices)
    for n_axes in (0, 1, 2, 3):
        found = eigenvectors(matrices, n_axes)
        assert np.array_equal(found[0], values)
        assert np.array_equal(found[1], vectors[:, :n_axes])


def test_numbers_that_are_none_come_to_an_end():
    values, _ = all_of(np.full((1, 14, 14), np.nan))
    assert np.isnan(values).all()
