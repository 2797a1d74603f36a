"""Neighbours of one model are accepted by another, and so are those of other tools."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from featmap import FeatMAP, FeatmapWarning, InvalidDataError, explain

QUICK = {"n_neighbors": 6, "n_epochs": 10, "random_state": 0}
TABLE = np.random.default_rng(0).normal(size=(80, 4))
OTHERS = "precomputed_knn: the given distances are not those of metric=.* pass metric=…"
WITH_COPIES = np.repeat(TABLE[:20], 4, axis=0)


@pytest.fixture(scope="module")
def plain():
    return FeatMAP(**QUICK).fit(TABLE)


@pytest.fixture(scope="module")
def in_thousands():
    """A model of data in other units."""
    return FeatMAP(**QUICK).fit(1000 * TABLE)


def digest(model, X):
    arrays = (model.embedding_, model.frames_, model.singular_values_, model.feature_importance(), model.arrows())
    graph = model.graph_.data, model.graph_.indices, model.graph_.indptr
    return [array.tobytes() for array in (*arrays, *graph, *model.neighbors_, model.transform(X[:5]))]


ROUND_TRIPS = {
    "numbers": (TABLE, {}),
    "large numbers": (1e6 * TABLE, {}),
    "small numbers": (1e-9 * TABLE, {}),
    "sparse": (sp.csr_matrix(np.maximum(TABLE, 0)), {}),
    "copies": (WITH_COPIES, {}),
    "cosine": (TABLE, {"metric": "cosine"}),
    "manhattan": (TABLE, {"metric": "manhattan"}),
    "larger tangent neighbourhoods": (TABLE, {"n_tangent_neighbors": 15}),
    "paper": (TABLE, {"frames": "paper"}),
}


@pytest.mark.parametrize("case", ROUND_TRIPS)
def test_the_neighbors_of_a_model_make_the_same_map(case):
    X, parameters = ROUND_TRIPS[case]
    model = FeatMAP(**QUICK, **parameters).fit(X)
    again = FeatMAP(**QUICK, **parameters, precomputed_knn=model.neighbors_).fit(X)
    assert digest(again, X) == digest(model, X)


def test_neighbors_are_the_nearest_others_in_units_of_the_data(in_thousands):
    indices, distances = in_thousands.neighbors_
    np.testing.assert_array_equal(indices, INDICES[:, 1:])
    np.testing.assert_allclose(distances, 1000 * DISTANCES[:, 1:], rtol=1e-5)


def test_neighbors_are_those_of_the_fit_whatever_the_parameters_are_now():
    model = FeatMAP(**QUICK).fit(1000 * TABLE)
    before = model.neighbors_
    model.set_params(metric="cosine", precomputed_knn=before)
    np.testing.assert_array_equal(model.neighbors_[1], before[1])


@pytest.mark.parametrize("is_given", [False, True])
def test_neighbors_come_back_from_a_file_in_their_units(in_thousands, is_given, tmp_path):
    model = in_thousands
    if is_given:
        model = FeatMAP(**QUICK, precomputed_knn=model.neighbors_).fit(1000 * TABLE).set_params(precomputed_knn=None)
    model.save(tmp_path / "model")
    for loaded, expected in zip(FeatMAP.load(tmp_path / "model").neighbors_, model.neighbors_, strict=True):
        np.testing.assert_array_equal(loaded, expected)


def scanpys_distances():
    """As obsp["distances"]: the nearest others of each row, stored in the order of their columns."""
    graph = kneighbors_graph(TABLE, 5, mode="distance")
    graph.sort_indices()
    return graph


SEARCH = NearestNeighbors(n_neighbors=6).fit(TABLE)
DISTANCES, INDICES = SEARCH.kneighbors(TABLE)
FORMS = {  # more of them are read in test_checks_neighbors.py
    "umap-learn's triple": (INDICES, DISTANCES.astype(np.float32), object()),
    "more than needed": kneighbors_graph(TABLE, 20, mode="distance"),
    "the method kneighbors_graph": SEARCH.kneighbors_graph(TABLE, mode="distance"),
    "scanpy's distances": scanpys_distances(),
}


@pytest.mark.parametrize("form", FORMS)
def test_neighbors_of_other_tools(form, plain):
    given = FeatMAP(**QUICK, precomputed_knn=FORMS[form]).fit(TABLE)
    np.testing.assert_array_equal(given.neighbors_[0], plain.neighbors_[0])
    np.testing.assert_allclose(given.neighbors_[1], plain.neighbors_[1], rtol=1e-5)
    np.testing.assert_allclose(given.graph_.toarray(), plain.graph_.toarray(), atol=1e-5)
    explained = explain(TABLE, TABLE[:, :2], n_neighbors=6, precomputed_knn=FORMS[form])
    np.testing.assert_allclose(explained.feature_importance(), plain.feature_importance(), atol=1e-4)


def with_missing(index, distance):
    """The last two neighbours of row 5 are missing."""
    indices, distances = INDICES.copy(), DISTANCES.copy()
    indices[5, 4:], distances[5, 4:] = index, distance
    return indices, distances


@pytest.mark.parametrize("padding", [(-1, np.inf), (-1, 0.0), (5, np.inf), (-1, np.nan)])
def test_missing_neighbors_stay_missing(padding):
    model = FeatMAP(**QUICK, precomputed_knn=with_missing(*padding)).fit(TABLE)
    assert np.isinf(model.neighbors_[1][5]).tolist() == [False, False, False, True, True]
    assert np.isfinite(model.embedding_).all()
    again = FeatMAP(**QUICK, precomputed_knn=model.neighbors_).fit(TABLE)
    assert digest(again, TABLE) == digest(model, TABLE)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((INDICES[:, :5], DISTANCES[:, :5]), "5 neighbours are needed .* but a row has only 4; give more neighbours"),
        (scanpys_distances()[:40, :40], r"must have shape \(80, 80\); got \(40, 40\)"),
        ((INDICES[:40], DISTANCES[:40]), r"shape \(80, number of neighbours\)"),
        ((INDICES, DISTANCES[:, :5]), r"got \(80, 6\) and \(80, 5\)"),
        ((np.full_like(INDICES, 80), DISTANCES), "integers from 0 to 79, or -1"),
    ],
)
def test_neighbors_that_cannot_be_used_are_refused(given, message, stages_begun):
    with pytest.raises(InvalidDataError, match=f"precomputed_knn: .*{message}"):
        FeatMAP(**QUICK, precomputed_knn=given).fit(TABLE)
    assert stages_begun == []


def test_changes_to_neighbors_do_not_reach_the_model():
    model = FeatMAP(**QUICK).fit(TABLE)
    importance = model.feature_importance()
    indices, distances = model.neighbors_
    indices[:] = -1
    distances[:] = np.inf
    assert np.array_equal(model.feature_importance(), importance)


def test_a_matrix_of_connections_is_not_one_of_distances():
    with pytest.warns(FeatmapWarning, match=OTHERS), pytest.warns(FeatmapWarning, match="all distances are 1"):
        FeatMAP(**QUICK, precomputed_knn=kneighbors_graph(TABLE, 6)).fit(TABLE)


OTHER_DISTANCES = {
    "squared": ((INDICES, DISTANCES**2), "euclidean"),
    "of another metric": (kneighbors_graph(TABLE, 5, mode="distance", metric="manhattan"), "euclidean"),
    "of another metric, cosine": (kneighbors_graph(TABLE, 5, mode="distance", metric="cosine"), "manhattan"),
    "of rows that are not unit rows": (kneighbors_graph(TABLE / 9, 5, mode="distance"), "cosine"),
    "of other features": (kneighbors_graph(TABLE[:, :2], 5, mode="distance"), "euclidean"),
    "of scaled features": (kneighbors_graph(3 * TABLE, 5, mode="distance"), "euclidean"),
    "of other rows": ((INDICES[::-1], DISTANCES), "euclidean"),
}


@pytest.mark.parametrize("case", OTHER_DISTANCES)
def test_distances_that_are_not_those_of_the_metric_get_one_warning(case):
    given, metric = OTHER_DISTANCES[case]
    with pytest.warns(FeatmapWarning, match=OTHERS) as caught:
        FeatMAP(**QUICK, metric=metric, precomputed_knn=given).fit(TABLE)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(FeatmapWarning, match=OTHERS):
        explain(TABLE, TABLE[:, :2], n_neighbors=6, metric=metric, precomputed_knn=given)


def random_neighbors():
    """True distances to rows that are not the nearest."""
    indices = np.array(
        [np.random.default_rng(row).permutation(np.delete(np.arange(80), row))[:6] for row in range(80)]
    )
    return indices, np.linalg.norm(TABLE[indices] - TABLE[:, None], axis=2)


def single(X, **options):
    """Neighbours found in float32."""
    return kneighbors_graph(X.astype(np.float32), 5, mode="distance", **options).astype(np.float32)


SAME_DISTANCES = {
    "float32": (TABLE, single(TABLE), "euclidean"),
    "float32, cosine": (TABLE, single(TABLE, metric="cosine"), "cosine"),
    "float32, manhattan": (TABLE, single(TABLE, metric="manhattan"), "manhattan"),
    "float32, correlation": (TABLE, single(TABLE, metric="correlation"), "correlation"),
    "sparse": (sp.csr_matrix(TABLE), single(TABLE), "euclidean"),
    "not the nearest": (TABLE, random_neighbors(), "euclidean"),
    "far from the origin": (1e8 + TABLE, (INDICES, DISTANCES), "euclidean"),
    "tiny": (1e-20 * TABLE, (INDICES, 1e-20 * DISTANCES), "euclidean"),
    "copies": (WITH_COPIES, NearestNeighbors(n_neighbors=6).fit(WITH_COPIES).kneighbors()[::-1], "euclidean"),
    "a function": (TABLE, single(TABLE, metric="chebyshev"), lambda a, b: np.abs(a - b).max()),
}


@pytest.mark.parametrize("case", SAME_DISTANCES)
def test_distances_of_the_metric_get_no_warning(case):
    X, given, metric = SAME_DISTANCES[case]
    assert np.isfinite(FeatMAP(**QUICK, metric=metric, precomputed_knn=given).fit(X).embedding_).all()


def test_given_neighbors_make_up_for_a_metric_that_does_not_fit_the_data(plain):
    model = FeatMAP(**QUICK, metric="haversine", precomputed_knn=plain.neighbors_).fit(TABLE)
    assert np.isfinite(model.embedding_).all()
