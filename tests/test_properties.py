"""Whatever is drawn: a finite map with the same bytes each time and unmoved by powers of two, or a clear error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from featmap import FeatMAP, FeatmapWarning

FEW, MANY = 30, 1970

DTYPES = ["bool", "uint8", "int16", "int64", "uint64", "float16", "float32", "float64"]
SCALES = [1e-280, 1e-30, 1e-3, 1.0, 1e6, 1e30, 1e280]


@st.composite
def tables(draw):
    """Data of every kind that users bring, most of them degenerate in some way."""
    m, n = draw(st.integers(2, 40)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(m, n)) if draw(st.booleans()) else rng.integers(-3, 4, (m, n)).astype(np.float64)
    if draw(st.booleans()):  # copies of a few rows
        X = X[rng.integers(draw(st.integers(1, m)), size=m)]
    if draw(st.booleans()):  # columns that do not vary
        X[:, rng.random(n) < 0.5] = draw(st.sampled_from([0.0, 1.0, -7.25]))
    if draw(st.booleans()):  # columns of other sizes
        X *= 10.0 ** rng.integers(-12, 13, n)
    if draw(st.booleans()):  # mostly zeros
        X[rng.random((m, n)) < 0.8] = 0
    if draw(st.booleans()):  # a point far away
        X[rng.integers(m)] += 1e6
    X *= draw(st.sampled_from(SCALES))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype if dtype.kind != "b" else np.uint8)
    # Half of the largest, since the largest integers are no floats.
    X = np.clip(X, float(limits.min) / 2, float(limits.max) / 2).astype(dtype)
    return sp.csr_matrix(X) if draw(st.booleans()) and dtype != np.float16 else X


parameters = st.fixed_dictionaries(
    {
        "n_neighbors": st.integers(3, 20),
        "n_components": st.integers(1, 3),
        "metric": st.sampled_from(["euclidean", "euclidean", "cosine"]),
        "density": st.sampled_from([None, 0.0, 2.0]),
        "init": st.sampled_from(["auto", "pca", "random"]),
        "intrinsic_dim": st.sampled_from(["auto", 1, 3]),
        "random_state": st.integers(0, 2**32 - 1),
    }
)


def fit(X, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FeatmapWarning)  # of too few rows, of scales, of rows without neighbours
        return FeatMAP(n_epochs=3, n_jobs=1, **options).fit(X)


def digest(model):
    arrays = (model.embedding_, model.frames_, model.feature_importance())
    return [array.tobytes() for array in arrays]


def assert_promises(X, options):
    before = X.copy()
    model = fit(X, options)
    assert model.embedding_.shape == (X.shape[0], options["n_components"])
    for values in (model.embedding_, model.frames_, model.transform(X)):
        assert np.isfinite(values).all()
    assert np.isfinite(model.outlier_score(X)).all()
    squares = (model.feature_importance().astype(np.float64) ** 2).sum(axis=1)
    np.testing.assert_allclose(squares, model.intrinsic_dim_, atol=1e-3)
    assert (before != X).sum() == 0
    assert digest(fit(X, options)) == digest(model)
    largest = abs(X).max()
    if X.dtype == np.float64 and 1e-200 < largest < 1e200:
        assert digest(fit(X * 2.0**40, options)) == digest(model)
        assert digest(fit(X * 2.0**-40, options)) == digest(model)


QUIETLY = {
    "deadline": None,
    "database": None,
    "derandomize": True,
    "suppress_health_check": list(HealthCheck),
    "print_blob": True,
}


@settings(max_examples=FEW, **QUIETLY)
@given(tables(), parameters)
def test_promises_hold_for_whatever_is_drawn(X, options):
    assert_promises(X, options)


@pytest.mark.slow
@settings(max_examples=MANY, **QUIETLY)
@given(parameters, tables())
def test_promises_hold_for_much_more(options, X):
    """Other examples: their order is part of what they are drawn from."""
    assert_promises(X, options)
