"""A memory map stays in its file: nothing of its size is allocated but the scaled copy that the model keeps."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from featmap import FeatMAP, FitStopped, InvalidDataError
from featmap.checks import inputs
from featmap.checks.inputs import Columns, check_rows
from featmap.data.sizing import Sizing

QUICK = {"n_neighbors": 6, "n_epochs": 2, "random_state": 0, "n_jobs": 2}


def mapped(path, values):
    np.save(path, values)
    return np.load(path, mmap_mode="r")


def allocated_by(call):
    """The most bytes that a call holds at a time, as Python and numpy report them."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", ["f2", "<f4", ">f4", "f8", "u1", "i8", "bool"])
def test_checks_copy_nothing(dtype, tmp_path, rng):
    X = mapped(tmp_path / "X.npy", (10 * rng.normal(size=(3000, 20))).astype(dtype))
    for view in (X, X[::2], X[:, 3:], X.T):
        assert np.shares_memory(check_rows(Columns(), view, "fit"), X)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_found_in_any_block(value, make, monkeypatch, rng):
    monkeypatch.setattr(inputs, "BYTES_AT_ONCE", 64)
    X = rng.normal(size=(100, 5))
    X[99, 4] = value
    with pytest.raises(InvalidDataError, match=r"^fit\(X\): Input X contains (NaN|infinity)"):
        check_rows(Columns(), make(X), "fit")


def test_sums_beyond_the_type_are_no_infinities(tmp_path):
    """scikit-learn then looks at every value, and makes arrays as large as what it is given."""
    X = mapped(tmp_path / "X.npy", np.full((200_000, 50), 60_000, np.float16))
    assert allocated_by(lambda: check_rows(Columns(), X, "fit")) < X.nbytes / 2


@pytest.mark.parametrize("dtype", ["<f4", "f8", "u1"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_fit_allocates_the_scaled_copy_and_no_more(metric, dtype, tmp_path, rng):
    """Of 400,000 × 50 numbers, up to the search of neighbours. A copy of the data would show."""
    X = mapped(tmp_path / "X.npy", rng.integers(0, 200, (400_000, 50)).astype(dtype))

    def fit():
        with pytest.raises(FitStopped):
            FeatMAP(**QUICK, metric=metric).fit(
                X, callback=lambda stage, done, total: stage == "neighbors", checkpoint=tmp_path / "fit"
            )

    fit_of_part = FeatMAP(**QUICK, metric=metric).fit(X[:100])  # libraries and compiled code are loaded
    assert fit_of_part.embedding_.shape == (100, 2)
    assert 0.9 < allocated_by(fit) / (4 * X.size) < 1.1


def test_a_whole_fit_allocates_no_more_than_that_of_an_array(tmp_path, rng):
    X = rng.normal(size=(1500, 2000)).astype(np.float32)
    file = mapped(tmp_path / "X.npy", X)
    for pca in (None, 10):
        model = FeatMAP(**QUICK, pca=pca)
        model.fit(X)
        of_array = allocated_by(lambda model=model: model.fit(X))
        assert allocated_by(lambda model=model: model.fit(file)) < of_array + X.nbytes / 4


def test_a_model_is_not_tied_to_the_map(tmp_path, rng):
    X = rng.normal(size=(200, 5)).astype(np.float32)
    file = np.memmap(tmp_path / "X.dat", np.float32, "w+", shape=X.shape)
    file[:] = X
    for metric in ("euclidean", "cosine", "manhattan"):
        model = FeatMAP(**QUICK, metric=metric).fit(file)
        expected = model.transform(X)
        file[:] = 0
        assert np.array_equal(model.transform(X), expected)
        file[:] = X


def test_the_center_of_very_wide_data_takes_little(rng):
    X = np.zeros((1001, 20_000), np.float32)
    X[500] = rng.normal(size=20_000)
    assert allocated_by(lambda: Sizing.of(X, (X[0], X[500]))) < X.nbytes / 4
