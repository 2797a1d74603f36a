"""What scikit-learn's users count on, beyond its own checks, and what a fit leaves behind when it does not end."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from featmap import FeatMAP, InvalidDataError

QUICK = {"n_neighbors": 6, "n_epochs": 4, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).normal(size=(60, 5))


def test_polars_goes_in_and_out(data):
    frame = pl.DataFrame(data, schema=list("abcde"))
    model = FeatMAP(**QUICK).set_output(transform="polars")
    table = model.fit_transform(frame)
    assert isinstance(table, pl.DataFrame)
    assert table.columns == ["featmap0", "featmap1"]
    assert list(model.feature_names_in_) == list("abcde")
    assert np.array_equal(model.transform(frame[:3]).to_numpy(), model.embedding_[:3])


def test_names_pass_through_a_pipeline(data):
    piped = make_pipeline(StandardScaler(), PCA(4), FeatMAP(**QUICK)).set_output(transform="pandas")
    table = piped.fit_transform(data)
    assert list(table.columns) == list(piped.get_feature_names_out()) == ["featmap0", "featmap1"]
    assert list(piped[-1].feature_names_in_) == ["pca0", "pca1", "pca2", "pca3"]


def agreement_with_the_map(estimator, X, y=None):
    return trustworthiness(X, estimator.transform(X), n_neighbors=5)


def test_grid_search_over_the_density(data):
    search = GridSearchCV(FeatMAP(**QUICK), {"density": [0, 1, 2]}, scoring=agreement_with_the_map, cv=2)
    search.fit(data)
    assert search.best_params_["density"] in (0, 1, 2)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.density == search.best_params_["density"]


def test_clones_are_unfitted_and_equal(data):
    start = np.zeros((60, 2))
    model = FeatMAP(**QUICK, init=start).fit(data)
    copy = clone(model)
    assert not hasattr(copy, "embedding_")
    assert copy.get_params().keys() == model.get_params().keys()
    assert np.array_equal(copy.fit(data).embedding_, model.embedding_)


def test_repr_stays_short_with_arrays(data):
    model = FeatMAP(init=np.zeros((10_000, 2)), precomputed_knn=(np.zeros((500, 5), int), np.zeros((500, 5))))
    assert len(repr(model)) < 1000
    assert repr(model).startswith("FeatMAP(init=array(")
    assert repr(FeatMAP(metric="cosine", density=2)) == "FeatMAP(density=2, metric='cosine')"


def test_metadata_routing_does_no_harm(data):
    heard = []
    with sklearn.config_context(enable_metadata_routing=True):
        model = FeatMAP(**QUICK).set_fit_request(callback=True)
        piped = make_pipeline(StandardScaler(), model)
        piped.fit(data, callback=lambda stage, done, total: heard.append(stage))
        plain = make_pipeline(StandardScaler(), FeatMAP(**QUICK)).fit(data)
    assert "layout" in heard
    assert np.array_equal(piped[-1].embedding_, plain[-1].embedding_)


def test_tags_tell_the_truth():
    tags = get_tags(FeatMAP())
    assert tags.input_tags.sparse
    assert not tags.input_tags.allow_nan
    assert not tags.target_tags.required
    assert not tags.non_deterministic
    assert tags.transformer_tags.preserves_dtype == ["float32"]
    assert issubclass(FeatMAP, BaseEstimator)


REFITS = [
    ((20, 3), np.float64, None),
    ((60, 8), np.float32, None),
    ((30, 3), np.float64, "sparse"),
    ((25, 5), np.int64, "names"),
    ((60, 2), np.float64, None),
]


def test_refits_forget_what_was_there():
    """On fewer, more and other rows: the same as a new estimator's, whatever came before."""
    model = FeatMAP(**QUICK)
    for shape, dtype, kind in REFITS:
        X = (10 * np.random.default_rng(0).normal(size=shape)).astype(dtype)
        X = sp.csr_matrix(X) if kind == "sparse" else X
        X = pl.DataFrame(X) if kind == "names" else X
        fresh = FeatMAP(**QUICK).fit(X)
        assert model.fit(X) is model
        assert model.n_features_in_ == shape[1]
        assert hasattr(model, "feature_names_in_") == (kind == "names")
        assert np.array_equal(model.embedding_, fresh.embedding_)
        assert np.array_equal(model.transform(X[:7]), fresh.transform(X[:7]))
        assert set(vars(model)) == set(vars(fresh))


STAGES = ["scaling", "neighbors", "graph", "start", "layout"]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_a_fit_that_does_not_end_changes_nothing(stage, error, data):
    """Not even the number of features: the estimator goes on placing rows of its last fit."""
    model = FeatMAP(**QUICK).fit(data)
    before, state = model.transform(data + 0.1), dict(vars(model))

    def stop(now, done, total):
        if now == stage:
            raise error

    with pytest.raises(error):
        model.fit(np.ones((30, 9)), callback=stop)
    assert vars(model).keys() == state.keys()
    assert all(vars(model)[name] is state[name] for name in state)
    assert np.array_equal(model.transform(data + 0.1), before)


def test_data_that_are_refused_change_nothing(data):
    model = FeatMAP(**QUICK).fit(data)
    with pytest.raises(InvalidDataError):
        model.fit(pl.DataFrame({"a": [1.0, None, 2.0]}))
    assert model.n_features_in_ == 5
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.transform(data), model.embedding_)
