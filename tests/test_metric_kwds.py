"""metric_kwds: parameters of a metric reach every distance, files and checkpoints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import distance
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from featmap import FeatMAP, FeatmapError, InvalidParameterError, StoreError, explain
from featmap.store.checkpoints import fingerprint

QUICK = {"n_neighbors": 8, "n_epochs": 10, "random_state": 0}
TABLE = np.random.default_rng(0).normal(size=(60, 4)) * [1, 2, 3, 4]
NEW = np.random.default_rng(1).normal(size=(9, 4)) * [1, 2, 3, 4]
COVARIANCE = np.cov(TABLE.T)


def fit(metric, kwds, **parameters):
    return FeatMAP(**QUICK, metric=metric, metric_kwds=kwds, **parameters).fit(TABLE)


def weighted(a, b, weight=1.0):
    return np.abs(a - b)[0] * weight + np.abs(a - b)[1:].sum()


METRICS = {
    "minkowski": ("minkowski", {"p": 3}, lambda a, b: distance.minkowski(a, b, 3)),
    "a fraction": ("minkowski", {"p": 1.5}, lambda a, b: distance.minkowski(a, b, 1.5)),
    "weights": ("minkowski", {"p": 2, "w": [9, 1, 1, 0]}, lambda a, b: distance.minkowski(a, b, 2, [9, 1, 1, 0])),
    "VI": (
        "mahalanobis",
        {"VI": np.linalg.inv(COVARIANCE)},
        lambda a, b: distance.mahalanobis(a, b, np.linalg.inv(COVARIANCE)),
    ),
    "V": (
        "mahalanobis",
        {"V": COVARIANCE.tolist()},
        lambda a, b: distance.mahalanobis(a, b, np.linalg.inv(COVARIANCE)),
    ),
    "variances": ("seuclidean", {"V": [1, 4, 9, 16]}, lambda a, b: distance.seuclidean(a, b, [1, 4, 9, 16])),
    "a function's": (weighted, {"weight": 20.0}, lambda a, b: weighted(a, b, 20.0)),
}


@pytest.mark.parametrize("case", METRICS)
def test_neighbors_and_new_rows_are_measured_with_them(case):
    metric, kwds, measured = METRICS[case]
    model = fit(metric, kwds)
    distances, indices = NearestNeighbors(n_neighbors=8, metric=measured).fit(TABLE).kneighbors(TABLE)
    np.testing.assert_array_equal(model.neighbors_[0], indices[:, 1:])
    np.testing.assert_allclose(model.neighbors_[1], distances[:, 1:], rtol=1e-5)
    by_function = FeatMAP(**QUICK, metric=measured).fit(TABLE)
    np.testing.assert_allclose(model.outlier_score(NEW), by_function.outlier_score(NEW), rtol=1e-4)
    assert not np.allclose(model.outlier_score(NEW), FeatMAP(**QUICK).fit(TABLE).outlier_score(NEW), rtol=1e-3)


def test_mahalanobis_is_euclidean_after_whitening():
    whitened = TABLE @ np.linalg.cholesky(np.linalg.inv(COVARIANCE))
    plain = FeatMAP(**QUICK).fit(whitened)
    np.testing.assert_array_equal(fit("mahalanobis", {"V": COVARIANCE}).neighbors_[0], plain.neighbors_[0])


def test_a_map_of_another_method_is_explained_with_them():
    model = fit("minkowski", {"p": 3})
    explained = explain(TABLE, model.embedding_, metric="minkowski", metric_kwds={"p": 3}, n_neighbors=8)
    np.testing.assert_array_equal(explained.feature_importance(), model.feature_importance())


def test_components_are_measured_with_them():
    model = fit("minkowski", {"p": 3, "w": [1, 5]}, pca=2)
    assert model.embedding_.shape == (60, 2)
    with pytest.raises(FeatmapError, match=r"w must be an array of shape \(2,\)"):
        fit("minkowski", {"p": 3, "w": [1, 5, 1, 1]}, pca=2)


def test_given_neighbors_are_compared_with_them(recwarn):
    model = fit("minkowski", {"p": 3})
    fit("minkowski", {"p": 3}, precomputed_knn=model.neighbors_)
    assert len(recwarn) == 0
    with pytest.warns(UserWarning, match="not those of metric='minkowski'"):
        fit("minkowski", {"p": 1}, precomputed_knn=model.neighbors_)


def test_parameters_stay_as_they_were():
    kwds = {"V": COVARIANCE.tolist()}
    model = fit("mahalanobis", kwds)
    assert model.get_params()["metric_kwds"] is kwds
    assert kwds == {"V": COVARIANCE.tolist()}
    assert clone(model).metric_kwds == kwds
    np.testing.assert_array_equal(clone(model).fit(TABLE).embedding_, model.embedding_)


@pytest.mark.parametrize("case", ["minkowski", "weights", "VI", "V", "variances"])
def test_a_file_has_them(case, tmp_path):
    metric, kwds, _ = METRICS[case]
    model = fit(metric, kwds)
    model.save(tmp_path / "map")
    loaded = FeatMAP.load(tmp_path / "map")
    np.testing.assert_array_equal(loaded.transform(NEW), model.transform(NEW))
    assert loaded.metric_kwds.keys() == kwds.keys()
    for name, value in kwds.items():
        np.testing.assert_array_equal(loaded.metric_kwds[name], value)


@pytest.mark.usefixtures("at_every_chance")
def test_a_checkpoint_knows_them(tmp_path):
    def stop(stage, done, total):
        if stage == "layout" and done == 3:
            raise KeyboardInterrupt

    setting = {**QUICK, "metric": "minkowski"}
    with pytest.raises(KeyboardInterrupt):
        FeatMAP(**setting, metric_kwds={"p": 3}).fit(TABLE, callback=stop, checkpoint=tmp_path / "fit")
    for other in ({"p": 4}, {"p": 3, "w": np.ones(4)}, None):
        with pytest.raises(StoreError, match="another fit, with other metric_kwds"):
            FeatMAP(**setting, metric_kwds=other).fit(TABLE, checkpoint=tmp_path / "fit")
    resumed = FeatMAP(**setting, metric_kwds={"p": 3}).fit(TABLE, checkpoint=tmp_path / "fit")
    np.testing.assert_array_equal(resumed.embedding_, fit("minkowski", {"p": 3}).embedding_)


def test_a_checkpoint_tells_lists_apart():
    setting = {"metric": "minkowski"}
    marks = [
        fingerprint(lambda: "", {**setting, "metric_kwds": {"q": part}})["metric_kwds"]
        for part in ([1, 2], [1, 3], (1.0, [2.0, None]), np.array(3.0), np.array(4.0))
    ]
    assert len(set(marks)) == len(marks)


@pytest.mark.parametrize(
    "part", [object(), {1, 2}, [object()], np.array([object()])], ids=lambda part: str(type(part))
)
def test_a_checkpoint_refuses_what_it_cannot_know(part, tmp_path):
    with pytest.raises(
        InvalidParameterError, match=r"^fit\(checkpoint=…\): metric_kwds has .*fit without a checkpoint"
    ):
        FeatMAP(metric="minkowski", metric_kwds={"q": part}).fit(TABLE, checkpoint=tmp_path / "fit")
    assert list(tmp_path.iterdir()) == []


WRONG = {
    "no dict": ("minkowski", 3, "metric_kwds must be None or a dict"),
    "no names": ("minkowski", {3: 3}, "metric_kwds must be None or a dict"),
    "a metric without parameters": ("euclidean", {"p": 3}, "'euclidean' has no parameters"),
    "an unknown name": ("minkowski", {"q": 3}, r"metric_kwds=\{'q': 3\}.*scipy\.spatial\.distance"),
    "p is text": ("minkowski", {"p": "three"}, "p must be a number"),
    "p is negative": ("minkowski", {"p": -1}, "p must be a number above 0"),
    "p is NaN": ("minkowski", {"p": np.nan}, "p must be a number"),
    "too few weights": ("minkowski", {"w": [1, 2]}, r"w must be an array of shape \(4,\)"),
    "negative weights": ("minkowski", {"w": [1, 2, -1, 0]}, "w must not be negative"),
    "infinite weights": ("minkowski", {"w": [1, 2, np.inf, 0]}, "finite"),
    "a small matrix": ("mahalanobis", {"VI": np.eye(3)}, r"VI must be an array of shape \(4, 4\)"),
    "no inverse of covariances": ("mahalanobis", {"VI": -np.eye(4)}, "VI must be the inverse of a matrix of covar"),
    "no inverse": ("mahalanobis", {"V": np.zeros((4, 4))}, "V has no inverse; give VI"),
    "both": ("mahalanobis", {"V": np.eye(4), "VI": np.eye(4)}, "give one of them"),
    "no variance": ("seuclidean", {"V": np.zeros(4)}, "not finite"),
    "missing": ("mahalanobis", None, "'VI' parameter is required.*metric_kwds"),
    "not a function's": (weighted, {"wait": 3}, "wait"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_parameters_are_named_at_once(case, stages_begun):
    metric, kwds, message = WRONG[case]
    with pytest.raises(FeatmapError, match=message):
        fit(metric, kwds)
    assert stages_begun == []
